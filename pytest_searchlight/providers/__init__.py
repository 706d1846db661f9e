"""How each setup's server is started, which tools it has, what its calls cost and how they fail."""

from pytest_searchlight.providers.launch import build_server_launch, require_key
from pytest_searchlight.providers.setups import SETUPS_FILE, read_setups, register_setups

__all__ = ["SETUPS_FILE", "build_server_launch", "read_setups", "register_setups", "require_key"]
