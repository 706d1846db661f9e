"""A disk that is slow or hangs is no business of the wire; what is lost is told."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from meter_stage import FOLDER
from meter_stage.meter_client import open_meter

from pytest_searchlight.meter.backlog import Backlog, shorten
from pytest_searchlight.meter.staging import Staging
from pytest_searchlight.metering.wire import Entry, Frame, read_timeline

HANGING_METER = FOLDER.joinpath("hanging_disk.py")
CALLS, SIZE = 60, 1_000_000


def test_traffic_flows_while_the_disk_hangs_and_every_call_is_on_record_afterwards(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    recorded = bytearray()
    with open_meter(tmp_path, meter=[str(HANGING_METER), str(fifo)]) as client:
        for _ in range(CALLS):
            assert len(client.call_for_text("repeat", size=SIZE)) == SIZE
        peak_mb = client.read_peak_mb()
        reader = threading.Thread(target=lambda: recorded.extend(fifo.read_bytes()))
        reader.start()
        assert client.close() == 0
        reader.join()
    spool = tmp_path / "spool" / "wire.spool"
    spool.write_bytes(recorded)
    metering = client.read_metering()
    assert peak_mb < 100
    assert metering.recording_incomplete
    assert [call.outcome for call in metering.calls] == ["ok"] * CALLS
    assert len({call.response_bytes for call in metering.calls}) <= 2, "the ids differ in length"
    first, last = metering.calls[0], metering.calls[-1]
    assert first.model_visible_chars == SIZE
    assert (last.model_visible_chars, last.result_text) == (None, None)
    assert last.latency_s is not None


def test_a_meter_whose_disk_hangs_for_ever_ends_all_the_same(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with open_meter(tmp_path, meter=[str(HANGING_METER), str(fifo)]) as client:
        assert len(client.call_for_text("repeat", size=SIZE)) == SIZE
        assert client.close() == 0
    assert client.read_metering().recording_incomplete


def test_what_finds_no_room_is_shortened_and_then_merely_counted() -> None:
    backlog = Backlog(Staging(slots=1), shorten_above_bytes=1, drop_above_bytes=2000)
    frame = b'{"id":1,' + b"x" * 9000 + b"}\n"
    for at_ns in range(5):
        backlog.add(b"S", at_ns, memoryview(bytearray(frame)))
    entries = backlog.take()
    assert backlog.lossy
    assert [kind for kind, _, _ in entries] == [b"S", *[b"S", b"s", b"S"] * 2, b"s"]
    assert sum(len(data) for kind, _, data in entries if kind == b"S") == len(frame) + 4 * 512
    assert entries[-1] == (b"s", 4, b"%d 2" % (2 * len(frame)))
    backlog.release()
    assert backlog.held_bytes == 0


def test_a_shortened_frame_keeps_its_length() -> None:
    parts = shorten(b"S", b"short\n" + b"l" * 5000 + b"\n")
    entries = [Entry(kind.decode(), 5, memoryview(data)) for kind, data in parts]
    short, long = [item for item in read_timeline(entries) if isinstance(item, Frame)]
    assert (short.data, short.is_whole) == (b"short\n", True)
    assert (long.size, long.is_whole, long.data[:1], long.data[-2:]) == (5001, False, b"l", b"l\n")


def test_frames_that_were_only_counted_leave_a_gap_and_no_confusion() -> None:
    kept = [b'{"a":1}\n', b'{"b"', b"garbled end\n", b'{"c":1}\n']
    entries = [Entry("S", number, memoryview(data)) for number, data in enumerate(kept)]
    entries.insert(2, Entry("s", 1, memoryview(b"500 3")))
    frames = [item for item in read_timeline(entries) if isinstance(item, Frame)]
    assert [frame.parse() for frame in frames] == [[{"a": 1}], [], [{"c": 1}]]
