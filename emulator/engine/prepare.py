"""Prepares a kernel: computes its static properties, and decodes its instructions into steps, with a builder for each opcode."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from ..isa import alu, bits, convert, floats, matrix_memory, mma, warp, wgmma
from ..isa.decode import Builder, decode, operandless
from ..isa.program import Program, place_variables
from ..isa.syntax import Kernel, Module
from ..isa.types import PACKED, SCALARS
from ..memory import async_copy, atomics, bulk_ops, memops
from ..sync import cluster_ops, fences, mbarrier_ops, register_pool, sync
from .machine import Machine
from .scheduler import Code

_FLOATS: dict[str, Builder] = {
    "add sub mul mad div": floats.build_arithmetic,
    "min max": floats.build_extremum,
    "abs neg": floats.build_sign,
}
"""The builders of opcodes that end in a float type; the builders of `_BUILDERS` for the same words are for integers."""

_BUILDERS: dict[str, Builder] = {
    **{word: alu.elementwise(function) for word, function in alu.ELEMENTWISE.items()},
    "add sub": alu.build_add,
    "add.cc sub.cc addc subc mad.lo.cc mad.hi.cc madc": alu.build_carry,
    "mul": alu.build_mul,
    "mad": alu.build_mad,
    "mul24 mad24": alu.build_mul24,
    "dp4a dp2a": alu.build_dot,
    "shl shr": alu.build_shift,
    "fma sqrt rcp": floats.build_arithmetic,
    "ex2 lg2 rsqrt sin cos tanh": floats.build_approximate,
    "copysign": floats.build_copysign,
    "testp": floats.build_testp,
    "popc": bits.build_popc,
    "clz": bits.build_clz,
    "bfind": bits.build_bfind,
    "brev": bits.build_brev,
    "bfe": bits.build_bfe,
    "bfi": bits.build_bfi,
    "shf": bits.build_shf,
    "prmt": bits.build_prmt,
    "lop3": bits.build_lop3,
    "mov": bits.build_mov,
    "selp": bits.build_selp,
    "slct": bits.build_slct,
    "setp set": bits.build_setp,
    "cvt": convert.build_cvt,
    "cvta": convert.build_cvta,
    "ld ldu": memops.build_ld,
    "st": memops.build_st,
    "st.async": cluster_ops.build_st_async,
    "createpolicy": memops.build_createpolicy,
    "prefetch prefetchu discard applypriority": operandless(fences.do_nothing),
    "atom red": atomics.build_atomic,
    "cp.async": async_copy.build_copy,
    "cp.async.commit_group": operandless(async_copy.commit),
    "cp.async.wait_group cp.async.wait_all": async_copy.build_wait,
    "cp.async.mbarrier": async_copy.build_mbarrier_arrive,
    "cp.async.bulk.commit_group": operandless(bulk_ops.commit),
    "cp.async.bulk.wait_group": bulk_ops.build_wait,
    "cp.async.bulk.prefetch": operandless(fences.do_nothing),
    "cp.async.bulk.shared::cta cp.async.bulk.shared::cluster": bulk_ops.build_load,
    "cp.async.bulk.global cp.reduce.async.bulk": bulk_ops.build_store,
    "cp.async.bulk.tensor cp.reduce.async.bulk.tensor": bulk_ops.build_tensor_copy,
    "ldmatrix": matrix_memory.build_ldmatrix,
    "stmatrix": matrix_memory.build_stmatrix,
    "mma": mma.build_mma,
    "wgmma.fence": operandless(wgmma.fence),
    "wgmma.mma_async": wgmma.build_product,
    "wgmma.commit_group": operandless(wgmma.commit),
    "wgmma.wait_group": wgmma.build_wait,
    "setmaxnreg": register_pool.build_setmaxnreg,
    "shfl": warp.build_shfl,
    "vote": warp.build_vote,
    "activemask": warp.build_activemask,
    "redux": warp.build_redux,
    "match": warp.build_match,
    "elect": fences.build_elect,
    "bar.warp": warp.build_barrier,
    "bar barrier": sync.build_barrier,
    "barrier.cluster": cluster_ops.build_cluster_barrier,
    "mapa": cluster_ops.build_mapa,
    "getctarank": cluster_ops.build_getctarank,
    "mbarrier.init": mbarrier_ops.build_init,
    "mbarrier.inval": mbarrier_ops.build_inval,
    "mbarrier.expect_tx mbarrier.complete_tx": mbarrier_ops.build_transactions,
    "mbarrier.arrive mbarrier.arrive_drop": mbarrier_ops.build_arrive,
    "mbarrier.test_wait mbarrier.try_wait": mbarrier_ops.build_wait,
    "fence membar": fences.build_fence,
    "fence.mbarrier_init": operandless(fences.fence_mbarrier_init),
    "fence.proxy": operandless(fences.do_nothing),
    "fence.proxy.async": fences.build_proxy_fence,
    "bra": sync.build_bra,
    "brx": sync.build_brx,
    "ret exit": operandless(Machine.exit),
    "trap brkpt": operandless(sync.trap),
    "nanosleep": operandless(fences.sleep),
    "griddepcontrol": operandless(fences.do_nothing),
}
"""The builders of opcodes by their first words; the longest match is taken. `FORMS` lists the modifiers of each."""


def prepare(module: Module, kernel: Kernel, symbols: dict[str, int], warps: int) -> tuple[Program, Code[Machine]]:
    """
    Returns `kernel`'s static properties and its steps; `symbols` are the addresses of the module's global variables. The
    last result is cached in `kernel`.
    """
    if kernel.prepared[:2] != [symbols, warps]:
        program = place_variables(module, kernel, symbols, warps)
        kernel.prepared[:] = [dict(symbols), warps, (program, decode(program, _builder))]
    return kernel.prepared[2]


def _rows(table: dict[str, Builder]) -> dict[str, Builder]:
    return {prefix: builder for prefixes, builder in table.items() for prefix in prefixes.split()}


_BY_PREFIX = _rows(_BUILDERS)
_BY_TYPE = dict.fromkeys((*PACKED, *(t.name for t in SCALARS.values() if t.is_float)), _BY_PREFIX | _rows(_FLOATS))


@lru_cache(maxsize=4096)
def _builder(opcode: str) -> Builder | None:
    parts = opcode.split(".")
    table = _BY_TYPE.get(parts[-1], _BY_PREFIX)
    return next((table[p] for p in reversed(list(accumulate(parts, "{}.{}".format))) if p in table), None)
