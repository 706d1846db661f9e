from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_searchlight.errors import SettingsError
from pytest_searchlight.settings import Settings, looks_secret, read_env_file, read_settings, recall_options

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "tvly-0123456789abcdef"


def read(root: Path, options: Mapping[str, object], environ: Mapping[str, str] | None = None) -> Settings:
    return read_settings(
        lambda dest: options.get(dest.removeprefix("searchlight_")),
        root=root,
        catalogs=root / "catalogs",
        config=root / "config",
        environ=environ or {},
    )


def test_names_are_split_at_commas_and_lines_and_trimmed(tmp_path: Path) -> None:
    assert read(tmp_path, {"setup": " exa, tavily,\nfloor,,"}).setups == ("exa", "tavily", "floor")


def test_folders_are_relative_to_the_root(tmp_path: Path) -> None:
    settings = read(tmp_path, {"output": "out", "resume": "old"})
    assert (settings.output, settings.resume) == (tmp_path / "out", tmp_path / "old")
    assert str(read(tmp_path, {"regrade": "/elsewhere"}).regrade) == "/elsewhere"


@pytest.mark.parametrize(("written", "meant"), [(True, True), ("yes", True), ("off", False), (None, False)])
def test_flags_are_read_from_options_and_ini_values(tmp_path: Path, written: object, meant: bool) -> None:
    assert read(tmp_path, {"plan": written}).plan is meant


def test_what_is_not_given_is_the_catalogs_own(tmp_path: Path) -> None:
    settings = read(tmp_path, {})
    assert (settings.setups, settings.agents, settings.repetitions, settings.seed) == ((), (), None, 0)
    assert settings.caps.cost_usd is None


def test_a_limit_may_be_nothing_at_all_and_a_name_is_taken_as_it_is(tmp_path: Path) -> None:
    settings = read(tmp_path, {"max_cost_usd": "0", "max_wall_clock_s": "2.5", "judge": "solomon"})
    assert (settings.caps.cost_usd, settings.caps.wall_clock_s, settings.caps.tokens) == (0.0, 2.5, None)
    assert (settings.judge, read(tmp_path, {}).judge) == ("solomon", None)


def test_keys_come_from_the_environment_first_and_then_from_the_env_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        f"# keys\nexport TAVILY_API_KEY='{KEY}'\nEXA_API_KEY=from-file # a remark\nPLAIN=1\n\n",
        encoding="utf-8",
    )
    settings = read(tmp_path, {}, {"EXA_API_KEY": "from-environment", "HOME": "/home/me"})
    assert settings.secrets == {"TAVILY_API_KEY": KEY, "EXA_API_KEY": "from-environment"}
    assert settings.environment["PLAIN"] == "1"


def test_secrets_are_in_no_representation_and_in_no_recorded_option(tmp_path: Path) -> None:
    settings = read(tmp_path, {"setup": "tavily"}, {"TAVILY_API_KEY": KEY})
    assert KEY not in repr(settings)
    assert KEY not in str(settings.describe_options())


def test_an_env_file_that_is_not_utf8_is_named_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(f"EXA_API_KEY={KEY}\n# gr\xfcn\n".encode("latin-1"))
    with pytest.raises(SettingsError, match=r"\.env: not UTF-8; save it as UTF-8") as caught:
        read(tmp_path, {})
    assert KEY not in str(caught.value)


def test_an_env_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").touch()

    def refuse(path: Path, **_: str) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)  # root may read every file, so none can be made unreadable
    with pytest.raises(SettingsError, match=r"\.env: cannot be read \(Permission denied\); make it readable"):
        read(tmp_path, {})


def test_a_broken_line_of_the_env_file_is_named_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"A=1\n{KEY}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"\.env:2: expected NAME=value") as caught:
        read_env_file(tmp_path / ".env")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("EXA_API_KEY", True),
        ("GITHUB_TOKEN", True),
        ("CODEX_ACCESS_TOKEN", True),
        ("DB_PASSWORD", True),
        ("KEYBOARD", False),
        ("PATH", False),
        ("TOKENIZERS_PARALLELISM", False),
    ],
)
def test_secrets_are_told_by_the_name_of_their_variable(name: str, secret: bool) -> None:
    assert looks_secret(name) is secret


def test_models_are_chosen_by_agent_then_for_all_then_by_default() -> None:
    settings = Settings(root=None, models=("claude-code=opus", "small"))  # type: ignore[arg-type]
    assert settings.choose_models("claude-code", "sonnet") == ("opus",)
    assert settings.choose_models("codex", "gpt") == ("small",)
    assert settings.choose_models("oracle", None) == (None,)
    assert Settings(root=None).choose_models("codex", "gpt") == ("gpt",)  # type: ignore[arg-type]


def test_an_unreadable_session_file_is_told_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text("{", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"session\.json: not a readable session"):
        recall_options(tmp_path)
