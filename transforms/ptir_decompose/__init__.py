"""
`ptir-decompose`: rewrites ops as formulas of other ops, a file for each family; `decompose.py` has the table and the pass.

Every formula is exact: it rounds only where the op rounds.
"""
