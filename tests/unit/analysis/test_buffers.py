"""
`plan_buffers`: small cases, and random programs that are executed in the planned memory. Each memory holds a token for the value
that was written last, and each read must find the token of the value that the program reads.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

import ptir
from ptir.analysis.errors import TooMuchMemory
from ptir.analysis.program.buffers import BufferPlan, plan_buffers
from ptir.errors import InvalidAttributeValue, Unsupported

pytestmark = pytest.mark.sampled(3)

T = "tensor<4x4xf32>"


def planned(text: str) -> BufferPlan:
    module = ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{\n{text}\n}}")
    return plan_buffers(next(op for op in module.ops if isinstance(op, FuncOp)))


def chain(body: str, results: str = "%r", arguments: str = f"%x: {T}") -> BufferPlan:
    types = ", ".join(T for _ in results.split(","))
    return planned(f"func.func @f({arguments}) -> ({types}) {{\n{body}\nfunc.return {results} : {types}\n}}")


def kinds(plan: BufferPlan) -> dict[str, str]:
    """Returns the kind of memory of each named value: `slot 0`, `alias of a`, `view of a`, `parameter` …"""
    out: dict[str, str] = {}
    for value, (place, *_) in plan.places.items():
        memory = plan.memories[place.memory]
        if place.how != "own":
            out[value.name_hint or "?"] = f"{place.how} of {memory.owner.name_hint}"
        else:
            out[value.name_hint or "?"] = memory.kind if memory.slot is None else f"slot {memory.slot}"
    return out


# --- the rules, one by one ----------------------------------------------------------------------


def test_parameters_constants_and_results_get_no_slot():
    plan = chain(f"%c = ptir.constant dense<1.0> : {T}\n%r = ptir.add %x, %c : {T}")
    assert kinds(plan) == {"x": "parameter", "c": "constant", "r": "result"}
    assert plan.slots == ()
    assert (plan.peak(), plan.arena().bytes) == (0, 0)


def test_a_slot_is_free_once_its_value_was_last_used():
    body = "\n".join(f"%v{k + 1} = ptir.neg %v{k} : {T}" for k in range(6))
    plan = chain(f"%v0 = ptir.neg %x : {T}\n{body}\n%r = ptir.neg %v6 : {T}")
    assert kinds(plan) == {"x": "parameter", "r": "result"} | {f"v{k}": f"slot {k % 2}" for k in range(7)}
    assert plan.peak() == 2 * 64
    assert plan.arena(alignment=256).offsets == (0, 256)
    assert plan.arena(alignment=256).bytes == 256 + 64


def test_a_value_that_is_used_late_keeps_its_slot():
    plan = chain(f"%a = ptir.neg %x : {T}\n%b = ptir.neg %a : {T}\n%c = ptir.neg %b : {T}\n%r = ptir.add %c, %a : {T}")
    assert kinds(plan) == {"x": "parameter", "a": "slot 0", "b": "slot 1", "c": "slot 2", "r": "result"}


def test_an_unused_value_lives_for_its_own_op():
    plan = chain(f"%a = ptir.neg %x : {T}\n%b = ptir.exp %x : {T}\n%r = ptir.neg %x : {T}")
    assert kinds(plan) == {"x": "parameter", "a": "slot 0", "b": "slot 0", "r": "result"}


def test_reshape_and_stop_gradient_are_aliases_and_ranges_merge():
    plan = chain(
        f"""%a = ptir.neg %x : {T}
        %b = ptir.reshape %a : {T} -> tensor<2x8xf32>
        %s = ptir.stop_gradient %b : tensor<2x8xf32>
        %c = ptir.neg %x : {T}
        %d = ptir.reshape %s : tensor<2x8xf32> -> {T}
        %r = ptir.add %c, %d : {T}"""
    )
    assert kinds(plan) == {
        "x": "parameter",
        "a": "slot 0",
        "b": "alias of a",
        "s": "alias of a",
        "c": "slot 1",
        "d": "alias of a",
        "r": "result",
    }
    assert (plan.memories[1].start, plan.memories[1].end) == (0, 5)


def test_slices_and_transposes_are_views_and_keep_their_source():
    plan = chain(
        f"""%a = ptir.neg %x : {T}
        %b = ptir.transpose %a [1, 0] : {T} -> {T}
        %c = ptir.slice %b [0, 0] : {T} -> tensor<1x4xf32>
        %d = ptir.neg %x : {T}
        %e = ptir.broadcast_to %c : tensor<1x4xf32> -> {T}
        %r = ptir.add %d, %e : {T}"""
    )
    assert kinds(plan) == {
        "x": "parameter",
        "a": "slot 0",
        "b": "view of a",
        "c": "view of a",
        "d": "slot 1",
        "e": "slot 2",
        "r": "result",
    }


def test_the_reshape_of_a_view_is_a_value_of_its_own():
    plan = chain(
        f"""%a = ptir.neg %x : {T}
        %b = ptir.transpose %a [1, 0] : {T} -> {T}
        %c = ptir.reshape %b : {T} -> tensor<16xf32>
        %d = ptir.reshape %c : tensor<16xf32> -> {T}
        %r = ptir.neg %d : {T}"""
    )
    assert kinds(plan)["c"] == "slot 1"
    assert kinds(plan)["d"] == "alias of c"


def test_a_result_that_is_an_alias_makes_its_source_a_result():
    plan = chain(
        f"%a = ptir.neg %x : {T}\n%b = ptir.reshape %a : {T} -> tensor<16xf32>\n%r = ptir.reshape %b : tensor<16xf32> -> {T}"
    )
    assert kinds(plan)["a"] == "result"
    assert plan.slots == ()


def test_a_result_that_is_a_view_keeps_its_source_to_the_end():
    plan = chain(f"%a = ptir.neg %x : {T}\n%r = ptir.transpose %a [1, 0] : {T} -> {T}\n%b = ptir.neg %x : {T}")
    assert kinds(plan) == {"x": "parameter", "a": "slot 0", "r": "view of a", "b": "slot 1"}


def test_results_live_to_the_end():
    plan = chain(f"%r = ptir.neg %x : {T}\n%a = ptir.neg %x : {T}\n%b = ptir.neg %a : {T}")
    assert plan.memories[1].end == 3


@pytest.mark.parametrize("other", ["tensor<4x4xf16>", "tensor<4x4xi32>"])
def test_a_slot_is_taken_over_by_the_same_element_type_only(other: str):
    plan = chain(
        f"""%a = ptir.neg %x : {T}
        %b = ptir.cast %a : {T} -> {other}
        %c = ptir.neg %b : {other}
        %d = ptir.cast %c : {other} -> {T}
        %r = ptir.neg %d : {T}"""
    )
    assert kinds(plan) == {"x": "parameter", "a": "slot 0", "b": "slot 1", "c": "slot 2", "d": "slot 0", "r": "result"}


def test_a_slot_is_taken_over_by_the_same_length_only():
    plan = chain(
        f"""%a = ptir.neg %x : {T}
        %b = ptir.reduce sum %a axes [0] : {T} -> tensor<4xf32>
        %c = ptir.neg %b : tensor<4xf32>
        %d = ptir.reshape %c : tensor<4xf32> -> tensor<4x1xf32>
        %e = ptir.neg %d : tensor<4x1xf32>
        %r = ptir.broadcast_to %e : tensor<4x1xf32> -> {T}"""
    )
    assert kinds(plan)["e"] == "slot 1"  # 16 bytes as slot 1, in another shape
    assert [str(slot.length) for slot in plan.slots] == ["64", "16", "16"]


@pytest.mark.parametrize(
    ("dtype", "length"),
    [("f64", 8), ("f8E4M3FN", 1), ("i1", 1), ("si4", 1), ("complex<f64>", 16), ("complex<f32>", 8), ("bf16", 2)],
)
def test_bytes_of_an_element(dtype: str, length: int):
    t = f"tensor<3x{dtype}>"
    plan = planned(
        f"func.func @f(%x: {t}) -> {t} {{\n%a = ptir.concat %x axis 0 : ({t}) -> {t}\n%r = ptir.concat %a axis 0 : ({t}) -> {t}\n"
        f"func.return %r : {t}\n}}"
    )
    assert plan.slots[0].length.number({}) == 3 * length


# --- sizes with names ---------------------------------------------------------------------------

B = "tensor<?x4xf32, #ptir.dims<B, _>>"
N = "tensor<4x?xf32, #ptir.dims<_, N>>"


def test_lengths_with_names():
    plan = planned(
        f"""func.func @f(%x: {B}, %y: {N}) -> ({B}, {N}) {{
        %a = ptir.neg %x : {B}
        %b = ptir.neg %y : {N}
        %c = ptir.neg %a : {B}
        %d = ptir.neg %b : {N}
        %e = ptir.neg %c : {B}
        %f = ptir.neg %d : {N}
        %r = ptir.neg %e : {B}
        %s = ptir.neg %f : {N}
        func.return %r, %s : {B}, {N} }}"""
    )
    assert [str(slot.length) for slot in plan.slots] == ["B*16", "N*16", "B*16", "N*16"]
    assert kinds(plan)["e"] == "slot 0"
    assert plan.peak(B=2, N=10) == 32 + 2 * 160
    assert plan.arena(alignment=1, B=2, N=10).offsets == (0, 32, 192, 224)
    assert plan.arena(alignment=64, B=2, N=10).offsets == (0, 64, 256, 320)
    assert "B*16 bytes" in plan.table()
    assert "arena: " not in plan.table()
    assert "32 bytes at 0" in plan.table(B=2, N=10)


def test_a_name_without_a_size_is_refused():
    plan = planned(
        f"func.func @f(%x: {B}) -> {B} {{\n%a = ptir.neg %x : {B}\n%r = ptir.neg %a : {B}\nfunc.return %r : {B} }}"
    )
    with pytest.raises(InvalidAttributeValue, match="B"):
        plan.peak(N=3)
    with pytest.raises(InvalidAttributeValue, match="-1"):
        plan.arena(B=-1)


@pytest.mark.parametrize("alignment", [0, 3, -8])
def test_an_alignment_that_is_no_power_of_two_is_refused(alignment: int):
    with pytest.raises(InvalidAttributeValue, match="alignment"):
        chain(f"%r = ptir.neg %x : {T}").arena(alignment=alignment)


def test_a_size_without_a_name_is_refused_where_memory_is_needed():
    t = "tensor<?xf32>"
    with pytest.raises(Unsupported) as failure:
        planned(
            f"func.func @f(%x: {t}) -> {t} {{\n%a = ptir.neg %x : {t}\n%r = ptir.neg %a : {t}\nfunc.return %r : {t} }}"
        )
    assert failure.value.op is not None
    assert failure.value.op.name == "ptir.neg"
    plan = planned(f"func.func @f(%x: {t}) -> {t} {{\n%r = ptir.neg %x : {t}\nfunc.return %r : {t} }}")
    assert plan.slots == ()


def test_what_is_no_tensor_and_what_has_blocks_is_refused():
    with pytest.raises(Unsupported, match="index"):
        planned("func.func @f(%x: index) -> index {\nfunc.return %x : index }")
    with pytest.raises(Unsupported, match="control flow"):
        planned('func.func @f() {\n "cf.br"()[^b] : () -> ()\n ^b:\n func.return }')


def test_tuples_share_the_memory_of_their_elements():
    t = f"tuple<{T}, tuple<tensor<2xf32>, {T}>>"
    plan = planned(
        f"""func.func @f(%x: {T}, %y: tensor<2xf32>) -> {T} {{
        %a = ptir.neg %x : {T}
        %b = ptir.exp %x : {T}
        %i = ptir.tuple %y, %b : tuple<tensor<2xf32>, {T}>
        %t = ptir.tuple %a, %i : {t}
        %j = ptir.tuple_element %t[1] : {t} -> tuple<tensor<2xf32>, {T}>
        %c = ptir.neg %x : {T}
        %d = ptir.tuple_element %j[1] : tuple<tensor<2xf32>, {T}> -> {T}
        %r = ptir.add %d, %c : {T}
        func.return %r : {T} }}"""
    )
    assert kinds(plan)["d"] == "alias of b"
    assert kinds(plan)["c"] == "slot 0"  # the slot of a, which is not selected
    places = {v.name_hint: p for v, p in plan.places.items()}
    assert [plan.memories[p.memory].owner.name_hint for p in places["t"]] == ["a", "y", "b"]


def test_the_table():
    plan = chain(f"%a = ptir.neg %x : {T}\n%t = ptir.transpose %a [1, 0] : {T} -> {T}\n%r = ptir.neg %t : {T}")
    assert plan.table() == (
        "@f  slots: 1, arena: 64 bytes, peak: 64 bytes\n"
        "  arg0  tensor<4x4xf32>  parameter, from 0 to 0\n"
        "  v0    tensor<4x4xf32>  slot 0, 64 bytes at 0, from 0 to 2\n"
        "  v1    tensor<4x4xf32>  view of v0\n"
        "  v2    tensor<4x4xf32>  result, from 2 to 3"
    )


# --- regions ------------------------------------------------------------------------------------


def test_what_a_loop_reads_lives_until_it_ends():
    plan = planned(
        f"""func.func @f(%x: {T}, %n: tensor<3x4x4xf32>) -> {T} {{
        %a = ptir.neg %x : {T}
        %l, %s = ptir.scan (%a) over (%n) : ({T}, tensor<3x4x4xf32>) -> ({T}, tensor<3x4x4xf32>) do (%c, %i) {{
          %m = ptir.neg %i : {T}
          %k = ptir.neg %m : {T}
          ptir.yield %c, %k : {T}, {T}
        }}
        %r = ptir.neg %l : {T}
        func.return %r : {T} }}"""
    )
    slots = {name: kind for name, kind in kinds(plan).items() if kind.startswith("slot")}
    assert set(slots) == {"a", "l", "s", "c", "i", "m", "k"}
    assert len({slots[name] for name in ("a", "l", "c", "i", "m")}) == 5


def test_arguments_of_a_branch_and_of_a_composite_are_the_operands():
    plan = planned(
        f"""func.func @f(%x: {T}, %p: tensor<i1>) -> {T} {{
        %a = ptir.neg %x : {T}
        %b = ptir.cond %p (%a) : ({T}) -> {T} then (%u) {{
          ptir.yield %u : {T}
        }} else (%w) {{
          %e = ptir.exp %w : {T}
          ptir.yield %e : {T}
        }}
        %c = ptir.composite "twice.v1" (%b) : ({T}) -> {T} do (%y) {{
          %s = ptir.add %y, %y : {T}
          ptir.yield %s : {T}
        }}
        %r = ptir.neg %c : {T}
        func.return %r : {T} }}"""
    )
    got = kinds(plan)
    assert (got["u"], got["w"], got["y"], got["c"]) == ("alias of a", "alias of a", "alias of b", "alias of s")
    assert len({got["a"], got["b"], got["e"]}) == 3


# --- random programs, executed ------------------------------------------------------------------

TYPES = (T, "tensor<2x8xf32>", "tensor<4x4xf16>", "tensor<16xf32>")


class Random:
    """
    Writes random programs: chains, aliases, views, and nested regions, some of which use values from above, as regions of other
    dialects do.
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def op(self, text: str, t: str, values: list[tuple[str, str]]) -> None:
        self.lines.append(f"{(name := self.name())} = {text}")
        values.append((name, t))

    def block(self, values: list[tuple[str, str]], length: int, depth: int) -> list[tuple[str, str]]:
        """Adds ops that use `values`. Returns the values that later ops may use."""
        r, values = self.random, list(values)
        for _ in range(length):
            x, t = r.choice(values)
            same = r.choice([v for v, u in values if u == t])
            shapes = [u for u in TYPES if "f16" not in u] if "f16" not in t else [t]
            match r.randrange(12 if depth else 9):
                case 0 | 1:
                    self.op(f"ptir.add {x}, {same} : {t}", t, values)
                case 2:
                    self.op(f"ptir.neg {x} : {t}", t, values)
                case 3 | 4:
                    u = r.choice(shapes)
                    self.op(f"ptir.reshape {x} : {t} -> {u}", u, values)
                case 5:
                    self.op(f"ptir.stop_gradient {x} : {t}", t, values)
                case 6 if "4x4" in t:
                    self.op(f"ptir.transpose {x} [1, 0] : {t} -> {t}", t, values)
                case 7 if "4x4" in t:
                    u = T if "f16" in t else "tensor<4x4xf16>"
                    self.op(f"ptir.cast {x} : {t} -> {u}", u, values)
                case 8:
                    self.op(f"ptir.constant dense<1.0> : {t}", t, values)
                case 9 | 10 | 11:
                    self.region(values, depth)
                case _:
                    self.op(f"ptir.exp {x} : {t}", t, values)
        return values

    def region(self, values: list[tuple[str, str]], depth: int) -> None:
        r = self.random
        given = [r.choice(values) for _ in range(r.randint(1, 3))]
        types = [t for _, t in given]
        names, operands = ", ".join(n for n, _ in given), ", ".join(types)
        results = [self.name() for _ in given]
        left = ", ".join(results)
        kind = r.choice(["cond", "while", "scan", "composite"])
        if kind == "cond":
            head, words = f"ptir.cond %p ({names}) : ({operands}) -> ({operands})", ["then", "else"]
        elif kind == "while":
            head, words = f"ptir.while ({names}) : ({operands}) -> ({operands})", ["cond", "do"]
        elif kind == "scan":
            rows = self.name()
            head = (
                f"ptir.scan ({names}) over (%rows) : ({operands}, tensor<3x4x4xf32>) -> ({operands}, tensor<3x4x4xf32>)"
            )
            left, words = f"{left}, {rows}", ["do"]
        else:
            head, words = f'ptir.composite "some.v1" ({names}) : ({operands}) -> ({operands})', ["do"]
        self.lines.append(f"{left} = {head}")
        for word in words:
            args = [(self.name(), t) for t in types]
            inside = [*args, (self.name(), T)] if kind == "scan" else args
            around = r.sample(values, min(len(values), r.randint(0, 2)))
            self.lines[-1] += f" {word} ({', '.join(n for n, _ in inside)}) {{"
            after = self.block([*inside, *around], r.randint(1, 5), depth - 1)
            out = [r.choice([n for n, u in after if u == t]) for t in types]
            kinds = list(types)
            if kind == "scan":
                out.append(r.choice([n for n, u in after if u == T]))
                kinds.append(T)
            if word == "cond":
                self.lines.append("%more = ptir.constant dense<true> : tensor<i1>")
                out, kinds = ["%more", *out], ["tensor<i1>", *kinds]
            self.lines.append(f"ptir.yield {', '.join(out)} : {', '.join(kinds)}")
            self.lines.append("}")
        values += zip(results, types, strict=True)

    def text(self) -> str:
        start = [("%x", TYPES[0]), ("%y", TYPES[1]), ("%z", TYPES[2])]
        values = self.block(start, self.random.randint(3, 12), 2)
        results = [self.random.choice(values) for _ in range(self.random.randint(1, 3))]
        types = ", ".join(t for _, t in results)
        arguments = ", ".join(f"{n}: {t}" for n, t in start)
        body = "\n".join(self.lines)
        return (
            f"func.func @f({arguments}, %p: tensor<i1>, %rows: tensor<3x4x4xf32>) -> ({types}) {{\n{body}\n"
            f"func.return {', '.join(n for n, _ in results)} : {types}\n}}"
        )


class Execution:
    """Runs a function in planned memory. Tokens stand for the contents of values; a memory holds the last token written."""

    def __init__(self, plan: BufferPlan):
        self.plan = plan
        self.memory: dict[Any, object] = {}
        self.means: dict[SSAValue, object] = {}

    def where(self, value: SSAValue) -> Any:
        (place,) = self.plan.places[value]
        slot = self.plan.memories[place.memory].slot
        return ("slot", slot) if slot is not None else ("memory", place.memory)

    def write(self, value: SSAValue, token: object) -> None:
        self.means[value] = self.memory[self.where(value)] = token

    def read(self, value: SSAValue) -> object:
        assert self.memory[self.where(value)] is self.means[value], f"{value} was overwritten"
        return self.means[value]

    def copy(self, sources: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        """Copies values simultaneously, as in a swap. Sources must survive, except those whose memory is also a target."""
        for source in sources:
            self.read(source)
        for target in targets:
            self.write(target, object())
        written = [self.where(target) for target in targets]
        assert len(set(written)) == len(written)
        for source in sources:
            if self.plan.places[source][0].memory not in {self.plan.places[t][0].memory for t in targets}:
                self.read(source)

    def run(self, block: Block) -> Sequence[SSAValue]:
        *ops, last = block.ops
        for op in ops:
            self.step(op)
        for operand in last.operands:
            self.read(operand)
        return last.operands

    def step(self, op: Operation) -> None:
        for operand in op.operands:
            self.read(operand)
        shared = {self.plan.places[v][0].memory for v in op.operands}
        match op.name:
            case "ptir.cond" | "ptir.composite":
                given = op.operands[len(op.operands) - len(op.regions[0].block.args) :]
                for region in op.regions:
                    for arg, operand in zip(region.block.args, given, strict=True):
                        self.means[arg] = self.means[operand]
                    out = self.run(region.block)
                    if op.name == "ptir.cond":
                        self.copy(out, op.results)
                    else:
                        self.means |= {r: self.means[v] for r, v in zip(op.results, out, strict=True)}
            case "ptir.while":
                test, body = (region.block for region in op.regions)
                self.copy(op.operands, test.args)
                for _ in range(2):
                    self.copy(self.run(test)[1:], body.args)
                    self.copy(self.run(body), test.args)
                self.copy(self.run(test)[1:], op.results)
            case "ptir.scan":
                body = op.regions[0].block
                carried = len(op.operands) - 1
                for result in op.results[carried:]:
                    self.write(result, object())
                self.copy(op.operands[:carried], body.args[:carried])
                for _ in range(2):
                    self.read(op.operands[-1])
                    self.write(body.args[-1], object())
                    out = self.run(body)
                    self.copy(out[:carried], body.args[:carried])
                    for result in op.results[carried:]:
                        self.read(result)
                self.copy(body.args[:carried], op.results[:carried])
            case _:
                for result in op.results:
                    (place,) = self.plan.places[result]
                    if place.how == "own":
                        self.write(result, object())
                    else:
                        assert place.memory in shared
                        self.means[result] = self.means[op.operands[0]]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(150))
def test_random_programs_find_what_they_wrote(seed: int):
    plan = planned(Random(seed).text())
    execution = Execution(plan)
    block = plan.function.body.block
    for arg in block.args:
        execution.write(arg, object())
    for value in execution.run(block):
        execution.read(value)
    # the contract's rules for slots, checked on the plan
    live: dict[int, list[tuple[int, int]]] = {}
    for memory in plan.memories:
        assert (memory.slot is None) == (memory.kind != "slot")
        assert memory.start <= memory.end
        if memory.slot is not None:
            assert memory.type.element_type == plan.slots[memory.slot].dtype
            live.setdefault(memory.slot, []).append((memory.start, memory.end))
    for ranges in live.values():
        for (_, end), (start, _) in zip(sorted(ranges), sorted(ranges)[1:], strict=False):
            assert start > end
    arena = plan.arena(alignment=64)
    for (offset, slot), after in zip(
        zip(arena.offsets, plan.slots, strict=True), [*arena.offsets[1:], arena.bytes], strict=False
    ):
        assert offset % 64 == 0
        assert offset + slot.length.number({}) <= after
    times = range(max((m.end for m in plan.memories), default=0) + 1)
    alive = [
        sum(plan.slots[m.slot].length.number({}) for m in plan.memories if m.slot is not None and m.start <= t <= m.end)
        for t in times
    ]
    assert plan.peak() == max(alive) <= arena.bytes


def test_random_programs_reuse_slots():
    plans = [planned(Random(seed).text()) for seed in range(50)]
    assert sum(len(slot.memories) > 1 for plan in plans for slot in plan.slots) > 30
    assert sum(bool(op.regions) for plan in plans for op in plan.function.walk()) > 100


# --- more than memory has -------------------------------------------------------------------------


def sums(t: str) -> str:
    """A program with a slot of type `t`."""
    return f"func.func @f(%x: {t}) -> {t} {{ %0 = ptir.neg %x : {t}\n%r = ptir.neg %0 : {t}\nfunc.return %r : {t} }}"


@pytest.mark.parametrize("t", ["tensor<9223372036854775807x2xf32>", "tensor<35184372088833xf32>"])
def test_a_value_that_no_machine_holds(t: str):
    with pytest.raises(TooMuchMemory, match="addresses more than") as caught:
        planned(sums(t))
    assert caught.value.op is not None
    assert caught.value.op.name == "ptir.neg"


def test_named_sizes_and_arenas_that_no_machine_holds():
    plan = planned(sums("tensor<?x4xf32, #ptir.dims<B, _>>"))
    assert plan.arena(B=8).bytes == 128
    with pytest.raises(TooMuchMemory):
        plan.arena(B=2**60)
    two = chain(
        f"%a = ptir.neg %x : {HUGE}\n%b = ptir.neg %a : {HUGE}\n%r = ptir.slice %b [0, 0] : {HUGE} -> {T}",
        arguments=f"%x: {HUGE}",
    )
    with pytest.raises(TooMuchMemory, match="the arena"):
        two.arena()


HUGE = "tensor<4x6597069766656xf32>"
"""96 TiB: one fits."""
