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

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from ...analysis.pto.effects import constant
from ...analysis.pto.extents import Extents
from ...analysis.pto.temporaries import temporary_like
from ...dialects import pto
from ...dialects.common.shapes import is_float
from ...dialects.pto.indices import joined
from ...dialects.pto.transfers import TransferOp
from ...errors import Unsupported
from ...targets.pto import PIPE_OF
from ...targets.pto.machine import PtoMachine
from .calls import ON_PREDICATES, WORDS, calls_of
from .cpp_types import element_word
from .errors import NotInPlace
from .indices import expression, is_written_at_use
from .operands import RESERVED, Operands, literal
from .order import (
    SCALAR,
    Order,
    carries,
    flag_call,
    instructions,
    is_computed,
    pipe_of,
    waits_of,
    ways_of,
    yields,
)
from .sorts import print_sort

STAGES = {
    "MTE2": "global memory to tiles",
    "MTE1": "L1 to operands",
    "M": "matrix products",
    "FIX": "accumulators out",
    "V": "vectors",
    "MTE3": "vector tiles to global memory",
}
"""Words for the work of each pipe, for comments."""


class KernelPrinter(Operands):
    """Prints one function. `text` is the C++."""

    def __init__(self, kernel: FuncOp, machine: PtoMachine, extents: Extents):
        super().__init__(kernel, machine, extents)
        self.order = Order(kernel)
        self.waited: set[tuple[int, str]] = set()
        """The flags, by identity, and pipes that have waited at this place."""
        self.pipe, self.stage = "", ""

    @property
    def text(self) -> str:
        if self.kernel.function_type.outputs.data:
            need = "store results in arguments that are pto.memref"
            raise Unsupported(self.kernel, what="a kernel that returns values", need=need)
        name = self.kernel.sym_name.data
        if not (name.isascii() and name.isidentifier()) or name in RESERVED:
            raise Unsupported(self.kernel, what=f"a kernel of the name {name!r}", need="use a free identifier of C++")
        parameters = [self.parameter(arg) for arg in self.kernel.body.block.args]
        self.block(self.kernel.body.block)
        head = [f"AICORE void {name}({', '.join(parameters)}) {{"]
        aliases = [f"  using {name} = {word};" for word, name in self.aliases.items()]
        return "\n".join([*head, *aliases, *([""] if aliases else []), *self.lines, "}", ""])

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
                self.names[op.result] = literal(op.value)
            case scf.ForOp():
                self.loop(op)
            case scf.IfOp():
                self.conditional(op)
            case pto.SubviewOp():
                self.subview(op)
            case pto.AssignOp() | ReturnOp() | scf.YieldOp():
                pass
            case pto.SyncOp():
                self.wait(op, SCALAR)
                if not op.waits:
                    self.line("pipe_barrier(PIPE_ALL);")
            case pto.SyncOpcodeOp():
                self.line(f"pipe_barrier(PIPE_{PIPE_OF[op.opcode.word]});")
            case arith.IndexCastOp():
                self.line(
                    f"const {element_word(op.result.type, op)[0]} {self.name(op.result)} = {self.name(op.input)};"
                )
            case _ if (text := expression(op, self.name)) is not None:
                if is_written_at_use(op):
                    self.names[op.results[0]] = text
                else:
                    word = "bool" if isinstance(op, arith.CmpiOp) else "int64_t"
                    self.line(f"const {word} {self.name(op.results[0])} = {text};")
            case pto.RecordOp():
                self.set(op.event)
            case _:
                need = (
                    "run pto-legalize first, and write the kernel with instructions, scf.for and arithmetic on indices"
                )
                raise Unsupported(op, what=f"'{op.name}' in the C++ of PTO", need=need)

    def instruction(self, op: pto.InstructionOp) -> None:
        """Prints a call, with the declarations of its tiles, and the flags before and after it."""
        calls = calls_of(op)
        if isinstance(op, pto.MoveScaledOp | pto.StoreScaledOp):
            need = "move the accumulators with pto.tile.mov.a2v, and scale them with pto.tile.colexpandmul"
            raise Unsupported(op, what=f"'{op.name}' with scales of f32 in the C++ of PTO, which has words", need=need)
        if not calls and not isinstance(op, pto.Sort32Op | pto.MrgSortOp):
            raise Unsupported(op, what=f"'{op.name}' in the C++ of PTO", need="write it with other instructions")
        self.check_predicates(op)
        if isinstance(op, pto.ExtractOp) and op.opcode == "TEXTRACT":
            source, result = pto.tile_type(op.input), pto.tile_type(op.result)
            if source.loc != "Mat" or result.loc not in ("Left", "Right"):
                need = "extract from Mat to Left or Right, or between vector tiles"
                raise Unsupported(op, what=f"a TEXTRACT from {source.loc} to {result.loc} in the C++ of PTO", need=need)
        pipe = cast(str, pipe_of(op))
        if pipe != self.stage:
            self.line(f"// {pipe}: {STAGES[pipe]}")
            self.stage = pipe
        for result in op.results:
            if isinstance(result.type, pto.TileType):
                self.declare(result, op)
        if isinstance(op, pto.Sort32Op | pto.MrgSortOp):
            self.before(op, pipe)
            print_sort(self, op)
        else:
            self.call(op, pipe, calls)
        if op.event is not None:
            self.set(op.event, *self.order.fed.get(op.event, ()))
        if self.order.is_synchronous(op):
            self.line("pipe_barrier(PIPE_ALL);")

    def check_predicates(self, op: pto.InstructionOp) -> None:
        """Raises `Unsupported` for an op on masks that works on each predicate by itself."""
        selects = isinstance(op, pto.SelOp | pto.SelsOp)
        if op.name.removeprefix("pto.tile.") in ON_PREDICATES and not selects:
            return
        tiles = [v.type for v in (*op.results, *(() if selects else op.inputs)) if isinstance(v.type, pto.TileType)]
        if any(tile.element_type == i1 for tile in tiles):
            what = f"'{op.name}' of predicates in the C++ of PTO, where a mask has a bit for each"
            raise Unsupported(op, what=what, need="select numbers with pto.tile.sels first")

    def call(self, op: pto.InstructionOp, pipe: str, calls: Sequence[tuple[str, str]]) -> None:
        """Prints calls, each of a function with the arguments that its form names."""
        rows = [(name, [text for part in form.split() for text in self.arguments(op, part)]) for name, form in calls]
        self.before(op, pipe)
        if isinstance(op, pto.InsertOp) and not self.storage.is_shared(op.result, op.into):
            self.line(f"TMOV({self.name(op.result)}, {self.name(op.into)});")
        if isinstance(op, pto.ReshapeOp | pto.BitcastOp) and self.storage.is_in_place(op.result, op.input):
            return
        for name, arguments in rows:
            if "{" in name:
                element, _ = element_word(pto.tile_type(op.results[0]).element_type, op)
                descending = int("descending" in op.properties)
                name = name.format(tile=self.type_of(op.results[0], op)[0], element=element, descending=descending)
            self.line(f"{name}({', '.join(arguments)});")

    def arguments(self, op: pto.InstructionOp, part: str) -> list[str]:
        """Returns the arguments of a call that a part of its form stands for."""
        match part:
            case "d":
                return [self.operand(op, op.results[0])]
            case "v":
                return [self.reinterpreted(cast(pto.ReshapeOp | pto.BitcastOp, op))]
            case "*":
                return [self.operand(op, v) for v in op.inputs]
            case "t":
                return [self.temporary(op, cast(SSAValue, temporary_like(op)))]
            case "g":
                return [self.tensor(cast(TransferOp, op))]
            case "s" if isinstance(op.results[0].type, pto.TileType) and op.results[0].type.element_type == i1:
                return [self.filled_mask(cast(pto.ExpandsOp, op))]
            case "s":
                return [literal(op.value) if op.value is not None else self.name(op.scalar)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
            case "o":
                return [self.index(i) for i in joined(op.static_offsets, op.offsets)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
            case _ if part.startswith("="):
                return [self.word(op, part[1:])]
            case _ if part.isdigit():
                return [self.operand(op, op.inputs[int(part)])]
            case _:
                return [self.name(getattr(op, part))]

    def word(self, op: Operation, name: str) -> str:
        """Returns a property of an op as a word of the library, or as a truth value."""
        attribute = op.properties.get(name)
        if isinstance(attribute, pto.CompareAttr | pto.RoundModeAttr):
            return f"{WORDS[name]}::{attribute.word}"
        if isinstance(op, pto.CvtOp):
            source, result = (pto.tile_type(v).element_type for v in (op.input, op.result))
            return "RoundMode::CAST_TRUNC" if is_float(source) and not is_float(result) else "RoundMode::CAST_RINT"
        return "true" if isinstance(attribute, UnitAttr) else "false"

    def reinterpreted(self, op: pto.ReshapeOp | pto.BitcastOp) -> str:
        """Returns the operand as a tile of the result's type. The library's TRESHAPE makes an alias, which the next use of the memory changes."""
        tiles = [pto.tile_type(v) for v in (op.input, op.result)]
        if isinstance(op, pto.ReshapeOp) and any(t.layout == "DN" and 1 not in t.sizes for t in tiles):
            need = "transpose it, or choose the layout ND"
            raise Unsupported(op, what="a reshape of a tile in columns in the C++ of PTO", need=need)
        return self.view(op, op.input, tiles[1], self.extents.of(op.result), "view")

    def filled_mask(self, op: pto.ExpandsOp) -> str:
        """Returns the byte of a mask of equal predicates."""
        if not isinstance(op.value, IntegerAttr):
            need = "compare a tile that has the scalar in each element"
            raise Unsupported(op, what="a mask from a scalar in the C++ of PTO", need=need)
        return "0xff" if op.value.value.data else "0"

    # --- order ------------------------------------------------------------------------------------

    def before(self, op: Operation, pipe: str) -> None:
        """Prints the waits before an instruction."""
        if not self.order.is_asynchronous:
            self.follow(pipe)
            return
        if self.order.is_synchronous(op) and not self.order.is_synchronous(op.prev_op):
            self.line("pipe_barrier(PIPE_ALL);")
        self.wait(op, pipe)

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
        events = [a for a in block.args if isinstance(a.type, pto.EventType)]
        self.wait_before(loop)
        self.set(*events)
        yield
        for event in events:
            for pipe in self.order.flags[event].waiting:
                self.wait_for(event, pipe)
        self.set(*(r for r in loop.results if isinstance(r.type, pto.EventType)))

    def wait_before(self, region: Operation) -> None:
        """Prints the waits of the ops in a loop or condition for events from outside of it."""
        own = set(region.walk())
        for op in region.walk():
            for event in waits_of(op):
                defined = event.owner if isinstance(event.owner, Operation) else event.owner.parent_op()
                if defined not in own:
                    self.wait_for(event, pipe_of(op) or SCALAR)

    def between(self, loop: scf.ForOp) -> None:
        """Prints what orders an iteration before the next one, in a program without events."""
        first = next((pipe_of(op) for op in instructions(loop.body.block)), None)
        if first is not None and not self.order.is_asynchronous:
            self.follow(first)

    # --- loops and conditions ---------------------------------------------------------------------

    def conditional(self, op: scf.IfOp) -> None:
        """
        Prints a condition. Its results have variables, which both ways assign; without events, both ways end such that the same pipe has waited
        for what is before.
        """
        ways = ways_of(op)
        copied = [p for block in ways for p in yields(op, block) if self.is_copied(*p)]
        first = next((pipe_of(each) for block in ways for each in instructions(block)), "V" if copied else None)
        if self.order.is_asynchronous:
            self.wait_before(op)
        elif first is not None:
            self.follow(first)
        for result in op.results:
            self.predeclare(result, op)
        self.line(f"if ({self.name(op.cond)}) {{")
        for number, block in enumerate(ways):
            if number:
                self.line("} else {")
            self.depth, self.stage = self.depth + 1, ""
            self.block(block)
            self.yield_to(op, block)
            if first is not None and not self.order.is_asynchronous:
                self.follow(first)
            self.depth -= 1
        self.line("}")
        self.stage = ""

    def is_copied(self, result: SSAValue, yielded: SSAValue) -> bool:
        """Returns whether the end of a way copies a tile to the variable of a condition's result."""
        return isinstance(result.type, pto.TileType) and not self.storage.is_shared(result, yielded)

    def predeclare(self, result: SSAValue, op: Operation) -> None:
        """Declares the variable of a condition's result, without a value."""
        if isinstance(result.type, pto.TileType):
            self.declare(result, op)
        elif isinstance(result.type, pto.MemRefType):
            need = "load from either array in its way, and yield the tile"
            raise Unsupported(op, what="a condition that yields an array in the C++ of PTO", need=need)
        elif not isinstance(result.type, pto.EventType):
            self.line(f"{element_word(result.type, op)[0]} {self.name(result)};")

    def yield_to(self, op: scf.IfOp, block: Block) -> None:
        """Prints the end of a way of a condition: what it yields becomes the results, and their events are set."""
        for result, yielded in yields(op, block):
            if isinstance(result.type, pto.EventType):
                if not is_computed(yielded, block):
                    self.set(result)
            elif isinstance(result.type, pto.TileType):
                self.copy(yielded, result, cast(Operation, block.last_op))
            else:
                self.line(f"{self.name(result)} = {self.name(yielded)};")

    def loop(self, op: scf.ForOp) -> None:
        block, last = op.body.block, cast(Operation, op.body.block.last_op)
        for start, carried in zip(op.iter_args, block.args[1:], strict=True):
            if isinstance(carried.type, pto.TileType):
                self.copy(start, carried, op)
            elif not isinstance(carried.type, pto.EventType):
                raise Unsupported(
                    op, what=f"a loop that carries {carried.type}", need="compute it from the loop's index"
                )
        if (step := constant(op.step)) is not None and step <= 0:
            raise Unsupported(op, what=f"a loop with the step {step}", need="use a positive step")
        counter = self.name(block.args[0])
        low, high, step = (self.name(v) for v in (op.lb, op.ub, op.step))
        with self.ordered(op):
            self.line(f"for (int64_t {counter} = {low}; {counter} < {high}; {counter} += {step}) {{")
            self.depth, self.stage = self.depth + 1, ""
            self.block(block)
            self.copies([(c, y) for c, y in carries(op) if isinstance(c.type, pto.TileType)], last)
            for carried, yielded in carries(op):
                if isinstance(carried.type, pto.EventType) and carried not in self.order.fed.get(yielded, ()):
                    self.set(carried)
            self.between(op)
            self.depth -= 1
            self.line("}")
        self.stage = ""

    def copies(self, pairs: Sequence[tuple[SSAValue, SSAValue]], op: Operation) -> None:
        """Copies tiles to the variables that a loop carries, at the same time: one that is copied elsewhere as well is read first."""
        variable = self.storage.variable
        left = [(to, source) for to, source in pairs if not self.storage.is_shared(to, source)]
        saved: dict[SSAValue, str] = {}
        while left:
            read = {variable(source) for _, source in left if variable(source) not in saved}
            ready = next((pair for pair in left if variable(pair[0]) not in read), None)
            if ready is None:  # a cycle
                self.check_copy(left[0][0], op)
                saved[variable(left[0][0])] = self.saved(left[0][0], op)
                continue
            left.remove(ready)
            self.copy(ready[1], ready[0], op, saved.get(variable(ready[1])))

    def saved(self, tile: SSAValue, op: Operation) -> str:
        """Copies a tile to a new variable, and returns its name."""
        word, dynamic = self.type_of(tile, op)
        name = self.fresh(f"{self.name(tile)}_saved")
        self.variable(word, dynamic, name, self.storage.reserve(pto.tile_type(tile)))
        self.follow("V")
        self.line(f"TMOV({name}, {self.name(tile)});")
        return name

    def copy(self, source: SSAValue, to: SSAValue, op: Operation, name: str | None = None) -> None:
        """Copies a tile, or the variable `name` that has its elements, into that of another tile, unless it is the same."""
        self.declare(to, op)
        if self.storage.is_shared(source, to):
            return
        self.check_copy(to, op)
        self.follow("V")
        self.line(f"TMOV({self.name(to)}, {name or self.name(source)});")

    def check_copy(self, to: SSAValue, op: Operation) -> None:
        """Raises `NotInPlace` for a tile that cannot be copied."""
        yielded = "the condition yields it" if isinstance(op.parent_op(), scf.IfOp) else "the loop carries it"
        if (loc := pto.tile_type(to).loc) != "Vec":
            reason = f"{yielded}, and {loc} has no copies"
        elif self.order.is_asynchronous:
            reason = f"{yielded}, and no event orders the copy"
        else:
            return
        help = "write the yielded tile after the last use of the carried one"
        if isinstance(op.parent_op(), scf.IfOp):
            help = "yield a tile that an instruction of this way computes, such as pto.tile.mov.v2v"
        raise NotInPlace(op, type=to.type, reason=reason, help=help)
