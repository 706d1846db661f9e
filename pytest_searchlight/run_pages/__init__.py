"""A page for every run of a session: the question, the wire, the answer and how it was graded."""
