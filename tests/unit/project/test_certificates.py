"""The certificates that are committed: every op of a track, on three backends that have the same bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptir.conformance.certificate import read_certificate
from ptir.conformance.certify import Options, certify
from ptir.conformance.running import BACKENDS, backend
from ptir.conformance.subjects import TRACKS, subjects

RESULTS = Path(__file__).resolve().parents[2] / "certificates"


@pytest.mark.parametrize("track", TRACKS)
def test_every_op_passes_on_every_backend(track: str):
    found = read_certificate(max(RESULTS.glob(f"{track}-*.json")).read_bytes())
    assert (found.track, found.status, found.missing) == (track, "PASS", ())
    assert {e.op for e in found.entries} == {s.name for s in subjects().values() if s.track == track}
    for entry in found.entries:
        assert [b.backend for b in entry.backends] == [*BACKENDS] and all(not b.wrong for b in entry.backends), entry.op
        assert len({b.checksum for b in entry.backends}) == 1, entry.op


@pytest.mark.parametrize("name", ["and.bool", "fadd.f32"])
def test_a_certificate_is_confirmed_by_its_checksum(name: str):
    subject = subjects()[name]
    (again,) = certify([subject], Options([backend("interpreter")])).entries
    known = read_certificate(max(RESULTS.glob(f"{subject.track}-*.json")).read_bytes())
    (entry,) = (e for e in known.entries if e.op == name)
    assert again.inputs == entry.inputs and again.backends[0] == entry.backends[0]
