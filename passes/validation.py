"""
Translation validation: compares what each function computes before and after each pass.

    pm = PassManager(pipeline, instrumentations=[ValidatePasses(executors, seed=0)])

Before the first pass, each function is evaluated in interval arithmetic (`semantics/bounds/__init__.py`) on several samples of
its arguments (`semantics/samples.py`). These intervals are its expected results. After each pass, the function is run by the
first executor that supports it, and its results must lie inside the intervals. All passes are compared with the *first*
intervals, so that small errors do not accumulate. The first difference raises a `MeaningChanged` at the function; it names the
pass.

- Integers, predicates and floats without rounding must be equal, integers bit for bit. The sign of a zero and the payload of
  a NaN do not matter. Arguments must not be changed.
- A function that no executor can run is reported as a warning, once for each reason, and is compared again when it can be
  run. A sample for which a function is undefined, for example because of a zero divisor, is redrawn several times and then omitted.
  Samples differ in their dynamic sizes; they are redrawn more often, since an op may reject most sizes.
- The elements of a tuple count as separate arrays.
- `nv` has an executor but no intervals. A program that begins at such a level must give equal results on `integers` and
  `random` samples, floats within the spec's tolerance of 1e-3.
- A private function is not compared after a pass with `specializes_private = True`, which may rely on the arguments of its callers.
- After a pass with `preserves_meaning = False`, the expected results are computed anew.
- A private function may be erased or change its signature, a public one may not. Tensors may become memrefs.

Spec: DESIGN §6. The executors are parameters, since this package does not import devices.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, InterpretationError

from ..dialects.common.shapes import is_tensor
from ..dialects.ptir.dims import Size, sizes
from ..dialects.ptir.packed import seen_type
from ..dialects.ptir.tuples import leaves
from ..errors import Unsupported, UnsupportedType, WrongLevel, message_of
from ..semantics.arrays.scalars import Array, DType, is_complex, is_float, numpy_dtype
from ..semantics.bounds import bounds_of, check
from ..semantics.bounds.intervals import Interval
from ..semantics.errors import Violation
from ..semantics.interpreter import call
from ..semantics.ptir.control import at_most
from ..semantics.samples import Sample, draw, is_dynamic
from .errors import FunctionLost, MeaningChanged, MeaningLost
from .manager import Instrumentation

log = logging.getLogger(__name__)

SAMPLES = 4
"""Default number of samples: one of each kind."""
ATTEMPTS = 3
"""Maximum number of times that a sample is drawn."""
SIZE_ATTEMPTS = 80
"""Maximum number of times that a sample with dynamic sizes is drawn."""
LARGEST_LIKELY = 32
"""Maximum static size in a function that is also tried as the value of its dynamic sizes."""
ROUNDS = 2000
"""Maximum number of iterations of a loop; a sample that needs more is omitted."""
TOLERANCE = 1e-3
"""Relative and absolute tolerance of floats if no intervals are known."""


class CannotRun(Exception):
    """Raised by an executor for a function that it does not support. The message is the reason."""


class _Failed(Exception):
    """Raised for a function that fails in the executor named `by`, although the executor supports it."""

    def __init__(self, by: str, error: Exception):
        super().__init__(by)
        self.by, self.error = by, error


class Executor(Protocol):
    """
    Runs functions. `run` returns the results of function `name` on `arrays`, and may write to memref arguments. It raises
    `CannotRun` for a level or an op that it does not support; any other exception is a failure of the program.
    """

    @property
    def name(self) -> str: ...

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Array]) -> Sequence[Array]: ...


@dataclass(frozen=True)
class Interpret:
    """The interpreters of `semantics/`, for all levels above `nv`."""

    name: str = "the interpreter"

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Array]) -> Sequence[Array]:
        try:
            return call(module, name, *arrays)
        except (InterpretationError, Unsupported, UnsupportedType, WrongLevel) as error:
            raise CannotRun(reason_of(error)) from error


def reason_of(error: Exception) -> str:
    """Returns the first line of an error's message, preceded by the error's type unless it is a diagnostic."""
    text = message_of(error).strip().split("\n", 1)[0]
    known = isinstance(error, DiagnosticException | InterpretationError) and text
    return text if known else f"{type(error).__name__}: {text}"


# --- expected results ----------------------------------------------------------------------------

Shaped = tuple[tuple[Size, ...], DType]


@dataclass(frozen=True)
class Signature:
    """The shapes and element types of a function's arguments and results. Tensors and memrefs are not distinguished."""

    inputs: tuple[Shaped, ...]
    outputs: tuple[Shaped, ...]

    @classmethod
    def of(cls, function: FuncOp) -> Signature:
        """Returns the signature of `function`. Raises `CannotRun` for values that are not arrays or have no NumPy type."""
        t = seen_type(function)
        return cls(tuple(map(_shaped, leaves(t.inputs))), tuple(map(_shaped, leaves(t.outputs))))


def _shaped(t: Attribute) -> Shaped:
    if not isinstance(t, TensorType | MemRefType):
        raise CannotRun(f"its signature has a {t}, which is not an array")
    if isinstance(t, MemRefType) and DYNAMIC_INDEX in t.get_shape():
        raise CannotRun(f"its signature has a {t}, whose sizes are not known")
    try:
        return t.get_shape() if isinstance(t, MemRefType) else sizes(t), numpy_dtype(t.element_type)  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]
    except UnsupportedType as error:
        raise CannotRun(reason_of(error)) from error


@dataclass(frozen=True)
class Expected:
    """
    The expected results for a sample, followed by the expected values of the arguments after the call. A value is an array if no
    intervals are known, or if it is an argument that is not written. With `near`, floats may differ from an array by
    `TOLERANCE`.
    """

    sample: Sample
    wanted: tuple[Interval | Array, ...]
    near: bool = False

    def wrong(self, got: Sequence[Array]) -> Wrong | None:
        """
        Returns a wrong element of the first array in `got` that differs, or None if no array differs. If intervals are known, the
        element is the one with the largest error.
        """
        for k, (array, want) in enumerate(zip(got, self.wanted, strict=True)):
            if array.shape != want.shape or array.dtype != want.dtype:
                return Wrong(k, (), f"{array.dtype}{list(array.shape)}", f"{want.dtype}{list(want.shape)}")
            if isinstance(want, Interval):
                report = check(array, want)
                if not report.ok:
                    at = report.worst_index
                    return Wrong(k, at, _value_text(array[at]), _interval_text(want, at))
            elif (at := _differs(array, want, TOLERANCE if self.near else 0.0)) is not None:
                return Wrong(k, at, _value_text(array[at]), _value_text(want[at]) + ", or nearly" * self.near)
        return None


@dataclass(frozen=True)
class Wrong:
    """A wrong element: `index` in the array number `position`, with the actual and the expected value as text."""

    position: int
    index: tuple[int, ...]
    got: str
    want: str

    def place(self, outputs: int) -> str:
        """Returns the name of the element in a function with `outputs` results."""
        k = self.position
        what = f"result #{k}" if k < outputs else f"argument #{k - outputs}"
        return f"{what} at {list(self.index)}" if self.index else what


@dataclass(frozen=True)
class Baseline:
    """The expected results of a function on several samples."""

    signature: Signature
    public: bool
    expected: tuple[Expected, ...]


# --- the instrumentation -------------------------------------------------------------------------


@dataclass
class ValidatePasses(Instrumentation):
    """
    Runs every function before and after each pass, and compares the results.

    - `executors`: the executors, which are tried in order.
    - `seed`, `samples`: the random seed and the number of samples; sample i does not depend on `samples`.

    Each object tracks one module at a time. Raises `MeaningChanged`, `MeaningLost` and `FunctionLost`.
    """

    timed_as = "(validate)"

    executors: Sequence[Executor]
    seed: int = 0
    samples: int = SAMPLES
    _root: Operation | None = field(default=None, repr=False)
    _known: dict[str, Baseline] = field(default_factory=dict[str, Baseline], repr=False)
    _pending: frozenset[str] = field(default=frozenset(), repr=False)
    _warned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]], repr=False)

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        root = _root_of(scope)
        if root is not self._root:
            self._root, self._known, self._warned = root, {}, set()
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
        for key in sorted(self._pending & self._known.keys() - functions(root, root).keys()):
            if self._known.pop(key).public:
                raise FunctionLost(scope, pass_=pass_.name, name=key, problem="is gone")
        for key, function in functions(root, scope).items():
            if (known := self._known.get(key)) is not None:
                self._compare(pass_, key, function, known)

    # --- before -----------------------------------------------------------------------------------

    def _learn(self, key: str, function: FuncOp) -> None:
        """Records the expected results of the function, if it can be run."""
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
            self._warn(key, function, "is not validated: it is undefined on all samples")

    def _expect(self, key: str, function: FuncOp, signature: Signature, number: int) -> Expected | None:
        """Returns the expected results for sample `number`, or None if the function is undefined each time the sample is drawn."""
        dynamic = is_dynamic(signature.inputs)
        likely = _sizes_of(function) if dynamic else ()
        for attempt in range(SIZE_ATTEMPTS if dynamic else ATTEMPTS):
            sample = draw(key, signature.inputs, self.seed, number, attempt, likely)
            with suppress(Violation), at_most(ROUNDS):
                return self._semantics(function, sample)
        return None

    def _semantics(self, function: FuncOp, sample: Sample) -> Expected | None:
        module, name = _module_of(function), function.sym_name.data
        try:
            inputs = tuple(map(Interval.of, sample.arrays))
            results = bounds_of(module, name, *inputs, tight=True)
            after = (a if i.known is a else i for a, i in zip(sample.arrays, inputs, strict=True))
            return Expected(sample, (*results, *after))
        except InterpretationError:
            # This level has no intervals, but may have an executor.
            if sample.kind not in ("integers", "random"):
                return None
            try:
                values, _ = self._run(function, sample)
            except _Failed as failed:
                if isinstance(failed.error, Violation):
                    raise failed.error from failed
                raise CannotRun(reason_of(failed.error)) from failed.error
            return Expected(sample, values, near=True)
        except Violation:
            raise
        except Exception as error:  # an op has no bounds, or the program fails before any pass
            raise CannotRun(reason_of(error)) from error

    # --- after ------------------------------------------------------------------------------------

    def _compare(self, pass_: ModulePass, key: str, function: FuncOp, known: Baseline) -> None:
        if not known.public and getattr(pass_, "specializes_private", False):
            del self._known[key]  # its callers are compared
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
            fields: dict[str, Any] = {"pass_": pass_.name, "name": key, "notes": _inputs(function, sample)}
            fields |= {"sample": sample.number, "kind": sample.kind, "seed": self.seed, "count": sample.number + 1}
            try:
                got, by = self._run(function, sample)
            except CannotRun as reason:
                self._warn(key, function, f"is not validated after '{pass_.name}': {reason}")
                return
            except _Failed as failed:
                reason = reason_of(failed.error)
                raise MeaningLost(function, reason=reason, executor=failed.by, **fields) from failed.error
            if (wrong := expected.wrong(got)) is not None:
                where = wrong.place(len(signature.outputs))
                raise MeaningChanged(function, where=where, got=wrong.got, want=wrong.want, executor=by, **fields)

    def _run(self, function: FuncOp, sample: Sample) -> tuple[tuple[Array, ...], str]:
        """Returns the results followed by the arguments, and the name of the executor."""
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
        """Logs a warning on a function, each text once."""
        if (key, text) not in self._warned:
            self._warned.add((key, text))
            log.warning("@%s %s", key, text, extra={"op": function})


# --- functions and their places ------------------------------------------------------------------


def functions(root: Operation, scope: Operation) -> dict[str, FuncOp]:
    """Returns the functions in `scope`, itself included, by name; names are qualified with the names of the enclosing modules."""
    found: dict[str, FuncOp] = {}
    for op in scope.walk():
        if isinstance(op, FuncOp) and isinstance(op.parent_op(), ModuleOp):
            found["::".join((*_modules_around(op, root), op.sym_name.data))] = op
    return found


def _modules_around(op: Operation, root: Operation) -> Iterator[str]:
    """Yields the names of the modules between `root` and `op`; a module without a name has its index in its block."""
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
    """Returns the static sizes of the function's tensors that are at most `LARGEST_LIKELY`."""
    types = (value.type for op in function.walk() for value in op.results)
    shapes = (t.get_shape() for t in types if is_tensor(t))
    return sorted({size for shape in shapes for size in shape if 0 < size <= LARGEST_LIKELY})


# --- values --------------------------------------------------------------------------------------


def _differs(got: Array, want: Array, tolerance: float) -> tuple[int, ...] | None:
    """Returns the index of the first element that differs, floats by more than `tolerance`, or None."""
    if is_float(got.dtype) or is_complex(got.dtype):
        wide = np.complex128 if is_complex(got.dtype) else np.float64
        same = np.isclose(got.astype(wide), want.astype(wide), tolerance, tolerance, equal_nan=True)
    else:
        same = got == want
    wrong = np.argwhere(~np.asarray(same))
    return tuple(int(i) for i in wrong[0]) if len(wrong) else None


def _value_text(value: Any) -> str:
    """Returns the text of a value; a float is written in decimal and in hexadecimal."""
    if np.iscomplexobj(value) or value.dtype.kind in "biu" or not is_float(value.dtype):
        return str(value)
    number = float(value)
    return f"{number:.9g} ({number.hex()})" if np.isfinite(number) and number != 0 else f"{number:g}"


def _interval_text(interval: Interval, index: tuple[int, ...]) -> str:
    if interval.known is not None:
        return _value_text(interval.known[index])
    lo, hi, nan = interval.lo[index], interval.hi[index], bool(interval.nan[index])
    if np.isnan(lo):
        return "nan"
    low, high = (_value_text(np.float64(end)) if is_float(interval.dtype) else f"{end:g}" for end in (lo, hi))
    return (low if lo == hi else f"between {low} and {high}") + (" or nan" if nan else "")


def _inputs(function: FuncOp, sample: Sample) -> list[tuple[Operation | None, str]]:
    """Returns a note with the arguments, if they are small."""
    if sum(a.size for a in sample.arrays) > 16:
        return []
    return [(function, "the arguments are " + ", ".join(str(a.tolist()) for a in sample.arrays))]
