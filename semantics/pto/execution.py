"""Executes instructions on tiles with valid regions, and reports reads of poison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ..arrays.poison import poison
from ..arrays.scalars import Array
from ..errors import InvalidValidRegion, NotInterpreted, UnspecifiedElement
from .channels import read
from .instructions import MEANINGS, ON_ARRAYS, Meaning
from .partial import Call, Partial, Sizes, TileFunctions, box, causes_of, elements_of, least, valid_of


def merged(sizes: Sizes, known: Sequence[int]) -> Sizes:
    """Returns sizes, of which those that are not known statically are `known`."""
    return tuple(n if size == -1 else size for size, n in zip(sizes, known, strict=True))


class InstructionFunctions(TileFunctions):
    """The instructions in the table `MEANINGS`."""

    def execute(self, op: Operation, args: PythonValues) -> PythonValues:
        """Returns the results of an instruction."""
        meaning, values = MEANINGS[type(op)], dict(zip(op.operands, args, strict=True))
        if type(op) in ON_ARRAYS:
            self.require_arrays(op)
        tiles = [read(op, v) for o, v in zip(op.operands, args, strict=True) if isinstance(o.type, pto.TileType)]
        sizes = self.sizes_of(op, values)
        call = Call(self, op, values, sizes, [valid_of(t) for t in tiles], sizes)
        valid = self.valid_region(op, values, sizes)
        if valid is not None or any(isinstance(t, Partial) for t in tiles):
            self.require_arrays(op)
            return (*self.partial(meaning, call, tiles, valid), *self.event(op))
        call.parts = tiles
        return (*self.finished(call, meaning.compute(call, *tiles), None), *self.event(op))

    def event(self, op: Operation) -> tuple[None, ...]:
        """Returns the value of the event that an op returns, if it does: in the synchronous meaning, events have none."""
        return (None,) if isinstance(op, pto.InstructionOp) and op.event is not None else ()

    def sizes_of(self, op: Operation, values: Any) -> Sizes:
        """
        Returns the sizes of the first result of an op. One that is not known statically is that of `valid`, or of the operand that has the
        result's sizes, or whose rows or columns are reduced. Raises `NotInterpreted` if there is none.
        """
        t = pto.tile_type(op.results[0])
        if -1 not in t.sizes:
            return t.sizes
        if isinstance(op, pto.InstructionOp) and op.static_valid is not None:
            return merged(t.sizes, self.indices(values, op.static_valid, op.valid))
        reduces = isinstance(op, pto.RowReduceOp | pto.ColReduceOp)
        for value in op.operands:
            if isinstance(value.type, pto.TileType) and (reduces or value.type.sizes == t.sizes):
                return merged(t.sizes, read(op, values[value]).shape)
        reason = f"the sizes of {t} are not known: give it its greatest sizes, and say with 'valid' which part is used"
        raise NotInterpreted(op, reason=reason)

    def valid_region(self, op: Operation, values: Any, sizes: Sizes) -> Sizes | None:
        """Returns the region that `valid` gives, or None. Raises `InvalidValidRegion`."""
        if not isinstance(op, pto.InstructionOp) or op.static_valid is None:
            return None
        valid = self.indices(values, op.static_valid, op.valid)
        for axis, (v, size) in enumerate(zip(valid, sizes, strict=True)):
            if not 0 < v <= size:
                raise InvalidValidRegion(op, axis=axis, valid=v, size=size)
        return tuple(valid)

    def partial(self, meaning: Meaning, call: Call, tiles: Sequence[Any], valid: Sizes | None) -> tuple[Any, ...]:
        """Executes an instruction whose region is `valid`, or follows from those of its operands."""
        if isinstance(call.op, pto.RowReduceOp | pto.RowExpandOp) and call.op.run is not None:
            raise NotInterpreted(call.op, reason="partial results of rows are of whole tiles, without a valid region")
        call.region = meaning.region(call) if valid is None else valid
        slices = [... if sizes is None else box(sizes) for sizes in meaning.reads(call)]
        call.parts = [elements_of(t)[s] for t, s in zip(tiles, slices, strict=True)]
        call.causes = [None if (c := causes_of(t)) is None else c[s] for t, s in zip(tiles, slices, strict=True)]
        call.causes = [c if c is not None and np.any(c) else None for c in call.causes]
        out = meaning.compute(call, *call.parts)
        unknown = any(c is not None for c in call.causes) or isinstance(call.op, tuple(pto.PARTIAL.values()))
        return self.finished(call, out, meaning.causes(call) if unknown else None)

    def finished(self, call: Call, out: Any, causes: Array | None) -> tuple[Any, ...]:
        """Returns the results from the elements of their region and the causes of poison in it."""
        found = [c for c in (causes, call.poison) if c is not None]
        causes = np.maximum(*found) if len(found) == 2 else found[0] if found else None
        whole = call.region == call.sizes and (causes is None or not np.any(causes))
        results = [r for r in call.op.results if isinstance(r.type, pto.TileType)]
        parts = cast("tuple[Any, ...]", out) if isinstance(out, tuple) else (out,)
        if whole and parts[0].shape == call.sizes:
            return parts
        return tuple(self.embedded(call, r, part, causes) for r, part in zip(results, parts, strict=True))

    def embedded(self, call: Call, result: SSAValue, part: Array, causes: Array | None) -> Partial:
        """Returns the tile that has the elements `part` at the origin, and poison elsewhere."""
        array = poison(call.sizes, pto.tile_type(result).element_type).copy()
        by: Array = np.full(call.sizes, call.cause, np.int32)
        inside = box(least(part.shape, call.region))
        array[inside] = part[inside]
        by[inside] = 0 if causes is None else causes[inside]
        return Partial(array, call.region, by)

    def specified(self, op: Operation, tile: Any, where: Array | Any = ...) -> Any:
        """Returns the elements of a tile. Raises `UnspecifiedElement` if one `where` is poison."""
        if not isinstance(tile, Partial):
            return tile
        wrong: Array = np.zeros(tile.shape, np.bool_)
        wrong[where] = True
        wrong &= tile.causes != 0
        if np.any(wrong):
            place = tuple(np.argwhere(wrong)[0])
            cause = next(o for o, number in self.causes.items() if number == tile.causes[place])
            notes = [(cause, "the element, or one that it depends on, is unspecified since this op")]
            raise UnspecifiedElement(op, index=list(map(int, place)), notes=notes)
        return tile.array


F = TypeVar("F", bound=InstructionFunctions)


def register_instructions(functions: type[F]) -> type[F]:
    """Implements each op in `MEANINGS` by `execute`."""

    for op_type in MEANINGS:

        def run(self: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> Any:
            return self.execute(op, args)

        setattr(functions, f"run_{op_type.__name__}", impl(op_type)(run))
    return functions
