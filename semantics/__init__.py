"""The semantics of each dialect: interpreters on NumPy arrays, and bounds on the error of any correct implementation."""
