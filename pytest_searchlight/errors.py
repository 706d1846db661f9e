"""The exception tree.

    SearchlightError            anything Searchlight raises on purpose
    ├── UserError               the user can put it right; shown as one sentence, exit code 2
    │   ├── CatalogError        a catalog file, a task or a field in it is wrong
    │   ├── SettingsError       an option, an ini value, a config file or a key is wrong or missing
    │   └── ReportError         a report folder, or a summary given to compare with, is missing or wrong
    ├── RunError                infrastructure failed; carries the status that the run ends with
    ├── EvidenceError           a bundle cannot be written, read back or trusted
    │   └── DiskError           the disk refuses; the session stops before it pays for what it cannot keep
    └── SummaryError            the numbers do not reconcile, so none are printed

Every message says where, which value, which rule, and what to do next.
"""

from __future__ import annotations


class SearchlightError(Exception):
    """Root of everything Searchlight raises on purpose."""


class UserError(SearchlightError):
    """Something the user can put right; shown as one sentence, never as a traceback."""


class CatalogError(UserError):
    """A catalog file, a task in it or a field of the task breaks a rule."""


class SettingsError(UserError):
    """An option, an ini value, a file under ``config/`` or a key is wrong or missing."""


class ReportError(UserError):
    """A report folder, or a summary that was given to compare with, is missing, unreadable or wrong."""


class RunError(SearchlightError):
    """Infrastructure failed during a run; never the same as a wrong answer.

    Attributes:
        status: value of the `domain.RunStatus` the attempt ends with.
        retry_after_s: how long the other side asked us to wait, when it said so.
    """

    def __init__(self, message: str, *, status: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class EvidenceError(SearchlightError):
    """An evidence bundle cannot be written, read back or trusted."""


class DiskError(EvidenceError):
    """The disk refuses evidence or the ledger: it is full, read-only or gone."""


class SummaryError(SearchlightError):
    """Counts that do not reconcile; the summary is refused rather than printed."""
