"""Checks of verifiers: each function raises one kind of error unless its condition holds."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation

from ...errors import (
    InvalidAttributeValue,
    OperandCountMismatch,
    RankMismatch,
    ShapeMismatch,
    UnsupportedType,
    VerifyError,
)


def check(op: Operation, holds: bool, problem: str) -> None:
    """Raises "'op' `problem`" unless `holds`."""
    if not holds:
        raise VerifyError(op, problem=problem)


def check_value(op: Operation | None, holds: bool, name: str, value: object, help: str) -> None:
    """Raises "'`name`' is `value`" unless `holds`; `help` lists the legal values."""
    if not holds:
        raise InvalidAttributeValue(op, name=name, problem=f"is {value}", help=help)


def check_attribute(op: Operation | None, holds: bool, name: str, problem: str, help: str) -> None:
    """Raises "'`name`' `problem`" unless `holds`; `help` says what to write instead."""
    if not holds:
        raise InvalidAttributeValue(op, name=name, problem=problem, help=help)


def check_word(op: Operation | None, name: str, word: str, choices: Collection[str]) -> None:
    """Checks that the keyword `name` is one of `choices`."""
    check_value(op, word in choices, name, f"'{word}'", f"one of {', '.join(choices)}")


def check_type(op: Operation | None, holds: bool, what: str, got: object, want: str) -> None:
    """Raises "`what` is `got`; `want`" unless `holds`."""
    if not holds:
        raise UnsupportedType(op, what=what, got=got, want=want)


def check_shape(op: Operation | None, holds: bool, what: str, got: object, want: str) -> None:
    """Raises "`what` has shape `got`, expected `want`" unless `holds`."""
    if not holds:
        raise ShapeMismatch(op, what=what, got=got, want=want)


def check_count(op: Operation | None, holds: bool, what: str, want: str, got: object) -> None:
    """Raises "`what` takes `want`, got `got`" unless `holds`."""
    if not holds:
        raise OperandCountMismatch(op, what=what, want=want, got=got)


def check_rank(op: Operation | None, what: str, got: int, want: int) -> None:
    """Raises "`what` has rank `got`, expected `want`" unless they are equal."""
    if got != want:
        raise RankMismatch(op, what=what, got=got, want=want)
