"""
Ops of the `pto` dialect along the rows of a tile. Spec: `pto-ir.md §4`; `rowprod` and partial reductions are extensions.

A reduction returns one element per row or, with `run`, several partial results: the row is divided into runs of `run` contiguous
elements, which are assigned to the partial results in turn (round-robin). With `group`, the row is first divided into groups of
`group` contiguous elements, each with its own partial results. Loops over a row's tiles carry partial results, and reduce them once
after the loop:

```
rowsum run 2 of   1 2 | 3 4 | 5 6 | 7 8   to two elements:   1 + 2 + 5 + 6   3 + 4 + 7 + 8
rowsum run 1 group 4 of   1 | 2 | 3 | 4     5 | 6 | 7 | 8   to four elements:   1 + 3   2 + 4     5 + 7   6 + 8
rowexpand run 2 of   a   b   to eight:   a a | b b | a a | b b
```
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check, check_attribute, check_shape
from ..common.shapes import is_predicate, shape_text
from .asynchronous import EVENT, WAITS, InstructionOp
from .types import AnyTile, tile_type


class AlongRowsOp(InstructionOp, abc.ABC):
    """Base of ops between a tile and a tile with fewer elements per row: one element, or one per partial result."""

    ON_VECTORS: ClassVar = True
    input = operand_def(AnyTile)
    run = opt_prop_def(IntegerAttr.constr(i64))
    group = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$input (`run` $run^)? (`group` $group^)? {WAITS} attr-dict "
        f"`:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, input: SSAValue, columns: int, run: int | None = None, group: int | None = None):
        t = tile_type(input)
        result = t.like((*t.sizes[:-1], columns))
        super().__init__([input], [result], run=run, group=group)

    def dealt(self, columns: int, parts: int) -> tuple[int, int, int, int]:
        """
        Returns how a row of `columns` elements is divided into `parts` partial results: the number of groups; for each group, of how
        many runs a partial result consists, and the number of partial results; the length of a run.
        """
        run, group = (n if a is None else a.value.data for a, n in ((self.run, 1), (self.group, columns)))
        groups = columns // group
        return groups, columns // (parts * run), parts // groups, run

    def check_run(self, columns: int, parts: int) -> None:
        """Checks that `run` divides a row of `columns` elements evenly among `parts` partial results."""
        run = 1 if self.run is None else self.run.value.data
        problem = f"is {run}"
        check_attribute(
            self,
            (self.run is None) == (parts == 1),
            "run",
            problem,
            "give it if a row has several partial results, and only then",
        )
        even = run >= 1 and columns % (parts * run) == 0
        check_attribute(self, even, "run", problem, f"{parts} times the run must divide the {columns} columns of a row")
        if self.group is not None:
            group = self.group.value.data
            whole = self.run is not None and group >= 1 and columns % group == 0 and parts % (columns // group) == 0
            help = f"give it with 'run' only: a divisor of the {columns} columns of a row, with whole partial results for each group"
            check_attribute(self, whole, "group", f"is {group}", help)


class RowReduceOp(AlongRowsOp, abc.ABC):
    """
    Base of reductions of each row of a tile to one element, or to partial results, in the tile's element type and in any order.
    Elements outside the box of the index space are reduced as well; to exclude them, replace them with `pto.tile.mask` and
    `pto.tile.sel`.

    ```mlir
    %1 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %2 = pto.tile.rowmax %0 run 4 : tile<4x64xf32> -> tile<4x8xf32>
    ```
    """

    def __init__(self, input: SSAValue, columns: int = 1, run: int | None = None, group: int | None = None):
        super().__init__(input, columns, run, group)

    def verify_(self) -> None:
        super().verify_()
        t, result = tile_type(self.input), tile_type(self.result)
        columns = 1 if self.run is None else result.sizes[-1]
        same = (result.sizes, result.element_type) == ((*t.sizes[:-1], columns), t.element_type)
        want = f"{shape_text((*t.sizes[:-1], columns))} of {t.element_type}"
        check_shape(self, same, "the result", result, want)
        self.check_run(t.sizes[-1], columns)
        arithmetic = self.name.endswith(("sum", "prod"))
        check(self, not (arithmetic and is_predicate(t.element_type)), "must reduce numbers, got i1")


@irdl_op_definition
class RowSumOp(RowReduceOp):
    """TROWSUM: the sum of each row; integers wrap."""

    name = "pto.tile.rowsum"


@irdl_op_definition
class RowProdOp(RowReduceOp):
    """The product of each row; integers wrap."""

    name = "pto.tile.rowprod"


@irdl_op_definition
class RowMaxOp(RowReduceOp):
    """TROWMAX: the largest element of each row; NaN if the row has a NaN."""

    name = "pto.tile.rowmax"


@irdl_op_definition
class RowMinOp(RowReduceOp):
    """TROWMIN: the smallest element of each row; NaN if the row has a NaN."""

    name = "pto.tile.rowmin"


@irdl_op_definition
class RowExpandOp(AlongRowsOp):
    """
    TROWEXPAND: broadcasts a tile of one column along its rows or, with `run`, each partial result to the runs that it reduces.

    ```mlir
    %1 = pto.tile.rowexpand %0 : tile<4x1xf32> -> tile<4x64xf32>
    ```
    """

    name = "pto.tile.rowexpand"

    def verify_(self) -> None:
        super().verify_()
        t, result = tile_type(self.input), tile_type(self.result)
        check_shape(self, self.run is not None or t.sizes[-1] == 1, "the operand", t, "one element a row")
        same = (result.sizes[:-1], result.element_type) == (t.sizes[:-1], t.element_type)
        check_shape(self, same, "the result", result, f"the rows and the element type of {t}")
        self.check_run(result.sizes[-1], t.sizes[-1])


ROW_REDUCTIONS: dict[str, type[RowReduceOp]] = {"sum": RowSumOp, "mul": RowProdOp, "max": RowMaxOp, "min": RowMinOp}
"""The op for each reduction function of `tiny.reduce`."""
