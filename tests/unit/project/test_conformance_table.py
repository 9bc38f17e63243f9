"""`tests/conformance/*.md`: each row is complete, and each test that it names exists."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from tests.random_programs.rows.table import ROWS as OPS

TESTS = Path(__file__).resolve().parents[2]
TABLES = ("ptir_contract", "pto_spec", "vyre_spec")
ROWS = {
    table: [
        [unescape(cell.strip()) for cell in line.strip("|").split(" | ")]
        for line in (TESTS / "conformance" / f"{table}.md").read_text("utf-8").splitlines()
        if re.match(r"\| \d", line)
    ]
    for table in TABLES
}


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_rows_are_numbered_and_say_something(rows: list[list[str]]):
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert all(len(row) == 4 and all(row) for row in rows)
    assert len({row[1] + row[2] for row in rows}) == len(rows)


def test_every_must_of_the_contract_has_a_row():
    """The contract has 37 sentences with a MUST; it is not in this repository."""
    musts = sum(row[2].count("MUST") for row in ROWS["ptir_contract"])
    assert musts == 37


PTO_SENTENCES = {
    "Introduction": 2, "1. Goals": 4, "2.1 Scalar types": 3, "2.2 Tile type": 7, "2.3 Memref type": 4, "3.1 Location": 3,
    "3.2 Valid region": 2, "4. Operations": 3, "4.1 Scalars": 3, "4.2 Views": 2, "4.3 Load": 4, "4.3 Store": 1, "4.4 Elementwise": 4,
    "5. Events": 1, "5.1 Event type": 3, "5.2 Asynchronous form": 3, "6.1 mov.*": 2, "6.2 extract": 1, "6.3 matmul*": 3,
    "7. Verification": 10, "8. Passes": 8,
}  # fmt: skip
"""
The sentences, grammar rules, examples and items of lists in each section of `pto-ir.md`, which is not in this repository. Target legality
has a row for each of its four parts, and canonicalization for its two.
"""


def test_every_sentence_of_the_pto_specification_has_a_row():
    assert Counter(row[1] for row in ROWS["pto_spec"]) == PTO_SENTENCES


EVERY = [(table, row) for table, rows in ROWS.items() for row in rows]


@pytest.mark.parametrize("row", [row for _, row in EVERY], ids=[f"{table}-{row[0]}-{row[1]}" for table, row in EVERY])
def test_the_tests_exist(row: list[str]):
    entries = row[3].split("<br>")
    assert entries
    for entry in entries:
        if found := re.fullmatch(r'`(filecheck/\S+\.mlir)` "(.*)"', entry):
            text = (TESTS / found[1]).read_text("utf-8")
            expected = re.findall(
                r"expected-error\S* \{\{(.*?)\}\}\s*$|// CHECK(?:-NEXT|-SAME)?: (.*)$", text, re.MULTILINE
            )
            assert any(found[2] in line for pair in expected for line in pair), f"{found[1]} expects no {found[2]}"
        else:
            found = re.fullmatch(r"`(unit/\S+\.py)::(\w+)(?:\[(\S+)\])?`", entry)
            assert found, f"{entry} is neither a test nor a message"
            assert found[2] in functions(found[1]), f"{found[1]} has no {found[2]}"
            assert found[3] is None or found[3] in OPS, f"there is no op {found[3]}"
