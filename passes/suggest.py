"""'Did you mean': the names nearest to a misspelt one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.context import Context
from xdsl.ir import Dialect


def nearest(name: str, known: Iterable[str], *, count: int = 1) -> list[str]:
    """At most `count` of `known` that may be `name` misspelt, best first: of about its length, most letters the same."""
    from difflib import get_close_matches  # only needed once something is wrong

    near = [other for other in known if abs(len(other) - len(name)) <= max(2, len(name) // 3)]
    return get_close_matches(name, near, n=count, cutoff=0.6)


def did_you_mean(name: str, known: Iterable[str], *, count: int = 1, otherwise: str = "") -> str:
    """
    A help line.

    >>> did_you_mean("csee", ["cse", "dce"])
    "did you mean 'cse'?"
    """
    near = nearest(name, known, count=count)
    return "did you mean " + " or ".join(f"'{n}'" for n in near) + "?" if near else otherwise


def suggest_operation(name: str, ctx: Context) -> str:
    """What is said of an operation that `ctx` does not know."""
    return _suggest(name, ctx, lambda dialect: (op.name for op in dialect.operations))


def suggest_attribute(name: str, ctx: Context) -> str:
    """What is said of an attribute or a type that `ctx` does not know."""
    return _suggest(name, ctx, lambda dialect: (attribute.name for attribute in dialect.attributes))


_FLOATS = ("bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2", "tf32")
_TYPES = ("tensor", "memref", "vector", "tuple", "complex", "index", "none", *_FLOATS, "i1", "i8", "i32", "i64")
_FOREIGN_TYPES = {
    "bool": "i1",
    "half": "f16",
    "float": "f32",
    "double": "f64",
    "bfloat16": "bf16",
    "int": "i32",
    "long": "i64",
    **{f"float{n}": f"f{n}" for n in (16, 32, 64)},
    **{f"{sign}int{n}": f"{sign}i{n}" for sign in ("", "u") for n in (8, 16, 32, 64)},
}
"""What NumPy, C and PyTorch call builtin types."""


def suggest_type(name: str) -> str:
    """What is said of a word that is no builtin type."""
    if (own := _FOREIGN_TYPES.get(name)) is not None:
        return f"MLIR writes {own}"
    return did_you_mean(name, _TYPES, otherwise="types of dialects begin with !")


def _suggest(name: str, ctx: Context, members: Callable[[Dialect], Iterable[str]]) -> str:
    if "." not in name:
        return "operations are named dialect.operation"
    dialect_name = name.partition(".")[0]
    if (dialect := ctx.get_optional_dialect(dialect_name)) is None:
        near = did_you_mean(dialect_name, ctx.registered_dialect_names, otherwise="--show-dialects lists them")
        return f"there is no dialect '{dialect_name}'; {near}"
    return did_you_mean(name, members(dialect))
