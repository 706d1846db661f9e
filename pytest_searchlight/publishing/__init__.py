"""From a session to a report folder that can be shown to anyone, and the check that recomputes it."""
