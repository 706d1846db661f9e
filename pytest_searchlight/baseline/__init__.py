"""The embedded agent: a retrieve-and-extract program without an LLM, run as ``python -m`` this package.

It reads a prompt, searches with whatever MCP tools it was given, fills the deliverable by its JSON Schema
and says null where it found nothing. It proves the pipeline and is a mark that any LLM agent should beat;
nothing in it knows a task, a catalog or a provider.
"""
