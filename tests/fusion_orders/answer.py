"""What fusion and planning answer: the kernels of a program with their plans, however its ops are ordered and whatever Python hashes."""

from __future__ import annotations

import json
import sys
from collections import Counter
from functools import cache
from random import Random
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from examples.models import network
from ptir.analysis.program.structural_hash import structural_hash
from ptir.dialects.region import LaunchOp, RegionKernelOp
from ptir.passes.manager import PassManager

ARCH = "sm80"
LOWERED = "ptir-flatten-tuples,ptir-to-tiny,tiny-fold-empty,cse"


@cache
def lowered(name: str) -> ModuleOp:
    """Returns a network of `examples.models`, in its smallest configuration, as tiny ops."""
    built = network(name)
    return PassManager(LOWERED).run(built.build(built.CONFIGS["tiny"]))


def shuffled(function: FuncOp, seed: int) -> None:
    """Puts the ops of a function in another order, in which values are still defined before they are used."""
    rng, block = Random(seed), function.body.block
    end = block.last_op
    assert end is not None
    makers = {
        op: {v.owner: None for v in op.operands if isinstance(v.owner, Operation)} for op in block.ops if op is not end
    }
    users: dict[Operation, list[Operation]] = {op: [] for op in makers}
    for op, read in makers.items():
        for maker in read:
            users[maker].append(op)
    ready = [op for op, read in makers.items() if not read]
    while ready:
        op = ready.pop(rng.randrange(len(ready)))
        op.detach()
        block.insert_op_before(op, end)
        for user in users[op]:
            del makers[user][op]
            ready += [user] * (not makers[user])


def answer(name: str, strategy: str, order: int) -> dict[str, int]:
    """
    Returns how often each kernel is launched, by the hashes of the kernels with their plans. `order` is the seed of the order of the ops,
    0 for that of the program.
    """
    module = lowered(name).clone()
    for function in [o for o in module.ops if isinstance(o, FuncOp) and not o.is_declaration]:
        if order:
            shuffled(function, order)
    PassManager(f"form-regions{{arch={ARCH} strategy={strategy}}},plan-regions{{arch={ARCH}}}").run(module)
    kernels = {o.sym_name.data: structural_hash(o) for o in module.walk() if isinstance(o, RegionKernelOp)}
    launches = [o for o in module.walk() if isinstance(o, LaunchOp)]
    return dict(sorted(Counter(kernels[o.kernel.string_value()] for o in launches).items()))


def main() -> None:
    """Answers each line of stdin, a list of the arguments of `answer` as JSON, by a line of JSON: the answer, or the text of an error."""
    for line in sys.stdin:
        try:
            found: Any = answer(*json.loads(line))
        except Exception as error:  # a question that crashes is a failure, and no reason to stop
            found = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
