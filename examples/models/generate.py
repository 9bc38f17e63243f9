"""
Greedy generation with GPT-2: a prefill computes the keys and values of a prompt, then each decode step adds a token.

    make demo
    python -m examples.models.generate --steps 8 --arch sm90

The weights are random, so that the tokens mean nothing; what counts is that they are those of the NumPy reference, which computes
the whole sequence in f64 again for each token. Runs on a GPU if there is one, otherwise the PTX is executed on the CPU. Exit status 1
if a token differs, or if a logit is off by more than the tolerance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import ptir
from ptir.runtime.devices import Emulator, best_device

from . import TOLERANCE, gpt2, gpt2_decode
from .__main__ import largest_error

console = Console(highlight=False, soft_wrap=True)


class Generation:
    """The tokens so far, the cache of their keys and values, and the table of what each call of the programs did."""

    def __init__(self, config: gpt2.Config, prefill: Callable[..., Any], step: Callable[..., Any], device: Any):
        self.config, self.prefill, self.step, self.device = config, prefill, step, device
        self.weights, self.tokens = gpt2.weights(config, 0), gpt2.inputs(config, 1)["tokens"]
        self.table = Table("program", "tokens in", "out", "NumPy", "error", "launches", "bytes", box=None)
        self.caches: dict[str, Any] = {}
        self.ok = True

    def start(self) -> None:
        """Runs the prefill; the cache has room for all positions."""
        results = self.prefill(tokens=self.tokens, **self.weights)._asdict()
        room = ((0, 0), (0, 0), (0, self.config.positions - self.config.tokens), (0, 0))
        self.add("prefill", " ".join(map(str, self.tokens[0])), results.pop("logits"))
        self.caches = {name: np.pad(cache, room) for name, cache in results.items()}

    def go_on(self) -> None:
        """Runs a decode step on the last token."""
        token, position = self.tokens[:, -1], np.int32(self.tokens.shape[1] - 1).reshape(())
        results = self.step(token=token, position=position, **self.caches, **self.weights)._asdict()
        self.add(f"step at {position}", str(token[0]), results.pop("logits"))
        self.caches = {name.removesuffix("_next"): cache for name, cache in results.items()}

    def add(self, program: str, tokens: str, logits: Any) -> None:
        """Chooses the next token, and compares with the reference."""
        reports = self.device.reports if isinstance(self.device, Emulator) else []
        launches, moved = len(reports), sum(report.global_bytes for report in reports)
        reports.clear()
        config = replace(self.config, tokens=self.tokens.shape[1])
        whole = gpt2.reference(config, self.weights, {"tokens": self.tokens})["logits"]
        error, chosen, want = largest_error(logits, whole), logits.argmax(1), whole.argmax(1)
        self.ok &= error <= TOLERANCE[self.config.dtype] and bool((chosen == want).all())
        cells = (chosen[0], want[0], f"{error:.0e}", launches or "", f"{moved:,}" if moved else "")
        self.table.add_row(program, tokens, *map(str, cells))
        self.tokens = np.concatenate([self.tokens, chosen[:, None].astype(np.int32)], 1)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Greedy generation with GPT-2.")
    parser.add_argument("--steps", type=int, default=4, help="decode steps after the prefill")
    parser.add_argument("--arch", default="sm80")
    options = parser.parse_args(argv)
    config, device = gpt2.CONFIGS["tiny"], best_device()
    if not 0 <= options.steps <= config.positions - config.tokens:
        parser.error(f"there is room for {config.positions - config.tokens} steps")
    console.print(
        f"GPT-2 with {config.layers} layers of {config.features} features, random weights, compiled for {options.arch}:"
    )
    prefill, step = (
        ptir.compile(network.build(config), arch=options.arch, device=device) for network in (gpt2, gpt2_decode)
    )
    generation = Generation(config, prefill, step, device)
    generation.start()
    for _ in range(options.steps):
        generation.go_on()
    console.print(generation.table)
    compiled = (prefill, step.compile_for(B=config.batch, T=config.positions))
    kernels = [len(p.program.binary.kernels) for p in compiled]
    weights, caches = (sum(x.nbytes for x in xs.values()) for xs in (generation.weights, generation.caches))
    console.print(f"kernels: {kernels[0]} of the prefill, {kernels[1]} of a step, each compiled once for all layers")
    console.print(f"bytes:   {weights:,} of the weights, {caches:,} of the cache, which a step reads and writes")
    console.print(f"agreement: {'ok' if generation.ok else 'FAILED'}: the tokens are those of NumPy in f64")
    return 0 if generation.ok else 1


if __name__ == "__main__":
    sys.exit(main())
