"""
`pto-legalize{target=a3}`: writes kernels of tiles, channels and access maps with the instructions of a PTO target.

```
pto.kernel @k(%x: memref<128x96xf16>, …) -> (%y: …)         func.func @k(%x: !pto.memref<128x96xf16>, …, %block: index, %blocks: index)
  pto.tiles (%m, %n) in [128, 64] step [64, 32]               scf.for %m = %block · 64 to 128 step %blocks · 64
    process { for k: load A, load B, commit }                   for n:  load A, load B;  m2l, m2r;  matmul
    for k: wait · m2l · m2r · matmul.acc                                for k:  load A, load B;  m2l, m2r;  matmul.acc
    load.map · vector ops · store.map                                   a2v · load · vector ops · store
```

- A core runs every `%blocks`-th tile, from tile `%block` on, along the axis with the most tiles.
- What a process commits is loaded where it is waited for; `pto-pipeline` lets loads run ahead.
- An access map becomes a view of two dimensions; what lies outside of the index space becomes the valid region of a tile. An array that
  is read through several views is several arguments. Divisions are computed from the offsets of tiles (`views.py`).
- A row or column that is broadcast, and a number, is an operand of `rowexpand…`, `colexpand…` and `…s`.
- Accumulators start with the first product. A product that is added to a computed tile becomes a product and a sum.
- A vector tile that becomes an operand of a product goes through a workspace in global memory: a further argument.
- What lies outside of a padded array is zero in a workspace (`padding.py`). A gather by a tile of positions selects from all that it may read
  (`gathers.py`).
- Masks and indices are computed from positions (`masks.py`). Iterations whose tiles are not whole are written after their loop (`tails.py`).
- Arrays of predicates are loaded and stored as bytes, and unsigned integers are held as signed ones with the same bits. A report of a failure
  raises the core's word of the status (`reports.py`).
- A loop that accumulates tiles whose columns are summed after it accumulates the sums (`lanes.py`). The parts of a split of k are computed
  one after the other by one core, in the order of their sum.
- Functions that PTO lacks are computed from those that it has.

The module gets the attribute `pto.target`. What has no form is refused. Spec: `pto-ir.md §6`, `§7`, `§8`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ...analysis.pto.target import TARGET, target_of
from ...dialects import pto, region
from ...dialects.common.strict import is_strict
from ...errors import InvalidAttributeValue, PtirError, Unsupported
from ...targets.pto.machine import PtoMachine
from ...targets.pto.machines import machine_named
from ..input_level import require_level
from .host import Function, call_kernel
from .kernel import KernelLegalizer


def legalized(kernel: pto.PtoKernelOp, machine: PtoMachine) -> Function:
    """Returns the function of a kernel. Errors of types are reported at the kernel."""
    try:
        return KernelLegalizer(kernel, machine).build()
    except PtirError as e:
        e.op = e.op or kernel
        raise


@dataclass(frozen=True)
class PtoLegalize(ModulePass):
    """Writes each `pto.kernel` as a function of instructions of a PTO target."""

    name = "pto-legalize"
    target: str | None = None
    """The target: a2, a3 or a5. By default that of the module's attribute `pto.target`."""

    def __post_init__(self) -> None:
        if self.target is not None and not machine_named(self.target).has_pipes:
            raise InvalidAttributeValue(
                name="target",
                problem=f"is '{self.target}', a GPU",
                help="run pto-to-nv for GPUs; others are a2, a3, a5",
            )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = target_of(op, self.target)
        require_level(op, "pto.kernel", self.name)
        if is_strict(op):  # the instructions have no order of sums and no exact error of functions
            help = "remove 'ptir.strict_floats', or compile for a GPU"
            raise Unsupported(op, what=f"a module with strict floats on {machine.name}", need=help)
        kernels = [each for each in op.body.block.ops if isinstance(each, pto.PtoKernelOp)]
        functions = {k.sym_name.data: legalized(k, machine) for k in kernels}
        for launch in [each for each in op.walk() if isinstance(each, region.LaunchOp)]:
            if (found := functions.get(launch.kernel.string_value())) is not None:
                call_kernel(launch, found)
        for kernel in kernels:
            op.body.block.insert_op_before(functions[kernel.sym_name.data].function, kernel)
            op.body.block.erase_op(kernel, safe_erase=False)
        op.attributes[TARGET] = pto.TargetAttr.of(machine.name)
