"""What of its user an agent product gets to see: a login when asked for, and nothing else."""

from __future__ import annotations

import dataclasses
import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from agent_stage import AGENTS, PROGRAMS, Stage, read_pin
from scripted_model import Answer, play_turns

from pytest_searchlight.agents.claude_code import ClaudeCodeAgent, build_command
from pytest_searchlight.agents.codex import CodexAgent
from pytest_searchlight.agents.contract import Contract
from pytest_searchlight.agents.installation import Installation, find_installation
from pytest_searchlight.agents.login import copy_login
from pytest_searchlight.agents.probe import probe_agent
from pytest_searchlight.domain import RunStatus
from pytest_searchlight.errors import RunError
from pytest_searchlight.workspace import create_scratch_root, find_marked_processes

INSTRUCTION = "PINEAPPLE-INSTRUCTION"


@pytest.fixture
def lived_in_home(tmp_path: Path) -> Path:
    """A user's home with instructions, servers, hooks, and a login."""
    claude, codex = tmp_path / ".claude", tmp_path / ".codex"
    for folder in (claude, codex):
        folder.mkdir()
    (claude / "CLAUDE.md").write_text(INSTRUCTION)
    (claude / ".credentials.json").write_text('{"claudeAiOauth": {}}')
    (claude / "settings.json").write_text('{"env": {"PINEAPPLE": "1"}}')
    (tmp_path / ".claude.json").write_text('{"mcpServers": {"pineapple": {"command": "false"}}}')
    (codex / "AGENTS.md").write_text(INSTRUCTION)
    (codex / "auth.json").write_text("{}")
    (codex / "config.toml").write_text('[mcp_servers.pineapple]\ncommand = "false"\n')
    return tmp_path


def test_only_credential_files_are_copied(lived_in_home: Path, tmp_path: Path) -> None:
    target = tmp_path / "private"
    copy_login([".credentials.json"], source=lived_in_home / ".claude", target=target)
    assert [path.name for path in target.iterdir()] == [".credentials.json"]
    assert stat.S_IMODE((target / ".credentials.json").stat().st_mode) == 0o600


def test_a_missing_login_is_said_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no login found"):
        copy_login(["auth.json"], source=tmp_path, target=tmp_path / "private")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_login_is_found_in_the_users_home_and_a_key_goes_before_it(lived_in_home: Path, agent: str) -> None:
    pin, home = read_pin(agent), {"HOME": str(lived_in_home), "PATH": str(PROGRAMS)}
    assert find_installation(pin, environment=home).login_folder == lived_in_home / pin.login_home
    with_key = find_installation(pin, environment={**home, pin.key_variables[0]: "sk-test"})
    assert (with_key.login_folder, with_key.credentials) == (None, {pin.key_variables[0]: "sk-test"})


def test_a_product_that_is_not_installed_has_no_version(tmp_path: Path) -> None:
    pin = read_pin("codex")
    installation = find_installation(pin, environment={"PATH": str(tmp_path)})
    assert CodexAgent(pin=pin, installation=installation).find_version() is None


@pytest.mark.parametrize("agent", AGENTS)
def test_the_model_hears_nothing_from_the_users_own_files(
    stage: Stage, lived_in_home: Path, agent: str
) -> None:
    job = stage.make_job(agent, server=None)
    job = dataclasses.replace(job, environment={**job.environment, "HOME": str(lived_in_home)})
    installed = stage.install(agent, scene=job.run.run_id, script=play_turns(Answer(text="red")))
    pin = read_pin(agent)
    login = dataclasses.replace(installed, login_folder=lived_in_home / pin.login_home)
    adapter = ClaudeCodeAgent if agent == "claude-code" else CodexAgent
    trace = adapter(pin=pin, installation=login).run(job)
    assert trace.status is RunStatus.GRADED, trace.reason
    asked = str([request.body for request in stage.model.list_requests(job.run.run_id)])
    assert INSTRUCTION not in asked
    assert "pineapple" not in asked


@pytest.mark.parametrize("agent", AGENTS)
def test_runs_leave_no_process_and_no_file_outside_their_folders(
    stage: Stage, agent: str, tmp_path: Path
) -> None:
    before = list_strays(agent)
    runs = [stage.play(agent, play_turns(Answer(text="red"))) for _ in range(2)]
    assert all(run.trace.status is RunStatus.GRADED for run in runs)
    assert not [pid for run in runs for pid in find_marked_processes(run.job.run.run_id)]
    assert list_strays(agent) == before
    assert not any(tmp_path.iterdir())


def list_strays(agent: str) -> set[Path]:
    """What the product may have left in the places that all its runs share."""
    return {
        *Path(tempfile.gettempdir()).glob(f"{agent.partition('-')[0]}-*"),
        *Path("/dev/shm").glob(f"{agent}*"),
    }


def test_no_key_is_in_a_command_or_a_representation(stage: Stage) -> None:
    installed = stage.install("claude-code", scene="unused", script=play_turns(Answer(text="")))
    assert "sk-scripted" not in repr(ClaudeCodeAgent(pin=read_pin("claude-code"), installation=installed))
    contract = Contract(own_tools=("Read",), server=None)
    command = build_command("claude", contract=contract, model="m", config=Path("mcp.json"))
    assert not any("sk-" in part for part in command)


def test_every_feature_that_this_codex_turns_on_was_reviewed(stage: Stage, tmp_path: Path) -> None:
    installed = stage.install("codex", scene="unused", script=play_turns(Answer(text="")))
    agent = CodexAgent(pin=read_pin("codex"), installation=installed)
    assert agent.list_unreviewed_features(tmp_path) == ()


def test_this_codex_knows_every_key_of_the_configuration(stage: Stage) -> None:
    played = stage.play("codex", play_turns(Answer(text="red")))
    program = str(PROGRAMS / "codex")
    environment = {
        "PATH": os.environ["PATH"],
        "CODEX_HOME": str(played.job.home / ".codex"),
        "CODEX_API_KEY": "sk-scripted-0000",
    }
    done = subprocess.run(
        [program, "exec", "--strict-config", "--json", "--skip-git-repo-check", "--ephemeral", "-"],
        input=b"again",
        env=environment,
        cwd=played.job.workspace,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"turn.completed" in done.stdout


def test_an_unpinned_version_is_marked() -> None:
    pin = read_pin("claude-code")
    assert pin.explain_version(pin.version) == ()
    assert pin.explain_version("9.9.9") == ("unpinned_version",)
    assert pin.explain_version("2.1.119") == ("unpinned_version", "known_bad_version")
    assert pin.explain_version(None) == ("unpinned_version",)


def test_credentials_reach_only_the_product(stage: Stage) -> None:
    played = stage.play("codex", play_turns(Answer(text="red")))
    assert not any("sk-scripted" in value for value in played.job.environment.values())
    assert "sk-scripted" not in (played.job.home / ".codex" / "config.toml").read_text()


def test_an_installation_without_a_program_says_what_to_install(stage: Stage) -> None:
    agent = ClaudeCodeAgent(pin=read_pin("claude-code"), installation=Installation(program=None))
    with pytest.raises(RunError, match="npm install -g @anthropic-ai/claude-code@"):
        agent.run(stage.make_job("claude-code", server=None))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_probe_says_whether_an_agent_reaches_its_model(stage: Stage, agent: str, tmp_path: Path) -> None:
    good = stage.install(agent, scene=f"probe-{agent}", script=play_turns(Answer(text="ready")))
    adapter = ClaudeCodeAgent if agent == "claude-code" else CodexAgent
    with create_scratch_root(tmp_path) as root, root.create_workspace() as workspace:
        environment = {"PATH": os.environ["PATH"]}
        probed = adapter(pin=read_pin(agent), installation=good)
        trace = probe_agent(probed, workspace=workspace, environment=environment)
    assert (trace.status, trace.answer_text) == (RunStatus.GRADED, "ready")
