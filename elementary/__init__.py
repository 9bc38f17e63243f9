"""
Elementary functions, correctly rounded to binary32, binary16 and bfloat16: the same bits on every machine.

Each function is straight-line code on binary64 numbers (`graph.py`), from which NumPy evaluates it (`evaluation.py`) and CUDA text is
printed (`cuda.py`). It returns the value as an unevaluated sum of two numbers, which is rounded to odd and then, once, to the format.

`python -m tests.elementary` compares a function of one operand with the C library and mpmath for all 2^32 inputs; `tests/elementary/results/` has
checksums of the functions for which that was done. What is known about `pow` is in `power.py`.
"""
