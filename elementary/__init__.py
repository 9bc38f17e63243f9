"""
Elementary functions, correctly rounded to binary32, binary16 and bfloat16: the same bits on every machine.

Each function is straight-line code on binary64 numbers (`graph.py`), from which NumPy evaluates it (`evaluation.py`) and CUDA text is
printed (`cuda.py`). It returns the value as an unevaluated sum of two numbers, which is rounded to odd and then, once, to the format.

For the functions of one operand, the result was compared with 300-bit arithmetic for all 2^32 inputs (`tests/elementary/`). What is known
about `pow` is in `power.py`.
"""
