"""
Networks built from Python, each with a NumPy reference. `python -m examples.models` runs them; `README.md` lists them.

A network is a module with `CONFIGS` by name, of which `tiny` is for tests, and the functions of `Network`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .arrays import Array, Arrays

NETWORKS = ("gpt2", "gpt2_decode", "llama", "resnet", "vit", "lstm", "moe", "mamba", "unet", "beam_search")
TOLERANCE = {"f32": 1e-4, "f16": 5e-3, "bf16": 3e-2}
"""The largest error of a result, relative to its largest element, by the type of the weights."""


class Network(Protocol):
    """What the modules of `NETWORKS` define."""

    @property
    def CONFIGS(self) -> Mapping[str, Any]: ...

    def build(self, config: Any) -> ModuleOp:
        """Returns the program, whose entry takes the inputs and weights by name."""
        ...

    def weights(self, config: Any, seed: int) -> dict[str, Array]: ...

    def inputs(self, config: Any, seed: int) -> dict[str, Array]: ...

    def reference(self, config: Any, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
        """Returns the results by name, computed by NumPy in f64."""
        ...


def network(name: str) -> Network:
    return cast(Network, import_module(f".{name}", __name__))
