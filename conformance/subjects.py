"""
The ops that can be certified: those of the dialect on each type, as `vyre.op`s of one op each, and the ops and programs of the library.

The name of an op is that of what it does and of its types: `add.u32`, `cast.f32.i32`, `fexp.f16`, `approximate.fexp.f32`; ops and programs of the
library have their own. An op of that name in another module is an implementation of it, which can be certified in its place.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from xdsl.ir import Block

from ..dialects import vyre
from ..dialects.vyre.arithmetic import BINOPS, CASTS, COMPARES, LOGIC, UNOPS
from ..dialects.vyre.floats import IDENTITY, ORDERS, STRICT, format_of
from ..dialects.vyre.types import FLOATS, INTEGERS, VECTORS, BufferType, DataType, boolean, f32, u32
from ..elementary.vocabulary import FUNCTIONS
from ..runtime.vyre_library import library
from . import floats, integers
from .domains import Type, arguments
from .laws import Law, laws_of
from .library import ORACLES, PRECONDITIONS, PROGRAMS
from .reductions import dot, reduced
from .values import words_of

Array = npt.NDArray[Any]
Track = Literal["integer", "strict", "approximate"]
TRACKS: tuple[Track, ...] = ("integer", "strict", "approximate")
Oracle = Callable[[Sequence[Array]], Array]
"""Maps the columns of the operands to the words of the results."""
BOUND = 2
"""The bound in ulps with which approximate ops are certified."""
APPROXIMATE = ("fdiv", "fsqrt", "fpow", *(f"f{name}" for name in FUNCTIONS))
COUNT = 11
"""The number of elements that reductions are certified with."""


@dataclass(frozen=True)
class Subject:
    """An op, or a program of the library, with its oracle. `function` names the elementary function that it computes, if it does."""

    name: str
    track: Track
    definition: vyre.OpOp | vyre.ProgramOp
    judge: str
    oracle: Oracle | None = None
    laws: tuple[Law, ...] = ()
    function: str = ""
    legal: Callable[..., bool] | None = None
    bound: int = 0

    @property
    def signature(self) -> vyre.SignatureAttr:
        found = self.definition.signature
        assert found is not None
        return found

    @property
    def signature_text(self) -> str:
        return signature_text(self.signature)

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the operands of an op."""
        assert isinstance(self.definition, vyre.OpOp)
        return tuple(arg.type for arg in self.definition.inputs)  # pyright: ignore[reportReturnType]


def signature_text(signature: vyre.SignatureAttr) -> str:
    """Returns a signature as it is shown: `(u32, u32) -> u32`."""
    return str(signature).removeprefix("#vyre.signature<").removesuffix(">").replace("!vyre.", "")


def made(name: str, types: Sequence[Type], build: Callable[..., Any]) -> vyre.OpOp:
    """Returns an op of the body that `build` makes from its operands: one op."""
    body = Block(arg_types=types)
    op = build(*body.args)
    body.add_ops([op, vyre.ReturnOp(op.results[0])])
    return vyre.OpOp(name, op.results[0].type, body)


def by_number(types: Sequence[Type], output: DataType, of: Callable[..., Any]) -> Oracle:
    """Returns the oracle of a function on Python's numbers."""
    return lambda columns: words_of([of(*row) for row in arguments(columns, types)], output)


def by_word(of: Callable[..., Array]) -> Oracle:
    """Returns the oracle of a function on arrays of words, for types of one word."""
    return lambda columns: np.asarray(of(*(c[:, 0] for c in columns)), np.uint32)[:, None]


PYTHON, NUMPY, EXACT = "Python's integers", "NumPy and exact fractions", "the C library and mpmath"


def _integers() -> Iterator[Subject]:
    def subject(
        name: str, types: Sequence[DataType], build: Callable[..., Any], of: Callable[..., Any], fn: str = ""
    ) -> Subject:
        op = made(name, types, build)
        output: Any = op.output
        laws = laws_of(fn, types[0]) if fn else ()
        return Subject(name, "integer", op, PYTHON, by_number(types, output, of), laws)

    for t in (*INTEGERS, *VECTORS, boolean):
        for fn in LOGIC if t == boolean else BINOPS:
            yield subject(
                f"{fn}.{t.word}", (t, t), lambda a, b, fn=fn: vyre.BinOp(fn, a, b), integers.binary(fn, t), fn
            )
        for fn in ("not",) if t == boolean else UNOPS:
            yield subject(f"{fn}.{t.word}", (t,), lambda a, fn=fn: vyre.UnOp(fn, a), integers.unary(fn, t), fn)
        yield subject(f"select.{t.word}", (boolean, t, t), vyre.SelectOp, integers.select)
    for t in (*INTEGERS, boolean):
        for fn in ("eq", "ne") if t == boolean else COMPARES:
            yield subject(
                f"{fn}.{t.word}", (t, t), lambda a, b, fn=fn: vyre.CompareOp(fn, a, b), integers.COMPARES[fn], fn
            )
    for t, targets in CASTS.items():
        for to in targets:
            if not {t, to} & {*FLOATS}:
                yield subject(
                    f"cast.{t.word}.{to.word}", (t,), lambda a, to=to: vyre.CastOp(a, to), integers.cast(t, to)
                )
    for t in VECTORS:
        yield subject(f"vector.{t.word}", (u32,) * t.words, vyre.VectorOp, lambda *parts: parts)
        for k in range(t.words):
            yield subject(f"extract.{t.word}.{k}", (t,), lambda v, k=k: vyre.ExtractOp(v, k), lambda v, k=k: v[k])


def _floats() -> Iterator[Subject]:
    def subject(
        name: str, types: Sequence[Type], build: Callable[..., Any], of: Callable[..., Array], **more: Any
    ) -> Subject:
        return Subject(name, "strict", made(name, types, build), more.pop("judge", NUMPY), by_word(of), **more)

    for t in FLOATS:
        format = format_of(t)
        for fn, (operation, count) in STRICT.items():
            function = operation if operation in (*FUNCTIONS, "pow") else ""
            oracle, types = floats.strict(operation, format), (t,) * count
            laws = laws_of(fn, t)
            judge = EXACT if function else NUMPY
            yield subject(
                f"{fn}.{format}",
                types,
                lambda *a, fn=fn: vyre.StrictOp(fn, *a),
                oracle,
                laws=laws,
                judge=judge,
                function=function,
            )
            if fn in APPROXIMATE:
                name = f"approximate.{fn}.{format}"
                op = made(name, types, lambda *a, fn=fn: vyre.ApproximateOp(fn, BOUND, *a))
                yield Subject(name, "approximate", op, judge, by_word(oracle), (), function, bound=BOUND)
        for fn in COMPARES:
            oracle = floats.compare(fn, format)
            yield subject(
                f"{fn}.{format}", (t, t), lambda a, b, fn=fn: vyre.CompareOp(fn, a, b), oracle, laws=laws_of(fn, t)
            )
        yield subject(f"select.{format}", (boolean, t, t), vyre.SelectOp, lambda c, a, b: np.where(c != 0, a, b))
        mask = np.uint32(0xFFFFFFFF if t == f32 else 0xFFFF)
        yield subject(f"bitcast.{format}.u32", (t,), lambda a: vyre.BitcastOp(a, u32), lambda a: a)
        yield subject(
            f"bitcast.u32.{format}", (u32,), lambda a, t=t: vyre.BitcastOp(a, t), lambda a, mask=mask: a & mask
        )
        for to in CASTS[t]:
            target = format_of(to)
            yield subject(
                f"cast.{format}.{target}", (t,), lambda a, to=to: vyre.CastOp(a, to), floats.cast(format, target)
            )
            if to not in FLOATS:
                yield subject(
                    f"cast.{target}.{format}", (to,), lambda a, t=t: vyre.CastOp(a, t), floats.cast(target, format)
                )


def _reductions() -> Iterator[Subject]:
    buffer = BufferType(f32, "read_only")
    for order in ORDERS:
        for fn in IDENTITY:
            name = f"reduce.{order}.{fn}"
            op = made(name, (buffer, u32), lambda a, i, o=order, fn=fn: vyre.ReduceOp(o, fn, a, i, COUNT))
            yield Subject(name, "strict", op, NUMPY, lambda c, o=order, fn=fn: reduced(o, fn, c[0], c[1], COUNT))
    op = made("dot.f32", (buffer, u32, buffer, u32), lambda a, i, b, j: vyre.DotOp(a, i, b, j, COUNT, (2, 5)))
    yield Subject("dot.f32", "strict", op, NUMPY, lambda c: dot(c[0], c[1], c[2], c[3], COUNT, (2, 5)))


def _library() -> Iterator[Subject]:
    for op in library().ops:
        if isinstance(op, vyre.OpOp):
            name, types = op.sym_name.data, [arg.type for arg in op.inputs]
            output: Any = op.output
            oracle = by_number(types, output, ORACLES[name])  # pyright: ignore[reportArgumentType]
            first: Any = types[0]
            laws = laws_of(name, first) if len(set(types)) == 1 else ()
            yield Subject(name, "integer", op, "the Python library", oracle, laws, legal=PRECONDITIONS.get(name))
        elif isinstance(op, vyre.ProgramOp) and op.sym_name.data in PROGRAMS:
            yield Subject(op.sym_name.data, "integer", op, "the Python library")


@cache
def subjects() -> dict[str, Subject]:
    """Returns everything that can be certified, by name."""
    return {s.name: s for part in (_integers(), _floats(), _reductions(), _library()) for s in part}
