"""Tile programs as C++ for the PTO tile library (`-t pto-cpp`)."""
