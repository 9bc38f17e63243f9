"""
The rules of `ptir-canonicalize`: algebra as rows of a table, movement and control flow as functions.

- `terms.py` defines the language of the rows; `exact.py` and `inexact.py` hold the rows.
- `matching.py` matches rows in the IR, `evaluation.py` evaluates them on arrays, `smt.py` proves them.
- `broadcasts.py`, `reshapes.py`, `slices.py` … hold the structural rules; `table.py` maps ops to them.
"""
