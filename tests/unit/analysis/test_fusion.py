"""What `analysis/regions/fusion.py` fuses and what it must not, seen in the kernels that `form-regions` leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block

from ptir.analysis.errors import TooComplex
from ptir.analysis.index import affine
from ptir.analysis.index.book import IndexBook
from ptir.analysis.index.info import Access, compose_access
from ptir.analysis.regions import fusion
from ptir.analysis.regions.contraction import find_contraction
from ptir.dialects import poly, region, tiny
from ptir.dialects.common.shapes import shape
from ptir.errors import StaleView, Unsupported, WrongLevel
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.text.parsing import parse_text
from ptir.transforms.errors import NoTinyForm

DOT = "ptir.dot_general {}, {} contract [1] x [0] accum f32 out f32 : (tensor<{}xbf16>, tensor<{}xbf16>) -> tensor<{}xf32>"


def lower(text: str, pipeline: str = "ptir-to-tiny,form-regions") -> ModuleOp:
    return PassManager(pipeline).run(parse_text(text, make_context()))


def function(signature: str, *body: str) -> str:
    """@f with this signature, whose body ends with its own return."""
    return "\n".join([f"func.func @f{signature} {{", *body, "}"])


def square(signature: str, *body: str) -> str:
    """A function of 8×8 tensors: `dot a b` is a matmul, `f32` and `bf16` are tensor types."""
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
    """One kernel in short: arguments, functions computed after its loads, and whether it holds a contraction."""

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
    """relu(c) feeds e, and c + e has c for an anchor as well: one kernel of both roots would need its own result."""
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


# --- what is refused ----------------------------------------------------------------------------


def test_a_reduction_without_a_product_is_refused_by_name():
    with pytest.raises(Unsupported, match=r"'tiny.reduce sum' outside of a contraction"):
        lower(
            function(
                "(%x: tensor<4x8xf32>) -> tensor<4xf32>",
                "%s = ptir.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>",
                "func.return %s : tensor<4xf32>",
            )
        )


def test_ops_of_another_level_are_refused():
    text = square("(%x: f32) -> tensor<8x8xf32>", "%a = exp %x", "func.return %a : tensor<8x8xf32>")
    with pytest.raises(WrongLevel, match=r"'ptir.exp' does not belong in the input of form-regions"):
        lower(text, "form-regions")


PADDED = function(
    "(%x: tensor<4x6xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xf32>",
    "%a = tiny.movement pad %x low [0, 1] high [0, 1] value FILL : bf16 : tensor<4x6xbf16> -> tensor<4x8xbf16>",
    "%c = " + DOT.format("%a", "%w", "4x8", "8x4", "4x4"),
    "func.return %c : tensor<4x4xf32>",
)


@pytest.mark.parametrize("fill", ["0.0", "1.0"])
def test_a_pad_is_refused_where_it_stands_seen_through_or_not(fill: str):
    """Zeros would be a guard of the contraction, ones a kernel of their own; kernels can do neither yet."""
    with pytest.raises(Unsupported, match=r"'tiny.movement pad' in a kernel") as e:
        lower(PADDED.replace("FILL", fill))
    assert isinstance(e.value.op, tiny.MovementOp) and e.value.op.kind.data == "pad"


def test_an_iota_is_refused_where_it_stands():
    body = "%i = tiny.iota axis 0 : tensor<8x8xf32>"
    text = square("(%x: f32) -> tensor<8x8xf32>", body, "%b = add %x, %i", "func.return %b : tensor<8x8xf32>")
    with pytest.raises(Unsupported, match=r"'tiny.iota' in a kernel") as e:
        lower(text)
    assert isinstance(e.value.op, tiny.IotaOp)


def test_what_nobody_reads_is_not_refused():
    text = PADDED.replace("FILL", "0.0").replace("func.return", "%z = tiny.iota axis 0 : tensor<4x4xf32>\nfunc.return")
    text = text.replace("(%x: tensor<4x6xbf16>,", "(%x: tensor<4x6xbf16>, %y: tensor<4x8xbf16>,").replace(
        "%a, %w", "%y, %w"
    )
    assert formed(lower(text)) == [Formed(2, ("gmem",), True, ())]


@pytest.mark.parametrize("line", ["%a = tiny.iota axis 0 : tensor<4x4xf32>", None])
def test_kernels_by_hand_hold_no_pad_and_no_iota(line: str | None):
    kernel = """
region.kernel @k(%x: memref<4x2xf32> align 16) -> (%y: memref<4x4xf32> align 16 gmem) {{
  %v = region.load %x : memref<4x2xf32> -> tensor<4x2xf32>
  {}
  region.yield %a : tensor<4x4xf32>
}}"""
    pad = "%a = tiny.movement pad %v low [0, 1] high [0, 1] value 0.0 : f32 : tensor<4x2xf32> -> tensor<4x4xf32>"
    with pytest.raises(Unsupported, match="in a kernel"):
        lower(kernel.format(line or pad), "plan-regions{arch=sm80}")


def test_an_op_without_a_tiny_form_is_a_border_and_is_named():
    text = function(
        "(%x: tensor<4x8xf32>, %i: tensor<2x8xsi32>) -> tensor<2x8xf32>",
        "%a = ptir.exp %x : tensor<4x8xf32>",
        "%g = ptir.gather %a, %i axis 0 : (tensor<4x8xf32>, tensor<2x8xsi32>) -> tensor<2x8xf32>",
        "%b = ptir.neg %g : tensor<2x8xf32>",
        "func.return %b : tensor<2x8xf32>",
    )
    with pytest.raises(NoTinyForm, match="gather") as e:
        lower(text)
    assert e.value.op is not None and e.value.op.name == "ptir.gather"


def test_an_index_that_is_too_complex_is_cut_off(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    def compose(outer: Access, inner: Access, sizes: Sequence[int]) -> Access:
        if isinstance(op := inner.value.owner, tiny.MovementOp) and op.kind.data == "permute" and len(sizes) == 3:
            raise TooComplex(what="the composition of two accesses", bound="0 operations of isl")
        return compose_access(outer, inner, sizes)

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
    monkeypatch.setattr(fusion, "compose_access", compose)
    with caplog.at_level("DEBUG", "ptir.analysis.regions.fusion"):
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
    """The one contraction of @f, and the block that holds it."""
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
        # What is summed is a sum, not a product.
        "%p = tiny.binary add %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "%s = tiny.reduce sum %p axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>",
        # A maximum of products.
        "%p = tiny.binary mul %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "%s = tiny.reduce max %p axes [1] accum f32 : tensor<4x6xf32> -> tensor<4xf32>",
        # An inexact cast stands between product and sum.
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
    """(entry of the view, property, position) of every map that it states."""
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
    """The map with its first output one further on."""
    head, tail = m.source.data.split("-> [", 1)
    return poly.MapAttr(f"{head}-> [1 + {tail}")


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
            # The view's own verifier may refuse it first; that is for the filecheck tests.
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
