"""Constants of the predictions."""
REGISTERS_OF: dict[str, dict[str, float]] = {}
INSTRUCTIONS: dict[str, dict[str, float]] = {}
