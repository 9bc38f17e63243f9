"""
Describes what a target of `pto` can hold and compute: memories, layouts, element types, products, and the ops that it lacks.

A target is a file of this package with one `MACHINE`; nothing else compares the names of targets. Source: the PTO tile library's
reference of instructions and of `Tile`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KB = 1024
ROWS_ALIGNMENT = 32
"""Alignment of rows (columns, if they are contiguous) of tiles without blocks, and of addresses, in bytes."""
FRACTAL_SIDE = 16
"""Number of rows, or columns, of a block across the contiguous ones."""


@dataclass(frozen=True)
class PtoMachine:
    """
    One target.

    `memories` has the bytes of each location, `layouts` the legal layouts of each location, the first of which is the default, and
    `fractals` the bytes of a block in a boxed layout. `products` are the triples (accumulator, a, b) of matmul. `lacks` maps names of ops
    to what to do instead. `load_rows` limits the rows of a TLOAD by location; it loads to those locations only, and TSTORE stores from `stores`.
    """

    name: str
    memories: Mapping[str, int]
    layouts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fractals: Mapping[str, int] = field(default_factory=dict[str, int])
    products: frozenset[tuple[str, str, str]] | None = None
    vector_types: frozenset[str] | None = None
    """The element types of vector tiles; None if all are legal."""
    element_types: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """
    The element types of an opcode that has not those of all vector tiles: those of its first tile operand that is no predicate, or of its
    result if it has none.
    """
    equality: frozenset[str] = frozenset()
    """The element types of which TCMP and TCMPS find equal numbers only, whatever the mode."""
    matmul_sizes: tuple[int, int] | None = None
    """Least and greatest m, n and k of a matmul."""
    load_rows: Mapping[str, int] = field(default_factory=dict[str, int])
    stores: tuple[str, ...] = ()
    lacks: Mapping[str, str] = field(default_factory=dict[str, str])
    has_pipes: bool = True
    """Whether ops run in pipes that events order, and tiles have addresses; otherwise the target is a GPU."""

    def takes(self, opcode: str, element_type: str) -> bool:
        """
        Returns whether there is an instruction for an element type.

        >>> from ptir.targets.pto.machines import MACHINES
        >>> [MACHINES[name].takes("TDIV", "i32") for name in ("a3", "a5")]
        [False, True]
        """
        legal = self.element_types.get(opcode)
        return legal is None or element_type in legal

    def layout(self, location: str) -> str:
        """Returns the layout of tiles in a location that have none written."""
        return self.layouts.get(location, ("ND",))[0]

    def block(self, location: str, layout: str, element_bytes: int) -> tuple[int, int]:
        """
        Returns the rows and columns of a block of a tile, which divide the tile's; for a layout without blocks, the rows and columns that
        have the bytes of `ROWS_ALIGNMENT`.

        >>> from ptir.targets.pto.machines import MACHINES
        >>> MACHINES["a3"].block("Right", "Zn", 2), MACHINES["a3"].block("Acc", "Nz", 4), MACHINES["a3"].block("Vec", "ND", 4)
        ((16, 16), (16, 16), (1, 8))
        """
        if not self.has_pipes:
            return 1, 1
        if layout in ("ND", "DN"):
            line = ROWS_ALIGNMENT // element_bytes
            return (line, 1) if layout == "DN" else (1, line)
        along = max(1, self.fractals.get(location, 512) // FRACTAL_SIDE // element_bytes)
        return (along, FRACTAL_SIDE) if layout[1] == "n" else (FRACTAL_SIDE, along)
