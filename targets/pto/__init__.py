"""
The vocabulary of PTO: opcodes and the pipes that execute them, memories, layouts, and the words of attributes.

A core has a queue of instructions for each pipe. A pipe starts its instructions in order; pipes are ordered among each other by
events only. Source: `pto-ir.md §3`, `§5`; the PTO tile library's reference of instructions.
"""

from __future__ import annotations

from typing import Literal

Pipe = Literal["MTE1", "MTE2", "MTE3", "V", "M", "FIX"]
"""MTE1 copies L1 to the operands of matmuls, MTE2 global memory to tiles, MTE3 vector tiles to global memory; V computes vectors,
M multiplies matrices, and FIX copies accumulators."""

PIPES: tuple[Pipe, ...] = ("MTE1", "MTE2", "MTE3", "V", "M", "FIX")

LOCATIONS = ("Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scale")
"""The memories of a core: UB, L1, L0A, L0B, L0C, the bias table and the scales of fixpipe."""
TABLES = ("Bias", "Scale")
"""Small memories. The library's simulator keeps their tiles in the vector memory, so vector tiles are placed after them."""
LAYOUTS = ("ND", "DN", "Zz", "Zn", "Nz", "Nn")
"""Row-major and column-major, then layouts of blocks: the order of blocks, and the order inside a block."""
SPACES = ("gm", "ub", "l1", "l0a", "l0b", "l0c")
SCOPES = ("intra", "inter")
"""An event orders two pipes of one core, or two cores."""
COMPARISONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
TARGETS = ("a2", "a3", "a5", "sm80", "sm90")

ROUND_MODES = ("CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC", "CAST_NONE")
"""Rounding to nearest even, to nearest with ties away from zero, down, up, toward zero, and no rounding."""

_VECTOR = (
    "TADD", "TSUB", "TMUL", "TDIV", "TMIN", "TMAX", "TREM", "TAND", "TOR", "TXOR", "TSHL", "TSHR", "TNEG", "TABS",
    "TEXP", "TLOG", "TSQRT", "TRSQRT", "TRECIP", "TRELU", "TNOT",
    "TADDS", "TSUBS", "TMULS", "TDIVS", "TMINS", "TMAXS", "TEXPANDS", "TCMP", "TCMPS", "TSEL", "TSELS", "TCVT",
    "TROWSUM", "TROWMAX", "TROWMIN", "TROWEXPAND", "TROWEXPANDADD", "TROWEXPANDSUB", "TROWEXPANDMUL", "TROWEXPANDDIV",
    "TCOLSUM", "TCOLMAX", "TCOLMIN", "TCOLEXPAND", "TCOLEXPANDADD", "TCOLEXPANDSUB", "TCOLEXPANDMUL", "TCOLEXPANDDIV",
    "TTRANS", "TRESHAPE", "TGATHER", "TGATHERB", "TSCATTER", "TCI", "TSORT32", "TMRGSORT", "TPARTADD", "TPARTMAX",
    "TPARTMIN", "TMOV_V2V", "TEXTRACT_V2V", "TINSERT",
)  # fmt: skip

PIPE_OF: dict[str, Pipe] = {
    "TLOAD": "MTE2", "TPREFETCH": "MTE2", "TSTORE_VEC": "MTE3",
    "TSTORE_ACC": "FIX", "TSTORE_FP": "FIX", "TMOV_A2V": "FIX", "TMOV_FP": "FIX",
    "TMOV_M2L": "MTE1", "TMOV_M2R": "MTE1", "TMOV_M2B": "MTE1", "TMOV_M2S": "MTE1", "TEXTRACT": "MTE1",
    "TMATMUL": "M", "TMATMUL_ACC": "M", "TMATMUL_BIAS": "M", "TMATMUL_MX": "M",
    **dict.fromkeys(_VECTOR, "V"),
}  # fmt: skip
"""The pipe of each opcode."""

TEMPORARIES = {
    **dict.fromkeys(("TROWSUM", "TROWMAX", "TROWMIN", "TCOLSUM", "TTRANS", "TXOR"), 0),
    **dict.fromkeys(("TSEL", "TSELS", "TGATHER"), 1),
}
"""The instructions that take a temporary, each with the operand whose type it has."""

NOT_IN_PLACE = (
    "TTRANS", "TROWEXPAND", "TCOLEXPAND", "TEXTRACT_V2V", "TINSERT", "TGATHER", "TGATHERB", "TSCATTER", "TSORT32", "TMRGSORT",
)  # fmt: skip
"""The instructions that read an operand after they have written parts of the result, so that the two may not share storage."""
