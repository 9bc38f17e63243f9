"""
The binding of dimension names, by the interpreter, by simplifications of xDSL and ptir, and by the preparation of parameters.
Programs are run before and after a pass, and compared with expected results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation, SSAValue
from xdsl.traits import get_effects

import ptir
from ptir.dialects.ptir.dims import sizes
from ptir.dialects.ptir.movement import BroadcastToOp, TileOp
from ptir.dialects.ptir.names import bound, introduced, needed
from ptir.semantics.errors import CannotReshape, DivisionByZero, NameConflict, UnknownSize, Violation, WindowOutside
from ptir.text.verify import verify_module
from ptir.transforms.ptir_rules import engine
from ptir.transforms.ptir_rules.write import Writer

B = "tensor<?xsi32, #ptir.dims<B>>"
PIPELINES = ("ptir-canonicalize", "canonicalize", "cse", "dce")


def f(body: str, arguments: str, results: str) -> str:
    return f"func.func @f({arguments}) -> ({results}) {{\n{body}\n}}"


def run(text: str, *arrays: np.ndarray, by: str | None = None) -> tuple[np.ndarray, ...]:
    module = ptir.parse(text)
    verify_module(module)
    if by is not None:
        module = ptir.PassManager(by).run(module)
        verify_module(module)
    return ptir.reference(module, *arrays, entry="f")


CAST = f"%1 = ptir.dim_cast %y : tensor<?xsi32> -> {B}"
DEAD_BINDERS = {
    "sub": f(f"{CAST}\n%2 = ptir.sub %1, %1 : {B}\nfunc.return %2 : {B}", "%y: tensor<?xsi32>", B),
    "select": f(
        f"{CAST}\n%c = ptir.constant dense<0> : tensor<si32>\n%2 = ptir.broadcast_to %c : tensor<si32> -> {B}\n"
        f"%p = ptir.compare lt %1, %1 : {B} -> tensor<?xi1, #ptir.dims<B>>\n"
        f"%3 = ptir.select %p, %1, %2 : tensor<?xi1, #ptir.dims<B>>, {B}\nfunc.return %3 : {B}",
        "%y: tensor<?xsi32>",
        B,
    ),
    "iota": f(f"{CAST}\n%2 = ptir.iota axis 0 : {B}\nfunc.return %2 : {B}", "%y: tensor<?xsi32>", B),
    "slice": f(
        f"{CAST}\n%2 = ptir.slice %z [0] : tensor<5xsi32> -> {B}\nfunc.return %2 : {B}",
        "%y: tensor<?xsi32>, %z: tensor<5xsi32>",
        B,
    ),
    "region": f(
        f"{CAST}\n%2 = ptir.cond %p (%y) : (tensor<?xsi32>) -> {B} then (%a) {{\n%3 = ptir.iota axis 0 : {B}\n"
        f"ptir.yield %3 : {B}\n}} else (%b) {{\n%4 = ptir.iota axis 0 : {B}\n%5 = ptir.neg %4 : {B}\n"
        f"ptir.yield %5 : {B}\n}}\nfunc.return %2 : {B}",
        "%y: tensor<?xsi32>, %p: tensor<i1>",
        B,
    ),
}
ARRAYS = {"slice": (np.arange(5, dtype=np.int32),), "region": (np.asarray(True),)}


@pytest.mark.parametrize("by", PIPELINES)
@pytest.mark.parametrize("name", DEAD_BINDERS)
def test_what_binds_a_name_in_use_stays(name: str, by: str) -> None:
    arrays = (np.array([7, 8, 9], np.int32), *ARRAYS.get(name, ()))
    want, got = (run(DEAD_BINDERS[name], *arrays, by=b)[0] for b in (None, by))
    assert got.shape == want.shape == (3,) and (got == want).all()


@pytest.mark.parametrize("by", PIPELINES)
def test_what_binds_a_name_that_nothing_has_goes(by: str) -> None:
    text = f(f"{CAST}\nfunc.return %y : tensor<?xsi32>", "%y: tensor<?xsi32>", "tensor<?xsi32>")
    assert "dim_cast" not in str(ptir.PassManager(by).run(ptir.parse(text)))


@pytest.mark.parametrize("by", PIPELINES)
def test_a_dim_cast_to_the_name_of_an_argument_goes(by: str) -> None:
    text = f(f"{CAST}\nfunc.return %x : {B}", f"%x: {B}, %y: tensor<?xsi32>", B)
    assert "dim_cast" not in str(ptir.PassManager(by).run(ptir.parse(text)))


def test_the_first_op_with_a_name_binds_it() -> None:
    text = f(
        f"{CAST}\n%2 = ptir.neg %1 : {B}\n%3 = ptir.dim_cast %y : tensor<?xsi32> -> {B}\n"
        f"%4 = ptir.add %2, %3 : {B}\nfunc.return %4 : {B}",
        "%y: tensor<?xsi32>",
        B,
    )
    first, negated, second, added = list(ptir.parse(text).walk())[2:6]
    assert [introduced(op) for op in (first, negated, second, added)] == [{"B"}, set(), {"B"}, set()]
    assert [bound(op) for op in (first, negated, second, added)] == [{"B"}, set(), set(), set()]
    assert needed(first) == {"B"} and get_effects(first) and not get_effects(second) and not get_effects(added)


def test_a_rule_does_not_replace_what_binds_a_name_by_what_must_be_told_it() -> None:
    """A tile of size 1 is a broadcast, but the broadcast would not know how long its result is."""
    text = f(f"%1 = ptir.tile %x [3] : tensor<1xsi32> -> {B}\nfunc.return %1 : {B}", "%x: tensor<1xsi32>", B)
    (got,) = run(text, np.ones(1, np.int32), by="ptir-canonicalize")
    assert got.shape == (3,)


def test_a_rule_that_would_unbind_a_name_does_not_fire(monkeypatch: pytest.MonkeyPatch) -> None:
    def tile_as_broadcast(op: TileOp, write: Writer) -> SSAValue:
        return write.add(BroadcastToOp(op.input, sizes(op.result)))

    def rules(op: type[Operation]) -> tuple[Any, ...]:
        return (tile_as_broadcast,) if op is TileOp else ()

    monkeypatch.setattr(engine, "structural_rules", rules)
    text = "func.func @f(%x: tensor<1xsi32>{}) -> {B} {{ %1 = ptir.tile %x [3] : tensor<1xsi32> -> {B} func.return %1 : {B} }}"
    for arguments, op in (("", "ptir.tile"), (f", %y: {B}", "ptir.broadcast_to")):
        assert op in str(ptir.PassManager("ptir-canonicalize").run(ptir.parse(text.format(arguments, B=B))))


GUESSES = {
    "scalar": ("%0 = ptir.broadcast_to %x : tensor<si32> -> {B}", "tensor<si32>", ()),
    "one": ("%0 = ptir.broadcast_to %x : tensor<1xsi32> -> {B}", "tensor<1xsi32>", (1,)),
    "one in this run": ("%0 = ptir.broadcast_to %x : tensor<?xsi32> -> {B}", "tensor<?xsi32>", (1,)),
    "slice": ("%0 = ptir.slice %x [1] : tensor<5xsi32> -> {B}", "tensor<5xsi32>", (5,)),
    "dynamic_slice": (
        "%s = ptir.constant dense<1> : tensor<1xsi32>\n"
        "%0 = ptir.dynamic_slice %x, %s : (tensor<5xsi32>, tensor<1xsi32>) -> {B}",
        "tensor<5xsi32>",
        (5,),
    ),
}


@pytest.mark.parametrize("name", GUESSES)
def test_a_size_is_not_guessed(name: str) -> None:
    """The op behind binds B to 3; before it nothing says B."""
    body, type, of = GUESSES[name]
    later = f"{body.format(B=B)}\n{CAST}\n%2 = ptir.add %0, %1 : {B}\nfunc.return %2 : {B}"
    sooner = f"{CAST}\n{body.format(B=B)}\n%2 = ptir.add %0, %1 : {B}\nfunc.return %2 : {B}"
    arrays = np.zeros(of, np.int32), np.arange(3, dtype=np.int32)
    with pytest.raises(UnknownSize, match="is B, which is not bound yet"):
        run(f(later, f"%x: {type}, %y: tensor<?xsi32>", B), *arrays)
    (got,) = run(f(sooner, f"%x: {type}, %y: tensor<?xsi32>", B), *arrays)
    assert got.tolist() == [0, 1, 2]


def test_what_is_not_1_is_not_repeated() -> None:
    text = f(f"%0 = ptir.broadcast_to %x : tensor<?xsi32> -> {B}\nfunc.return %0 : {B}", "%x: tensor<?xsi32>", B)
    assert run(text, np.arange(3, dtype=np.int32))[0].shape == (3,)


ONE = "%c = ptir.constant dense<1> : tensor<si32>\n%b = ptir.broadcast_to %c : tensor<si32> -> {B}\n"
THREE = "%c = ptir.constant dense<{n}> : tensor<3xsi32>\n%z = ptir.dim_cast %c : tensor<3xsi32> -> {t}\n"
ANY = "tensor<?xsi32>"
CHECKED = {
    "slice": (ONE + "%0 = ptir.slice %b [0] : {B} -> tensor<2xsi32>", "{B}", "tensor<2xsi32>", 1, WindowOutside),
    "reshape": (ONE + "%0 = ptir.reshape %b : {B} -> tensor<2x3xsi32>", "{B}", "tensor<2x3xsi32>", 5, CannotReshape),
    "dim_cast": (ONE + "%0 = ptir.dim_cast %b : {B} -> tensor<2xsi32>", "{B}", "tensor<2xsi32>", 3, Violation),
    "add ?": (THREE.format(n=0, t=ANY) + "%0 = ptir.add %x, %z : {A}", "{A}", "{A}", 2, Violation),
    "mul B": (THREE.format(n=1, t="{B}") + "%0 = ptir.mul %x, %z : {B}", "{B}", "{B}", 2, NameConflict),
    "tile": (
        "%c = ptir.constant dense<1> : tensor<1xsi32>\n%0 = ptir.tile %c [3] : tensor<1xsi32> -> {B}",
        "{B}",
        "{B}",
        2,
        NameConflict,
    ),
    "concat": (
        "%c = ptir.constant dense<1> : tensor<2xsi32>\n"
        "%0 = ptir.concat %c, %c axis 0 : (tensor<2xsi32>, tensor<2xsi32>) -> {B}",
        "{B}",
        "{B}",
        3,
        NameConflict,
    ),
    "reduce": (
        "%0 = ptir.reduce sum %x axes [1] : tensor<?x1x?xsi32> -> tensor<?x?xsi32, #ptir.dims<B, C>>\n"
        "%1 = ptir.iota axis 0 : tensor<?x?xsi32, #ptir.dims<B, C>>",
        "tensor<?x1x?xsi32>, %b: {B}, %c: tensor<?xsi32, #ptir.dims<C>>",
        "tensor<?x?xsi32, #ptir.dims<B, C>>",
        ((2, 1, 6), 3, 4),
        NameConflict,
    ),
    "x / x": ("%0 = ptir.div %x, %x : tensor<2xsi32>", "tensor<2xsi32>", "tensor<2xsi32>", 2, DivisionByZero),
    "x % x": ("%0 = ptir.remainder %x, %x : tensor<2xsi32>", "tensor<2xsi32>", "tensor<2xsi32>", 2, DivisionByZero),
    "0 / x": (
        "%c = ptir.constant dense<0> : tensor<2xsi32>\n%0 = ptir.div %c, %x : tensor<2xsi32>",
        "tensor<2xsi32>",
        "tensor<2xsi32>",
        2,
        DivisionByZero,
    ),
}


@pytest.mark.parametrize("name", CHECKED)
def test_what_a_run_refuses_it_refuses_after_simplification(name: str) -> None:
    body, argument, result, size, error = CHECKED[name]
    body, argument, result = (t.format(B=B, A=ANY) for t in (body, argument, result))
    text = (
        "builtin.module attributes {ptir.extensions} {"
        + f(f"{body}\nfunc.return %0 : {result}", f"%x: {argument}", result)
        + "}"
    )
    for by in (None, "ptir-canonicalize", "canonicalize"):
        with pytest.raises(error):
            run(text, *(np.zeros(of, np.int32) for of in (size if isinstance(size, tuple) else (size,))), by=by)


N = "tensor<?xf32, #ptir.dims<N>>"
PREPARED = {
    "an unused parameter has the name": f(
        "%e = ptir.exp %v : tensor<4xf32>\n%s = ptir.broadcast_to %x : tensor<f32> -> tensor<4xf32>\n"
        f"%r = ptir.mul %e, %s : tensor<4xf32>\n%b = ptir.broadcast_to %x : tensor<f32> -> {N}\n"
        f"func.return %b, %r : {N}, tensor<4xf32>",
        f"%x: tensor<f32>, %w: {N} {{ptir.parameter}}, %v: tensor<4xf32> {{ptir.parameter}}",
        f"{N}, tensor<4xf32>",
    ),
    "an op of parameters has the name": f(
        f"%d = ptir.dim_cast %w : tensor<3xf32> -> {N}\n%i = ptir.iota axis 0 : {N}\n"
        f"%q = ptir.reduce sum %i axes [0] : {N} -> tensor<f32>\n"
        "%t = ptir.broadcast_to %q : tensor<f32> -> tensor<4xf32>\n%u = ptir.mul %t, %v : tensor<4xf32>\n"
        "%s = ptir.broadcast_to %x : tensor<f32> -> tensor<4xf32>\n%r = ptir.mul %u, %s : tensor<4xf32>\n"
        f"%b = ptir.broadcast_to %x : tensor<f32> -> {N}\nfunc.return %b, %r : {N}, tensor<4xf32>",
        "%x: tensor<f32>, %w: tensor<3xf32> {ptir.parameter}, %v: tensor<4xf32> {ptir.parameter}",
        f"{N}, tensor<4xf32>",
    ),
    "another argument has the name": f(
        f"%c = ptir.constant dense<2.0> : tensor<f32>\n%i = ptir.broadcast_to %c : tensor<f32> -> {N}\n"
        f"%q = ptir.reduce sum %i axes [0] : {N} -> tensor<f32>\n"
        "%t = ptir.broadcast_to %q : tensor<f32> -> tensor<4xf32>\n%u = ptir.mul %t, %v : tensor<4xf32>\n"
        f"%e = ptir.exp %v : tensor<4xf32>\n%k = ptir.mul %e, %u : tensor<4xf32>\n%b = ptir.neg %w : {N}\n"
        f"%h = ptir.broadcast_to %x : tensor<f32> -> tensor<4xf32>\n%r = ptir.mul %k, %h : tensor<4xf32>\n"
        f"func.return %b, %r : {N}, tensor<4xf32>",
        f"%x: tensor<f32>, %w: {N}, %v: tensor<4xf32> {{ptir.parameter}}",
        f"{N}, tensor<4xf32>",
    ),
}


@pytest.mark.parametrize("name", PREPARED)
def test_prepared_parameters_take_the_names_along(name: str) -> None:
    arrays = np.asarray(2, np.float32), np.ones(3, np.float32), np.arange(4, dtype=np.float32)
    want = run(PREPARED[name], *arrays)
    split = ptir.PassManager("ptir-prepare-parameters").run(ptir.parse(PREPARED[name]))
    assert "@f.prepare" in str(split)
    for a, b in zip(want, run(str(split), *arrays), strict=True):
        assert a.shape == b.shape and (a == b).all()
