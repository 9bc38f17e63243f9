"""What each dialect means: interpreters on NumPy arrays, and the error bounds a machine may use up."""
