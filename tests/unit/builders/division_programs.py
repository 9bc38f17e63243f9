"""
PTIR programs that divide integers in each kind of kernel. Their arguments are `m` x `n` arrays unless the program says otherwise;
the names of the divisors begin with `d`.
"""

from __future__ import annotations

from string import Template
from typing import Any

import numpy as np

NUMPY: dict[str, Any] = {"si8": np.int8, "si32": np.int32, "ui16": np.uint16, "si64": np.int64}

PROGRAMS: dict[str, tuple[str, str]] = {
    "map": ("%x: $F, %d: $F", "%y = ptir.div %x, %d : $F"),
    "broadcast": ("%x: $F, %d: tensor<${n}xsi32>", """
  %b = ptir.broadcast_to %d : tensor<${n}xsi32> -> $F
  %y = ptir.remainder %x, %b : $F"""),
    "transposed": ("%x: $F, %d: tensor<${n}x${m}xsi32>", """
  %t = ptir.transpose %d [1, 0] : tensor<${n}x${m}xsi32> -> $F
  %y = ptir.div %x, %t : $F"""),
    "chosen by data": ("%x: $F, %d: $F", """
  %q = ptir.div %x, %d : $F
  %c = ptir.compare gt %x, %q : $F -> tensor<${m}x${n}xi1>
  %y = ptir.select %c, %q, %x : tensor<${m}x${n}xi1>, $F"""),
    "padded": ("%x: $F, %d: $F", """
  %q = ptir.div %x, %d : $F
  %y = ptir.pad %q with 7 : si32 low [2, 1] high [1, 3] interior [0, 0] : $F -> $P"""),
    "concatenated": ("%x: $F, %d: $F", """
  %q = ptir.div %x, %d : $F
  %y = ptir.concat %x, %q, %x axis 1 : ($F, $F, $F) -> tensor<${m}x${n3}xsi32>"""),
    "rows": ("%x: $F, %d: $F", """
  %q = ptir.div %x, %d : $F
  %y = ptir.reduce sum %q axes [1] : $F -> tensor<${m}xsi32>"""),
    "by the minimum": ("%x: $F, %d: $F", """
  %min = ptir.reduce min %d axes [1] keepdims : $F -> tensor<${m}x1xsi32>
  %b = ptir.broadcast_to %min : tensor<${m}x1xsi32> -> $F
  %q = ptir.remainder %x, %b : $F
  %s = ptir.reduce sum %q axes [1] keepdims : $F -> tensor<${m}x1xsi32>
  %t = ptir.broadcast_to %s : tensor<${m}x1xsi32> -> $F
  %y = ptir.sub %q, %t : $F"""),
    "columns": ("%x: $F, %d: $F", """
  %q = ptir.div %x, %d : $F
  %y = ptir.reduce max %q axes [0] : $F -> tensor<${n}xsi32>"""),
    "windows": ("%x: $F, %d: $F", """
  %q = ptir.div %x, %d : $F
  %y = ptir.reduce_window sum %q window [3, 3] strides [2, 2] padding [(1, 1), (1, 1)] accum si32 : $F -> $W"""),
    "epilogue": ("%x: $A, %w: $B, %d: tensor<${n}xsi32>", """
  %a = ptir.dot_general %x, %w contract [1] x [0] accum si32 out si32 : ($A, $B) -> $F
  %b = ptir.broadcast_to %d : tensor<${n}xsi32> -> $F
  %y = ptir.div %a, %b : $F"""),
    "accumulator": ("%x: $A, %w: $B, %r: $F", """
  %a = ptir.dot_general %x, %w contract [1] x [0] accum si32 out si32 : ($A, $B) -> $F
  %y = ptir.remainder %r, %a : $F"""),
    "prologue": ("%x: $A, %d: $A, %w: $B", """
  %q = ptir.div %x, %d : $A
  %y = ptir.dot_general %q, %w contract [1] x [0] accum si32 out si32 : ($A, $B) -> $F"""),
    "two": ("%x: $F, %d: $F, %d2: $F", """
  %p = ptir.remainder %x, %d : $F
  %q = ptir.div %p, %d2 : $F
  %y = ptir.add %p, %q : $F"""),
    "adjacent rows": ("%x: $F, %d: $F, %d2: $F", """
  %p = ptir.remainder %x, %d : $F
  %q = ptir.div %x, %d2 : $F
  %s = ptir.reduce sum %q axes [0] keepdims : $F -> tensor<1x${n}xsi32>
  %b = ptir.broadcast_to %s : tensor<1x${n}xsi32> -> $F
  %y = ptir.add %p, %b : $F"""),
    "two kernels": ("%x: $P, %d: $P, %d2: $F, %z: $F", """
  %p = ptir.remainder %x, %d : $P
  %q = ptir.div %z, %d2 : $F
  %s = ptir.reduce sum %q axes [0] keepdims : $F -> tensor<1x${n}xsi32>
  %f = ptir.pad %s with 1 : si32 low [0, 2] high [0, 2] interior [0, 0] : tensor<1x${n}xsi32> -> tensor<1x${n4}xsi32>
  %b = ptir.broadcast_to %f : tensor<1x${n4}xsi32> -> $P
  %y = ptir.add %p, %b : $P"""),
}  # fmt: skip


def program(name: str, m: int, n: int, k: int = 24) -> str:
    """Returns the text of a program, whose result is `%y`."""
    arguments, body = PROGRAMS[name]
    types = {
        "F": f"tensor<{m}x{n}xsi32>",
        "A": f"tensor<{m}x{k}xsi8>",
        "B": f"tensor<{k}x{n}xsi8>",
        "P": f"tensor<{m + 3}x{n + 4}xsi32>",
        "W": f"tensor<{(m - 1) // 2 + 1}x{(n - 1) // 2 + 1}xsi32>",
    }
    filled = [Template(text).substitute(types, m=m, n=n, k=k, n3=3 * n, n4=n + 4) for text in (arguments, body)]
    result = filled[1].split()[-1]
    return f"""module attributes {{ptir.extensions}} {{
func.func @f({filled[0]}) -> {result} {{
  {filled[1]}
  func.return %y : {result}
}}
}}"""
