"""
Translation validation: what a function computes, before and after each pass.

    pm = PassManager(pipeline, instrumentations=[ValidatePasses(executors, seed=0)])

Before the first pass each function is executed on intervals (`semantics/bounds/__init__.py`, tight) for each of its samples
(`semantics/samples.py`): this is what the program means, and every later result must lie inside. After each pass
the first executor that can run what the pass has left does so. All passes are compared with the *first* meaning,
so that small drifts do not add up. The first difference is a `MeaningChanged` at the function, by the pass just run.

- Integers, predicates and floats that nobody had to round must be equal, integers bit for bit. A zero has no
  sign and a NaN no payload. Arguments must be left as they were.
- A function that no executor can run, at first or later, is warned about once a reason, and compared again as soon as it
  can be run. Samples that it has no meaning on, such as a zero divisor, are drawn again and then left out. Dynamic sizes
  are drawn with them, other ones for each sample; more draws are made then, as an op may refuse most sizes.
- A tuple counts as its elements, one after the other.
- `nv` has an executor and no intervals. What begins at such a level must stay equal on `integers` and `random`
  samples, floats up to the spec's tolerance of 1e-3.
- A private function is not compared after a pass with `specializes_private = True`, which may use what its callers pass.
- A pass with `preserves_meaning = False` may do as it likes: what it leaves is the new meaning.
- A private function may vanish or change its signature, a public one may not; tensors may become memrefs.

Spec: DESIGN §6; executors are handed in, as this room knows no device.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, InterpretationError
from xdsl.utils.hints import isa

from ..dialects.ptir.dims import Size, sizes
from ..dialects.ptir.tuples import leaves
from ..errors import Unsupported, UnsupportedType, WrongLevel, message_of
from ..semantics.arrays.scalars import Array, DType, is_complex, is_float, numpy_dtype
from ..semantics.bounds import bounds_of, check
from ..semantics.bounds.intervals import Interval
from ..semantics.errors import NoBounds, Violation
from ..semantics.interpreter import call
from ..semantics.ptir.control import at_most
from ..semantics.samples import Sample, draw, is_dynamic
from .errors import FunctionLost, MeaningChanged, MeaningLost
from .manager import Instrumentation

log = logging.getLogger(__name__)

SAMPLES = 4
"""One of each kind."""
ATTEMPTS = 3
"""How often a sample without meaning is drawn again."""
SIZE_ATTEMPTS = 80
"""The same where sizes are drawn too."""
LARGEST_LIKELY = 32
"""Sizes that a function speaks of are drawn up to this."""
ROUNDS = 2000
"""How often loops go round before a sample is left out."""
TOLERANCE = 1e-3
"""Relative and absolute, where no intervals are known."""


class CannotRun(Exception):
    """An executor's answer to a function that it was not made for. The message says why."""


class _Failed(Exception):
    """A program that executor `by` knows how to run, and that failed."""

    def __init__(self, by: str, error: Exception):
        super().__init__(by)
        self.by, self.error = by, error


class Executor(Protocol):
    """
    Something that runs functions. `run` gives the results of function `name`, may write into memref arguments, and
    raises `CannotRun` for a level or an op that it does not know. Every other exception is the program's fault.
    """

    @property
    def name(self) -> str: ...

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Array]) -> Sequence[Array]: ...


@dataclass(frozen=True)
class Interpret:
    """The interpreters of `semantics/`: every level above `nv`."""

    name: str = "the interpreter"

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Array]) -> Sequence[Array]:
        try:
            return call(module, name, *arrays)
        except (InterpretationError, Unsupported, UnsupportedType, WrongLevel) as error:
            raise CannotRun(reason_of(error)) from error


def reason_of(error: Exception) -> str:
    """The first line of what went wrong; with its type unless it was meant to be read by a user."""
    text = message_of(error).strip().split("\n", 1)[0]
    known = isinstance(error, DiagnosticException | InterpretationError) and text
    return text if known else f"{type(error).__name__}: {text}"


# --- what a function is expected to do -----------------------------------------------------------

Shaped = tuple[tuple[Size, ...], DType]


@dataclass(frozen=True)
class Signature:
    """Shapes and element types; whether a tensor or a memref is not part of the meaning."""

    inputs: tuple[Shaped, ...]
    outputs: tuple[Shaped, ...]

    @classmethod
    def of(cls, function: FuncOp) -> Signature:
        """Raises `CannotRun` for what is no array or has no NumPy type."""
        t = function.function_type
        return cls(tuple(map(_shaped, leaves(t.inputs))), tuple(map(_shaped, leaves(t.outputs))))


def _shaped(t: Attribute) -> Shaped:
    if not isinstance(t, TensorType | MemRefType):
        raise CannotRun(f"its signature has a {t}, which is no array")
    if isinstance(t, MemRefType) and DYNAMIC_INDEX in t.get_shape():
        raise CannotRun(f"its signature has a {t}, whose sizes are not known")
    try:
        return t.get_shape() if isinstance(t, MemRefType) else sizes(t), numpy_dtype(t.element_type)  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]
    except UnsupportedType as error:
        raise CannotRun(reason_of(error)) from error


@dataclass(frozen=True)
class Expected:
    """
    What one sample must give: the results, then the arguments as they are afterwards. Where no intervals are known
    they are arrays, which floats must be `near`; arguments that nobody writes are arrays as well.
    """

    sample: Sample
    wanted: tuple[Interval | Array, ...]
    near: bool = False

    def wrong(self, got: Sequence[Array]) -> Wrong | None:
        """The first array that is not what it must be, and an element of it: its worst, if that is known."""
        for k, (array, want) in enumerate(zip(got, self.wanted, strict=True)):
            if array.shape != want.shape or array.dtype != want.dtype:
                return Wrong(k, (), f"{array.dtype}{list(array.shape)}", f"{want.dtype}{list(want.shape)}")
            if isinstance(want, Interval):
                report = check(array, want)
                if not report.ok:
                    at = report.worst_index
                    return Wrong(k, at, _spell(array[at]), _spell_interval(want, at))
            elif (at := _differs(array, want, TOLERANCE if self.near else 0.0)) is not None:
                return Wrong(k, at, _spell(array[at]), _spell(want[at]) + ", or nearly" * self.near)
        return None


@dataclass(frozen=True)
class Wrong:
    """Element `index` of the `position`-th array; both values as text."""

    position: int
    index: tuple[int, ...]
    got: str
    want: str


@dataclass(frozen=True)
class Baseline:
    """The meaning of one function."""

    signature: Signature
    public: bool
    expected: tuple[Expected, ...]


# --- the instrumentation -------------------------------------------------------------------------


@dataclass
class ValidatePasses(Instrumentation):
    """
    Runs every function before and after each pass, and compares.

    - `executors`: asked in order; the first that can run a function does.
    - `seed`, `samples`: which inputs and how many of them; sample i does not depend on `samples`.

    One object follows one module at a time. Raises `MeaningChanged`, `MeaningLost` and `FunctionLost`.
    """

    timed_as = "(validate)"

    executors: Sequence[Executor]
    seed: int = 0
    samples: int = SAMPLES
    _root: Operation | None = field(default=None, repr=False)
    _known: dict[str, Baseline] = field(default_factory=dict[str, Baseline], repr=False)
    _pending: frozenset[str] = field(default=frozenset(), repr=False)
    _told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]], repr=False)

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        root = _root_of(scope)
        if root is not self._root:
            self._root, self._known, self._told = root, {}, set()
        inside = functions(root, scope)
        for key, function in inside.items():
            if key not in self._known:
                self._learn(key, function)
        self._pending = frozenset(inside)

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        root = _root_of(scope)
        if not getattr(pass_, "preserves_meaning", True):
            self._known = {key: known for key, known in self._known.items() if key not in self._pending}
            return
        present = functions(root, root)
        for key in sorted(self._pending & self._known.keys() - present.keys()):
            if self._known.pop(key).public:
                raise FunctionLost(scope, pass_=pass_.name, name=key, problem="is gone")
        for key, function in functions(root, scope).items():
            if (known := self._known.get(key)) is not None:
                self._compare(pass_, key, function, known)

    # --- before -----------------------------------------------------------------------------------

    def _learn(self, key: str, function: FuncOp) -> None:
        """Takes what the function does now as its meaning, if it can be run."""
        try:
            if function.is_declaration:
                raise CannotRun("it has no body")
            signature = Signature.of(function)
            drawn = [self._expect(key, function, signature, number) for number in range(self.samples)]
        except CannotRun as reason:
            self._warn(key, function, f"is not validated: {reason}")
            return
        if expected := tuple(e for e in drawn if e is not None):
            self._known[key] = Baseline(signature, _is_public(function), expected)
        else:
            self._warn(key, function, "is not validated: it has a value on none of the samples")

    def _expect(self, key: str, function: FuncOp, signature: Signature, number: int) -> Expected | None:
        """What sample `number` gives, or None if nothing: the function has no meaning on whatever is drawn."""
        dynamic = is_dynamic(signature.inputs)
        likely = _sizes_of(function) if dynamic else ()
        for attempt in range(SIZE_ATTEMPTS if dynamic else ATTEMPTS):
            sample = draw(key, signature.inputs, self.seed, number, attempt, likely)
            try:
                return self._mean(function, sample)
            except Violation:
                continue
        return None

    def _mean(self, function: FuncOp, sample: Sample) -> Expected | None:
        with at_most(ROUNDS):
            return self._meant(function, sample)

    def _meant(self, function: FuncOp, sample: Sample) -> Expected | None:
        module, name = _module_of(function), function.sym_name.data
        try:
            inputs = tuple(map(Interval.of, sample.arrays))
            results = bounds_of(module, name, *inputs, tight=True)
            after = (a if i.known is a else i for a, i in zip(sample.arrays, inputs, strict=True))
            return Expected(sample, (*results, *after))
        except InterpretationError:
            # No intervals at this level, but perhaps an executor.
            if sample.kind not in ("integers", "random"):
                return None
            try:
                values, _ = self._run(function, sample)
            except _Failed as failed:
                if isinstance(failed.error, Violation):
                    raise failed.error from failed
                raise CannotRun(reason_of(failed.error)) from failed.error
            return Expected(sample, values, near=True)
        except NoBounds as error:
            raise CannotRun(reason_of(error)) from error
        except Violation:
            raise
        except Exception as error:  # the program is wrong before any pass has touched it
            raise CannotRun(reason_of(error)) from error

    # --- after ------------------------------------------------------------------------------------

    def _compare(self, pass_: ModulePass, key: str, function: FuncOp, known: Baseline) -> None:
        if not known.public and getattr(pass_, "specializes_private", False):
            del self._known[key]  # it means the same to its callers, which are compared
            return
        try:
            signature = Signature.of(function)
        except CannotRun as reason:
            self._warn(key, function, f"is not validated after '{pass_.name}': {reason}")
            return
        if signature != known.signature:
            if known.public:
                raise FunctionLost(function, pass_=pass_.name, name=key, problem="has another signature")
            del self._known[key]
            return
        for expected in known.expected:
            sample = expected.sample
            place = {"sample": sample.number, "kind": sample.kind, "seed": self.seed, "count": sample.number + 1}
            try:
                got, by = self._run(function, sample)
            except CannotRun as reason:
                self._warn(key, function, f"is not validated after '{pass_.name}': {reason}")
                return
            except _Failed as failed:
                fields = {"pass_": pass_.name, "name": key, "reason": reason_of(failed.error), "executor": failed.by}
                raise MeaningLost(function, notes=_inputs(function, sample), **fields, **place) from failed.error
            if (wrong := expected.wrong(got)) is not None:
                where = _place(wrong, len(signature.outputs))
                fields = {"pass_": pass_.name, "name": key, "where": where, "got": wrong.got, "want": wrong.want}
                raise MeaningChanged(function, notes=_inputs(function, sample), executor=by, **fields, **place)

    def _run(self, function: FuncOp, sample: Sample) -> tuple[tuple[Array, ...], str]:
        """The results and then the arguments, and who ran it."""
        reasons: list[str] = []
        for executor in self.executors:
            arrays = [np.array(a, order="C") for a in sample.arrays]
            try:
                with at_most(ROUNDS):
                    return (*executor.run(_module_of(function), function.sym_name.data, arrays), *arrays), executor.name
            except CannotRun as reason:
                reasons.append(f"{executor.name}: {reason}")
            except Exception as error:
                raise _Failed(executor.name, error) from error
        raise CannotRun("; ".join(reasons) or "there is no executor")

    def _warn(self, key: str, function: FuncOp, text: str) -> None:
        """Says so, once."""
        if (key, text) not in self._told:
            self._told.add((key, text))
            log.warning("@%s %s", key, text, extra={"op": function})


# --- functions and their places ------------------------------------------------------------------


def functions(root: Operation, scope: Operation) -> dict[str, FuncOp]:
    """The functions that are in `scope` or are it, by the names of the modules around them and their own."""
    found: dict[str, FuncOp] = {}
    for op in scope.walk():
        if isinstance(op, FuncOp) and isinstance(op.parent_op(), ModuleOp):
            found["::".join((*_modules_around(op, root), op.sym_name.data))] = op
    return found


def _modules_around(op: Operation, root: Operation) -> Iterator[str]:
    """The names of the modules between `root` and `op`; one without a name goes by its number."""
    parent = op.parent_op()
    if parent is None or parent is root:
        return
    yield from _modules_around(parent, root)
    name = parent.get_attr_or_prop("sym_name")
    block = parent.parent
    yield name.data if isinstance(name, StringAttr) else str(block.get_operation_index(parent) if block else 0)


def _root_of(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None:
        op = parent
    return op


def _module_of(function: FuncOp) -> ModuleOp:
    parent = function.parent_op()
    if not isinstance(parent, ModuleOp):
        raise CannotRun("it is in no module")
    return parent


def _is_public(function: FuncOp) -> bool:
    return function.sym_visibility is None or function.sym_visibility.data == "public"


def _sizes_of(function: FuncOp) -> Sequence[int]:
    """The sizes that a function's tensors have beside the dynamic ones, not the large."""
    types = (value.type for op in function.walk() for value in op.results)
    shapes = (t.get_shape() for t in types if isa(t, TensorType[Attribute]))
    return sorted({size for shape in shapes for size in shape if 0 < size <= LARGEST_LIKELY})


# --- values --------------------------------------------------------------------------------------


def _differs(got: Array, want: Array, tolerance: float) -> tuple[int, ...] | None:
    """The first element that is not `want`'s, up to the tolerance of floats."""
    if is_float(got.dtype) or is_complex(got.dtype):
        wide = np.complex128 if is_complex(got.dtype) else np.float64
        same = np.isclose(got.astype(wide), want.astype(wide), tolerance, tolerance, equal_nan=True)
    else:
        same = got == want
    wrong = np.argwhere(~np.asarray(same))
    return tuple(int(i) for i in wrong[0]) if len(wrong) else None


def _spell(value: Any) -> str:
    """A float in digits and in bits, anything else as it prints."""
    if np.iscomplexobj(value) or value.dtype.kind in "biu" or not is_float(value.dtype):
        return str(value)
    number = float(value)
    return f"{number:.9g} ({number.hex()})" if np.isfinite(number) and number != 0 else f"{number:g}"


def _spell_interval(interval: Interval, index: tuple[int, ...]) -> str:
    if interval.known is not None:
        return _spell(interval.known[index])
    lo, hi, nan = interval.lo[index], interval.hi[index], bool(interval.nan[index])
    if np.isnan(lo):
        return "nan"
    low, high = (_spell(np.float64(end)) if is_float(interval.dtype) else f"{end:g}" for end in (lo, hi))
    return (low if lo == hi else f"between {low} and {high}") + (" or nan" if nan else "")


def _place(wrong: Wrong, outputs: int) -> str:
    what = f"result #{wrong.position}" if wrong.position < outputs else f"argument #{wrong.position - outputs}"
    return f"{what} at {list(wrong.index)}" if wrong.index else what


def _inputs(function: FuncOp, sample: Sample) -> list[tuple[Operation | None, str]]:
    """Small inputs in full."""
    if sum(a.size for a in sample.arrays) > 16:
        return []
    return [(function, "the arguments are " + ", ".join(str(a.tolist()) for a in sample.arrays))]
