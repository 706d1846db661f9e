"""Reports as pages: REPORT.md and the static site, rendered from numbers alone.

formats, tables          numbers as text, tables as data
sections/                what a report says, part by part; REPORT.md and its page are renderings of the same
charts/                  what charts show, and their drawing by matplotlib
markdown, html           the two renderings; templates/ holds their templates, style and script
house                    what this installation measures with, for the methodology page
pages, leaderboard,      the files of a site; building puts them together in memory, upkeep writes them or
share_image              holds them against what is there
"""

from pytest_searchlight.website.markdown import render_methodology, render_report, render_reproduce

__all__ = ["render_methodology", "render_report", "render_reproduce"]
