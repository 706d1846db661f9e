"""What is mistyped is refused in one sentence with pytest's exit code for wrong usage."""

from __future__ import annotations

import pytest
from plugin.small_project import Project

WRONG = {
    "--searchlight-setup=exxa": "unknown search setup 'exxa'; did you mean 'exa'?",
    "--searchlight-setup=no-search,no-search": "gives a name twice",
    "--searchlight-agent=orakel": "unknown agent 'orakel'; did you mean 'oracle'?",
    "--searchlight-task=nope": "no task 'nope'",
    "--searchlight-repetitions=0": "'0' is not a whole number from 1 to 1000",
    "--searchlight-repetitions=²": "is not a whole number from 1 to 1000",
    "--searchlight-repetitions=100000000": "'100000000' is not a whole number from 1 to 1000",
    "--searchlight-setup=,": "',' names nothing; name one, or leave the option out",
    "--searchlight-setup=": "--searchlight-setup: has an empty value; give one, or leave the option out",
    "--searchlight-max-cost-usd=": "--searchlight-max-cost-usd: has an empty value",
    "--searchlight-fail-under=": "--searchlight-fail-under: has an empty value",
    "--searchlight-resume=": "--searchlight-resume: has an empty value",
    "--searchlight-model=oracle=gpt": "'oracle=gpt' names no agent that has a model (known: ",
    "--searchlight-judge=solomon": "unknown judge 'solomon' (known: lexical, claude-code, codex)",
    f"--searchlight-seed={'9' * 5_000}": "is not a whole number from 0 to 9223372036854775807",
    "--searchlight-resume=a --searchlight-regrade=b": "--searchlight-regrade: 'b' cannot be given with",
    "--searchlight-calibrate --searchlight-setup=exa": "'exa' has neither floor nor ceiling",
    "--searchlight-seed=x": "--searchlight-seed: 'x' is not a whole number",
    "--searchlight-seed=-3": "--searchlight-seed: '-3' is not a whole number from 0 to",
    "--searchlight-max-cost-usd=-1": "'-1' is not a number of 0 or more",
    "--searchlight-max-tokens=nan": "'nan' is not a number of 0 or more",
    "--searchlight-max-provider-calls=inf": "'inf' is not a number of 0 or more",
    "--searchlight-max-wall-clock-s=soon": "'soon' is not a number of 0 or more",
    "--searchlight-exit=green": "'green' is none of tests, soundness",
    "--searchlight-fail-on=exa:drop>5pp": "'exa:drop>5pp' needs --searchlight-baseline to compare with",
    "--searchlight-fail-under=80%": "'80%' is no limit; write RATE or SETUP=RATE, from 0 to 1",
    "--searchlight-resume": "no earlier session",
    "--searchlight-resume=catalogs": "is not a session folder",
    "--searchlight-regrade=catalogs": "is not a session folder",
}


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("values"))
    project.write_catalog(["sky"])
    return project


@pytest.mark.parametrize("argument", WRONG)
def test_a_wrong_value_is_refused_in_a_sentence(mistaken: Project, argument: str) -> None:
    done = mistaken.run(*argument.split())
    assert done.code == 4
    assert WRONG[argument] in done.err
    assert len(done.err.strip().splitlines()) == 1, done.err
    assert "Traceback" not in done.out + done.err
    assert mistaken.list_sessions() == []


def test_wrong_values_are_refused_in_the_controller_of_a_distributed_session(mistaken: Project) -> None:
    done = mistaken.run("--searchlight-setup=exxa", "-n2")
    assert done.code == 4
    assert "did you mean 'exa'?" in done.err


def test_a_wrong_ini_value_is_refused_too(project: Project) -> None:
    project.write_catalog(["sky"])
    project.write("pytest.ini", "[pytest]\nsearchlight_seed = x\n")
    done = project.run("catalogs")
    assert done.code == 4
    assert "'x' is not a whole number" in done.err


def test_help_teaches_every_option_and_its_ini_twin(mistaken: Project) -> None:
    out = " ".join(mistaken.run("--help").out.split())
    for name in (
        "setup",
        "agent",
        "model",
        "task",
        "repetitions",
        "output",
        "resume",
        "regrade",
        "seed",
        "plan",
    ):
        assert f"--searchlight-{name}" in out
        assert f"searchlight_{name} " in out
    for name in ("max-cost-usd", "max-tokens", "max-provider-calls", "max-wall-clock-s", "exit", "baseline"):
        assert f"--searchlight-{name}=" in out
        assert f"searchlight_{name.replace('-', '_')} " in out
    for name in ("fail-on", "fail-under"):
        assert f"--searchlight-{name}=LIMITS" in out
        assert f"searchlight_{name.replace('-', '_')} " in out
    assert "'SETUP: token-rise>N%'" in out
    assert "exact names separated by commas" in out
    assert "searchlight_catalogs" in out
    assert "@pytest.mark.searchlight" in mistaken.run("--markers").out
