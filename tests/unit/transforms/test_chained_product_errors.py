"""The errors of `pto-to-nv` on tile programs that are not the chained products it lowers: a code, at the op, with a hint."""

from __future__ import annotations

import re

import pytest

import ptir
from ptir.errors import Unsupported
from ptir.passes.manager import PassManager
from tests.unit.builders.attention_programs import Attention

ACC, VEC, Q = (
    "!pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>",
    "!pto.tile<128x64xf32>",
    "!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>",
)
ERRORS = {
    "no process": (r"    pto.process \{.*?\n    \}\n", "", "have one process"),
    "other values": (r"m_ = %max0", "m_ = %least", "a loop over other values than the loop before it"),
    "another step": (r"(%max1\N* step) %bn", r"\1 %bm", "loops over different products"),
    "one product": (r"%an = \N*", f"%an = pto.tile.mov.v2a %scaled : {VEC} -> {ACC}", "1 products and 1 carried"),
    "another use of the operand": (
        r"(%pl = pto\N*)",
        r"\1\n%copy = pto.tile.cvt %pb : tile<128x64xbf16> -> tile<128x64xf32>",
        "a conversion to 16 bits",
    ),
    "scores that do not start at zero": (r"(%zero = pto.tile.expands )0.0", r"\g<1>1.0", "the first products start at"),
    "a result that is dropped": (r"%ln, %an :", "%ln, %as :", "carries the result of the second product"),
    "one channel of two products": (
        r"(%x = pto.tile.mov.a2v %s )(\N*)",
        r"%zero2 = pto.tile.expands 0.0 : f32 : "
        + ACC
        + "\n%s2 = pto.tile.matmul.acc %zero2, %left, %right : "
        + ACC
        + ", "
        + Q.replace("Mat", "Left")
        + ", !pto.tile<64x64xbf16, #pto.tile_info<loc=Right>> -> "
        + ACC
        + "\n\\1\\2",
        "each product has a channel of its own",
    ),
    "an old row": (r"rowexpand %c :", "rowexpand %m_ :", "by rows that this iteration computes"),
    "an accumulator that does not start at zero": (
        r"(%empty = pto.tile.expands )0.0",
        r"\g<1>1.0",
        "an accumulator that does not start at zero",
    ),
    "queries that the loop waits for": (
        r"    (%qw = \N*\n) *(%left = \N*\n)(.*?)(%max0\N*\n)(.*)(%max1\N*\n)",
        r"\3\4\1\2\5\6\1\2",
        "a left operand that is loaded in the loop",
    ),
    "queries that are computed in two ways": (
        r"(    %left = \N*\n)(.*?)%left(, %right.*)%left(, %right)",
        rf"""\1
    %raw = pto.tile.mov.m2v %qw : {Q} -> tile<128x64xbf16>
    %more = pto.tile.add %raw, %raw : tile<128x64xbf16>
    %left1 = pto.tile.mov.v2l %raw : tile<128x64xbf16> -> {Q.replace("Mat", "Left")}
    %left2 = pto.tile.mov.v2l %more : tile<128x64xbf16> -> {Q.replace("Mat", "Left")}
\2%left1\3%left2\4""",
        "another left operand that is computed from the same tile",
    ),
    "a process that carries values": (
        r"scf.for %n = %c0 to %end step %bn \{(.*?)\n      \}\n",
        r"%z = scf.for %n = %c0 to %end step %bn iter_args(%w = %c0) -> (index) {\1\nscf.yield %w : index\n}\n",
        "a loop of a process that carries values",
    ),
    "a guarded load": (
        r"(%kt = \N*dims \[4, 3\])( :)",
        r'\1 where <"{ [i0, i1, i2, i3, i4] : i3 >= 3 }">\2',
        "this operand of chained products",
    ),
    "rows that the loop does not rescale": (
        r"(%max1.*)%av = \N*\n.*(%an = \N*)%as, %pl",
        r"\1\2%a_, %pl",
        "loops with different accumulators",
    ),
    "an accumulator whose rescaling is dropped": (
        r"(%max1.*)%as, %pl",
        r"\1%a_, %pl",
        "only the second product reads the rescaled accumulator",
    ),
    "sums of columns": (
        r"%mx = pto.tile.rowmax (%x\w*) : (\N*) -> (\N*)",
        r"%cs = pto.tile.colsum \1 : \2 -> tile<1x64xf32>\n%cx0 = pto.tile.colexpand %cs : tile<1x64xf32> -> \2\n"
        r"%mx = pto.tile.rowmax %cx0 : \2 -> \3",
        "'pto.tile.colsum' between chained products",
    ),
    "a quotient of offsets": (r"divui %seen, %bn", "divui %seen, %m1", "multiply and divide by constants"),
    "a quotient by a negative number": (r"divui %seen, %bn", "divsi %seen, %minus_two", "divide by what is positive"),
    "an unsigned quotient of a negative number": (
        r"divui %seen, %bn",
        "divui %less, %bn",
        "take signed ops, or arith.maxsi",
    ),
    "a loop that starts before the first key": (r"%c0 to %whole", "%less to %whole", "start before the first key"),
    "loops without an iteration": (r"(?:%c0|%whole) to (?:%whole|%end)", "%end to %c0", "without an iteration"),
    "bounds of more than 32 bits": (r"muli %tiles, %bn", "muli %tiles, %huge", "use bounds of less than 2^31"),
    "an unknown predicate": (r"%me = ", "%me = arith.select %true, %m, %m : index\n%me2 = ", "select by arith.cmpi"),
}
"""Replacements in the text of a tile program, and part of the error or its hint."""
CONSTANTS = """
    %c0 = arith.constant 0 : index
    %minus_two = arith.constant -2 : index
    %less = arith.addi %m, %minus_two : index
    %huge = arith.constant 4294967296 : index
    %true = arith.constant true
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str):
    pattern, replacement, message = ERRORS[name]
    pattern = pattern.replace(r"\N", r"[^\n]")
    text, count = re.subn(pattern, replacement, Attention(200, 200, causal=True).text, flags=re.DOTALL)
    assert count
    text = text.replace("    %c0 = arith.constant 0 : index\n", CONSTANTS, 1)
    module = ptir.parse(text)
    with pytest.raises(Unsupported) as raised:
        PassManager("pto-to-nv").run(module)
    assert message in f"{raised.value} {raised.value.hint}"
    assert raised.value.op is not None


def test_types_that_wgmma_does_not_multiply_into_f32():
    with pytest.raises(Unsupported, match="a product of f32 and f32 into f32"):
        PassManager("pto-to-nv").run(ptir.parse(Attention(64, 64, dtype="f32").text))
