"""a2: cores with 192 KB of vector memory; the left operand of a matmul is in row-major blocks."""

from __future__ import annotations

from .machine import KB, PtoMachine
from .vocabulary import EXTENSIONS, GPU_FUNCTIONS

_FLOATS = frozenset({"f16", "f32"})
_NUMBERS = _FLOATS | {"i16", "i32"}
_LINES = _NUMBERS | {"ui16", "ui32"}

MACHINE = PtoMachine(
    "a2",
    memories={"Vec": 192 * KB, "Mat": 512 * KB, "Left": 64 * KB, "Right": 64 * KB, "Acc": 128 * KB, "Bias": 1 * KB, "Scale": 2 * KB},
    layouts={
        "Vec": ("ND", "DN"), "Mat": ("Nz", "ND", "DN", "Zn"), "Left": ("Zz",), "Right": ("Zn",), "Acc": ("Nz",), "Bias": ("ND",),
        "Scale": ("ND",),
    },
    fractals={"Mat": 512, "Left": 512, "Right": 512, "Acc": 1024, "Scale": 32},
    products=frozenset({("i32", "i8", "i8"), ("f32", "f16", "f16"), ("f32", "f32", "f32"), ("f32", "bf16", "bf16")}),
    vector_types=frozenset({"f32", "f16", "bf16", "i8", "i16", "i32", "i1"}),
    element_types={
        **dict.fromkeys(("TROWSUM", "TROWMAX", "TROWMIN", "TEXP", "TLOG", "TSQRT", "TRSQRT", "TRECIP", "TSORT32"), _FLOATS),
        **dict.fromkeys(("TABS", "TCOLSUM", "TCOLMAX", "TCOLMIN"), _NUMBERS),
        **dict.fromkeys((f"T{kind}EXPAND{fn}" for kind in ("ROW", "COL") for fn in ("ADD", "SUB", "MUL", "DIV")), _LINES),
        "TCMP": _FLOATS | {"i32"}, "TCMPS": _NUMBERS | {"ui16"},
        **dict.fromkeys(("TPARTADD", "TPARTMAX", "TPARTMIN"), _NUMBERS | {"bf16", "i8", "ui8"}),
    },
    matmul_sizes=(1, 4095),
    load_rows={"Vec": 4095, "Mat": 16384},
    stores=("Vec", "Mat", "Acc"),
    lacks={**EXTENSIONS, **GPU_FUNCTIONS, "pto.tile.matmul.mx": "scale the operands, and write pto.tile.matmul"},
)  # fmt: skip
