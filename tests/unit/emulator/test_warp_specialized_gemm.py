"""A warp-specialized SM90 GEMM (TMA, mbarriers, wgmma, bulk stores) in the emulator, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.builders.ptx_kernels.gemm import WARP_SPECIALIZED


@pytest.mark.parametrize("shape", [(128, 64, 64), (256, 128, 320), (200, 100, 136), (1, 4, 8), (129, 68, 200)])
def test_exact(shape: tuple[int, int, int]):
    """Ragged shapes too: boxes that leave the tensor are filled with zeros, and clipped when stored."""
    got, want, _ = WARP_SPECIALIZED.run(*shape)
    assert np.array_equal(got, want)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_the_schedule_does_not_matter(seed: int):
    got, want, report = WARP_SPECIALIZED.run(200, 132, 200, ctas=3, seed=seed)
    assert np.array_equal(got, want)
    _, _, straight = WARP_SPECIALIZED.run(200, 132, 200, ctas=3)
    assert report.bytes == straight.bytes and report.classes["tensor core"] == straight.classes["tensor core"]
    assert report.steps > straight.steps


def test_one_seed_is_one_schedule():
    steps = {WARP_SPECIALIZED.run(128, 64, 128, seed=5)[2].steps for _ in range(3)}
    assert len(steps) == 1


def test_counters():
    _, _, report = WARP_SPECIALIZED.run(128, 64, 128)
    assert report.bytes["async_load"] == 2 * (128 + 64) * 64 * 2
    assert report.bytes["async_store"] == 128 * 64 * 4
    assert report.bytes["async_shared"] == 2 * 2 * 4 * (64 + 64) * 32  # warpgroups, steps, wgmmas, rows of 32 bytes
    assert report.bytes["shared_store"] == 128 * 64 * 4
    line = next(i for i, text in enumerate(WARP_SPECIALIZED.source.splitlines(), 1) if "store_pair(to, d" in text)
    assert report.lines[line].conflicts > 0, "rows of 256 bytes: all rows of a warp start in one bank"
    text = str(report)
    assert "tensor core" in text and f"{report.bytes['async_load']:,} bytes" in text
    data = report.to_dict()
    assert data["bytes"]["async_store"] == 128 * 64 * 4 and str(line) in data["lines"]
