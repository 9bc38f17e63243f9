"""Ops of a fragment through which warps exchange data: by scratch in shared memory, which each op has of its own."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation
from xdsl.irdl import base, operand_def, opt_prop_def, result_def

from ...errors import counted
from ...targets.architectures import WARP, WARPGROUP
from ..common.checks import check, check_attribute, check_type
from ..common.ops import DialectOp
from .roles import Collective, Scope, blocks_of, enclosing, role_of, threads_of
from .types import FragType


class ScratchOp(DialectOp, abc.ABC):
    """Base of ops on a fragment whose warps, if they exchange data, do so at byte `scratch` of shared memory."""

    input = operand_def(base(FragType))
    scratch = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(base(FragType))

    @property
    @abc.abstractmethod
    def scratch_bytes(self) -> int:
        """Size of the scratch in bytes."""

    def verify_scratch(self, is_shared: bool, help: str) -> None:
        """Checks that there is scratch exactly if warps exchange data, aligned and not reused by a loop."""
        start = None if self.scratch is None else self.scratch.value.data
        problem = "is missing" if start is None else f"is {start}"
        check_attribute(self, (start is not None) == is_shared, "scratch", problem, help)
        aligned = start is None or (start >= 0 and start % 16 == 0)
        check_attribute(self, aligned, "scratch", problem, "a multiple of 16 bytes")
        loop = enclosing(self, scf.ForOp) or enclosing(self, scf.WhileOp)
        problem = "is in a loop: its next iteration would overwrite scratch that other warps still read"
        check(self, start is None or loop is None, problem)


@dataclass(frozen=True)
class SharedCollective(Collective):
    """The op is collective over a warp or, if warps exchange data, over the block."""

    scope: Scope = Scope.WARP

    def scope_of(self, op: Operation) -> Scope:
        return Scope.ROLE if isinstance(op, ScratchOp) and op.scratch is not None else Scope.WARP


def check_block(op: Operation, t: FragType) -> None:
    """
    Checks that `op` is outside roles, and that the block and its cluster have exactly the warps and blocks that hold a fragment of
    type `t`. Each warpgroup of a role holds fragments of a warpgroup of its own, and each warp those of a warp, unless they pass
    through scratch.
    """
    of_warp = not (t.layout.warps or t.layout.blocks) and getattr(op, "scratch", None) is None
    if t.layout.threads == WARPGROUP or of_warp:
        return
    check(op, role_of(op) is None, "is executed by all warps of a block: it belongs outside nv.role")
    threads, held = threads_of(op), WARP * prod(mode.radix for mode in t.layout.warps)
    check_type(op, threads in (None, held), "a fragment", t, f"the block has {threads} threads, not {held}")
    blocks, holders = blocks_of(op), prod(mode.radix for mode in t.layout.blocks)
    check_type(
        op,
        blocks in (None, holders),
        "a fragment",
        t,
        f"the cluster has {counted(blocks or 0, 'block')}, not {holders}",
    )
