"""What of the user's environment reaches an agent."""

from __future__ import annotations

import pytest

from pytest_searchlight.workspace import allowed_environment


@pytest.mark.parametrize(
    "name",
    ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "https_proxy"],
)
def test_what_every_program_needs_passes(name: str) -> None:
    assert allowed_environment({name: "value"}) == {name: "value"}


@pytest.mark.parametrize(
    "name",
    ["EXA_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "HOME", "NODE_OPTIONS", "PYTHONPATH", "LD_PRELOAD"],
)
def test_keys_and_what_steers_other_programs_do_not_pass(name: str) -> None:
    assert allowed_environment({name: "value"}) == {}
