"""`--dump=poly_core`: Poly Core's answers for every edge of a function of tiny ops, and its groups of fusable values."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from .answers import ComputeAt, MinBuffer
from .core import PolyCore

TILE = 32
"""Tile length along the last two axes of a consumer; 1 along the others."""


def describe(function: FuncOp, arch: str = "sm80") -> str:
    """
    Returns the answers for every edge, with tiles of 32 by 32 along the consumer's last axes:

        @row_sum on sm80
          arg0 to v0, tile i0=32: ok, halo 0 bytes; reg, 128 bytes
            v0 reads arg0 at [i0, i1] -> [i0, i1]. A tile of i0=32 reads at most 32 x 64. …
          fusable: [v0]
    """
    core = PolyCore(function, arch)
    lines = [f"@{function.sym_name.data} on {core.arch.name}"]
    for producer, consumer in core.edges():
        tile = _tile(core, consumer)
        answer = core.can_compute_at(producer, consumer, tile)
        lengths = ", ".join(f"{axis}={size}" for axis, size in tile.items()) or "whole"
        edge = f"{core.names[producer]} to {core.names[consumer]}, tile {lengths}"
        lines += [
            f"  {edge}: {_answer_text(answer)}; {_buffer_text(core.min_buffer_for_edge(producer, consumer, tile))}",
            f"    {answer.why}",
        ]
        for hint in core.bank_hints(producer, consumer, tile):
            pad = f", none with rows padded by {hint.pad} bytes" if hint.pad is not None else ""
            if hint.ways > 1:
                lines.append(f"    {hint.ways}-way bank conflict: {hint.width} bytes a lane along {hint.lanes}{pad}")
    groups = " ".join(f"[{', '.join(group)}]" for group in core.make_fusable_groups())
    return "\n".join([*lines, f"  fusable: {groups or 'nothing'}"])


def _tile(core: PolyCore, consumer: SSAValue) -> dict[str, int]:
    axes = core.book[consumer].axes
    lengths = [1] * len(axes[:-2]) + [TILE] * len(axes[-2:])
    cut = [(a, n) for a, n in zip(axes, lengths, strict=True) if not (isinstance(a.size, int) and a.size <= n)]
    return {axis.name: length for axis, length in cut}


def _answer_text(answer: ComputeAt) -> str:
    if answer.refusal is not None:
        return f"refused ({answer.refusal.code})"
    halo = ", ".join(f"{amount} along {axis}" for axis, amount in answer.halo.per_axis.items() if amount != 0)
    return f"ok, halo {answer.halo.bytes} bytes{f' ({halo})' if halo else ''}"


def _buffer_text(buffer: MinBuffer) -> str:
    depth = f" of {buffer.depth} slots" if buffer.depth is not None else ""
    return f"{buffer.buffer}{depth}{f', {buffer.bytes} bytes' if buffer.bytes is not None else ''}"
