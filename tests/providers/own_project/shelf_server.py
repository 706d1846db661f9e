"""A project's own search server: one tool over one shelf, for those who hold the pass."""

from __future__ import annotations

import os

from mcp.server.mcpserver import MCPServer

BOOKS = {"plates": "The Quillmark Press and Its Plates, 2026"}

shelf = MCPServer("shelf", log_level="ERROR")


@shelf.tool()
def find_book(word: str) -> str:
    """Find a book on the shelf by a word of its title."""
    if not os.environ.get("SHELF_PASS"):
        return "the shelf is closed"
    return BOOKS.get(word, "no such book")


if __name__ == "__main__":
    shelf.run()
