"""
`-t vyre-wgsl`: prints programs as WGSL, whose text any implementation of WebGPU compiles.

Buffers are bindings of group 0. A buffer on which atomics are executed has `atomic<…>` elements. A uniform buffer is an array of
`vec4<u32>`, since WGSL aligns the elements of uniform arrays to 16 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatchmethod
from io import StringIO
from typing import IO, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.base_printer import BasePrinter
from xdsl.utils.target import Target

from ...dialects import vyre
from ...dialects.vyre.types import boolean, buffer_of, bytes_, dtype_of, i32
from ...errors import Unsupported, WrongLevel
from .expressions import CASTS, binop, compare, literal, unop, value_type, zero
from .helpers import FUNCTIONS, source

ATOMICS = {kind: f"atomic{kind.capitalize()}" for kind in ("add", "min", "max", "and", "or", "xor", "exchange")}
POSITIONS = {
    "global": "global_invocation_id",
    "local": "local_invocation_id",
    "workgroup": "workgroup_id",
    "workgroups": "num_workgroups",
}
ENTRY_POINT = "main"
CALLED = re.compile(r"\b([ui](?:32|64)_\w+)\(")


@dataclass(frozen=True)
class WgslTarget(Target):
    """`-t vyre-wgsl`: the program of a module as a shader module. Calls must be inlined first (`vyre-inline`)."""

    name = "vyre-wgsl"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_wgsl(module))


def print_wgsl(module: ModuleOp) -> str:
    """Returns the WGSL of the program of a module. Raises `Unsupported` and `WrongLevel`."""
    programs = [op for op in module.ops if isinstance(op, vyre.ProgramOp)]
    if len(programs) != 1:
        what = f"a module of {len(programs)} programs as one shader module"
        raise Unsupported(programs[1] if programs else module, what=what, need="print a module of one vyre.program")
    return WgslPrinter(programs[0]).text()


class WgslPrinter(BasePrinter):
    """Prints one program."""

    def __init__(self, program: vyre.ProgramOp):
        self.body = StringIO()
        super().__init__(stream=self.body)
        self.program = program
        self.depth = 1
        self.names: dict[SSAValue, str] = {}
        self.counts: dict[str, int] = {}
        self.buffers: dict[SSAValue, vyre.BufferOp] = {}
        self.constants: set[SSAValue] = set()
        """What a compiler of the text may evaluate."""
        self.atomic = {
            op.buffer for op in program.walk() if isinstance(op, vyre.AtomicOp | vyre.AtomicCompareExchangeOp)
        }

    def text(self) -> str:
        """Returns the shader module."""
        declared = [self.declaration(b) for b in self.program.buffers()]
        self.block(self.program.body.block.ops)
        body = self.body.getvalue()
        helpers = source(dict.fromkeys(name for name in CALLED.findall(body) if name in FUNCTIONS))
        used = [name for name in POSITIONS.values() if f"{name}." in body]
        params = ", ".join(f"@builtin({name}) {name}: vec3<u32>" for name in used)
        size = ", ".join(map(str, self.program.sizes))
        head = f"@compute @workgroup_size({size})\nfn {ENTRY_POINT}({params}) {{\n"
        return "\n".join(declared) + "\n" * (2 if declared else 0) + helpers + head + body + "}\n"

    def declaration(self, buffer: vyre.BufferOp) -> str:
        """Returns the declaration of a buffer."""
        name = self.names[buffer.result] = self.fresh(f"buf_{buffer.label.data}")
        self.buffers[buffer.result] = buffer
        t = buffer.type
        element = f"atomic<{t.dtype.WGSL}>" if buffer.result in self.atomic else t.dtype.WGSL
        if buffer.is_workgroup:
            return f"var<workgroup> {name}: array<{element}, {buffer.elements}>;"
        place = f"@group(0) @binding({buffer.slot})"
        if t.kind.data == "uniform":
            quads = -(-(buffer.elements or 0) * t.dtype.words // 4)
            return f"{place} var<uniform> {name}: array<vec4<u32>, {quads}>;"
        return f"{place} var<storage, {'read' if not t.access.writable else 'read_write'}> {name}: array<{element}>;"

    # --- text -----------------------------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        """Returns a name with a number, which no word of WGSL has at its end."""
        self.counts[hint] = self.counts.get(hint, 0) + 1
        return f"{hint}_{self.counts[hint]}"

    def name(self, value: SSAValue) -> str:
        if value not in self.names:
            hint = re.sub(r"[^A-Za-z0-9]", "_", value.name_hint or "t").strip("_") or "t"
            self.names[value] = self.fresh(hint if hint[0].isalpha() else f"t{hint}")
        return self.names[value]

    def line(self, text: str) -> None:
        self.print_string("  " * self.depth + text + "\n")

    def let(self, value: SSAValue, expression: str) -> None:
        """Declares a value. With `let` even constants are no constant expressions, whose overflow would be an error."""
        self.line(f"let {self.name(value)} = {expression};")

    def var(self, value: SSAValue, expression: str) -> None:
        self.line(f"var {self.name(value)}: {value_type(dtype_of(value))} = {expression};")

    def open_block(self, head: str, ops: Iterable[Operation]) -> None:
        self.line(f"{head} {{")
        self.depth += 1
        self.block(ops)
        self.depth -= 1

    def block(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if op.has_trait(ConstantLike) or (
                op.operands and op.has_trait(Pure) and self.constants.issuperset(op.operands)
            ):
                self.constants.update(op.results)
            self.print_op(op)

    # --- expressions ----------------------------------------------------------------------------

    @singledispatchmethod
    def print_op(self, op: Operation) -> None:
        need = "run vyre-inline first" if isinstance(op, vyre.CallOp) else "write programs in the vyre dialect"
        raise WrongLevel(op, name=op.name, stage="the WGSL printer", need=need)

    @print_op.register
    def _(self, op: vyre.BufferOp | vyre.YieldOp) -> None:
        pass

    @print_op.register
    def _(self, op: vyre.ConstantOp) -> None:
        self.let(op.result, literal(op.value.data, dtype_of(op.result)))

    @print_op.register
    def _(self, op: vyre.BinOp) -> None:
        self.form(op, binop(op.fn.data, dtype_of(op.lhs)))

    @print_op.register
    def _(self, op: vyre.UnOp) -> None:
        self.form(op, unop(op.fn.data, dtype_of(op.input)))

    @print_op.register
    def _(self, op: vyre.CompareOp) -> None:
        self.form(op, compare(op.fn.data, dtype_of(op.lhs)))

    @print_op.register
    def _(self, op: vyre.SelectOp) -> None:
        self.form(op, "select({2}, {1}, {0})")

    @print_op.register
    def _(self, op: vyre.CastOp) -> None:
        self.form(op, CASTS[dtype_of(op.input), dtype_of(op.result)])

    @print_op.register
    def _(self, op: vyre.VectorOp) -> None:
        self.let(op.result, f"{dtype_of(op.result).WGSL}({', '.join(map(self.name, op.components))})")

    @print_op.register
    def _(self, op: vyre.ExtractOp) -> None:
        self.let(op.result, f"{self.name(op.vector)}.{'xyzw'[op.component.value.data]}")

    @print_op.register
    def _(self, op: vyre.PositionOp) -> None:
        self.let(op.result, f"{POSITIONS[op.kind.data]}.{op.axis.data}")

    def form(self, op: Operation, form: str) -> None:
        self.let(op.results[0], form.format(*map(self.name, op.operands)))

    # --- control flow ---------------------------------------------------------------------------

    def assign(self, targets: Sequence[SSAValue], block: Block) -> None:
        """Assigns what a block yields. Values that an assignment overwrites are copied first."""
        values = cast(vyre.YieldOp, block.last_op).values
        texts: list[str] = []
        for value in values:
            text = self.name(value)
            if value in targets:
                copy = self.fresh("next")
                self.line(f"let {copy} = {text};")
                text = copy
            texts.append(text)
        for target, text in zip(targets, texts, strict=True):
            self.line(f"{self.name(target)} = {text};")

    @print_op.register
    def _(self, op: vyre.IfOp) -> None:
        for result in op.results_:
            self.var(result, zero(dtype_of(result)))
        self.open_block(f"if ({self.name(op.condition)})", op.then.block.ops)
        self.closed(op.results_, op.then)
        if op.otherwise is not None:
            self.open_block("else", op.otherwise.block.ops)
            self.closed(op.results_, op.otherwise)

    def closed(self, targets: Sequence[SSAValue], region: Region) -> None:
        """Ends a block with the assignment of what it yields."""
        self.depth += 1
        self.assign(targets, region.block)
        self.depth -= 1
        self.line("}")

    @print_op.register
    def _(self, op: vyre.ForOp) -> None:
        for arg, start, result in zip(op.carried, op.initial, op.results_, strict=True):
            self.var(arg, self.name(start))
            self.names[result] = self.name(arg)
        k, start, stop = map(self.name, (op.counter, op.start, op.stop))
        self.open_block(f"for (var {k} = {start}; {k} < {stop}; {k} = {k} + 1u)", op.body.block.ops)
        self.closed(op.carried, op.body)

    @print_op.register
    def _(self, op: vyre.BarrierOp) -> None:
        self.line("storageBarrier();")
        self.line("workgroupBarrier();")

    # --- memory ---------------------------------------------------------------------------------

    def length(self, buffer: SSAValue) -> str:
        """Returns the number of elements of a buffer."""
        count = self.buffers[buffer].elements
        return f"arrayLength(&{self.names[buffer]})" if count is None else f"{count}u"

    def word(self, buffer: SSAValue, index: str) -> str:
        """Returns the read of an element, as it is in memory."""
        name, t = self.names[buffer], buffer_of(buffer)
        if buffer in self.atomic:
            return f"atomicLoad(&{name}[{index}])"
        if t.kind.data != "uniform":
            return f"{name}[{index}]"
        words = t.dtype.words
        if words == 4:
            return f"{name}[{index}]"
        if words == 2:
            return f"select({name}[{index} / 2u].xy, {name}[{index} / 2u].zw, {index} % 2u != 0u)"
        word = f"{name}[{index} / 4u][{index} % 4u]"
        return f"bitcast<i32>({word})" if t.dtype == i32 else word

    def place(self, op: vyre.AccessOp) -> tuple[str, str]:
        """Returns the index of the element that is accessed, and the condition that it is in the buffer."""
        index = self.name(op.index)
        is_byte = buffer_of(op.buffer).dtype == bytes_ and isinstance(op, vyre.LoadOp | vyre.StoreOp)
        index = f"({index} / 4u)" if is_byte else index
        inside = f"{index} < {self.length(op.buffer)}"
        count = self.buffers[
            op.buffer
        ].elements  # naga and drivers refuse constant indices out of bounds, guarded or not
        if count is not None:
            return f"min({index}, {count - 1}u)", inside
        return (f"min({index}, {self.length(op.buffer)} - 1u)" if op.index in self.constants else index), inside

    def guarded(self, op: vyre.AccessOp, result: SSAValue, expression: str) -> None:
        """Declares a value that is 0 out of bounds."""
        _, inside = self.place(op)
        self.var(result, zero(dtype_of(result)))
        self.line(f"if ({inside}) {{ {self.name(result)} = {expression}; }}")

    def shift(self, op: vyre.AccessOp) -> str:
        return f"(({self.name(op.index)} & 3u) * 8u)"

    @print_op.register
    def _(self, op: vyre.BufLenOp) -> None:
        self.let(op.result, self.length(op.buffer))

    @print_op.register
    def _(self, op: vyre.LoadOp) -> None:
        index, _ = self.place(op)
        word = self.word(op.buffer, index)
        match buffer_of(op.buffer).dtype:
            case t if t == bytes_:
                self.guarded(op, op.result, f"({word} >> {self.shift(op)}) & 255u")
            case t if t == boolean:
                self.guarded(op, op.result, f"{word} != 0u")
            case _:
                self.guarded(op, op.result, word)

    @print_op.register
    def _(self, op: vyre.LoadWordOp) -> None:
        self.guarded(op, op.result, self.word(op.buffer, self.place(op)[0]))

    @print_op.register
    def _(self, op: vyre.StoreOp | vyre.StoreWordOp) -> None:
        index, inside = self.place(op)
        value, name, t = self.name(op.value), self.names[op.buffer], buffer_of(op.buffer)
        if t.dtype == boolean:
            value = f"select(0u, 1u, {value})"
        elif t.dtype == bytes_ and isinstance(op, vyre.StoreOp):
            shift = self.shift(op)
            value = f"({self.word(op.buffer, index)} & ~(255u << {shift})) | (({value} & 255u) << {shift})"
        if op.buffer in self.atomic:
            self.line(f"if ({inside}) {{ atomicStore(&{name}[{index}], {value}); }}")
        else:
            self.line(f"if ({inside}) {{ {name}[{index}] = {value}; }}")

    @print_op.register
    def _(self, op: vyre.AtomicOp) -> None:
        index, _ = self.place(op)
        call = f"{ATOMICS[op.fn.data]}(&{self.names[op.buffer]}[{index}], {self.name(op.value)})"
        self.guarded(op, op.result, call)

    @print_op.register
    def _(self, op: vyre.AtomicCompareExchangeOp) -> None:
        index, inside = self.place(op)
        old, expected, found = self.name(op.result), self.name(op.expected), self.fresh("found")
        self.var(op.result, zero(dtype_of(op.result)))
        self.line(f"if ({inside}) {{")
        arguments = f"&{self.names[op.buffer]}[{index}], {expected}, {self.name(op.value)}"
        self.line("  loop {  // the weak one may fail although the element is as expected")
        self.line(f"    let {found} = atomicCompareExchangeWeak({arguments});")
        self.line(f"    {old} = {found}.old_value;")
        self.line(f"    if ({found}.exchanged || {old} != {expected}) {{ break; }}")
        self.line("  }")
        self.line("}")
