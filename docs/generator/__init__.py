"""The generators of the documentation, a module for each kind of page."""
