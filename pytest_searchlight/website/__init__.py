"""Reports as pages: REPORT.md and the static site, rendered from numbers alone."""
