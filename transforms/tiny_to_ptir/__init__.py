"""
`tiny-to-ptir`: tiny ops as ops of the contract. `lift.py` has the pass, `table.py` a row for each op, `contractions.py` the
products that are summed.
"""
