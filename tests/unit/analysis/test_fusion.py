"""What `analysis/regions/fusion.py` fuses and what it must not fuse, as seen in the kernels that `form-regions` makes."""

from __future__ import annotations

import cProfile
from dataclasses import dataclass

import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation

from ptir.analysis.errors import TooComplex
from ptir.analysis.index import affine
from ptir.analysis.index.book import IndexBook
from ptir.analysis.regions.contraction import find_contraction
from ptir.analysis.regions.places import Place
from ptir.analysis.regions.slices import Slicer
from ptir.dialects import poly, region, tiny
from ptir.dialects.common.shapes import shape
from ptir.errors import StaleView, Unsupported, WrongLevel
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.text.op_names import op_name
from ptir.text.parsing import parse_text
from ptir.transforms.errors import NoTinyForm

DOT = "ptir.dot_general {}, {} contract [1] x [0] accum f32 out f32 : (tensor<{}xbf16>, tensor<{}xbf16>) -> tensor<{}xf32>"


MAXIMAL = "ptir-to-tiny,form-regions{strategy=maximal}"


def lower(text: str, pipeline: str = MAXIMAL) -> ModuleOp:
    return PassManager(pipeline).run(parse_text(text, make_context(allow_unregistered=True)))


def function(signature: str, *body: str) -> str:
    """Returns @f with this signature; `body` includes the return."""
    return "\n".join([f"func.func @f{signature} {{", *body, "}"])


def square(signature: str, *body: str) -> str:
    """Returns a function of 8×8 tensors. In its text, `dot a b` is a matmul, and `f32` and `bf16` are tensor types."""
    lines: list[str] = []
    for line in body:
        match line.split():
            case [name, "=", "dot", a, b]:
                lines.append(f"{name} = {DOT.format(a.rstrip(','), b, '8x8', '8x8', '8x8')}")
            case [name, "=", "cast", x]:
                lines.append(f"{name} = ptir.cast {x} : tensor<8x8xf32> -> tensor<8x8xbf16>")
            case [name, "=", "transpose", x]:
                lines.append(f"{name} = ptir.transpose {x} [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>")
            case [name, "=", op, *rest] if "." not in op:
                lines.append(f"{name} = ptir.{op} {' '.join(rest)} : tensor<8x8xf32>")
            case _:
                lines.append(line)
    text = function(signature, *lines)
    return text.replace(": bf16", ": tensor<8x8xbf16>").replace(": f32", ": tensor<8x8xf32>")


@dataclass(frozen=True)
class Formed:
    """A summary of a kernel: its arguments, the functions that it computes, and whether it has a contraction."""

    ins: int
    outs: tuple[str, ...]
    contraction: bool
    epilogue: tuple[str, ...]


def formed(module: ModuleOp) -> list[Formed]:
    out: list[Formed] = []
    for kernel in [o for o in module.ops if isinstance(o, region.RegionKernelOp)]:
        ops = list(kernel.body.block.ops)
        book = IndexBook(ops)
        found = [c for o in ops if (c := find_contraction(o, book))]
        inside = {o for c in found for o in (c.op, *c.interior)}
        rest = [o.fn.data for o in ops if isinstance(o, tiny.UnaryOp | tiny.BinaryOp) and o not in inside]
        out.append(Formed(len(kernel.inputs), tuple(m.data for m in kernel.materialize), len(found) == 1, tuple(rest)))
    return out


# --- what is fused ------------------------------------------------------------------------------


def test_an_epilogue_joins_its_contraction():
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %r: f32) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%d = add %c, %r",
            "%e = tanh %d",
            "func.return %e : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(3, ("gmem",), True, ("add", "tanh"))]


def test_a_transposed_result_is_an_epilogue():
    module = lower(
        square(
            "(%x: bf16, %w: bf16) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%d = transpose %c",
            "func.return %d : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem",), True, ())]


def test_two_results_share_the_contraction_that_both_read():
    module = lower(
        square(
            "(%x: bf16, %w: bf16) -> (tensor<8x8xf32>, tensor<8x8xf32>)",
            "%c = dot %x, %w",
            "%d = tanh %c",
            "%e = exp %c",
            "func.return %d, %e : tensor<8x8xf32>, tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem", "gmem"), True, ("tanh", "exp"))]


def test_a_value_used_inside_and_returned_is_stored_once():
    module = lower(
        square(
            "(%x: bf16, %w: bf16) -> (tensor<8x8xf32>, tensor<8x8xf32>)",
            "%c = dot %x, %w",
            "%d = tanh %c",
            "func.return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem", "gmem"), True, ("tanh",))]


def test_elementwise_work_alone_is_one_kernel():
    module = lower(
        square("(%x: f32) -> tensor<8x8xf32>", "%a = exp %x", "%b = neg %a", "func.return %b : tensor<8x8xf32>")
    )
    assert formed(module) == [Formed(1, ("gmem",), False, ("exp", "neg"))]


def test_what_nobody_reads_is_not_computed():
    module = lower(
        square("(%x: f32) -> tensor<8x8xf32>", "%a = exp %x", "%b = neg %x", "func.return %b : tensor<8x8xf32>")
    )
    assert formed(module) == [Formed(1, ("gmem",), False, ("neg",))]


# --- what is not --------------------------------------------------------------------------------


def test_c_plus_its_transpose_reads_c_from_memory():
    module = lower(
        square(
            "(%x: bf16, %w: bf16) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%t = transpose %c",
            "%s = add %c, %t",
            "func.return %s : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("deferred",), True, ()), Formed(1, ("gmem",), False, ("add",))]


def test_a_broadcast_contraction_is_stored_first():
    """Its map to the result is not one-to-one: each element would be computed four times."""
    module = lower(
        function(
            "(%x: tensor<8x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8x8xf32>",
            "%c = " + DOT.format("%x", "%w", "8x8", "8x8", "8x8"),
            "%b = ptir.broadcast_to %c : tensor<8x8xf32> -> tensor<4x8x8xf32>",
            "func.return %b : tensor<4x8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("deferred",), True, ()), Formed(1, ("gmem",), False, ())]


def test_a_computed_operand_is_a_kernel_of_its_own():
    """relu(c) is stored in 16 bits where the next contraction reads it; c itself is not."""
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %v: bf16) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%r = tanh %c",
            "%h = cast %r",
            "%d = dot %h, %v",
            "func.return %d : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("deferred",), True, ("tanh", "cast")), Formed(2, ("gmem",), True, ())]


def test_a_second_consumer_outside_makes_the_operand_an_output():
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %v: bf16) -> (tensor<8x8xf32>, tensor<8x8xbf16>)",
            "%c = dot %x, %w",
            "%h = cast %c",
            "%d = dot %h, %v",
            "func.return %d, %h : tensor<8x8xf32>, tensor<8x8xbf16>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem",), True, ("cast",)), Formed(2, ("gmem",), True, ())]


def test_two_contractions_of_one_root_are_two_kernels():
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %v: bf16) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%d = dot %x, %v",
            "%e = mul %c, %d",
            "func.return %e : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("deferred",), True, ()), Formed(3, ("gmem",), True, ("mul",))]


def test_kernels_that_would_wait_for_each_other_are_cut():
    """relu(c) is an operand of e, and c + e has the anchor c: a kernel of both roots would depend on its own result."""
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %v: bf16) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%r = tanh %c",
            "%h = cast %r",
            "%e = dot %h, %v",
            "%s = add %c, %e",
            "func.return %s : tensor<8x8xf32>",
        )
    )
    kernels = formed(module)
    assert [k.contraction for k in kernels].count(True) == 2
    assert {"add"} == {f for k in kernels if "gmem" in k.outs for f in k.epilogue}
    launches = [o for o in module.walk() if isinstance(o, region.LaunchOp)]
    block = launches[0].parent_block()
    assert block is not None
    written = set(block.args)
    for launch in launches:
        assert set(launch.ins) <= written, "a launch reads what no earlier launch wrote"
        written |= set(launch.outs)


def test_two_roots_of_one_contraction_in_a_circle():
    """Both roots return; one waits for a contraction of the other."""
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %v: bf16) -> (tensor<8x8xbf16>, tensor<8x8xf32>)",
            "%c = dot %x, %w",
            "%h = cast %c",
            "%e = dot %h, %v",
            "%t = tanh %e",
            "%s = add %c, %t",
            "func.return %h, %s : tensor<8x8xbf16>, tensor<8x8xf32>",
        )
    )
    assert sum(k.contraction for k in formed(module)) == 2


# --- buffers and globals ------------------------------------------------------------------------


def test_a_dense_literal_becomes_a_global_and_a_splat_does_not():
    module = lower(
        function(
            "(%x: tensor<2x2xf32>) -> tensor<2x2xf32>",
            "%c = ptir.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>",
            "%s = ptir.constant dense<5.0> : tensor<2x2xf32>",
            "%a = ptir.add %x, %c : tensor<2x2xf32>",
            "%b = ptir.mul %a, %s : tensor<2x2xf32>",
            "func.return %b : tensor<2x2xf32>",
        )
    )
    assert len([o for o in module.ops if isinstance(o, memref.GlobalOp)]) == 1
    assert formed(module) == [Formed(2, ("gmem",), False, ("add", "mul"))]


def test_arguments_are_aligned_to_16_bytes_and_buffers_to_256():
    module = lower(
        square(
            "(%x: bf16, %w: bf16, %v: bf16) -> tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%h = cast %c",
            "%d = dot %h, %v",
            "func.return %d : tensor<8x8xf32>",
        )
    )
    first, second = (o for o in module.ops if isinstance(o, region.RegionKernelOp))
    assert [first.alignment(a) for a in first.body.block.args] == [16, 16, 256]
    assert sorted(second.alignment(a) for a in second.inputs) == [16, 256]


# --- pads and reductions ------------------------------------------------------------------------


@pytest.mark.parametrize("fill", ["0.0", "1.0"])
def test_a_pad_is_computed_in_the_kernel_of_its_contraction(fill: str):
    module = lower(
        function(
            "(%x: tensor<4x6xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xf32>",
            f"%a = tiny.movement pad %x low [0, 1] high [0, 1] value {fill} : bf16 : tensor<4x6xbf16> -> tensor<4x8xbf16>",
            "%c = " + DOT.format("%a", "%w", "4x8", "8x4", "4x4"),
            "func.return %c : tensor<4x4xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem",), True, ())]


def test_a_contraction_is_stored_before_a_pad():
    """Its map to the result is not onto: padding elements have no accumulator."""
    module = lower(
        square(
            "(%x: bf16, %w: bf16) -> tensor<9x8xf32>",
            "%c = dot %x, %w",
            "%p = tiny.movement pad %c low [1, 0] high [0, 0] value 0.0:f32 : f32 -> tensor<9x8xf32>",
            "func.return %p : tensor<9x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("deferred",), True, ()), Formed(1, ("gmem",), False, ())]


def test_an_iota_is_computed_where_it_is_read():
    module = lower(
        square(
            "(%x: bf16, %w: bf16) -> tensor<8x8xf32>",
            "%i = tiny.iota axis 0 : tensor<8x8xf32>",
            "%c = dot %x, %w",
            "%b = add %c, %i",
            "func.return %b : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem",), True, ("add",))]


def reduced(axis: int, result: str, *then: str) -> list[Formed]:
    """Returns the kernels of a function that sums along an axis: over rows, which are contiguous, or over columns."""
    sums = f"%s = ptir.reduce sum %x axes [{axis}] : tensor<8x8xf32> -> tensor<8xf32>"
    return formed(lower(square(f"(%x: f32, %v: tensor<8xf32>) -> {result}", sums, *then)))


@pytest.mark.parametrize("axis", [0, 1])
def test_a_reduction_is_fused_with_what_reads_it_one_to_one(axis: int):
    exp = "%e = ptir.exp %s : tensor<8xf32>"
    assert reduced(axis, "tensor<8xf32>", exp, "func.return %e : tensor<8xf32>") == [
        Formed(1, ("gmem",), False, ("exp",))
    ]


def test_roots_that_share_reductions_of_rows_share_a_kernel():
    both = ("%e = ptir.exp %s : tensor<8xf32>", "func.return %e, %s : tensor<8xf32>, tensor<8xf32>")
    result = "(tensor<8xf32>, tensor<8xf32>)"
    assert reduced(1, result, *both) == [Formed(1, ("gmem", "gmem"), False, ("exp",))]
    assert reduced(0, result, *both) == [Formed(1, ("gmem",), False, ()), Formed(1, ("gmem",), False, ("exp",))]


SUMS = (
    "%p = mul %x, %y",
    "%s = ptir.reduce sum %x axes [0] : tensor<8x8xf32> -> tensor<8xf32>",
    "%t = ptir.reduce max %p axes [0] : tensor<8x8xf32> -> tensor<8xf32>",
)


@pytest.mark.parametrize("flipped", [False, True])
def test_reductions_of_the_columns_of_one_array_are_one_kernel(flipped: bool):
    first, second = SUMS[1:][:: -1 if flipped else 1]
    module = lower(
        square(
            "(%x: f32, %y: f32) -> (tensor<8xf32>, tensor<8xf32>)",
            SUMS[0],
            first,
            second,
            "func.return %s, %t : tensor<8xf32>, tensor<8xf32>",
        )
    )
    assert formed(module) == [Formed(2, ("gmem", "gmem"), False, ("mul",))]


@pytest.mark.parametrize(
    ("why", "second", "type"),
    [
        ("they read no array in common", "ptir.reduce max %y axes [0] : tensor<8x8xf32> -> tensor<8xf32>", "8xf32"),
        ("they have other shapes", "ptir.reduce sum %x axes [0, 1] : tensor<8x8xf32> -> tensor<f32>", "f32"),
        ("one reads the other's row", "ptir.reduce sum %d axes [1] : tensor<8x8xf32> -> tensor<8xf32>", "8xf32"),
    ],
)
def test_other_reductions_of_columns_have_kernels_of_their_own(why: str, second: str, type: str):
    module = lower(
        square(
            f"(%x: f32, %y: f32) -> (tensor<8xf32>, tensor<{type}>)",
            "%s = ptir.reduce sum %x axes [0] : tensor<8x8xf32> -> tensor<8xf32>",
            "%b = ptir.broadcast_to %s : tensor<8xf32> -> tensor<8x8xf32>",
            "%d = sub %x, %b",
            f"%t = {second}",
            f"func.return %s, %t : tensor<8xf32>, tensor<{type}>",
        )
    )
    assert len(formed(module)) == 2, why


def test_what_repeats_a_number_of_its_row_is_fused_with_the_reduction():
    repeat = (
        "%c = ptir.reshape %s : tensor<8xf32> -> tensor<8x1xf32>",
        "%r = ptir.broadcast_to %c : tensor<8x1xf32> -> tensor<8x8xf32>",
        "%b = div %x, %r",
        "func.return %b : tensor<8x8xf32>",
    )
    assert reduced(1, "tensor<8x8xf32>", *repeat) == [Formed(1, ("gmem",), False, ("div",))]
    assert reduced(
        0,
        "tensor<8x8xf32>",
        "%b = ptir.broadcast_to %s : tensor<8xf32> -> tensor<8x8xf32>",
        "func.return %b : tensor<8x8xf32>",
    ) == [Formed(1, ("gmem",), False, ())]
    kernels = reduced(0, "tensor<8x8xf32>", *repeat)
    assert kernels == [Formed(1, ("deferred",), False, ()), Formed(2, ("gmem",), False, ("div",))]


@pytest.mark.parametrize(
    ("why", "then"),
    [
        (
            "it is not read one-to-one",
            [
                "%c = ptir.reshape %s : tensor<8xf32> -> tensor<8x1xf32>",
                "%b = ptir.broadcast_to %c : tensor<8x1xf32> -> tensor<8x8xf32>",
            ],
        ),
        (
            "it is read at two indices",
            [
                "%c = ptir.reshape %s : tensor<8xf32> -> tensor<8x1xf32>",
                "%r = ptir.reshape %s : tensor<8xf32> -> tensor<4x2x1xf32>",
                "%t = ptir.transpose %r [1, 0, 2] : tensor<4x2x1xf32> -> tensor<2x4x1xf32>",
                "%u = ptir.reshape %t : tensor<2x4x1xf32> -> tensor<8x1xf32>",
                "%b = ptir.add %c, %u : tensor<8x1xf32>",
            ],
        ),
        ("another reduction reads it", ["%b = ptir.reduce max %s axes [0] : tensor<8xf32> -> tensor<f32>"]),
    ],
)
def test_a_reduction_that_would_be_computed_again_is_stored(
    why: str, then: list[str], caplog: pytest.LogCaptureFixture
):
    result = then[-1].rsplit(" ", 1)[-1]
    with caplog.at_level("DEBUG", "ptir.analysis.regions.places"):
        first, *_ = reduced(0, result, *then, f"func.return %b : {result}")
    assert first == Formed(1, ("deferred",), False, ())
    assert f"this value is stored, not fused: {why}" in caplog.text


def test_a_reduction_beside_a_contraction_is_stored():
    module = lower(
        square(
            "(%x: f32, %y: bf16, %w: bf16) -> tensor<8x8xf32>",
            "%s = ptir.reduce max %x axes [1] keepdims : tensor<8x8xf32> -> tensor<8x1xf32>",
            "%t = ptir.broadcast_to %s : tensor<8x1xf32> -> tensor<8x8xf32>",
            "%c = dot %y, %w",
            "%b = add %c, %t",
            "func.return %b : tensor<8x8xf32>",
        )
    )
    assert formed(module) == [Formed(1, ("deferred",), False, ()), Formed(3, ("gmem",), True, ("add",))]


# --- what is refused ----------------------------------------------------------------------------


def test_ops_of_another_level_are_refused():
    text = square("(%x: f32) -> tensor<8x8xf32>", "%a = exp %x", "func.return %a : tensor<8x8xf32>")
    with pytest.raises(WrongLevel, match=r"'ptir.exp' does not belong in the input of form-regions"):
        lower(text, "form-regions")


def test_what_nobody_reads_is_not_refused():
    halves = "%n = ptir.constant dense<1> : tensor<4x8xi32>\n%z = ptir.div %n, %n : tensor<4x8xi32>"
    text = square(
        "(%x: bf16, %w: bf16) -> tensor<8x8xf32>", halves, "%c = dot %x, %w", "func.return %c : tensor<8x8xf32>"
    )
    assert formed(lower(text.replace("4x8", "8x8"))) == [Formed(2, ("gmem",), True, ())]


def test_an_op_without_a_tiny_form_is_a_border_and_is_named():
    text = function(
        "(%x: tensor<4x8xf32>, %i: tensor<2x8xsi32>) -> tensor<2x8xf32>",
        "%a = ptir.exp %x : tensor<4x8xf32>",
        '%g = "ptir.invented"(%a, %i) : (tensor<4x8xf32>, tensor<2x8xsi32>) -> tensor<2x8xf32>',
        "%b = ptir.neg %g : tensor<2x8xf32>",
        "func.return %b : tensor<2x8xf32>",
    )
    with pytest.raises(NoTinyForm, match=r"ptir\.invented") as e:
        lower(text)
    assert e.value.op is not None and op_name(e.value.op) == "ptir.invented"


def test_an_index_that_is_too_complex_is_cut_off(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    reads = Slicer.reads

    def limited(self: Slicer, op: Operation, here: Place, *, is_root: bool, reduced: bool) -> list[Place]:
        if isinstance(op, tiny.MovementOp) and op.kind.data == "permute" and not is_root:
            raise TooComplex(what="the composition of two accesses", bound="0 operations of isl")
        return reads(self, op, here, is_root=is_root, reduced=reduced)

    text = square(
        "(%x: f32) -> tensor<8x8x1xf32>",
        "%a = exp %x",
        "%t = transpose %a",
        "%b = neg %t",
        "%r = ptir.reshape %b : tensor<8x8xf32> -> tensor<8x8x1xf32>",
        "%e = ptir.tanh %r : tensor<8x8x1xf32>",
        "func.return %e : tensor<8x8x1xf32>",
    )
    assert [k.epilogue for k in formed(lower(text))] == [("exp", "neg", "tanh")]
    monkeypatch.setattr(Slicer, "reads", limited)
    with caplog.at_level("DEBUG", "ptir.analysis.regions.places"):
        module = lower(text)
    assert [k.epilogue for k in formed(module)] == [("exp",), ("neg", "tanh")]
    assert "too complex" in caplog.text


@pytest.mark.parametrize(("size", "problem"), [("?", "the dynamic dimension 0 of"), ("0", "the shape of")])
def test_sizes_must_be_known_and_positive(size: str, problem: str):
    t = f"tensor<{size}x4xf32>"
    with pytest.raises(Unsupported, match=problem):
        lower(
            function(f"(%x: {t}) -> {t}", f"%a = tiny.unary exp %x : {t} -> {t}", f"func.return %a : {t}"),
            "form-regions",
        )


# --- contractions -------------------------------------------------------------------------------


def contraction_of(text: str, pipeline: str = "ptir-to-tiny"):
    """Returns the only contraction of @f, and its block."""
    module = lower(text, pipeline)
    ops = list(module.body.block.ops)[0].regions[0].block.ops  # noqa: RUF015
    book = IndexBook(list(ops))
    return [c for o in ops if (c := find_contraction(o, book))], module


@pytest.mark.parametrize(
    ("axes", "types", "lhs", "rhs", "classes"),
    [
        ("contract [1] x [0]", ("4x6", "6x5", "4x5"), "[(i0), (i2)]", "[(i2), (i1)]", ((), (0,), (1,), (2,))),
        ("contract [1] x [1]", ("4x6", "5x6", "4x5"), "[(i0), (i2)]", "[(i1), (i2)]", ((), (0,), (1,), (2,))),
        ("contract [0] x [0]", ("6x4", "6x5", "4x5"), "[(i2), (i0)]", "[(i2), (i1)]", ((), (0,), (1,), (2,))),
        (
            "batch [0] x [0] contract [2] x [1]",
            ("3x4x6", "3x6x5", "3x4x5"),
            "[(i0), (i1), (i3)]",
            "[(i0), (i3), (i2)]",
            ((0,), (1,), (2,), (3,)),
        ),
        (
            "contract [2] x [0]",
            ("3x4x6", "6x5", "3x4x5"),
            "[(i0), (i1), (i3)]",
            "[(i3), (i2)]",
            ((), (0, 1), (2,), (3,)),
        ),
    ],
)
def test_axes_are_classed_by_who_reads_them(
    axes: str, types: tuple[str, str, str], lhs: str, rhs: str, classes: tuple[tuple[int, ...], ...]
):
    a, b, c = types
    text = function(
        f"(%x: tensor<{a}xbf16>, %w: tensor<{b}xbf16>) -> tensor<{c}xf32>",
        f"%c = ptir.dot_general %x, %w {axes} accum f32 out f32 : "
        f"(tensor<{a}xbf16>, tensor<{b}xbf16>) -> tensor<{c}xf32>",
        f"func.return %c : tensor<{c}xf32>",
    )
    (found,), _module = contraction_of(text)
    assert affine.canonical_text(found.lhs.map).endswith(f"-> {lhs} }}")
    assert affine.canonical_text(found.rhs.map).endswith(f"-> {rhs} }}")
    assert (found.batch, found.m, found.n, found.k) == classes
    assert isinstance(found.lhs.value.owner, Block) and isinstance(found.rhs.value.owner, Block)
    assert shape(found.out) == tuple(map(int, c.split("x")))


@pytest.mark.parametrize(
    "body",
    [
        # The sum is over sums, not products.
        "%p = tiny.binary add %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "%s = tiny.reduce sum %p axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>",
        # A maximum of products.
        "%p = tiny.binary mul %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "%s = tiny.reduce max %p axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>",
        # An inexact cast is between product and sum.
        "%p = tiny.binary mul %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "%q = tiny.unary cast %p : tensor<4x6xf32> -> tensor<4x6xbf16>\n"
        "%s = tiny.reduce sum %q axes [1] accum bf16 : tensor<4x6xbf16> -> tensor<4xbf16>",
        # Only one operand reads the reduced axis.
        "%z = tiny.const dense<2.0> : tensor<4x1xf32>\n"
        "%p = tiny.binary mul %x, %z : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>\n"
        "%s = tiny.reduce sum %p axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>",
    ],
)
def test_what_is_no_contraction(body: str):
    found, _module = contraction_of(
        function("(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>)", body, "func.return"), "builtin.module()"
    )
    assert not found


@pytest.mark.parametrize(("axes", "is_contraction"), [("[1] x [0]", True), ("[1] x [1]", False)])
def test_a_matrix_whose_rows_are_multiplied_by_a_vector_is_a_reduction(axes: str, is_contraction: bool):
    w = "6x5" if is_contraction else "5x6"
    text = function(
        f"(%x: tensor<1x6xbf16>, %w: tensor<{w}xbf16>) -> tensor<1x5xf32>",
        f"%c = ptir.dot_general %x, %w contract {axes} accum f32 out f32 : (tensor<1x6xbf16>, tensor<{w}xbf16>) -> tensor<1x5xf32>",
        "func.return %c : tensor<1x5xf32>",
    )
    found, _module = contraction_of(text)
    assert bool(found) is is_contraction


@pytest.mark.parametrize(("k", "is_contraction"), [(16, True), (15, False)])
def test_matrices_that_are_multiplied_by_short_vectors_are_reductions(k: int, is_contraction: bool):
    """Matrix units would multiply padding."""
    x, w, c = f"tensor<8x{k}xbf16>", f"tensor<8x{k}x5xbf16>", "tensor<8x5xf32>"
    text = function(
        f"(%x: {x}, %w: {w}) -> {c}",
        f"%c = ptir.dot_general %x, %w batch [0] x [0] contract [1] x [1] accum f32 out f32 : ({x}, {w}) -> {c}",
        f"func.return %c : {c}",
    )
    found, _module = contraction_of(text)
    assert bool(found) is is_contraction


def test_a_depthwise_convolution_is_one_kernel_with_its_padding():
    (kernel,) = formed(
        lower(
            "builtin.module attributes {ptir.extensions} {\n"
            + function(
                "(%x: tensor<2x6x16xf32>, %w: tensor<4x1x16xbf16>) -> tensor<2x6x16xf32>",
                "%h = ptir.cast %x : tensor<2x6x16xf32> -> tensor<2x6x16xbf16>",
                "%c = ptir.convolution %h, %w padding [(3, 0)] groups 16 accum f32 out f32"
                " : (tensor<2x6x16xbf16>, tensor<4x1x16xbf16>) -> tensor<2x6x16xf32>",
                "func.return %c : tensor<2x6x16xf32>",
            )
            + "}"
        )
    )
    assert kernel.ins == 2 and not kernel.contraction


# --- views --------------------------------------------------------------------------------------

LINEAR = square(
    "(%x: bf16, %w: bf16, %r: f32) -> tensor<8x8xf32>",
    "%c = dot %x, %w",
    "%t = transpose %c",
    "%d = add %t, %r",
    "func.return %d : tensor<8x8xf32>",
)


def viewed() -> tuple[ModuleOp, poly.ViewOp]:
    module = lower(LINEAR, "ptir-to-tiny,build-poly-view")
    return module, next(o for o in module.ops if isinstance(o, poly.ViewOp))


def maps_in_the_view() -> list[tuple[int, str, int]]:
    """Returns the entry of the view, the property and the position of every map in it."""
    places: list[tuple[int, str, int]] = []
    for k, op in enumerate(viewed()[1].body.block.ops):
        if isinstance(op, poly.BlockOp):
            places += [(k, "maps", p) for p in range(len(op.maps))]
        else:
            places.append((k, "true_dependence", 0))
    return places


@pytest.mark.parametrize("place", maps_in_the_view(), ids=str)
def test_any_changed_map_makes_the_view_stale(place: tuple[int, str, int]):
    module, view = viewed()
    entry, _name, position = place
    op = list(view.body.block.ops)[entry]
    if isinstance(op, poly.BlockOp):
        maps = list(op.maps)
        maps[position] = changed(maps[position])
        op.maps = type(op.maps)(maps)
    elif isinstance(op, poly.EdgeOp) and op.true is not None:
        op.true = type(op.true)([changed(m) for m in op.true])
    with pytest.raises(StaleView, match="the view of @f contradicts its function"):
        PassManager("form-regions").run(parse_text(str(module), make_context()))


def changed(m: poly.MapAttr) -> poly.MapAttr:
    """Returns the map with 1 added to its first output."""
    head, tail = m.source.data.split("-> [", 1)
    return poly.MapAttr(f"{head}-> [1 + {tail}")


@pytest.mark.sampled(1)
def test_any_changed_domain_kind_tensor_or_pattern_makes_the_view_stale():
    count = len(list(viewed()[1].body.block.ops))
    edits = 0
    for k in range(count):
        for edit in ("domain", "kind", "tensors", "pattern", "gone"):
            module, view = viewed()
            op = list(view.body.block.ops)[k]
            if edit == "gone":
                op.detach()
                op.erase()
            elif not isinstance(op, poly.BlockOp):
                continue
            elif edit == "domain":
                op.domain = poly.SetAttr("{ [i0] : 0 <= i0 <= 1 }")
            elif edit == "tensors":
                op.tensors = type(op.tensors)([StringAttr("arg9") for _ in op.tensors])
            elif edit == "pattern" and op.pattern is not None:
                op.pattern = type(op.pattern)({**op.pattern.data, "reduce_idx": StringAttr("i0")})
            elif edit == "kind" and op.kind.data != "contraction_pattern":
                op.kind = StringAttr("reduce")
            else:
                continue
            edits += 1
            # The view's own verifier may reject it first, which the filecheck tests cover.
            with pytest.raises(StaleView):
                PassManager("form-regions", verify="never").run(module)
    assert edits > count


def test_a_view_with_buffers_is_compared_with_one():
    module = lower(LINEAR, "ptir-to-tiny,build-poly-view{buffers=true}")
    view = next(o for o in module.ops if isinstance(o, poly.ViewOp))
    assert any(e.output for e in view.edges) and any(e.anti for e in view.edges)
    assert str(lower(str(module), "form-regions")) == str(lower(LINEAR, "ptir-to-tiny,form-regions"))
    edge = next(e for e in view.edges if e.anti is not None)
    edge.anti = type(edge.anti)([poly.MapAttr("{ [i0, i1] -> [0, 0] }")])
    with pytest.raises(StaleView, match="anti"):
        PassManager("form-regions", verify="never").run(module)


def test_a_view_of_no_function_is_stale():
    module, view = viewed()
    view.function = StringAttr("g")
    with pytest.raises(StaleView, match="expected the name of a function in the module"):
        PassManager("form-regions").run(module)


def test_a_true_view_changes_nothing_and_is_gone():
    with_view = lower(LINEAR, "ptir-to-tiny,build-poly-view,form-regions")
    assert str(with_view) == str(lower(LINEAR, "ptir-to-tiny,form-regions"))


def test_the_view_of_a_reparsed_function_is_the_same_text():
    module, view = viewed()
    again = PassManager("build-poly-view").run(parse_text(str(module), make_context()))
    assert str(next(o for o in again.ops if isinstance(o, poly.ViewOp))) == str(view)


def test_a_softmax_of_scores_is_one_kernel():
    """The scores are sums over other rows, which the softmax reads one-to-one: they are stored, not its own reductions."""
    module = lower(
        function(
            "(%keys: tensor<32x64xf32>, %q: tensor<64xf32>) -> tensor<32xf32>",
            "%s = ptir.dot_general %keys, %q contract [1] x [0] accum f32 out f32 : (tensor<32x64xf32>, tensor<64xf32>)"
            " -> tensor<32xf32>",
            "%m = ptir.reduce max %s axes [0] : tensor<32xf32> -> tensor<f32>",
            "%b = ptir.broadcast_to %m : tensor<f32> -> tensor<32xf32>",
            "%d = ptir.sub %s, %b : tensor<32xf32>",
            "%e = ptir.exp %d : tensor<32xf32>",
            "%n = ptir.reduce sum %e axes [0] : tensor<32xf32> -> tensor<f32>",
            "%c = ptir.broadcast_to %n : tensor<f32> -> tensor<32xf32>",
            "%p = ptir.div %e, %c : tensor<32xf32>",
            "func.return %p : tensor<32xf32>",
        )
    )
    scores, softmax = formed(module)
    assert scores.ins == 2 and (softmax.ins, softmax.epilogue) == (1, ("sub", "exp", "div"))


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_a_norm_that_every_row_of_a_matrix_multiplies_is_computed_once(dtype: str):
    """It is stored in its narrowest type, not its mean and variance."""
    cast = f"%h = ptir.cast %n : tensor<64xf32> -> tensor<64x{dtype}>" if dtype != "f32" else ""
    module = lower(
        function(
            f"(%w: tensor<96x64x{dtype}>, %x: tensor<64xf32>, %g: tensor<64xf32>) -> tensor<96xf32>",
            "%n = ptir.layer_norm %x, %g, %g axis -1 epsilon 1.000000e-05 : tensor<64xf32>, tensor<64xf32>",
            cast,
            f"%y = ptir.dot_general %w, {'%h' if cast else '%n'} contract [1] x [0] accum f32 out f32"
            f" : (tensor<96x64x{dtype}>, tensor<64x{dtype}>) -> tensor<96xf32>",
            "func.return %y : tensor<96xf32>",
        )
    )
    norm, product = (o for o in module.ops if isinstance(o, region.RegionKernelOp))
    assert [k.ins for k in formed(module)] == [2, 2]
    assert [str(v.type) for v in norm.body.block.last_op.operands] == [f"tensor<64x{dtype}>"]  # pyright: ignore[reportOptionalMemberAccess]
    assert sum(isinstance(o, tiny.ReduceOp) for o in product.body.block.ops) == 1


@pytest.mark.parametrize(("rows", "axes", "ins"), [("2", "1, 2, 3", [2, 1]), ("2x8x8", "3", [2])])
def test_what_is_repeated_and_concatenated_is_stored_before_long_reductions(rows: str, axes: str, ins: list[int]):
    """A few long sums would divide addresses, so that one thread computes each. Many short ones read the arrays themselves."""
    x, y, six, wide, z, c = (
        f"tensor<2x{sizes}xf32>" for sizes in ("8x8x8", "4x4x24", "4x1x4x1x24", "4x2x4x2x24", "8x8x24", "8x8x32")
    )
    text = function(
        f"(%x: {x}, %y: {y}) -> tensor<{rows}xf32>",
        f"%0 = ptir.reshape %y : {y} -> {six}",
        f"%1 = ptir.broadcast_to %0 : {six} -> {wide}",
        f"%2 = ptir.reshape %1 : {wide} -> {z}",
        f"%c = ptir.concat %x, %2 axis 3 : ({x}, {z}) -> {c}",
        f"%m = ptir.reduce sum %c axes [{axes}] : {c} -> tensor<{rows}xf32>",
        f"func.return %m : tensor<{rows}xf32>",
    )
    assert [k.ins for k in formed(lower(text))] == ins


def layers(count: int) -> str:
    """Returns layers of a norm, a product and a residual, as in a transformer."""
    lines: list[str] = []
    for k in range(count):
        lines.append(
            f"""
            %n{k} = ptir.layer_norm %x{k}, %g, %g axis -1 epsilon 1.000000e-05 : tensor<16x256xf32>, tensor<256xf32>
            %h{k} = ptir.cast %n{k} : tensor<16x256xf32> -> tensor<16x256xbf16>
            %p{k} = ptir.dot_general %h{k}, %w contract [1] x [0] accum f32 out f32
              : (tensor<16x256xbf16>, tensor<256x256xbf16>) -> tensor<16x256xf32>
            %x{k + 1} = ptir.add %x{k}, %p{k} : tensor<16x256xf32>"""
        )
    return f"""
    func.func @f(%x0: tensor<16x256xf32>, %g: tensor<256xf32>, %w: tensor<256x256xbf16>) -> tensor<16x256xf32> {{
      {"".join(lines)}
      func.return %x{count} : tensor<16x256xf32>
    }}"""


def test_layers_share_kernels_and_each_reads_as_much():
    """The stream of residuals is stored after each layer, and a layer's kernels are those of the layer before."""
    for count in (3, 6):
        module = lower(layers(count))
        formed = [op for op in module.ops if isinstance(op, region.RegionKernelOp)]
        launches = [op for op in module.walk() if isinstance(op, region.LaunchOp)]
        assert len(formed) == 5, "the first layer reads an argument, and the last writes the result"
        assert len(launches) == 2 * count
        assert max(len(launch.ins) for launch in launches) == 3


@pytest.mark.campaign
def test_fusion_is_linear_in_the_number_of_layers():
    """Counted in calls of Python functions."""

    def calls(count: int) -> int:
        module = lower(layers(count), "ptir-to-tiny")
        profile = cProfile.Profile()
        profile.runcall(PassManager("form-regions{strategy=maximal}").run, module)
        return sum(entry.callcount for entry in profile.getstats())

    calls(1)  # imports and caches
    short, long = calls(8), calls(16)
    assert long <= 2.3 * short, f"{short} calls for 8 layers, {long} for 16"
