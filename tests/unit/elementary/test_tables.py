"""The frozen tables are what the script computes."""

from __future__ import annotations

from ptir.elementary.tables import FILE
from tests.elementary.tables import text


def test_the_file_is_what_the_script_writes():
    assert text() == FILE.read_text()
