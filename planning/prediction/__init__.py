"""
Predicts the resources of a plan before it is compiled: registers, shared memory, occupancy, and the bytes and instructions of a launch.

```
registers     = min(limit, Σ constant · feature)      accumulators, fragments, copies, pointers, …     of a thread
instructions  = warps · Σ constant · feature          steps, copies, loads, multiplications, elements  of the launch
```

Features follow from the plan and the region exactly (`products.py`, `chained.py`, `points.py`), and so do shared memory, threads and blocks.
The constants (`constants.py`) were fitted to one half of the compiled kernels of `tests/cost_model`, which compares predictions with the
facts of the other half. The limit is that of ptxas: the registers of a multiprocessor divided by the threads of a block
(`__launch_bounds__`), and at most 255. A kernel with setmaxnreg has exactly so many. Spec: `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ...dialects.plan.schedule import Schedule
from ...targets.architectures import REGISTERS, REGISTERS_OF_THREAD
from ..attention.chained import ChainedTemplate
from ..template import ContractionTemplate, Request
from ..templates import template_of
from . import chained, points, products
from .constants import INSTRUCTIONS, REGISTERS_OF
from .features import Features, Prediction


def predicted(plan: Schedule, request: Request) -> Prediction:
    """Returns what the kernel of a request will take with a plan, which must be legal for it."""
    features = features_of(plan, request)
    most = min(request.arch.registers_per_thread, limit(plan))
    registers = most if features.divides else _sum(REGISTERS_OF[features.kind], features.registers)
    registers = max(1, min(most, round(registers)))
    instructions = features.warps * _sum(INSTRUCTIONS[features.kind], features.instructions)
    occupancy = request.arch.blocks(plan.threads, registers, features.shared)
    return Prediction(
        registers, features.shared, plan.threads, features.blocks, occupancy, features.sectors, round(instructions)
    )


def limit(plan: Schedule) -> int:
    """Returns the registers that ptxas may give a thread: one block must fit a multiprocessor, whose registers it allocates by eights."""
    return min(REGISTERS_OF_THREAD, REGISTERS // plan.threads // 8 * 8)


def features_of(plan: Schedule, request: Request) -> Features:
    """Returns the features of a plan."""
    request = request.for_plan(plan)
    template = template_of(plan)(request)
    if isinstance(template, ChainedTemplate):
        return chained.features(plan, request, template)
    if not isinstance(template, ContractionTemplate):
        return points.features(plan, request, template)
    product = cast("ContractionTemplate[Any]", template)
    return products.features(plan, request, product, product.known)


def _sum(constants: Mapping[str, float], features: Mapping[str, float]) -> float:
    return sum(constants[name] * value for name, value in features.items())
