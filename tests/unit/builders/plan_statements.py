"""Writes plans as statements, the inverse of `ptir.frontends.plan_dsl.read_statements`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any

from ptir.frontends.plan_dsl import AXES, LOADS

_WORD = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)


def write_statements(fields: Mapping[str, Any], region: str = "") -> str:
    """Returns the statements of a plan, one a line, from its fields as JSON values. `region` is as in `GivenPlan`."""
    lines = [f"region {region if region.startswith('#') else _symbol(region)}"] if region else []
    for name, value in fields.items():
        lines += _statements(name, value)
    return "".join(f"{line};\n" for line in lines)


def _statements(name: str, value: Any) -> Iterator[str]:
    """Yields the statements of a field."""
    match name:
        case "tile":
            yield from (f"split {axis} {size}" for axis, size in zip(AXES, value, strict=False))
        case "stages":
            yield f"pipeline {LOADS} stages={value}"
        case "warp_tile":
            yield f"warp_tile {value}"
        case "split":
            yield f"split_k {value}"
        case "bind" | "algo_choice" | "unroll":
            yield from (f"{name} {_word(key)} {_word(inner)}" for key, inner in value.items())
        case "layout_hints":
            yield from (f"{name} {_word(key)}={_hint(inner)}" for key, inner in value.items())
        case "cache":
            for staged in value:
                pingpong = f" pingpong={_hint(staged['pingpong'])}" if "pingpong" in staged else ""
                where, at = staged.get("where", "smem"), staged.get("at", LOADS)
                yield f"cache_read {_word(staged['tensor'])} {_word(where)} at={_word(at)}{pingpong}"
        case "local_edges":
            for edge in value:
                depth = f" depth={edge['depth']}" if "depth" in edge else ""
                yield f"{name} {_word(edge['from'])} -> {_word(edge['to'])} {_word(edge.get('buffer', 'reg'))}{depth}"
        case "fuse":
            for fused in value:
                yield f"fuse {_words(fused['axes'])} -> {_word(fused['into'])}"
        case "vectorize":
            yield f"vectorize {_word(value['axis'])} {value['width']}"
        case _:
            yield f"{name} {_word(value) if isinstance(value, str | int) else _words(value)}".rstrip()


def _words(values: Sequence[Any]) -> str:
    return " ".join(map(_word, values))


def _word(value: Any) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else dumps(value)


def _hint(value: bool | str) -> str:
    return dumps(value) if isinstance(value, bool) or value in ("true", "false") else _word(value)


def _symbol(name: str) -> str:
    return f"@{name}" if re.fullmatch(r"[\w$.-]+", name) else dumps(name)
