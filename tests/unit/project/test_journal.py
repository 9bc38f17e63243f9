"""Journals of campaigns."""

from __future__ import annotations

from pathlib import Path

from tests import journal


def test_a_line_that_was_cut_off_is_left_out_and_does_not_join_the_next(tmp_path: Path):
    path = tmp_path / "journal"
    assert journal.read(path) == journal.read(None) == []
    journal.append(path, {"seed": 1})
    journal.append(path, [2])
    path.write_bytes(path.read_bytes()[:-2])
    journal.append(path, 3)
    journal.append(None, 4)
    assert journal.read(path) == [{"seed": 1}, 3]
