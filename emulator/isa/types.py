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


_INTEGERS = [(f"{kind}{bits}", kind, bits) for bits in (8, 16, 32, 64) for kind in "bus"]
SCALARS = {
    "pred": Scalar("pred", "p", 1, np.dtype(np.bool_)),
    **{
        name: Scalar(name, kind, bits, np.dtype(f"{'i' if kind == 's' else 'u'}{bits // 8}"))
        for name, kind, bits in _INTEGERS
    },
    "f16": Scalar("f16", "f", 16, np.dtype(np.float16)),
    "bf16": Scalar("bf16", "f", 16, np.dtype(ml_dtypes.bfloat16)),
    "f32": Scalar("f32", "f", 32, np.dtype(np.float32)),
    "f64": Scalar("f64", "f", 64, np.dtype(np.float64)),
}
PACKED = {"f16x2": SCALARS["f16"], "bf16x2": SCALARS["bf16"]}
"""The element type of each packed type: two 16-bit floats in one 32-bit register, the first in the low half."""

BITS = {1: SCALARS["pred"].dtype, **{bits: SCALARS[f"u{bits}"].dtype for bits in (8, 16, 32, 64)}}
"""The numpy type that stores a register, by the register's width in bits."""

CHUNK: dict[int, np.dtype[Any]] = {**{size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}, 16: np.dtype("V16")}
"""The numpy type as which memory is accessed, by the width of the access in bytes."""
