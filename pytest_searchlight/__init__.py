"""Searchlight: a pytest plugin that measures what web search does for coding agents."""

__version__ = "0.1.0"
