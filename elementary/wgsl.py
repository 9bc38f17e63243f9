"""
The functions and operations as WGSL on the bits of numbers: `strict_exp_bf16(x)`, of which x and the result are the low bits of a `u32`.

They are the graphs that NumPy and CUDA evaluate, on the binary64 arithmetic of `binary64.py`.
"""

from __future__ import annotations

from .binary64 import FUNCTIONS, Text
from .functions import OPERANDS, POWER, graph, power_graph
from .graph import Graph
from .power import UNCERTAINTY
from .tables import load
from .text import Spelling, body, pattern, table_name

PREFIX = "strict_"
M64 = (1 << 64) - 1


def _literal(number: float | int) -> str:
    word = pattern(number) if isinstance(number, float) else number & M64
    return f"vec2<u32>({word & 0xFFFFFFFF:#x}u, {word >> 32:#x}u)"


SAME = {"bits": "{0}", "number": "{0}"}
ORDER = {"lt": "{0}_lt({{0}}, {{1}})", "gt": "{0}_lt({{1}}, {{0}})"}
BITWISE = {"and": "{0} & {1}", "or": "{0} | {1}", "not": "~{0}"}
WGSL = Spelling(
    {
        "f64": {op: form.format("f64") for op, form in ORDER.items()}
        | SAME
        | {op: f"f64_{op}({{0}}, {{1}})" for op in ("add", "sub", "mul", "div", "eq", "le")}
        | {
            "ge": "f64_le({1}, {0})",
            "ne": "!f64_eq({0}, {1})",
            "neg": "f64_neg({0})",
            "sqrt": "f64_sqrt({0})",
            "product_error": "f64_product_error({0}, {1}, {2})",
        },
        "i64": {op: form.format("i64") for op, form in ORDER.items()}
        | SAME
        | BITWISE
        | {op: f"u64_{op}({{0}}, {{1}})" for op in ("add", "sub", "mul", "shl")}
        | {
            "shr": "i64_shr({0}, {1})",
            "eq": "all({0} == {1})",
            "ne": "any({0} != {1})",
            "convert": "f64_from_i64({0})",
            "lookup": "{0}[{1}.x]",
        },
        "i1": {
            "and": "{0} && {1}",
            "or": "{0} || {1}",
            "not": "!{0}",
            "eq": "{0} == {1}",
            "select": "select({2}, {1}, {0})",
        },
    },
    "let {1} = {2};",
    _literal,
    PREFIX + "table_",
)


def piece(name: str) -> Text:
    """Returns the text of a function or a table, and the names of those that it uses."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    word = name.removeprefix(PREFIX)
    if word.startswith("table_"):
        return _table(name)
    kind, _, format = word.rpartition("_")
    if kind == "part":
        return _binary64(name, power_graph("with_signs" if format == "signs" else format))
    if format == "f64":
        return _binary64(name, graph(kind))
    if kind == POWER:
        return _power(format)
    parameters = "xyz"[: OPERANDS[kind]]
    inner = f"{PREFIX}{kind}_f64"
    arguments = ", ".join(f"f64_from_{format}({x})" for x in parameters)
    text = f"{_head(name, parameters, 'u32')} {{\n  return f64_to_{format}({inner}({arguments}));\n}}"
    return text, (f"f64_from_{format}", f"f64_to_{format}", inner)


def _head(name: str, parameters: str | list[str], t: str) -> str:
    return f"fn {name}({', '.join(f'{p}: {t}' for p in parameters)}) -> {t}"


def _table(name: str) -> Text:
    of = next(t for t in load() if name == table_name(t, WGSL))
    numbers = load()[of].reshape(-1).tolist()
    return f"const {name} = array<vec2<u32>, {len(numbers)}>({', '.join(map(_literal, numbers))});", ()


def _binary64(name: str, of: Graph) -> Text:
    """Returns the function of a graph, on binary64 numbers."""
    text = body(of, WGSL)
    parameters = [str(v.immediate) for v in of.inputs]
    called = {f for f in FUNCTIONS if f"{f}(" in text} | {f for f in U64 if f"{f}(" in text}
    tables = [table_name(t, WGSL) for t in of.tables()]
    return f"{_head(name, parameters, 'vec2<u32>')} {{\n{text}\n}}", (*sorted(called), *tables)


U64 = ("u64_add", "u64_sub", "u64_mul", "u64_shl")
"""Functions of `backends/wgsl/helpers.py` that graphs call."""


def _power(format: str) -> Text:
    low, high = (_literal(1 + s * UNCERTAINTY) for s in (-1, 1))
    infinity, one, zero = _literal(float("inf")), _literal(1.0), _literal(0.0)
    text = f"""{_head(f"{PREFIX}{POWER}_{format}", "ab", "u32")} {{
  let x = f64_from_{format}(a);
  let y = f64_from_{format}(b);
  let size = f64_magnitude(x);
  let usual = f64_lt({zero}, size) && f64_lt(size, {infinity}) && f64_lt(f64_magnitude(y), {infinity});
  let base = select({one}, size, usual);
  let exponent = select({one}, y, usual);
  var result = {PREFIX}part_fast(base, exponent);
  if (f64_to_{format}(f64_mul(result, {low})) != f64_to_{format}(f64_mul(result, {high}))) {{
    result = {PREFIX}part_accurate(base, exponent);
  }}
  return f64_to_{format}({PREFIX}part_signs(x, y, result));
}}"""
    parts = (f"{PREFIX}part_{part}" for part in ("fast", "accurate", "signs"))
    return text, (f"f64_from_{format}", f"f64_to_{format}", "f64_magnitude", "f64_lt", "f64_mul", *parts)
