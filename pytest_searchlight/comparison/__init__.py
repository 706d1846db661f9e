"""Two sessions side by side: what changed, how sure that is, and what could have been seen at this size."""
