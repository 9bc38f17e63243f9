"""
Chained products, such as attention, on every architecture: the match of their tile program (`program.py`), bounds of loops
(`bounds.py`), and the ops between the products (`rows.py`, `stages.py`). The templates add the products and what feeds them.
"""
