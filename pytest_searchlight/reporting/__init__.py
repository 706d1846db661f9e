"""What pytest is told about runs and sessions.

One odd string can end a whole xdist session, so everything that reaches a report passes `texts.clean_text`.
"""
