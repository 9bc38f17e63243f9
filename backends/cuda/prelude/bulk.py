"""Bulk tensor copies (TMA) between global and shared memory."""

from __future__ import annotations

from .piece import Piece, instruction, wait_instruction

AXES = range(1, 6)


def _coordinates(axes: int, first: int) -> tuple[str, str, str]:
    """Returns C parameters, asm operands, and their PTX placeholders, innermost axis first."""
    names = [f"i{k}" for k in range(axes)]
    places = ", ".join(f"%{first + k}" for k in reversed(range(axes)))
    return ", ".join(f"int {n}" for n in names), ", ".join(f'"r"({n})' for n in names), f"{{{places}}}"


def _load(axes: int, multicast: bool) -> Piece:
    parameters, operands, places = _coordinates(axes, 4 if multicast else 3)
    name = f"tma_load_{axes}d{'_multicast' if multicast else ''}"
    modifier, mask = (".multicast::cluster", ", %3") if multicast else ("", "")
    to_all = ": to all blocks of the mask" if multicast else ""
    return Piece(
        f"""// PTX ISA 9.7.9.27.1.2{to_all}
DEV void {name}(u32 to, const tensor_map& map, {parameters}, u32 barrier{", int blocks" if multicast else ""}) {{
  asm volatile("cp.async.bulk.tensor.{axes}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{modifier} [%0], [%1, {places}], [%2]{mask};"
               :: "r"(to), "l"(&map), "r"(barrier), {'"h"((u16)blocks), ' if multicast else ""}{operands} : "memory");
}}""",
        ("tensor_map",),
    )


def _load_im2col(axes: int, multicast: bool) -> Piece:
    parameters, operands, places = _coordinates(axes, 4 if multicast else 3)
    name = f"tma_load_im2col_{axes}d{'_multicast' if multicast else ''}"
    modifier, mask, last = (".multicast::cluster", ", %3", ", int blocks") if multicast else ("", "", "")
    first = axes + (4 if multicast else 3)
    taps = ", ".join(f"int f{k}" for k in range(axes - 2))
    at = ", ".join(f"%{first + k}" for k in reversed(range(axes - 2)))
    offsets = ", ".join(f'"h"((u16)f{k})' for k in range(axes - 2))
    load = f"cp.async.bulk.tensor.{axes}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{modifier}"
    return Piece(
        f"""// PTX ISA 9.7.9.27.1.2, 5.5.4{": to all blocks of the mask" if multicast else ""}
DEV void {name}(u32 to, const tensor_map& map, {parameters}, {taps}, u32 barrier{last}) {{
  asm volatile("{load} [%0], [%1, {places}], [%2], {{{at}}}{mask};"
               :: "r"(to), "l"(&map), "r"(barrier), {'"h"((u16)blocks), ' if multicast else ""}{operands}, {offsets} : "memory");
}}""",
        ("tensor_map",),
    )


def _store(axes: int) -> Piece:
    parameters, operands, places = _coordinates(axes, 2)
    return Piece(
        f"""// PTX ISA 9.7.9.27.1.2
DEV void tma_store_{axes}d(const tensor_map& map, {parameters}, u32 from) {{
  asm volatile("cp.async.bulk.tensor.{axes}d.global.shared::cta.tile.bulk_group [%0, {places}], [%1];"
               :: "l"(&map), "r"(from), {operands} : "memory");
}}""",
        ("tensor_map",),
    )


PIECES: dict[str, Piece] = {
    "tensor_map": Piece(
        "// a CUtensorMap, encoded by cuTensorMapEncodeTiled\nstruct alignas(64) tensor_map { u64 opaque[16]; };",
        ("u64",),
    ),
    **{
        f"tma_load_{axes}d{'_multicast' if multicast else ''}": _load(axes, multicast)
        for axes in AXES
        for multicast in (False, True)
    },
    **{
        f"tma_load_im2col_{axes}d{'_multicast' if multicast else ''}": _load_im2col(axes, multicast)
        for axes in range(3, 6)
        for multicast in (False, True)
    },
    **{f"tma_store_{axes}d": _store(axes) for axes in AXES},
    "prefetch_map": Piece(
        """// PTX ISA 9.7.9.17
DEV void prefetch_map(const tensor_map& map) {
  asm volatile("prefetch.tensormap [%0];" :: "l"(&map) : "memory");
}""",
        ("tensor_map",),
    ),
    **instruction("bulk_commit", "cp.async.bulk.commit_group", "9.7.9.27.2.1"),
    **wait_instruction("bulk_wait_read", "cp.async.bulk.wait_group.read", "9.7.9.27.2.2"),
    **instruction("fence_async", "fence.proxy.async.shared::cta", "9.7.13.4"),
}
