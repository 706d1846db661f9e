"""The metering proxy: it stands between an agent and a search provider's MCP server.

Its posture is *forward first, record second, never alter*. It is run by path, in an environment that may
be empty, by ``<python> -I -S <this folder> --spec <file>``, so it needs nothing but the standard library;
and since an agent waits for it to start, its modules avoid imports that cost milliseconds (dataclasses,
typing, subprocess, asyncio).

    spec            what to start, where to record, how many calls are allowed
    session         one life of the meter: which end closes first, and what follows
    relay           the two directions of the wire, and the requests that await an answer
    frames          where a frame ends, and whether it is a message at all
    server_process  the server: started, stopped, and never left behind
    hosted          the same session against a server that speaks streamable HTTP
    spool           what passed, on disk; a slow or full disk never slows the wire
    capped_log      the server's stderr and noise: head and tail, without secrets

`pytest_searchlight.metering` reads afterwards what the spool holds.
"""
