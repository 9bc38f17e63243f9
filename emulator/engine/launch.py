"""Launches a kernel on the CPU: checks sizes, packs arguments, runs batches of CTAs."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from math import prod
from operator import mod
from typing import Any
from zlib import crc32

import numpy as np

from ...errors import counted
from ..errors import BadLaunch, NoSuchKernel
from ..isa.program import Program
from ..isa.special import Dim3, cta_numbers, dim3
from ..isa.syntax import Kernel, Module, Parameter
from ..memory.memory import Memory
from ..memory.tensor_map import TensorMap
from ..sync.barriers import Barriers
from ..sync.cluster import ClusterBarrier, Peers
from ..sync.mbarrier import Mbarriers
from ..sync.races import GlobalRaces, Record
from ..sync.register_pool import RegisterPools
from .machine import Launch, Machine
from .prepare import prepare
from .report import Report

MAX_LANES = 1 << 16
"""Maximum number of lanes in a batch of CTAs."""
MAX_BYTES = 1 << 29
"""Maximum memory of a batch of CTAs, in bytes, as `_batch` estimates it."""

SHARED_LIMIT = 227 * 1024
"""Maximum shared memory of a CTA, in bytes."""
REGISTERS = 65536
"""Number of registers of a multiprocessor."""
CLUSTER_LIMIT = 8
"""Maximum number of CTAs in a cluster of portable size."""

_PARTS = (Peers, Barriers, Mbarriers, ClusterBarrier, RegisterPools)
"""Parts that block lanes or are notified of exits, in the order in which a deadlock's message lists them."""


def launch(
    module: Module,
    kernel: str,
    *,
    grid: Sequence[int] | int,
    block: Sequence[int] | int,
    args: Sequence[Any],
    memory: Memory,
    dynamic_shared: int = 0,
    cluster: Sequence[int] | int | None = None,
    registers: int = 0,
    max_steps: int = 20_000_000,
    seed: int | None = None,
    trace: bool = False,
    ctas: int | None = None,
) -> Report:
    """
    Runs `kernel` with one argument per parameter: addresses from `memory.bind` and integers as int, floats as
    float, structs passed by value as bytes (or numpy scalars of the right size), tensor maps as `TensorMap`.
    `cluster` is counted in CTAs; None means the kernel's `__cluster_dims__`, else one CTA. `registers` is the number of
    registers per thread that ptxas allocated, for `setmaxnreg`; 0 derives it from the launch bounds.

    Without a `seed`, the lanes at the smallest program counter run first, and bulk copies complete at once. With a `seed`,
    the warps that run are drawn at random after each synchronization, and bulk copies complete at random times. With
    `trace`, the report's `trace` is a hash of each thread's memory operations. `ctas` runs only so many CTAs, the first ones in whole
    clusters; the report counts only these.

    Raises `NoSuchKernel`, `BadLaunch`, `UnknownOpcode`, `BadOperand`, and `EmulatorFault` for undefined behavior; the
    arrays then hold what was stored before the fault.
    """
    found = module.kernels.get(kernel)
    if found is None:
        raise NoSuchKernel(name=kernel, known=", ".join(module.kernels) or "none")
    clusters = (found.cluster or (1, 1, 1)) if cluster is None else dim3(cluster)
    sizes = dim3(grid), dim3(block), clusters
    pool = registers or _registers(found, sizes[1])
    call = Launch(*sizes, _pack(found, args), dynamic_shared, max_steps, seed, trace, pool)
    program, code = prepare(module, found, memory.bind_module(module), call.warps)
    _check(program, call)
    begin = time.perf_counter()
    report = Report(kernel=kernel)
    record = Record(program.store_granule)
    total = prod(call.grid)
    if ctas is not None:
        total = min(total, max(1, ctas // call.cluster_size) * call.cluster_size)
    batch = _batch(program, call)
    order = cta_numbers(call.grid, call.cluster)
    for first in range(0, total, batch):
        machine = Machine(program, call, memory, first, order[first : min(first + batch, total)])
        machine.parts[GlobalRaces] = GlobalRaces(machine, record)
        for kind in _PARTS:
            machine.part(kind)
        machine.run(code)
        if machine.trace:
            report.trace = crc32(machine.trace.total().to_bytes(4, "little"), report.trace)
        report.add(found.instructions, machine.executed, machine.lane_steps, machine.counters)
    report.seconds = time.perf_counter() - begin
    return report


def _check(program: Program, call: Launch) -> None:
    kernel, grid, cluster = program.kernel, call.grid, call.cluster
    limit = kernel.max_threads
    most = min(1024, prod(limit)) if limit else 1024
    size = program.static_shared + call.dynamic_shared
    rules = [
        (min(*grid, *call.block) < 1, f"grid {grid} and block {call.block} must be positive"),
        (call.threads > most, f"{call.threads} threads a block, but at most {most} are possible"),
        (
            kernel.exact_threads and call.block != limit,
            f"a block of {call.block} threads, but the kernel requires {limit}",
        ),
        (max(grid[1:]) > 65535, f"grid {grid} exceeds 65535 in y or z"),
        (
            min(cluster) < 1 or call.cluster_size > CLUSTER_LIMIT,
            f"a cluster of {cluster} CTAs, but at most {CLUSTER_LIMIT} are possible",
        ),
        (any(map(mod, grid, map(max, cluster, (1, 1, 1)))), f"grid {grid} is not a multiple of the cluster {cluster}"),
        (kernel.cluster not in (None, cluster), f"cluster {cluster}, but the kernel requires {kernel.cluster}"),
        (size > SHARED_LIMIT, f"{size} bytes of shared memory, but at most {SHARED_LIMIT} are possible"),
    ]
    for bad, problem in rules:
        if bad:
            raise BadLaunch(name=kernel.name, problem=problem)


def _batch(program: Program, call: Launch) -> int:
    """Returns the number of CTAs per batch, a multiple of the cluster size."""
    lanes = call.warps * 32
    shared = program.static_shared + call.dynamic_shared
    agents = call.cluster_size * (2 * call.warps + program.agents.warpgroups)
    shadow = shared // program.granule * (14 + 4 * agents)
    size = lanes * (program.register_bytes + 2 * program.local_bytes) + 2 * shared + shadow
    most = min(MAX_LANES // lanes, MAX_BYTES // max(1, size))
    return max(1, most // call.cluster_size) * call.cluster_size


def _registers(kernel: Kernel, block: Dim3) -> int:
    """Returns the registers per thread at launch, by `.maxnreg` or the launch bounds; 0 if neither is given."""
    if kernel.max_registers:
        return kernel.max_registers // 8 * 8
    threads = -(-prod(block) // 128) * 128
    return min(255, REGISTERS // (threads * kernel.blocks)) // 8 * 8 if kernel.blocks else 0


def _pack(kernel: Kernel, args: Sequence[Any]) -> bytes:
    if len(args) != len(kernel.parameters):
        raise BadLaunch(
            name=kernel.name, problem=f"{counted(len(kernel.parameters), 'argument')} expected, got {len(args)}"
        )
    block = bytearray(kernel.parameter_bytes)
    for parameter, value in zip(kernel.parameters, args, strict=True):
        data = _bytes(kernel, parameter, value)
        block[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(block)


def _bytes(kernel: Kernel, parameter: Parameter, value: Any) -> bytes:
    """Returns one argument as the parameter's bytes."""
    data: bytes | None = None
    type_ = parameter.type
    if isinstance(value, TensorMap):
        data = value.encode()
    elif isinstance(value, (bytes, bytearray)):
        data = bytes(value)
    elif isinstance(value, np.generic):
        data = value.tobytes()
    elif isinstance(value, (int, float)) and type_ is not None and type_.is_float and type_.bits >= 32:
        data = struct.pack("<f" if type_.bits == 32 else "<d", value)
    elif isinstance(value, int) and type_ is not None:
        data = (value & ((1 << type_.bits) - 1)).to_bytes(type_.bytes, "little")
    if data is None or len(data) != parameter.size:
        wanted = f"a {type_.name}" if type_ else f"{parameter.size} bytes"
        raise BadLaunch(name=kernel.name, problem=f"{parameter.name} is {wanted}, got {value!r}")
    return data
