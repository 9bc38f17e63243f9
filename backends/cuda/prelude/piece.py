"""Declarations of the prelude, and the parts that their texts share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A declaration and the names of the pieces that it uses."""

    text: str
    uses: tuple[str, ...] = ()


def instruction(name: str, ptx: str, section: str) -> dict[str, Piece]:
    """Returns the function that executes a PTX instruction without operands."""
    return {name: Piece(f'// PTX ISA {section}\nDEV void {name}() {{ asm volatile("{ptx};" ::: "memory"); }}')}


def wait_instruction(name: str, ptx: str, section: str) -> dict[str, Piece]:
    """Returns the function that waits until at most PENDING groups are pending."""
    body = f'asm volatile("{ptx} %0;" :: "n"(PENDING) : "memory");'
    return {name: Piece(f"// PTX ISA {section}\ntemplate <int PENDING> DEV void {name}() {{ {body} }}")}


def asm_operands(constraint: str, array: str, count: int) -> str:
    """Returns the operands of an asm statement that are the first `count` elements of an array."""
    return ", ".join(f'"{constraint}"({array}[{k}])' for k in range(count))


def placeholders(first: int, count: int) -> str:
    """Returns the vector of `count` asm operands from number `first` on: `{%0,%1}`."""
    return "{" + ",".join(f"%{first + k}" for k in range(count)) + "}"
