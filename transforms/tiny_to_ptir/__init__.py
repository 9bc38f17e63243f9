"""
`tiny-to-ptir`: raises tiny ops to ops of the contract. `lift.py` has the pass, `table.py` a row per op, `contractions.py` the
sums of products.
"""
