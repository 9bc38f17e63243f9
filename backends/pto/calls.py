"""
The C++ call of each instruction: its name, its arguments with the destination first, and the temporaries that the library asks for.

A row of `FORMS` names the arguments of an op: `d` is the result, a number an operand, `t` the temporary, `v` the operand as a tile of the
result's type, `=x` the property `x` as a word of the library. Fields in braces are the result's C++ types, and whether the op is
`descending`. Source: the PTO tile library's reference of instructions.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...dialects import pto

_PLAIN = (
    "add sub mul div min max and or shl shr neg abs exp log sqrt rsqrt recip relu not adds subs muls divs mins maxs"
)
_EXPANDS = [f"{kind}expand{fn}" for kind in ("row", "col") for fn in ("", "add", "sub", "mul", "div")]

FORMS: Mapping[str, tuple[str, str]] = {
    **{name: (f"T{name.upper()}", "d *") for name in (*_PLAIN.split(), *_EXPANDS, "partadd", "partmax", "partmin", "colmax", "colmin")},
    **{name: (f"T{name.upper()}", "d 0 t") for name in ("rowsum", "rowmax", "rowmin", "trans")},
    **{name: (f"T{name.upper()}", "d *") for name in ("gatherb", "scatter")},
    **{f"mov.{way}": ("TMOV", "d 0") for way in ("m2l", "m2r", "m2b", "m2s", "a2v", "v2v")},
    "rem": ("TFMOD", "d *"),
    "xor": ("TXOR", "d * t"),
    "reshape": ("TMOV", "d v"),
    "bitcast": ("TMOV", "d v"),
    "expands": ("TEXPANDS", "d s"),
    "ci": ("TCI<{tile}, {element}, {descending}>", "d start"),
    "insert": ("TINSERT", "d input o"),
    "cmp": ("TCMP", "d 0 1 =cmpMode"),
    "cmps": ("TCMPS", "d 0 1 =cmpMode"),
    "gather": ("TGATHER", "d 0 1 t"),
    "sel": ("TSEL", "d 0 1 2 t"),
    "sels": ("TSELS", "d 0 1 t 2"),
    "cvt": ("TCVT", "d 0 =rmode"),
    "colsum": ("TCOLSUM", "d 0 t =isBinary"),
    "matmul": ("TMATMUL", "d a b"),
    "matmul.acc": ("TMATMUL_ACC", "d acc a b"),
    "matmul.bias": ("TMATMUL_BIAS", "d a b bias"),
    "extract": ("TEXTRACT", "d 0 o"),
    "load": ("TLOAD", "d g"),
    "store": ("TSTORE", "g tile"),
}  # fmt: skip
"""The function, and its arguments, by what follows `pto.tile.` in the name of the op."""
SCALAR_MINUS_TILE = (("TNEG", "d 1"), ("TADDS", "d d 0"))
"""The calls for a scalar minus a tile, which the library lacks."""
WORDS = {"cmpMode": "CmpMode", "rmode": "RoundMode"}
"""The enumerations of properties."""
ON_PREDICATES = frozenset(["cmp", "cmps", "sel", "sels", "and", "or", "xor", "not", "expands", "mov.v2v"])
"""The ops on masks: they work on eight predicates in a byte, or make or read masks."""


def is_within_lines(op: pto.InstructionOp) -> bool:
    """Returns whether an op broadcasts a column to a column. Broadcasts have row-major results; this is a pointwise op on columns."""
    rows = op.name.startswith("pto.tile.rowexpand")
    return rows and pto.tile_type(op.results[0]).sizes[1:] == (1,)


def calls_of(op: pto.InstructionOp) -> tuple[tuple[str, str], ...]:
    """Returns the functions that an op calls, each with its arguments; none if it has no C++."""
    word = op.name.removeprefix("pto.tile.")
    if isinstance(op, pto.SCALAR_BINARY["sub"]) and op.scalar_first:
        return SCALAR_MINUS_TILE
    if is_within_lines(op):
        word = word.removeprefix("rowexpand") or "mov.v2v"
    return (FORMS[word],) if word in FORMS else ()
