"""Poly-Views as JSON: the bounds of a domain describe its points, and the JSON is complete."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from xdsl.dialects.builtin import ModuleOp

from ptir.diagnostics.diagnostic import diagnose
from ptir.frontends.json.common.errors import NotInTheForm
from ptir.frontends.json.poly import export_json
from ptir.frontends.json.poly.bounds import bounds
from ptir.frontends.json.poly.view import PolyView
from ptir.passes.environment import make_context
from ptir.tools.ptir_translate import main
from ptir.transforms.build_poly_view import BuildPolyView

from ..builders.json_programs import read
from ..builders.tiny_json_programs import GEMM, imported

# --- bounds -------------------------------------------------------------------------------------

GRID = range(-3, 12)
Holds = Callable[..., bool]

DOMAINS: list[tuple[str, Holds, bool]] = [
    ("[] -> { [] : }", lambda: True, True),
    ("{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 < 8 }", lambda a, b: 0 <= a <= 3 and 0 <= b < 8, True),
    ("{ [i0, i1 = 0] : 0 <= i0 <= 3 }", lambda a, b: 0 <= a <= 3 and b == 0, True),
    ("{ [i0] : 2 <= i0 < 5 }", lambda a: 2 <= a < 5, True),
    ("{ [i0, i1] : 1 = 0 }", lambda a, b: False, True),
    ("{ [i0, i1] : 0 <= i0 < 5 and i0 <= i1 < 2*i0 + 1 }", lambda a, b: 0 <= a < 5 and a <= b < 2 * a + 1, True),
    ("{ [i0, i1] : 0 <= i0 < 7 and 2*i1 >= i0 and i1 < 4 }", lambda a, b: 0 <= a < 7 and 2 * b >= a and b < 4, True),
    ("{ [i0, i1, i2] : 0 <= i0 < 3 and 0 <= i1 < 2 and 0 <= i2 <= i0 + i1 }",
     lambda a, b, c: 0 <= a < 3 and 0 <= b < 2 and 0 <= c <= a + b, True),
    ("{ [i0] : 0 <= i0 < 9 and i0 - 2*floor(i0/2) = 1 }", lambda a: 0 <= a < 9 and a % 2 == 1, False),
    ("{ [i0] : 0 <= i0 < 3 or 5 <= i0 < 8 }", lambda a: 0 <= a < 3 or 5 <= a < 8, False),
    ("{ [i0, i1] : 0 <= i0 < 3 and 0 <= i1 < 4 and i0 + i1 < 5 }", lambda a, b: 0 <= a < 3 and 0 <= b < 4 and a + b < 5, False),
    ("{ [i0] : 0 <= i0 < 8 and 0 <= i0 - 4*floor(i0/4) < 4 }", lambda a: 0 <= a < 8, True),
]  # fmt: skip

SYMBOLIC: list[tuple[str, Holds, bool]] = [
    ("[M] -> { [i0, i1] : 0 <= i0 < M and 0 <= i1 < 8 }", lambda m, a, b: 0 <= a < m and 0 <= b < 8, True),
    ("[M] -> { [i0] : 0 <= i0 < 2*M + 1 }", lambda m, a: 0 <= a < 2 * m + 1, True),
    ("[M] -> { [i0] : 1 <= i0 <= M - 1 }", lambda m, a: 1 <= a <= m - 1, True),
    ("[M] -> { [i0, i1] : 0 <= i0 < M and i0 <= i1 < M }", lambda m, a, b: 0 <= a < m and a <= b < m, True),
    ("[M] -> { [i0] : 0 <= i0 < M and M >= 3 }", lambda m, a: 0 <= a < m and m >= 3, False),
    ("[M] -> { [i0] : 0 <= i0 < M and i0 < 3 }", lambda m, a: 0 <= a < min(m, 3), False),
]  # fmt: skip


def points(found: dict[str, tuple[str, str]], at: dict[str, int]) -> Iterator[tuple[int, ...]]:
    """Returns the points within bounds, by Python's arithmetic."""
    axes = [name for name in found if name not in at]
    if not axes:
        yield ()
        return
    low, high = (eval(text.replace("/", "//").replace("floor", ""), {}, dict(at)) for text in found[axes[0]])
    for value in range(math.floor(low), math.floor(high)):
        for rest in points(found, {**at, axes[0]: value}):
            yield value, *rest


def grid(rank: int) -> Iterator[tuple[int, ...]]:
    if rank == 0:
        yield ()
        return
    for rest in grid(rank - 1):
        yield from ((*rest, value) for value in GRID)


@pytest.mark.parametrize(("domain", "holds", "is_all"), [*DOMAINS, *SYMBOLIC])
def test_the_bounds_of_a_set_are_its_points(domain: str, holds: Holds, is_all: bool):
    found, complete = bounds(domain)
    assert complete == is_all
    for size in range(6) if domain.startswith("[M]") else [None]:
        given = [] if size is None else [size]
        want = {p for p in grid(len(found)) if holds(*given, *p)}
        if complete:
            assert set(points(found, dict(zip("M", given, strict=False)))) == want
        elif "{" not in str(found):
            assert set(points(found, dict(zip("M", given, strict=False)))) > want or not want


def test_bounds_read_as_people_write_them():
    found, _ = bounds("[M, N] -> { [i0, i1, i2] : 0 <= i0 < M and 0 <= i1 < 2*N + 3 and i0 <= i2 < 8 and M <= 8 }")
    assert found == {"i0": ("0", "M"), "i1": ("0", "2*N + 3"), "i2": ("i0", "8")}
    assert bounds("{ [i0] : -4 <= i0 < 3 }")[0] == {"i0": ("-4", "3")}


# --- views --------------------------------------------------------------------------------------


def view_of(module: ModuleOp) -> dict[str, Any]:
    BuildPolyView().apply(make_context(), module)
    text = export_json(module)
    msgspec.json.decode(text, type=PolyView)
    return json.loads(text)["poly_view"]


def test_the_example_of_the_spec_is_a_matmul():
    view = view_of(imported(GEMM))
    (block,) = (b for b in view["blocks"] if b["kind"] == "contraction_pattern")
    assert block["domain"] == {"i0": ["0", "M"], "i1": ["0", "N"], "i2": ["0", "K"]}
    assert [a["tensor"] for a in block["accesses"]] == ["arg0", "arg1"]
    assert [a["map"].partition("] -> { ")[2] for a in block["accesses"]] == [
        "[i0, i1, i2] -> [i0, i2] }", "[i0, i1, i2] -> [i2, i1] }",
    ]  # fmt: skip
    assert block["attrs"] == {
        "pattern": "matmul", "lhs_idx": ["i0", "i2"], "rhs_idx": ["i1", "i2"], "out_idx": ["i0", "i1"], "reduce_idx": ["i2"],
        "affine_offsets": {},
    }  # fmt: skip
    assert block["reduces"] == ["i2"] and "set" not in block
    names = [b["name"] for b in view["blocks"]]
    assert view["function"] == "main" and all(e["from"] in names and e["to"] in names for e in view["edges"])
    assert view["edges"] and all(
        e["deps"]["true"] and not e["deps"]["anti"] + e["deps"]["output"] for e in view["edges"]
    )
    assert {b["kind"] for b in view["blocks"]} == {"movement_affine", "ewise", "contraction_pattern"}


def test_a_view_does_not_depend_on_names_or_on_the_form():
    stripped = json.loads(GEMM)
    for op in stripped["ops"]:
        del op["name"]
    text = json.dumps(stripped).replace('"C1"', '"sum"').replace('"A_r"', '"left"')
    views = [view_of(module) for module in (imported(GEMM), imported(text), read(str(imported(GEMM))))]
    assert views[0] == views[1] == views[2]


CONV = """
func.func @conv(%x: tensor<3x8xf32>, %w: tensor<5x3x3xf32>) -> tensor<5x4xf32> {
  %p = tiny.movement pad %x low [0, 1] high [0, 1] value 0.0 : f32 : tensor<3x8xf32> -> tensor<3x10xf32>
  %v = tiny.movement view %p offset 0 strides [2, 10, 1] : tensor<3x10xf32> -> tensor<4x3x3xf32>
  %ww = tiny.movement reshape %w : tensor<5x3x3xf32> -> tensor<5x1x3x3xf32>
  %m = tiny.binary mul %v, %ww : (tensor<4x3x3xf32>, tensor<5x1x3x3xf32>) -> tensor<5x4x3x3xf32>
  %s = tiny.reduce sum %m axes [2, 3] accum f32 : tensor<5x4x3x3xf32> -> tensor<5x4xf32>
  func.return %s : tensor<5x4xf32>
}
"""


def test_a_convolution_has_offsets_and_a_guard():
    view = view_of(read(CONV))
    (block,) = (b for b in view["blocks"] if b["kind"] == "contraction_pattern")
    assert block["attrs"]["pattern"] == "conv" and block["attrs"]["groups"] == 1
    (offset,) = [o for side in ("lhs", "rhs") for o in block["attrs"]["affine_offsets"][side]]
    assert offset == {"axis": 1, "out": "i1", "window": "i3", "stride": 2, "dilation": 1, "offset": -1}
    (guarded,) = (a for a in block["accesses"] if "guard" in a)
    assert guarded["tensor"] == "arg0" and guarded["fill"] == 0.0
    assert next(b for b in view["blocks"] if b["name"] == "v0")["accesses"][0]["fill"] == 0.0


def written(ops: str) -> dict[str, Any]:
    return json.loads(export_json(read(f"poly.view @f {{ {ops} }}")))["poly_view"]


ONE = 'poly.block @{} ewise <"{{ [i0] : 0 <= i0 < 4 }}"> reads ["x"] by [#poly.map<"{{ [i0] -> [i0] }}">] '


def test_all_dependences_of_an_edge_are_there():
    edge = 'poly.edge "a" to "b" anti [#poly.map<"{ [i0] -> [i0] }">, #poly.map<"{ [i0] -> [i0 - 1] }">] output [#poly.map<"{ [i0] -> [i0] }">]'
    (found,) = written(ONE.format("a") + ONE.format("b") + edge)["edges"]
    assert found == {
        "from": "a", "to": "b",
        "deps": {"true": [], "anti": ["{ [i0] -> [i0] }", "{ [i0] -> [i0 - 1] }"], "output": ["{ [i0] -> [i0] }"]},
    }  # fmt: skip


def test_a_domain_with_gaps_is_written_whole():
    odd = "{ [i0] : 0 <= i0 < 8 and i0 - 2*floor(i0/2) = 1 }"
    (block,) = written(ONE.format("a").replace("{ [i0] : 0 <= i0 < 4 }", odd))["blocks"]
    assert block["domain"] == {"i0": ["1", "8"]} and block["set"] == odd


def test_a_fill_that_no_number_spells_is_bytes():
    guard = 'guards [#poly.guard<"{ [i0] : i0 > 0 }" else #ptir.scalar<"0x017E" : f16>>]'
    (access,) = written(ONE.format("a") + guard)["blocks"][0]["accesses"]
    assert access["fill"] == {"bytes": "AX4="} and access["guard"] == "{ [i0] : i0 > 0 }"


@pytest.mark.parametrize(
    ("ir", "what"),
    [
        ("func.func @f() { func.return }", "a module without a view"),
        ("poly.view @f { " + ONE.format("a") + "} poly.view @g { " + ONE.format("a") + "}", "a module of 2 views"),
        ("poly.view @f attributes {a.b} { " + ONE.format("a") + "}", "the attribute a.b = unit"),
        ("poly.view @f { " + ONE.format("a") + "{a.b} }", "the attribute a.b = unit"),
        (
            "poly.view @f { " + ONE.format("a").replace("0 <= i0 < 4", "0 <= i0") + " }",
            "the domain",
        ),
    ],
)
def test_what_the_form_has_no_place_for_is_an_error(ir: str, what: str):
    with pytest.raises(NotInTheForm) as raised:
        export_json(read(ir))
    assert raised.value.code == "PTIR0647" and what in raised.value.message and "Poly-View JSON" in raised.value.message
    assert diagnose(raised.value)[0].place is not None


def test_the_tool_writes_a_view(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    module = read(CONV)
    BuildPolyView().apply(make_context(), module)
    (tmp_path / "view.mlir").write_text(str(module))
    main(["--export-poly-json", str(tmp_path / "view.mlir")])
    assert capsys.readouterr().out == export_json(module)
    (tmp_path / "none.mlir").write_text(CONV)
    with pytest.raises(SystemExit):
        main(["--export-poly-json", str(tmp_path / "none.mlir")])
    err = capsys.readouterr().err
    assert (
        "error[PTIR0647]: a module without a view cannot be written as Poly-View JSON" in err
        and "build-poly-view" in err
    )
