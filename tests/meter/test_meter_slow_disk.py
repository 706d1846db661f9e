"""A disk that is slow or hangs is no business of the wire; what is lost is told."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from meter_client import open_meter

from pytest_searchlight.meter.backlog import Backlog, shorten
from pytest_searchlight.metering.wire import Entry, Frame, read_timeline

HANGING_METER = Path(__file__).with_name("hanging_disk.py")
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


def test_a_backlog_keeps_the_ends_of_frames_and_then_only_their_number() -> None:
    backlog = Backlog(shorten_above_bytes=1, drop_above_bytes=10_000)
    frame = b'{"id":1,' + b"x" * 9000 + b"}\n"
    for number in range(4):
        backlog.add((b"S", number, frame))
    backlog.add((b"E", 9, b"{}"))
    entries = backlog.take()
    assert backlog.lossy
    assert [kind for kind, _, _ in entries] == [b"S", b"S", b"s", b"S", b"E", b"s"]
    assert entries[-1] == (b"s", 3, b"%d 2" % (2 * len(frame)))
    backlog.release()
    assert backlog.held_bytes == 0


def test_a_shortened_frame_keeps_its_length() -> None:
    data = b"short\n" + b"l" * 5000 + b"\n"
    parts = [
        Entry(kind.decode(), at_ns, memoryview(bytes(part))) for kind, at_ns, part in shorten((b"S", 5, data))
    ]
    short, long = [item for item in read_timeline(parts) if isinstance(item, Frame)]
    assert (short.data, short.is_whole) == (b"short\n", True)
    assert (long.size, long.is_whole, long.data[:1], long.data[-2:]) == (5001, False, b"l", b"l\n")
