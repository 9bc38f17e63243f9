"""Errors of tile programs that a target cannot hold or compute. Spec: `pto-ir.md §7`."""

from __future__ import annotations

from ...errors import PtirError


class TileTooLarge(PtirError):
    code = "PTIR0260"
    template = "{type} takes {bytes:,} bytes, but {location} of {target} has {limit:,}"
    hint = "choose a smaller tile"


class TileMisaligned(PtirError):
    code = "PTIR0261"
    template = "{type} in layout {layout} must have a multiple of {rows} rows and of {columns} columns on {target}"
    hint = "round the sizes up, and say with 'valid' how many elements are used"


class IllegalLayout(PtirError):
    code = "PTIR0262"
    template = "{type} has layout {layout}, but {target} has only {legal} in {location}"
    hint = "leave the layout out: pto-infer-tile-info writes the legal one"


class IllegalProduct(PtirError):
    code = "PTIR0263"
    template = "{target} does not multiply {a} and {b} into {acc}"
    hint = "the products into {acc} are {legal}: convert the operands first"


class MatmulTooLarge(PtirError):
    code = "PTIR0264"
    template = "{axis} is {size}, but a matmul of {target} takes {least} to {most}"
    hint = "split the product into smaller tiles"


class LoadTooTall(PtirError):
    code = "PTIR0265"
    template = "loads {rows:,} rows into {location}, but {target} loads at most {limit:,} at a time"
    hint = "load fewer rows at a time"


class NoSuchInstruction(PtirError):
    code = "PTIR0266"
    template = "{target} has no '{name}'"
    hint = "{help}"


class IllegalElementType(PtirError):
    code = "PTIR0267"
    template = "{type}: {target} has no {what} of {dtype}"
    hint = "convert the elements first; legal types: {legal}"


class MixedExtents(PtirError):
    code = "PTIR0268"
    template = "'{name}' has tiles of which some know the valid {axis} statically ({static}), and others do not"
    hint = "give all tiles of an op a static extent, or none"


class UnsizedTile(PtirError):
    code = "PTIR0269"
    template = "{type} must be a matrix of static sizes on {target}"
    hint = "give the tile two static sizes, and say with 'valid' how many elements are used"


class BeyondMemory(PtirError):
    code = "PTIR0270"
    template = "{type} at address {address:,} ends at {end:,}, but {location} of {target} has {limit:,} bytes"
    hint = "run pto-bufferize, which assigns addresses"


class AddressMisaligned(PtirError):
    code = "PTIR0271"
    template = "address {address:,} is no multiple of {multiple} bytes"
    hint = "run pto-bufferize, which assigns addresses"


class IllegalTransfer(PtirError):
    code = "PTIR0272"
    template = "{target} does not {verb} {type}{why}"
    hint = "{help}"


class PlaceNotInferred(PtirError):
    code = "PTIR0273"
    template = "'{name}' is {attribute} at this op, but not in the type of its tile"
    hint = "run pto-infer-tile-info, which writes it there"


class ReadsLate(PtirError):
    code = "PTIR0274"
    template = (
        "'{name}' reads {operand} after it has begun to write {result}; both are at address {address:,} of {location}"
    )
    hint = "give the two tiles addresses of their own, or run pto-bufferize"


class ComparesEquality(PtirError):
    code = "PTIR0275"
    template = "{type}: {target} finds equal numbers of {dtype} only, not {mode}"
    hint = "compare the maximum or the minimum of both operands with one of them for equality, as ptir-to-pto does"
