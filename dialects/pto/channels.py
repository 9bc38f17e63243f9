"""Channels: bounded queues of tiles between a producer process and its consumer."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import cast

from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import NoTerminator

from ...errors import VerifyError
from .memory import LoadMapOp
from .syntax import Bare
from .types import AnyTile, ChannelType


@irdl_op_definition
class ChannelOp(IRDLOperation):
    """Creates an empty channel, which is private to the block."""

    name = "pto.channel"
    result = result_def(base(ChannelType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, channel: ChannelType):
        super().__init__(result_types=[channel])


@irdl_op_definition
class ProcessOp(IRDLOperation):
    """A producer that runs concurrently with the rest of the block and communicates through channels only."""

    name = "pto.process"
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "attr-dict-with-keyword $body"

    def __init__(self, body: Region | Block):
        super().__init__(regions=[Region(body) if isinstance(body, Block) else body])


class ChannelUserOp(IRDLOperation, abc.ABC):
    """Base of ops on a channel."""

    channel = operand_def(base(ChannelType))

    def require_tiles(self, values: Sequence[SSAValue]) -> None:
        channel = cast(ChannelType, self.channel.type)
        if [v.type for v in values] != list(channel.tiles):
            raise VerifyError(self, problem=f"has tiles that do not match {channel}")


@irdl_op_definition
class AcquireOp(ChannelUserOp):
    """Waits until a slot of the channel is free, and acquires it for the producer."""

    name = "pto.channel.acquire"
    assembly_format = "$channel attr-dict `:` type($channel)"

    def __init__(self, channel: SSAValue):
        super().__init__(operands=[channel])


@irdl_op_definition
class CommitOp(ChannelUserOp):
    """Stores tiles in the slot that the producer acquired last, and publishes the slot to the consumer."""

    name = "pto.channel.commit"
    tiles = var_operand_def(AnyTile)
    custom_directives = (Bare,)
    assembly_format = "$channel `,` $tiles attr-dict `:` type($channel) `,` custom<Bare>(type($tiles))"

    def __init__(self, channel: SSAValue, tiles: Sequence[SSAValue]):
        super().__init__(operands=[list(tiles), channel])

    def verify_(self) -> None:
        self.require_tiles(self.tiles)
        for tile in self.tiles:
            if not isinstance(tile.owner, LoadMapOp) or not tile.has_one_use():
                raise VerifyError(
                    self,
                    problem="must commit loaded tiles without other uses: they are copied directly into the slot",
                )


@irdl_op_definition
class WaitOp(ChannelUserOp):
    """Waits for the oldest slot that is committed, and returns its tiles. They stay valid until the slot is released."""

    name = "pto.channel.wait"
    tiles = var_result_def(AnyTile)
    custom_directives = (Bare,)
    assembly_format = "$channel attr-dict `:` type($channel) `->` custom<Bare>(type($tiles))"

    def __init__(self, channel: SSAValue):
        super().__init__(operands=[channel], result_types=[list(cast(ChannelType, channel.type).tiles)])

    def verify_(self) -> None:
        self.require_tiles(self.tiles)


@irdl_op_definition
class ReleaseOp(ChannelUserOp):
    """Releases the oldest slot that the consumer has waited for, so that the producer can acquire it again."""

    name = "pto.channel.release"
    assembly_format = "$channel attr-dict `:` type($channel)"

    def __init__(self, channel: SSAValue):
        super().__init__(operands=[channel])
