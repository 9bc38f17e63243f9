"""
Divisions of integers in kernels: quotients and remainders against Python's integers, and zero divisors against the interpreter.

A zero divisor raises the interpreter's error at the interpreter's place, whichever element it is and whatever kernel computes it;
elements beyond the ends of a tile have divisors of zero, too, which are not errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import ml_dtypes
import msgspec
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.conformance.integers import quotient
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.planning.rules import tails
from ptir.planning.templates import template_of
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.errors import DivisionByZero
from tests.unit.builders.fake_driver import FakeDriver

from ..builders import row_plans
from ..builders.division_programs import PROGRAMS, program
from ..builders.elementwise import DTYPES, emulated, same
from ..builders.elementwise import program as functions
from .test_kernel_integers import INTEGERS, boundaries, operands, wrapped

pytestmark = pytest.mark.sampled(4)

ARCHS = ("sm80", "sm90")
OPS = ("ptir.div", "ptir.remainder")


def extended(text: str) -> str:
    return f"module attributes {{ptir.extensions}} {{\n{text}}}\n"


def remainder(a: int, b: int) -> int:
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


# --- values -------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("dtype", "arch"), [*product((*INTEGERS, "si8", "si32"), ARCHS)])
def test_quotients_and_remainders(dtype: str, arch: str):
    """Boundary values, among them the least number divided by -1, and random ones."""
    x, y = operands(dtype, (23, 12))
    y = np.where(y == 0, np.ones_like(y), y)
    text = extended(functions({"x": dtype, "y": dtype}, [(f"{op} %x, %y : <{dtype}>", dtype) for op in OPS], x.shape))
    for function, got in zip((quotient, remainder), emulated(text, (x, y), arch), strict=True):
        want = [wrapped(function(int(a), int(b)), dtype) for a, b in zip(x.flat, y.flat, strict=True)]
        same(got, np.array(want, DTYPES[dtype]).reshape(x.shape), f"{function.__name__} of {dtype}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_constant_divisors(dtype: str):
    """A constant without a zero needs no status word."""
    x, _ = operands(dtype, (23, 12))
    numbers = [n for n in boundaries(dtype, 8) if n]
    lines = [f"  %c{k} = ptir.constant dense<{n}> : tensor<23x12x{dtype}>" for k, n in enumerate(numbers)]
    lines += [f"  %r{k} = ptir.div %x, %c{k} : tensor<23x12x{dtype}>" for k in range(len(numbers))]
    types = ", ".join([f"tensor<23x12x{dtype}>"] * len(numbers))
    done = f"  func.return {', '.join(f'%r{k}' for k in range(len(numbers)))} : {types}"
    text = "\n".join([f"func.func @f(%x: tensor<23x12x{dtype}>) -> ({types}) {{", *lines, done, "}", ""])
    assert "status" not in ptir.compile(text, device=Emulator()).cuda
    for n, got in zip(numbers, emulated(text, (x,)), strict=True):
        want = [wrapped(quotient(int(a), n), dtype) for a in x.flat]
        same(got, np.array(want, DTYPES[dtype]).reshape(x.shape), f"{dtype} by {n}")


@pytest.mark.parametrize(("dtype", "arch"), [*product(("si4", "ui4"), ARCHS)])
def test_4_bit_integers(dtype: str, arch: str):
    """All pairs."""
    low, t = (-8, ml_dtypes.int4) if dtype == "si4" else (0, ml_dtypes.uint4)
    values = [(a, b) for a in range(low, low + 16) for b in range(low, low + 16) if b]
    x, y = (np.array(column).astype(t) for column in zip(*values, strict=True))
    text = extended(functions({"x": dtype, "y": dtype}, [(f"{op} %x, %y : <{dtype}>", dtype) for op in OPS], x.shape))
    compiled = ptir.compile(text, arch=arch, device=Emulator())
    for function, got in zip((quotient, remainder), compiled(x, y), strict=True):
        want = [(function(a, b) - low) % 16 + low for a, b in values]
        np.testing.assert_array_equal(got.astype(np.int8), want)
    y[17] = 0
    with pytest.raises(DivisionByZero):
        compiled(x, y)


# --- zero divisors ------------------------------------------------------------------------------


def arguments(text: str) -> tuple[list[Any], list[int]]:
    """Returns positive arguments, and the numbers of those that are divisors."""
    function = next(op for op in ptir.parse(text).ops if isinstance(op, FuncOp))
    rng, arrays = np.random.default_rng(1), list[Any]()
    for arg in function.body.block.args:
        t = arg.type
        assert isinstance(t, TensorType)
        arrays.append(rng.integers(1, 100, t.get_shape()).astype(numpy_dtype(t.element_type)))
    return arrays, [k for k, arg in enumerate(function.body.block.args) if (arg.name_hint or "").startswith("d")]


def with_zeros(arrays: Sequence[Any], *places: tuple[int, int]) -> list[Any]:
    """Returns the arguments with zeros at some elements of some divisors."""
    copies = [a.copy() for a in arrays]
    for argument, element in places:
        copies[argument].reshape(-1)[element] = 0
    return copies


def place(run: Any, arrays: Sequence[Any]) -> Any:
    """Returns the location of the division by zero."""
    with pytest.raises(DivisionByZero) as caught:
        run(*arrays)
    return caught.value.location


def agree(text: str, module: ModuleOp | str, arch: str, *, seed: int | None = None) -> None:
    """Requires the interpreter's results, and its errors for a zero in the first, the last and an inner element of each divisor."""
    run, (arrays, divisors) = ptir.compile(module, arch=arch, device=Emulator(seed=seed)), arguments(text)
    assert "report(status" in run.cuda

    def interpreted(*arrays: Any) -> Any:
        return ptir.reference(text, *arrays)

    def equal() -> None:
        for got, want in zip(run(*arrays), interpreted(*arrays), strict=True):
            np.testing.assert_array_equal(got, want, strict=True)

    equal()
    for k in divisors:
        for element in (0, -1, arrays[k].size // 2 + 1):
            broken = with_zeros(arrays, (k, element % arrays[k].size))
            assert place(run, broken) == place(interpreted, broken) is not None
    all_broken = with_zeros(arrays, *((k, 0) for k in divisors))
    if len(divisors) > 1:
        assert place(run, all_broken) == place(interpreted, all_broken)
    equal()  # the status word is cleared


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "size", "arch"), [*product(PROGRAMS, ((7, 13), (33, 70), (1, 300)), ARCHS)])
def test_each_kind_of_kernel(name: str, size: tuple[int, int], arch: str):
    text = program(name, *size)
    agree(text, text, arch)


@pytest.mark.parametrize("arch", ARCHS)
def test_an_accumulator_may_be_zero(arch: str):
    text = program("accumulator", 33, 70)
    x, w, r = arguments(text)[0]
    x[32] = 0
    assert place(ptir.compile(text, arch=arch, device=Emulator()), [x, w, r]) == place(
        lambda *arrays: ptir.reference(text, *arrays), [x, w, r]
    )


def test_the_families_of_the_programs():
    """The programs have kernels of every family; one divides in a prologue."""
    families: set[str] = set()
    for name in PROGRAMS:
        kernels = regions(program(name, 33, 70))
        families |= {template_of(k.plan.schedule()).family for k in kernels if k.plan}
        if name == "prologue":
            assert len(kernels) == 1
        if name == "two kernels":
            assert len(kernels) == 2
    assert families == {"elementwise", "rows", "columns", "contraction"}


# --- plans --------------------------------------------------------------------------------------


def lowered(text: str, arch: str) -> ModuleOp:
    return ptir.PassManager(f"ptir-to-tiny,form-regions,plan-regions{{arch={arch}}}").run(ptir.parse(text))


def regions(text: str) -> list[RegionKernelOp]:
    return [op for op in lowered(text, "sm80").ops if isinstance(op, RegionKernelOp)]


ROWS = {
    "streamed by a block": ((1, 128), "1x64", 1, 1, "sm80"),
    "streamed by a warp": ((4, 32), "4x32", 1, 1, "sm80"),
    "held by a cluster": ((1, 256), "1x64", 1, 2, "sm90"),
    "streamed by a cluster": ((1, 64), "1x64", 1, 2, "sm90"),
}


@pytest.mark.parametrize(("name", "plan"), [*product(("rows", "by the minimum"), ROWS)])
def test_plans_of_rows(name: str, plan: str):
    tile, warp, width, blocks, arch = ROWS[plan]
    text = program(name, 5, 300)
    agree(text, row_plans.planned(text, tile, warp, width, blocks, arch), arch)


PLANS: dict[str, tuple[str, dict[str, Any]]] = {
    "serial": ("sm80", {"tile": (64, 32, 64), "split": 2, "algo_choice": {"matmul": "splitk_serial"}}),
    "parallel": ("sm80", {"tile": (64, 32, 64), "split": 3, "algo_choice": {"matmul": "splitk_parallel"}}),
    "a cluster along m": ("sm90", {"tile": (64, 32, 128), "warp_tile": "64x32", "cluster": (2, 1)}),
    "a cluster along n": ("sm90", {"tile": (64, 32, 128), "warp_tile": "64x32", "cluster": (1, 2)}),
    "stream-k": (
        "sm90",
        {"tile": (64, 32, 128), "warp_tile": "64x32", "algo_choice": {"matmul": "stream_k"}, "multiprocessors": 4},
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "plan"), [*product(("epilogue", "accumulator"), PLANS)])
def test_plans_of_contractions(name: str, plan: str):
    """Blocks that share an accumulator, and tiles that only complete a cluster."""
    arch, fields = PLANS[plan]
    text = program(name, 150, 96, 400)
    module = lowered(text, arch)
    for kernel in [op for op in module.ops if isinstance(op, RegionKernelOp)]:
        assert kernel.plan is not None
        changed = msgspec.structs.replace(kernel.plan.schedule(), **fields)
        needed = tails(changed.tile, kernel_space(kernel))
        kernel.plan = ScheduleAttr(msgspec.structs.replace(changed, predicate_tail=needed))
    agree(text, module, arch, seed=1)


# --- which elements -----------------------------------------------------------------------------


def quotient_then(body: str, result: str) -> str:
    return f"""func.func @f(%x: tensor<12xsi32>, %d: tensor<12xsi32>) -> {result} {{
  %q = ptir.div %x, %d : tensor<12xsi32>
  {body}
  func.return %y : {result}
}}"""


def test_an_element_that_no_result_needs_is_not_computed():
    """As for a division whose result is unused, which passes erase."""
    x = d = np.arange(-3, 9, dtype=np.int32)  # element 3 is 0
    cut = quotient_then("%y = ptir.slice %q [4] : tensor<12xsi32> -> tensor<4xsi32>", "tensor<4xsi32>")
    placed = quotient_then(
        """%i = ptir.iota axis 0 : tensor<12xsi32>
  %four = ptir.constant dense<4> : tensor<12xsi32>
  %p = ptir.compare lt %i, %four : tensor<12xsi32> -> tensor<12xi1>
  %y = ptir.select %p, %x, %q : tensor<12xi1>, tensor<12xsi32>""",
        "tensor<12xsi32>",
    )
    unused = quotient_then("%y = ptir.neg %x : tensor<12xsi32>", "tensor<12xsi32>")
    for text, want in ((cut, [1, 1, 1, 1]), (placed, [-3, -2, -1, 0] + [1] * 8), (unused, -x)):
        (y,) = ptir.compile(text, device=Emulator())(x, d)
        np.testing.assert_array_equal(y, want)


def test_an_element_that_a_select_discards_is_computed():
    text = quotient_then(
        """%zero = ptir.constant dense<0> : tensor<12xsi32>
  %p = ptir.compare eq %d, %zero : tensor<12xsi32> -> tensor<12xi1>
  %y = ptir.select %p, %x, %q : tensor<12xi1>, tensor<12xsi32>""",
        "tensor<12xsi32>",
    )
    x = d = np.arange(-3, 9, dtype=np.int32)
    assert place(ptir.compile(text, device=Emulator()), [x, d]) == ("<string>", 2, 8)


# --- a GPU --------------------------------------------------------------------------------------


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


@pytest.mark.parametrize("on_device", [False, True])
def test_calls_on_a_gpu_raise(driver: FakeDriver, on_device: bool):
    """A call with a zero divisor raises; the next one does not."""
    text = program("two kernels", 7, 13)
    run, (good, _) = ptir.compile(text, device=ptir.Gpu()), arguments(text)
    wrong = with_zeros(good, (1, 90), (2, 0))
    for arrays in (good, wrong, good):
        given = [ptir.to_device(a) for a in arrays] if on_device else arrays
        if arrays is wrong:
            assert place(run, given) == place(lambda *a: ptir.reference(text, *a), wrong)
        else:
            (y,) = run(*given)
            np.testing.assert_array_equal(y.numpy() if on_device else y, *ptir.reference(text, *arrays))


def test_a_graph_raises_after_its_launch(driver: FakeDriver):
    text = program("map", 7, 13)
    run, (good, _) = ptir.compile(text, device=ptir.Gpu()), arguments(text)
    graph = run.graph(*(ptir.to_device(a) for a in good))
    graph.launch()
    np.testing.assert_array_equal(graph.outputs[0].numpy(), *ptir.reference(text, *good))
    wrong = run.graph(*(ptir.to_device(a) for a in with_zeros(good, (1, 5))))
    with pytest.raises(DivisionByZero):
        wrong.launch()
