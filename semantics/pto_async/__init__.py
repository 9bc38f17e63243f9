"""
The asynchronous meaning of tile programs for PTO: each pipe has a queue of instructions, which it executes one after the other.

Control flow and indices do not depend on tiles. So a run of a function determines its instructions: `trace.py` collects them in program order,
`hazards.py` decides whether their order is determined where it matters, and `schedules.py` executes them in any order that the
events allow.

- An instruction starts after the earlier ones of its pipe and after the instructions whose events it waits for.
- An instruction without events and waits is synchronous: it starts after all earlier ones, and later ones start after it.
- `pto.sync` orders all earlier instructions, or those of the events that it waits for, before all later ones.
- A tile with an address is the bytes there, until another tile overwrites them. A tile without one is a value of its own.
- An event that is an argument of the function has happened.

Spec: `pto-ir.md §5`.
"""
