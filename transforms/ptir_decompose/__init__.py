"""
`ptir-decompose`: ops in terms of others, a file for each family; `decompose.py` has the table and the pass.

A row gives the value that stands for an op's result, exactly: no row rounds in another place than its op does.
"""
