"""
Loops that say when an adapter ends them early.

llvmpipe and softpipe end the loops of a shader after 65,535 iterations of all of them together, without an error. A watched loop tests
its condition once more after it has ended; if the condition still holds, a word of a buffer is set.
"""

from __future__ import annotations

import re

LOOP = re.compile(r"^( *)for \(var (\w+) = (.*?); (.*?); (.*?)\) \{\n(.*?)^\1\}\n", re.MULTILINE | re.DOTALL)
WATCHED = "ended_early"


def has_loops(text: str) -> bool:
    """Returns whether a shader module has counted loops."""
    return LOOP.search(text) is not None


def watch_loops(text: str, binding: int) -> str:
    """
    Returns a shader module whose counted loops are watched. The buffer at `binding`, of one word, must be 0 at first.

    >>> print(watch_loops("  for (var k = a; k < b; k = k + 1u) {\\n    f();\\n  }\\n", 3))
    @group(0) @binding(3) var<storage, read_write> ended_early: atomic<u32>;
      var k = a;
      for (; k < b; k = k + 1u) {
        f();
      }
      if (k < b) { atomicStore(&ended_early, 1u); }
    <BLANKLINE>
    """
    return f"@group(0) @binding({binding}) var<storage, read_write> {WATCHED}: atomic<u32>;\n{_watched(text)}"


def _watched(text: str) -> str:
    def replaced(loop: re.Match[str]) -> str:
        indent, counter, start, condition, step, body = loop.groups()
        return (
            f"{indent}var {counter} = {start};\n{indent}for (; {condition}; {step}) {{\n{_watched(body)}{indent}}}\n"
            f"{indent}if ({condition}) {{ atomicStore(&{WATCHED}, 1u); }}\n"
        )

    return LOOP.sub(replaced, text)
