"""Where an agent works and how it is run: scratch folders, its environment, bounded processes."""

from pytest_searchlight.workspace.environment import ALLOWED_VARIABLES, allowed_environment
from pytest_searchlight.workspace.folders import (
    ScratchRoot,
    Workspace,
    create_scratch_root,
    find_abandoned_roots,
    remove_tree,
)
from pytest_searchlight.workspace.marks import end_marked_processes, find_marked_processes
from pytest_searchlight.workspace.process import ProcessResult, run_process
from pytest_searchlight.workspace.supervision import Stop

__all__ = [
    "ALLOWED_VARIABLES",
    "ProcessResult",
    "ScratchRoot",
    "Stop",
    "Workspace",
    "allowed_environment",
    "create_scratch_root",
    "end_marked_processes",
    "find_abandoned_roots",
    "find_marked_processes",
    "remove_tree",
    "run_process",
]
