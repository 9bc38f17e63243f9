"""
The constants by which features are multiplied, for each kind of kernel: registers of a thread, and instructions of a warp.

Fitted to the points with even numbers of `tests/cost_model`, by `python -m tests.cost_model --fit`, but those of `EXACT`: accumulators and
fragments take as many registers as they have words.
"""

EXACT = {"multistage": {"accumulators": 1.0, "fragments": 1.0}}
REGISTERS_OF: dict[str, dict[str, float]] = {
    "columns": {
        "one": 0.0,
        "held": 0.17,
        "in_flight": 1.9,
        "functions": 0.0,
        "arrays": 6.87,
        "adjacent": 0.0,
        "shares": 1.11,
    },
    "elementwise": {"one": 11.69, "words": 0.5, "vectors": 6.4, "functions": 6.21},
    "multistage": {
        "one": 2.6,
        "accumulators": 1.0,
        "fragments": 1.0,
        "loop": 19.28,
        "copies": 1.25,
        "windows": 1.13,
        "pointers": 2.98,
        "functions": 0.49,
        "gathers": 1.72,
        "prologue": 1.26,
    },
    "multistage_attention": {"one": 11.76, "held": 0.56, "accumulators": 1.24},
    "rows": {
        "one": 0.0,
        "held": 1.1,
        "in_flight": 0.87,
        "functions": 3.58,
        "arrays": 6.32,
        "adjacent": 4.13,
        "shares": 1.88,
    },
    "warp_specialized": {"one": 29.17, "held": 0.43, "copies": 0.67},
    "warp_specialized_attention": {"one": 32.3, "held": 0.39, "accumulators": 0.61},
}
INSTRUCTIONS: dict[str, dict[str, float]] = {
    "columns": {
        "one": 0.0,
        "rounds": 7.52,
        "accesses": 5.78,
        "functions": 0.0,
        "long_functions": 0.0,
        "shuffles": 3.04,
        "shares": 1.47,
    },
    "elementwise": {"one": 4.29, "vectors": 2.44, "accesses": 4.87, "functions": 1.76, "long_functions": 20.22},
    "multistage": {
        "one": 44.76,
        "steps": 14.12,
        "loads": 9.52,
        "gathers": 46.32,
        "narrow": 5.47,
        "windows": 10.85,
        "multiplies": 2.23,
        "multiply_adds": 1.07,
        "prologue": 16.98,
        "elements": 2.87,
        "functions": 0.99,
        "long_functions": 14.18,
    },
    "multistage_attention": {
        "one": 48.59,
        "steps": 22.26,
        "copies": 2.09,
        "scores": 10.23,
        "outputs": 7.79,
        "rescaled": 0.0,
    },
    "rows": {
        "one": 75.32,
        "rounds": 0.0,
        "accesses": 0.0,
        "functions": 1.13,
        "long_functions": 2.16,
        "shuffles": 1.01,
        "shares": 0.02,
    },
    "warp_specialized": {
        "one": 55.55,
        "steps": 22.78,
        "copies": 13.97,
        "functions": 2.59,
        "long_functions": 5.78,
        "prologue": 13.45,
    },
    "warp_specialized_attention": {
        "one": 0.0,
        "steps": 0.0,
        "copies": 0.0,
        "scores": 10.6,
        "outputs": 4.85,
        "rescaled": 0.88,
    },
}
