"""
C functions in a shared library as candidates.

Each call runs in a process of its own, so that a crash or an endless loop is a finding. Arrays end at a page that cannot be accessed: an
access behind an array ends the call. Bytes before an array and results that are not stored have a pattern, which is checked.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ..dialects import intent
from ..errors import InvalidAttributeValue, PtirError
from ..semantics.arrays.scalars import Array
from .candidates import CallFailed, Candidate, empty_results
from .launches import Launch, Parameters, name_of

SECONDS = 5.0
"""Time limit of a call."""
PATTERNS = (0xFF, 0x55, 0xA3)
"""The bytes of results before the call, by seed. The first is NaN in floats."""
C_TYPES: dict[np.dtype[np.generic], Callable[..., object]] = {
    np.dtype(np.bool_): ctypes.c_bool,
    np.dtype(np.int8): ctypes.c_int8,
    np.dtype(np.int16): ctypes.c_int16,
    np.dtype(np.int32): ctypes.c_int32,
    np.dtype(np.int64): ctypes.c_int64,
    np.dtype(np.uint8): ctypes.c_uint8,
    np.dtype(np.uint16): ctypes.c_uint16,
    np.dtype(np.uint32): ctypes.c_uint32,
    np.dtype(np.uint64): ctypes.c_uint64,
    np.dtype(np.float32): ctypes.c_float,
    np.dtype(np.float64): ctypes.c_double,
}
"""The type of C that a number is passed by value as."""


class LibraryUnusable(PtirError):
    code = "PTIR0588"
    template = "{library} cannot be used: {why}"
    hint = "a candidate in C is a function that a shared library exports: cc -shared -fPIC -o kernels.so kernels.c"


@dataclass(frozen=True)
class LibraryCandidate:
    """
    A C function of pointers and numbers, as `launch` describes. Pointers are aligned to their elements. Raises `LibraryUnusable` if the
    library cannot be loaded or lacks the function, and `InvalidAttributeValue` for parameters that are not known.
    """

    library: str
    function: str
    launch: Launch
    intent: intent.FuncOp
    seed: int = 0
    """Selects the pattern of `PATTERNS` that fills results before the call."""

    def __post_init__(self) -> None:
        Parameters(self.intent, self.launch)
        _function(self.library, self.function)

    @property
    def name(self) -> str:
        return f"{self.library}:{self.function}"

    def fixed_shapes(self) -> None:
        return None

    def with_seed(self, seed: int) -> Candidate:
        return replace(self, seed=seed)

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        pattern = PATTERNS[self.seed % len(PATTERNS)]
        results = empty_results(self.intent, binding)
        guarded = [Guarded(a, pattern) for a in (*arrays, *results)]
        for place, array in zip(guarded, arrays, strict=False):
            place.array[...] = array
        values = Parameters(self.intent, self.launch).values([g.address for g in guarded], arrays, binding)
        _in_a_process(_function(self.library, self.function), list(map(_argument, values)))
        names = [name_of(self.intent, k) for k in range(len(arrays))] + [f"out{k}" for k in range(len(results))]
        for name, place in zip(names, guarded, strict=True):
            if place.is_damaged():
                raise CallFailed(f"writes before {name}")
        for name, place, array in zip(names, guarded, arrays, strict=False):
            if place.array.tobytes() != array.tobytes():
                raise CallFailed(f"changes the argument {name}")
        return [g.array.copy() for g in guarded[len(arrays) :]]


class Guarded:
    """An array of the shape and type of another, at the end of shared memory before a page that cannot be accessed."""

    def __init__(self, like: Array, pattern: int):
        used = max(1, -(-like.nbytes // mmap.PAGESIZE)) * mmap.PAGESIZE
        self._memory = mmap.mmap(-1, used + mmap.PAGESIZE)
        space = np.frombuffer(self._memory, np.uint8)
        space[:used] = pattern
        self._before, self._pattern = space[: used - like.nbytes], pattern
        self.array: Array = space[used - like.nbytes : used].view(like.dtype).reshape(like.shape)
        self.address = int(space.ctypes.data) + used - like.nbytes
        if _libc().mprotect(ctypes.c_void_p(int(space.ctypes.data) + used), mmap.PAGESIZE, 0):
            raise OSError(ctypes.get_errno(), "mprotect")

    def is_damaged(self) -> bool:
        return bool((self._before != self._pattern).any())


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _function(library: str, name: str) -> ctypes._NamedFuncPointer:  # pyright: ignore[reportPrivateUsage]
    try:
        loaded = ctypes.CDLL(os.path.abspath(library))
    except OSError as error:
        raise LibraryUnusable(library=library, why=str(error)) from None
    try:
        function = loaded[name]
    except AttributeError:
        raise LibraryUnusable(library=library, why=f"it has no function {name}") from None
    function.restype = None
    return function


def _argument(value: int | np.generic) -> object:
    if isinstance(value, int):
        if not -(2**31) <= value < 2**31:
            raise CallFailed(f"takes {value} as an int, which does not fit: write a type, as in 'N: i64'")
        return ctypes.c_int(value)
    if value.dtype not in C_TYPES:
        help = "pass a pointer"
        raise InvalidAttributeValue(name="args", problem=f"passes a {value.dtype} by value", help=help)
    return C_TYPES[value.dtype](value.item())


@ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p)
def _leave(status: int, _: object) -> None:
    """Ends a process that calls `exit` before the libraries of this one clean up, which crashes in a child without their threads."""
    os._exit(status)


def _in_a_process(function: ctypes._NamedFuncPointer, arguments: Sequence[object]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Calls a function in a child process, which shares the arrays. Raises `CallFailed` if that does not end well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            faulthandler.disable()  # a crash is an answer, and is reported as one
            _libc().on_exit(_leave, None)
            function(*arguments)
            status = 0
        finally:
            os._exit(status)
    end, pause = time.monotonic() + SECONDS, 1e-4
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise CallFailed(f"does not end within {SECONDS:g} s")
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        what = "an access behind an array, or another wild pointer" if number == signal.SIGSEGV else "it was killed"
        raise CallFailed(f"ends by {signal.Signals(number).name}: {what}")
    if os.WEXITSTATUS(status):
        raise CallFailed(f"ends the process with status {os.WEXITSTATUS(status)}")
