"""
`nv-check-kernels`: checks in every `gpu.func` the rules that concern a kernel as a whole.

The verifier of a kernel's last `nv.role` checks the same rules, so that no pass can leave an invalid warp-specialized
kernel behind. This pass also checks kernels without roles, and IR that was not verified between passes.

```
scf.if %thread_is_0 {
  "gpu.barrier"()        error: 'gpu.barrier' must be reached by all threads of the block, but control flow diverges
}
```

The rules are listed in `analysis/nv/checks.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.passes import ModulePass

from ..analysis.nv.checks import check_kernel
from ..errors import PtirError
from ..text.errors import VerificationFailed
from ..text.verify import find_failures


@dataclass(frozen=True)
class NvCheckKernels(ModulePass):
    """Verifies the module, then reports the first broken rule of each kernel. Raises `VerificationFailed`."""

    name = "nv-check-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        failures = find_failures(op)  # the rules rely on valid ops
        for kernel in () if failures else (f for f in op.walk() if isinstance(f, FuncOp) and f.body.blocks):
            try:
                check_kernel(kernel.body.block)
            except PtirError as error:
                failures.append((error.op or kernel, error))
        if failures:
            raise VerificationFailed(failures)
