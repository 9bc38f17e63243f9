"""a5: more vector memory and accumulators than a3, fp8 operands, no stores from L1, and a left operand in column-major blocks."""

from __future__ import annotations

from dataclasses import replace

from . import a2
from .machine import KB

_A2 = a2.MACHINE
_FLOAT8 = ("f8E4M3FN", "f8E5M2")
_INTEGERS = frozenset({"i8", "ui8", "i16", "ui16", "i32", "ui32"})
_ALL = _INTEGERS | {"f16", "bf16", "f32"}
_WORDS = _ALL - {"i8", "ui8", "bf16"}

MACHINE = replace(
    _A2,
    name="a5",
    memories={**_A2.memories, "Vec": 256 * KB, "Acc": 256 * KB},
    layouts={**_A2.layouts, "Left": ("Nz",), "Scale": ("ND", "Zz", "Nn")},
    stores=("Vec", "Acc"),
    products=(_A2.products or frozenset()) | {("f32", a, b) for a in _FLOAT8 for b in _FLOAT8},
    vector_types=(_A2.vector_types or frozenset()) | {*_FLOAT8},
    element_types={
        **_A2.element_types,
        **dict.fromkeys(("TADD", "TSUB", "TMUL", "TPARTADD", "TPARTMIN", "TPARTMAX", "TADDS", "TSUBS", "TMULS", "TMINS", "TMAXS"), _ALL),
        **dict.fromkeys(("TSEL", "TCMP", "TCMPS", "TCOLSUM", "TCOLMAX", "TCOLMIN"), _ALL),
        "TEXPANDS": _ALL | {"i1"},
        **dict.fromkeys(("TMIN", "TMAX", "TDIVS", "TSELS"), _ALL - {"bf16"}),
        "TDIV": _WORDS, "TABS": _ALL - {"bf16", "ui8", "ui16", "ui32"}, "TNOT": _INTEGERS | {"i1"},
        **dict.fromkeys(("TROWEXPANDADD", *(f"TCOLEXPAND{fn}" for fn in ("ADD", "SUB", "MUL", "DIV"))), _WORDS),
        "TEXTRACT": _A2.element_types["TEXTRACT"] | {*_FLOAT8},
    },
    lacks={name: help for name, help in _A2.lacks.items() if name != "pto.tile.matmul.mx"},
)  # fmt: skip
