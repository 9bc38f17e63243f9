"""
Bugs seeded into generated kernels: each must be detected by a fault of the emulator or by a wrong result.

A mutation is a regular expression and its replacement in the CUDA text, or in the text of one level of the IR. Tests assert that
it changes the text, so that a new printer cannot make a test pass by accident. The kernels have tails along every axis, several
steps of the ring, and several warps along both axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

import ptir
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.backends.cuda.prelude import PIECES
from ptir.dialects.plan.schedule import Vectorize
from ptir.emulator.errors import EmulatorFault
from ptir.passes.manager import PassManager
from ptir.runtime.compile import Program
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.semantics.bounds import check
from ptir.targets.architectures import ARCHS
from ptir.text.verify import verify_module

from ..builders.programs import Draft, draft, planned

pytestmark = pytest.mark.sampled(3)

RING = {"tile": (32, 64, 32), "warp_tile": "16x32", "stages": 3}
KERNELS: dict[str, tuple[str, tuple[int, int, int], str, dict[str, Any]]] = {
    # rows of w have 152 bytes, so copies have 8 bytes; K = 200 is 6 steps of 32 and a tail of 8
    "tails": ("short_output", (70, 76, 200), "bf16", RING),
    "one buffer": ("short_output", (70, 76, 200), "bf16", {**RING, "local_edges": ()}),
    "whole": ("short_output", (64, 128, 192), "bf16", {**RING, "vectorize": Vectorize(axis="n.i.i", width=2)}),
    "wide": ("short_output", (70, 72, 100), "bf16", {**RING, "vectorize": Vectorize(axis="n.i.i", width=8)}),
    "registers": ("relu", (40, 75, 100), "f16", RING),
    "weights_nk": ("weights_nk", (70, 75, 72), "f16", {**RING, "tile": (32, 32, 32), "warp_tile": "16x16"}),
    "x_transposed": ("x_transposed", (72, 80, 104), "f16", RING),
    "batched": ("batched", (40, 70, 72), "bf16", RING),
    "residual": ("residual", (70, 75, 72), "bf16", RING),
    "transposed": ("transposed", (70, 76, 72), "bf16", RING),
    "elementwise": ("rank2", (33, 40, 1), "bf16", {"tile": (16, 32)}),
}


@cache
def kernel(name: str) -> tuple[Draft, Program]:
    program, size, dtype, plan = KERNELS[name]
    d = draft(program, size, dtype)
    return d, ptir.compile(planned(d, **plan)).program


@dataclass(frozen=True)
class Judge:
    """The correct results of a program on integers and on random numbers, computed once."""

    arrays: Sequence[Sequence[Any]]
    wanted: Sequence[Any]
    intervals: Sequence[Any]
    specials: Sequence[Any]


@cache
def judge(name: str) -> Judge:
    d, _ = kernel(name)
    integers, random = d.arrays(11, True), d.arrays(12, False)
    return Judge((integers, random), ptir.reference(d.text, *integers), ptir.bounds(d.text, *random), _special(d))


def _special(d: Draft) -> Sequence[Any]:
    """Returns inputs in which a bias has NaN and infinities, and the expected results."""
    arrays = d.arrays(13, True)
    if arrays[-1].ndim != 1:
        return ()
    arrays[-1][:3] = np.nan, np.inf, -np.inf
    return arrays, ptir.reference(d.text, *arrays)


def verdict(name: str, program: Program) -> str:
    """Returns `ok`, or what detected the bug: the class of the emulator's fault, `integers`, `bounds` or `specials`."""
    j = judge(name)
    try:
        got = execute(program, j.arrays[0], Emulator())
        if not all(np.array_equal(g, w) for g, w in zip(got, j.wanted, strict=True)):
            return "integers"
        got = execute(program, j.arrays[1], Emulator())
        if not all(check(g, i).ok for g, i in zip(got, j.intervals, strict=True)):
            return "bounds"
        if j.specials:
            got = execute(program, j.specials[0], Emulator())
            if not all(np.array_equal(g, w, equal_nan=True) for g, w in zip(got, j.specials[1], strict=True)):
                return "specials"
    except EmulatorFault as fault:
        return type(fault).__name__
    return "ok"


def mutated(text: str, pattern: str, replacement: str | Callable[[re.Match[str]], str], count: int) -> str:
    out, changes = re.subn(pattern, replacement, text, count=count)
    assert changes and out != text, f"{pattern} is not in\n{text}"
    return out


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", KERNELS)
def test_the_kernels_are_right_before_they_are_broken(name: str):
    assert verdict(name, kernel(name)[1]) == "ok"


# --- in the CUDA text ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Bug:
    """
    A seeded bug: replaces `pattern` by `replacement` in the kernel, `count` times (0: everywhere). `by` lists the verdicts that
    detect it.
    """

    kernel: str
    pattern: str
    replacement: str | Callable[[re.Match[str]], str]
    by: str
    count: int = 0


def _other_axis(found: re.Match[str]) -> str:
    return "blockIdx.y" if found[1] == "x" else "blockIdx.x"


def _into_buffer_0(found: re.Match[str]) -> str:
    return found[0].replace("frag_a1", "frag_a0")


SWIZZLED = r"at_(\d+)_j\w+<(\d)>\("
ROW_MAJOR = r"\1[](u32 row, u32 column) { return (row * \2 + column) * \3; }("
OTHER_WIDTH = r"\1[](u32 row, u32 column) { return (row * \2 + (column ^ row / 2 % 4 * 8)) * \3; }("
BUGS: dict[str, Bug] = {
    # layout of shared memory and fragments
    "swizzle dropped where A is copied": Bug("tails", r"(cp_async_16\(.*)" + SWIZZLED, ROW_MAJOR, "integers"),
    "swizzle dropped where B is copied": Bug("tails", r"(cp_async_8\(.*)" + SWIZZLED, ROW_MAJOR, "integers"),
    "swizzle dropped in the prologue only": Bug("tails", r"(cp_async_16\(.*)" + SWIZZLED, ROW_MAJOR, "integers", 1),
    "swizzle dropped where A is read": Bug("tails", r"(ldmatrix_x4\(.*)" + SWIZZLED, ROW_MAJOR, "integers"),
    "swizzle dropped where B is read": Bug("tails", r"(ldmatrix_x4_trans\(.*)" + SWIZZLED, ROW_MAJOR, "integers"),
    "swizzle dropped where registers are stored": Bug("registers", r"(store_shared_16\(smem.*)" + SWIZZLED, ROW_MAJOR, "integers"),
    "swizzle of another width": Bug("tails", r"(ldmatrix_x4_trans\(.*)" + SWIZZLED, OTHER_WIDTH, "integers"),
    "halves of B swapped": Bug("tails", r"(frag_b\d\[i \* 2 \+ 1\])\[0\], \1\[1\]", r"\1[1], \1[0]", "integers"),
    "B's column tiles swapped": Bug("tails", r"(mma_\w+\(acc.*, frag_b\d)\[j\]", r"\1[j ^ 1]", "integers"),
    "A's quarters mixed": Bug("tails", r"(ldmatrix_x4\(.*)lane % 16(.*)lane / 16 \* 8", r"\1lane % 8 + lane / 16 * 8\2lane / 8 % 2 * 8", "integers"),
    ".trans dropped": Bug("tails", r"ldmatrix_x4_trans\(frag", r"ldmatrix_x4(frag", "integers"),
    ".trans added": Bug("tails", r"ldmatrix_x4\(frag", r"ldmatrix_x4_trans(frag", "integers"),
    ".trans added to [N, K] weights": Bug("weights_nk", r"ldmatrix_x4\(frag_b", r"ldmatrix_x4_trans(frag_b", "integers"),
    ".trans dropped of a transposed x": Bug("x_transposed", r"ldmatrix_x4_trans\(frag_a", r"ldmatrix_x4(frag_a", "integers"),
    "rows of C 4 apart": Bug("tails", r"h \* 8 \+ lane / 4", r"h * 4 + lane / 4", "EmulatorFault GlobalRace integers"),
    "columns of C 1 apart": Bug("tails", r"lane % 4 \* 2;", r"lane % 4;", "Misaligned EmulatorFault integers"),
    "C's halves swapped": Bug("tails", r"\[h \* 2 \+ v\]", r"[h + v * 2]", "integers"),
    "exchange of pairs skipped": Bug("wide", r"exchange\(acc_rows.*, 2\);", r"", "integers"),
    "exchange with another lane": Bug("wide", r"(exchange\(acc_rows.*), 2\)", r"\1, 1)", "integers"),
    "a lane keeps what it should give": Bug("wide", r"high \? x : y, step", r"high ? y : x, step", "integers"),
    "exchanged pairs read in the wrong order": Bug("wide", r"acc_rows\[h \* 8 \+ v\]", r"acc_rows[h * 8 + (v ^ 2)]", "integers"),
    "tiles joined in the wrong order": Bug("wide", r"\[n / 2 % 4\]", r"[n / 2 % 4 ^ 1]", "integers"),
    "warps' rows overlap": Bug("tails", r"(int warp_m = .*) \* WARP_M", r"\1 * 8", "EmulatorFault GlobalRace integers"),
    "warps' columns overlap": Bug("tails", r"(int warp_n = .*) \* WARP_N", r"\1 * 16", "EmulatorFault GlobalRace integers"),
    # the ring
    "waits for one group too few": Bug("tails", r"wait_group<1>\(\)", r"wait_group<2>()", "PendingCopy"),
    "waits for nothing": Bug("tails", r"wait_group<1>\(\);", r"", "PendingCopy"),
    "waits only before the loop": Bug("tails", r"(step < 7(?:.*\n)*?.*)wait_group<1>\(\);", r"\1", "PendingCopy"),
    "waits for one group too few, one buffer": Bug("one buffer", r"wait_group<1>\(\)", r"wait_group<2>()", "PendingCopy"),
    "no barrier": Bug("tails", r"__syncthreads\(\);", r"", "SharedRace PendingCopy"),
    "no barrier in the loop": Bug("tails", r"(step < 7(?:.*\n)*?.*)__syncthreads\(\);", r"\1", "SharedRace PendingCopy"),
    "no barrier before the loop": Bug("tails", r"__syncthreads\(\);", r"", "SharedRace PendingCopy", 1),
    "no barrier, one buffer": Bug("one buffer", r"__syncthreads\(\);", r"", "SharedRace PendingCopy"),
    "barrier before the wait": Bug("tails", r"(wait_group<1>\(\);)(\s*)(__syncthreads\(\);)", r"\3\2\1", "PendingCopy SharedRace"),
    "no barrier, copies through registers": Bug("registers", r"__syncthreads\(\);", r"", "SharedRace PendingCopy"),
    "a step is not committed": Bug("tails", r"(\}\n\s*)commit_group\(\);(\n\s*#pragma)", r"\1\2", "PendingCopy integers"),
    "prologue one slot short": Bug("tails", r"(int s\w* = 0; s\w* <) 2", r"\1 1", "PendingCopy integers UninitializedMemory"),
    "copies into the slot being read": Bug("tails", r"\+ free \*", r"+ slot *", "SharedRace PendingCopy"),
    "copies into the slot being read, one buffer": Bug("one buffer", r"\+ free \*", r"+ slot *", "SharedRace PendingCopy"),
    "copies into the slot read next": Bug("tails", r"\+ free \*", r"+ next_slot *", "SharedRace PendingCopy integers"),
    "reads the slot after": Bug("tails", r"(ldmatrix_.*\+ )slot \*", r"\1next_slot *", "SharedRace PendingCopy"),
    "first fragments from the old slot": Bug("tails", r"(ldmatrix_.*\+ )next_slot \*", r"\1slot *", "SharedRace integers"),
    "slots overlap": Bug("tails", r"\* 4096 \+", r"* 2048 +", "SharedRace PendingCopy integers"),
    "the ring is a slot longer": Bug("tails", r"== STAGES", r"== STAGES + 1", "SharedRace PendingCopy OutOfBounds integers"),
    "the ring is a slot shorter": Bug("tails", r"== STAGES", r"== STAGES - 1", "OutOfBounds PendingCopy"),
    "the freed slot stays": Bug("tails", r"free = slot;", r"", "SharedRace PendingCopy integers"),
    "copies past the last step": Bug("whole", r"more = step < 4", r"more = step < 5", "OutOfBounds"),
    "a step too few": Bug("tails", r"step < 7", r"step < 6", "integers"),
    "a step too many": Bug("tails", r"step < 7", r"step < 8", "integers SharedRace PendingCopy"),
    "a step too few, one buffer": Bug("one buffer", r"step < 7", r"step < 6", "integers"),
    "half of each step": Bug("tails", r"mma_m16n8k16_bf16\(acc.*frag_a1.*\);", r"", "integers"),
    "half of each step, one buffer": Bug("one buffer", r"mma_m16n8k16_bf16\(acc.*\);", r"", "integers", 1),
    # two buffers of fragments
    "first fragments of the last step not loaded": Bug("tails", r"(ldmatrix_x4\(frag_a0.*next_slot)", r"if (step < 5) \1", "integers"),
    "fragments loaded into those in use": Bug("tails", r"ldmatrix_x4\(frag_a1.*smem_a", _into_buffer_0, "integers UninitializedRegister"),
    "the present fragments multiplied twice": Bug("tails", r"frag_a1\[i\], frag_b1\[j\]", r"frag_a0[i], frag_b0[j]", "integers"),
    "a from one step, b from the other": Bug("tails", r"frag_a0\[i\], frag_b0\[j\]", r"frag_a0[i], frag_b1[j]", "integers"),
    "second half of a tile read from its first": Bug("tails", r"(ldmatrix_x4\(frag_a1.*) \^ 32", r"\1", "integers"),
    # guards and tails
    "row guard of A dropped": Bug("tails", r"m \+ row < 70 \? (.*) : 0;", r"\1;", "OutOfBounds"),
    "row guard of A one too far": Bug("tails", r"m \+ row < 70 \?", r"m + row < 71 ?", "OutOfBounds"),
    "k guard of A dropped": Bug("tails", r"clamp\(200 - \(k1? \+ column\), 0, 8\) \* 2", r"16", "OutOfBounds"),
    "k guard of B dropped": Bug("tails", r"k1? \+ row < 200 \? (.*) : 0;", r"\1;", "OutOfBounds"),
    "k guard of B one too far": Bug("tails", r"(k1? \+ row <) 200 \?", r"\1 201 ?", "OutOfBounds"),
    "column guard of B dropped": Bug("tails", r"clamp\(76 - \(n \+ column\), 0, 4\) \* 2", r"8", "OutOfBounds"),
    "row guard of [N, K] weights dropped": Bug("weights_nk", r"n \+ row < 75 \? (.*) : 0;", r"\1;", "OutOfBounds"),
    "cp.async ignores its size": Bug("tails", r"(\[%0\], \[%1\], (?:8|16)), %2;", r"\1;", "integers OutOfBounds"),
    "column guard of a copy through registers dropped": Bug("registers", r"&& n \+ column \+ e < 75 ", r"", "OutOfBounds"),
    "k guard of a copy through registers dropped": Bug("registers", r"k1? \+ row < 100 && ", r"", "OutOfBounds"),
    "halves of a word swapped": Bug("registers", r"<< e % 2 \* 16", r"<< (1 - e % 2) * 16", "integers"),
    "row guard of the epilogue dropped": Bug("tails", r"if \((row\w*) < 70 && ", r"if (", "OutOfBounds"),
    "column guard of the epilogue dropped": Bug("tails", r"(if \(row\w* < 70) && column\w* < 76\)", r"\1)", "OutOfBounds GlobalRace integers"),
    "column guard of single neighbors dropped": Bug("residual", r"if \(column\w* \+ v < 75\) \*\(out", r"*(out", "OutOfBounds GlobalRace integers"),
    "epilogue guard one short": Bug("tails", r"if \(row(\w*) < 70 ", r"if (row\1 < 69 ", "EmulatorFault"),
    "guard of an elementwise kernel dropped": Bug("elementwise", r"if \((row\w*) < 40 && ", r"if (", "OutOfBounds integers"),
    "elementwise column guard dropped": Bug("elementwise", r" && column\w* < 33\)", r")", "OutOfBounds GlobalRace integers"),
    # addresses
    "rows of A one too long": Bug("tails", r"a0 \+ \(200 \*", r"a0 + (201 *", "OutOfBounds Misaligned"),
    "rows of A one too short": Bug("registers", r"a0 \+ \(100 \*", r"a0 + (96 *", "integers"),
    "rows of B 4 too short": Bug("tails", r"76 \* \(k", r"72 * (k", "integers"),
    "rows of the output 2 too short": Bug("tails", r"\+ \(76 \* (row\w*)", r"+ (74 * \1", "GlobalRace EmulatorFault integers"),
    "bias read one further": Bug("tails", r"(const vec<float, 2>\*\)\(a2 \+ \(column\w*)", r"\1 + 1", "Misaligned OutOfBounds"),
    "bias read two further": Bug("tails", r"(const vec<float, 2>\*\)\(a2 \+ \(column\w*)", r"\1 + 2", "OutOfBounds integers"),
    "residual read transposed": Bug("residual", r"\(a3 \+ \(75 \* (row\w*) \+ \((col\w*)", r"(a3 + (\1 + 70 * (\2", "integers"),
    "batch ignored by A": Bug("batched", r"(a0 \+ \()2880 \*", r"\g<1>0 *", "integers"),
    "grid axes swapped": Bug("tails", r"blockIdx\.([xy])", _other_axis, "EmulatorFault OutOfBounds"),
    # arithmetic
    "accumulators not zeroed": Bug("tails", r"(float acc\w*\[1\]\[4\]\[4\]) = \{\}", r"\1", "UninitializedRegister integers"),
    "accumulators zeroed each step": Bug("tails", r"(wait_group<1>\(\);)", r"\1 for (auto& r : acc[0]) for (auto& x : r) x = 0;", "integers"),
    "a product too few": Bug("tails", r"for \(int j = 0; j < 4; \+\+j\) \{\n(\s*)mma", r"for (int j = 0; j < 3; ++j) {\n\1mma", "integers"),
    "f16 for bf16": Bug("tails", r"\.bf16\.bf16\.f32", r".f16.f16.f32", "integers"),
    "bias subtracted": Bug("tails", r"(acc\w*\[i\]\[j\]\[h \* 2 \+ v\]) \+ a2", r"\1 - a2", "integers"),
    "rounds towards zero": Bug("tails", r"cvt\.rn\.bf16", r"cvt.rz.bf16", "bounds integers"),
    "maximum loses NaN": Bug("tails", r"max\.NaN\.f32", r"max.f32", "specials"),
    "relu at one": Bug("tails", r"max_nan\((\w+), 0\.0f\)", r"max_nan(\1, 1.0f)", "integers"),
    "column index for row index": Bug("transposed", r"a2 \+ \(row", r"a2 + (column", "integers Misaligned OutOfBounds"),
}  # fmt: skip


def broken(name: str, change: Callable[[str], str]) -> Program:
    """Returns the program with its CUDA text changed."""
    _, program = kernel(name)
    head, start, body = program.cuda.partition('extern "C"')
    for piece in ("ldmatrix_x4", "ldmatrix_x4_trans"):
        if PIECES[piece].text not in head:
            head += f"\n{PIECES[piece].text}\n"
    text = change(head + start + body)
    return replace(program, cuda=text, binary=compile_cuda(text, ARCHS[program.arch].target))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_kernel_is_caught(name: str):
    bug = BUGS[name]
    program = broken(bug.kernel, lambda text: mutated(text, bug.pattern, bug.replacement, bug.count))
    assert verdict(bug.kernel, program) in bug.by.split(), name


# --- in the text of the IR ----------------------------------------------------------------------


@dataclass(frozen=True)
class Edit:
    """A mutation of the text at one level of the IR. `by` lists verdicts and classes of errors."""

    level: str
    pattern: str
    replacement: str
    by: str
    count: int = 0
    kernel: str = "tails"


REFUSED = "VerificationFailed"
UNREADABLE = "InvalidInText SyntaxFailure"
EDITS: dict[str, Edit] = {
    # maps, boxes and tiles of pto
    "load leaves the memref": Edit("pto", r"-> \[\(i0\), \(i2\)\]", "-> [(1 + i0), (i2)]", "Unsupported"),
    "load of a box past the memref": Edit("pto", r"in \[70, 76, 200\] dims \[0, 2\]", "in [71, 76, 200] dims [0, 2]", "Unsupported"),
    "load of a map that is no map": Edit("pto", r"-> \[\(i0\), \(i2\)\]", "-> [(i0), (i2]", "Unsupported"),
    "load of another rank": Edit("pto", r"-> \[\(i0\), \(i2\)\]", "-> [(i0), (i2), (i1)]", "Unsupported"),
    "load by parts of a row": Edit("pto", r"-> \[\(i0\), \(i2\)\]", "-> [(floor((i0)/2)), (i2)]", "integers"),
    "load of one row": Edit("pto", r"-> \[\(i0\), \(i2\)\]", "-> [(0), (i2)]", "integers"),
    "load of every row from the end": Edit("pto", r"-> \[\(i0\), \(i2\)\]", "-> [(69 - i0), (i2)]", "integers"),
    "load along wrong axes": Edit("pto", r"dims \[2, 1\]", "dims [1, 2]", "Unsupported"),
    "store of a smaller box": Edit("pto", r"(pto.tile.store.map .*) in \[70, 76\]", r"\1 in [69, 76]", "Unsupported EmulatorFault"),
    "store transposed": Edit("pto", r"(pto.tile.store.map .*)\[\(i0\), \(i1\)\]", r"\1[(i1), (i0)]", "Unsupported"),
    "tiles step further than they are wide": Edit("pto", r"step \[32, 64\]", "step [64, 64]", "EmulatorFault"),
    "tiles overlap": Edit("pto", r"step \[32, 64\]", "step [24, 64]", "Unsupported"),
    "fewer tiles": Edit("pto", r"in \[70, 76\] step", "in [64, 76] step", "EmulatorFault"),
    "offsets exchanged": Edit("pto", r"a0\[%m, %n, %k\]", "a0[%n, %m, %k]", "integers"),
    "steps of k shorter than its tile": Edit("pto", r"arith.constant 32 : index", "arith.constant 16 : index", "Unsupported"),
    "a computed offset": Edit("pto", r"(pto.tile.store.map .*)\[%m, %n\]", r"%c = arith.addi %m, %m : index \1[%c, %n]", "Unsupported"),
    "steps of 0": Edit("pto", r"arith.constant 32 : index", "arith.constant 0 : index", "Unsupported"),
    "k too short": Edit("pto", r"arith.constant 200", "arith.constant 192", "integers"),
    "k too long by a tile of zeros": Edit("pto", r"arith.constant 200", "arith.constant 232", "ok"),
    "k in steps too long": Edit("pto", r"arith.constant 32 : index", "arith.constant 64 : index", "integers"),
    "an accumulator of one": Edit("pto", r"expands 0.000000e\+00 : f32 : (.*Acc>)", r"expands 1.0 : f32 : \1", "Unsupported"),
    "a ring of another depth": Edit("pto", r"channel<3,", "channel<5,", "PlanMismatch"),
    "alignment that no caller promised": Edit("pto", r"memref<200x76xbf16> align 16", "memref<200x76xbf16> align 12", REFUSED),
    # ops of nv
    "waits for groups that nobody committed": Edit("nv", r"wait_group 1", "wait_group 2", REFUSED),
    "waits for too few groups in the loop": Edit("nv", r"(nv.mma_sync(?:.*\n)*?.*)wait_group 1", r"\1wait_group 2", "PendingCopy"),
    "waits for more groups than there can be": Edit("nv", r"wait_group 1", "wait_group 8", REFUSED),
    "no barrier between copies and reads": Edit("nv", r'\s*"gpu.barrier"\(\) : \(\) -> \(\)', "", "SharedRace PendingCopy"),
    "no commit": Edit("nv", r"\n\s*nv.commit_group", "", REFUSED),
    "no commit in the loop": Edit("nv", r"(ldmatrix(?:.*\n)*?.*)nv.commit_group", r"\1", "PendingCopy integers"),
    "copies wider than rows are aligned": Edit("nv", r"bytes 8", "bytes 16", "Unsupported"),
    "copies of 3 bytes": Edit("nv", r"bytes 8", "bytes 3", REFUSED),
    "copy without its row guard": Edit("nv", r"guard \[0, 2\]", "guard [2]", "OutOfBounds"),
    "copy without its column guard": Edit("nv", r"guard \[2, 1\]", "guard [2]", "OutOfBounds"),
    "copy without its k guard": Edit("nv", r"guard \[0, 2\]", "guard [0]", "OutOfBounds"),
    "guard of an axis that is not of the tile": Edit("nv", r"guard \[0, 2\]", "guard [0, 1]", REFUSED),
    "copy of a box one too large": Edit("nv", r"in \[70, 76, 200\] dims \[0, 2\]", "in [71, 76, 200] dims [0, 2]", "OutOfBounds"),
    "copy of a box one too small": Edit("nv", r"in \[70, 76, 200\] dims \[0, 2\]", "in [70, 76, 199] dims [0, 2]", "integers Misaligned"),
    "copy from two addresses": Edit("nv", r"\[\(200i0 \+ i2\)\]", "[(200i0), (i2)]", "Unsupported"),
    "copy from an address of more axes": Edit("nv", r"\[i0, i1, i2\] -> \[\(200", "[i0, i1, i2, i3] -> [(200", "Unsupported"),
    "copy from an address of a part": Edit("nv", r"\[\(200i0 \+ i2\)\] \}", "[(200i0 + i2)] : i0 < 3 }", "Unsupported"),
    "copy from before the memref": Edit("nv", r"200i0 \+ i2", "200i0 + i2 - 1", "Unsupported"),
    "copy of longer rows": Edit("nv", r"200i0", "208i0", "OutOfBounds integers"),
    "copy with rows and columns exchanged": Edit("nv", r"dims \[2, 1\] guard \[2, 1\]", "dims [1, 2] guard [1, 2]", "Unsupported"),
    "copy of two offsets": Edit("nv", r"a0\[%m, %n, ", "a0[%m, ", REFUSED),
    "rings overlap": Edit("nv", r"nv.smem at 6144", "nv.smem at 4096", REFUSED),
    "ring past the shared memory": Edit("nv", r"nv.smem at 6144", "nv.smem at 6272", REFUSED),
    "ring at an odd place": Edit("nv", r"nv.smem at 6144", "nv.smem at 6160", REFUSED),
    "less shared memory": Edit("nv", r"shared 18432", "shared 12288", REFUSED),
    "one ring without swizzle, written and read so": Edit("nv", r"x32x32xbf16, xor", "x32x32xbf16, none", "ok"),
    "a swizzle that does not exist": Edit("nv", r"xbf16, xor", "xbf16, zor", UNREADABLE),
    "columns that are no whole pieces of 16 bytes": Edit("nv", r"3x32x64xbf16", "3x32x36xbf16", UNREADABLE),
    "layout of A turned": Edit("nv", r"(ldmatrix %smem_a.*) ND", r"\1 DN", "integers OutOfBounds PendingCopy SharedRace"),
    "layout of B turned": Edit("nv", r"(ldmatrix %smem_b.*) ND", r"\1 DN", "integers OutOfBounds PendingCopy SharedRace"),
    "a layout that does not exist": Edit("nv", r"(ldmatrix %smem_a.*) ND", r"\1 NN", REFUSED),
    "fragments of one role": Edit("nv", r"%frag_a0, %frag_b0 : (.*), (!nv.frag<16x16xbf16, A .*>), .*", r"%frag_a0, %frag_a0 : \1, \2, \2", REFUSED),
    "fragments of another instruction": Edit("nv", r"bf16, B of m16n8k16", "bf16, B of m16n8k8", UNREADABLE),
    "a fragment of two steps": Edit("nv", r"16x16xbf16, A of", "16x32xbf16, A of", UNREADABLE),
    "fragments loaded element by element": Edit("nv", r"nv.ldmatrix", "nv.ld_shared", "ok"),
    "a warp's row twice": Edit("nv", r"(%warp_m = arith.muli %\d+), %WARP_M", r"\1, %c1", "Misaligned EmulatorFault GlobalRace integers"),
    "slot of the step before": Edit("nv", r"%smem_(\w)\[%slot,", r"%smem_\1[%free,", "UninitializedMemory PendingCopy SharedRace"),
    "ring that skips its first slot": Edit("nv", r"arith.select (%\d+), %c0,", r"arith.select \1, %c1,", "PendingCopy SharedRace integers"),
    "carried slots exchanged": Edit("nv", r"scf.yield %next_slot, %slot", "scf.yield %slot, %next_slot", "PendingCopy SharedRace integers"),
    "a constant of the plan with another value": Edit("nv", r"%STAGES = arith.constant 3", "%STAGES = arith.constant 2", "OutOfBounds PendingCopy"),
    "a plan that names other numbers": Edit("nv", r"(nv.plan = #plan.schedule<.* stages = )3", r"\g<1>4", "ok"),
    "epilogue without row guard": Edit("nv", r"guard \[0, 1\]", "guard [1]", "OutOfBounds"),
    "epilogue without column guard": Edit("nv", r"guard \[0, 1\]", "guard [0]", "OutOfBounds GlobalRace"),
    "epilogue with longer rows": Edit("nv", r"76i0 \+ i1", "78i0 + i1", "OutOfBounds"),
    "epilogue with wider stores than a lane holds": Edit("nv", r"widths \[2, 2\]", "widths [2, 8]", REFUSED),
    "exchange of another width": Edit("nv", r"lane\(4: 8j, 8: i\) reg\(8: j", "lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j", REFUSED, kernel="wide"),
    "epilogue with widths of 3": Edit("nv", r"widths \[2, 2\]", "widths [3, 2]", REFUSED),
    "epilogue tile of another size": Edit("nv", r"tile \[16, 32\]", "tile [16, 16]", REFUSED),
    "epilogue yields f32": Edit("nv", r"(arith.truncf (%\d+) .*\n.*)nv.yield %\d+ : bf16", r"\1nv.yield \2 : f32", REFUSED),
    "a grid too small": Edit("nv", r"grid \[2, 3, 1\]", "grid [2, 2, 1]", "EmulatorFault"),
    "a grid too large": Edit("nv", r"grid \[2, 3, 1\]", "grid [2, 3, 2]", "ok"),
    "a grid on its side": Edit("nv", r"grid \[2, 3, 1\]", "grid [3, 2, 1]", "EmulatorFault OutOfBounds"),
    "an empty grid": Edit("nv", r"grid \[2, 3, 1\]", "grid [2, 0, 1]", REFUSED),
    "half a block": Edit("nv", r"block \[128, 1, 1\]", "block [64, 1, 1]", REFUSED),
    "twice a block": Edit("nv", r"block \[128, 1, 1\]", "block [256, 1, 1]", REFUSED),
    "arguments exchanged": Edit("nv", r"\(%a0, %a1, %a2, %0", "(%a1, %a0, %a2, %0", UNREADABLE),
}  # fmt: skip
PIPELINES = {"pto": ("region-to-pto", "pto-to-nv"), "nv": ("region-to-pto,pto-to-nv", "")}


@cache
def level_text(name: str, level: str) -> str:
    program, size, dtype, plan = KERNELS[name]
    return str(PassManager(PIPELINES[level][0]).run(planned(draft(program, size, dtype), **plan)))


def judged(edit: Edit) -> str:
    text = mutated(level_text(edit.kernel, edit.level), edit.pattern, edit.replacement, edit.count)
    try:
        module = ptir.parse(text)
        verify_module(module)
        return verdict(edit.kernel, ptir.compile(module).program)
    except DiagnosticException as error:
        return type(error).__name__


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", EDITS)
def test_a_bug_in_the_ir_is_caught(name: str):
    """By the verifier, by the lowering, or as a bug of the kernel; `ok` stands where the edit keeps the meaning."""
    found = judged(EDITS[name])
    assert found in EDITS[name].by.split(), name
