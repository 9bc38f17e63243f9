"""
`tiny-to-ptir`: raises tiny ops to `ptir` ops. `lift.py` has the pass, `table.py` the function that raises each op,
`contractions.py` replaces sums of products by contractions.
"""
