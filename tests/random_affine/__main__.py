"""
Compiles random affine programs for sm80 and sm90. None may be rejected, and results must equal those of the reference.

    python -m tests.random_affine --seed 1 --count 2000 --state /tmp/affine.jsonl --report affine.json
    python -m tests.random_affine --seed 1 --only 4711            # one program: prints its text and its problems

With `--state`, a run that was stopped is resumed. The exit status is 1 if a problem was found.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.random_programs.__main__ import arguments, check_programs

from .check import Compiler
from .programs import OPTIONS, ROWS


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = arguments("python -m tests.random_affine", __doc__)
    parser.set_defaults(tries=150)
    return check_programs(parser.parse_args(args), OPTIONS, Compiler(), ROWS)


if __name__ == "__main__":
    sys.exit(main())
