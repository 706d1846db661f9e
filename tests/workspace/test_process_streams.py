"""What goes in and what comes out: bytes, lines, caps, and no deadlocks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_searchlight.workspace.streams import LineSplitter

if TYPE_CHECKING:
    from workspace.conftest import Run

FULL_DEVICE = Path("/dev/full")


def collect_lines(run: Run, argv: list[str]) -> list[bytes]:
    lines: list[bytes] = []
    run(argv, on_line=lines.append)
    return lines


def test_stdout_reaches_the_file_byte_for_byte(run: Run) -> None:
    result = run(["printf", r"a\r\nb\0c\377\n\nlast"])
    assert result.stdout_path.read_bytes() == b"a\r\nb\0c\xff\n\nlast"


def test_lines_end_at_line_feeds_only_and_lose_their_line_end(run: Run) -> None:
    text = "one\u2028still one\u0085and\x0bstill\r\ntwo\n\nlast, unterminated"
    lines = collect_lines(run, ["printf", "%s", text])
    assert [line.decode() for line in lines] == [
        "one\u2028still one\u0085and\x0bstill",
        "two",
        "",
        "last, unterminated",
    ]


@pytest.mark.parametrize("size", range(1, 9))
def test_lines_do_not_depend_on_how_the_bytes_arrive(size: int) -> None:
    stream = "é\u2028\r\n\n{}\r\r\nend".encode()
    splitter = LineSplitter()
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    lines += splitter.finish()
    assert lines == ["é\u2028".encode(), b"", b"{}\r", b"end"]


def test_a_line_of_70_kilobytes_comes_out_whole(run: Run) -> None:
    lines = collect_lines(run, ["sh", "-c", "head -c 70000 /dev/zero | tr '\\0' x; echo; echo after"])
    assert [len(line) for line in lines] == [70_000, 5]


def test_twenty_megabytes_are_stored_and_heard_completely(run: Run) -> None:
    sizes: list[int] = []
    command = "yes 123456789012345678901234567890123456789 | head -c 20000000"
    result = run(["sh", "-c", command], on_line=lambda line: sizes.append(len(line)))
    assert result.ended_by == "exit"
    assert result.stdout_path.stat().st_size == 20_000_000
    assert len(sizes) == 500_000
    assert set(sizes) == {39}


def test_a_long_stderr_keeps_its_head_and_its_tail(run: Run) -> None:
    result = run(["sh", "-c", "{ echo the cause; yes noise | head -c 3000000; echo the end; } >&2"])
    stored = result.stderr_path.read_bytes()
    assert stored.startswith(b"the cause\nnoise\n")
    assert stored.endswith(b"noise\nthe end\n")
    assert b" bytes left out ...]\n" in stored
    assert len(stored) < 530_000
    assert result.stderr_tail.endswith("noise\nthe end\n")
    assert len(result.stderr_tail) == 4096


def test_a_short_stderr_is_kept_as_it_is(run: Run) -> None:
    result = run(["sh", "-c", "echo oops >&2"])
    assert result.stderr_path.read_bytes() == b"oops\n"
    assert result.stderr_tail == "oops\n"


def test_stdin_is_fed_while_output_is_read(run: Run) -> None:
    sent = bytes(range(256)) * 20_000
    result = run(["cat"], stdin_bytes=sent)
    assert result.stdout_path.read_bytes() == sent


def test_without_stdin_the_command_reads_the_end_at_once(run: Run) -> None:
    assert run(["cat"]).exit_code == 0


def test_a_command_need_not_read_its_megabyte_of_stdin(run: Run) -> None:
    result = run(["sh", "-c", "echo done"], stdin_bytes=b"x" * 1_000_000)
    assert (result.ended_by, result.exit_code) == ("exit", 0)


def test_a_command_that_never_reads_stdin_still_times_out(run: Run) -> None:
    result = run(["sleep", "60"], stdin_bytes=b"x" * 1_000_000, timeout_s=0.3)
    assert result.ended_by == "timeout"


def test_a_command_may_close_its_stdout_and_live_on(run: Run) -> None:
    result = run(["sh", "-c", "echo said; exec >&- 2>&-; sleep 0.3; exit 7"])
    assert (result.ended_by, result.exit_code) == ("exit", 7)
    assert result.stdout_path.read_bytes() == b"said\n"


@pytest.mark.skipif(not FULL_DEVICE.exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_command_and_says_so(run: Run) -> None:
    result = run(["sh", "-c", "yes & sleep 60"], stdout_path=FULL_DEVICE)
    assert result.ended_by == "output_failed"
    assert result.stop_reason == "cannot write /dev/full: No space left on device"


@pytest.mark.skipif(not FULL_DEVICE.exists(), reason="needs /dev/full")
def test_a_stderr_that_cannot_be_stored_is_reported_too(run: Run) -> None:
    result = run(["sh", "-c", "echo lost >&2; sleep 60"], stderr_path=FULL_DEVICE)
    assert result.ended_by == "output_failed"


def test_what_fitted_on_the_disk_is_kept(run: Run, small_disk: Path) -> None:
    result = run(["seq", "9999999"], stdout_path=small_disk / "stdout")
    assert result.ended_by == "output_failed"
    stored = result.stdout_path.read_text()
    assert "\n".join(str(number) for number in range(1, 99_999)).startswith(stored[:-1])
    assert len(stored) > 30_000
