"""The names of what this package computes, without what that takes: dialects check names, and are imported by every tool."""

from __future__ import annotations

FUNCTIONS = (
    *("sin", "cos", "tan", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sinh", "cosh", "tanh", "sigmoid", "erf", "erfc", "rsqrt", "cbrt"),
)
"""The elementary functions of one operand."""
OPERANDS = {
    **dict.fromkeys(FUNCTIONS, 1),
    **dict.fromkeys(("pow", "add", "sub", "mul", "div", "min", "max"), 2),
    "sqrt": 1,
    "fma": 3,
}
"""The number of operands of each function and operation."""
FORMATS = ("f32", "f16", "bf16")
SIGNS = ("neg", "abs")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
INTEGERS = ("u32", "i32")
"""The types of integers that numbers are converted to and from."""
WORD_OPERATIONS: dict[str, int] = {
    **{f"{op}_{f}": count for op, count in OPERANDS.items() for f in FORMATS},
    **{f"{op}_{f}": 1 for op in SIGNS for f in FORMATS},
    **{f"{op}_{f}": 2 for op in COMPARISONS for f in FORMATS},
    **{f"{a}_to_{b}": 1 for a in FORMATS for b in FORMATS if a != b},
    **{f"{a}_to_{b}": 1 for f in FORMATS for i in INTEGERS for a, b in ((f, i), (i, f))},
}
"""The operations on the bits of numbers, with their number of operands (`words.py`)."""
