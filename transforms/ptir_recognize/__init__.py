"""
`ptir-recognize` finds softmax and attention in a program and outlines them as composites.

There is a file for each pattern: `softmax.py`, `attention.py`, `masks.py`. `views.py` looks through ops that change no value,
`outline.py` moves the ops of a match into a composite, `recognize.py` is the pass. Patterns match data flow only; names and the
order of independent ops do not matter.
"""
