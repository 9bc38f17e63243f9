"""
Prints a function of tile instructions as a kernel for the PTO tile library.

```
func.func @k(%x: !pto.memref<…>, %y: !pto.memref<…>, %n: index)      AICORE void k(__gm__ float *x, __gm__ float *y, int64_t n) {
  %t = pto.tile.load %x[0, 0] …                                        using …;  Vec_f32_32x32 t;  TASSIGN(t, 0);  TLOAD(t, x_1);
```

Each tile has a variable, which a loop shares with the tiles that it carries (`storage.py`). A line that begins with `//` says which
pipe the next instructions run on. Spec: `pto-ir.md §8`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...analysis.pto.extents import Extents
from ...analysis.pto.temporaries import temporary_like
from ...dialects import pto
from ...dialects.pto.indices import Index, joined
from ...dialects.pto.transfers import TransferOp
from ...errors import Unsupported
from ...targets.pto.machine import PtoMachine
from .calls import FORMS, WORDS
from .cpp_types import DYNAMIC, element_word, tile_word
from .errors import NotAView, NotInPlace
from .order import SCALAR, Order, carries, flag_call, instructions, pipe_of, waits_of
from .storage import Storage

STAGES = {
    "MTE2": "global memory to tiles",
    "MTE1": "L1 to operands",
    "M": "matrix products",
    "FIX": "accumulators out",
    "V": "vectors",
    "MTE3": "vector tiles to global memory",
}
"""What the instructions of each pipe do, for comments."""
RESERVED = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "asm",
        "auto",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "constexpr",
        "continue",
        "default",
        "delete",
        "do",
        "double",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "half",
        "if",
        "inline",
        "int",
        "long",
        "main",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "nullptr",
        "operator",
        "or",
        "private",
        "protected",
        "public",
        "register",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "template",
        "this",
        "throw",
        "true",
        "try",
        "typedef",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "while",
        "xor",
        "pto",
        "Tile",
        "Shape",
        "Stride",
        "Layout",
        "Event",
        "Op",
        "DYNAMIC",
    ]
)
SCALARS: dict[type[Operation], str] = {
    arith.AddiOp: "{0} + {1}", arith.SubiOp: "{0} - {1}", arith.MuliOp: "{0} * {1}", arith.DivUIOp: "{0} / {1}",
    arith.DivSIOp: "{0} / {1}", arith.RemUIOp: "{0} % {1}", arith.RemSIOp: "{0} % {1}",
    arith.MinUIOp: "{0} < {1} ? {0} : {1}", arith.MinSIOp: "{0} < {1} ? {0} : {1}", arith.MaxUIOp: "{0} > {1} ? {0} : {1}",
    arith.MaxSIOp: "{0} > {1} ? {0} : {1}", pto.AddIOp: "{0} + {1}", pto.SubIOp: "{0} - {1}", pto.MulIOp: "{0} * {1}",
}  # fmt: skip
"""The C++ of arithmetic on indices. Those of a kernel are not negative."""


@dataclass(frozen=True)
class View:
    """Elements in global memory: the pointer, the first one's offset, and the strides, as C++ or numbers."""

    pointer: str
    offset: str
    strides: tuple[int | str | None, ...]


class KernelPrinter:
    """Prints one function. `text` is the C++."""

    def __init__(self, kernel: FuncOp, machine: PtoMachine):
        self.kernel, self.machine = kernel, machine
        self.storage, self.extents, self.order = Storage(kernel, machine), Extents(), Order(kernel)
        self.names: dict[SSAValue, str] = {}
        self.taken = set(RESERVED)
        self.views: dict[SSAValue, View] = {}
        self.aliases: dict[str, str] = {}
        """The name of each C++ type that has one."""
        self.declared: set[SSAValue] = set()
        self.waited: set[tuple[int, str]] = set()
        """The flags, by identity, and pipes that have waited at this place."""
        self.lines: list[str] = []
        self.depth, self.pipe, self.stage = 1, "", ""

    @property
    def text(self) -> str:
        if self.kernel.function_type.outputs.data:
            need = "store results in arguments that are pto.memref"
            raise Unsupported(self.kernel, what="a kernel that returns values", need=need)
        name = self.kernel.sym_name.data
        if not (name.isascii() and name.isidentifier()) or name in RESERVED:
            raise Unsupported(self.kernel, what=f"a kernel of the name {name!r}", need="use a free identifier of C++")
        parameters = [self._parameter(arg) for arg in self.kernel.body.block.args]
        self.block(self.kernel.body.block)
        head = [f"AICORE void {name}({', '.join(parameters)}) {{"]
        aliases = [f"  using {name} = {word};" for word, name in self.aliases.items()]
        return "\n".join([*head, *aliases, *([""] if aliases else []), *self.lines, "}", ""])

    # --- names and lines --------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def fresh(self, hint: str) -> str:
        """Returns an identifier that is unique in the kernel."""
        base = re.sub(r"\W", "_", hint)
        base = base if base[:1].isalpha() and base.isascii() else f"t{base}"
        name, number = base, 0
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name

    def name(self, value: SSAValue) -> str:
        """Returns the C++ of a scalar or the variable of a tile."""
        if isinstance(value.type, pto.TileType):
            value = self.storage.variable(value)
        if value not in self.names:
            kind = "t" if isinstance(value.type, pto.TileType) else "n"
            self.names[value] = self.fresh(value.name_hint or kind)
        return self.names[value]

    def index(self, index: Index) -> str:
        return str(index) if isinstance(index, int) else self.name(index)

    def alias(self, word: str, name: str) -> str:
        """Returns the name of a C++ type, which the head of the kernel declares."""
        if word not in self.aliases:
            self.aliases[word] = self.fresh(name)
        return self.aliases[word]

    def _parameter(self, arg: SSAValue) -> str:
        if isinstance(arg.type, pto.MemRefType):
            word, _ = element_word(arg.type.element_type, self.kernel)
            self.views[arg] = View(self.name(arg), "", arg.type.strides)
            return f"__gm__ {word} *{self.name(arg)}"
        if isinstance(arg.type, pto.TileType | pto.EventType):
            need = "load tiles in the kernel, from arguments that are pto.memref"
            raise Unsupported(self.kernel, what=f"an argument of type {arg.type}", need=need)
        return f"{element_word(arg.type, self.kernel)[0]} {self.name(arg)}"

    # --- ops --------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.op(op)

    def op(self, op: Operation) -> None:
        if pipe_of(op) is not None:
            self.instruction(cast(pto.InstructionOp, op))
            return
        match op:
            case pto.ConstantOp() | arith.ConstantOp():
                self.names[op.result] = constant(op.value)
            case scf.ForOp():
                self.loop(op)
            case pto.SubviewOp():
                self.subview(op)
            case pto.AssignOp() | ReturnOp() | scf.YieldOp():
                pass
            case pto.SyncOp():
                self.wait(op, SCALAR)
                if not op.waits:
                    self.line("pipe_barrier(PIPE_ALL);")
            case pto.SyncOpcodeOp():
                self.line(f"TSYNC<Op::{op.opcode.word}>();")
            case _ if type(op) in SCALARS:
                form = SCALARS[type(op)].format(*map(self.name, op.operands))
                self.line(f"const int64_t {self.name(op.results[0])} = {form};")
            case pto.RecordOp():
                self.set(op.event)
            case _:
                need = (
                    "run pto-legalize first, and write the kernel with instructions, scf.for and arithmetic on indices"
                )
                raise Unsupported(op, what=f"'{op.name}' in the C++ of PTO", need=need)

    def instruction(self, op: pto.InstructionOp) -> None:
        """Prints a call, with the declarations of its tiles, and the flags before and after it."""
        word = op.name.removeprefix("pto.tile.")
        if word not in FORMS:
            raise Unsupported(op, what=f"'{op.name}' in the C++ of PTO", need="write it with other instructions")
        pipe = cast(str, pipe_of(op))
        if pipe != self.stage:
            self.line(f"// {pipe}: {STAGES[pipe]}")
            self.stage = pipe
        for result in op.results:
            if isinstance(result.type, pto.TileType):
                self.declare(result, op)
        function, form = FORMS[word]
        arguments = [text for part in form.split() for text in self.arguments(op, part)]
        self.before(op, pipe)
        if "{" in function:
            element, _ = element_word(pto.tile_type(op.results[0]).element_type, op)
            descending = int("descending" in op.properties)
            function = function.format(tile=self.type_of(op.results[0], op)[0], element=element, descending=descending)
        self.line(f"{function}({', '.join(arguments)});")
        if op.event is not None:
            self.set(op.event, *self.order.fed.get(op.event, ()))

    def arguments(self, op: pto.InstructionOp, part: str) -> list[str]:
        """Returns the arguments of a call that a part of its form stands for."""
        waits = set(op.waits)
        operands = [v for v in op.operands if v not in waits and v not in op.valid]
        match part:
            case "d":
                return [self.name(op.results[0])]
            case "*":
                return [self.name(v) for v in operands]
            case "t":
                return [self.temporary(op, cast(SSAValue, temporary_like(op)))]
            case "g":
                return [self.tensor(cast(TransferOp, op))]
            case "s":
                return [constant(op.value) if op.value is not None else self.name(op.scalar)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
            case "o":
                return [self.index(i) for i in joined(op.static_offsets, op.offsets)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
            case _ if part.startswith("="):
                return [self.word(op, part[1:])]
            case _ if part.isdigit():
                return [self.name(operands[int(part)])]
            case _:
                return [self.name(getattr(op, part))]

    def word(self, op: Operation, name: str) -> str:
        """Returns a property of an op as a word of the library, or as a truth value."""
        attribute = op.properties.get(name)
        if name not in WORDS:
            return "true" if isinstance(attribute, UnitAttr) else "false"
        enumeration, default = WORDS[name]
        return f"{enumeration}::{attribute.word if isinstance(attribute, pto.CompareAttr | pto.RoundModeAttr) else default}"

    # --- tiles ------------------------------------------------------------------------------------

    def type_of(self, value: SSAValue, op: Operation) -> tuple[str, list[str]]:
        """Returns the alias of a tile's C++ type, and the valid extents that are not known statically."""
        static = self.extents.static(value)
        word, name = tile_word(pto.tile_type(value), [DYNAMIC if e is None else e for e in static], self.machine, op)
        dynamic = [
            self.least(pto.tile_type(value).sizes[axis], self.extents.of(value)[axis])
            for axis, extent in enumerate(static)
            if extent is None
        ]
        return self.alias(word, name), dynamic

    def least(self, size: int, extent: frozenset[Index]) -> str:
        """Returns the C++ of the least of some numbers, of which `size` is one unless another is known to be at most that."""
        numbers = [i for i in extent if isinstance(i, int)]
        values = sorted(self.name(i) for i in extent if isinstance(i, SSAValue))
        texts = [*values, *([str(min(numbers))] if numbers else [])]
        out = texts[0]
        for text in texts[1:]:
            out = f"({out} < {text} ? {out} : {text})"
        return out

    def declare(self, value: SSAValue, op: Operation) -> None:
        """Declares the variable of a tile and assigns its address, unless that is done."""
        root = self.storage.variable(value)
        word, dynamic = self.type_of(value, op)
        if root in self.declared:
            if self.type_of(root, op) != (word, dynamic):
                help = "write the same `valid` for what the loop carries"
                raise NotInPlace(
                    op, type=value.type, reason="the loop carries it, and its valid extents change", help=help
                )
            return
        self.declared.add(root)
        self.variable(word, dynamic, self.name(value), self.storage.address(value))

    def variable(self, word: str, dynamic: Sequence[str], name: str, address: int) -> None:
        extents = f"({', '.join(dynamic)})" if dynamic else ""
        self.line(f"{word} {name}{extents}; TASSIGN({name}, {address:#x});")

    def temporary(self, op: Operation, like: SSAValue) -> str:
        """Declares a temporary with the type of a tile."""
        word, dynamic = self.type_of(like, op)
        name = self.fresh("tmp")
        self.variable(word, dynamic, name, self.storage.limits["Vec"])
        return name

    # --- global memory ----------------------------------------------------------------------------

    def subview(self, op: pto.SubviewOp) -> None:
        offsets, _, steps = op.parts
        source = self.views[op.source]
        strides = [scaled(stride, self.index(step)) for stride, step in zip(source.strides, steps, strict=True)]
        self.views[op.result] = View(source.pointer, self.moved(source, offsets, op), tuple(strides))

    def moved(self, view: View, offsets: Sequence[Index], op: Operation) -> str:
        """Returns the offset of an element of a view."""
        terms = [view.offset] * bool(view.offset)
        for offset, stride in zip(offsets, view.strides, strict=True):
            text = self.index(offset)
            if text != "0":
                if stride is None:
                    raise self.not_a_view(op, "a stride is not known")
                terms.append(text if stride == 1 else str(scaled(stride, text)))
        return " + ".join(terms)

    def not_a_view(self, op: Operation, reason: str) -> NotAView:
        memref = next(v.type for v in op.operands if isinstance(v.type, pto.MemRefType))
        return NotAView(
            op, type=memref, reason=reason, help="give the array static sizes, and one axis of contiguous elements"
        )

    def tensor(self, op: TransferOp) -> str:
        """Declares the GlobalTensor that an op loads from or stores to, and returns its name."""
        view = self.views[op.memref]
        tile = op.tile if isinstance(op, pto.StoreOp | pto.StoreScaledOp) else op.results[0]
        offset = self.moved(view, joined(op.static_offsets, op.offsets), op)
        rows, columns = view.strides
        layout = "DN" if columns != 1 or (pto.tile_type(tile).layout in ("DN", "Zn") and rows == 1) else "ND"
        if None in (rows, columns) or 1 not in (rows, columns):
            raise self.not_a_view(
                op, "no axis has contiguous elements" if None not in (rows, columns) else "a stride is not known"
            )
        valid = self.extents.of(tile)
        if isinstance(op, pto.StoreOp | pto.StoreScaledOp) and op.static_valid is not None:
            given = joined(op.static_valid, op.valid)
            sizes = pto.tile_type(tile).sizes
            if any(frozenset({n} - {size}) != extent for n, size, extent in zip(given, sizes, valid, strict=True)):
                need = "compute the tile with the valid region that is stored"
                raise Unsupported(op, what="a store of a part of a tile's valid region", need=need)
        extents = self.extents.static(tile)
        dynamic = [
            self.least(pto.tile_type(tile).sizes[axis], self.extents.of(tile)[axis])
            for axis, extent in enumerate(extents)
            if extent is None
        ]
        sizes = [DYNAMIC if e is None else e for e in extents]
        dtype, _ = element_word(pto.memref_type(op.memref).element_type, op)
        if not all(isinstance(s, int) for s in (rows, columns)):
            raise self.not_a_view(op, "a stride is not a number")
        outer = max(cast(int, rows) * max(sizes[0], 1), cast(int, columns) * max(sizes[1], 1))
        shape = f"Shape<1, 1, 1, {sizes[0]}, {sizes[1]}>"
        stride = f"Stride<{outer}, {outer}, {outer}, {rows}, {columns}>"
        word = self.alias(f"GlobalTensor<{dtype}, {shape}, {stride}, Layout::{layout}>", f"Gm_{view.pointer}")
        name = self.fresh(f"{view.pointer}_tile")
        place = f"{view.pointer} + {offset}" if offset else view.pointer
        extent = f", {shape}({', '.join(dynamic)})" if dynamic else ""
        self.line(f"{word} {name}({place}{extent});")
        return name

    # --- order ------------------------------------------------------------------------------------

    def before(self, op: Operation, pipe: str) -> None:
        """Prints the waits before an instruction."""
        if self.order.is_asynchronous:
            self.wait(op, pipe)
        else:
            self.follow(pipe)

    def follow(self, pipe: str) -> None:
        """Orders what follows on a pipe after everything before, in a program without events."""
        if self.pipe not in ("", pipe):
            for word in ("set", "wait"):
                self.line(flag_call(word, self.pipe, pipe, 0))
        self.pipe = pipe

    def wait(self, op: Operation, pipe: str) -> None:
        for event in waits_of(op):
            self.wait_for(event, pipe)

    def wait_for(self, event: SSAValue, pipe: str) -> None:
        """Prints the wait of a pipe for an event, unless the pipe has waited for it."""
        flag = self.order.flags[event]
        if pipe in flag.waiting and (id(flag), pipe) not in self.waited:
            self.waited.add((id(flag), pipe))
            self.line(flag_call("wait", flag.producer, pipe, flag.waiting[pipe]))

    def set(self, *events: SSAValue) -> None:
        """Prints that flags of events are set."""
        for event in events:
            flag = self.order.flags[event]
            for pipe, number in flag.waiting.items():
                self.waited.discard((id(flag), pipe))
                self.line(flag_call("set", flag.producer, pipe, number))

    @contextmanager
    def ordered(self, loop: scf.ForOp) -> Generator[None]:
        """Prints what orders a loop's iterations among each other, and with what is before and after the loop."""
        block = loop.body.block
        if not self.order.is_asynchronous:
            first = next((pipe_of(op) for op in instructions(block)), None)
            if first is not None:
                self.follow(first)
            yield
            return
        own, events = set(loop.walk()), [a for a in block.args if isinstance(a.type, pto.EventType)]
        for op in loop.walk():
            for event in waits_of(op):
                defined = event.owner if isinstance(event.owner, Operation) else event.owner.parent_op()
                if defined not in own:
                    self.wait_for(event, pipe_of(op) or SCALAR)
        self.set(*events)
        yield
        for event in events:
            for pipe in self.order.flags[event].waiting:
                self.wait_for(event, pipe)
        self.set(*(r for r in loop.results if isinstance(r.type, pto.EventType)))

    def between(self, loop: scf.ForOp) -> None:
        """Prints what orders an iteration before the next one, in a program without events."""
        first = next((pipe_of(op) for op in instructions(loop.body.block)), None)
        if first is not None and not self.order.is_asynchronous:
            self.follow(first)

    # --- loops ------------------------------------------------------------------------------------

    def loop(self, op: scf.ForOp) -> None:
        block, last = op.body.block, cast(Operation, op.body.block.last_op)
        for start, carried in zip(op.iter_args, block.args[1:], strict=True):
            if isinstance(carried.type, pto.TileType):
                self.copy(start, carried, op)
            elif not isinstance(carried.type, pto.EventType):
                raise Unsupported(
                    op, what=f"a loop that carries {carried.type}", need="compute it from the loop's index"
                )
        counter = self.name(block.args[0])
        low, high, step = (self.name(v) for v in (op.lb, op.ub, op.step))
        with self.ordered(op):
            self.line(f"for (int64_t {counter} = {low}; {counter} < {high}; {counter} += {step}) {{")
            self.depth, self.stage = self.depth + 1, ""
            self.block(block)
            for carried, yielded in carries(op):
                if isinstance(carried.type, pto.TileType):
                    self.copy(yielded, carried, last)
                elif carried not in self.order.fed.get(yielded, ()):
                    self.set(carried)
            self.between(op)
            self.depth -= 1
            self.line("}")
        self.stage = ""

    def copy(self, source: SSAValue, to: SSAValue, op: Operation) -> None:
        """Copies a tile into the variable that a loop carries, unless it is the same."""
        self.declare(to, op)
        if self.storage.variable(source) is self.storage.variable(to):
            return
        reason = None
        if pto.tile_type(to).loc != "Vec":
            reason = f"the loop carries it, and {pto.tile_type(to).loc} has no copies"
        elif self.order.is_asynchronous:
            reason = "the loop carries it, and no event orders the copy"
        if reason is not None:
            raise NotInPlace(
                op, type=to.type, reason=reason, help="write the yielded tile after the last use of the carried one"
            )
        self.follow("V")
        self.line(f"TMOV({self.name(to)}, {self.name(source)});")


def constant(number: Attribute | None) -> str:
    """Returns a number as C++."""
    if isinstance(number, IntegerAttr):
        return str(number.value.data)
    if isinstance(number, FloatAttr):
        value = number.value.data
        if value in (float("inf"), -float("inf")):
            return f"{'-' * (value < 0)}__builtin_inff()"
        return '__builtin_nanf("")' if value != value else f"{value!r}f"
    return str(number)


def scaled(stride: int | str | None, text: str) -> int | str | None:
    """Returns the C++ of a product, as a number if it is one."""
    if stride is None or text == "1":
        return stride
    if isinstance(stride, int) and text.isdigit():
        return stride * int(text)
    return f"({text}) * {stride}" if " " in text else f"{text} * {stride}"
