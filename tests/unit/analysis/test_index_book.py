"""`analysis/index/book.py`: the accesses of each op, compared with index arrays that NumPy moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from itertools import combinations
from math import prod
from random import Random
from typing import Any

import islpy as isl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32, i64
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.utils.test_value import create_ssa_value

from ptir.analysis.errors import BrokenIndexInfo, FillsDiffer, MissingDivisionGuard, TooComplex
from ptir.analysis.index import affine
from ptir.analysis.index.axes import AxisTable
from ptir.analysis.index.book import IndexBook
from ptir.analysis.index.indexing import gather
from ptir.analysis.index.info import Access, AxisVar, IndexInfo, compose_access
from ptir.analysis.index.isl_text import division_guards, map_text, symbol
from ptir.analysis.index.rules import RULES, register_index_rule, unary
from ptir.analysis.index.rules import reduce as reduce_rule
from ptir.dialects import tiny
from ptir.dialects.ptir import ScalarAttr, dims
from ptir.dialects.ptir.dims import Size, tensor_type
from ptir.dialects.ptir.indexing import DynamicSliceOp, GatherOp
from ptir.dialects.tiny import MovementOp
from tests.movement_chains.chains import Step, composed, contains, generate, wanted
from tests.movement_chains.chains import reads as chain_reads

from ..builders.index_arrays import numbers, reads, reshapes

shapes = st.lists(st.integers(1, 5), max_size=4).map(tuple)


def value(*sizes: int) -> Any:
    return create_ssa_value(TensorType(f32, sizes))


def access(op: Any, k: int = 0) -> tuple[isl.MultiAff, tuple[int, ...]]:
    info = IndexBook([op])[op.results[0]]
    return info.accesses[k].map, info.static_sizes


# --- movements ----------------------------------------------------------------------------------


@given(shapes=reshapes())
def test_reshape_reads_the_same_element_number(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    source, target = shapes
    m, sizes = access(tiny.MovementOp("reshape", value(*source), target))
    np.testing.assert_array_equal(reads(m, sizes, source), numbers(source).reshape(target))


@given(data=st.data(), source=shapes)
def test_permute_reads_what_transpose_puts_there(data: st.DataObject, source: tuple[int, ...]):
    perm = data.draw(st.permutations(range(len(source))))
    m, sizes = access(tiny.MovementOp("permute", value(*source), [source[p] for p in perm], perm))
    np.testing.assert_array_equal(reads(m, sizes, source), numbers(source).transpose(perm))


@given(data=st.data(), target=shapes)
def test_expand_reads_what_broadcast_to_puts_there(data: st.DataObject, target: tuple[int, ...]):
    keep = data.draw(st.integers(0, len(target)))
    source = tuple(1 if data.draw(st.booleans()) else s for s in target[len(target) - keep :])
    m, sizes = access(tiny.MovementOp("expand", value(*source), target))
    np.testing.assert_array_equal(reads(m, sizes, source), np.broadcast_to(numbers(source), target))


@given(data=st.data(), target=shapes)
def test_binary_broadcasts_from_the_right(data: st.DataObject, target: tuple[int, ...]):
    keep = data.draw(st.integers(0, len(target)))
    source = tuple(1 if data.draw(st.booleans()) else s for s in target[len(target) - keep :])
    op = tiny.BinaryOp("add", value(*target), value(*source))
    np.testing.assert_array_equal(reads(access(op, 0)[0], target, target), numbers(target))
    np.testing.assert_array_equal(reads(access(op, 1)[0], target, source), np.broadcast_to(numbers(source), target))


@given(data=st.data(), source=shapes)
def test_reduce_iterates_over_kept_then_reduced_axes(data: st.DataObject, source: tuple[int, ...]):
    axes = data.draw(st.lists(st.sampled_from(range(len(source))), unique=True)) if source else []
    op = tiny.ReduceOp("sum", value(*source), axes, f32)
    info = IndexBook([op])[op.result]
    kept = [a for a in range(len(source)) if a not in axes]
    assert (info.rank, len(info.reduced)) == (len(kept), len(axes))
    want = numbers(source).transpose([*kept, *op.axes()])
    np.testing.assert_array_equal(reads(info.accesses[0].map, info.static_sizes, source), want)


# --- chains of movements --------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(10))
def test_500_composed_chains_read_what_numpy_puts_there(part: int):
    for index in range(50 * part, 50 * part + 50):
        chain = generate(7, index)
        if chain.steps:
            access, _ = composed(chain)
            want = wanted(chain)
            np.testing.assert_array_equal(chain_reads(access, want.shape, chain.source), want, err_msg=str(chain))


# --- sizes that are names -------------------------------------------------------------------------


def named(*sizes: Size) -> Any:
    return create_ssa_value(tensor_type(f32, sizes))


NUMBERS = {"B": 3, "C": 4, "N": 12, "D": 5}
M = MovementOp
NAMED: dict[str, tuple[tuple[Size, ...], Callable[[Any], MovementOp], dict[str, int]]] = {
    "permute": (("B", 4, "C"), lambda x: M.permute(x, [2, 0, 1]), {}),
    "expand": (("B", 1), lambda x: M.expand(x, ["C", "B", "D"]), {}),
    "pad": (("B", 2), lambda x: M.pad(x, [1, 0], [2, 1], 0.0), {"n2": 6}),
    "shrink": (("D", 6), lambda x: M.shrink(x, [1, 2], ["B", 3]), {}),
    "shrink to the end": (("D", 6), lambda x: M.shrink(x, [2, 0], [None, 6]), {"n2": 3}),
    "split": (("N", 2), lambda x: M.reshape(x, ["B", 4, 2]), {}),
    "join": (("B", 4, 2), lambda x: M.reshape(x, ["N", 2]), {}),
    "join to ?": (("B", 4, 2), lambda x: M.reshape(x, [None]), {"n3": 24}),
    "split ?": ((None, 2), lambda x: M.reshape(x, ["B", 2, 4]), {"n0": 12}),
    "keep two names": (("B", "C", 6), lambda x: M.reshape(x, ["B", "C", 2, 3]), {}),
    "view rows": (("B", 4), lambda x: M.view(x, ["B", 2], strides=[4, 1], offset=1), {}),
    "view windows": (("N", 2), lambda x: M.view(x, ["D", 3], strides=[4, 2], offset=0), {}),
}


@pytest.mark.parametrize("case", NAMED)
def test_maps_of_named_sizes_are_those_of_numbers(case: str):
    source, make, more = NAMED[case]
    names = NUMBERS | more
    op = make(named(*source))
    op.verify()
    book = IndexBook([op])
    book.check()
    info = book[op.result]
    from_sizes = tuple(_number(a.size, names) for a in book.axes(op.input))
    sizes = tuple(_number(s, names) for s in info.sizes)
    step = Step(op.kind.data, sizes, parameters(op))
    want = step.move(np.arange(prod(from_sizes)).reshape(from_sizes))
    assert want.shape == sizes
    (access,) = info.accesses
    np.testing.assert_array_equal(chain_reads(access, sizes, from_sizes, names), want)
    assert contains(info.domain, sizes, names).all(), "what the op demands of the sizes holds here"


def _number(size: int | str, names: dict[str, int]) -> int:
    return size if isinstance(size, int) else names[symbol(size)]


def parameters(op: MovementOp) -> dict[str, Any]:
    low, high = op.pads()
    offset, strides = op.linear()
    perm = op.permutation() if op.perm is not None else ()
    return {"perm": perm, "low": low, "high": high, "start": op.starts(), "offset": offset, "strides": strides}


@pytest.mark.parametrize(
    ("op", "demand"),
    [
        (M.reshape(named("B", 4, 2), ["N", 2]), "N = 4B"),
        (M.pad(named("B"), [1], [2], 0.0), "n1 = 3 + B"),
        (M.shrink(named("D"), [2], ["B"]), "D >= 2 + B"),
        (M.shrink(named("D"), [2], [None]), "n1 = -2 + D"),
        (M.shrink(named("D"), [2], [4]), "D >= 6"),
        (M.view(named("N", 2), ["D"], strides=[4]), "2N >= -2 + 4D"),
        (M.expand(named("B"), [4, 5]), "B = 5"),
        (tiny.BinaryOp("add", named("B", 4), named(7, "C")), "B = 7 and C = 4"),
        (tiny.UnaryOp("exp", named("B", None)), None),
    ],
)
def test_what_an_op_demands_of_names_is_in_the_domain(op: Any, demand: str | None):
    info = IndexBook([op])[op.results[0]]
    got = None if info.assumed is None else affine.condition(info.assumed)
    if demand is None:
        assert got is None
        return
    want = affine.parameter_set(
        ["B", "C", "D", "N", "?1"], [demand.replace("4B", "4*B").replace("2N", "2*N").replace("4D", "4*D")]
    )
    assert info.assumed is not None and info.assumed.is_equal(want), got
    assert info.constraints[-1] == got


def test_a_size_without_a_name_is_a_parameter_of_its_own_and_goes_on():
    x = named(None, 4)
    exp = tiny.UnaryOp("exp", x)
    wide = tiny.UnaryOp("exp", named(None, 4))
    add = tiny.BinaryOp("add", exp.result, wide.result)
    book = IndexBook([exp, wide, add])
    (a, _), (b, _), (c, _) = (book.axes(op.result) for op in (exp, wide, add))
    assert a == book.axes(x)[0] and a.size != b.size and c.size == a.size
    assumed = book[add.result].assumed
    assert assumed is not None and assumed.is_equal(
        affine.parameter_set([a.size, b.size], [f"{symbol(a.size)} = {symbol(b.size)}"])
    )
    book.check()


@pytest.mark.parametrize(
    ("op", "why"),
    [
        (M.reshape(named("B", "S", 64), ["N", 64]), "reshape: the result|reshape: the operand"),
        (
            M.reshape(named("N", 64), ["B", "S", 64]),
            "reshape: the result has an axis of symbolic size S that is not",
        ),
        (M.view(named(4, "B"), [3], strides=[1]), "view: the operand has an axis of symbolic size B that is not"),
        (M.view(named("A", 1, "B"), [3], strides=[1]), "view: the operand has an axis of symbolic size B"),
        (
            DynamicSliceOp(named("B", 8), create_ssa_value(TensorType(i64, [2])), [3, 8]),
            "'ptir.dynamic_slice' of an axis whose size is not a number",
        ),
    ],
)
def test_what_is_not_affine_is_marked_with_the_reason(op: Any, why: str):
    book = IndexBook([op])
    info = book[op.results[0]]
    assert info.non_scop is not None and re.match(why, info.non_scop)
    assert not info.accesses and info.rank == len(dims.sizes(op.results[0]))
    book.check()


def test_reads_at_indices_given_by_data_have_positions():
    x = named(4, 8)
    gather = GatherOp(x, create_ssa_value(TensorType(i64, [4, 2])), 1)
    window = DynamicSliceOp(x, create_ssa_value(TensorType(i64, [2])), [3, 5])
    whole = DynamicSliceOp(x, create_ssa_value(TensorType(i64, [2])), [4, 8])
    book = IndexBook([gather, window, whole])
    book.check()
    found = {op: book[op.results[0]] for op in (gather, window, whole)}
    sizes = {op: [axis.size for axis in info.positions] for op, info in found.items()}
    assert sizes == {gather: [8], window: [2, 4], whole: [1]}
    assert all(info.non_scop is not None for info in found.values())
    assert [str(a.map) for a in found[gather].accesses] == [
        "{ [i0, i1, i2] -> [(i0), (i2)] }",
        "{ [i0, i1, i2] -> [(i0), (i1)] }",
    ]
    assert str(found[window].accesses[0].map) == "{ [i0, i1, i2, i3] -> [(i0 + i2), (i1 + i3)] }"
    assert [str(a.map) for a in found[window].accesses[1:]] == [f"{{ [i0, i1, i2, i3] -> [({k})] }}" for k in range(2)]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"non_scop": None}, "1 position and 1 access"),
        ({"accesses": 1}, "1 position and 0 accesses"),
        ({"kind": "iter"}, "an axis of kind position is not among the positions"),
        ({"index": 2}, "a position depends on a position"),
    ],
)
def test_broken_positions(changes: dict[str, Any], problem: str, monkeypatch: pytest.MonkeyPatch):
    op = GatherOp(named(4, 8), create_ssa_value(TensorType(i64, [4, 8])), 1)

    def broken(op: GatherOp, table: AxisTable) -> IndexInfo:
        info = gather(op, table)
        if "kind" in changes:
            info = replace(info, positions=tuple(replace(a, kind=changes["kind"]) for a in info.positions))
        if "index" in changes:
            at = affine.make_map(3, ["i0", f"i{changes['index']}"])
            info = replace(info, accesses=(info.accesses[0], replace(info.accesses[1], map=at)))
        kept = info.accesses[: changes.get("accesses", 2)]
        return replace(info, accesses=kept, non_scop=changes.get("non_scop", info.non_scop))

    monkeypatch.setitem(RULES, GatherOp, broken)
    with pytest.raises(BrokenIndexInfo, match=problem):
        IndexBook([op]).check()


# --- the book -------------------------------------------------------------------------------------


def test_the_book_knows_leaves_by_their_shape():
    x = value(2, 3)
    const = tiny.ConstOp.create(result_types=[x.type])
    iota = tiny.IotaOp.create(result_types=[x.type])
    op = tiny.UnaryOp("exp", x)
    book = IndexBook([const, iota, op])
    assert list(book) == [op.result] and op.result in book and x not in book
    for leaf in (x, const.results[0], iota.results[0]):
        assert book[leaf].sizes == (2, 3) and not book[leaf].accesses and book[leaf].rank == 2
    assert book[x] is book[x]
    assert book[op.result].domain.is_equal(affine.box((2, 3)))


def test_axes_keep_their_ids_through_unaries_permutes_and_reductions():
    x, v = value(4, 8), value(8, 1)
    exp = tiny.UnaryOp("exp", x)
    turned = M.permute(exp.result, [1, 0])
    wide = M.expand(v, [5, 8, 4])
    total = tiny.ReduceOp("sum", wide.result, [2], f32)
    add = tiny.BinaryOp("add", turned.result, wide.result)
    flat = M.reshape(turned.result, [32])
    book = IndexBook([exp, turned, wide, total, add, flat])
    a, b = book.axes(x)
    assert book.axes(exp.result) == (a, b)
    assert [(s.id, s.name, s.size) for s in book.axes(turned.result)] == [(b.id, "i0", 8), (a.id, "i1", 4)]
    c = book.axes(v)[0]
    w = book.axes(wide.result)
    assert w[1].id == c.id and len({a.id for a in w}) == 3
    assert [s.kind for s in w] == ["broadcast", "iter", "broadcast"]
    info = book[total.result]
    assert [s.id for s in info.axes] == [w[0].id, c.id] and [s.kind for s in info.axes] == ["broadcast", "iter"]
    assert [(s.id, s.name, s.kind) for s in info.reduced] == [(w[2].id, "i2", "reduce")]
    assert info.reduce_axes == (w[2].id,)
    assert not {s.id for s in book.axes(add.result)} & {s.id for s in w}
    assert [s.kind for s in book.axes(add.result)] == ["broadcast", "iter", "iter"]
    assert book.axes(flat.result)[0].id not in {a.id, b.id}
    book.check()


def test_adding_an_op_looks_at_no_other(monkeypatch: pytest.MonkeyPatch):
    x = value(4, 8)
    ops = [tiny.UnaryOp("exp", x)]
    for _ in range(5):
        ops.append(tiny.UnaryOp("exp", ops[-1].result))
    book = IndexBook(ops[:-1])
    before = {v: book[v] for v in book}
    asked: list[Any] = []
    monkeypatch.setitem(RULES, tiny.UnaryOp, lambda op, book: asked.append(op) or unary(op, book))
    book.add(ops[-1])
    assert asked == [ops[-1]]
    assert all(book[v] is info for v, info in before.items())


def test_an_op_that_comes_again_is_checked_again(monkeypatch: pytest.MonkeyPatch):
    op, book = folded(monkeypatch)
    book.check()
    register_index_rule(FoldOp, fold(map=["4*i0 + i1 + 1"]))
    book.add(op)
    with pytest.raises(BrokenIndexInfo, match="exceeds its operand") as caught:
        book.check()
    assert str(caught.value) == (
        "error[PTIR0233]: the index rule of 'test.fold': [i0, i1] -> [4*i0 + i1 + 1] exceeds its operand of [12]\n"
        "  help: guard it, or correct the map"
    )


def test_a_part_of_what_is_the_same_everywhere_is_so_too():
    wide = M.expand(value(1, 8), [6, 8])
    part = M.shrink(wide.result, [1, 2], [4, 3])
    book = IndexBook([wide, part])
    assert [a.kind for a in book.axes(part.result)] == ["broadcast", "iter"]
    book.check()


def test_ops_may_come_after_their_users():
    x = value(4, 8)
    exp = tiny.UnaryOp("exp", x)
    total = tiny.ReduceOp("sum", exp.result, [0], f32)
    book = IndexBook([total, exp])
    assert book[total.result].reduce_axes == (book.axes(exp.result)[0].id,)
    book.check()


@pytest.mark.parametrize(
    "op",
    [
        M.reshape(value(0, 4), [2, 0]),
        M.permute(value(0, 4), [1, 0]),
        M.expand(value(1), [0, 3]),
        M.pad(value(0, 4), [1, 0], [1, 2], 0.0),
        M.shrink(value(3, 4), [1, 2], [0, 2]),
        M.view(value(3, 4), [0, 2], strides=[9, 9]),
        tiny.ReduceOp("sum", value(0, 4), [0], f32),
    ],
)
def test_tensors_without_elements_have_infos(op: Any):
    op.verify()
    book = IndexBook([op])
    book.check()
    assert len(book[op.result].accesses) == 1


def test_pieces_are_where_a_pad_reads_and_the_parts_around_it():
    op = M.pad(value(4, 8), [1, 0], [1, 2], 0.0)
    info = IndexBook([op])[op.result]
    spelt = info.domain_text
    assert spelt.constraints == ("0 <= i0 < 6", "0 <= i1 < 10")
    parts = [affine.make_set((6, 10), list(p.constraints)) for p in spelt.pieces]
    guard = info.accesses[0].guard
    assert guard is not None and parts[0].is_equal(guard)
    assert reduce(isl.Set.union, parts).is_equal(info.domain)
    assert all(a.is_disjoint(b) for a, b in combinations(parts, 2))
    assert IndexBook([exp := tiny.UnaryOp("exp", value(4))])[exp.result].pieces == ()


# --- compositions with guards ---------------------------------------------------------------------


def test_a_guard_that_always_holds_is_none():
    padded = M.pad(value(4), [1], [2], 0.0)
    window = M.shrink(padded.result, [1], [4])
    book = IndexBook([padded, window])
    both = compose_access(book[padded.result].accesses[0], book[window.result].accesses[0], (4,))
    assert both.guard is None and both.fill is None and map_text(both.map) == "[i0] -> [i0]"


def test_a_guard_goes_on_and_says_only_what_the_box_does_not():
    exp = tiny.UnaryOp("exp", value(4))
    padded = M.pad(exp.result, [2], [0], 0.0)
    book = IndexBook([exp, padded])
    both = compose_access(book[exp.result].accesses[0], book[padded.result].accesses[0], (6,))
    assert both.value is exp.input and both.fill == ScalarAttr.of(0.0, f32) and both.guard is not None
    assert affine.condition(both.guard) == "i0 >= 2"


def test_two_pads_of_one_value_are_one_guard_and_of_two_are_refused():
    inner = M.pad(value(4), [1], [2], 0.0)
    for fill in (0.0, 1.0):
        outer = M.pad(inner.result, [2], [0], fill)
        book = IndexBook([inner, outer])
        first, second = book[inner.result].accesses[0], book[outer.result].accesses[0]
        if fill == 0.0:
            both = compose_access(first, second, (9,))
            assert both.guard is not None and both.guard.is_equal(affine.make_set((9,), ["3 <= i0 < 7"]))
            assert both.fill == ScalarAttr.of(0.0, f32)
        else:
            with pytest.raises(FillsDiffer) as caught:
                compose_access(first, second, (9,))
            assert str(caught.value) == (
                "error[PTIR0231]: consecutive pads have the values 0.0 and 1.0, but one access has one pad value\n"
                "  help: pad with one value, or store the value between the two pads"
            )
            assert caught.value.op is inner


def test_zeros_of_two_signs_are_two_fills():
    inner = M.pad(value(4), [1], [2], 0.0)
    outer = M.pad(inner.result, [2], [0], -0.0)
    book = IndexBook([inner, outer])
    with pytest.raises(FillsDiffer):
        compose_access(book[inner.result].accesses[0], book[outer.result].accesses[0], (9,))


@pytest.mark.parametrize("seed", range(60))
def test_fills_differ_only_where_both_are_seen(seed: int):
    """Pads of different values and windows of them, against NumPy."""
    rng = Random(seed)
    x = value(*(rng.randint(1, 3) for _ in range(2)))
    ops: list[MovementOp] = []
    want = np.full(x.type.get_shape(), -1.0)
    for _ in range(rng.randint(2, 5)):
        at = ops[-1].result if ops else x
        if rng.random() < 0.5:
            low, high = ([rng.choice((0, 0, 0, 1, 2)) for _ in range(2)] for _ in range(2))
            fill = rng.choice((0.0, 1.0))
            ops.append(M.pad(at, low, high, fill))
            want = np.pad(want, list(zip(low, high, strict=True)), constant_values=fill)
        else:
            kept = [rng.randint(1, s) for s in want.shape]
            start = [rng.randint(0, s - k) for s, k in zip(want.shape, kept, strict=True)]
            ops.append(M.shrink(at, start, kept))
            want = want[start[0] : start[0] + kept[0], start[1] : start[1] + kept[1]]
    book = IndexBook(ops)
    seen = set(want.ravel().tolist()) - {-1.0}
    access = book[ops[-1].result].accesses[0]
    try:
        for op in reversed(ops[:-1]):
            access = compose_access(book[op.result].accesses[0], access, want.shape)
    except FillsDiffer:
        assert len(seen) == 2
        return
    assert len(seen) < 2
    inside = np.ones(want.shape, bool) if access.guard is None else contains(access.guard, want.shape)
    np.testing.assert_array_equal(inside, want == -1.0)
    if seen:
        (number,) = access.fill.dense.get_values()
        assert {number} == seen


def test_a_composition_has_a_quota():
    padded = M.pad(value(4, 6), [1, 1], [2, 1], 0.0)
    flat = M.reshape(padded.result, [56])
    book = IndexBook([padded, flat])
    with pytest.raises(TooComplex), affine.quota(20):
        compose_access(book[padded.result].accesses[0], book[flat.result].accesses[0], (56,))


# --- rules of others, and what is checked ---------------------------------------------------------


@irdl_op_definition
class FoldOp(IRDLOperation):
    """A user-defined op that reshapes an axis of size 12 to 3 by 4."""

    name = "test.fold"
    input = operand_def()
    result = result_def()


def fold(**change: Any) -> Callable[[FoldOp, IndexBook], IndexInfo]:
    """Returns the index rule of `FoldOp`, with some fields of the `IndexInfo` changed."""

    def rule(op: FoldOp, book: IndexBook) -> IndexInfo:
        at = affine.make_map(2, change.get("map", ["4*i0 + i1"]))
        access = Access(op.input, at, change.get("guard"), change.get("fill"))
        axes = book.new_axes(op.result)
        guards = change.get("guards", division_guards(at))
        info = IndexInfo(change.get("axes", lambda axes: axes)(axes), accesses=(access,), guards=guards)
        return replace(info, **change.get("info", dict)())

    return rule


def folded(monkeypatch: pytest.MonkeyPatch, **change: Any) -> tuple[FoldOp, IndexBook]:
    monkeypatch.setitem(RULES, FoldOp, None)
    register_index_rule(FoldOp, fold(**change))
    op = FoldOp.create(operands=[value(12)], result_types=[TensorType(f32, (3, 4))])
    return op, IndexBook([op])


def test_a_rule_of_ones_own_is_used_and_checked(monkeypatch: pytest.MonkeyPatch):
    op, book = folded(monkeypatch)
    book.check()
    assert map_text(book[op.result].accesses[0].map) == "[i0, i1] -> [4*i0 + i1]"


@pytest.mark.parametrize(
    "guards", [(), ("0 <= i0 < 3",), ("0 <= i1 - 2*floor((i1)/2) < 3",), ("nonsense",), ("0 <= nonsense < 2",)]
)
def test_a_division_without_its_guard_is_stopped(monkeypatch: pytest.MonkeyPatch, guards: tuple[str, ...]):
    op, book = folded(monkeypatch, map=["4*i0 + 2*floor(i1/2)"], guards=guards)
    with pytest.raises(MissingDivisionGuard, match=r"0 <= i1 - 2\*floor\(\(i1\)/2\) < 2 is missing") as caught:
        book.check()
    assert str(caught.value) == (
        "error[PTIR0232]: the index rule of 'test.fold' divides without a guard: 0 <= i1 - 2*floor((i1)/2) < 2 is missing\n"
        "  help: set `guards=division_guards(map)` in the rule's IndexInfo"
    )
    assert caught.value.op is op


@pytest.mark.parametrize(
    "guard", ["0 <= i1 - 2*floor((i1)/2) < 2", "0 <= i1 mod 2 < 2", "0 <= -2*floor(i1/2) + i1 < 2"]
)
def test_a_guard_may_be_written_in_another_way(monkeypatch: pytest.MonkeyPatch, guard: str):
    _, book = folded(monkeypatch, map=["4*i0 + 2*floor(i1/2)"], guards=(guard,))
    book.check()


def renamed(axes: tuple[AxisVar, ...], **change: Any) -> tuple[AxisVar, ...]:
    return (axes[0], replace(axes[1], **change))


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "beyond the end": ({"map": ["4*i0 + i1 + 1"]}, r"4\*i0 \+ i1 \+ 1\] exceeds its operand of \[12\]"),
    "before the start": ({"map": ["4*i0 + i1 - 1"]}, "exceeds its operand"),
    "name": ({"axes": lambda axes: renamed(axes, name="k")}, "its axes are named i0, k"),
    "order": ({"axes": lambda axes: (axes[1], axes[0])}, "its axes are named i1, i0"),
    "id": ({"axes": lambda axes: renamed(axes, id=axes[0].id)}, "two of its axes share an id"),
    "size": ({"axes": lambda axes: renamed(axes, size=5)}, "its axes do not match tensor<3x4xf32>"),
    "count": ({"axes": lambda axes: axes[:1], "map": ["4*i0"]}, "its axes do not match|does not go from 1"),
    "kind reduce": ({"axes": lambda axes: renamed(axes, kind="reduce")}, "an output axis is of kind reduce"),
    "kind broadcast": ({"axes": lambda axes: renamed(axes, kind="broadcast")}, "reads along the broadcast axis i1"),
    "reduces unsaid": ({"info": lambda: {"reduce_axes": (0,)}}, r"reduces axes \(\) but declares \(0,\)"),
    "no SCoP": ({"info": lambda: {"non_scop": "it is a gather"}}, "it is not affine but has accesses"),
    "kind": ({"axes": lambda axes: renamed(axes, kind="foo")}, "an axis is of kind foo"),
    "no access": ({"info": lambda: {"accesses": ()}}, "tensor operand has no access"),
    "rank": ({"map": ["4*i0 + i1", "0"]}, "does not go from 2 iteration axes to 1 of the operand"),
    "fraction": ({"map": ["(i0)/2"]}, "has fractions"),
    "other value": ({"info": lambda: {"accesses": (Access(value(12), affine.make_map(2, ["i0"])),)}}, "not an operand"),
    "guard alone": ({"guard": affine.box((3, 4))}, "a guard without a fill"),
    "fill alone": ({"fill": ScalarAttr.of(0.0, f32)}, "a fill without a guard"),
    "guard's space": ({"guard": affine.box((3,)), "fill": ScalarAttr.of(0.0, f32)}, "not over the iteration axes"),
    "guard too wide": (
        {"map": ["4*i0 + i1 + 1"], "guard": affine.make_set((3, 4), ["i1 <= 3"]), "fill": ScalarAttr.of(0.0, f32)},
        "exceeds its operand",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_invariant_is_refused_at_the_op(monkeypatch: pytest.MonkeyPatch, case: str):
    change, why = BROKEN[case]
    op, book = folded(monkeypatch, **change)
    with pytest.raises(BrokenIndexInfo, match=why) as caught:
        book.check()
    assert caught.value.op is op and "'test.fold'" in caught.value.message


@pytest.mark.parametrize(
    ("map_", "guard", "why"),
    [
        (isl.Map("{ [i0, i1] -> [4i0 + i1] }", affine.CONTEXT), None, "a map or a guard is a Map"),
        ("{ [i0, i1] -> [4i0 + i1] }", None, "a map or a guard is a str"),
        (None, None, "a map or a guard is a NoneType"),
        (isl.MultiAff("{ S[i0, i1] -> [4i0 + i1] }", affine.CONTEXT), None, "are named"),
        (None, isl.Set("{ S[i0, i1] : i0 = 1 }", affine.CONTEXT), "are named|NoneType"),
    ],
)
def test_an_access_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch, map_: Any, guard: Any, why: str):
    op, _ = folded(monkeypatch)
    access = Access(op.input, map_, guard, None if guard is None else ScalarAttr.of(0.0, f32))
    register_index_rule(FoldOp, fold(info=lambda: {"accesses": (access,)}))
    with pytest.raises(BrokenIndexInfo, match=why):
        IndexBook([op]).check()


def test_a_guard_keeps_an_access_inside(monkeypatch: pytest.MonkeyPatch):
    guard = affine.make_set((3, 4), ["4*i0 + i1 < 11"])
    _, book = folded(monkeypatch, map=["4*i0 + i1 + 1"], guard=guard, fill=ScalarAttr.of(0.0, f32))
    book.check()


def test_reduced_axes_are_those_of_an_operand(monkeypatch: pytest.MonkeyPatch):
    op = tiny.ReduceOp("sum", value(4, 8), [1], f32)
    for change, why in [
        ({"reduce_axes": (77,)}, r"reduces axes \(1,\) but declares \(77,\)"),
        ({"reduced": (AxisVar(1, "i1", 8, "iter"),)}, "a reduced one is not"),
        (
            {"reduced": (AxisVar(77, "i1", 8, "reduce"),), "reduce_axes": (77,)},
            r"no operand has the reduced axes \(77,\)",
        ),
        ({"reduced": (AxisVar(1, "i1", 5, "reduce"),)}, "it reduces 5 elements of an axis of 8"),
    ]:
        monkeypatch.setitem(
            RULES, tiny.ReduceOp, lambda op, book, change=change: replace(reduce_rule(op, book), **change)
        )
        with pytest.raises(BrokenIndexInfo, match=why):
            IndexBook([op]).check()


def test_the_check_of_a_wild_map_has_a_quota(monkeypatch: pytest.MonkeyPatch):
    _, book = folded(monkeypatch, map=["floor((5*i0 + 3*i1)/7) + floor((3*i0 + i1)/5)"])
    with pytest.raises(TooComplex, match="more than 30 operations"), affine.quota(30):
        book.check()
    book.check()
