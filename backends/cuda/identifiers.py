"""Identifiers in CUDA C++: reserved names, and the names of SSA values and symbols."""

from __future__ import annotations

import re

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp

from ...errors import Unsupported
from .prelude import PIECES, PREFIXES
from .scalars import CALLED

LOCALS = """
i j h v e row column chunk size lane words place tile_row tile_column part p s w
"""
"""Names that printed blocks declare."""
KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export
extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
union unsigned using virtual void volatile wchar_t while xor xor_eq NULL u8 u16 u32 DEV shared threadIdx
blockIdx blockDim gridDim warpSize
"""
"""Keywords and alternative tokens of C++, macros and built-in names of CUDA, types of the prelude."""
RESERVED = {
    *LOCALS.split(),
    *KEYWORDS.split(),
    *PIECES,
    *CALLED,
    *(name for piece in PIECES.values() for name in re.findall(r"\b(\w+)\(", piece.text)),
}


def symbol_of(function: gpu.FuncOp) -> str:
    return function.sym_name.data  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def identifier(hint: str) -> str:
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in hint) or "t"
    return text if text[0].isalpha() and not text.startswith(PREFIXES) else f"t{text}"


def kernel_names(module: ModuleOp) -> dict[str, str]:
    """
    Returns the CUDA name of each kernel by its symbol. A symbol that is not a C identifier, or that CUDA or the
    prelude reserve, gets a similar unique name.
    """
    symbols: list[str] = []
    for op in module.walk():
        if isinstance(op, gpu.FuncOp):
            symbol = symbol_of(op)
            if symbol in symbols:
                raise Unsupported(op, what=f"a second kernel @{symbol}", need="CUDA has one namespace: rename one")
            symbols.append(symbol)
    taken = {s for s in symbols if s == identifier(s) and s not in RESERVED}
    names: dict[str, str] = {s: s for s in taken}
    for symbol in symbols:
        if symbol not in names:
            base, number = f"k_{identifier(symbol)}", 0
            name = base
            while name in taken:
                number += 1
                name = f"{base}_{number}"
            taken.add(name)
            names[symbol] = name
    return names
