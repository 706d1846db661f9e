"""Two sessions side by side: what changed, how sure that is, and what could have been seen at this size.

sources     reads a session folder, a report folder, a summary.json or a runs.jsonl
lanes       which lane is held against which
matching    which of a lane's tasks and runs are
comparing   the numbers; it needs numpy and scipy, and is imported where they are
records     what comes of it, also as JSON
wording, text, markdown     what people read of it
gating      what a session is failed for
"""
