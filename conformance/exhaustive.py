"""
All inputs of binary32, in C made from the graphs that NumPy evaluates.

Each result is compared with the C library's binary64 function, whose error is below 2^-47; where that does not decide the rounding, mpmath
judges. A checksum of a chunk is the sum, modulo 2^64, of the bits of each result times 2 k + 1, k being the bits of the input.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..elementary.functions import FUNCTIONS, graph
from ..elementary.text import C_BOOLEAN, C_INTEGER, INFIX_FORMS, Spelling, body, c_literal, c_table, table_name
from .errors import MissingOracle
from .rounding_oracle import MARGIN, differences, exact, rounded

CHUNK_BITS = 26
CHUNKS = 1 << 32 - CHUNK_BITS
C = Spelling(
    {
        "f64": INFIX_FORMS
        | {
            "add": "{0} + {1}",
            "sub": "{0} - {1}",
            "mul": "{0} * {1}",
            "div": "{0} / {1}",
            "neg": "-{0}",
            "sqrt": "sqrt({0})",
            "product_error": "fma({0}, {1}, -{2})",
            "bits": "bits({0})",
        },
        "i64": C_INTEGER | {"convert": "(double){0}", "number": "number({0})", "lookup": "{0}[{1}]"},
        "i1": C_BOOLEAN | {"select": "{0} ? {1} : {2}", "eq": "{0} == {1}"},
    },
    "const {0} {1} = {2};",
    lambda number: c_literal(number, "number({})"),
    "table_",
)
LIBRARY = {"sigmoid": "1.0 / (1.0 + exp(-x))", "rsqrt": "1.0 / sqrt(x)"}
"""The expressions of functions that the C library does not have."""
PROGRAM = r"""
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static inline long long bits(double x) { long long n; memcpy(&n, &x, 8); return n; }
static inline double number(long long n) { double x; memcpy(&x, &n, 8); return x; }
static inline uint32_t word(float x) { uint32_t n; memcpy(&n, &x, 4); return n; }
@TABLES@
static inline double f(double x) {
@BODY@
}
static inline double library(double x) { return @LIBRARY@; }
int main(int argc, char** argv) {
  const uint64_t first = strtoull(argv[1], 0, 0), last = strtoull(argv[2], 0, 0), step = strtoull(argv[3], 0, 0);
  uint64_t sum = 0;
  for (uint64_t k = first; k < last; k += step) {
    const uint32_t input = (uint32_t)k;
    float x;
    memcpy(&x, &input, 4);
    const double r = library((double)x);
    const uint32_t y = word((float)f((double)x)), low = word((float)(r * (1 - @MARGIN@))), high = word((float)(r * (1 + @MARGIN@)));
    sum += (uint64_t)y * (2 * k + 1);
    if ((low != high || y != low) && !(r != r && y == 0x7fc00000)) {
      const uint32_t record[2] = {input, y};
      fwrite(record, 8, 1, stdout);
    }
  }
  fprintf(stderr, "%016llx", (unsigned long long)sum);
  return 0;
}
"""
OPTIONS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-w")


@dataclass(frozen=True)
class Part:
    """The outcome for a part of the inputs."""

    checksum: str
    judged: int
    wrong: tuple[tuple[str, str, str], ...]
    """The inputs, wrong results and right results, as bits, at most ten."""


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Returns where programs are built. The folder is removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="ptir-")


@cache
def program(name: str) -> Path:
    """Compiles the program for a function with the C compiler `cc`. Raises `MissingOracle`."""
    of = graph(name)
    tables = "\n".join(c_table(t, f"static const double {table_name(t, C)}[{{}}]") for t in of.tables())
    text = PROGRAM.replace("@TABLES@", tables).replace("@BODY@", body(of, C)).replace("@MARGIN@", MARGIN.hex())
    text = text.replace("@LIBRARY@", LIBRARY.get(name, f"{name}(x)"))
    source, out = (Path(folder().name) / file for file in (f"{name}.c", name))
    source.write_text(text)
    try:
        subprocess.run(["cc", *OPTIONS, "-o", str(out), str(source), "-lm"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise MissingOracle(problem=f"the C compiler cc fails ({error})") from error
    return out


def check(name: str, first: int, last: int, step: int = 1) -> Part:
    """Checks the inputs whose bits are in a range, or one of `step` of them."""
    command = [str(program(name)), str(first), str(last), str(step)]
    done = subprocess.run(command, check=True, capture_output=True)
    records = np.frombuffer(done.stdout, np.uint32).reshape(-1, 2)
    x, y = (records[:, k].copy().view(np.float32).astype(np.float64) for k in (0, 1))
    want = np.array([rounded(exact(name, float(v)), "f32") for v in x])
    bits = want.astype(np.float32).view(np.uint32)
    wrong = [(int(records[k, 0]), int(records[k, 1]), int(bits[k])) for k in differences(y, want)[:10]]
    found = tuple((f"{a:#010x}", f"{b:#010x}", f"{c:#010x}") for a, b, c in wrong)
    return Part(done.stderr.decode(), len(records), found)


def chunk(name: str, number: int) -> Part:
    return check(name, number << CHUNK_BITS, number + 1 << CHUNK_BITS)


NAMES = tuple(FUNCTIONS)
