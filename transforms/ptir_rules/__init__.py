"""
What `ptir-canonicalize` knows: algebra as rows of a table, movement and control flow as functions, one idea a file.

- `terms.py` is the language of the rows, `algebra.py`, `comparisons.py`, `bits.py` and `inexact.py` are the rows.
- `matching.py` finds them in the IR, `evaluation.py` computes them on arrays, `smt.py` proves them.
- `broadcasts.py`, `reshapes.py`, `slices.py` … are the structural rules, `table.py` says which op each of them rewrites.
"""
