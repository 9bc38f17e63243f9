"""
Interpreter of the `ptir` dialect: xDSL interpreter functions on NumPy arrays, with one file for each family of ops, as in
`dialects/ptir/`.

Spec: `ptir-backend-contract.md`.
"""
