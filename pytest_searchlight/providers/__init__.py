"""How each setup's server is started, which tools it has, what its calls cost and how they fail."""

from pytest_searchlight.providers.failures import CallFailure, classify_failure
from pytest_searchlight.providers.install import install_server
from pytest_searchlight.providers.launch import build_server_launch, find_install, require_key
from pytest_searchlight.providers.pins import PinDrift, collect_pins, compare_pin, write_pin
from pytest_searchlight.providers.pricing import price_calls
from pytest_searchlight.providers.setups import SETUPS_FILE, find_setup_file, read_setups, register_setups

__all__ = [
    "SETUPS_FILE",
    "CallFailure",
    "PinDrift",
    "build_server_launch",
    "classify_failure",
    "collect_pins",
    "compare_pin",
    "find_install",
    "find_setup_file",
    "install_server",
    "price_calls",
    "read_setups",
    "register_setups",
    "require_key",
    "write_pin",
]
