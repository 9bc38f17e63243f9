"""
Programs, buffers, ops that are composed in the IR, and calls. Spec: `vyre-ir-types`, BufferAccess, Convention, OpSignature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FlatSymbolRefAttr,
    IntAttr,
    IntegerAttr,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
    SymbolTable,
    SymbolUserOpInterface,
)

from ..common.ops import DialectOp
from ..common.syntax import Axes, ints, parse_arguments, print_arguments
from .control import Structured, YieldOp, require_value
from .errors import ConventionBroken, InvalidCall, InvalidDeclaration, VyreError, require
from .types import (
    MAX_UNIFORM_BYTES,
    WORD_BYTES,
    BufferType,
    DataType,
    buffer_of,
    parse_data_type,
    print_data_type,
)

MAX_CALLED = 100
"""Number of ops that an op may reach by calls, and thus the depth of calls."""
MAX_INVOCATIONS = 1024
MAX_AXIS = (1024, 1024, 64)
"""The largest workgroup, in all and along x, y and z: that of CUDA and of most adapters."""
OUTPUT, PARAMS = 1, 2
"""Bindings of the convention V1: the input is at 0."""


@irdl_attr_definition
class SignatureAttr(ParametrizedAttribute):
    """The data types of an operation's inputs and output: `#vyre.signature<(u32, u32) -> u32>`. Spec: OpSignature."""

    name = "vyre.signature"
    inputs: ArrayAttr[Attribute]
    output: Attribute

    def __init__(self, inputs: Sequence[Attribute], output: Attribute):
        super().__init__(ArrayAttr(inputs), output)

    def min_input_bytes(self) -> int:
        """Returns the size in bytes of one element of each input."""
        return sum(t.min_bytes for t in self.inputs if isinstance(t, DataType))

    def verify(self) -> None:
        for t in (*self.inputs, self.output):
            legal = isinstance(t, DataType)
            require(None, legal, VyreError, f"a signature has the type {t}", "use data types")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_data_type(parser))
            parser.parse_punctuation("->")
            return [ArrayAttr(inputs), parse_data_type(parser)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            with printer.in_parens():
                printer.print_list(self.inputs, lambda t: print_data_type(printer, t))
            printer.print_string(" -> ")
            print_data_type(printer, self.output)


@irdl_attr_definition
class ConventionAttr(ParametrizedAttribute):
    """
    A calling contract between the host and an operation: `#vyre.convention<v1>` has an input at binding 0, an output at 1 and parameters at 2;
    `#vyre.convention<v2, lookup_binding = 3>` has a lookup table in addition. Spec: Convention.
    """

    name = "vyre.convention"
    lookup: IntAttr | NoneAttr

    def __init__(self, lookup_binding: int | None = None):
        super().__init__(NoneAttr() if lookup_binding is None else IntAttr(lookup_binding))

    @property
    def lookup_binding(self) -> int | None:
        return self.lookup.data if isinstance(self.lookup, IntAttr) else None

    def buffers(self) -> dict[int, tuple[str, str]]:
        """Returns the purpose and the access of the buffer of each binding."""
        table = {0: ("input", "read_only"), OUTPUT: ("output", "read_write"), PARAMS: ("params", "uniform")}
        if (lookup := self.lookup_binding) is not None:
            table[lookup] = ("lookup table", "read_only")
        return table

    def verify(self) -> None:
        lookup = self.lookup_binding
        problem = f"the lookup table has binding {lookup}, which is that of the input, the output or the params"
        require(None, lookup is None or lookup > PARAMS, ConventionBroken, problem, "use a binding of at least 3")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            version = parser.parse_identifier()
            if version == "v1":
                return [NoneAttr()]
            if version != "v2":
                parser.raise_error("unknown convention: expected v1 or v2", start, parser.pos)
            parser.parse_punctuation(",")
            parser.parse_keyword("lookup_binding")
            parser.parse_punctuation("=")
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        lookup = self.lookup_binding
        printer.print_string("<v1>" if lookup is None else f"<v2, lookup_binding = {lookup}>")


@irdl_op_definition
class BufferOp(DialectOp):
    """
    Declares a buffer of a program. `binding` is its slot; workgroup memory has none. `count` is its number of elements (of words, for
    `Bytes`), which uniform and workgroup buffers must have; others get theirs at a dispatch. Workgroup memory is 0 at first.

    ```mlir
    %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
    %tile = vyre.buffer "tile" count 64 : !vyre.buffer<u32, workgroup>
    ```
    """

    name = "vyre.buffer"
    label = prop_def(StringAttr)
    binding = opt_prop_def(IntegerAttr.constr(i64))
    count = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(BufferType)
    assembly_format = "$label (`binding` $binding^)? (`count` $count^)? attr-dict `:` type($result)"

    def __init__(self, label: str, t: BufferType, binding: int | None = None, count: int | None = None):
        super().__init__([], [t], label=label, binding=binding, count=count)

    @property
    def type(self) -> BufferType:
        return buffer_of(self.result)

    @property
    def slot(self) -> int | None:
        return None if self.binding is None else self.binding.value.data

    @property
    def elements(self) -> int | None:
        return None if self.count is None else self.count.value.data

    @property
    def is_workgroup(self) -> bool:
        return self.type.kind.data == "workgroup"

    def verify_(self) -> None:
        kind, count, name = self.type.kind.data, self.elements, self.label.data
        size = (count or 0) * self.type.dtype.words * WORD_BYTES
        placed = isinstance(self.parent_op(), ProgramOp)
        for holds, problem, fix in (
            (placed, f"buffer '{name}' is not in a program", "declare it in the body of a vyre.program"),
            (name.isidentifier() and name.isascii(), f"a buffer has the name '{name}'", "use letters, digits and _"),
            (
                not self.is_workgroup or self.slot is None,
                f"workgroup buffer '{name}' has binding {self.slot}",
                "remove the binding: workgroup memory has none",
            ),
            (self.is_workgroup or self.slot is not None, f"buffer '{name}' has no binding", "give it one"),
            (
                self.slot is None or 0 <= self.slot < 1 << 16,
                f"buffer '{name}' has binding {self.slot}",
                "use 0 to 65535",
            ),
            (
                count is not None or kind not in ("workgroup", "uniform"),
                f"{kind} buffer '{name}' has no count",
                "give the number of its elements: its size is static",
            ),
            (count is None or 0 < count < 1 << 31, f"buffer '{name}' has {count} elements", "use 1 to 2147483647"),
            (
                kind != "uniform" or size <= MAX_UNIFORM_BYTES,
                f"uniform buffer '{name}' has {size} bytes",
                f"use at most {MAX_UNIFORM_BYTES} bytes, or a read_only buffer",
            ),
        ):
            require(self, holds, InvalidDeclaration, problem, fix)


@irdl_op_definition
class ProgramOp(Structured):
    """
    A program, which a dispatch executes for each invocation of a grid of workgroups. `workgroup` is the size of a workgroup. With a
    `convention`, its buffers are those of a calling contract; the `signature` gives the data types of the input and of the output.

    ```mlir
    vyre.program @twice workgroup [64, 1, 1] {
      %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
      %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
      %i = vyre.position global x
      %x = vyre.load %in[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
      %y = vyre.binop add %x, %x : !vyre.u32
      vyre.store %y, %out[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
    }
    ```
    """

    name = "vyre.program"
    sym_name = prop_def(SymbolNameConstraint())
    workgroup = prop_def(DenseArrayBase.constr(i64))
    convention = opt_prop_def(ConventionAttr)
    signature = opt_prop_def(SignatureAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), SingleBlockImplicitTerminator(YieldOp))
    custom_directives = (Axes,)
    assembly_format = (
        "$sym_name `workgroup` custom<Axes>($workgroup) (`convention` $convention^)? (`signature` $signature^)? "
        "attr-dict-with-keyword $body"
    )

    def __init__(
        self,
        name: str,
        body: Region | Block,
        workgroup: Sequence[int] = (64, 1, 1),
        convention: ConventionAttr | None = None,
        signature: SignatureAttr | None = None,
    ):
        super().__init__([], [], [body], sym_name=name, workgroup=workgroup, convention=convention, signature=signature)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The size of a workgroup along x, y and z."""
        x, y, z = ints(self.workgroup)
        return x, y, z

    def buffers(self) -> tuple[BufferOp, ...]:
        """Returns the declarations of buffers in order."""
        return tuple(op for op in self.body.block.ops if isinstance(op, BufferOp))

    def bound(self) -> tuple[BufferOp, ...]:
        """Returns the buffers that a dispatch binds, by binding."""
        return tuple(sorted((b for b in self.buffers() if b.slot is not None), key=lambda b: b.slot or 0))

    def verify_(self) -> None:
        sizes = ints(self.workgroup)
        shown = " x ".join(map(str, sizes)) or "[]"
        legal = len(sizes) == 3 and all(1 <= s <= most for s, most in zip(sizes, MAX_AXIS, strict=True))
        fix = f"give three sizes from 1 to {', '.join(map(str, MAX_AXIS))}"
        require(self, legal, InvalidDeclaration, f"a workgroup has the size {shown}", fix)
        problem = f"a workgroup of {shown} has {prod(sizes)} invocations"
        require(self, prod(sizes) <= MAX_INVOCATIONS, InvalidDeclaration, problem, f"use at most {MAX_INVOCATIONS}")
        require(self, not self.body.block.args, VyreError, "a program has arguments", "declare buffers in its body")
        self._require_distinct("name", [(b.label.data, b) for b in self.buffers() if not b.is_workgroup])
        self._require_distinct("binding", [(b.slot, b) for b in self.bound()])
        if self.convention is not None:
            self._verify_convention(self.convention)
        if self.signature is not None:
            self._verify_signature(self.signature)

    def _require_distinct(self, what: str, declared: Sequence[tuple[object, BufferOp]]) -> None:
        first: dict[object, BufferOp] = {}
        for key, buffer in declared:
            if key in first:
                problem = f"two buffers have the {what} {key}"
                raise _Duplicate(buffer, notes=[(first[key], "the first one is here")], problem=problem, what=what)
            first[key] = buffer

    def _verify_convention(self, convention: ConventionAttr) -> None:
        want, got = convention.buffers(), {b.slot: b for b in self.bound()}
        for binding, (purpose, kind) in want.items():
            found = got.pop(binding, None)
            shown = "missing" if found is None else found.type.kind.data
            problem = f"the {purpose} at binding {binding} is {shown}"
            fix = f"declare a {kind} buffer there"
            require(found or self, shown == kind, ConventionBroken, problem, fix)
        for binding, other in got.items():
            fix = f"use the bindings {', '.join(map(str, want))}"
            problem = f"the convention has no buffer at binding {binding}"
            require(other, False, ConventionBroken, problem, fix)

    def _verify_signature(self, signature: SignatureAttr) -> None:
        got = {b.slot: b for b in self.bound()}
        sides = [("input", 0, t) for t in list(signature.inputs)[:1]] + [("output", OUTPUT, signature.output)]
        for purpose, binding, want in sides:
            found = got.get(binding)
            shown = "missing" if found is None else found.type.dtype.word
            problem = f"the {purpose} at binding {binding} is {shown}, but the signature has {want}"
            fix = "give the buffer and the signature one type"
            holds = found is not None and found.type.element == want
            require(found or self, holds, ConventionBroken, problem, fix)


class _Duplicate(InvalidDeclaration):
    """Two buffers of a program have a name or a binding in common."""

    def __init__(self, op: Operation, *, notes: Sequence[tuple[Operation, str]], problem: str, what: str):
        super().__init__(op, problem=problem, fix=f"give each buffer a {what} of its own")
        self.notes = tuple(notes)


@irdl_op_definition
class ReturnOp(DialectOp):
    """
    Ends an op with its result.

    ```mlir
    vyre.return %0 : !vyre.u32
    ```
    """

    name = "vyre.return"
    value = operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue):
        super().__init__([value])


@irdl_op_definition
class OpOp(DialectOp):
    """
    An op that is composed of others: values and buffers in, one value out. It may not call itself, directly or indirectly.

    ```mlir
    vyre.op @rotl(%x: !vyre.u32, %by: !vyre.u32) -> !vyre.u32 {
      %n = vyre.unop neg %by : !vyre.u32
      %a = vyre.binop shl %x, %by : !vyre.u32
      %b = vyre.binop shr %x, %n : !vyre.u32
      %r = vyre.binop or %a, %b : !vyre.u32
      vyre.return %r : !vyre.u32
    }
    ```
    """

    name = "vyre.op"
    sym_name = prop_def(SymbolNameConstraint())
    output = prop_def(Attribute)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, output: Attribute, body: Region | Block):
        super().__init__([], [], [body], sym_name=name, output=output)

    @property
    def inputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args)

    @property
    def signature(self) -> SignatureAttr:
        """The data types of inputs and output; that of a buffer is its elements'."""
        types = [arg.type.element if isinstance(arg.type, BufferType) else arg.type for arg in self.inputs]
        return SignatureAttr(types, self.output)

    def calls(self) -> Iterator[CallOp]:
        yield from (op for op in self.body.walk() if isinstance(op, CallOp))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        args = parse_arguments(parser)
        parser.parse_punctuation("->")
        output = parser.parse_type()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(name.data, output, parser.parse_region(args))
        op.attributes = {} if attributes is None else dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_arguments(printer, self.inputs)
        printer.print_string(" -> ")
        printer.print_attribute(self.output)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def verify_(self) -> None:
        name = self.sym_name.data
        for arg in self.inputs:
            if not isinstance(arg.type, BufferType):
                require_value(self, arg.type, f"an argument of @{name}")
        require_value(self, self.output, f"the output of @{name}")
        end = self.body.block.last_op
        holds = isinstance(end, ReturnOp) and end.value.type == self.output
        problem = f"@{name} does not return a {self.output}"
        require(end or self, holds, VyreError, problem, "end it with a vyre.return of its output")


class CallSymbolUse(SymbolUserOpInterface):
    """Checks a call against the op that it names."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        name = op.callee.string_value()
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, OpOp):
            raise InvalidCall(op, problem=f"@{name} is no op of this module", fix="define it with vyre.op")
        got, want = [v.type for v in op.arguments], [arg.type for arg in callee.inputs]
        problem = f"@{name} takes {', '.join(map(str, want))}, got {', '.join(map(str, got))}"
        require(op, got == want, InvalidCall, problem, "pass arguments of the op's types")
        problem = f"@{name} returns {callee.output}, not {op.result.type}"
        require(op, op.result.type == callee.output, InvalidCall, problem, "give the result the op's output type")
        reached, todo = {callee}, [callee]
        while todo:
            problem = f"@{name} calls more than {MAX_CALLED} ops, directly or indirectly"
            require(op, len(reached) <= MAX_CALLED, InvalidCall, problem, "write some of them in one op")
            for call in todo.pop().calls():
                called = SymbolTable.lookup_symbol(call, call.callee)
                if isinstance(called, OpOp) and called not in reached:
                    reached.add(called)
                    todo.append(called)
        problem = f"@{name} calls itself"
        inside = any(_encloses(o, op) for o in reached)
        require(op, not inside, InvalidCall, problem, "write a vyre.for: ops are not recursive")


def _encloses(op: Operation, inner: Operation) -> bool:
    parent = inner.parent_op()
    while parent is not None and parent is not op:
        parent = parent.parent_op()
    return parent is op


@irdl_op_definition
class CallOp(DialectOp):
    """
    Calls an op.

    ```mlir
    %r = vyre.call @rotl(%x, %by) : (!vyre.u32, !vyre.u32) -> !vyre.u32
    ```
    """

    name = "vyre.call"
    callee = prop_def(FlatSymbolRefAttr)
    arguments = var_operand_def()
    result = result_def()
    traits = traits_def(CallSymbolUse())
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type(operands, results)"
