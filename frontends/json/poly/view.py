"""The schema of Poly-View JSON. Fields that the spec does not have are omitted if they are empty."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from ..ptir.values import Record
from ..tiny.program import Number


class Access(Record, omit_defaults=True):
    """
    A read of a tensor. `map` maps the axes of the domain to those of the tensor. Outside `guard`, a subset of the domain, the
    tensor is not read and the value is `fill`.
    """

    tensor: str
    map: str
    guard: str | UnsetType = UNSET
    fill: Number | UnsetType = UNSET


class Offset(Record, omit_defaults=True):
    """A sliding window: axis `axis` of an operand is read at `(stride*out + dilation*window + offset)/base_dilation`, in units of `unit`."""

    axis: int
    out: str
    window: str
    stride: int
    dilation: int
    offset: int
    unit: int = 1
    base_dilation: int = 1


class Offsets(Record, omit_defaults=True):
    lhs: list[Offset] | UnsetType = UNSET
    rhs: list[Offset] | UnsetType = UNSET


class Pattern(Record, omit_defaults=True):
    """
    The axes of a contraction's operands, its result and its reduction. They are axes of the domain, or, if `digits` maps the
    domain to finer axes, these finer axes: `d0, d1, …`.
    """

    pattern: Literal["matmul", "conv"]
    lhs_idx: list[str]
    rhs_idx: list[str]
    out_idx: list[str]
    reduce_idx: list[str]
    affine_offsets: Offsets
    groups: int | UnsetType = UNSET
    digits: str | UnsetType = UNSET


class Block(Record, omit_defaults=True):
    """
    A statement. Each axis of the domain has a lower (inclusive) and an upper (exclusive) bound, which may depend on sizes and
    outer axes; `set` is the exact domain if the bounds do not determine it. `reduces` are the reduced axes.
    """

    name: str
    kind: Literal["ewise", "reduce", "movement_affine", "contraction_pattern"]
    domain: dict[str, tuple[str, str]]
    accesses: list[Access]
    attrs: Pattern | UnsetType = UNSET
    reduces: list[str] | UnsetType = UNSET
    set: str | UnsetType = UNSET


class Dependences(Record):
    """Relations from points of the target to points of the source."""

    true: list[str]
    anti: list[str]
    output: list[str]


class Edge(Record, rename={"source": "from", "target": "to"}):
    source: str
    target: str
    deps: Dependences


class View(Record):
    function: str
    blocks: list[Block]
    edges: list[Edge]


class PolyView(Record):
    poly_view: View


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of Poly-Views."""
    return msgspec.json.schema(PolyView)
