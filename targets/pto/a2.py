"""
a2: cores with 192 KB of vector memory; the left operand of a matmul is in row-major blocks.

Element types are those that the reference of instructions lists for A2 and A3. Bits of predicates are whole bytes, on which logical
instructions work.
"""

from __future__ import annotations

from .machine import KB, PtoMachine
from .vocabulary import EXTENSIONS, GPU_FUNCTIONS

_FLOATS = frozenset({"f16", "f32"})
_NUMBERS = _FLOATS | {"i16", "i32"}
_INTEGERS = frozenset({"i8", "ui8", "i16", "ui16", "i32", "ui32"})
_WORDS = _NUMBERS | {"ui16", "ui32"}

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
        **dict.fromkeys(("TADD", "TSUB", "TMUL", "TMIN", "TMAX", "TPARTADD", "TPARTMIN", "TPARTMAX"), _NUMBERS),
        **dict.fromkeys(("TADDS", "TSUBS", "TMULS", "TDIVS", "TMINS", "TMAXS"), _NUMBERS), "TEXPANDS": _NUMBERS | {"i1"},
        **dict.fromkeys(("TDIV", "TABS", "TEXP", "TLOG", "TSQRT", "TRSQRT", "TRECIP", "TSORT32", "TMRGSORT"), _FLOATS),
        **dict.fromkeys(("TAND", "TOR", "TXOR"), _INTEGERS | {"i1"}), **dict.fromkeys(("TSHL", "TSHR"), _INTEGERS),
        "TNOT": frozenset({"i16", "ui16", "i1"}), "TRELU": _FLOATS | {"i32"},
        "TCMP": _FLOATS | {"i32"}, "TCMPS": _NUMBERS | {"ui16"}, "TSEL": _WORDS | {"bf16"}, "TSELS": _FLOATS,
        **dict.fromkeys(("TROWSUM", "TROWMAX", "TROWMIN"), _FLOATS), **dict.fromkeys(("TCOLSUM", "TCOLMAX", "TCOLMIN"), _NUMBERS),
        **dict.fromkeys(("TROWEXPANDADD", *(f"TCOLEXPAND{fn}" for fn in ("ADD", "SUB", "MUL", "DIV"))), _NUMBERS),
        **dict.fromkeys((f"TROWEXPAND{fn}" for fn in ("SUB", "MUL", "DIV")), _FLOATS),
        "TGATHER": _WORDS, "TCI": _INTEGERS - {"i8", "ui8"}, "TEXTRACT": frozenset({"i8", "f16", "bf16", "f32"}),
    },
    equality=frozenset({"i32"}),
    matmul_sizes=(1, 4095),
    load_rows={"Vec": 4095, "Mat": 16384},
    stores=("Vec", "Mat", "Acc"),
    lacks={**EXTENSIONS, **GPU_FUNCTIONS, "pto.tile.matmul.mx": "scale the operands, and write pto.tile.matmul"},
)  # fmt: skip
