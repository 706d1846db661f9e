"""What all commands share: exit codes, the parser's type, and the project they are called in."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_searchlight.errors import UserError

if TYPE_CHECKING:  # it loads pytest, which most commands can do without
    from pytest_searchlight.session.benchmark import BenchmarkSession

Command = Callable[[argparse.Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no public name

OK: Final = 0
FOUND_PROBLEMS: Final = 1
USAGE: Final = 2


def open_project(options: dict[str, str | None]) -> BenchmarkSession:
    """The session that pytest would open here, with the project's own extensions.

    Raises:
        UserError: the project's configuration is wrong.
    """
    import pytest

    from pytest_searchlight.plugin import wake

    try:
        # Plain asserts: this very package is imported already, so pytest could not rewrite it any more.
        return wake(pytest.Config.fromdictargs(options, ["--assert=plain"])).session
    except pytest.UsageError as error:
        raise UserError(str(error)) from None
