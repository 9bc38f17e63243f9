"""
Reasons why surviving mutants are equivalent to the original. A row identifies mutants by file, scope, kind and a part of the old
text and, if the same text is mutated in several ways, by a part of the new text.
"""

from __future__ import annotations

from dataclasses import dataclass

from .sites import Mutant


@dataclass(frozen=True)
class Row:
    """Matches a mutant if each field, except the reason, is contained in the mutant's field of the same name."""

    file: str
    scope: str
    kind: str
    old: str
    reason: str
    new: str = ""

    def matches(self, m: Mutant) -> bool:
        return (
            self.file in m.file
            and self.scope in m.scope
            and self.kind in m.kind
            and self.old in m.old
            and self.new in m.new
        )


_EITHER_WAY = "what IEEE 754 wants correctly rounded is the same in f32 and through float64"

ROWS: tuple[Row, ...] = (
    *(
        Row("semantics/arrays/scalars.py", "", "row", f'"{name}",', _EITHER_WAY)
        for name in ("neg", "abs", "sqrt", "recip", "floor", "ceil", "round", "sign", "add", "sub", "mul", "div", "max",
                     "min", "remainder")
    ),
    Row("semantics/arrays/scalars.py", "_round_to_odd", "compare", ">", "what is equal is no inexact value, and stays out by `finite`"),
    Row("semantics/arrays/scalars.py", "_round_to_odd", "constant", "1", "any low bit says that something was lost"),
    Row("semantics/arrays/scalars.py", "_convert", "constant", "False", "the same, copied once more"),
    Row("semantics/arrays/scalars.py", "_odd_float64", "constant", "0x800", "float64 rounds the bit away that is added"),
    Row("semantics/arrays/scalars.py", "_shift.apply", "compare", ">=", "NumPy, too, shifts all bits out by 64 and more"),
    Row("semantics/arrays/scalars.py", "_shift.apply", "arithmetic", "-", "NumPy, too, shifts all bits out by 64 and more"),
    Row("semantics/arrays/special_functions.py", "logistic", "compare", "<", "at 0 both are 1"),
    Row("semantics/ptir/quantization.py", "parameters", "condition", "op.along", "a vector without an axis is refused before",
        "((scale.ndim))"),
    Row("semantics/vyre/reductions.py", "combine", "constant", "1", "twice as many identities change no bit", "2"),
    Row("semantics/vyre/__init__.py", "_shared_words", "condition", "buffer.elements or 0", "workgroup memory has a count, says the verifier"),
    Row("semantics/vyre/__init__.py", "", "condition", "mask.any()", "the same, more slowly: no invocation executes the region",
        "((region is not None))"),
    Row("dialects/vyre/memory.py", "AtomicAccess", "trait", "MemoryReadEffect", "what writes is neither removed nor merged"),
    Row("dialects/vyre/memory.py", "BarrierOp", "trait", "MemoryReadEffect", "what writes is neither removed nor merged"),
    Row("dialects/pto/transfers.py", "PrefetchOp", "trait", "MemoryReadEffect", "what writes is neither removed nor merged"),
    Row("semantics/pto/rearrangements.py", "merge", "branch", "np.any(disorder)", "without disorder no element has a cause"),
    Row("dialects/pto/vector.py", "CvtOp.verify_", "constant", "1", "no element type is an integer of 2 bits"),
    Row("dialects/ptir/names.py", "needed", "compare", "<=", "the same, more slowly"),
    Row("dialects/pto/types.py", "check_array", "constant", "64", "no float has 65 bits"),
    Row("semantics/pto/__init__.py", "PtoFunctions.__init__", "constant", "0", "each tile begins a run of its own"),
    Row("semantics/pto/execution.py", "InstructionFunctions.partial", "condition", "c is not None and np.any(c)",
        "for None, np.any returns None", "((np.any(c)))"),
    Row("semantics/pto/execution.py", "InstructionFunctions.partial", "branch", "c if c is not None and np.any(c) else None",
        "the same, more slowly", "(c)"),
    Row("semantics/pto/partial.py", "TileFunctions.cause", "constant", "1", "any number that no other op has, but 0", "2"),
    Row("semantics/pto/instructions.py", "product.reads", "constant", "1", "the part of a row ends where that does", "2"),
    Row("dialects/pto/vector.py", "ExpandsOp.verify_", "condition", "self.value is not None and", "if there is no scalar, there is a number",
        "((number_type"),
    Row("semantics/pto/execution.py", "InstructionFunctions.finished", "condition", "causes is None or not np.any(causes)",
        "a tile without poison, whether or not it has causes"),
    Row("semantics/pto/transfers.py", "run_store_scaled", "constant", "1", "the tile of scales has one row", "2"),
    Row("semantics/pto/transfers.py", "wrapped", "arithmetic", "+", "half and -half are equal modulo 2 half", "-"),
    Row("targets/pto/a5.py", "", "condition", "or frozenset()", "a2 lists its types"),
    Row("dialects/pto/scalars.py", "ConstantOp", "constraint", "_T", "it binds the variable, which the value must then match"),
    Row("semantics/pto/instructions.py", "expanded", "constant", "1", "the part of the row or column ends where that does", "2"),
    Row("dialects/tiny/movement.py", "_require_pad", "branch", "self.value is not None", "a pad without a value is refused before"),
    Row("dialects/poly/points.py", "_compile", "compare", "<", "Python's integers give what 64 bits give"),
    Row("dialects/poly/points.py", "_compile", "branch", "np.int64 if small else object", "the same, more slowly", "(object)"),
    Row("dialects/poly/points.py", "evaluate", "branch", "points if small", "the same, more slowly", "([p.astype"),
    Row("dialects/poly/points.py", "evaluate", "branch", "np.floor_divide(total, scale) if scale", "a quotient by 1", "(np.floor"),
    Row("dialects/tiny/elementwise.py", "BinaryOp.__init__", "constant", "1", "the last two operands of what verifies are of one type"),
    Row("semantics/ptir/movement.py", "count", "constant", "1", "NumPy takes every negative size for the one to infer"),
    Row("dialects/ptir/scalars.py", "_dense", "condition", "not isinstance(value, int)", "bytes are packed of integers only",
        "((isinstance(value, bool)"),
    Row("dialects/poly/block.py", "BlockOp", "constraint", "SymbolNameConstraint()", "`SymbolOpInterface` asks the same of the name"),
    Row("dialects/poly/text.py", "read_set", "condition", "is_params()", "isl gives a set of parameters alone a name, `#none`",
        "(_has_arrow(source)) or (points.get_tuple_name())"),
)  # fmt: skip


def reason(m: Mutant) -> str | None:
    """Returns the reason why a mutant is equivalent, or None if no row matches."""
    return next((row.reason for row in ROWS if row.matches(m)), None)
