"""The features of a plan, and what they predict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from ...dialects import tiny
from ...dialects.common.shapes import memref_of
from ...targets.architectures import SECTOR
from ...targets.mma import element_bytes
from ..template import Request

SHORT = frozenset(
    ("add", "sub", "mul", "max", "min", "maximum", "minimum", "neg", "abs", "relu", "where", "cast", "and", "or", "not", "xor",
     "eq", "ne", "lt", "le", "gt", "ge", "floor", "ceil", "round", "sign")
)  # fmt: skip
"""Functions of one instruction or two; each of the others is a polynomial or has several cases."""


@dataclass(frozen=True)
class Prediction:
    """Per thread: `registers`. Per block: `shared` bytes, `threads`. Of the launch: `blocks`, `sectors`, and `instructions` of warps."""

    registers: int
    shared: int
    threads: int
    blocks: int
    occupancy: int
    """Number of blocks that a multiprocessor holds."""
    sectors: int
    instructions: int


@dataclass(frozen=True)
class Features:
    """
    The quantities of a kernel of a `kind` that follow exactly from its plan. `registers` are features of a thread and `instructions` of one warp, of
    which there are `warps` in all blocks. With `divides`, setmaxnreg divides all registers of a block.
    """

    kind: str
    shared: int
    blocks: int
    sectors: int
    warps: int
    registers: Mapping[str, float]
    instructions: Mapping[str, float]
    divides: bool = False


def functions(ops: Iterable[Operation]) -> tuple[int, int]:
    """Returns the numbers of functions of a few instructions, and of all others, among ops."""
    found = [op.fn.data for op in ops if isinstance(op, tiny.UnaryOp | tiny.BinaryOp)]
    long = sum(name not in SHORT for name in found)
    return len(found) - long, long


def array_sectors(request: Request, skipped: int = 0) -> int:
    """Returns the sectors of the arrays of a kernel but its first inputs, each read or written once."""
    arrays = [memref_of(arg) for arg in (*request.kernel.inputs[skipped:], *request.kernel.outputs)]
    return sum(-(-prod(t.get_shape()) * element_bytes(t.element_type) // SECTOR) for t in arrays)
