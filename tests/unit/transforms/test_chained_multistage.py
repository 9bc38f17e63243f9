"""
Attention by the instructions of a warp: compiled for sm80 and run in the emulator, which reports races and other faults, against NumPy in
f64; the instructions that ptxas made of it; and mistakes that must not go unnoticed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator.errors import EmulatorFault
from ptir.errors import PlanMismatch, PtirError, Unsupported
from ptir.passes.manager import PassManager
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from tests.unit.builders.attention_cases import Case
from tests.unit.builders.attention_programs import Attention

TOLERANCE = {"bf16": 2**-7, "f16": 2**-10}
CASES = {
    "causal, ragged": Attention(200, 200, causal=True, warp=32),
    "one query and key": Attention(1, 1, size=16, warp=16, consumers=1),
    "decode": Attention(1, 331, group=4, heads=2, exponential="exp", warp=16, consumers=1),
    "fewer keys than a tile": Attention(70, 13, exponential="exp2", warp=16),
    "a tile and one": Attention(129, 65, dtype="f16", warp=32),
    "causal, head size 128, queries in shared memory": Attention(257, 257, size=128, tile=32, causal=True, warp=32),
    "head size 256": Attention(70, 170, size=256, tile=32, warp=16, consumers=1),
    "value size": Attention(129, 150, size=32, value_size=96, tile=80, warp=16),
    "rows of 5 and of 20 chunks": Attention(90, 140, size=40, value_size=160, warp=16, consumers=1),
    "rows of 66 and of 10 bytes": Attention(70, 90, size=33, value_size=5, warp=16, consumers=1),
    "three stages": Attention(64, 500, stages=3, warp=32),
    "four stages, fewer tiles": Attention(64, 130, stages=4, warp=32, causal=True),
    "groups and batches": Attention(150, 150, batch=2, heads=2, group=2, causal=True, warp=32),
    "capped and biased": Attention(100, 150, cap=2.0, bias=True, warp=16),
}


@cache
def compiled(case: Attention | Case) -> Program:
    return compile_module(ptir.parse(case.text), "sm80")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", CASES)
def test_attention(name: str):
    case = CASES[name]
    device, arrays = Emulator(), case.arrays()
    (got,) = execute(compiled(case), arrays, device)
    want = case.expected(*arrays)
    (report,) = device.reports
    assert np.abs(got.astype(np.float64) - want).max() < TOLERANCE[case.dtype] * np.abs(want).max(), str(case)
    assert not report.bank_conflicts


# --- instructions -------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("size", "limit"), [(64, 10.5), (128, 19.3), (256, 36.0)])
def test_instructions_a_score(size: int, limit: float):
    """
    Keys and values are loaded by ldmatrix, values transposed; nothing spills; whole tiles of keys come first. The counts include the
    rescaling of the accumulator, which a vote skips in most iterations.
    """
    program = compiled(Case(4096, 4096, size, heads=64, mask="causal"))
    (kernel,), (function,) = program.binary.kernels.values(), sass.instructions(program.binary.cubin).values()
    assert kernel.spill_stores == kernel.spill_loads == 0
    loops = [loop for loop in sass.loops(function) if sass.by_name(loop)["HMMA"]]
    plan = next(op for op in program.module.walk() if "nv.plan" in op.attributes).attributes["nv.plan"].schedule()
    rows, keys = plan.warp[0], plan.tile[2]
    assert len(loops) == 2
    whole = min(loops, key=len)
    assert len(whole) <= limit * rows * keys / 32
    kinds = [i.opcode for i in whole]
    assert sum(k.startswith("LDSM.16.M88") for k in kinds) >= size * keys // 256
    assert sum(k.startswith("LDSM.16.MT88.4") for k in kinds) == size * keys // 256
    assert sum(k.startswith("HMMA") for k in kinds) == 2 * (rows // 16) * (keys // 8) * (size // 16)
    assert not any(k.startswith(("LDS.", "STS.", "LDL", "STL")) for k in kinds)


# --- tiles that are skipped ---------------------------------------------------------------------------


@pytest.mark.campaign
@pytest.mark.parametrize(
    "case",
    [
        Case(100, 300),
        Case(300, 300, mask="causal"),
        Case(400, 400, mask="window", window=30),
        Case(300, 300, mask="prefix"),
        Case(500, 100, mask="causal"),
    ],
    ids=lambda case: f"{case.mask}-{case.queries}-{case.keys}",
)
def test_only_tiles_with_a_kept_score_are_loaded(case: Case):
    """Each tile of queries copies itself, and its keys and values from the first tile with a kept score to the last one."""
    device, program = Emulator(), compiled(case)
    execute(program, case.arrays(), device)
    (report,) = device.reports
    (copies,) = (c.lanes for name, c in report.by_opcode.items() if name.startswith("cp.async.") and "global" in name)
    plan = next(op for op in program.module.walk() if "nv.plan" in op.attributes).attributes["nv.plan"].schedule()
    rows, _, keys = plan.tile
    kept = np.broadcast_to(case.kept({}), (case.queries, case.keys))
    needed = [np.flatnonzero(kept[m : m + rows].any(0)) // keys for m in range(0, case.queries, rows)]
    each = case.size // 8
    assert copies == sum(each * (rows + 2 * keys * (tiles[-1] + 1 - tiles[0])) for tiles in needed)


@pytest.mark.campaign
def test_tiles_with_most_keys_come_first():
    assert "tile_m = 1 - (int)blockIdx.y" in compiled(CASES["causal, ragged"]).cuda
    assert "tile_m = " not in compiled(CASES["a tile and one"]).cuda


# --- mistakes -----------------------------------------------------------------------------------------

MISTAKES = {
    "copies are not waited for": (r"wait_group<0>\(\);", ""),
    "a slot is refilled early": (r"__syncthreads\(\);", "__syncwarp();"),
    "the wrong slot": (r"(smem_k \+ slot\d*) \* 8192", r"\1 * 4096"),
    "another part of the operand": (r"adjacent_tiles\((\w+)\[i\]\[2\]\)", r"adjacent_tiles(\1[i][4])"),
    "no scale": (r"acc\[i\]\[j\]\[e\] = \w+\[i\]\[j\]\[e\];", ""),
    "no maximum": (r"m_\[e\] = \w+\[e\];", ""),
    "part of the sums": (r"(sum\d*\[r\] = l_\[r \* 1\];.*?away = )1", r"\g<1>2"),
    "the mask's edge": (r">= tat_column", "> tat_column"),
    "queries beyond the end": (r"m \+ row < 200 \? 16 : 0", "16"),
}
"""Replacements in the text of a kernel."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str):
    """A fault of the emulator, or a wrong result."""
    case = Attention(200, 200, causal=True, warp=32)
    program = compiled(case)
    at = program.cuda.index('extern "C"')
    pattern, replacement = MISTAKES[name]
    text, count = re.subn(pattern, replacement, program.cuda[at:], flags=re.DOTALL)
    assert count
    cuda = program.cuda[:at] + text
    changed = replace(program, cuda=cuda, binary=compile_cuda(cuda, "sm_80"))
    arrays = case.arrays(2.0)
    try:
        (got,) = execute(changed, arrays, Emulator())
    except EmulatorFault:
        return
    want = case.expected(*arrays)
    assert not np.abs(got.astype(np.float64) - want).max() < TOLERANCE["bf16"] * np.abs(want).max()


# --- errors -------------------------------------------------------------------------------------------

ERRORS: dict[str, tuple[type[PtirError], Attention, str, str, str]] = {
    "windows and first keys": (
        Unsupported,
        Attention(500, 500, window=100, sinks=1, causal=True, warp=32),
        "",
        "",
        "a process has one loop, over tiles of keys",
    ),
    "other keys": (
        Unsupported,
        Attention(200, 200, causal=True, warp=32),
        r"scf.for %n = %c0 to %end",
        "scf.for %n = %bn to %end",
        "loops over other keys than those of the process",
    ),
    "parts of a step": (
        Unsupported,
        Attention(200, 200, causal=True, warp=32),
        "%whole = arith.muli %tiles, %bn",
        "%whole = arith.muli %tiles, %c1",
        "after whole steps",
    ),
    "a loop that begins after its end": (
        Unsupported,
        Attention(200, 200, causal=True, warp=32),
        "%end = arith.minui",
        "%end = arith.muli %c0, %c0 : index\n%unused = arith.minui",
        "after whole steps",
    ),
    "a shallow ring": (
        Unsupported,
        Attention(200, 200, causal=True, key_stages=1, warp=32),
        "",
        "",
        "keys and values to channels of 2",
    ),
    "part of the columns": (
        PlanMismatch,
        Attention(64, 64, warp=32),
        'warp_tile = "32x64"',
        'warp_tile = "32x32"',
        "all columns of tile",
    ),
    "warps across the columns": (
        PlanMismatch,
        Attention(64, 64, warp=32),
        "vectorize =",
        'bind = {m.i.o = "warp.x"}, vectorize =',
        "warps lie along the queries",
    ),
    "f32": (Unsupported, Attention(64, 64, dtype="f32", warp=32), "", "", "a product of f32 and f32 into f32"),
}
"""The error, a tile program, a replacement in its text, and part of the error or its hint."""


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str):
    kind, case, pattern, replacement, message = ERRORS[name]
    text, count = re.subn(pattern, replacement, case.text) if pattern else (case.text, 1)
    assert count
    module = ptir.parse(text)
    with pytest.raises(kind) as raised:
        PassManager("pto-to-nv").run(module)
    assert message in f"{raised.value} {raised.value.hint}"
    assert raised.value.op is not None
