"""A login that a product renews in a run's private home is its user's new login, and never lost."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier

import pytest
from agent_stage import AGENTS, read_pin

from pytest_searchlight.agents.claude_code import ClaudeCodeAgent
from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.agents.installation import Installation
from pytest_searchlight.agents.login import lend_login
from pytest_searchlight.agents.pins import AgentPin
from pytest_searchlight.doctor.examination import _describe_login

AT_FIRST, LATER = 1, 2


def write_login(agent: str, *, hour: int) -> bytes:
    """What a product's login looks like that was renewed at some hour."""
    if agent == "codex":
        return json.dumps(
            {"tokens": {"refresh_token": f"r{hour}"}, "last_refresh": f"2026-11-30T0{hour}:00:00Z"}
        ).encode()
    return json.dumps({"claudeAiOauth": {"refreshToken": f"r{hour}", "expiresAt": 3_600_000 * hour}}).encode()


@dataclass(frozen=True)
class Lending:
    """A product's login in its user's home, and where a run gets it."""

    agent: str
    pin: AgentPin
    source: Path
    target: Path

    @property
    def owned(self) -> Path:
        return self.source / self.pin.login_files[0]

    @property
    def lent(self) -> Path:
        return self.target / self.pin.login_files[0]

    def make(self, *, hour: int) -> bytes:
        return write_login(self.agent, hour=hour)


@pytest.fixture(params=AGENTS)
def lending(request: pytest.FixtureRequest, tmp_path: Path) -> Lending:
    source = tmp_path / "user"
    source.mkdir()
    made = Lending(request.param, read_pin(request.param), source, tmp_path / "private")
    made.owned.write_bytes(made.make(hour=AT_FIRST))
    return made


def test_a_renewed_login_is_given_back_for_its_users_eyes_only(lending: Lending) -> None:
    with lend_login(lending.pin, source=lending.source, target=lending.target):
        lending.lent.write_bytes(lending.make(hour=LATER))
    assert lending.owned.read_bytes() == lending.make(hour=LATER)
    assert stat.S_IMODE(lending.owned.stat().st_mode) == 0o600
    assert list(lending.source.iterdir()) == [lending.owned]


def test_it_is_given_back_although_the_run_broke_off(lending: Lending) -> None:
    def run() -> None:
        with lend_login(lending.pin, source=lending.source, target=lending.target):
            lending.lent.write_bytes(lending.make(hour=LATER))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert lending.owned.read_bytes() == lending.make(hour=LATER)


@pytest.mark.parametrize(
    "left", [b"", b"{}", b'{"claudeAiOauth": {"refre', b'{"last_refresh": null}', b"[]", None]
)
def test_what_is_torn_logged_out_or_gone_is_not_given_back(lending: Lending, left: bytes | None) -> None:
    with lend_login(lending.pin, source=lending.source, target=lending.target):
        lending.lent.unlink() if left is None else lending.lent.write_bytes(left)
    assert lending.owned.read_bytes() == lending.make(hour=AT_FIRST)


def test_an_older_login_is_not_given_back(lending: Lending) -> None:
    with lend_login(lending.pin, source=lending.source, target=lending.target):
        lending.lent.write_bytes(lending.make(hour=0))
    assert lending.owned.read_bytes() == lending.make(hour=AT_FIRST)


def test_a_login_that_its_user_changed_meanwhile_stands(lending: Lending) -> None:
    with lend_login(lending.pin, source=lending.source, target=lending.target):
        lending.lent.write_bytes(lending.make(hour=LATER))
        lending.owned.write_bytes(lending.make(hour=9))
    assert lending.owned.read_bytes() == lending.make(hour=9)


def test_of_runs_that_renew_at_once_the_first_to_end_gives_back(lending: Lending, tmp_path: Path) -> None:
    """The others were lent what is no longer there, so theirs cannot be what the vendor renewed last."""
    together = Barrier(8)

    def run(hour: int) -> None:
        target = tmp_path / f"private-{hour}"
        with lend_login(lending.pin, source=lending.source, target=target):
            together.wait(30)
            (target / lending.owned.name).write_bytes(lending.make(hour=hour))
            together.wait(30)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(2, 10))) == [None] * 8
    assert lending.owned.read_bytes() in {lending.make(hour=hour) for hour in range(2, 10)}
    assert list(lending.source.iterdir()) == [lending.owned]


def test_a_login_without_an_age_is_left_alone(lending: Lending) -> None:
    lending.owned.write_bytes(b'{"OPENAI_API_KEY": "sk-scripted"}')
    with lend_login(lending.pin, source=lending.source, target=lending.target):
        lending.lent.write_bytes(lending.make(hour=LATER))
    assert lending.owned.read_bytes() == b'{"OPENAI_API_KEY": "sk-scripted"}'


def test_a_link_to_a_login_stays_a_link(lending: Lending, tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles"
    elsewhere.mkdir()
    real = lending.owned.rename(elsewhere / "login.json")
    lending.owned.symlink_to(real)
    with lend_login(lending.pin, source=lending.source, target=lending.target):
        lending.lent.write_bytes(lending.make(hour=LATER))
    assert lending.owned.is_symlink()
    assert real.read_bytes() == lending.make(hour=LATER)


def test_without_a_login_nothing_is_lent(tmp_path: Path) -> None:
    with lend_login(read_pin("codex"), source=None, target=tmp_path / "private"):
        assert not (tmp_path / "private").exists()


def test_the_doctor_says_which_account_a_run_would_use(lending: Lending) -> None:
    keys = ", ".join(lending.pin.key_variables)
    adapter = ClaudeCodeAgent if lending.agent == "claude-code" else CodexAgent
    accounts = (
        Installation(program="it", login_folder=lending.source),
        Installation(program="it", credentials={lending.pin.key_variables[0]: "sk-scripted"}),
        Installation(program="it"),
    )
    login, key, nobody = (
        _describe_login(adapter(pin=lending.pin, installation=account)) for account in accounts
    )
    assert login.startswith(f"; uses the login in {lending.source}, which only one run at a time can renew")
    assert login.endswith(f"set one of {keys}")
    assert key == ""
    assert nobody == f"; no login and none of {keys} is set"
