"""The mutation campaign `tests/mutation`: its tokens, operators and verdicts, and a sample of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mutation.campaign import Campaign, judge, sample
from tests.mutation.judge import sass
from tests.mutation.kernels import KERNELS
from tests.mutation.operators import Mutant, mutants
from tests.mutation.report import page, to_dict
from tests.mutation.tokens import Source

TEXT = r"""
#define DEV static __device__ __forceinline__
template <int N> DEV int row(int a, int b, float c) { return a * N + (b < 3 ? -b : b); }
DEV void never() { never(); }
DEV void wait() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }
// a < b and "1"
DEV void load(unsigned& x, unsigned& y, unsigned p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(p) : "memory");
}
extern "C" __global__ void __launch_bounds__(64) k(const int* __restrict__ x, int* y) {
  const int t = (int)threadIdx.x / 32;
  unsigned f[2] = {};
  #pragma unroll 4
  for (int i = 0; i < 4; ++i) {
    if (t + i < 7 && t != i) y[i - t] = row<5>(i, t, 1.0f);
    load(f[0], f[1], 16);
    wait();
    __syncthreads();
  }
  *(int*)(y + t) = x[-t] % 3;
}
"""


def found(operator: str) -> list[tuple[str, str]]:
    return [(m.old, m.new) for m in mutants(TEXT) if m.operator == operator]


def test_functions_that_the_kernel_reaches():
    assert {f.name for f in Source(TEXT).reached} == {"k", "wait", "load", "row"}
    assert Source(TEXT).functions["row"].parameters == ("int", "int", "float")


def test_operators():
    dropped = [old for old, _ in found("drop")]
    assert [d[:20] for d in dropped] == [
        'asm volatile("cp.asy', 'asm volatile("ldmatr', "y[i - t] = row<5>(i,", "load(f[0], f[1], 16)", "wait()",
        "__syncthreads()", "*(int*)(y + t) = x[-",
    ]  # fmt: skip
    assert found("unguard") == [("b < 3", "true"), ("t + i < 7 && t != i", "true")]
    assert found("never") == [("b < 3", "false"), ("t + i < 7 && t != i", "false")]
    assert found("zero") == [("i", "0"), ("t", "0")]
    assert found("drop .trans") == [(".trans", "")]
    assert found("swap registers") == [('(x), "=r"(y)', '(y), "=r"(x)')]
    assert set(found("swap arguments")) == {("f[0], f[1]", "f[1], f[0]"), ("i, t", "t, i")}
    assert set(found("swap operands")) == {
        ("b < 3", "(3) < (b)"), ("(int)threadIdx.x / 32", "(32) / ((int)threadIdx.x)"), ("i < 4", "(4) < (i)"),
        ("t + i < 7", "(7) < (t + i)"), ("i - t", "(t) - (i)"), ("x[-t] % 3", "(3) % (x[-t])"),
    }  # fmt: skip
    assert Counter(found("replace")) == Counter(
        {("*", "+"): 1, ("+", "-"): 3, ("+", "*"): 3, ("<", "<="): 3, ("&&", "||"): 1, ("!=", "=="): 1, ("-", "+"): 1}
    )
    ones = [old for old, _ in found("plus one")]
    assert Counter(ones) == Counter(["3", "1", "32", "2", "0", "4", "7", "5", "0", "1", "16", "3"])
    assert len(found("minus one")) == len(ones)


def test_roles_barriers_and_overloads():
    text = r"""
DEV void pass(u32 at) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(at)); }
DEV void leave(int x) { pass(x); }
DEV void leave(float x) { pass(3); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64, 1) k(int* y) { leave(y[2]); }
"""
    assert Source(text).kernels == ["k"] and [f.name for f in Source(text).reached] == ["k", "leave", "leave", "pass"]
    weaker = [(m.old, m.new) for m in mutants(text) if m.operator == "weaken"]
    assert weaker == [(".release", ".relaxed"), ("shared::cluster.b64", "shared::cta.b64")]
    assert [m.statement[:20] for m in mutants(text) if m.operator == "drop"] == [
        "DEV void pass(u32 at", "DEV void leave(int x", "DEV void leave(float", 'extern "C" __global_',
    ]  # fmt: skip
    assert [(m.old, m.new) for m in mutants(text) if m.operator == "zero"] == [("x", "0"), ("y[2]", "0")]


def test_mutants_know_their_place():
    m = next(m for m in mutants(TEXT) if m.old == "wait()")
    assert (m.function, TEXT.splitlines()[m.line - 1].strip(), m.statement) == ("k", "wait();", "wait();")
    assert m.apply(TEXT) == TEXT.replace("    wait();", "    ;")


def mutant(kernel: str, operator: str, old: str, new: str = "") -> Mutant:
    return next(m for m in mutants(judge(kernel).text) if (m.operator, m.old) == (operator, old) and new in m.new)


def test_verdicts():
    j = judge("batched")
    assert j.right
    barrier = mutant("batched", "drop", "__syncthreads()")
    assert j.verdict(barrier.apply(j.text))[0] in ("SharedRace", "PendingCopy", "UninitializedMemory")
    assert j.verdict(j.text + "\n// no change")[0] == "same PTX"
    assert j.verdict(j.text.replace("threadIdx", "threadIdy"))[0] == "refused"
    assert j.verdict(j.text.replace(".sync.aligned.m8n8", ".sync.aligned.m9n9"))[0] == "refused"  # by ptxas
    stricter = re.sub(r"wait_group<1>", "wait_group<0>", j.text)
    assert j.verdict(stricter)[0] == "slower"
    machine = [sass(text, j.arch) for text in (j.text, "// a line more\n" + j.text, barrier.apply(j.text))]
    assert machine[0] == machine[1] != machine[2]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_sample_is_caught(kernel: str):
    """Each mutant of a fixed sample is caught or proved equivalent."""
    campaign = Campaign([kernel], seed=4, limit=6)
    for _ in campaign.run():
        pass
    tally = campaign.tallies[kernel]
    assert len(tally.results) == 6 and len(tally.counted) >= 3
    assert not tally.unproved, [r.mutant.changed for r in tally.unproved]


@pytest.mark.campaign
def test_what_is_read_is_not_overwritten():
    """The subject fills slots of its ring and its staged tile again: waits that allow it to do so too early are missed."""
    j = judge("convolution_sm90")
    for old, new in (("wgmma_wait<1>();", "wgmma_wait<2>();"), ("bulk_wait_read<0>();", "")):
        verdict, detail = j.verdict(j.text.replace(old, new, 1))
        assert verdict == "AsyncRace" and "still reads it" in detail


@pytest.mark.campaign
def test_a_stopped_campaign_goes_on(tmp_path: Path):
    state = tmp_path / "journal"
    first = Campaign(["batched"], seed=5, limit=6, state=state)
    run = first.run()
    begun = [next(run)[1] for _ in range(3)]
    run.close()
    second = Campaign(["batched"], seed=5, limit=6, state=state)
    assert second.todo["batched"] == sample("batched", 5, 6)[3:]
    assert second.tallies["batched"].results == begun
    for _ in second.run():
        pass
    data = json.loads(json.dumps(to_dict(second.tallies.values(), 5, 1.0)))
    assert data["kernels"]["batched"]["judged"] == 6 and "| batched |" in page(data)
