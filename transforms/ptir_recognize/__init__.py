"""
`ptir-recognize`, a file for each thing that is recognised: `softmax.py`, `attention.py`, `masks.py`; `views.py` is how they look
through what changes no value, `outline.py` how what they find becomes a composite, `recognize.py` the pass.

Everything is found by where values come from; names play no part, and neither does the order of independent ops.
"""
