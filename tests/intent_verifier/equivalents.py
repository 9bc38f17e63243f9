"""Mutants that no candidate can tell from the intent, each with a proof. The campaign fails if one of them FAILs."""

from __future__ import annotations

from collections.abc import Mapping

SAME = "identity and layout_cast return their operand"
CHOICE = "x is chosen unless x = y; then y equals x (zeros of both signs are equal)"
MODULO = "it changes a position by a multiple of 256, which the next signed byte removes"

EQUIVALENT: Mapping[str, str] = {
    "abs: negated at %x": "|-x| = |x|",
    "identity: dropped op, operand 0 at 0 intent.unary": SAME,
    "identity: output aliases 0 %x at 1 intent.return": SAME,
    "compare: ge for gt at 2 intent.binary": "x ≤ y or x > y, and x ≤ y or x ≥ y, both hold unless one is NaN",
    "compare: other operand 2 %x at 5 intent.where": CHOICE,
    "compare: dropped op, operand 1 at 5 intent.where": CHOICE,
    "compare: dropped mask at 5 intent.where": CHOICE,
    "compare: output aliases 3 %x at 6 intent.return": CHOICE,
    "movement: dropped op, operand 0 at 3 intent.unary": SAME,
    "movement: output aliases 2 %b at 4 intent.return": SAME,
    "iotas: last lost, axis 1 at 2 intent.binary": "the last element is (N - 1) - (N - 1) = 0",
    "softmax_by_hand: negated at 2 intent.unary": "(-e) / Σ(-e) = e / Σe",
    "softmax_by_hand: doubled at 2 intent.unary": "2e / Σ2e = e / Σe; powers of two are exact, and e ≤ 1",
    "attention: constant -2e+30 at 6 intent.const": "scores are at most 8·64·64/√8 in magnitude, so e^(mask - max) = 0 for both, and "
    "no row is masked whole",
    "conv, lowered: dropped op, operand 0 at 29 intent.binary": "a product with the dilation, which is 1",
    "rope_op, lowered: last lost, axis 3 at 5 intent.binary": "D - 1 < D/2 is false already, since D ≥ 2",
    "rope_op, lowered: last lost, axis 3 at 7 intent.binary": "d + D/2 is used only where d < D/2",
    "correlation_op, lowered: truncated at 30 intent.binary": "it is an integer below 2^31",
    "resize_op: fraction bits at 0 intent.resize": "the fraction is one half: ⌊64(a + b)/128⌋ = ⌊(a + b)/2⌋",
    "resize_op, lowered: last lost, axis 1 at 39 intent.binary": "the last row lies between equal rows: its fraction is arbitrary",
    "resize_op, lowered: last lost, axis 1 at 42 intent.cast": "the last row lies between equal rows: its fraction is arbitrary",
    "warp_op, lowered: dropped op, operand 0 at 8 intent.binary": "the next byte of the offset is the same modulo 256",
    "warp_op, lowered: max for add at 23 intent.binary": MODULO,
    "warp_op, lowered: constant -0.00390625 at 25 intent.const": MODULO,
    "warp_op, lowered: doubled at 26 intent.binary": MODULO,
    "warp_op, lowered: doubled at 27 intent.unary": MODULO,
}
"""From `intent: mutation` to the proof."""
