"""Run one command and leave nothing of it behind. Standard library only, runnable by path.

    python -I -S <this folder>/__main__.py CONTROL_FD

CONTROL_FD is a socket whose other end the harness holds. What comes first is an `assignment`: the command,
its environment, its folder, a grace. The command gets its own session, default signal dispositions, and the
warden's stdin, stdout and stderr. A further byte asks for an end, and so does the closing of the socket,
which the kernel sees to even when the harness dies by SIGKILL.

An end is polite first: SIGTERM to the command, the grace, SIGKILL. What the command leaves behind, by its
own end or ours, gets a moment to notice, then SIGTERM, the grace, SIGKILL. Daemons cannot slip away: the
warden is their subreaper, so whoever loses its parent becomes the warden's own child, whatever session or
process group it moved to.

The warden exits with the command's exit code (128 + n after signal n) and first writes one JSON object to
CONTROL_FD:

    exit_code          as above; null when the command could not be started
    stopped            whether the warden had to end the command
    start_errno        why the command could not be started, else null
    duration_s         wall clock, from start to the command's end
    cpu_s              user + system time of all that ran
    max_rss_bytes      of the largest process, never below the warden's own (about 10 MB)
    leftovers_killed   processes other than the command that had to be signalled
    survivors          processes that even SIGKILL did not end within 5 s
    reaches_all        false where there is no subreaper: only the process group was ended
"""
