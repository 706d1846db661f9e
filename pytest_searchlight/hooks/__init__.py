"""The hooks of a pytest session in which Searchlight is in play; nothing but wiring."""

from pytest_searchlight.hooks.session_hooks import SessionHooks

__all__ = ["SessionHooks"]
