"""Texts that are not PTX: each is rejected at its line, in time proportional to its length."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

import pytest

from ptir.emulator import Memory, parse
from ptir.emulator.engine.prepare import prepare
from ptir.emulator.errors import BadOperand, PtxSyntaxError, UnknownOpcode
from ptir.emulator.isa.functions import MAX_DEPTH, MAX_INSERTED
from ptir.emulator.isa.parse import MAX_REGISTERS, MAX_VECTOR

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
LINE = 5
DIGITS = "1" * 5000


def kernel(body: str, parameters: str = "", limits: str = "") -> str:
    """Returns a kernel whose body is in line 5, after everything else in line 4."""
    return f"{HEADER}.visible .entry k({parameters}) {limits} {{.reg .b32 x, y; .reg .pred p, q;\n{body}\nret; }}"


def refused(text: str, problem: str, line: int = LINE) -> None:
    with pytest.raises(PtxSyntaxError, match=re.escape(problem)) as caught:
        parse(text)
    assert f"PTX line {line}:" in str(caught.value)


NO_CONSTANTS = (DIGITS, f"-{DIGITS}", "08", "1_0", "-inf", "+nan", "0f3F80_000", "0f+3F80000", f"0{DIGITS}", "0x")

BODIES = {
    ".shared .align 0 .b8 s[4];": "the alignment 0 is not a power of two",
    ".local .align 12 .b8 s[4];": "the alignment 12 is not a power of two",
    ".shared .align 1048576 .b8 s[4];": "'s' does not fit into 232448 bytes of shared memory",
    ".shared .b8 s[99999999999999];": "'s' does not fit into 232448 bytes of shared memory",
    ".shared .b8 s[200000]; .shared .b8 t[200000];": "'t' does not fit into 232448 bytes of shared memory",
    ".local .b64 s[65536]; { .param .b8 t; }": "'t' does not fit into 524288 bytes of local memory",
    f".shared .b8 s[{DIGITS}];": "unreadable declaration",
    f".shared .align {DIGITS} .b8 s[4];": "unreadable declaration",
    f".reg .b32 r<{DIGITS}>;": "unreadable register declaration",
    f".loc 1 {DIGITS} 1": "unreadable location",
    f".loc 1 1 {DIGITS}": "unreadable location",
    "mov.b32 x, x|;": "unreadable operand",
    "mov.b32 x, |x;": "unreadable operand",
    "add.u32 x, x,, x;": "unreadable operand",
    "add.u32 x, x, x,;": "unreadable operand",
    "mov.b32 x, {};": "an empty vector",
    f"mov.b32 x, {{{'x, ' * MAX_VECTOR}x}};": f"a vector of {MAX_VECTOR + 1} elements, but at most {MAX_VECTOR}",
    "mov.b32 x, (xy;": "unreadable operand '(xy",
    "mov.b32 x, (x);": "unreadable operand '(x)",
    "ld.shared.b32 x, [xy;": "unreadable operand '[xy",
    "ld.shared.b32 x, [x, {y, y}, y];": "unreadable address",
    f"ld.b32 x, {'(' * 3000}x{')' * 3000};": "unreadable operand",
    f"call {'(' * 3000}x{')' * 3000}, f;": "unreadable operand",
    "shfl.sync.idx.b32 x|p|q, y, 0, 31, -1;": "3 destinations, but at most 2",
    "mov.b32 x, !;": "unreadable operand",
    "@p;": "the guard is not a predicate",
    "@!!p ret;": "the guard is not a predicate",
    "@5 ret;": "'5' is not declared",
    ".shared .b32 s; ld.shared.b32 x, [s+0f3F800000];": "'0f3F800000' is not an integer",
    "ld.shared.b32 x, [0f3F800000];": "'0f3F800000' is not an integer",
    "mov.b32 x, é;": "a character that is not ASCII",
    "/* ": "the comment is never closed",
    **{f"mov.b32 x, {text};": f"unreadable constant '{text[:1000]}" for text in NO_CONSTANTS},  # messages are shortened
}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:40])
def test_refused_in_a_body(body: str):
    refused(kernel(body), BODIES[body])


PARAMETERS = {
    ".param .align 0 .b8 a[4]": "the alignment 0 is not a power of two",
    ".param .pred a": "unreadable parameter",
    f".param .b8 a[{DIGITS}]": "unreadable parameter",
    ".param .b8 a[99999999999]": "parameters take at most 32764 bytes",
    ".param .b8 a[20000], .param .b8 b[20000]": "parameters take at most 32764 bytes",
    ".param .u32 a,": "unreadable parameter",
    ".param .u32 a, .param .u32 a": "'a' is declared twice",
}


@pytest.mark.parametrize("parameters", PARAMETERS, ids=lambda parameters: parameters[:40])
def test_refused_parameters(parameters: str):
    refused(kernel("", parameters), PARAMETERS[parameters], LINE - 1)


LIMITS = {
    f".maxntid {DIGITS}": "invalid numbers for .maxntid",
    ".maxntid": "invalid numbers for .maxntid",
    ".maxntid 0": "invalid numbers for .maxntid",
    ".maxntid 1, 2, 3, 4": "invalid numbers for .maxntid",
    ".maxntid 16 16": "unreadable directive",
    ".maxnreg 16, 16": "invalid numbers for .maxnreg",
    ".maxclown 5": "the emulator does not support the directive .maxclown",
    "foo": "unreadable directive",
}


@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: limits[:40])
def test_refused_limits(limits: str):
    refused(kernel("", limits=limits), LIMITS[limits], LINE - 1)


def test_limits():
    limits = '.pragma "; {"; .reqntid 16,16 .minnctapersm 2\n.maxnreg 32 .reqnctapercluster 2, 1, 1 .explicitcluster'
    found = parse(kernel("", limits=limits)).kernels["k"]
    assert found.max_threads == (16, 16, 1) and found.exact_threads and found.cluster == (2, 1, 1)
    assert found.blocks == 2 and found.max_registers == 32


OUTSIDE = {
    ".global .b8 g[2] = {1, 2, 3};": "too many values (3)",
    ".global .b8 g[99999999999999];": "'g' does not fit into 1073741824 bytes of global memory",
    ".const .b8 f[60000]; .const .b8 g[60000];": "'g' does not fit into 65536 bytes of const memory",
    ".global .align 3 .b8 g[2];": "the alignment 3 is not a power of two",
    f".global .b8 g[{DIGITS}];": "unreadable declaration",
    ".global .b8 g[4][4];": "unreadable declaration",
    ".global .b8 g": "the declaration is never closed",
    ".entry k": "unreadable function header",
    ".entry k(){ret;} .entry k(){ret;}": "'k' is defined twice",
    "größe": "a character that is not ASCII",
}


@pytest.mark.parametrize("text", OUTSIDE, ids=lambda text: text[:40])
def test_refused_outside_functions(text: str):
    refused(f"{HEADER}\n{text}", OUTSIDE[text])


def test_what_is_quoted_is_not_read():
    text = f'{HEADER}.file 1 "/tmp/*/größe .entry x {{"\n// größe /* "\n' + kernel('.pragma "a;}"; mov.b32 x, 1;')
    assert [ins.opcode for ins in parse(text).kernels["k"].instructions] == ["mov.b32", "ret"]


def test_a_large_variable_takes_no_time_to_read():
    """Global variables up to the bound are zeros that nobody has written down."""
    module = parse(kernel("") + ".global .b8 g[1000000000] = {7};")
    assert module.variables[0].size == 1_000_000_000 and module.variables[0].initial == b"\7"


# --- cost ------------------------------------------------------------------------------------------
# With quadratic or higher cost, each of these takes minutes.

LONG = {
    "comments": ("/* " * 400_000, "the comment is never closed", LINE),
    "heads": (".entry a " * 100_000, "unreadable function header", LINE),
    "results": (".func (" * 100_000, "unreadable function header", LINE),
    "spaces in a head": (f".entry a{' ' * 200_000}x", "unreadable function header", LINE),
    "spaces in a declaration": (f".global .b8 a{' ' * 200_000}x;", "unreadable declaration", LINE),
    "values": (".global .b8 a = " * 50_000, "the declaration is never closed", LINE),
    "spaces in a parameter": (f".entry k(.param .b8 a{' ' * 200_000}x){{}}", "unreadable parameter", LINE),
    "registers": (".entry k(){ .reg .b32 %r<999999999>; }", f"at most {MAX_REGISTERS} registers", LINE),
    "registers of all functions": (
        "".join(f".func f{i}(){{ .reg .b32 %r<60000>;\nret; }}" for i in range(1000)),
        f"at most {MAX_REGISTERS} registers",
        LINE + 1,
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_long_texts(name: str):
    text, problem, line = LONG[name]
    refused(f"{HEADER}\n{text}", problem, line)


@pytest.mark.sampled(1)
def test_blocks_that_declare_one_name():
    found = parse(kernel("{.reg .b32 z; mov.b32 z, 1;}\n" * 20_000)).kernels["k"]
    assert {"z", "z#1", "z#19999"} <= found.registers.keys() and len(found.registers) == 20_004


def test_blocks_in_blocks():
    """A name is found at once, however many blocks are around it."""
    found = parse(kernel("{.reg .b32 z; mov.b32 z, x;\n" * 10_000 + "}" * 10_000)).kernels["k"]
    assert {"x", "z", "z#9999"} <= found.registers.keys()


@pytest.mark.campaign
def test_many_functions():
    assert len(parse(HEADER + "".join(f".entry f{i}(){{ret;}}\n" for i in range(20_000))).kernels) == 20_000


def test_a_place_that_is_inlined_at_itself():
    found = parse(kernel("\n.loc 1 2 3, f, inlined_at 1 2 3\nret;" * 5000)).kernels["k"]
    assert max(len(ins.lines) for ins in found.instructions) == 64


def functions(calls: Iterable[str]) -> str:
    """Returns functions f0, f1, … with these bodies, one per line from line 4 on, and a kernel that calls f0."""
    return (
        HEADER
        + "".join(f".func f{i}(){{{call} ret;}}\n" for i, call in enumerate(calls))
        + kernel("call f0;")[len(HEADER) :]
    )


@pytest.mark.sampled(1)
def test_functions_that_call_each_other_twice():
    calls = [f"call f{i + 1}; call f{i + 1};" for i in range(40)]
    with pytest.raises(PtxSyntaxError, match=f"calls insert more than {MAX_INSERTED} instructions and names"):
        parse(functions([*calls, ""]))
    small = parse(functions([*calls[:8], ""])).kernels["k"]
    assert sum(ins.opcode == "bra" for ins in small.instructions) == 2**9 - 1


def test_functions_that_call_each_other_in_a_chain():
    calls = [f"call f{i + 1};" for i in range(3000)]
    refused(functions([*calls, ""]), f"calls nest more than {MAX_DEPTH} deep", 4 + MAX_DEPTH - 1)
    parse(functions([*calls[: MAX_DEPTH - 1], ""]))


CALLS = {
    "call f, (a);": "'f' has 1 result and 2 parameters",
    "call f, (a, a);": "'f' has 1 result and 2 parameters",
    "call (a), f, (a, a, a);": "'f' has 1 result and 2 parameters",
    "call (a), f, (a, x);": "only variables can be passed to functions",
}


@pytest.mark.parametrize("call", CALLS)
def test_refused_calls(call: str):
    head = ".func (.param .b32 r) f(.param .b32 a, .param .b32 b){ret;} "
    refused(kernel(f".param .b32 a; {call}").replace(".visible", head), CALLS[call])


# --- random changes --------------------------------------------------------------------------------

SEEDS = (
    kernel("{ .reg .b32 x; @!p bra L; mov.b32 x, {x, 5}; L: } T: .branchtargets M; brx.idx x, T; M:", ".param .u64 a"),
    kernel("\n.loc 1 2 3, f, inlined_at 1 4 5\nld.param.u32 x, [a+4]; setp.eq.u32 p|q, x, 0x1F;", ".param .b8 a[8]"),
    kernel(".shared .align 16 .b8 s[64]; st.shared.v2.b32 [s+8], {x, y}; add.f32 x, y, 0f3F800000;"),
    ".global .b8 g[4] = {1, 2}; .func (.param .b32 r) f(.param .b32 a){.reg .b32 z; ld.param.b32 z, [a];\n"
    "st.param.b32 [r], z; ret;}"
    + kernel("{.param .b32 a; .param .b32 b; call.uni (b), f, (a); }", limits=".maxntid 1"),
)
TOKEN = re.compile(r"[%$\w]+|\s+|.", re.DOTALL)
OTHERS = re.findall(
    r"\S+", '{ } ( ) [ ] ; , | ! @ < > " /* */ // . : 0 -1 08 .align .param .reg .entry .func .shared r<9>'
)


@pytest.mark.parametrize("text", SEEDS, ids=range(len(SEEDS)))
def test_random_changes(text: str):
    """A changed text is read, or refused with a coded error."""
    random, tokens = Random(text), TOKEN.findall(text)
    for _ in range(400):
        changed = list(tokens)
        for _ in range(random.randrange(1, 4)):
            at = random.randrange(len(changed))
            changed[at : at + random.randrange(3)] = random.choice([[], [random.choice([*tokens, *OTHERS])]])
        try:
            module = parse("".join(changed))
            for found in module.kernels.values():
                prepare(module, found, Memory().bind_module(module), 1)
        except (PtxSyntaxError, UnknownOpcode, BadOperand):
            pass


OPERANDS = {
    "add.u32 5, x, y;": "an operand is a constant where a register is needed",
    "add.u32 [x], x, y;": "an operand is an address where a register is needed",
    "add.u32 {x, y}, x, y;": "an operand is a vector where a register is needed",
    "add.u32 s, x, y;": "an operand is a variable where a register is needed",
    "add.u32 %tid.x, x, y;": "%tid.x is not a register",
    "add.u32 !x, x, y;": "!x cannot be written",
    "add.u32 x, !x, y;": "x is not a predicate",
    "add.u32 x, _, y;": "_ cannot be read as u32",
    "@_ add.u32 x, x, y;": "_ cannot be read as pred",
    "@%laneid add.u32 x, x, y;": "%laneid cannot be read as pred",
    "add.u32 x, !%laneid, y;": "%laneid cannot be read as u32",
    "add.u32 x, %is_explicit_cluster, y;": "%is_explicit_cluster cannot be read as u32",
    "mov.b32 [x], y;": "an operand is an address where a register is needed",
    "mov.pred x, y;": "x has type b32, which cannot hold pred",
    "shfl.sync.idx.b32 {x, p, q}, y, 0, 31, -1;": "unexpected number of destinations: 3",
    "elect.sync x, -1;": "unexpected number of destinations: 1",
    "setp.eq.u32 {p, q, p}, x, y;": "unexpected number of destinations: 3",
    "ld.param.u32 x;": "takes 2 operands, got 1",
}


@pytest.mark.parametrize("line", OPERANDS)
def test_operands_that_are_refused(line: str):
    module = parse(kernel(f".shared .b32 s; {line}"))
    with pytest.raises(BadOperand, match=re.escape(OPERANDS[line])) as caught:
        prepare(module, module.kernels["k"], {}, 1)
    assert f"PTX line {LINE}:" in str(caught.value)


@pytest.mark.parametrize("address", ["[18446744073709551615+18446744073709551615]", "[s+-9999]", "[5+-10]"])
def test_addresses_wrap(address: str):
    module = parse(kernel(f".shared .b32 s; ld.shared.b32 x, {address};"))
    prepare(module, module.kernels["k"], {}, 1)
