"""Scopes `{ }` of PTX names: random programs that reuse few names, compared with the intended declaration of each use."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, launch, parse
from ptir.emulator.errors import PtxSyntaxError
from tests.unit.builders.ptx_kernels.launch import run_cuda

NAMES = ("x", "y", "DONE", "z")
LANES = 16
M32 = (1 << 32) - 1
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


@dataclass(eq=False)
class Cell:
    """A register of `width` bits, or a word of shared or local memory. `value` is its value during the walk."""

    space: str
    width: int = 32
    value: int = 0


@dataclass(eq=False)
class Label:
    at: int = 0


@dataclass(eq=False)
class Block:
    """A block: its labels, and its steps, which are nested blocks or tuples (kind, the cell or label that is meant, a constant)."""

    labels: list[Label]
    steps: list[Step] = field(default_factory=list)


Step: TypeAlias = "Block | tuple[str, Cell | Label, int]"


class Program:
    """
    Text and meaning are made side by side: a use picks a name and is about what the chain of open blocks has under it.
    A block begins with its declarations, so that no jump passes them, and ends with its labels, so that all jumps are
    forward. Labels have the names of variables, or with `apart` their own: where a jump comes before its label, and a
    variable of that name is declared before both, ptxas takes the variable.
    """

    def __init__(self, random: Random, *, apart: bool = False):
        self.random, self.label_names = random, ("L", "M") if apart else NAMES
        self.lines: list[str] = []
        self.chain: list[dict[str, Cell | Label]] = []
        self.body = self.block(0)

    def block(self, depth: int) -> Block:
        r = self.random
        labels = {name: Label() for name in r.sample(self.label_names, r.randrange(3))}
        block = Block(list(labels.values()))
        self.chain.append(dict(labels))
        self.lines.append("{")
        for _ in range(r.randrange(1, 4)):
            self.use(block)
            self.declare(block)
        for _ in range(r.randrange(1, 6)):
            what = r.random()
            if what < 0.3 and depth < 4:
                block.steps.append(self.block(depth + 1))
            elif what < 0.6:
                self.branch(block)
            else:
                self.use(block)
        for name, label in labels.items():
            label.at = len(block.steps)
            self.lines.append(f"{name}:")
            self.use(block)
        self.lines.append("}")
        self.chain.pop()
        return block

    def find(self, kind: type) -> list[tuple[str, Cell | Label]]:
        seen: dict[str, Cell | Label] = {}
        for names in self.chain:
            seen.update(names)
        return [(name, thing) for name, thing in sorted(seen.items()) if isinstance(thing, kind)]

    def declare(self, block: Block) -> None:
        free = [name for name in NAMES if name not in self.chain[-1]]
        if not free:
            return
        r, name = self.random, self.random.choice(free)
        cell = Cell(*r.choice([("reg", 32), ("reg", 64), ("shared", 32), ("local", 32)]))
        self.chain[-1][name] = cell
        value = r.randrange(1, 1 << 16)
        self.lines.append(f".{cell.space} .b{cell.width} {name};")
        self.lines.append(
            f"mov.b{cell.width} {name}, {value};"
            if cell.space == "reg"
            else f"mov.b32 temp, {value}; st.{cell.space}.b32 [{name}], temp;"
        )
        block.steps.append(("set", cell, value))

    def use(self, block: Block) -> None:
        cells = self.find(Cell)
        if not cells:
            return
        name, cell = self.random.choice(cells)
        assert isinstance(cell, Cell)
        number, load = self.random.randrange(1, 1 << 10), f"cvt.u32.u{cell.width} temp, {name};"
        change = f"add.u{cell.width} {name}, {name}, {number};"
        if cell.space != "reg":
            load = f"ld.{cell.space}.b32 temp, [{name}];"
            change = f"add.u32 temp, temp, {number}; st.{cell.space}.b32 [{name}], temp;"
        self.lines.append(f"{load} mad.lo.u32 acc, acc, 31, temp; {change}")
        block.steps.append(("mix", cell, number))

    def branch(self, block: Block) -> None:
        labels = self.find(Label)
        if not labels:
            return
        (name, label), bit = self.random.choice(labels), self.random.randrange(8)
        self.lines.append(f"and.b32 temp, acc, {1 << bit}; setp.ne.u32 test, temp, 0; @test bra {name};")
        block.steps.append(("bra", label, bit))

    def walk(self, acc: int) -> int:
        self.acc = acc
        assert self.run(self.body) is None
        return self.acc

    def run(self, block: Block) -> Label | None:
        """Executes a block. Returns the label of an enclosing block to which it jumps, if any."""
        at = 0
        while at < len(block.steps):
            step = block.steps[at]
            at += 1
            target: Label | None = None
            if isinstance(step, Block):
                target = self.run(step)
            else:
                what, thing, number = step
                if isinstance(thing, Label):
                    target = thing if self.acc >> number & 1 else None
                elif what == "set":
                    thing.value = number
                else:
                    self.acc = (self.acc * 31 + thing.value) & M32
                    thing.value = (thing.value + number) & ((1 << thing.width) - 1)
            if target is not None:
                if target not in block.labels:
                    return target
                at = target.at
        return None


def run_text(text: str) -> list[int]:
    out, memory = np.zeros(LANES, np.uint32), Memory()
    launch(parse(text), "k", grid=LANES, block=1, args=[memory.bind(out)], memory=memory)
    return out.tolist()


def kernel(body: str) -> str:
    return f"""{HEADER}.visible .entry k(.param .u64 out)
{{
.reg .b32 acc, temp, lane;
.reg .b64 to, wide;
.reg .pred test;
mov.u32 lane, %ctaid.x;
mad.lo.u32 acc, lane, 77, 5;
{body}
ld.param.u64 to, [out];
mul.wide.u32 wide, lane, 4;
add.u64 to, to, wide;
st.global.u32 [to], acc;
ret;
}}"""


STARTS = [lane * 77 + 5 for lane in range(LANES)]


@pytest.mark.parametrize("seed", range(60))
def test_random_names(seed: int):
    program = Program(Random(seed))
    text = "\n".join(program.lines)
    assert run_text(kernel(text)) == [program.walk(start) for start in STARTS], text


def test_random_names_in_inline_assembly():
    programs = [Program(Random(seed), apart=True) for seed in range(100, 112)]
    bodies = "".join(
        'asm volatile("{.reg .b32 acc, temp; .reg .pred test; mov.b32 acc, %0;'
        + " ".join(program.lines)
        + 'mov.b32 %0, acc;}" : "+r"(acc) :: "memory");\n'
        for program in programs
    )
    source = 'extern "C" __global__ void k(unsigned* out) { unsigned acc = blockIdx.x * 77 + 5;\n'
    source += bodies + "out[blockIdx.x] = acc; }"
    expected = STARTS
    for program in programs:
        expected = [program.walk(acc) for acc in expected]
    assert run_text(compile_cuda(source, "sm_80").ptx) == expected


def test_two_blocks_of_inline_assembly_with_one_label():
    source = """extern "C" __global__ void k(int* x) {
int i = threadIdx.x, y = x[i];
asm volatile("{.reg .pred P; setp.gt.s32 P,%0,5; @P bra DONE; add.s32 %0,%0,100; DONE:}":"+r"(y)::"memory");
x[i] = 2 * y;
asm volatile("{.reg .pred P; setp.gt.s32 P,%0,1000; @P bra DONE; add.s32 %0,%0,1; DONE:}":"+r"(i)::"memory");
}"""
    x = np.arange(32, dtype=np.int32)
    run_cuda(source, x, block=32)
    lanes = np.arange(32)
    np.testing.assert_array_equal(x, 2 * (lanes + 100 * (lanes <= 5)))


ACC = {
    "an inner label hides the outer one before it": ("M: { bra M; mov.b32 acc, 1; M: } add.u32 acc, acc, 2;", 7),
    "a label of a block around": ("{ { bra M; } mov.b32 acc, 1; M: }", 5),
    "a variable may have the name of a label of an inner block": ("{ .reg .b32 i; { mov.b32 i, acc; i: } }", 5),
    "a label of a block that is left hides nothing": ("{ acc: { acc: } } mov.b32 acc, 4; { temp: }", 4),
    "a parameter that a block hides": ("{ .reg .b32 out; mov.b32 out, 8; { out: } mov.b32 acc, out; }", 8),
    "a range of registers": (".reg .b32 r<2>; mov.b32 r1, 3; { .reg .b64 r<2>; mov.b64 r1, 9; } mov.b32 acc, r1;", 3),
    "a table of branch targets": (
        "mov.b32 temp, 1; T: .branchtargets A, B; { brx.idx temp, T; A: B: ret; } A: mov.b32 acc, 1; B:",
        5,
    ),
    "shared variables of one name": (
        ".shared .b32 s[2]; st.shared.b32 [s+4], 1; { .shared .b32 s[2]; st.shared.b32 [s+4], 2; }"
        "mov.b32 temp, s+4; ld.shared.b32 acc, [temp];",
        1,
    ),
    "semicolons in comments": ("// mov.b32 acc, 1;\n mov.b32 acc, 6 /* ; mov.b32 acc, 2; */ ; // ; trap;\n", 6),
    "octal and binary constants": ("mov.b32 acc, 017; add.u32 acc, acc, 0b101; add.u32 acc, acc, 0x10U;", 36),
    "a register with the kernel's name": (".reg .b32 k; mov.b32 k, 3; mov.b32 acc, k;", 3),
}


@pytest.mark.parametrize("name", ACC)
def test_scope(name: str):
    body, expected = ACC[name]
    assert run_text(kernel(body))[0] == expected


def test_a_function_ends_without_ret():
    assert run_text(kernel("").replace("ret;\n", ""))[0] == 5


REFUSED = {
    "{ bra M; { M: } }": "label 'M' is not visible here",
    "bra M;": "label 'M' is not visible here",
    "{ M: } bra M;": "label 'M' is not visible here",
    "T: .branchtargets A; { A: }": "label 'A' is not visible here",
    "{ T: .branchtargets A; A: } brx.idx acc, T;": "label 'T' is not visible here",
    "M: M: ret;": "'M' is declared twice in one block",
    ".reg .b32 i; i: ret;": "'i' is declared twice in one block",
    "i: .reg .b32 i;": "'i' is declared twice in one block",
    ".reg .b32 r<3>; .reg .b32 r1;": "'r1' is declared twice in one block",
    "M: { .reg .b32 M; bra M; }": "label 'M' is not visible here",
    "{ .reg .b32 i; } mov.b32 i, 1;": "'i' is not declared",
    "{ out: ld.param.u64 to, [out]; }": "'out' is not declared",
    ".reg .b32 i; { i: mov.b32 i, 1; }": "'i' is not declared",
    "{ acc: { acc: } mov.b32 acc, 1; }": "'acc' is not declared",
    "out: ret;": "'out' is declared twice in one block",
    ".reg .b32 out;": "'out' is declared twice in one block",
    "mov.b32 i, 1; .reg .b32 i;": "'i' is not declared",
    "mov.b32 acc, %foo;": "'%foo' is not declared",
    "@%p1 ret;": "'%p1' is not declared",
    ".branchtargets A; A: ret;": "a list of branch targets needs a label",
    ".reg .v4 .b32 v;": "unreadable register declaration",
    ".shared .b32 a, b;": "unreadable declaration",
    "mov.b32 acc, 1+2;": "unreadable constant '1+2",
    "mov.b32 acc, [acc+acc];": "unreadable constant 'acc",
    ".shared .texref t;": "a variable cannot have type .texref",
    "{ ret;": "the brace is never closed",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused_with_its_line(body: str):
    with pytest.raises(PtxSyntaxError) as caught:
        parse(kernel(body))
    line = 5 if "never closed" in REFUSED[body] else 11
    assert REFUSED[body] in str(caught.value) and f"PTX line {line}:" in str(caught.value)
