"""
The opcodes that the emulator executes, one form per line, with their number of operands (PTX ISA §9.7);
`.L2::cache_hint` and `.multicast::cluster` add one operand each.

`{a b}` is a choice, `[.x]` is optional, a name in capitals is one of `_SETS`. Any other opcode is an error
(`UnknownOpcode`), so that no modifier is ignored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache

_SETS = {
    "INT": "{u16 u32 u64 s16 s32 s64}",
    "WORD": "{u32 u64 s32 s64}",
    "BYTES": "{u8 u16 u32 u64 s8 s16 s32 s64}",
    "BITS": "{b16 b32 b64}",
    "ANY": "{b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64}",
    "HALF": "{f16 f16x2}",
    "BRAIN": "{bf16 bf16x2}",
    "R": "{rn rz rm rp}",
    "RI": "{rni rzi rmi rpi}",
    "TEST": "{eq ne lt le gt ge}",
    "FTEST": "{eq ne lt le gt ge equ neu ltu leu gtu geu num nan}",
    "BOOL": "{and or xor}",
    "SCOPE": "{cta cluster gpu sys}",
    "SHARED": "[.shared[::cta]]",
    "HINT": "[.L2::cache_hint]",
    "DIM": "{1d 2d 3d 4d 5d}",
    "ATOM": "[.{relaxed acquire release acq_rel}][.SCOPE][.{global shared shared::cta shared::cluster}]",
    "RED": "[.{relaxed release}][.SCOPE][.{global shared shared::cta shared::cluster}]",
    "FP8": "{e4m3 e5m2}",
    "INT8": "{s8 u8}",
    "MMA": "{m8n8k4 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m8n8k16}",
    "SHAPE": f"m64n{{{' '.join(map(str, range(8, 257, 8)))}}}k{{8 16 32}}",
    "CACHE": "[.L1::{evict_normal evict_unchanged evict_first evict_last no_allocate}]"
    "[.L2::{evict_normal evict_first evict_last}][.L2::cache_hint][.L2::{64B 128B 256B}]",
}

FORMS = """
{add sub}.INT                                                           3
{add sub}.sat.s32                                                       3
{add sub addc subc}.cc.WORD                                             3
{addc subc}.WORD                                                        3
{add sub}[.R][.ftz][.sat].f32                                           3
{add sub}[.R].f64                                                       3
{add sub mul}[.rn][.ftz][.sat].HALF                                     3
{add sub mul}[.rn].BRAIN                                                3
mul[.R][.ftz][.sat].f32                                                 3
mul[.R].f64                                                             3
mul.{lo hi}.INT                                                         3
mul.wide.{u16 u32 s16 s32}                                              3
mul24.{lo}.{u32 s32}                                                    3
mad.{lo hi}.INT                                                         4
mad.wide.{u16 u32 s16 s32}                                              4
{mad madc}.{lo hi}.cc.WORD                                              4
madc.{lo hi}.WORD                                                       4
mad24.lo.{u32 s32}                                                      4
{fma mad}.R[.ftz][.sat].f32                                             4
{fma mad}.R.f64                                                         4
fma.rn[.ftz][{.sat .relu}].HALF                                         4
fma.rn[.relu].BRAIN                                                     4
{div rem}.INT                                                           3
div.{approx full}[.ftz].f32                                             3
div.R[.ftz].f32                                                         3
div.R.f64                                                               3
sqrt.approx[.ftz].f32                                                   2
sqrt.R[.ftz].f32                                                        2
sqrt.R.f64                                                              2
rcp.approx[.ftz].f32                                                    2
rcp.R[.ftz].f32                                                         2
rcp.R.f64                                                               2
rcp.approx.ftz.f64                                                      2
rsqrt.approx[.ftz].{f32 f64}                                            2
{sin cos lg2}.approx[.ftz].f32                                          2
ex2.approx[.ftz].f32                                                    2
ex2.approx.HALF                                                         2
ex2.approx.ftz.BRAIN                                                    2
tanh.approx.{f32 f16 f16x2 bf16 bf16x2}                                 2
{min max}.INT                                                           3
{min max}[.ftz][.NaN].f32                                               3
{min max}.f64                                                           3
{min max}[.ftz][.NaN].HALF                                              3
{min max}[.NaN].BRAIN                                                   3
abs.{s16 s32 s64}                                                       2
neg.{s16 s32 s64}                                                       2
{abs neg}[.ftz].{f32 f16 f16x2}                                         2
{abs neg}.{f64 bf16 bf16x2}                                             2
copysign.{f32 f64}                                                      3
testp.{finite infinite number notanumber normal subnormal}.{f32 f64}    2
sad.INT                                                                 4
dp4a.{u32 s32}.{u32 s32}                                                4
dp2a.{lo hi}.{u32 s32}.{u32 s32}                                        4
{and or xor}.{pred b16 b32 b64}                                         3
not.{pred b16 b32 b64}                                                  2
cnot.BITS                                                               2
{popc clz brev}.{b32 b64}                                               2
bfind[.shiftamt].WORD                                                   2
bfe.WORD                                                                4
bfi.{b32 b64}                                                           5
shl.BITS                                                                3
shr.{b16 b32 b64 u16 u32 u64 s16 s32 s64}                               3
shf.{l r}.{clamp wrap}.b32                                              4
prmt.b32[.{f4e b4e rc8 ecl ecr rc16}]                                   4
lop3.b32                                                                5
mov.{pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64}                  2
selp.{b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64}                      4
slct.{b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64}.s32                  4
slct[.ftz].{b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64}.f32            4
setp.TEST.INT                                                           3
setp.{lo ls hi hs}.{u16 u32 u64}                                        3
setp.{eq ne}.BITS                                                       3
setp.FTEST[.ftz].{f32 f16}                                              3
setp.FTEST.{f64 bf16}                                                   3
setp.TEST.BOOL.INT                                                      4
setp.{lo ls hi hs}.BOOL.{u16 u32 u64}                                   4
setp.{eq ne}.BOOL.BITS                                                  4
setp.FTEST.BOOL[.ftz].{f32 f16}                                         4
setp.FTEST.BOOL.{f64 bf16}                                              4
set.TEST.{u32 s32 f32}.INT                                              3
set.{lo ls hi hs}.{u32 s32 f32}.{u16 u32 u64}                           3
set.{eq ne}.{u32 s32 f32}.BITS                                          3
set.FTEST[.ftz].{u32 s32 f32}.f32                                       3
set.FTEST.{u32 s32 f32}.f64                                             3
set.TEST.BOOL.{u32 s32 f32}.INT                                         4
set.{lo ls hi hs}.BOOL.{u32 s32 f32}.{u16 u32 u64}                      4
set.{eq ne}.BOOL.{u32 s32 f32}.BITS                                     4
set.FTEST.BOOL[.ftz].{u32 s32 f32}.f32                                  4
set.FTEST.BOOL.{u32 s32 f32}.f64                                        4
cvt.BYTES.BYTES                                                         2
cvt.sat.u8.{s8 u16 s16 u32 s32 u64 s64}                                 2
cvt.sat.s8.{u8 u16 s16 u32 s32 u64 s64}                                 2
cvt.sat.u16.{s8 s16 u32 s32 u64 s64}                                    2
cvt.sat.s16.{u16 u32 s32 u64 s64}                                       2
cvt.sat.u32.{s8 s16 s32 u64 s64}                                        2
cvt.sat.s32.{u32 u64 s64}                                               2
cvt.sat.u64.{s8 s16 s32 s64}                                            2
cvt.sat.s64.{u64}                                                       2
cvt.RI[.ftz][.sat].BYTES.f32                                            2
cvt.RI[.sat].BYTES.{f16 f64}                                            2
cvt.RI.INT.bf16                                                         2
cvt.R[.ftz][.sat].f32.BYTES                                             2
cvt.R[.sat].{f16 f64}.BYTES                                             2
cvt.R.bf16.INT                                                          2
cvt.R[.ftz][.sat].f32.f64                                               2
cvt.{rn rz}.relu.f16.f32                                                2
cvt.R[.ftz][.sat].f16.f32                                               2
cvt.R[.sat].f16.f64                                                     2
cvt.{rn rz}[.relu].bf16.f32                                             2
cvt[.ftz][.sat].f32.f16                                                 2
cvt[.sat].f64.f16                                                       2
cvt[.ftz].f32.bf16                                                      2
cvt[.ftz][.sat].f64.f32                                                 2
cvt[.RI][.ftz][.sat].f32.f32                                            2
cvt[.RI][.sat].f16.f16                                                  2
cvt[.RI][.sat].f64.f64                                                  2
cvt.{rn rz}[.relu].{f16x2 bf16x2}.f32                                   3
cvt.rna.tf32.f32                                                        2
cvt.{rn rz}[.relu].tf32.f32                                             2
cvt.rn.satfinite[.relu].{e4m3x2 e5m2x2}.f32                             3
cvt.rn.satfinite[.relu].{e4m3x2 e5m2x2}.f16x2                           2
cvt.rn[.relu].f16x2.{e4m3x2 e5m2x2}                                     2
cvt.pack.sat.{u16 s16}.s32                                              3
cvt.pack.sat.{u8 s8}.s32.b32                                            4
cvta[.to].{global const shared shared::cta shared::cluster local param}.{u32 u64}   2
{ld ldu}[.weak][.{global shared shared::cta shared::cluster local const param param::entry}][.{ca cg cs lu cv}]CACHE[.{v2 v4}].ANY   2
ld.volatile[.{global shared shared::cta shared::cluster local const}][.L2::{64B 128B 256B}][.{v2 v4}].ANY   2
ld.{relaxed acquire}.SCOPE[.{global shared shared::cta shared::cluster}]CACHE[.{v2 v4}].ANY   2
ld.global[.{ca cg cs}].ncCACHE[.{v2 v4}].ANY                            2
st[.weak][.{global shared shared::cta shared::cluster local param}][.{wb cg cs wt}]CACHE[.{v2 v4}].ANY   2
st.volatile[.{global shared shared::cta shared::cluster local}][.{v2 v4}].ANY   2
st.{relaxed release}.SCOPE[.{global shared shared::cta shared::cluster}]CACHE[.{v2 v4}].ANY   2
st.async[.weak].shared::cluster.mbarrier::complete_tx::bytes[.{v2 v4}].{b32 b64 u32 u64 s32 s64 f32 f64}   3
prefetch[.{global local}].{L1 L2}                                       1
prefetch.global.L2::{evict_last evict_normal}                           1
prefetch[.{const param}].tensormap                                      1
prefetchu.L1                                                            1
createpolicy.fractional.L2::{evict_last evict_normal evict_first evict_unchanged}[.L2::{evict_first evict_unchanged}].b64   1-2
createpolicy.range[.global].L2::{evict_last evict_normal evict_first evict_unchanged}[.L2::{evict_first evict_unchanged}].b64   4
createpolicy.cvt.L2.b64                                                 2
atomATOM.add.noftzHINT.{f16 f16x2 bf16 bf16x2}                        3
atomATOM.addHINT.{u32 s32 u64 f32 f64}                                  3
atomATOM.{min max}HINT.WORD                                             3
atomATOM.{inc dec}HINT.u32                                              3
atomATOM.{and or xor exch}HINT.{b32 b64}                                3
atomATOM.casHINT.BITS                                                   4
redRED.add.noftzHINT.{f16 f16x2 bf16 bf16x2}                          2
redRED.addHINT.{u32 s32 u64 f32 f64}                                    2
redRED.{min max}HINT.WORD                                               2
redRED.{inc dec}HINT.u32                                                2
redRED.{and or xor}HINT.{b32 b64}                                       2
cp.async.{ca cg}.shared[::cta].globalHINT[.L2::{64B 128B 256B}]         3-4
cp.async.{commit_group wait_all}                                        0
cp.async.wait_group                                                     1
cp.async.mbarrier.arrive[.noinc]SHARED.b64                              1
cp.async.bulk.commit_group                                              0
cp.async.bulk.wait_group[.read]                                         1
cp.async.bulk.prefetch.L2.globalHINT                                    2
cp.async.bulk.prefetch.tensor.DIM.L2.global[.tile]HINT                  1
cp.async.bulk.shared::{cta cluster}.global.mbarrier::complete_tx::bytes[.multicast::cluster]HINT   4
cp.async.bulk.global.shared::cta.bulk_groupHINT                         3
cp.async.bulk.tensor.DIM.shared::{cta cluster}.global[.tile].mbarrier::complete_tx::bytes[.multicast::cluster]HINT   3
cp.async.bulk.tensor.{3d 4d 5d}.shared::{cta cluster}.global.im2col.mbarrier::complete_tx::bytes[.multicast::cluster]HINT   4
cp.async.bulk.tensor.DIM.global.shared::cta[.tile].bulk_groupHINT       2
cp.reduce.async.bulk.global.shared::cta.bulk_groupHINT.add.{u32 s32 u64 f32 f64}   3
cp.reduce.async.bulk.global.shared::cta.bulk_groupHINT.add.noftz.{f16 bf16}   3
cp.reduce.async.bulk.global.shared::cta.bulk_groupHINT.{min max}.{u32 s32 u64 s64 f16 bf16}   3
cp.reduce.async.bulk.global.shared::cta.bulk_groupHINT.{inc dec}.u32    3
cp.reduce.async.bulk.global.shared::cta.bulk_groupHINT.BOOL.{b32 b64}   3
cp.reduce.async.bulk.tensor.DIM.global.shared::cta.{add min max inc dec and or xor}[.tile].bulk_groupHINT   2
{ldmatrix stmatrix}.sync.aligned.m8n8.{x1 x2 x4}[.trans]SHARED.b16      2
mma.sync.aligned.MMA.row.col.f16.f16.f16.f16                            4
mma.sync.aligned.MMA.row.col.f32.f16.f16.f32                            4
mma.sync.aligned.MMA.row.col.f32.bf16.bf16.f32                          4
mma.sync.aligned.MMA.row.col.f32.tf32.tf32.f32                          4
mma.sync.aligned.MMA.row.col.f64.f64.f64.f64                            4
mma.sync.aligned.MMA.row.col.f16.FP8.FP8.f16                            4
mma.sync.aligned.MMA.row.col.f32.FP8.FP8.f32                            4
mma.sync.aligned.MMA.row.col[.satfinite].s32.INT8.INT8.s32              4
wgmma.{fence commit_group}.sync.aligned                                 0
wgmma.wait_group.sync.aligned                                           1
wgmma.mma_async.sync.aligned.SHAPE.{f16 f32}.{f16.f16 FP8.FP8}          4-8
wgmma.mma_async.sync.aligned.SHAPE.f32.{bf16.bf16 tf32.tf32}            4-8
wgmma.mma_async.sync.aligned.SHAPE[.satfinite].s32.INT8.INT8            4-8
shfl.sync.{up down bfly idx}.b32                                        5
vote.sync.{all any uni}.pred                                            3
vote.sync.ballot.b32                                                    3
activemask.b32                                                          1
redux.sync.{add min max}.{u32 s32}                                      3
redux.sync.{and or xor}.b32                                             3
match.{any all}.sync.{b32 b64}                                          3
{bar barrier}[.cta].sync[.aligned]                                      1-2
{bar barrier}[.cta].arrive[.aligned]                                    2
{bar barrier}[.cta].red.popc[.aligned].u32                              3-4
{bar barrier}[.cta].red.{and or}[.aligned].pred                         3-4
bar.warp.sync                                                           1
barrier.cluster.arrive[.{release relaxed}][.aligned]                    0
barrier.cluster.wait[.acquire][.aligned]                                0
bra[.uni]                                                               1
brx.idx[.uni]                                                           2
{ret exit}[.uni]                                                        0
{trap brkpt}                                                            0
fence[.{sc acq_rel}].SCOPE                                              0
fence.mbarrier_init.release.cluster                                     0
fence.proxy.{async alias}                                               0
fence.proxy.async.{global shared::cta shared::cluster}                  0
fence.proxy.tensormap::generic.release.SCOPE                            0
fence.proxy.tensormap::generic.acquire.SCOPE                            2
membar.{cta gl sys}                                                     0
elect.sync                                                              2
nanosleep.u32                                                           1
griddepcontrol.{launch_dependents wait}                                 0
{discard applypriority}[.global].{L2 L2::evict_normal}                  2
mbarrier.initSHARED.b64                                                 2
mbarrier.invalSHARED.b64                                                1
mbarrier.{expect_tx complete_tx}[.relaxed[.{cta cluster}]][.shared[::{cta cluster}]].b64   2
mbarrier.{arrive arrive_drop}[.expect_tx][.noComplete][.{release relaxed}[.{cta cluster}]][.shared[::{cta cluster}]].b64   1-3
mbarrier.{test_wait try_wait}[.parity][.{acquire relaxed}[.{cta cluster}]]SHARED.b64   3-4
setmaxnreg.{inc dec}.sync.aligned.u32                                   1
mapa[.shared::cluster].{u32 u64}                                        3
getctarank[.shared::cluster].{u32 u64}                                  2
"""

_SET = re.compile("|".join(sorted(_SETS, key=len, reverse=True)))
_SYNTAX = str.maketrans({".": r"\.", "{": "(?:", " ": "|", "}": ")", "[": "(?:", "]": ")?"})


_OPERAND = re.compile(r"\.L2::cache_hint\b|\.multicast::cluster\b")
"""Modifiers that add an operand, which the counts in `FORMS` do not include."""


@lru_cache(maxsize=4096)
def operand_counts(opcode: str) -> range | None:
    """Returns the possible operand counts of an opcode, or None if the emulator does not execute it."""
    counts = [count for form, count in _forms(opcode.partition(".")[0]) if form.fullmatch(opcode)]
    more = len(_OPERAND.findall(opcode))
    return range(min(c.start for c in counts) + more, max(c.stop for c in counts) + more) if counts else None


@cache
def _forms(word: str) -> list[tuple[re.Pattern[str], range]]:
    """Returns the forms of the opcodes that begin with `word`, with their operand counts."""
    return [(re.compile(_expanded(form).translate(_SYNTAX)), count) for form, count in _by_word()[word]]


def _expanded(form: str) -> str:
    while (longer := _SET.sub(lambda name: _SETS[name[0]], form)) != form:
        form = longer
    return form


@cache
def _by_word() -> dict[str, list[tuple[str, range]]]:
    table: dict[str, list[tuple[str, range]]] = defaultdict(list)
    for line in FORMS.strip().splitlines():
        form, count = re.split(r"\s{2,}", line)
        least, _, most = count.partition("-")
        head = re.match(r"\{[^}]*\}|[a-z0-9]+", form)
        assert head
        for word in head[0].strip("{}").split():
            table[word].append((form, range(int(least), int(most or least) + 1)))
    return table
