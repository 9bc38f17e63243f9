"""
Synchronization between blocks for split-K: semaphores and counters in global memory, loads and stores of a workspace; reports
of failed ops in a status word.

One thread accesses the counter; a barrier orders this access and the accesses of the other threads (PTX ISA 8.8, causality
order). The barrier is `__syncthreads`, or in a role a named barrier of its threads; these are the THREADS threads from
FIRST on.
"""

from __future__ import annotations

from .piece import Piece, asm_operands, placeholders


def _vectors(dtype: str, type_: str, constraint: str, count: int) -> dict[str, Piece]:
    """Returns 16-byte loads and stores of global memory."""
    loaded, stored = asm_operands(f"={constraint}", "x", count), asm_operands(constraint, "x", count)
    return {
        f"load_global_{dtype}": Piece(
            f"""// PTX ISA 9.7.9.8
DEV void load_global_{dtype}({dtype} (&x)[{count}], const {dtype}* from) {{
  asm volatile("ld.global.v{count}.{type_} {placeholders(0, count)}, [%{count}];" : {loaded} : "l"(from) : "memory");
}}"""
        ),
        f"store_global_{dtype}": Piece(
            f"""// PTX ISA 9.7.9.11
DEV void store_global_{dtype}({dtype}* to, const {dtype} (&x)[{count}]) {{
  asm volatile("st.global.v{count}.{type_} [%0], {placeholders(1, count)};" :: "l"(to), {stored} : "memory");
}}"""
        ),
    }


PIECES: dict[str, Piece] = {
    "report": Piece(
        """// PTX ISA 9.7.13.7: the largest number wins, whatever the order of the threads
DEV void report(int* status, int number) {
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" :: "l"(status), "r"(number));
}"""
    ),
    **_vectors("float", "f32", "f", 4),
    **_vectors("int", "s32", "r", 4),
    **_vectors("double", "f64", "d", 2),
    "load_acquire": Piece(
        """// PTX ISA 9.7.9.8: synchronizes with the store_release whose value it reads
DEV int load_acquire(const int* from) {
  int x;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
  return x;
}"""
    ),
    "store_release": Piece(
        """// PTX ISA 9.7.9.11: publishes this thread's earlier accesses to a load_acquire of the value
DEV void store_release(int* to, int x) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(to), "r"(x) : "memory");
}"""
    ),
    "count_in": Piece(
        """// PTX ISA 9.7.13.5: increments a counter that wraps from `last` to 0, and returns its former value
DEV int count_in(int* counter, int last) {
  int before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(last) : "memory");
  return before;
}"""
    ),
    "semaphore_acquire": Piece(
        """DEV void semaphore_acquire(const int* counter, int turn) {
  if (threadIdx.x == 0) while (load_acquire(counter) != turn) {}
  __syncthreads();
}""",
        ("load_acquire",),
    ),
    "semaphore_release": Piece(
        """DEV void semaphore_release(int* counter, int turn) {
  __syncthreads();
  if (threadIdx.x == 0) store_release(counter, turn);
}""",
        ("store_release",),
    ),
    "arrive_last": Piece(
        """// whether this block is the last of `parts` to arrive
DEV bool arrive_last(int* counter, int parts) {
  __syncthreads();
  bool last = false;
  if (threadIdx.x == 0) last = count_in(counter, parts - 1) == parts - 1;
  return __syncthreads_or(last);
}""",
        ("count_in",),
    ),
    "semaphore_acquire_role": Piece(
        """template <int FIRST, int THREADS, int BARRIER> DEV void semaphore_acquire_role(const int* counter, int turn) {
  if (threadIdx.x == FIRST) while (load_acquire(counter) != turn) {}
  named_barrier(BARRIER, THREADS);
}""",
        ("load_acquire", "named_barrier"),
    ),
    "semaphore_release_role": Piece(
        """template <int FIRST, int THREADS, int BARRIER> DEV void semaphore_release_role(int* counter, int turn) {
  named_barrier(BARRIER, THREADS);
  if (threadIdx.x == FIRST) store_release(counter, turn);
}""",
        ("store_release", "named_barrier"),
    ),
    "arrive_last_role": Piece(
        """// whether this block is the last of `parts` to arrive
template <int FIRST, int THREADS, int BARRIER> DEV bool arrive_last_role(int* counter, int parts) {
  named_barrier(BARRIER, THREADS);
  bool last = false;
  if (threadIdx.x == FIRST) last = count_in(counter, parts - 1) == parts - 1;
  return named_barrier_or(BARRIER, THREADS, last);
}""",
        ("count_in", "named_barrier", "named_barrier_or"),
    ),
}
