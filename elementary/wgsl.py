"""
The functions and operations as WGSL on the bits of numbers: `strict_exp_bf16(x)`, of which x and the result are the low bits of a `u32`.

They are the graphs that NumPy and CUDA evaluate, on the binary64 arithmetic of `binary64.py`.
"""

from __future__ import annotations

import re

from . import functions
from .binary64 import FUNCTIONS, Text
from .bytecode import M64, OPERATIONS, assemble
from .functions import POWER, graph, power_graph
from .graph import Graph
from .power import UNCERTAINTY
from .tables import load
from .text import Spelling, body, pattern, table_name
from .vocabulary import COMPARISONS, INTEGERS, OPERANDS, SIGNS, WORD_OPERATIONS
from .words import SIGN

PREFIX = "strict_"
BINARY64 = "vec2<u32>"


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
        return _machine(name, power_graph("with_signs" if format == "signs" else format))
    if format == "f64":
        return (_machine if kind in functions.FUNCTIONS else _inline)(name, graph(kind))
    if kind == POWER:
        return _power(format)
    if kind not in OPERANDS:
        return _word(name, word)
    parameters = "xyz"[: OPERANDS[kind]]
    inner = f"{PREFIX}{kind}_f64"
    arguments = ", ".join(f"f64_from_{format}({x})" for x in parameters)
    text = f"{_head(name, parameters, 'u32')} {{\n  return f64_to_{format}({inner}({arguments}));\n}}"
    return text, (f"f64_from_{format}", f"f64_to_{format}", inner)


COMPARE = {
    "eq": ("eq", "{0}, {1}"),
    "ne": ("eq", "{0}, {1}"),
    "lt": ("lt", "{0}, {1}"),
    "le": ("le", "{0}, {1}"),
    "gt": ("lt", "{1}, {0}"),
    "ge": ("le", "{1}, {0}"),
}
"""The comparison of binary64 and its operands; `ne` is the opposite of `eq`."""


def _word(name: str, operation: str) -> Text:
    """Returns an operation of `vocabulary.WORD_OPERATIONS` that is no function."""
    op, _, format = operation.rpartition("_")
    of, _, to = operation.partition("_to_")
    head = _head(name, "xy"[: WORD_OPERATIONS[operation]], "u32")
    if op in SIGNS:
        text, uses = f"x ^ {SIGN[format]:#x}u" if op == "neg" else f"x & {SIGN[format] - 1:#x}u", ()
    elif op in COMPARISONS:
        compare, operands = COMPARE[op]
        arguments = operands.format(f"f64_from_{format}(x)", f"f64_from_{format}(y)")
        values = "1u, 0u" if op == "ne" else "0u, 1u"
        text, uses = f"select({values}, f64_{compare}({arguments}))", (f"f64_{compare}", f"f64_from_{format}")
    elif of in INTEGERS:
        high = "0u" if of == "u32" else "bitcast<u32>(bitcast<i32>(x) >> 31u)"
        text, uses = f"f64_to_{to}(f64_from_i64(vec2<u32>(x, {high})))", (f"f64_to_{to}", "f64_from_i64")
    else:
        text, uses = f"f64_to_{to}(f64_from_{of}(x))", (f"f64_to_{to}", f"f64_from_{of}")
    return f"{head} {{ return {text}; }}", uses


def _head(name: str, parameters: str | list[str], t: str) -> str:
    return f"fn {name}({', '.join(f'{p}: {t}' for p in parameters)}) -> {t}"


TABLE_PART = 256
"""Number of elements of an array: the time that naga takes for one grows with its square."""


def _table(name: str) -> Text:
    """Returns the function that looks up a number, and its arrays."""
    numbers = next(n for t, n in load().items() if name == table_name(t, WGSL)).reshape(-1).tolist()
    arrays, cases = list[str](), list[str]()
    for k, start in enumerate(range(0, len(numbers), TABLE_PART)):
        part = numbers[start : start + TABLE_PART]
        arrays.append(f"const {name}_{k} = array<{BINARY64}, {len(part)}>({', '.join(map(_literal, part))});\n")
        cases.append(f"    case {k}u: {{ return {name}_{k}[k % {TABLE_PART}u]; }}\n")
    return (
        f"{''.join(arrays)}fn {name}(k: u32) -> {BINARY64} {{\n  switch (k / {TABLE_PART}u) {{\n{''.join(cases)}"
        f"    default: {{ return {BINARY64}(); }}\n  }}\n}}",
        (),
    )


U64 = ("u64_add", "u64_sub", "u64_mul", "u64_shl")
"""Functions of `backends/wgsl/helpers.py` that graphs call."""


def _inline(name: str, of: Graph) -> Text:
    """Returns the function of a graph, on binary64 numbers, operation by operation."""
    text = body(of, WGSL)
    called = [f for f in (*FUNCTIONS, *U64) if f"{f}(" in text]
    return f"{_head(name, [str(v.immediate) for v in of.inputs], BINARY64)} {{\n{text}\n}}", tuple(called)


ARMS = {
    "constant": "step.zw",
    "select": "select(c, b, a.x != 0u)",
    **{op: f"{op}(a, b)" for op in ("f64_add", "f64_mul", "f64_div")},
    "f64_sub": "f64_add(a, f64_neg(b))",
    **{op: f"{op}(a)" for op in ("f64_neg", "f64_sqrt")},
    **{op: f"vec2<u32>(select(0u, 1u, {op}(a, b)), 0u)" for op in ("f64_lt", "f64_eq", "i64_lt")},
    **{f"i64_{op}": f"u64_{op}(a, b)" for op in ("add", "sub", "mul", "shl")},
    "i64_shr": "i64_shr(a, b)",
    "i64_eq": "vec2<u32>(select(0u, 1u, all(a == b)), 0u)",
    "and": "a & b",
    "or": "a | b",
    "xor": "a ^ b",
    "convert": "f64_from_i64(a)",
}
"""The operations of the register machine, by the names of `bytecode.OPERATIONS`."""
CALL = re.compile(r"\b([uif]64_\w+)\(")


def _machine(name: str, of: Graph) -> Text:
    """Returns the function of a graph as a loop over its instructions: compilers of WGSL inline all functions."""
    program, tables = assemble(of), [table_name(t, WGSL) for t in of.tables()]
    arms = [*(ARMS[op] for op in OPERATIONS), *(f"{t}(a.x)" for t in tables)]
    used = sorted({i.operation for i in program.instructions})
    cases = "\n".join(f"      case {k}u: {{ y = {arms[k]}; }}" for k in used)
    code = ",\n".join(f"  vec4<u32>({', '.join(f'{w}u' for w in i.words())})" for i in program.instructions)
    parameters = [str(v.immediate) for v in of.inputs]
    inputs = "\n".join(f"  r[{k}] = {p};" for k, p in enumerate(parameters))
    count = len(program.instructions)
    text = f"""const {name}_code = array<vec4<u32>, {count}>(
{code});
{_head(name, parameters, BINARY64)} {{
  var r: array<{BINARY64}, {program.registers}>;
{inputs}
  for (var k = 0u; k < {count}u; k = k + 1u) {{
    let step = {name}_code[k];
    let a = r[step.y & 255u];
    let b = r[(step.y >> 8u) & 255u];
    let c = r[step.y >> 16u];
    var y = a;
    switch (step.x & 255u) {{
{cases}
      default: {{ }}
    }}
    r[step.x >> 8u] = y;
  }}
  return r[{program.result}];
}}"""
    return text, (*dict.fromkeys(CALL.findall(cases)), *tables)


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
