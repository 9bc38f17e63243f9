"""
Reports of failed ops from kernels to the host: a status word in global memory, and the numbers of the ops.

`form-regions` numbers the ops that may fail, in descending order. A kernel sets the status word to the maximum of its value and the
number of each op that fails, so that the first of them in the program wins, whatever the threads' order. The host clears the word
before a call, and raises the op's error after it (`region.check`).
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, i32
from xdsl.ir import Operation, SSAValue

from .checks import check_type, check_value, check_word

FAILURES = ("division", "index", "sorted", "unique")
"""
How an op may fail: an integer is divided by zero, an index is out of range, or indices are not sorted or not unique as the program
promises.
"""
STATUS_TYPE = MemRefType(i32, [1])
"""The type of a status word: 0, or the largest number of an op that has failed."""
REPORT = "pto.report"
"""The attribute of a `pto.tile.store` of the status on a PTO target: the `failure` and the `number` of the report."""


def check_number(op: Operation, number: IntegerAttr) -> None:
    """Checks the number of an op that may fail."""
    check_value(op, 1 <= number.value.data < 2**31, "number", number.value.data, "from 1 to 2^31 - 1")


def check_failure(op: Operation, failure: StringAttr) -> None:
    """Checks the word that says how an op fails."""
    check_word(op, "failure", failure.data, FAILURES)


def check_status(op: Operation, status: SSAValue) -> None:
    """Checks the type of a status word."""
    check_type(op, status.type == STATUS_TYPE, "the status word", status.type, f"it must be {STATUS_TYPE}")
