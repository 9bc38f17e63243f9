"""The attention that `gpu.py` times and that is compared with Triton's: the programs of `tests/unit/builders/attention_cases.py`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from workload import ROUNDING, ROWS, Array, Workload, random_array, spread

sys.path.append(str(Path(__file__).parent.parent))

from tests.unit.builders.attention_cases import Case


@dataclass(frozen=True)
class Attention(Case, Workload):
    """Attention, whose lengths and documents do not depend on the seed."""

    exact = False

    @property
    def name(self) -> str:
        heads = f"{self.batch}x{self.heads * self.group} heads" + (f", {self.group} a key" if self.group > 1 else "")
        parts = [self.mask] * (self.mask != "none") + [self.bias] * (self.bias != "none") + ["cap"] * bool(self.cap)
        return " ".join(["attention", self.dtype, f"{self.queries}x{self.keys}x{self.size}", heads, *parts])

    @cached_property
    def shapes(self) -> dict[str, tuple[tuple[int, ...], str]]:
        return {name: (self.array_shape(name), self.element(name)) for name in self.names}

    @property
    def masks(self) -> dict[str, Array]:
        """The arrays of the mask: lengths from half of the keys to all, and four documents of which later ones are longer."""
        positions = np.arange(longest := max(self.queries, self.keys))
        made = {
            "lengths": np.linspace(self.keys / 2, self.keys, self.batch).round(),
            "documents": 4 * np.sqrt(positions / longest),
        }
        return {name: array.astype(np.int32) for name, array in made.items() if name in self.names}

    @property
    def operations(self) -> int:
        """Those of both products for the scores that the mask leaves."""
        kept = self.kept(self.masks)
        scores = int(kept.sum()) * (prod((self.batch, self.heads, self.group, self.queries, self.keys)) // kept.size)
        return 2 * (self.size + self.columns) * scores

    def operands(self, seed: int, *, integers: bool = False) -> tuple[Array, ...]:
        r, masks = np.random.default_rng(seed), self.masks
        return tuple(masks[n] if n in masks else random_array(r, *of, integers) for n, of in self.shapes.items())

    def sampled(self, result: Array, data: Sequence[Array]) -> tuple[Array, Array, Array]:
        """The weights and the result are rounded, and the rounding of the weights is that of p · |v|; the scores' errors are smaller."""
        heads = prod(result.shape[:3])
        rows = spread(self.queries, max(2, ROWS // heads))
        q, k, v, *further = data
        v = v.astype(np.float64)
        both = self.expected(q, k, np.concatenate([v, np.abs(v)], -1), *further, queries=rows)
        want, scale = np.split(both, 2, -1)
        return result[..., rows, :], want, 2 * ROUNDING[self.dtype] * (scale + np.abs(want))


def timed() -> list[Attention]:
    """Returns what is timed, for 16384 tokens and 2048 elements a token as far as a case has them."""
    sizes = {64: 32, 128: 16, 256: 8}
    long: dict[str, Any] = {"queries": 4096, "keys": 4096, "size": 128, "batch": 4, "heads": 16}
    return [
        *(Attention(**long | {"size": d, "heads": h, "mask": mask}) for d, h in sizes.items() for mask in ("none", "causal")),
        Attention(**long | {"queries": 8192, "keys": 8192, "batch": 2, "mask": "causal"}),
        Attention(**long | {"heads": 4, "group": 4, "mask": "causal"}),
        Attention(**long | {"mask": "causal", "dtype": "f16"}),
        Attention(**long | {"mask": "window", "window": 1024}),
        Attention(**long | {"mask": "documents"}),
        Attention(**long | {"mask": "lengths"}),
        Attention(**long | {"mask": "causal", "bias": "alibi"}),
        Attention(**long | {"mask": "causal", "cap": 30.0}),
        Attention(**long | {"bias": "tensor"}),
        Attention(**long | {"queries": 1, "batch": 16, "heads": 8, "group": 4}),
    ]  # fmt: skip


@dataclass(frozen=True)
class Tile:
    """A configuration of `triton_attention.py`: a form, queries and keys of a tile, warps and stages."""

    form: str
    tile: tuple[int, int]
    warps: int
    stages: int


TRITON = {
    ("sm80", 64): Tile("pointers", (128, 64), 4, 3),
    ("sm80", 128): Tile("pointers", (128, 64), 8, 3),
    ("sm80", 256): Tile("pointers", (64, 64), 4, 2),
    ("sm90", 64): Tile("descriptors", (128, 128), 8, 3),
    ("sm90", 128): Tile("descriptors", (128, 128), 8, 2),
    ("sm90", 256): Tile("descriptors", (128, 64), 8, 2),
}
"""By architecture and head size, a configuration of those that the tutorial tries, chosen by hand from a few, without a mask."""
