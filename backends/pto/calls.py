"""
The C++ call of each instruction: its name, its arguments with the destination first, and the temporaries that the library asks for.

A row of `FORMS` names the arguments of an op: `d` is the result, a number an operand, `t` the temporary, `=x` the property `x` as a word of
the library. Fields in braces are the result's C++ types, and whether the op is `descending`. Source: the PTO tile library's reference
of instructions.
"""

from __future__ import annotations

from collections.abc import Mapping

_PLAIN = "add sub mul div min max rem and or xor shl shr neg abs exp log sqrt rsqrt recip relu not adds subs muls divs mins maxs"
_EXPANDS = [f"{kind}expand{fn}" for kind in ("row", "col") for fn in ("", "add", "sub", "mul", "div")]

FORMS: Mapping[str, tuple[str, str]] = {
    **{name: (f"T{name.upper()}", "d *") for name in (*_PLAIN.split(), *_EXPANDS, "partadd", "partmax", "partmin", "colmax", "colmin")},
    **{name: (f"T{name.upper()}", "d 0 t") for name in ("rowsum", "rowmax", "rowmin", "trans")},
    **{name: (f"T{name.upper()}", "d *") for name in ("gatherb", "scatter")},
    **{f"mov.{way}": ("TMOV", "d 0") for way in ("m2l", "m2r", "m2b", "m2s", "a2v", "v2v")},
    "reshape": ("TRESHAPE", "d *"),
    "bitcast": ("TRESHAPE", "d *"),
    "mov.fp": ("TMOV_FP", "d 0 1"),
    "expands": ("TEXPANDS", "d s"),
    "ci": ("TCI<{tile}, {element}, {descending}>", "d start"),
    "insert": ("TINSERT", "d input o"),
    "store.fp": ("TSTORE_FP", "g tile scale"),
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
WORDS = {
    "cmpMode": ("CmpMode", None),
    "rmode": ("RoundMode", "CAST_RINT"),
}
"""The enumerations of properties, and the word for a property that is not written. Conversions to integers truncate then."""
