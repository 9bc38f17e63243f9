"""Legality: a target reports all illegal ops, and a program without diagnostics can be converted to CUDA."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.program.legality import ConversionTarget, check_program_legality
from ptir.errors import InvalidAttributeValue, PtirError, Unsupported
from ptir.passes import conversion
from ptir.passes.conversion import (
    conversion_targets,
    convert_program,
    get_conversion_target,
    register_conversion_target,
    require_legal,
)
from ptir.passes.environment import make_context
from ptir.passes.errors import BadOptionValue, NotLegal, UnknownOption, UnknownTarget
from ptir.passes.reproducer import is_bug
from ptir.text.op_names import op_name

from ..builders.json_programs import every_op, imported


def parse(text: str) -> ModuleOp:
    whole = f"builtin.module attributes {{ptir.extensions}} {{\n{text}\n}}"
    return ptir.parse(whole, make_context(allow_unregistered=True))


def diagnostics(module: ModuleOp, target: str = "cuda") -> list[tuple[str, str, str]]:
    """Returns the op, the code and the first words of each diagnostic."""
    found = check_program_legality(module, get_conversion_target(target))
    return [(op_name(e.op) if e.op else "", e.code, e.message) for e in found]


# --- all of them --------------------------------------------------------------------------------

MANY = """
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4x8xui64>, %j: tensor<4x8xi32>)
  -> (tensor<4x1xf32>, tensor<4x8xui64>, tensor<4x8xi32>) {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = ptir.remainder %i, %i : tensor<4x8xui64>
  %3 = ptir.div %j, %j : tensor<4x8xi32>
  %4 = "ptir.invented"(%0) : (tensor<4x1xf32>) -> tensor<2x1xf32>
  func.return %0, %1, %3 : tensor<4x1xf32>, tensor<4x8xui64>, tensor<4x8xi32>
}
func.func @g(%x: tensor<?x4xf32, #ptir.dims<B, _>>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = ptir.cond %p (%x) : (tensor<?x4xf32, #ptir.dims<B, _>>) -> tensor<4xf32> then (%a) {
    %1 = ptir.reduce sum %a axes [0] : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<4xf32>
    ptir.yield %1 : tensor<4xf32>
  } else (%b) {
    %1 = ptir.reduce max %b axes [0] : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<4xf32>
    ptir.yield %1 : tensor<4xf32>
  }
  %2 = func.call @h(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
func.func private @h(tensor<4xf32>) -> tensor<4xf32>
"""


def test_every_illegal_op_is_listed_in_order_with_its_reason():
    assert [(op, code) for op, code, _ in diagnostics(parse(MANY))] == [
        ("ptir.invented", "PTIR0203"),
        ("func.func", "PTIR0210"),
        ("func.call", "PTIR0470"),
    ]
    messages = [message for _, _, message in diagnostics(parse(MANY))]
    for message, piece in zip(messages, ["ptir.invented", "dyn", "call"], strict=True):
        assert piece in message


def test_ops_in_regions_are_listed_too():
    module = parse("""
    func.func @f(%p: tensor<i1>, %x: tensor<4xf32>, %i: tensor<4xsi32>) -> tensor<4xf32> {
      %r = ptir.cond %p (%x, %i) : (tensor<4xf32>, tensor<4xsi32>) -> tensor<4xf32> then (%a, %j) {
        %0 = "ptir.invented"(%a, %j) : (tensor<4xf32>, tensor<4xsi32>) -> tensor<4xf32>
        %1 = ptir.remainder %j, %j : tensor<4xsi32>
        %2 = ptir.cast %1 : tensor<4xsi32> -> tensor<4xf32>
        %3 = ptir.add %0, %2 : tensor<4xf32>
        ptir.yield %3 : tensor<4xf32>
      } else (%b, %k) {
        ptir.yield %b : tensor<4xf32>
      }
      func.return %r : tensor<4xf32>
    }""")
    assert [op for op, _, _ in diagnostics(module)] == ["ptir.invented"]


def test_a_diagnostic_is_no_bug_of_a_pass():
    module = parse("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { func.return %x : tensor<?xf32> }")
    with pytest.raises(Unsupported, match="dynamic") as caught:
        require_legal(module, get_conversion_target("cuda"))
    assert not is_bug(caught.value)
    with pytest.raises(NotLegal) as caught:
        require_legal(parse(MANY), get_conversion_target("cuda"))
    assert not is_bug(caught.value)


def test_an_architecture_is_an_option():
    assert diagnostics(parse(MANY), "cuda{arch=sm90}") == diagnostics(parse(MANY))


def test_every_diagnostic_has_its_op_in_the_program_and_a_mend():
    module = parse(MANY)
    before = str(module)
    inside = set(module.walk())
    found = check_program_legality(module, get_conversion_target("cuda"))
    assert all(error.op in inside and error.help for error in found)
    assert str(module) == before


def test_a_legal_program_has_no_diagnostics():
    module = parse(
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n%0 = ptir.exp %x : tensor<4xf32>\nfunc.return %0 : tensor<4xf32> }"
    )
    assert diagnostics(module) == []
    require_legal(module, get_conversion_target("cuda"))
    converted = convert_program(module, get_conversion_target("cuda{arch=sm90}"))
    assert "nv." in str(converted)
    assert "nv." not in str(module)


def test_what_a_result_does_not_need_is_no_matter_for_kernels():
    module = parse("func.func @f(%x: tensor<4xsi4>) {\n%0 = ptir.neg %x : tensor<4xsi4>\nfunc.return }")
    assert diagnostics(module) == []


def test_composites_are_what_is_in_them():
    text = """
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
        %1 = ptir.OP %y : tensor<4xf32>
        ptir.yield %1 : tensor<4xf32>
      }
      func.return %0 : tensor<4xf32>
    }"""
    assert diagnostics(parse(text.replace("OP", "exp"))) == []
    custom = text.replace("ptir.OP %y :", '"ptir.invented"(%y) : (tensor<4xf32>) ->')
    assert [op for op, _, _ in diagnostics(parse(custom))] == ["ptir.invented"]


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_a_diagnostic_names_the_op_as_it_is_written(arch: str):
    """For every op of ptir, the error is reported at the op and names it, even if a lower op is not supported."""
    module = imported(every_op())
    written = {op for op in module.walk() if op.name.startswith("ptir.")}
    found = check_program_legality(module, get_conversion_target(f"cuda{{arch={arch}}}"))
    assert len({e.op.name for e in found if e.op in written}) > 3
    for error in found:
        if isinstance(error.op, FuncOp):  # the error is about the types of arguments
            continue
        assert error.op in written and f"'{error.op.name}" in error.message and "tiny." not in error.message, (
            error.message
        )


# --- agreement with the passes ------------------------------------------------------------------

DTYPES = [
    "f64",
    "f32",
    "f16",
    "bf16",
    "f8E4M3FN",
    "f8E5M2",
    "i1",
    "si4",
    "ui4",
    "si8",
    "ui8",
    "i16",
    "i32",
    "ui32",
    "i64",
    "complex<f32>",
]
UNARY = [
    "neg",
    "abs",
    "exp",
    "log",
    "tanh",
    "erf",
    "rsqrt",
    "reciprocal",
    "sqrt",
    "sin",
    "floor",
    "not",
    "stop_gradient",
]
BINARY = ["add", "sub", "mul", "div", "maximum", "minimum", "and", "shift_left", "pow"]
BODIES = {
    **{op: f"%r = ptir.{op} %x : $T" for op in UNARY},
    **{op: f"%r = ptir.{op} %x, %y : $T" for op in BINARY},
    "clamp": "%r = ptir.clamp %x, %y, %x : $T",
    "compare": "%p = ptir.compare eq %x, %y : $T -> tensor<6x6xi1>\n%r = ptir.select %p, %x, %y : tensor<6x6xi1>, $T",
    "transpose": "%r = ptir.transpose %x [1, 0] : $T -> $T",
    "reshape": "%0 = ptir.reshape %x : $T -> tensor<36x$D>\n%r = ptir.reshape %0 : tensor<36x$D> -> $T",
    "broadcast": "%0 = ptir.reduce sum %x axes [0] keepdims accum $D out $D : $T -> tensor<1x6x$D>\n"
    "%r = ptir.broadcast_to %0 : tensor<1x6x$D> -> $T",
    "cast": "%0 = ptir.cast %x : $T -> tensor<6x6xf32>\n%r = ptir.cast %0 : tensor<6x6xf32> -> $T",
    "to byte": "%0 = ptir.cast %x : $T -> tensor<6x6xui8>\n%r = ptir.cast %0 : tensor<6x6xui8> -> $T",
    "dot": "%r = ptir.dot_general %x, %y contract [1] x [0] : ($T, $T) -> $T",
    "dot f32": "%0 = ptir.dot_general %x, %y contract [1] x [0] accum f32 out f32 : ($T, $T) -> tensor<6x6xf32>\n"
    "%r = ptir.cast %0 : tensor<6x6xf32> -> $T",
    "dot i32": "%0 = ptir.dot_general %x, %y contract [1] x [0] accum i32 out i32 : ($T, $T) -> tensor<6x6xi32>\n"
    "%r = ptir.cast %0 : tensor<6x6xi32> -> $T",
    "dot tf32": "%r = ptir.dot_general %x, %y contract [1] x [0] precision tf32 : ($T, $T) -> $T",
    "sum of products": "%0 = ptir.mul %x, %y : $T\n%1 = ptir.reduce sum %0 axes [1] keepdims accum $D out $D : $T -> tensor<6x1x$D>\n"
    "%r = ptir.broadcast_to %1 : tensor<6x1x$D> -> $T",
    "max": "%0 = ptir.reduce max %x axes [1] keepdims : $T -> tensor<6x1x$D>\n%r = ptir.broadcast_to %0 : tensor<6x1x$D> -> $T",
    "product": "%0 = ptir.reduce mul %x axes [0, 1] keepdims : $T -> tensor<1x1x$D>\n"
    "%r = ptir.broadcast_to %0 : tensor<1x1x$D> -> $T",
    "argmax": "%0 = ptir.argmax %x axis 1 keepdims : $T -> tensor<6x1xsi32>\n"
    "%1 = ptir.broadcast_to %0 : tensor<6x1xsi32> -> tensor<6x6xsi32>\n%r = ptir.cast %1 : tensor<6x6xsi32> -> $T",
    "nothing": "%r = ptir.reduce max %x axes [] : $T -> $T",
    "iota": "%0 = ptir.iota axis 0 : $T\n%r = ptir.add %x, %0 : $T",
    "pad": "%0 = ptir.slice %x [1, 1] : $T -> tensor<2x2x$D>\n%r = ptir.tile %0 [3, 3] : tensor<2x2x$D> -> $T",
    "concat": "%0 = ptir.slice %x [3, 0] : $T -> tensor<2x6x$D>\n%1 = ptir.slice %y [1, 0] : $T -> tensor<4x6x$D>\n"
    "%r = ptir.concat %0, %1 axis 0 : (tensor<2x6x$D>, tensor<4x6x$D>) -> $T",
    "window": "%r = ptir.reduce_window max %x window [3, 1] padding [(1, 1), (0, 0)] : $T -> $T",
    "patches": "%0 = ptir.reshape %x : $T -> tensor<1x12x3x$D>\n"
    "%1 = ptir.extract_patches %0 window [4] strides [4] : tensor<1x12x3x$D> -> tensor<1x3x12x$D>\n"
    "%r = ptir.reshape %1 : tensor<1x3x12x$D> -> $T",
    "overlap": "%0 = ptir.slice %x [1, 0] : $T -> tensor<4x6x$D>\n%1 = ptir.reshape %0 : tensor<4x6x$D> -> tensor<1x4x6x$D>\n"
    "%2 = ptir.extract_patches %1 window [3] : tensor<1x4x6x$D> -> tensor<1x2x18x$D>\n"
    "%r = ptir.reshape %2 : tensor<1x2x18x$D> -> $T",
    "convolution": "%0 = ptir.reshape %x : $T -> tensor<1x6x6x$D>\n%1 = ptir.reshape %y : $T -> tensor<3x6x2x$D>\n"
    "%2 = ptir.convolution %0, %1 : (tensor<1x6x6x$D>, tensor<3x6x2x$D>) -> tensor<1x4x2x$D>\n"
    "%3 = ptir.reshape %2 : tensor<1x4x2x$D> -> tensor<8x$D>\n%4 = ptir.slice %3 [1] : tensor<8x$D> -> tensor<6x$D>\n"
    "%r = ptir.broadcast_to %4 : tensor<6x$D> -> $T",
    "padded convolution": "%0 = ptir.reshape %x : $T -> tensor<1x6x6x$D>\n%1 = ptir.reshape %y : $T -> tensor<3x6x2x$D>\n"
    "%2 = ptir.convolution %0, %1 padding [(1, 1)] : (tensor<1x6x6x$D>, tensor<3x6x2x$D>) -> tensor<1x6x2x$D>\n"
    "%3 = ptir.reshape %2 : tensor<1x6x2x$D> -> tensor<2x6x$D>\n%r = ptir.tile %3 [3, 1] : tensor<2x6x$D> -> $T",
    "layer_norm": "%0 = ptir.slice %y [0, 0] : $T -> tensor<1x6x$D>\n%g = ptir.reshape %0 : tensor<1x6x$D> -> tensor<6x$D>\n"
    "%r = ptir.layer_norm %x, %g, %g axis 1 epsilon 1.0e-05 : $T, tensor<6x$D>",
    "bits": "%r = ptir.bitcast %x : $T -> $T",
    "any": "%0 = ptir.reduce any %x axes [0] : $T -> tensor<6x$D>\n%r = ptir.broadcast_to %0 : tensor<6x$D> -> $T",
    "rounding sum": "%0 = ptir.reduce sum %x axes [0] accum bf16 : $T -> tensor<6x$D>\n%r = ptir.broadcast_to %0 : tensor<6x$D> -> $T",
    "rounding dot": "%r = ptir.dot_general %x, %y contract [1] x [0] accum f16 : ($T, $T) -> $T",
    "argument": "%r = ptir.reshape %x : $T -> $T",
    "literal": "%c = ptir.constant dense<1> : tensor<6x6xi32>\n%0 = ptir.cast %c : tensor<6x6xi32> -> $T\n%r = ptir.add %x, %0 : $T",
}


def program(body: str, dtype: str) -> ModuleOp | None:
    t = f"tensor<6x6x{dtype}>"
    text = body.replace("$T", t).replace("$D", dtype)
    module = parse(f"func.func @f(%x: {t}, %y: {t}) -> {t} {{\n{text}\nfunc.return %r : {t}\n}}")
    try:
        module.verify()
    except Exception:
        return None
    return module


def reaches_cuda(module: ModuleOp, arch: str) -> PtirError | None:
    try:
        ptir.print_cuda(ptir.PassManager(f"ptir-to-cuda{{arch={arch}}}").run(module.clone()))
    except PtirError as error:
        return error
    return None


WARP_SPECIALIZED = ["dot", "dot f32", "dot i32", "neg", "transpose"]


@pytest.mark.sampled(18)
@pytest.mark.parametrize(
    ("body", "arch"), [*((body, "sm80") for body in BODIES), *((body, "sm90") for body in WARP_SPECIALIZED)]
)
def test_legal_is_what_reaches_cuda(body: str, arch: str):
    seen = 0
    for dtype in DTYPES:
        module = program(BODIES[body], dtype)
        if module is None:
            continue
        seen += 1
        found, error = diagnostics(module, f"cuda{{arch={arch}}}"), reaches_cuda(module, arch)
        assert bool(found) == (error is not None), (dtype, found, error)
    assert seen


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("f8E4M3FN", "%r = ptir.dot_general %x, %x contract [1] x [1] accum f32 out f32 : ($T, $T) -> tensor<6x6xf32>"),
        ("si4", "%r = ptir.cast %x : $T -> tensor<6x6xf32>"),
        ("f8E4M3FN", "%r = ptir.cast %x : $T -> tensor<6x6xf32>"),
        ("i1", "%r = ptir.cast %x : $T -> tensor<6x6xf32>"),
    ],
)
def test_legal_is_what_reaches_cuda_from_another_type(source: str, body: str, arch: str):
    t = f"tensor<6x6x{source}>"
    text = body.replace("$T", t)
    module = parse(f"func.func @f(%x: {t}) -> tensor<6x6xf32> {{\n{text}\nfunc.return %r : tensor<6x6xf32>\n}}")
    found, error = diagnostics(module, f"cuda{{arch={arch}}}"), reaches_cuda(module, arch)
    assert bool(found) == (error is not None), (found, error)


# --- targets ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nothing(ConversionTarget):
    """A target that rejects the ops of a module beyond the first `most`."""

    name = "nothing"
    most: int = 1

    def diagnostics(self, module: ModuleOp) -> Iterable[PtirError]:
        ops = list(module.walk())[1:]
        return [Unsupported(op, what="one more", need="less") for op in reversed(ops[self.most :])]

    @property
    def pipeline(self) -> str:
        return "cse"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "_REGISTERED", {})
    register_conversion_target("nothing", Nothing)


def test_a_target_of_this_process(registered: None):
    assert conversion_targets() == ("cuda", "nothing")
    module = parse(MANY)
    found = check_program_legality(module, get_conversion_target("nothing{most=3}"))
    assert [e.op for e in found] == list(module.walk())[4:]
    small = parse("func.func private @f(tensor<4xf32>)")
    assert str(convert_program(small, get_conversion_target("nothing"))) == str(small)


def test_a_target_by_its_place(registered: None):
    register_conversion_target("other", "ptir.transforms.cuda_conversion:CudaConversion")
    assert get_conversion_target("other{arch=sm89}") == get_conversion_target("cuda{arch=sm89}")
    assert get_conversion_target("cuda{arch=sm89}").pipeline == "ptir-to-cuda{arch=sm89}"


def test_a_name_is_given_once(registered: None):
    register_conversion_target("nothing", Nothing)
    for name, target in (("nothing", "ptir.x:Y"), ("cuda", Nothing), ("no name", Nothing), ("", Nothing)):
        with pytest.raises(InvalidAttributeValue):
            register_conversion_target(name, target)


def test_what_nobody_knows():
    with pytest.raises(UnknownTarget, match="cud"):
        get_conversion_target("cud")
    with pytest.raises(UnknownOption, match="arc"):
        get_conversion_target("cuda{arc=sm80}")
    with pytest.raises(BadOptionValue, match="arch"):
        get_conversion_target("cuda{arch=sm12}")


def test_what_is_not_legal_is_not_converted():
    with pytest.raises(NotLegal) as failure:
        convert_program(parse(MANY), get_conversion_target("cuda"))
    assert len(failure.value.failures) == 3
    assert "3 operations are not legal for the target cuda" in failure.value.message
