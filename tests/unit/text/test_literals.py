"""Dense literals: a splat is stored as one element, long lists are parsed in bulk, and both equal the result of xDSL's parser."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f32

from ptir import reference
from ptir.analysis.program.structural_hash import structural_hash
from ptir.analysis.regions.places import is_splat
from ptir.errors import SourceError
from ptir.passes.environment import make_context
from ptir.text import float_parser, lexing
from ptir.text.literals import all_bytes, compact, dense, splat
from ptir.text.parsing import parse_text
from ptir.text.writing import print_module
from ptir.tools import ptir_opt

from ..builders.tool import Run, tool

pytestmark = pytest.mark.sampled(3)

FLOATS = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "tf32", "f6E2M3FN", "f8E8M0FNU")
INTEGERS = ("i1", "i4", "si4", "ui4", "i7", "i8", "si8", "ui8", "si16", "i24", "i32", "ui32", "i64", "ui64", "index")
TYPES = (*FLOATS, *INTEGERS, "complex<f32>", "complex<f64>", "complex<i32>")
NUMBERS = (
    "0.0", "-0.0", "1.5", "-2.25", "1.", "3.0e-39", "1.0e-46", "65519.99", "0.1", "1.0e400", "448.0", "-3.0e38", "7",
    "-8", "15", "0", "-0", "255", "-128", "2147483648", "18446744073709551615", "true", "false", "0x7F", "0x7F800000",
    "0xFFC00001", "-0x1", "007", "16777217", "1.00000005960464477540", "99999999999999999999999",
)  # fmt: skip
DAMAGE = (",,", "[", "]", "1 2", "- 1.0", "// here\n", "1e5", "nan", "(", ")", "0X1F", "½", "5" * 5000)


def _read(text: str) -> DenseIntOrFPElementsAttr | str:
    module = None
    try:
        module = parse_text(f'"test.op"() {{a = {text}}} : () -> ()', make_context(allow_unregistered=True))
    except SourceError as e:
        return f"{e.span.start}: {e.message}"
    (op,) = module.body.block.ops
    found = op.attributes["a"]
    assert isinstance(found, DenseIntOrFPElementsAttr)
    return found


def _literal(rng: random.Random, numbers: list[str], shape: tuple[int, ...], dtype: str) -> str:
    def write(sizes: tuple[int, ...]) -> str:
        if sizes:
            return "[" + rng.choice((", ", ",", " ,\n")).join(write(sizes[1:]) for _ in range(sizes[0])) + "]"
        parts = [rng.choice(numbers) for _ in range(1 + dtype.startswith("complex"))]
        return f"({parts[0]}, {parts[1]})" if len(parts) > 1 else parts[0]

    return write(shape)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dtype", TYPES)
def test_lists_read_in_bulk_are_those_read_by_token(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(dtype)
    plain = {text: _read(f"dense<{text}> : tensor<1x{dtype}>") for text in _ones(dtype)}
    right = [number for number in NUMBERS if isinstance(plain[_one(number, dtype)], DenseIntOrFPElementsAttr)]
    texts: list[str] = []
    for shape in ((400,), (20, 20), (7, 1, 60), (1, 1, 400), (2, 0, 3)):
        literal = _literal(rng, right, shape, dtype)
        wanted = rng.choice((shape, shape, shape[::-1], (*shape, 1)))
        texts.append(f"dense<{literal}> : tensor<{'x'.join(map(str, wanted))}x{dtype}>")
        middle = len(literal) // 2
        bad = rng.choice((*NUMBERS, *DAMAGE))
        texts.append(f"dense<{literal[:middle]}{bad}{literal[middle:]}> : tensor<{'x'.join(map(str, shape))}x{dtype}>")
    quick = [_read(text) for text in texts]
    monkeypatch.setattr(float_parser, "find_list", lambda *_: None)
    for text, found in zip(texts, quick, strict=True):
        assert found == _read(text), text


def _one(number: str, dtype: str) -> str:
    return f"[({number}, {number})]" if dtype.startswith("complex") else f"[{number}]"


def _ones(dtype: str) -> list[str]:
    return [_one(number, dtype) for number in NUMBERS]


def test_a_long_list_takes_no_token_for_each_element(monkeypatch: pytest.MonkeyPatch) -> None:
    lex, tokens = lexing.QuickLexer.lex, 0

    def count(self: lexing.QuickLexer) -> lexing.QuickToken:
        nonlocal tokens
        tokens += 1
        return lex(self)

    monkeypatch.setattr(lexing.QuickLexer, "lex", count)
    for dtype, number in (("f32", "0x7F800000"), ("bf16", "1.25"), ("si64", "-3"), ("i1", "true")):
        found = _read(f"dense<[{number}{f', {number}' * 9999}]> : tensor<10000x{dtype}>")
        assert isinstance(found, DenseIntOrFPElementsAttr)
        assert all_bytes(found) == all_bytes(_read(f"dense<{number}> : tensor<10000x{dtype}>"))  # pyright: ignore[reportArgumentType]
    assert tokens < 400


# --- splats -------------------------------------------------------------------------------------


@pytest.fixture
def opt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    return tool(ptir_opt.main, tmp_path / "m.mlir", capsys)


HUGE = "func.func @f() -> tensor<{n}xf32> {{ %0 = ptir.constant dense<{v}> : tensor<{n}xf32>\nfunc.return %0 : tensor<{n}xf32> }}"


@pytest.mark.parametrize("value", ["1.0", "-0.0", "0x7FC00001", '"0x0000803F"'])
@pytest.mark.parametrize(
    "pipeline", ["canonicalize", "ptir-canonicalize{fold_limit=1000}", "cse", "ptir-to-tiny", "ptir-to-cuda{arch=sm80}"]
)
def test_a_splat_of_any_size_is_one_element(value: str, pipeline: str, opt: Run) -> None:
    status, out, err = opt(HUGE.format(n=10**9, v=value), "-p", pipeline)
    assert status == 0, err
    assert len(out) < 5000


def test_one_literal_has_one_form() -> None:
    t = TensorType(f32, [4])
    written = DenseIntOrFPElementsAttr.from_list(t, [1.0])
    assert len(written) == 4
    assert (
        compact(written) == _read("dense<1.0> : tensor<4xf32>") == _read("dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>")
    )
    assert splat(written) == np.float32(1).tobytes()
    assert dense(t, np.array([0, 0, 0, -0.0], np.float32).tobytes()).data.data != b"\0" * 4
    assert splat(_read("dense<> : tensor<0xf32>")) is None  # pyright: ignore[reportArgumentType]


def test_forms_of_a_splat_hash_alike() -> None:
    modules = [parse_text(HUGE.format(n=4, v="1.0"), make_context()) for _ in range(2)]
    constant = next(op for op in modules[1].walk() if op.name == "ptir.constant")
    constant.properties["value"] = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [4]), [1.0])
    assert structural_hash(modules[0]) == structural_hash(modules[1])
    assert print_module(modules[0]) == print_module(modules[1])


def test_zeros_of_both_signs_are_no_splat() -> None:
    text = "func.func @f() -> tensor<2xf32> { %0 = tiny.const dense<[0.0, -0.0]> : tensor<2xf32>\nfunc.return %0 : tensor<2xf32> }"
    module = parse_text(text, make_context())
    constant = next(op for op in module.walk() if op.name == "tiny.const")
    assert not is_splat(constant.results[0])
    (result,) = reference(module)
    assert np.signbit(result).tolist() == [False, True]
