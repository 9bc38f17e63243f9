"""Every elementwise op on every element type is lowered to `nv` in a kernel, or is rejected with a code at the op, by its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

import ptir
from ptir.analysis.regions.fusion import Fusion
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.dialects import tiny
from ptir.errors import Unsupported

HELD = [*(f"{s}{w}" for s in ("i", "si", "ui") for w in (8, 16, 32, 64)), "i1", "bf16", "f16", "f32", "f64",
        "f8E4M3FN", "f8E5M2", "complex<f32>", "complex<f64>"]  # fmt: skip
REFUSED = ["i4", "si4", "ui4"]
DTYPES = [*HELD, *REFUSED]


def words(t: str) -> Iterator[tuple[str, str]]:
    """Yields each op on tensors `%x` and `%y` of a type, and its result's type. Casts are to a third of the types."""
    for fn in tiny.UNARIES:
        for to in DTYPES[DTYPES.index(t) % 3 :: 3] if fn == "cast" else ["i1" if fn == "is_finite" else t]:
            yield f"tiny.unary {fn} %x : tensor<8x{t}> -> tensor<8x{to}>", to
    for fn in tiny.BINARIES:
        if fn == "where":
            yield f"tiny.binary where %p, %x, %y : (tensor<8xi1>, tensor<8x{t}>, tensor<8x{t}>) -> tensor<8x{t}>", t
        elif fn in tiny.CHECKS:
            yield f"tiny.binary {fn} %p, %x : (tensor<8xi1>, tensor<8x{t}>) -> tensor<8x{t}>", t
        else:
            to = "i1" if fn in tiny.COMPARISONS else t
            yield f"tiny.binary {fn} %x, %y : (tensor<8x{t}>, tensor<8x{t}>) -> tensor<8x{to}>", to
    yield f"tiny.movement reshape %x : tensor<8x{t}> -> tensor<1x8x{t}>", ""
    number = "(1.0, 2.0)" if t.startswith("c") else "1.0" if "f" in t else "1"
    yield f"tiny.const dense<{number}> : tensor<8x{t}>", t


def function(t: str, body: list[str], result: str, name: str = "f") -> str:
    signature = f"(%p: tensor<8xi1>, %x: tensor<8x{t}>, %y: tensor<8x{t}>) -> {result}"
    return "\n".join([f"func.func @{name}{signature} {{", *body, f"  func.return %r : {result}", "}"])


def is_held(op: str, alone: FuncOp) -> bool:
    """Returns True if an op is lowered into a kernel, and False if it is rejected properly; other outcomes fail."""
    try:
        Fusion(alone)
    except Unsupported as error:
        name = " ".join(op.split(" ")[: 1 if "const" in op else 2])
        assert f"'{name}'" in error.message and error.op is alone.body.block.first_op, op
        assert error.code == "PTIR0210" and error.help
        return False
    return True


def chosen(k: int, op: str, to: str, t: str) -> list[str]:
    """Returns lines that make `%v{k+1}` depend on `%v{k}` and on the result of an op, of any type."""
    lines = [f"  %o{k} = {op}"]
    of = f"(tensor<8xi1>, tensor<8x{t}>, tensor<8x{t}>) -> tensor<8x{t}>"
    if to == t:
        return [*lines, f"  %v{k + 1} = tiny.binary where %p, %o{k}, %v{k} : {of}"]
    predicate = f"%o{k}"
    if to != "i1":
        predicate = f"%c{k}"
        lines.append(f"  %c{k} = tiny.unary cast %o{k} : tensor<8x{to}> -> tensor<8xi1>")
    return [*lines, f"  %v{k + 1} = tiny.binary where {predicate}, %v{k}, %x : {of}"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("t", DTYPES)
def test_an_op_reaches_nv_or_is_refused(t: str):
    ops = list(words(t))
    alone = [function(t, [f"  %r = {op}"], op.rsplit(" ", 1)[1], f"f{k}") for k, (op, _) in enumerate(ops)]
    legal: list[tuple[str, str]] = []
    for (op, to), parsed in zip(ops, list(ptir.parse("\n".join(alone)).ops), strict=True):
        assert isinstance(parsed, FuncOp)
        parsed.detach()  # otherwise xDSL's error prints the enclosing module
        try:
            parsed.verify()
        except VerifyException:  # the op is not defined on this type
            continue
        if is_held(op, parsed) and to:
            legal.append((op, to))
    assert bool(legal) == (t not in REFUSED)
    if not legal:
        return
    lines = [f"  %v0 = tiny.binary where %p, %x, %y : (tensor<8xi1>, tensor<8x{t}>, tensor<8x{t}>) -> tensor<8x{t}>"]
    lines += [line for k, (op, to) in enumerate(legal) for line in chosen(k, op, to, t)]
    lines.append(f"  %r = tiny.unary cast %v{len(legal)} : tensor<8x{t}> -> tensor<8x{t}>")
    module = ptir.parse(function(t, lines, f"tensor<8x{t}>"))
    below = ptir.PassManager("form-regions,plan-regions{arch=sm80},region-to-pto,pto-to-nv").run(module)
    cuda = ptir.print_cuda(below)
    if t in ("i1", "ui8", "i64", "bf16", "f64"):
        assert compile_cuda(cuda, "sm_80").ptx
