"""
`ptir-decompose`: rewrites ops in terms of others, a file per family; `decompose.py` has the table and the pass.

Every row is exact: it rounds only where the op does.
"""
