"""
C identifiers for the entry points of compiled functions.

```
   @linear                 ptir_linear_908521c97f228668            the function's name, then 16 digits of its structural hash
   @linear, target cuda    ptir_cuda_linear_908521c97f228668
   @"my-model/π"           ptir_myZ2dmodelZ2fZcfZ80_4be2…
```

Letters, digits and single underscores stay. `Z` becomes `ZZ`; every other byte of the name's UTF-8 becomes `Z` and two
hexadecimal digits. So does an underscore at either end or after another underscore, because C++ reserves such names. The mangling is
reversible, so that two functions of one module never share an entry point; the hash distinguishes functions of the same name
in different modules. Entry points do not depend on SSA names, other functions or the process.

Contract: *Conversion infrastructure* (deterministic entrypoint naming).
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from ...errors import require_function
from .structural_hash import structural_hash

PREFIX = "ptir"
DIGITS = 16
"""Number of hexadecimal digits of the structural hash in an entry point's name."""


def entry_point_name(function: FuncOp, target: str = "") -> str:
    """
    Returns the name of a function's entry point, for `target` if one is given.

    >>> entry_point_name(function, "cuda")          # doctest: +SKIP
    'ptir_cuda_linear_908521c97f228668'
    """
    require_function(function)
    parts = [PREFIX, *([mangled(target)] if target else []), mangled(function.sym_name.data)]
    return "_".join([*parts, structural_hash(function)[:DIGITS]])


def mangled(name: str) -> str:
    """
    Returns a reversible mangling of a name into letters, digits and single underscores.

    >>> mangled("a_b"), mangled("a-b"), mangled("a__b")
    ('a_b', 'aZ2db', 'a_Z5fb')
    """
    data, out = name.encode("utf-8", "surrogatepass"), ""
    for k, byte in enumerate(data):
        char = chr(byte)
        if char == "Z":
            out += "ZZ"
        elif char.isascii() and char.isalnum():
            out += char
        elif char == "_" and out[-1:] not in ("", "_") and k + 1 < len(data):
            out += "_"
        else:
            out += f"Z{byte:02x}"
    return out
