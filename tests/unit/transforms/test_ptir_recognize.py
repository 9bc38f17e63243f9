"""
`ptir-recognize`: tables of programs that it recognizes, and of similar ones that it must not.

A program is composed of pieces, some of which a case replaces. A recognized composite must have the right attributes, be the
original program again after inlining, and compute the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr

import ptir
from ptir.dialects import ptir as dialect
from ptir.text.verify import verify_module
from ptir.transforms.errors import CompositeMismatch

pytestmark = pytest.mark.sampled(3)

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def parse(text: str) -> ModuleOp:
    module = ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{\n{text}\n}}")
    verify_module(module)
    return module


def recognized(module: ModuleOp, *, in_order: bool = True) -> list[dialect.CompositeOp]:
    """
    The composites, after everything that must hold of any program has been checked. Ops that stay outside may come before
    those that did not.
    """
    out = ptir.PassManager("ptir-recognize").run(module.clone())
    verify_module(out)
    again = ptir.PassManager("ptir-recognize").run(out.clone())
    assert str(again) == str(out)
    back = ptir.PassManager("ptir-inline-composites").run(out.clone())
    assert sorted(str(back).splitlines()) == sorted(str(module).splitlines())
    assert not in_order or str(back) == str(module)
    assert str(ptir.PassManager("ptir-recognize").run(ptir.parse(str(out)))) == str(out)
    return [op for op in out.walk() if isinstance(op, dialect.CompositeOp)]


def facts(composite: dialect.CompositeOp) -> dict[str, object]:
    def plain(value: object) -> object:
        match value:
            case UnitAttr():
                return True
            case IntegerAttr() | FloatAttr():
                return value.value.data
            case StringAttr():
                return value.data
            case _:
                return [plain(item) for item in value]  # pyright: ignore

    return {name: plain(value) for name, value in (composite.facts.data if composite.facts else {}).items()}


# --- softmax ------------------------------------------------------------------------------------

SOFTMAX = {
    "ARGS": "%z: $T",
    "T": "tensor<6x6xf32>",
    "K": "tensor<6x1xf32>",
    "MAX": "%m = ptir.reduce max %z axes [1] keepdims accum f32 out f32 : $T -> $K",
    "MB": "%mb = ptir.broadcast_to %m : $K -> $T",
    "SUB": "%d = ptir.sub %z, %mb : $T",
    "EXP": "%e = ptir.exp %d : $T",
    "SUM": "%s = ptir.reduce sum %e axes [1] keepdims accum f32 out f32 : $T -> $K",
    "SB": "%sb = ptir.broadcast_to %s : $K -> $T",
    "DIV": "%r = ptir.div %e, %sb : $T",
    "RETURN": "func.return %r : $T",
    "RESULTS": "$T",
}


def draft(pieces: dict[str, str], **other: str) -> ModuleOp:
    given = pieces | other
    order = [k for k in given if k not in ("ARGS", "RESULTS", "RETURN") and len(k) > 1]
    text = "func.func @f($ARGS) -> ($RESULTS) {\n" + "\n".join(given[k] for k in order) + "\n$RETURN\n}"
    for _ in range(3):
        for name in sorted(given, key=len, reverse=True):
            text = text.replace(f"${name}", given[name])
    return parse(text)


ROWS = "tensor<6xf32>"
POSITIVE_SOFTMAX: dict[str, tuple[int, dict[str, str]]] = {
    "the contract's": (1, {}),
    "over the first axis": (
        0,
        {
            "K": "tensor<1x6xf32>",
            "MAX": SOFTMAX["MAX"].replace("[1]", "[0]"),
            "SUM": SOFTMAX["SUM"].replace("[1]", "[-2]"),
        },
    ),
    "without keepdims, reshaped": (
        1,
        {
            "MAX": f"%m0 = ptir.reduce max %z axes [1] : $T -> {ROWS}\n%m = ptir.reshape %m0 : {ROWS} -> $K",
            "SUM": f"%s0 = ptir.reduce sum %e axes [1] : $T -> {ROWS}\n%s = ptir.reshape %s0 : {ROWS} -> $K",
        },
    ),
    "without keepdims, broadcast as it is": (
        0,
        {
            "K": ROWS,
            "MAX": f"%m = ptir.reduce max %z axes [0] : $T -> {ROWS}",
            "SUM": f"%s = ptir.reduce sum %e axes [0] : $T -> {ROWS}",
        },
    ),
    "transposed in the end": (
        1,
        {
            "MAX": f"%m = ptir.reduce max %z axes [1] : $T -> {ROWS}",
            "MB": f"%m1 = ptir.broadcast_to %m : {ROWS} -> $T\n%mb = ptir.transpose %m1 [1, 0] : $T -> $T",
        },
    ),
    "the maximum behind a stop_gradient": (
        1,
        {"MB": "%m1 = ptir.stop_gradient %m : $K\n%mb = ptir.broadcast_to %m1 : $K -> $T"},
    ),
    "sums of another type": (1, {"SUM": "%s = ptir.reduce sum %e axes [1] keepdims accum f64 out f32 : $T -> $K"}),
    "all in 16 bits": (
        1,
        {
            "T": "tensor<6x6xbf16>",
            "K": "tensor<6x1xbf16>",
            "MAX": "%m = ptir.reduce max %z axes [1] keepdims accum f32 out bf16 : $T -> $K",
            "SUM": "%s = ptir.reduce sum %e axes [1] keepdims accum f32 out bf16 : $T -> $K",
        },
    ),
    "scores that are widened, compared as they are": (
        1,
        {
            "ARGS": "%n: tensor<6x6xbf16>",
            "MAX": "%z = ptir.cast %n : tensor<6x6xbf16> -> $T\n"
            "%m = ptir.reduce max %n axes [1] keepdims accum f32 out f32 : tensor<6x6xbf16> -> $K",
        },
    ),
    "a maximum of widened scores in their own type": (
        1,
        {
            "ARGS": "%n: tensor<6x6xbf16>",
            "MAX": "%z = ptir.cast %n : tensor<6x6xbf16> -> $T\n%m0 = ptir.reduce max %z axes [1] keepdims : $T -> $K\n"
            "%m1 = ptir.cast %m0 : $K -> tensor<6x1xbf16>\n%m = ptir.cast %m1 : tensor<6x1xbf16> -> $K",
        },
    ),
    "a difference that is widened": (
        1,
        {
            "ARGS": "%z: tensor<6x6xbf16>",
            "MAX": "%m = ptir.reduce max %z axes [1] keepdims : tensor<6x6xbf16> -> tensor<6x1xbf16>",
            "MB": "%mb = ptir.broadcast_to %m : tensor<6x1xbf16> -> tensor<6x6xbf16>",
            "SUB": "%d0 = ptir.sub %z, %mb : tensor<6x6xbf16>\n%d = ptir.cast %d0 : tensor<6x6xbf16> -> $T",
        },
    ),
    "over an axis of one element": (
        0,
        {
            "T": "tensor<1x6xf32>",
            "K": "tensor<1x6xf32>",
            "MAX": "%m = ptir.reduce max %z axes [0] keepdims : $T -> $K",
            "SUM": "%s = ptir.reduce sum %e axes [0] keepdims : $T -> $K",
        },
    ),
    "sizes with names": (
        1,
        {"T": "tensor<?x6xf32, #ptir.dims<B, _>>", "K": "tensor<?x1xf32, #ptir.dims<B, _>>"},
    ),
    "the softmax of a softmax": (1, {"ARGS": "%z0: $T", "MAX": "%z = ptir.neg %z0 : $T\n" + SOFTMAX["MAX"]}),
}

NEAR_SOFTMAX: dict[str, dict[str, str]] = {
    "no maximum subtracted": {"MAX": "", "MB": "", "SUB": "", "EXP": "%e = ptir.exp %z : $T"},
    "the maximum of something else": {"ARGS": "%z: $T, %o: $T", "MAX": SOFTMAX["MAX"].replace("%z", "%o")},
    "the maximum over the other axis": {
        "MAX": f"%m = ptir.reduce max %z axes [0] : $T -> {ROWS}",
        "MB": f"%mb = ptir.broadcast_to %m : {ROWS} -> $T",
    },
    "both over the other axis than they are spread": {
        "K": ROWS,
        "MAX": f"%m = ptir.reduce max %z axes [1] : $T -> {ROWS}",
        "SUM": f"%s = ptir.reduce sum %e axes [1] : $T -> {ROWS}",
    },
    "the sum over the other axis": {
        "SUM": f"%s = ptir.reduce sum %e axes [0] : $T -> {ROWS}",
        "SB": f"%sb = ptir.broadcast_to %s : {ROWS} -> $T",
    },
    "the sum spread along the other axis": {
        "SUM": f"%s = ptir.reduce sum %e axes [1] : $T -> {ROWS}",
        "SB": f"%sb = ptir.broadcast_to %s : {ROWS} -> $T",
    },
    "a minimum": {"MAX": SOFTMAX["MAX"].replace("max", "min")},
    "a maximum for the sum": {"SUM": SOFTMAX["SUM"].replace("sum", "max")},
    "a sum for the maximum": {"MAX": SOFTMAX["MAX"].replace("max", "sum")},
    "the sum of something else": {"SUM": SOFTMAX["SUM"].replace("%e", "%d")},
    "another exponential divided": {"DIV": "%e2 = ptir.exp %z : $T\n%r = ptir.div %e2, %sb : $T"},
    "the quotient upside down": {"DIV": "%r = ptir.div %sb, %e : $T"},
    "the difference the other way": {"SUB": "%d = ptir.sub %mb, %z : $T"},
    "a sum for the difference": {"SUB": "%d = ptir.add %z, %mb : $T"},
    "a product for the quotient": {"DIV": "%r = ptir.mul %e, %sb : $T"},
    "tanh": {"EXP": "%e = ptir.tanh %d : $T"},
    "over both axes": {
        "K": "tensor<1x1xf32>",
        "MAX": SOFTMAX["MAX"].replace("[1]", "[0, 1]"),
        "SUM": SOFTMAX["SUM"].replace("[1]", "[0, 1]"),
    },
    "the maximum is rounded": {
        "MAX": "%m0 = ptir.reduce max %z axes [1] keepdims out bf16 : $T -> tensor<6x1xbf16>\n"
        "%m = ptir.cast %m0 : tensor<6x1xbf16> -> $K"
    },
    "the maximum accumulates in less": {"MAX": SOFTMAX["MAX"].replace("accum f32", "accum f16")},
    "the sum is rounded afterwards": {
        "SB": "%s0 = ptir.cast %s : $K -> tensor<6x1xbf16>\n%s1 = ptir.cast %s0 : tensor<6x1xbf16> -> $K\n"
        "%sb = ptir.broadcast_to %s1 : $K -> $T"
    },
    "a rounded exponential is summed": {
        "SUM": "%e0 = ptir.cast %e : $T -> tensor<6x6xbf16>\n"
        "%s = ptir.reduce sum %e0 axes [1] keepdims accum f32 out f32 : tensor<6x6xbf16> -> $K"
    },
    "the maximum of rounded scores": {
        "MAX": "%z0 = ptir.cast %z : $T -> tensor<6x6xbf16>\n"
        "%m = ptir.reduce max %z0 axes [1] keepdims accum f32 out f32 : tensor<6x6xbf16> -> $K"
    },
    "the maximum of reshaped scores": {
        "MAX": "%z0 = ptir.reshape %z : $T -> tensor<36xf32>\n%z1 = ptir.reshape %z0 : tensor<36xf32> -> $T\n"
        "%z2 = ptir.transpose %z1 [1, 0] : $T -> $T\n%m = ptir.reduce max %z2 axes [1] keepdims : $T -> $K"
    },
    "others read the exponential": {"RETURN": "func.return %r, %e : $T, $T", "RESULTS": "$T, $T"},
    "others read the maximum": {"RETURN": "func.return %r, %m : $T, $K", "RESULTS": "$T, $K"},
    "sizes that nothing says are equal": {"T": "tensor<?x6xf32>", "K": "tensor<?x1xf32>"},
}


@pytest.mark.parametrize("case", POSITIVE_SOFTMAX)
def test_softmax_is_named(case: str):
    axis, pieces = POSITIVE_SOFTMAX[case]
    (found,) = recognized(draft(SOFTMAX, **pieces))
    assert (found.known_as.data, facts(found)) == ("softmax.v1", {"axis": axis})
    assert len(found.inputs) == 1


@pytest.mark.parametrize("case", NEAR_SOFTMAX)
def test_what_is_nearly_softmax_is_not_named(case: str):
    assert recognized(draft(SOFTMAX, **NEAR_SOFTMAX[case])) == []


def test_what_is_compared_as_it_was_is_the_operand():
    (found,) = recognized(draft(SOFTMAX, **POSITIVE_SOFTMAX["scores that are widened, compared as they are"][1]))
    assert str(found.inputs[0].type) == "tensor<6x6xbf16>"


def test_two_in_a_row_are_two():
    second = {
        k + "2": v.replace("%z", "%r").replace("%m", "%n").replace("%d", "%c").replace("%e", "%f").replace("%s", "%t")
        for k, v in SOFTMAX.items()
        if k in ("MAX", "MB", "SUB", "EXP", "SUM", "SB")
    }
    module = draft(SOFTMAX | second | {"DIV2": "%q = ptir.div %f, %tb : $T", "RETURN": "func.return %q : $T"})
    assert [facts(c) for c in recognized(module)] == [{"axis": 1}, {"axis": 1}]


# --- attention ----------------------------------------------------------------------------------

S, D, H = 6, 4, 3
ATTENTION = {
    "ARGS": "%q: $Q, %k: $Q, %v: $Q",
    "Q": f"tensor<2x{H}x{S}x{D}xf32>",
    "W": f"tensor<2x{H}x{S}x{S}xf32>",
    "O": "$Q",
    "V": "$Q",
    "P": "$W",
    "KT": f"%kt = ptir.transpose %k [0, 1, 3, 2] : $Q -> tensor<2x{H}x{D}x{S}xf32>",
    "QK": "%s0 = ptir.dot_general %q, %kt batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32 "
    f": ($Q, tensor<2x{H}x{D}x{S}xf32>) -> $W",
    "SCALE": "%c = ptir.constant dense<0.3> : tensor<f32>\n%cb = ptir.broadcast_to %c : tensor<f32> -> $W\n%s1 = ptir.mul %s0, %cb : $W",
    "MASK": "%z = ptir.stop_gradient %s1 : $W",
    "MAX": f"%m = ptir.reduce max %z axes [3] keepdims accum f32 out f32 : $W -> tensor<2x{H}x{S}x1xf32>",
    "MB": f"%mb = ptir.broadcast_to %m : tensor<2x{H}x{S}x1xf32> -> $W",
    "SUB": "%d = ptir.sub %z, %mb : $W",
    "EXP": "%e = ptir.exp %d : $W",
    "SUM": f"%l = ptir.reduce sum %e axes [3] keepdims accum f32 out f32 : $W -> tensor<2x{H}x{S}x1xf32>",
    "LB": f"%lb = ptir.broadcast_to %l : tensor<2x{H}x{S}x1xf32> -> $W",
    "DIV": "%p = ptir.div %e, %lb : $W",
    "PV": "%o = ptir.dot_general %p, %v batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32 : ($P, $V) -> $O",
    "RETURN": "func.return %o : $O",
    "RESULTS": "$O",
}
SQUARE = f"tensor<{S}x{S}xf32>"
BITS = f"tensor<{S}x{S}xi1>"
INDEX = f"tensor<{S}x{S}xi32>"


def mask(text: str, type: str = SQUARE) -> str:
    """Returns the text that broadcasts and adds a mask `%w`."""
    return f"{text}\n%wb = ptir.broadcast_to %w : {type} -> $W\n%z = ptir.add %s1, %wb : $W"


def triangle(kept: str = "0.0", away: str = "-1.0e9", offset: int = 0) -> str:
    rows = [[kept if j <= i + offset else away for j in range(S)] for i in range(S)]
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def selected(
    compare: str, *, on_true: str = "0.0", on_false: str = "0xFF800000", more: str = "", of: str = "%i, %j"
) -> str:
    return f"""
    %i = ptir.iota axis 0 : {INDEX}
    %j = ptir.iota axis 1 : {INDEX}
    {more}
    %b = ptir.compare {compare} {of} : {INDEX} -> {BITS}
    %w0 = ptir.constant dense<{on_true}> : tensor<f32>
    %w1 = ptir.constant dense<{on_false}> : tensor<f32>
    %w2 = ptir.broadcast_to %w0 : tensor<f32> -> {SQUARE}
    %w3 = ptir.broadcast_to %w1 : tensor<f32> -> {SQUARE}
    %w = ptir.select %b, %w2, %w3 : {BITS}, {SQUARE}"""


ADDED = f"%one = ptir.constant dense<2> : {INDEX}\n%j2 = ptir.sub %j, %one : {INDEX}"
CHOSEN = f"""
    %i = ptir.iota axis 0 : {INDEX}
    %j = ptir.iota axis 1 : {INDEX}
    %b = ptir.compare $C %i, %j : {INDEX} -> {BITS}
    %bb = ptir.broadcast_to %b : {BITS} -> tensor<2x{H}x{S}x{S}xi1>
    %w1 = ptir.constant dense<-1.0e9> : tensor<f32>
    %w3 = ptir.broadcast_to %w1 : tensor<f32> -> $W
    %z = ptir.select %bb, $X : tensor<2x{H}x{S}x{S}xi1>, $W"""
PLAIN = {"heads": H, "scale": float(np.float32(0.3))}
CAUSAL = PLAIN | {"causal": True}
NARROW = {
    "Q": f"tensor<2x{H}x{S}x{D}xbf16>",
    "KT": f"%kt = ptir.transpose %k [0, 1, 3, 2] : $Q -> tensor<2x{H}x{D}x{S}xbf16>",
    "QK": ATTENTION["QK"].replace("xf32>) ->", "xbf16>) ->"),
    "P": f"tensor<2x{H}x{S}x{S}xbf16>",
    "DIV": "%p0 = ptir.div %e, %lb : $W\n%p = ptir.cast %p0 : $W -> $P",
    "O": f"tensor<2x{H}x{S}x{D}xbf16>",
    "PV": ATTENTION["PV"].replace("out f32", "out bf16"),
}
RANKS = {
    3: (f"tensor<{H}x{S}x{D}xf32>", f"tensor<{H}x{S}x{S}xf32>", "[0]", H),
    2: (f"tensor<{S}x{D}xf32>", f"tensor<{S}x{S}xf32>", "[]", 1),
}


def of_rank(rank: int) -> dict[str, str]:
    q, w, batch, _ = RANKS[rank]
    k = w.replace(f"{S}x{S}xf32", f"{S}x1xf32")
    last, before = rank - 1, rank - 2
    return {
        "Q": q,
        "W": w,
        "KT": "",
        "QK": f"%s0 = ptir.dot_general %q, %k batch {batch} x {batch} contract [{last}] x [{last}] accum f32 out f32 : ($Q, $Q) -> $W",
        "MAX": f"%m = ptir.reduce max %z axes [{last}] keepdims : $W -> {k}",
        "MB": f"%mb = ptir.broadcast_to %m : {k} -> $W",
        "SUM": f"%l = ptir.reduce sum %e axes [{last}] keepdims : $W -> {k}",
        "LB": f"%lb = ptir.broadcast_to %l : {k} -> $W",
        "PV": f"%o = ptir.dot_general %p, %v batch {batch} x {batch} contract [{last}] x [{before}] : ($P, $V) -> $O",
    }


def grouped(of: str, to: str) -> str:
    few, one, wide = f"tensor<2x1x{S}x{D}xf32>", f"tensor<2x1x1x{S}x{D}xf32>", f"tensor<2x1x{H}x{S}x{D}xf32>"
    return (
        f"%{of}1 = ptir.reshape %{of} : {few} -> {one}\n%{of}2 = ptir.broadcast_to %{of}1 : {one} -> {wide}\n"
        f"%{to} = ptir.reshape %{of}2 : {wide} -> $Q\n"
    )


KEY_IN_PLACE = {
    "KT": "",
    "QK": "%s0 = ptir.dot_general %q, %k batch [0, 1] x [0, 1] contract [3] x [3] accum f32 out f32 : ($Q, $Q) -> $W",
}
LAYOUT = f"tensor<2x{S}x{H}x{D}xf32>"
POSITIVE: dict[str, tuple[dict[str, object], dict[str, str]]] = {
    "the contract's": (PLAIN, {}),
    "keys contracted along their last axis": (PLAIN, KEY_IN_PLACE),
    "no scale": ({"heads": H}, {"SCALE": "%s1 = ptir.stop_gradient %s0 : $W"}),
    "a scale on the left": (PLAIN, {"SCALE": ATTENTION["SCALE"].replace("%s0, %cb", "%cb, %s0")}),
    "a whole tensor of scales": (PLAIN, {"SCALE": "%cb = ptir.constant dense<0.3> : $W\n%s1 = ptir.mul %s0, %cb : $W"}),
    "divided by a power of two": (
        {"heads": H, "scale": 0.125},
        {"SCALE": "%cb = ptir.constant dense<8.0> : $W\n%s1 = ptir.div %s0, %cb : $W"},
    ),
    "a scale that only a run knows": (
        {"heads": H, "others": ["scale"]},
        {"ARGS": "%q: $Q, %k: $Q, %v: $Q, %c: tensor<f32>", "SCALE": ATTENTION["SCALE"].split("\n", 1)[1]},
    ),
    "any additive mask": (
        PLAIN | {"others": ["mask"]},
        {"ARGS": f"%q: $Q, %k: $Q, %v: $Q, %w: {SQUARE}", "MASK": mask("")},
    ),
    "a bias and a mask": (
        CAUSAL | {"others": ["mask"]},
        {
            "ARGS": "%q: $Q, %k: $Q, %v: $Q, %bias: $W",
            "MASK": f"%w = ptir.constant dense<{triangle()}> : {SQUARE}\n%wb = ptir.broadcast_to %w : {SQUARE} -> $W\n"
            "%y = ptir.add %wb, %s1 : $W\n%z = ptir.add %bias, %y : $W",
        },
    ),
    "a literal triangle": (CAUSAL, {"MASK": mask(f"%w = ptir.constant dense<{triangle()}> : {SQUARE}")}),
    "a triangle of infinities": (
        CAUSAL,
        {"MASK": mask(f"%w = ptir.constant dense<{triangle(away='0xFF800000')}> : {SQUARE}")},
    ),
    "a triangle of a wider diagonal": (
        CAUSAL | {"causal_offset": 2},
        {"MASK": mask(f"%w = ptir.constant dense<{triangle(offset=2)}> : {SQUARE}")},
    ),
    "a triangle for each head": (
        CAUSAL,
        {
            "MASK": f"%w = ptir.constant dense<[{triangle()}]> : tensor<1x{S}x{S}xf32>\n"
            f"%w4 = ptir.broadcast_to %w : tensor<1x{S}x{S}xf32> -> tensor<{H}x{S}x{S}xf32>\n"
            "%wb = ptir.broadcast_to %w4 : tensor<3x6x6xf32> -> $W\n%z = ptir.add %s1, %wb : $W"
        },
    ),
    "a literal with a triangle for each head": (
        CAUSAL,
        {
            "MASK": f"%wb = ptir.constant dense<[{', '.join(['[' + ', '.join([triangle()] * H) + ']'] * 2)}]> : $W\n"
            "%z = ptir.add %s1, %wb : $W"
        },
    ),
    "i >= j": (CAUSAL, {"MASK": mask(selected("ge"))}),
    "i < j keeps nothing": (CAUSAL, {"MASK": mask(selected("lt", on_true="0xFF800000", on_false="0.0"))}),
    "j <= i": (CAUSAL, {"MASK": mask(selected("le", of="%j, %i"))}),
    "j > i keeps nothing": (CAUSAL, {"MASK": mask(selected("gt", of="%j, %i", on_true="-1.0e4", on_false="0.0"))}),
    "i > j - 2": (CAUSAL | {"causal_offset": 1}, {"MASK": mask(selected("gt", more=ADDED, of="%i, %j2"))}),
    "i >= j - 2": (CAUSAL | {"causal_offset": 2}, {"MASK": mask(selected("ge", more=ADDED, of="%i, %j2"))}),
    "positions as literals": (
        CAUSAL,
        {
            "MASK": mask(
                selected("ge", of="%i2, %j")
                .replace(
                    "%b =",
                    f"%l0 = ptir.constant dense<[[0], [1], [2], [3], [4], [5]]> : tensor<{S}x1xi32>\n"
                    f"%i2 = ptir.broadcast_to %l0 : tensor<{S}x1xi32> -> {INDEX}\n%b =",
                )
                .replace(f"%i = ptir.iota axis 0 : {INDEX}", "")
            )
        },
    ),
    "positions counted in floats": (CAUSAL, {"MASK": mask(selected("ge").replace(INDEX, SQUARE))}),
    "a predicate inverted": (
        CAUSAL,
        {
            "MASK": mask(
                selected("lt").replace("%w = ptir.select %b", f"%nb = ptir.not %b : {BITS}\n%w = ptir.select %nb")
            )
        },
    ),
    "a mask that is transposed": (
        CAUSAL,
        {
            "MASK": mask(
                selected("le").replace("%w =", "%w5 =") + f"\n%w = ptir.transpose %w5 [1, 0] : {SQUARE} -> {SQUARE}"
            )
        },
    ),
    "scores chosen by a predicate": (CAUSAL, {"MASK": CHOSEN.replace("$C", "ge").replace("$X", "%s1, %w3")}),
    "scores chosen away by a predicate": (CAUSAL, {"MASK": CHOSEN.replace("$C", "lt").replace("$X", "%w3, %s1")}),
    "a predicate of no shape in particular": (
        PLAIN | {"others": ["mask"]},
        {
            "ARGS": f"%q: $Q, %k: $Q, %v: $Q, %bb: tensor<2x{H}x{S}x{S}xi1>",
            "MASK": "%w3 = ptir.constant dense<-1.0e9> : $W\n"
            f"%z = ptir.select %bb, %s1, %w3 : tensor<2x{H}x{S}x{S}xi1>, $W",
        },
    ),
    "16 bits": (PLAIN | {"cast": "bf16"}, NARROW),
    "values that are widened": (
        PLAIN,
        {
            "ARGS": "%q: $Q, %k: $Q, %n: $N",
            "N": f"tensor<2x{H}x{S}x{D}xbf16>",
            "DIV": ATTENTION["DIV"] + "\n%v = ptir.cast %n : $N -> $Q",
        },
    ),
    "no batch but the heads": (PLAIN, of_rank(3)),
    "no heads": (PLAIN | {"heads": 1}, of_rank(2)),
    "heads behind the sequence": (
        PLAIN,
        {
            "Q": LAYOUT,
            "KT": "",
            "QK": "%s0 = ptir.dot_general %q, %k batch [0, 2] x [0, 2] contract [3] x [3] accum f32 out f32 : ($Q, $Q) -> $W",
            "PV": "%o = ptir.dot_general %p, %v batch [0, 1] x [0, 2] contract [3] x [1] accum f32 out f32 : ($P, $V) -> $O",
            "O": f"tensor<2x{H}x{S}x{D}xf32>",
        },
    ),
    "queries that are keys and values": (
        PLAIN,
        {"ARGS": "%q: $Q", "KT": ATTENTION["KT"].replace("%k ", "%q "), "PV": ATTENTION["PV"].replace("%v", "%q")},
    ),
    "grouped queries": (
        PLAIN | {"key_heads": 1},
        {
            "ARGS": f"%q: $Q, %k0: tensor<2x1x{S}x{D}xf32>, %v0: tensor<2x1x{S}x{D}xf32>",
            "KT": grouped("k0", "k") + ATTENTION["KT"],
            "DIV": grouped("v0", "v") + ATTENTION["DIV"],
        },
    ),
    "keys grouped and values not": (
        PLAIN,
        {"ARGS": f"%q: $Q, %k0: tensor<2x1x{S}x{D}xf32>, %v: $Q", "KT": grouped("k0", "k") + ATTENTION["KT"]},
    ),
    "scores that are widened": (
        PLAIN,
        {
            "W": f"tensor<2x{H}x{S}x{S}xf64>",
            "QK": ATTENTION["QK"].replace("-> $W", f"-> tensor<2x{H}x{S}x{S}xf32>"),
            "SCALE": "%c = ptir.constant dense<0.3> : tensor<f32>\n"
            f"%cb = ptir.broadcast_to %c : tensor<f32> -> tensor<2x{H}x{S}x{S}xf32>\n"
            f"%s2 = ptir.mul %s0, %cb : tensor<2x{H}x{S}x{S}xf32>\n%s1 = ptir.cast %s2 : tensor<2x{H}x{S}x{S}xf32> -> $W",
            "MAX": ATTENTION["MAX"].replace("f32", "f64"),
            "MB": ATTENTION["MB"].replace("f32", "f64"),
            "SUM": ATTENTION["SUM"].replace("f32", "f64"),
            "LB": ATTENTION["LB"].replace("f32", "f64"),
            "DIV": f"%p0 = ptir.div %e, %lb : $W\n%p = ptir.cast %p0 : $W -> tensor<2x{H}x{S}x{S}xf32>",
            "P": f"tensor<2x{H}x{S}x{S}xf32>",
        }
        | {"FACT": ""},
    ),
}
POSITIVE["scores that are widened"] = (PLAIN | {"cast": "f32"}, POSITIVE["scores that are widened"][1])

NEAR: dict[str, dict[str, str]] = {
    "softmax over the queries": {
        "MAX": f"%m = ptir.reduce max %z axes [2] keepdims : $W -> tensor<2x{H}x1x{S}xf32>",
        "MB": f"%mb = ptir.broadcast_to %m : tensor<2x{H}x1x{S}xf32> -> $W",
        "SUM": f"%l = ptir.reduce sum %e axes [2] keepdims : $W -> tensor<2x{H}x1x{S}xf32>",
        "LB": f"%lb = ptir.broadcast_to %l : tensor<2x{H}x1x{S}xf32> -> $W",
    },
    "values contracted with the queries' axis": {
        "PV": ATTENTION["PV"].replace("contract [3] x [2]", "contract [2] x [2]")
    },
    "the mask multiplied": {"ARGS": "%q: $Q, %k: $Q, %v: $Q, %w: $W", "MASK": "%z = ptir.mul %s1, %w : $W"},
    "a scale for each key": {
        "SCALE": f"%c = ptir.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<{S}xf32>\n"
        f"%cb = ptir.broadcast_to %c : tensor<{S}xf32> -> $W\n%s1 = ptir.mul %s0, %cb : $W"
    },
    "the scale after the mask": {
        "ARGS": "%q: $Q, %k: $Q, %v: $Q, %w: $W",
        "SCALE": ATTENTION["SCALE"].rsplit("\n", 1)[0],
        "MASK": "%s2 = ptir.add %s0, %w : $W\n%z = ptir.mul %s2, %cb : $W",
    },
    "two scales": {"MASK": "%z = ptir.mul %s1, %cb : $W"},
    "divided by what has no exact inverse": {
        "SCALE": "%cb = ptir.constant dense<3.0> : $W\n%s1 = ptir.div %s0, %cb : $W"
    },
    "a number divided by the scores": {"SCALE": "%cb = ptir.constant dense<8.0> : $W\n%s1 = ptir.div %cb, %s0 : $W"},
    "the mask subtracted": {"ARGS": "%q: $Q, %k: $Q, %v: $Q, %w: $W", "MASK": "%z = ptir.sub %s1, %w : $W"},
    "scores chosen against small numbers": {
        "MASK": CHOSEN.replace("$C", "ge").replace("$X", "%s1, %w3").replace("-1.0e9", "-1.0")
    },
    "scores through a function": {"MASK": "%z = ptir.tanh %s1 : $W"},
    "rounded scores": {
        "MASK": f"%z0 = ptir.cast %s1 : $W -> tensor<2x{H}x{S}x{S}xbf16>\n%z = ptir.cast %z0 : tensor<2x{H}x{S}x{S}xbf16> -> $W"
    },
    "queries of two axes": {
        "ARGS": f"%q: tensor<2x{H}x2x3x{D}xf32>, %k: $Q, %v: $Q",
        "QK": f"%s2 = ptir.dot_general %q, %kt batch [0, 1] x [0, 1] contract [4] x [2] : (tensor<2x{H}x2x3x{D}xf32>, "
        f"tensor<2x{H}x{D}x{S}xf32>) -> tensor<2x{H}x2x3x{S}xf32>\n%s0 = ptir.reshape %s2 : tensor<2x{H}x2x3x{S}xf32> -> $W",
    },
    "queries of two axes all the way": {
        "ARGS": f"%q: $Q, %k: tensor<2x{S}x{D}xf32>, %v: $V",
        "V": f"tensor<2x{H}x{S}x{D}xf32>",
        "KT": "",
        "QK": f"%s0 = ptir.dot_general %q, %k batch [0] x [0] contract [3] x [2] : ($Q, tensor<2x{S}x{D}xf32>) -> $W",
    },
    "no contraction before": {"ARGS": "%s0: $W, %v: $Q", "KT": "", "QK": ""},
    "batches in another order": {
        "PV": "%o = ptir.dot_general %p, %v batch [1, 0] x [1, 0] contract [3] x [2] accum f32 out f32 : ($P, $V) -> $O",
        "O": f"tensor<{H}x2x{S}x{D}xf32>",
    },
    "others read the probabilities": {"RETURN": "func.return %o, %p : $O, $P", "RESULTS": "$O, $P"},
    "others read the scores": {"RETURN": "func.return %o, %s1 : $O, $W", "RESULTS": "$O, $W"},
    "probabilities through a function": {"DIV": "%p0 = ptir.div %e, %lb : $W\n%p = ptir.neg %p0 : $W"},
    "probabilities as integers": {
        "ARGS": f"%q: $Q, %k: $Q, %v: tensor<2x{H}x{S}x{D}xi32>",
        "V": f"tensor<2x{H}x{S}x{D}xi32>",
        "P": f"tensor<2x{H}x{S}x{S}xi32>",
        "DIV": "%p0 = ptir.div %e, %lb : $W\n%p = ptir.cast %p0 : $W -> $P",
        "PV": "%o = ptir.dot_general %p, %v batch [0, 1] x [0, 1] contract [3] x [2] : ($P, $V) -> $O",
        "O": f"tensor<2x{H}x{S}x{D}xi32>",
    },
    "the maximum of scores without the mask": {
        "ARGS": "%q: $Q, %k: $Q, %v: $Q, %w: $W",
        "MASK": "%z = ptir.add %s1, %w : $W",
        "MAX": ATTENTION["MAX"].replace("%z", "%s1"),
    },
    "the exponential of other keys": {
        "ARGS": "%q: $Q, %k: $Q, %v: $Q, %k2: $Q",
        "MASK": ATTENTION["MASK"]
        + "\n%s5 = ptir.dot_general %q, %k2 batch [0, 1] x [0, 1] contract [3] x [3] accum f32 out f32 : ($Q, $Q) -> $W",
        "SUB": "%d = ptir.sub %s5, %mb : $W",
    },
}

J = f"%j = ptir.iota axis 1 : {INDEX}"


def counted(dtype: str, ops: str, of: str) -> str:
    """Returns the text of `i >= j` for positions of this type; `ops` compute the compared values, named in `of`."""
    return mask(selected("ge", of=of, more=ops).replace(INDEX, f"tensor<{S}x{S}x{dtype}>"))


def moved(dtype: str, by: float) -> str:
    """Returns the text of `i + by >= j + by`."""
    sums = "\n".join(f"%{v}1 = ptir.add %{v}, %by : {INDEX}" for v in "ij")
    one = f"tensor<{dtype}>"
    spread = f"%by0 = ptir.constant dense<{by}> : {one}\n%by = ptir.broadcast_to %by0 : {one} -> {INDEX}"
    return counted(dtype, f"{spread}\n{sums}", "%i1, %j1")


def difference(dtype: str) -> str:
    """Returns the text of `i - j >= 0`."""
    return counted(dtype, f"%i1 = ptir.sub %i, %j : {INDEX}\n%none = ptir.constant dense<0> : {INDEX}", "%i1, %none")


def later(dtype: str, by: int) -> str:
    """Returns the text of `i >= j + by`."""
    sums = f"%by = ptir.constant dense<{by}> : {INDEX}\n%j1 = ptir.add %j, %by : {INDEX}"
    return counted(dtype, sums, "%i, %j1")


def one_back(dtype: str) -> str:
    """Returns the text of `i - 1 >= j`."""
    return counted(dtype, f"%one = ptir.constant dense<1> : {INDEX}\n%i1 = ptir.sub %i, %one : {INDEX}", "%i1, %j")


# The offset that the comparison would have if its type had no limits, and the mask.
EXACT: dict[str, tuple[int, str]] = {
    "four bits": (0, counted("si4", "", "%i, %j")),
    "up to the greatest of four bits": (0, moved("si4", 2)),
    "from the least of four bits": (0, moved("si4", -8)),
    "up to the greatest of four bits without a sign": (0, moved("ui4", 10)),
    "up to the greatest of 32 bits": (0, moved("si32", 2**31 - S)),
    "a difference": (0, difference("si32")),
    "a difference of four bits": (0, difference("si4")),
    "a step back": (-1, one_back("si8")),
    "keys up to the greatest of four bits": (-2, later("si4", 2)),
    "f32 up to 2^24": (0, moved("f32", 2.0**24 - S + 1)),
    "f32 from -2^24": (0, moved("f32", -(2.0**24))),
    "f64 beyond 2^24": (0, moved("f64", 2.0**30)),
    "f16 up to 2^11": (0, moved("f16", 2.0**11 - S + 1)),
    "bf16 up to 2^8": (0, moved("bf16", 2.0**8 - S + 1)),
    "f8E5M2 up to 2^3": (0, moved("f8E5M2", 2.0**3 - S + 1)),
}
NOT_EXACT: dict[str, tuple[int, str]] = {
    "four bits that wrap": (0, moved("si4", 3)),
    "four bits without a sign that wrap": (0, moved("ui4", 11)),
    "32 bits that wrap": (0, moved("si32", 2**31 - S + 1)),
    "32 bits that wrap almost at once": (0, moved("si32", 2**31 - 1)),
    "a difference without a sign": (0, difference("ui32")),
    "a difference of 64 bits without a sign": (0, difference("ui64")),
    "a step back without a sign": (-1, one_back("ui32")),
    "keys that wrap": (-3, later("si4", 3)),
    "f32 beyond 2^24": (0, moved("f32", 2.0**24 - S + 3)),
    "f32 far beyond 2^24": (0, moved("f32", 2.0**30)),
    "f32 far below -2^24": (0, moved("f32", -(2.0**30))),
    "f16 beyond 2^11": (0, moved("f16", 2.0**11 - S + 3)),
    "f8E4M3FN beyond 2^4": (0, moved("f8E4M3FN", 2.0**4 - S + 3)),
}
NOT_CAUSAL: dict[str, str] = {
    "i <= j": mask(selected("le")),
    "i >= j keeps nothing": mask(selected("ge", on_true="0xFF800000", on_false="0.0")),
    "i == j": mask(selected("eq")),
    "i >= i": mask(selected("ge", of="%i, %i").replace(J, "")),
    "a small penalty": mask(selected("ge", on_false="-100.0")),
    "a reward": mask(selected("ge", on_true="1.0")),
    "plus infinity": mask(selected("ge", on_false="0x7F800000")),
    "2 i >= j": mask(selected("ge", more=f"%i2 = ptir.add %i, %i : {INDEX}", of="%i2, %j")),
    "i >= 2": mask(selected("ge", more=f"%two = ptir.constant dense<2> : {INDEX}", of="%i, %two").replace(J, "")),
    "i >= 2 j": mask(selected("ge", more=f"%j2 = ptir.add %j, %j : {INDEX}", of="%i, %j2")),
    "a triangle with a hole": mask(
        f"%w = ptir.constant dense<{triangle().replace('0.0, 0.0, 0.0, 0.0', '0.0, -1.0e9, 0.0, 0.0', 1)}> : {SQUARE}"
    ),
    "an upper triangle": mask(
        f"%w5 = ptir.constant dense<{triangle()}> : {SQUARE}\n%w = ptir.transpose %w5 [1, 0] : {SQUARE} -> {SQUARE}"
    ),
    "a literal of small penalties": mask(f"%w = ptir.constant dense<{triangle(away='-100.0')}> : {SQUARE}"),
    "positions in uneven steps": mask(
        selected("ge", of="%i2, %j")
        .replace(f"%i = ptir.iota axis 0 : {INDEX}", "")
        .replace(
            "%b =",
            f"%l0 = ptir.constant dense<[[0], [1], [2], [3], [4], [6]]> : tensor<{S}x1xi32>\n"
            f"%i2 = ptir.broadcast_to %l0 : tensor<{S}x1xi32> -> {INDEX}\n%b =",
        )
    ),
    "nothing taken away": mask(f"%w = ptir.constant dense<{triangle(away='0.0')}> : {SQUARE}"),
    "a triangle of ones": mask(f"%w = ptir.constant dense<{triangle(kept='1.0')}> : {SQUARE}"),
    "one row for all": mask(
        f"%w = ptir.constant dense<[0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9]> : tensor<{S}xf32>", f"tensor<{S}xf32>"
    ),
}


@pytest.mark.parametrize("case", POSITIVE)
def test_attention_is_named(case: str):
    want, pieces = POSITIVE[case]
    module = draft(ATTENTION, **pieces)
    (found,) = recognized(module)
    assert (found.known_as.data, facts(found)) == ("attention.v1", want)
    assert len(found.inputs) == 3 + len(want.get("others", []))  # pyright: ignore[reportArgumentType]
    outside = [op.name for op in found.parent.ops if op is not found]  # pyright: ignore[reportOptionalMemberAccess]
    first = 3 if case == "keys grouped and values not" else 0
    assert outside == [*["ptir.reshape", "ptir.broadcast_to", "ptir.reshape"][:first], "func.return"]


@pytest.mark.parametrize("case", NEAR)
def test_what_is_nearly_attention_is_not_named(case: str):
    found = recognized(draft(ATTENTION, **NEAR[case]))
    assert "attention.v1" not in [c.known_as.data for c in found]


@pytest.mark.parametrize("case", NOT_CAUSAL)
def test_a_mask_that_is_nearly_causal_is_a_mask(case: str):
    (found,) = recognized(draft(ATTENTION, MASK=NOT_CAUSAL[case]))
    assert facts(found) == PLAIN


def kept(text: str) -> list[list[bool]]:
    """Runs a program. Returns the scores that its mask keeps."""
    module = draft(ATTENTION, MASK=text, RETURN=f"func.return %b : {BITS}", RESULTS=BITS)
    zeros = np.zeros((2, H, S, D), np.float32)
    return np.asarray(ptir.reference(module, zeros, zeros, zeros)[0]).tolist()


@pytest.mark.parametrize("case", EXACT)
def test_a_mask_counted_up_to_the_ends_of_its_type_is_causal(case: str):
    offset, text = EXACT[case]
    (found,) = recognized(draft(ATTENTION, MASK=text))
    assert facts(found) == CAUSAL | ({"causal_offset": offset} if offset else {})
    assert kept(text) == np.tri(S, S, offset, dtype=bool).tolist()


@pytest.mark.parametrize("case", NOT_EXACT)
def test_a_mask_that_wraps_or_rounds_is_not_causal(case: str):
    offset, text = NOT_EXACT[case]
    (found,) = recognized(draft(ATTENTION, MASK=text))
    assert facts(found) == PLAIN
    assert kept(text) != np.tri(S, S, offset, dtype=bool).tolist()


@pytest.mark.parametrize(
    ("text", "causal"),
    [
        (counted("si32", "", "%i, %j"), True),
        (moved("si32", 2**16), True),
        (moved("si32", 2**16 + 1), False),
        (counted("ui32", "", "%i, %j"), True),
        (counted("si16", "", "%i, %j"), False),
        (counted("f32", "", "%i, %j"), False),
        (counted("f64", "", "%i, %j"), True),
    ],
)
def test_positions_along_an_axis_of_unknown_size(text: str, causal: bool):
    """As many as kernels can count."""
    pieces = {
        name: re.sub(rf"<{S}x{S}x(\w+)>", rf"<?x{S}x\1, #ptir.dims<N, _>>", piece).replace(
            f"<2x{H}x{S}x1xf32>", f"<2x{H}x?x1xf32, #ptir.dims<_, _, N, _>>"
        )
        for name, piece in (ATTENTION | {"MASK": text}).items()
    }
    many = {of: f"tensor<2x{H}x?x{size}xf32, #ptir.dims<_, _, N, _>>" for of, size in (("O", D), ("W", S))}
    pieces |= many | {"ARGS": "%q: $O, %k: $Q, %v: $Q", "QK": ATTENTION["QK"].replace("($Q,", "($O,")}
    (found,) = recognized(draft(ATTENTION, **pieces))
    assert facts(found) == (CAUSAL if causal else PLAIN)


def test_an_attention_whose_part_is_read_is_a_softmax():
    pieces = {"RETURN": "func.return %o, %p : $O, $P", "RESULTS": "$O, $P"}
    (found,) = recognized(draft(ATTENTION, **pieces))
    assert (found.known_as.data, facts(found)) == ("softmax.v1", {"axis": 3})


def test_what_others_use_too_becomes_an_operand():
    text = selected("ge")
    pieces = {
        "MASK": mask(text),
        "RETURN": f"func.return %o, %w, %c : $O, {SQUARE}, tensor<f32>",
        "RESULTS": f"$O, {SQUARE}, tensor<f32>",
    }
    (found,) = recognized(draft(ATTENTION, **pieces), in_order=False)
    assert facts(found) == CAUSAL | {"others": ["literal", "mask"]}
    assert [str(v.type) for v in found.inputs[3:]] == ["tensor<f32>", SQUARE]


@pytest.mark.parametrize("case", POSITIVE)
def test_attention_is_named_after_simplification(case: str):
    want, pieces = POSITIVE[case]
    simple = ptir.PassManager("ptir-canonicalize").run(draft(ATTENTION, **pieces))
    named = ptir.PassManager("ptir-recognize").run(simple)
    (found,) = [op for op in named.walk() if isinstance(op, dialect.CompositeOp)]
    assert facts(found) == want


def test_a_mask_that_may_have_one_row_is_not_causal():
    row, bits, floats = (f"tensor<?x{S}x{t}, #ptir.dims<N, _>>" for t in ("i32", "i1", "f32"))
    text = selected("ge").replace(INDEX, row).replace(BITS, bits).replace(SQUARE, floats)
    text = "".join(f"{line}\n" for line in text.splitlines())
    pieces = {"ARGS": "%q: $Q, %k: $Q, %v: $Q, %n: tensor<?xf32, #ptir.dims<N>>", "MASK": mask(text, floats)}
    (found,) = recognized(draft(ATTENTION, **pieces))
    assert facts(found) == PLAIN


def test_literals_of_a_mask_that_others_use_too():
    pieces = {
        "MASK": mask(selected("ge")),
        "RETURN": f"func.return %o, %w2, %w3 : $O, {SQUARE}, {SQUARE}",
        "RESULTS": f"$O, {SQUARE}, {SQUARE}",
    }
    (found,) = recognized(draft(ATTENTION, **pieces), in_order=False)
    assert facts(found) == CAUSAL | {"others": ["literal", "literal"]}


def test_keys_and_values_of_different_groups():
    one = f"tensor<2x{H}x1x{S}x{D}xf32>"
    values = f"%v1 = ptir.reshape %v0 : $Q -> {one}\n%v2 = ptir.broadcast_to %v1 : {one} -> {one}\n%v = ptir.reshape %v2 : {one} -> $Q\n"
    pieces = {
        "ARGS": f"%q: $Q, %k0: tensor<2x1x{S}x{D}xf32>, %v0: $Q",
        "KT": grouped("k0", "k") + ATTENTION["KT"],
        "DIV": values + ATTENTION["DIV"],
    }
    (found,) = recognized(draft(ATTENTION, **pieces), in_order=False)
    assert facts(found) == PLAIN
    assert str(found.inputs[1].type) == f"tensor<2x{H}x{S}x{D}xf32>"


@pytest.mark.parametrize(
    ("example", "name", "want"),
    [
        ("softmax.mlir", "softmax.v1", {"axis": 1}),
        ("gpt2_block/block.mlir", "attention.v1", {"causal": True, "heads": 12, "scale": 0.125}),
    ],
)
def test_the_examples(example: str, name: str, want: dict[str, object]):
    named = ptir.PassManager("ptir-recognize").run(ptir.parse(EXAMPLES / example))
    (found,) = [op for op in named.walk() if isinstance(op, dialect.CompositeOp)]
    assert (found.known_as.data, facts(found)) == (name, want)


def test_names_play_no_part():
    text = str(draft(ATTENTION))
    renamed = text
    for number, name in enumerate(["%mb", "%lb", "%kt", "%s0", "%s1", "%cb", "%m", "%l", "%z", "%d", "%e", "%p"]):
        renamed = renamed.replace(f"{name} ", f"%x{number} ").replace(f"{name},", f"%x{number},")
    assert renamed != text
    (found,) = recognized(ptir.parse(renamed))
    assert facts(found) == PLAIN


@pytest.mark.parametrize("case", ["the contract's", "i >= j", "grouped queries", "16 bits", "any additive mask"])
def test_composites_compute_what_their_ops_did(case: str):
    module = draft(ATTENTION, **POSITIVE[case][1])
    named = ptir.PassManager("ptir-recognize").run(module.clone())
    (function,) = module.ops
    rng = np.random.default_rng(0)
    arrays = [
        rng.normal(size=t.get_shape()).astype(np.float32)  # pyright: ignore
        for t in function.function_type.inputs  # pyright: ignore
    ]
    if case == "16 bits":
        import ml_dtypes

        arrays = [a.astype(ml_dtypes.bfloat16) for a in arrays]
    for want, got in zip(ptir.reference(module, *arrays), ptir.reference(named, *arrays), strict=True):
        np.testing.assert_array_equal(got, want)


def test_composites_reach_tiny():
    text = """
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = ptir.composite "outer.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
        %1 = ptir.composite "inner.v2" (%y) : (tensor<4xf32>) -> tensor<4xf32> do (%z) {
          %2 = ptir.exp %z : tensor<4xf32>
          ptir.yield %2 : tensor<4xf32>
        }
        ptir.yield %1 : tensor<4xf32>
      }
      func.return %0 : tensor<4xf32>
    }"""
    out = str(ptir.PassManager("ptir-to-tiny").run(parse(text)))
    assert "tiny.unary exp" in out
    assert "composite" not in out


# --- composites that say what they are not -------------------------------------------------------

NAMED = str(ptir.PassManager("ptir-recognize").run(draft(ATTENTION, MASK=mask(selected("ge")))))
NAMED_SOFTMAX = str(ptir.PassManager("ptir-recognize").run(draft(SOFTMAX)))


@pytest.mark.parametrize(
    ("text", "old", "new", "problem"),
    [
        (NAMED, "heads = 3", "heads = 4", "'heads'"),
        (NAMED, "{causal, ", "{", "'causal'"),
        (NAMED, "causal, ", "causal, causal_offset = 1 : i64, ", "'causal_offset'"),
        (NAMED, "compare ge", "compare gt", "'causal_offset'"),
        (NAMED, "scale = 0.3", "scale = 0.4", "'scale'"),
        (NAMED, "ptir.exp", "ptir.tanh", "does not match"),
        (NAMED, "(%q, %k, %v) {", "(%k, %q, %v) {", ""),
        (NAMED, '"attention.v1"', '"softmax.v1"', "does not match"),
        (NAMED_SOFTMAX, "axis = 1", "axis = 0", "'axis'"),
        (NAMED_SOFTMAX, "{axis = 1 : i64}", "", "'axis'"),
    ],
)
def test_a_composite_must_be_what_it_is_called(text: str, old: str, new: str, problem: str):
    assert old in text
    module = ptir.parse(text.replace(old, new))
    if not problem:
        ptir.PassManager("ptir-recognize").run(module)  # other operands, the same pattern
        return
    with pytest.raises(CompositeMismatch) as failure:
        ptir.PassManager("ptir-recognize").run(module)
    assert problem in failure.value.message
    assert isinstance(failure.value.op, dialect.CompositeOp)


def test_more_in_a_composite_than_its_name_says_is_refused():
    text = NAMED_SOFTMAX.replace("ptir.yield", "%more = ptir.exp %r_1 : tensor<6x6xf32>\n      ptir.yield", 1)
    assert text != NAMED_SOFTMAX
    with pytest.raises(CompositeMismatch, match="does not match"):
        ptir.PassManager("ptir-recognize").run(ptir.parse(text))


def test_operands_in_another_order_are_refused():
    text = NAMED.replace("do (%q_1, %k_1, %v_1)", "do (%k_1, %q_1, %v_1)")
    assert text != NAMED
    with pytest.raises(CompositeMismatch, match="another order"):
        ptir.PassManager("ptir-recognize").run(ptir.parse(text))


def test_a_composite_of_another_name_may_be_anything():
    text = NAMED.replace('"attention.v1"', '"mine.v1"').replace("heads = 3", "heads = 4")
    assert '"mine.v1"' in str(ptir.PassManager("ptir-recognize").run(ptir.parse(text)))
