"""Builds the text of one kernel: lines and blocks, names of values, types, addresses."""

from __future__ import annotations

import abc
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from functools import singledispatchmethod
from io import StringIO
from typing import TypeVar, cast

import islpy as isl
from xdsl.dialects import gpu
from xdsl.dialects.builtin import IndexType, IntegerType, Signedness, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.base_printer import BasePrinter
from xdsl.utils.hints import isa

from ...analysis.index import affine
from ...analysis.regions.tile_access import vector_width
from ...dialects.common.shapes import is_complex, is_predicate, is_unsigned, shape_text, signless
from ...dialects.common.syntax import ints
from ...dialects.nv.roles import role_of
from ...dialects.nv.types import FragType
from ...errors import Unsupported
from .address import FLOOR_DIVISION, c_text, condition_tree, largest_intermediate, syntax_tree
from .identifiers import RESERVED, identifier
from .scalars import COMPLEX_TYPES, CTYPES, DECLARED, NARROW, NARROW_BYTES, SIGNED_WORDS, WORDS


class KernelText(BasePrinter, abc.ABC):
    """
    The base of the printers. `used` collects the device functions that the kernel calls; `origins[i]` is the op that
    line i was printed for; `constants` are the plan's numbers by name; `stored` are values whose only use is a store,
    which rounds them to their type; `raw` has the expressions of narrow floats in the form that they have in memory; `strict` says whether
    floats are strict.
    """

    def __init__(self) -> None:
        self.text = StringIO()
        super().__init__(stream=self.text)
        self.depth = 0
        self.strict = False
        self.used: set[str] = set()
        self.origins: list[Operation] = []
        self.at: Operation | None = None
        self.names: dict[SSAValue, str] = {}
        self.taken = set(RESERVED)
        self.constants: dict[str, int] = {}
        self.constants_used: set[str] = set()
        self.stored: set[SSAValue] = set()
        self.raw: dict[SSAValue, str] = {}

    def body(self, ops: Iterable[Operation]) -> None:
        """Prints ops in order, each below its `nv.comment`, and records the op as the origin of its lines."""
        enclosing = self.at
        for op in ops:
            self.at = op
            if isinstance(comment := op.attributes.get("nv.comment"), StringAttr):
                self.line(f"// {' '.join(comment.data.replace(chr(92), '/').split())}")
            self.print_op(op)
        self.at = enclosing

    @singledispatchmethod
    def print_op(self, op: Operation) -> None:
        """Prints one op by the method that a printer registered for its class (`prints`)."""
        self.print_other(op)

    @abc.abstractmethod
    def print_other(self, op: Operation) -> None:
        """Prints an op whose class has no method: a call without operands, or arithmetic."""

    def line(self, text: str = "") -> None:
        if self.at is not None:
            self.origins.append(self.at)
        self.print_string("  " * self.depth + text + "\n" if text else "\n")

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """Prints `head { … }` around what the `with` statement prints."""
        self.line(f"{head} {{".lstrip())
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextmanager
    def unrolled(self, **counts: int | str) -> Generator[None]:
        """Prints nested unrolled loops, the outermost first, each a variable with its trip count."""
        with ExitStack() as loops:
            for name, count in counts.items():
                self.line("#pragma unroll")
                loops.enter_context(self.block(f"for (int {name} = 0; {name} < {count}; ++{name})"))
            yield

    def print_call(self, function: str, *args: str, of: str = "", comment: str = "") -> None:
        """Prints a call of a prelude function as a statement."""
        self.line(f"{self.call(function, *args, of=of)};{comment and f'  // {comment}'}")

    def call(self, function: str, *args: str, of: str = "") -> str:
        """Returns a call of a prelude function; `of` is the argument type that selects an overload."""
        self.used.add(f"{function} {of}" if of else function.split("<")[0])
        return f"{function}({', '.join(args)})"

    def number(self, value: int, *names: str) -> str:
        """Returns the name among `names` of the plan constant that equals `value`, or its digits if none or several do."""
        equal = [name for name in names if self.constants.get(name) == value]
        if len(equal) != 1:
            return str(value)
        self.constants_used.add(equal[0])
        return equal[0]

    def fresh(self, hint: str) -> str:
        """Returns a C identifier that is unique in the kernel."""
        name, number = hint, 0
        while name in self.taken:
            number += 1
            name = f"{hint}{number}"
        self.taken.add(name)
        return name

    def name(self, value: SSAValue) -> str:
        """Returns the identifier of a value, or the expression that is inlined for it."""
        if value not in self.names and (raw := self.raw.get(value)) is not None:
            self.names[value] = self.call("to_float", raw, of=self.word(value.type, cast(Operation, self.at)))
        elif value not in self.names:
            self.names[value] = self.fresh(identifier(value.name_hint or "t"))
        return self.names[value]

    def declare_raw(self, value: SSAValue, expression: str, at: Operation) -> None:
        """Declares a narrow float in the form that it has in memory."""
        self.raw[value] = self.fresh(identifier(value.name_hint or "t"))
        self.line(f"const {self.word(value.type, at)} {self.raw[value]} = {expression};")

    def ctype(self, dtype: Attribute, at: Operation) -> str:
        """Returns the C type of an element in memory."""
        if is_predicate(dtype):
            return "u8"
        if isa(dtype, IntegerType):
            text = (WORDS if is_unsigned(dtype) else SIGNED_WORDS).get(dtype.width.data)
        elif is_complex(dtype):
            text = COMPLEX_TYPES.get(type(dtype.element_type))
        else:
            text = CTYPES.get(type(dtype))
        if text is None:
            need = "floats, complex numbers, i1 and integers of 8 to 64 bits have a C type here"
            raise Unsupported(at, what=f"{dtype} in a kernel", need=need)
        if text in DECLARED:
            self.used.add(text)
        return text

    def word(self, dtype: Attribute, at: Operation) -> str:
        """Returns the C type that arithmetic uses: integers are unsigned, since unsigned arithmetic wraps."""
        unsigned = IntegerType(dtype.width.data, Signedness.UNSIGNED) if isa(dtype, IntegerType) else dtype
        return self.ctype(unsigned, at)

    def variable_type(self, dtype: Attribute, at: Operation) -> str:
        """Returns the C type of a variable of the body; narrow floats are computed in float."""
        if isinstance(dtype, IndexType):
            return "int"
        if isinstance(dtype, FragType):
            dtype = signless(dtype.element_type)
        word = self.word(dtype, at)
        return "bool" if is_predicate(dtype) else "float" if word in NARROW else word

    def index(self, value: SSAValue, expression: str, ctype: str) -> None:
        """Declares an index or predicate; a value without a name hint is inlined at its uses."""
        if value.name_hint is None:
            self.names[value] = f"({expression})"
        else:
            self.line(f"const {ctype} {self.name(value)} = {expression};")

    def vector_type(self, dtype: str, width: int) -> str:
        """Returns the type of a vector of `width` elements. Narrow elements move as words, or ptxas merges them to words one by one."""
        self.used.add("vec")
        words, rest = divmod(width * NARROW_BYTES.get(dtype, 0), 4)
        return f"vec<u32, {words}>" if words and not rest else f"vec<{dtype}, {width}>"

    def pointer(self, memref: SSAValue, address: str, points: dict[int, str], bounds: Sequence[int]) -> str:
        """Returns the address of a memref's element as a C expression; `points` are its coordinates by axis."""
        tree = syntax_tree(address, bounds, self.at)
        return f"{self.name(memref)} + ({self.expression(tree, [points[k] for k in range(len(bounds))], bounds)})"

    def expression(self, tree: isl.AstExpr, points: Sequence[str], bounds: Sequence[int]) -> str:
        """Returns isl's expression at a point, computed with 64 bits if an intermediate value may overflow 32 bits."""
        if (largest := largest_intermediate(tree, bounds)) >= 2**63:
            raise Unsupported(self.at, what=f"an index expression that reaches {largest}", need="at most 2^63 - 1")
        wide = largest >= 2**31
        cast_to = "(long long)" if wide else ""
        text = c_text(tree, [p if p.isidentifier() and not wide else f"{cast_to}({p})" for p in points])
        if FLOOR_DIVISION in text:
            self.used.add(FLOOR_DIVISION)
        return text

    def condition(self, where: str, points: dict[int, str], bounds: Sequence[int], op: Operation) -> str:
        """Returns the C condition that a point of the box lies in a set."""
        text = self.expression(condition_tree(where, bounds, op), [points[k] for k in range(len(bounds))], bounds)
        return f"({text})" if "||" in text else text

    def require_contiguous(self, address: str, bounds: Sequence[int], column: int, count: int) -> None:
        """Requires that vectors of `count` elements along the axis `column` are contiguous and aligned in memory."""
        if count > 1:
            syntax_tree(address, bounds, self.at)
            at = affine.read_map(address).get_at(0)
            if vector_width(bounds, at, column, count, (count,)) != count:
                need = f"an address that steps by 1 along axis {column} and by multiples of {count} along the others"
                raise Unsupported(self.at, what=f"accessing {count} elements at a time at {address}", need=need)


F = TypeVar("F", bound=Callable[..., None])


def prints(method: F) -> F:
    """Registers a method of a printer for the op classes that its parameter is annotated with."""
    cast("singledispatchmethod[None]", vars(KernelText)["print_op"]).register(method)
    return method


def block_size(op: Operation) -> int:
    """Returns the block size of the enclosing kernel."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, gpu.FuncOp):
        parent = parent.parent_op()
    if parent is None or parent.known_block_size is None:
        raise Unsupported(op, what="a kernel of unknown block size", need="gpu.known_block_size on its gpu.func")
    x, *others = ints(parent.known_block_size)  # pyright: ignore[reportArgumentType]
    if x < 1 or x % 32 or any(other != 1 for other in others):
        raise Unsupported(
            op, what=f"a block of {shape_text((x, *others))} threads", need="whole warps of 32 along x alone"
        )
    return x


def participants(op: Operation) -> tuple[int, str]:
    """Returns the thread count of a collective op (its role's, or the block's) and this thread's index among them."""
    role = role_of(op)
    if role is None:
        return block_size(op), "(int)threadIdx.x"
    first = role.first.value.data
    return role.threads, f"((int)threadIdx.x - {first})" if first else "(int)threadIdx.x"
