"""
Symbol references of operations and their resolution.

A reference is a `SymbolRefAttr` at any depth in an operation's attributes or properties: a call's callee, the kernel of
`region.launch`, an element of a list. The string of a module's `ptir.entry` is a reference, too. Names are looked up in the
nearest symbol table and then, unlike in MLIR, in the enclosing ones, so that no symbol that may be used is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.traits import SymbolOpInterface, SymbolTable

from ...dialects.ptir.module import ENTRY


def symbol_name(op: Operation) -> str | None:
    """Returns the name that an operation defines, or None if it is not a symbol."""
    interface = op.get_trait(SymbolOpInterface)
    name = None if interface is None else interface.get_sym_attr_name(op)
    return None if name is None else name.data


def visibility(symbol: Operation) -> str:
    """Returns `public` unless the symbol is `private` or `nested`."""
    given = symbol.get_attr_or_prop("sym_visibility")
    return given.data if isinstance(given, StringAttr) and given.data in ("private", "nested") else "public"


def is_symbol_table(op: Operation) -> bool:
    return op.has_trait(SymbolTable, value_if_unregistered=False)


def references(op: Operation) -> Iterator[SymbolRefAttr]:
    """Yields every reference in the attributes and properties of `op`, but not those in its regions."""
    for name, attribute in (*op.properties.items(), *op.attributes.items()):
        if name == ENTRY and isinstance(attribute, StringAttr):
            yield SymbolRefAttr(attribute)
        yield from _inside(attribute)


def _inside(attribute: Attribute) -> Iterator[SymbolRefAttr]:
    match attribute:
        case SymbolRefAttr():
            yield attribute
        case ArrayAttr():
            for item in attribute:
                yield from _inside(item)
        case DictionaryAttr():
            for item in attribute.data.values():
                yield from _inside(item)
        case ParametrizedAttribute():
            for item in attribute.parameters:
                yield from _inside(item)
        case _:
            pass


@dataclass
class SymbolTables:
    """Resolves references. Caches symbol tables, so it is valid only until a symbol is added, removed or renamed."""

    _tables: dict[Operation, dict[str, Operation]] = field(default_factory=dict[Operation, dict[str, Operation]])

    def resolve(self, at: Operation, reference: SymbolRefAttr) -> Sequence[Operation]:
        """Returns the symbols along the path of a `reference` in `at`, outermost first; empty if it does not resolve."""
        names = [reference.root_reference.data, *(name.data for name in reference.nested_references)]
        table: Operation | None = at
        while table is not None:
            path: list[Operation] = []
            for name in names:
                symbol = self._symbols(path[-1] if path else table).get(name)
                if symbol is None:
                    break
                path.append(symbol)
            if len(path) == len(names):
                return path
            table = table.parent_op()
        return ()

    def _symbols(self, table: Operation) -> dict[str, Operation]:
        if table not in self._tables:
            ops = [op for block in table.regions[0].blocks for op in block.ops] if is_symbol_table(table) else []
            self._tables[table] = {name: op for op in ops if (name := symbol_name(op)) is not None}
        return self._tables[table]
