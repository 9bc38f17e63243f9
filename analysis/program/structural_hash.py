"""
A structural hash of a program: the key of a compile cache.

It does not depend on SSA names, names of functions and other symbols, dimension names, locations or the process. It depends
on everything else: operations, their order and operands; types, attributes and the bytes of constants; the symbol to which a
reference, or the module's `ptir.entry`, resolves; and which dimensions share a name.

```
func.func @f(%x: tensor<?xf32, #ptir.dims<B>>) …        func.func @g(%y: tensor<?xf32, #ptir.dims<N>>) …
  %0 = ptir.exp %x                                 =      %r = ptir.exp %y
```

Two different programs that compute the same value have different hashes: canonicalize first. Functions of a module are
distinguished by their position.

Contract: *Conversion infrastructure*.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatData,
    IntAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.traits import SymbolTable

from ...dialects.ptir.dims import DimsAttr
from ...dialects.ptir.module import ENTRY
from ...errors import require
from ...text.literals import compact
from ...text.op_names import op_name

SYMBOL = "sym_name"
OF_SIZES = ("low", "high", "start", "offset", "strides", "alignments")
"""Properties whose values follow from sizes: those of movements, and the alignments of a kernel's arrays."""


def structural_hash(root: Operation) -> str:
    """
    Returns the structural hash of a module or a function as 64 hexadecimal digits. A function's callees are part of it.

    >>> structural_hash(parse("…%a…")) == structural_hash(parse("…%renamed…"))     # doctest: +SKIP
    True
    """
    require(root, Operation, "the root", "a module or a function", "ptir.parse makes a module")
    return _Hash(root).digest()


def structure_hash(root: Operation) -> str:
    """
    Returns a hash that does not depend on sizes: programs that differ in sizes, and in what follows from them (pads, offsets, strides),
    have the same one. Ranks, element types, axes and constants are part of it.
    """
    return _StructureHash(root).digest()


@dataclass
class _Hash:
    """Feeds a program to a hash, each piece preceded by its kind and length."""

    root: Operation
    state: Any = field(default_factory=hashlib.sha256)
    values: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    blocks: dict[Block, int] = field(default_factory=dict[Block, int])
    symbols: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Operations with symbols, numbered in the order in which they are first visited."""
    waiting: list[Operation] = field(default_factory=list[Operation])
    """Symbols outside of the root that are referred to; they are hashed after it."""
    dims: dict[str, int] = field(default_factory=dict[str, int])
    """Dimension names of the current function, numbered in the order in which they are first visited."""

    def digest(self) -> str:
        self.operation(self.root)
        for op in self.waiting:  # grows during the loop, by symbols that these ops refer to
            self.operation(op)
        return cast(str, self.state.hexdigest())

    # --- pieces -----------------------------------------------------------------------------------

    def feed(self, kind: str, *parts: str | bytes | int) -> None:
        self.state.update(f"{kind}({len(parts)}".encode())
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
            self.state.update(f",{len(data)}:".encode() + data)
        self.state.update(b")")

    # --- operations -------------------------------------------------------------------------------

    def operation(self, op: Operation) -> None:
        if SYMBOL in op.properties or SYMBOL in op.attributes:
            self.dims = {}
            self.feed("symbol", self.symbols.setdefault(op, len(self.symbols)))
        self.feed("op", op_name(op))
        self.feed("operands", *(self.number(v) for v in op.operands))
        self.types(op.result_types)
        self.dictionary("properties", op.properties, op)
        self.dictionary("attributes", op.attributes, op)
        self.feed("successors", *(self.blocks[b] for b in op.successors))
        self.feed("regions", len(op.regions))
        for region in op.regions:
            self.region(region)

    def region(self, region: Region) -> None:
        """Feeds a region. All values are numbered first, because a block may use values that a later one defines."""
        for block in region.blocks:
            self.blocks[block] = len(self.blocks)
            for value in (*block.args, *(result for op in block.ops for result in op.results)):
                self.number(value)
        self.feed("blocks", len(region.blocks))
        for block in region.blocks:
            self.types(arg.type for arg in block.args)
            self.feed("block", sum(1 for _ in block.ops))
            for op in block.ops:
                self.operation(op)

    def number(self, value: SSAValue) -> int:
        return self.values.setdefault(value, len(self.values))

    def types(self, types: Iterable[Attribute]) -> None:
        listed = list(types)
        self.feed("types", len(listed))
        for t in listed:
            self.attribute(t)

    def dictionary(self, kind: str, entries: Mapping[str, Attribute], at: Operation) -> None:
        kept = sorted((key, value) for key, value in entries.items() if key != SYMBOL)
        self.feed(kind, *(key for key, _ in kept))
        for key, value in kept:
            if key == ENTRY and isinstance(value, StringAttr):
                value = SymbolRefAttr(value)
            self.attribute(value, at)

    # --- attributes -------------------------------------------------------------------------------

    def attribute(self, attribute: Attribute, at: Operation | None = None) -> None:
        match attribute:
            case DimsAttr():
                names = [n.data for n in attribute.names]
                self.feed("dims", *("_" if n == "_" else self.dims.setdefault(n, len(self.dims)) for n in names))
            case SymbolRefAttr() if at is not None:
                self.reference(attribute, at)
            case DenseIntOrFPElementsAttr():
                dense = compact(cast("DenseIntOrFPElementsAttr[Any]", attribute))
                self.attribute(dense.get_type())
                self.feed("dense", dense.data.data)
            case ParametrizedAttribute():
                self.feed(attribute.name, len(attribute.parameters))
                for parameter in attribute.parameters:
                    self.attribute(parameter, at)
            case DictionaryAttr():
                entries = sorted(attribute.data.items())
                self.feed("dictionary", *(key for key, _ in entries))
                for _, value in entries:
                    self.attribute(value, at)
            case ArrayAttr():
                items = attribute.data
                self.feed("array", len(items))
                for item in items:
                    self.attribute(item, at)
            case StringAttr() | IntAttr() | BytesAttr():
                self.feed(attribute.name, attribute.data)
            case FloatData():
                self.feed(attribute.name, struct.pack("<d", attribute.data))
            case Data():
                self.feed(attribute.name, str(cast("Data[Any]", attribute)))
            case _:
                self.feed("other", str(attribute))

    def reference(self, ref: SymbolRefAttr, at: Operation) -> None:
        """Feeds the number of the symbol to which `ref` resolves, or its name if it does not resolve."""
        target = SymbolTable.lookup_symbol(at, ref) if _has_table(at) else None
        if target is None:
            return self.feed("unresolved", ref.string_value())
        if target not in self.symbols:
            self.symbols[target] = len(self.symbols)
            if not self.root.is_ancestor(target):
                self.waiting.append(target)
        return self.feed("reference", self.symbols[target])


@dataclass
class _StructureHash(_Hash):
    """A hash without sizes."""

    def attribute(self, attribute: Attribute, at: Operation | None = None) -> None:
        if isinstance(attribute, TensorType | MemRefType):
            shaped = cast("TensorType[Attribute] | MemRefType[Attribute]", attribute)
            self.feed("shaped", len(shaped.get_shape()))
            return self.attribute(shaped.element_type, at)
        return super().attribute(attribute, at)

    def dictionary(self, kind: str, entries: Mapping[str, Attribute], at: Operation) -> None:
        super().dictionary(kind, {key: value for key, value in entries.items() if key not in OF_SIZES}, at)


def _has_table(op: Operation | None) -> bool:
    """Whether a symbol table encloses `op`."""
    while op is not None and not op.has_trait(SymbolTable):
        op = op.parent_op()
    return op is not None
