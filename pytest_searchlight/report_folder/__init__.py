"""A report folder, ``reports/<date>-<name>/``: the files in it, their records, and how they are read.

    report.json         what the report is, what it corrects and by what it is corrected
    summary.json        the session's numbers          (measured reports)
    runs.jsonl          a row a run                    (measured reports)
    calibration.json    which tasks were admitted      (where a calibration applies)
    agreement.json      a second judge's labels        (where one was asked)
    transcribed.json    figures published elsewhere    (transcribed reports)
    REPORT.md, methodology.md, reproduce.md            rendered from the above

A report is *measured* when its numbers can be recomputed from its rows, *transcribed* when they were read
in somebody's publication and cannot.
"""

from __future__ import annotations

from pytest_searchlight.report_folder.manifest import Manifest, find_changed_lines, hash_data, mark_lines
from pytest_searchlight.report_folder.reading import (
    CALIBRATION_FILE,
    MANIFEST_FILE,
    ROWS_FILE,
    SUMMARY_FILE,
    TRANSCRIPTION_FILE,
    Report,
    find_reports,
    read_record,
    read_report,
    read_row_file,
    read_rows,
)
from pytest_searchlight.report_folder.transcription import (
    TranscribedBattery,
    TranscribedMeasure,
    TranscribedRow,
    TranscribedTable,
    TranscribedTest,
    Transcription,
)

__all__ = [
    "CALIBRATION_FILE",
    "MANIFEST_FILE",
    "ROWS_FILE",
    "SUMMARY_FILE",
    "TRANSCRIPTION_FILE",
    "Manifest",
    "Report",
    "TranscribedBattery",
    "TranscribedMeasure",
    "TranscribedRow",
    "TranscribedTable",
    "TranscribedTest",
    "Transcription",
    "find_changed_lines",
    "find_reports",
    "hash_data",
    "mark_lines",
    "read_record",
    "read_report",
    "read_row_file",
    "read_rows",
]
