"""The verdict on a candidate, layer by layer, and its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from textwrap import indent
from typing import Any, Literal

import msgspec
import numpy as np

from ..semantics.arrays.scalars import Array, DType, cast, integer_range

Status = Literal["PASS", "FAIL", "UNKNOWN"]


@dataclass(frozen=True)
class Case:
    """The arguments of one run. `kind` says how they were made."""

    kind: str
    binding: Mapping[str, int]
    arrays: tuple[Array, ...]


@dataclass(frozen=True)
class Difference:
    """The element in which the candidate's results differ most from the intent's, or the reason why it has no results."""

    problem: str
    output: int = 0
    index: tuple[int, ...] = ()
    expected: float | None = None
    got: float | None = None
    limits: str = ""
    """The tolerance and the sound interval that the element is outside of."""

    def text(self) -> str:
        if self.expected is None:
            return self.problem
        where = f"output {self.output} at {list(self.index)} is {self.got!r}, expected {self.expected!r}"
        return f"{self.problem}: {where}{f' ({self.limits})' if self.limits else ''}"


@dataclass(frozen=True)
class Counterexample:
    """A case on which the candidate differs from the intent."""

    case: Case
    difference: Difference
    names: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.case.kind,
            "difference": self.difference.text(),
            "binding": dict(self.case.binding),
            "arguments": {
                name: {
                    "dtype": str(a.dtype),
                    "shape": list(a.shape),
                    "values": [_number(v) for v in a.reshape(-1).tolist()],
                }
                for name, a in zip(self.names, self.case.arrays, strict=True)
            },
        }


class Argument(msgspec.Struct):
    """An array of a case in JSON; NaN and infinities are words."""

    dtype: str
    shape: list[int]
    values: list[bool | int | float | Literal["nan", "inf", "-inf"]]

    def array(self, dtype: DType) -> Array | None:
        """Returns the array, or None if its values are too many or few, or not of the type."""
        if min(self.shape, default=1) < 0 or prod(self.shape) != len(self.values):
            return None
        if dtype.kind in "iub":
            low, high = (0, 1) if dtype.kind == "b" else integer_range(dtype)
            if not all(isinstance(v, int) and low <= v <= high for v in self.values):
                return None
            return np.array(self.values, dtype).reshape(self.shape)
        return cast(np.array(list(map(float, self.values)), np.float64), dtype).reshape(self.shape)


class CaseFile(msgspec.Struct):
    """A case in JSON: what `Counterexample.to_json` returns."""

    binding: dict[str, int]
    arguments: dict[str, Argument]
    kind: str = ""
    difference: str = ""
    intent: str = ""


@dataclass
class Layer:
    """The verdict of one layer. `evidence` are sentences and numbers that support it."""

    name: str
    status: Status
    seconds: float = 0.0
    evidence: list[str] = field(default_factory=list[str])
    counterexample: Counterexample | None = None


@dataclass
class Report:
    """The verdict on a candidate: FAIL if a layer fails, else UNKNOWN if one is, else PASS."""

    intent: str
    candidate: str
    contract: str
    layers: list[Layer] = field(default_factory=list[Layer])

    @property
    def status(self) -> Status:
        found = {layer.status for layer in self.layers}
        return "FAIL" if "FAIL" in found else "UNKNOWN" if "UNKNOWN" in found or not found else "PASS"

    @property
    def counterexample(self) -> Counterexample | None:
        return next((layer.counterexample for layer in self.layers if layer.counterexample is not None), None)

    def to_json(self) -> dict[str, Any]:
        layers = [
            {
                "name": layer.name,
                "status": layer.status,
                "seconds": round(layer.seconds, 3),
                "evidence": layer.evidence,
                **({"counterexample": layer.counterexample.to_json()} if layer.counterexample else {}),
            }
            for layer in self.layers
        ]
        return {
            "intent": self.intent,
            "candidate": self.candidate,
            "contract": self.contract,
            "status": self.status,
            "layers": layers,
        }

    def text(self) -> str:
        lines = [f"{self.status}: {self.candidate} against @{self.intent} (contract {self.contract})"]
        for layer in self.layers:
            lines.append(f"  {layer.status:8}{layer.name:14}{layer.seconds:7.2f} s  {'; '.join(layer.evidence)}")
            if (found := layer.counterexample) is not None:
                lines.append(indent(found.difference.text(), "    "))
                binding = ", ".join(f"{s} = {n}" for s, n in found.case.binding.items())
                lines.append(f"    with {binding}" if binding else "    without symbols")
                for name, array in zip(found.names, found.case.arrays, strict=True):
                    shown = np.array2string(array, threshold=16, separator=", ", prefix=f"    {name} = ")
                    lines.append(f"    {name} = {shown}")
        return "\n".join(lines) + "\n"


def _number(value: Any) -> Any:
    """Returns an element for JSON; NaN and infinities are words, a float of ml_dtypes is a number."""
    if isinstance(value, bool | int):
        return value
    number = float(value)
    return number if number - number == 0 else "nan" if number != number else "inf" if number > 0 else "-inf"
