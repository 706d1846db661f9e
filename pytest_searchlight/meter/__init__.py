"""The metering proxy: it stands between an agent and a search provider's MCP server.

Its posture is *forward first, record second, never alter*. It is run by path, in an environment that may
be empty, by ``<python> -I -S <this folder>/__main__.py --spec <file>`` (the folder alone works too, and
costs some milliseconds more). So it needs nothing but the standard library, and since an agent waits for
it to start, its modules avoid imports that take long (typing, dataclasses, pathlib, subprocess, asyncio).

    launch          from the command line to a running session, in the order that starts the server soonest
    spec            what to start, where to record, how many calls are allowed
    server_process  the server: started, stopped; `guard` sees to it that it is never left behind
    session         one life of the meter: which end closes first, and what follows
    relay           the two directions of the wire
    pending         which requests await an answer, and which calls may still be made
    frames          where a frame ends, and whether it is a message at all
    hosted          a session with a server that speaks streamable HTTP
    spool           what passed, on disk; `recorder`, `backlog` and `staging` keep the disk away from the wire
    capped_log      the server's stderr and noise: head and tail, without secrets

`pytest_searchlight.metering` reads afterwards what the spool holds.
"""
