"""
`pto-infer-tile-info{target=a3}`: writes the location and the layout of each tile.

```
%a = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16>
%l = pto.tile.mov.m2l %a : tile<16x16xf16> -> tile<16x16xf16>
  →
%a = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat, layout=Nz>>
%l = pto.tile.mov.m2l %a : tile<16x16xf16, #pto.tile_info<loc=Mat, layout=Nz>> -> tile<16x16xf16, #pto.tile_info<loc=Left, layout=Zz>>
```

The ops that compute and use a tile determine its location: matmuls and moves name those of their operands and results, other ops take vector
tiles. The tiles that a loop carries are in one place. A load with `loc` or `layout` gives them to its tile. A row is ND and a column DN, if the
target has that layout in the location; other tiles get the first that it has. What is written is kept. `valid` is the shape where it is absent, and
is not written.

It is an error if two ops need a tile in different places. The module gets the attribute `pto.target`, if it has none.

- `target`: the machine, if the module has no `pto.target`.

Spec: `pto-ir.md §3.1`, `§8`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..analysis.pto.effects import tile_functions
from ..analysis.pto.lifetimes import Lifetimes, tiles_of
from ..analysis.pto.target import TARGET, target_of
from ..dialects import pto
from ..dialects.pto.fixpipe import MoveScaledOp, StoreScaledOp
from ..dialects.pto.matmul import MoveOp, ProductOp
from ..errors import Unsupported
from ..targets.pto.machine import PtoMachine
from .errors import LocationsDiffer


@dataclass(frozen=True)
class PtoInferTileInfo(ModulePass):
    """Writes the location and the layout of tiles."""

    name = "pto-infer-tile-info"

    target: str | None = None
    """The machine, if the module has no `pto.target`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = tile_functions(op)
        machine = target_of(op, self.target)
        for call in (o for o in op.walk() if isinstance(o, func.CallOp)):
            if any(isinstance(v.type, pto.TileType) for v in (*call.operands, *call.results)):
                raise Unsupported(call, what="a call that passes tiles", need="inline the function first")
        for function in functions:
            infer(function, machine)
        op.attributes[TARGET] = pto.TargetAttr.of(machine.name)


def infer(function: func.FuncOp, machine: PtoMachine) -> None:
    """Writes the location and the layout of the tiles of a function. Raises `LocationsDiffer`."""
    groups = Lifetimes(function)
    groups.unite_regions()
    tiles = tiles_of(function)
    for op in function.walk():
        if isinstance(op, pto.AssignOp | pto.ReshapeOp):
            groups.unite(op.operands[0], op.results[0])
    places: dict[SSAValue, tuple[str, Operation]] = {}
    layouts: dict[tuple[SSAValue, Attribute], str] = {}
    """The layouts that loads give to tiles, by group and type: the parts of a group may have other shapes."""

    def need(op: Operation, value: SSAValue, loc: str) -> None:
        place, first = places.setdefault(groups.root(value), (loc, op))
        if place != loc:
            raise LocationsDiffer(op, notes=[(first, f"it must be in {place} for this op")], type=value.type, loc=loc)

    for op in function.walk():
        for value, loc in needs(op):
            need(op, value, loc)
        if isinstance(op, pto.LoadOp) and op.layout is not None:
            layouts[groups.root(op.result), op.result.type] = op.layout.word
    for op in reversed([op for op in function.walk() if isinstance(op, pto.ExtractOp)]):
        place = places.get(groups.root(op.result), ("Vec",))[0]
        need(op, op.input, "Vec" if place == "Vec" else "Mat")
        if place not in ("Left", "Right", "Vec"):
            need(op, op.result, "Vec")
    for value in tiles:
        old = pto.tile_type(value)
        loc = places.get(groups.root(value), ("Vec", function))[0]
        written = None if isinstance(old.info, NoneAttr) or isinstance(old.info.layout, NoneAttr) else old.layout
        layout = written or layouts.get((groups.root(value), old)) or default_layout(old, loc, machine)
        new = pto.TileType(old.shape, old.element_type, loc, layout)
        if new != old:
            Rewriter.replace_value_with_new_type(value, new)
    function.update_function_type()
    for op in function.walk():
        if isinstance(op, pto.LoadOp | pto.StoreOp):
            op.properties.pop("loc", None)
            op.properties.pop("layout", None)


def default_layout(tile: pto.TileType, loc: str, machine: PtoMachine) -> str:
    """Returns the layout of a tile in `loc` that has none written."""
    line = "ND" if tile.sizes[0] == 1 else "DN" if tile.sizes[-1] == 1 else None
    return line if line in machine.layouts.get(loc, ()) else machine.layout(loc)


def needs(op: Operation) -> Iterator[tuple[SSAValue, str]]:
    """Yields the tiles whose location `op` determines, with the location."""
    values = [v for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
    yield from ((v, pto.tile_type(v).loc) for v in values if pto.tile_type(v).has_location)
    match op:
        case MoveOp():
            yield op.input, op.FROM
            yield op.result, op.TO
        case ProductOp():
            yield op.a, "Left"
            yield op.b, "Right"
            yield op.results[0], "Acc"
            if isinstance(op, pto.MatmulAccOp):
                yield op.acc, "Acc"
            if isinstance(op, pto.MatmulBiasOp):
                yield op.bias, "Bias"
        case pto.MatmulMxOp():
            yield from (
                (op.a, "Left"),
                (op.b, "Right"),
                (op.result, "Acc"),
                (op.a_scale, "Scale"),
                (op.b_scale, "Scale"),
            )
        case MoveScaledOp():
            yield from ((op.input, "Acc"), (op.scale, "Scale"), (op.result, "Vec"))
        case StoreScaledOp():
            yield from ((op.tile, "Acc"), (op.scale, "Scale"))
        case pto.ExtractOp():  # its result determines where its operand is
            pass
        case pto.LoadOp() | pto.StoreOp():
            if op.loc is not None:
                yield (op.result if isinstance(op, pto.LoadOp) else op.tile), op.loc.word
        case pto.InstructionOp() if not isinstance(op, pto.ReshapeOp):
            yield from ((v, "Vec") for v in values)
        case _:
            pass
