"""PTX fundamental types as numpy types (PTX ISA §5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""One value per lane."""


@dataclass(frozen=True)
class Scalar:
    """A PTX type. `kind` is b(its) u(nsigned) s(igned) f(loat) or p(redicate)."""

    name: str
    kind: str
    bits: int
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        return self.kind == "f"


def _scalars() -> dict[str, Scalar]:
    table = {"pred": Scalar("pred", "p", 1, np.dtype(np.bool_))}
    for bits in (8, 16, 32, 64):
        for kind, numpy_kind in (("b", "uint"), ("u", "uint"), ("s", "int")):
            name = f"{kind}{bits}"
            table[name] = Scalar(name, kind, bits, np.dtype(f"{numpy_kind}{bits}"))
    table["f16"] = Scalar("f16", "f", 16, np.dtype(np.float16))
    table["bf16"] = Scalar("bf16", "f", 16, np.dtype(ml_dtypes.bfloat16))
    table["f32"] = Scalar("f32", "f", 32, np.dtype(np.float32))
    table["f64"] = Scalar("f64", "f", 64, np.dtype(np.float64))
    return table


SCALARS = _scalars()
PACKED = {"f16x2": SCALARS["f16"], "bf16x2": SCALARS["bf16"]}
"""Two 16-bit floats in one 32-bit register, the first in the low half."""

BITS: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.bool_),
    8: np.dtype(np.uint8),
    16: np.dtype(np.uint16),
    32: np.dtype(np.uint32),
    64: np.dtype(np.uint64),
}
"""The storage type of a register by its width."""

CHUNK: dict[int, np.dtype[Any]] = {
    1: np.dtype("u1"),
    2: np.dtype("u2"),
    4: np.dtype("u4"),
    8: np.dtype("u8"),
    16: np.dtype("V16"),
}
"""The element type of memory for an access of that many bytes."""
