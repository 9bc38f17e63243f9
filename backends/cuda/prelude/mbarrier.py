"""Synchronization of warp-specialized kernels: mbarriers, named barriers, clusters, elect.sync; and setmaxnreg."""

from __future__ import annotations

from .piece import Piece, instruction


def _registers(way: str) -> Piece:
    return Piece(
        f"""// PTX ISA 9.7.19.5
template <int COUNT> DEV void setmaxnreg_{way}() {{ asm volatile("setmaxnreg.{way}.sync.aligned.u32 %0;" :: "n"(COUNT)); }}"""
    )


PIECES: dict[str, Piece] = {
    "setmaxnreg_dec": _registers("dec"),
    "setmaxnreg_inc": _registers("inc"),
    "elected": Piece(
        """// PTX ISA 9.7.13.14: whether the warp elects this thread; it always elects the same one
DEV bool elected() {
  int yes;
  asm volatile("{\\n.reg .pred p;\\nelect.sync _|p, 0xffffffff;\\nselp.s32 %0, 1, 0, p;\\n}" : "=r"(yes));
  return yes;
}"""
    ),
    "named_barrier": Piece(
        """// PTX ISA 9.7.13.1
DEV void named_barrier(int barrier, int threads) { asm volatile("bar.sync %0, %1;" :: "r"(barrier), "r"(threads) : "memory"); }"""
    ),
    "named_barrier_arrive": Piece(
        """// PTX ISA 9.7.13.1: does not wait
DEV void named_barrier_arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" :: "r"(barrier), "r"(threads) : "memory");
}"""
    ),
    "named_barrier_or": Piece(
        """// PTX ISA 9.7.13.1: whether `yes` holds in any of the threads
DEV bool named_barrier_or(int barrier, int threads, bool yes) {
  int any;
  asm volatile("{\\n.reg .pred p, q;\\nsetp.ne.s32 p, %3, 0;\\nbar.red.or.pred q, %1, %2, p;\\nselp.s32 %0, 1, 0, q;\\n}"
               : "=r"(any) : "r"(barrier), "r"(threads), "r"((int)yes) : "memory");
  return any;
}"""
    ),
    "cluster_rank": Piece(
        """// PTX ISA 10.16
DEV int cluster_rank() { int x; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x)); return x; }"""
    ),
    "in_block": Piece(
        """// PTX ISA 9.7.9.23: the address in another block of the cluster
template <typename T> DEV T* in_block(T* p, int rank) {
  T* q;
  asm("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(rank));
  return q;
}"""
    ),
    "cluster_sync": Piece(
        """// PTX ISA 9.7.13.3
DEV void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}"""
    ),
    "mbarrier_init": Piece(
        """// PTX ISA 9.7.13.15.9
DEV void mbarrier_init(u32 barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
}"""
    ),
    **instruction("mbarrier_init_fence", "fence.mbarrier_init.release.cluster", "9.7.13.4"),
    "mbarrier_expect_tx": Piece(
        """// PTX ISA 9.7.13.15.13
DEV void mbarrier_expect_tx(u32 barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}"""
    ),
    "mbarrier_arrive": Piece(
        """// PTX ISA 9.7.13.15.13
DEV void mbarrier_arrive(u32 barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory"); }"""
    ),
    "mbarrier_arrive_at": Piece(
        """// PTX ISA 9.7.13.15.13, 9.7.9.23: arrives on the mbarrier at the same address in another block of the cluster
DEV void mbarrier_arrive_at(u32 barrier, int block) {
  asm volatile("{\\n.reg .b32 remote;\\nmapa.shared::cluster.u32 remote, %0, %1;\\n"
               "mbarrier.arrive.shared::cluster.b64 _, [remote];\\n}" :: "r"(barrier), "r"(block) : "memory");
}"""
    ),
    "mbarrier_wait": Piece(
        """// PTX ISA 9.7.13.15.16: waits until the phase of this parity has completed
DEV void mbarrier_wait(u32 barrier, int parity) {
  asm volatile("{\\n.reg .pred done;\\nWAIT:\\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\\n@!done bra WAIT;\\n}"
               :: "r"(barrier), "r"(parity) : "memory");
}"""
    ),
}
