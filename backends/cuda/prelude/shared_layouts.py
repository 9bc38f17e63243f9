"""
Functions that return the offset of an element of a tile in shared memory, in bytes, one for each layout.

`piece` generates those that a kernel calls; the name says the layout: `at_64_j_8_i_8j_4_8i` for `at(64: j, 8: i^8j, 4: 8i)`.
"""

from __future__ import annotations

import re

from ....targets.shared_layouts import Field, SharedLayout, parse_shared_layout
from .piece import Piece

PREFIX = "at_"
"""What all names begin with."""


def function_of(layout: SharedLayout) -> str:
    """Returns the name of the function for a layout."""
    return "_".join(re.findall(r"\w+", str(layout)))


def piece(name: str) -> Piece:
    """Returns the function of that name."""
    digits = re.findall(r"_(\d+)((?:_\d*[ij])+)", name)
    layout = parse_shared_layout(f"at({', '.join(f'{radix}: {s[1:]}' for radix, s in digits)})".replace("_", "^"))
    parts = [" ^ ".join(map(_field, fields)) for fields in layout.fields]
    total = " + ".join(f"({part})" if "^" in part and len(parts) > 1 else part for part in parts)
    return Piece(
        f"// byte offset of an element of BYTES bytes in a tile {layout}\n"
        f"template <int BYTES> DEV u32 {name}(u32 row, u32 column) {{ return {total}; }}"
    )


def _field(field: Field) -> str:
    number = "row" if field.axis == "i" else "column"
    count = field.mask // field.unit + 1
    if field.mask != -field.unit and count & count - 1:
        number = f"({number} & {field.mask}u)" if field.mask > 0 else f"({number} & ~{~field.mask}u)"
        count = 0
    divided = f" / {field.unit}" if field.unit > 1 else ""
    modulo = f" % {count}" if count else ""
    place = f"({field.place} * BYTES)" if field.place > 1 else "BYTES"
    return f"{number}{divided}{modulo} * {place}"
