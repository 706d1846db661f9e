"""The closed web: a folder of pages served as if it were the web, and an MCP server that searches it.

A closed web is a folder of ``<host>/<path>`` files, with a ``site.yaml`` that states what files cannot:
redirects, statuses, content types, dates. Nothing here is imported until it is asked for.
"""
