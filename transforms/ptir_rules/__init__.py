"""
The rules of `ptir-canonicalize`: algebraic rules are rows of a table, rules of movements and control flow are functions.

- `terms.py` defines the terms of which rows consist; `exact.py` and `inexact.py` hold the rows.
- `matching.py` matches rows in the IR, `evaluation.py` evaluates terms on arrays, `smt.py` proves rows.
- `broadcasts.py`, `reshapes.py`, `slices.py` … hold the structural rules; `table.py` maps ops to them.
"""
