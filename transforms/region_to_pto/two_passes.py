"""
Attention in two passes over the keys (`algo_choice.attention = "streaming_softmax_2pass"`): a kernel computes the maximum and the sum of each
row, and a second one computes the scores again, and multiplies the weights by the values.

```
@f         %m, %l of each row, online                     →   store to maxima, sums
@f_again   for each tile of keys:  %s = 0 + Q · K;   %acc' = %acc + convert(exp(%x - maxima) · 1/sums) · V;   the epilogue
@f_rows    results of rows, from maxima and sums
```

Each weight is rounded to the type of the values after its division, as in the program, and no accumulator is rescaled. The second
kernel is that of chained products (`chained.py`). Spec: `tensor-compiler.ja §1.7`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import islpy as isl
from msgspec import UNSET, structs
from xdsl.ir import SSAValue

from ...analysis.regions.kernel_space import kernel_space, stored_values
from ...dialects.common.shapes import element, shape
from ...dialects.plan import ScheduleAttr
from ...planning.attention.chained import RECOMPUTE
from ...planning.epilogue import epilogue_labels
from ...planning.template import Request
from ..plan_regions import plan_region
from ..ptir_to_tiny.writer import Writer
from .further_kernels import FurtherKernel, PartialProgram, further_kernel
from .scope import Scope


class TwoPassProgram(PartialProgram):
    """Writes the kernel of the rows, and those that read them."""

    names = ("maxima", "sums")
    multiplies = False

    def start(self) -> Sequence[SSAValue]:
        return self.start_rows()

    def iterate(
        self, scope: Scope, carried: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> Sequence[SSAValue]:
        return self.numerators(scope, carried, guard, masks)[-1]

    def end(self, carried: Sequence[SSAValue]) -> None:
        self.erase_results()
        for tile in self.as_in_program(carried):
            self.store_part(tile, self.space.of_rows_of_scores, shape(self.attention.total.result))

    def further_kernels(self, name: Callable[[str], str]) -> list[FurtherKernel]:
        stored = stored_values(self.kernel)
        of_rows = [k for k, root in enumerate(stored) if self.is_of_rows(root)]
        products = [k for k in range(len(stored)) if k not in of_rows]
        again = self.from_rows(name("again"), products)
        labels = epilogue_labels(again.kernel, kernel_space(again.kernel))
        plan = structs.replace(
            self.plan, algo_choice={"attention": RECOMPUTE}, epilogue=labels, rescale_threshold=UNSET
        )
        again.kernel.plan = ScheduleAttr(plan)
        found = [again, *(self.from_rows(name(f"rows_{k}"), [k]) for k in of_rows)]
        for each in found:
            plan_region(Request.of(each.kernel, self.plan.arch))
        return found

    def from_rows(self, name: str, results: Sequence[int]) -> FurtherKernel:
        """Returns the kernel that computes some results from the maximum and the sum of each row."""
        return further_kernel(
            self.kernel, name, results, dict(enumerate(self.workspaces)), self.attention.rows, self.start_of_rows
        )

    def start_of_rows(self, write: Writer, rows: Sequence[SSAValue]) -> list[SSAValue]:
        return [write.cast(row, element(value)) for row, value in zip(rows, self.attention.rows, strict=True)]
