"""ptir."""
