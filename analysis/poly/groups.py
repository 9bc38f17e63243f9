"""
Groups of values that may be computed together: chains of values with a single consumer each.

A value joins the group of its only consumer if it is computed and can be computed in the tiles of the group's last value.
Groups end at stored values (results of the program and values with several consumers) and at indices that are not affine.

```
   x ──exp──▶ v0 ──mul──▶ v1 ──take──▶ v2 ──neg──▶ v3 ──┬──▶ v4      [v0, v1] [v3] [v4] [v5]
                                                        └──▶ v5
```

Spec: `tensor-compiler.ja §1.6`, `§0.1` (UCC).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from .reads import is_computed


def fusable_groups(
    values: Sequence[SSAValue], is_affine: Callable[[SSAValue], bool], may_fuse: Callable[[SSAValue, SSAValue], bool]
) -> list[list[SSAValue]]:
    """Returns the groups of `values` in order. Values in memory, and those that are not affine, are in none."""
    among = [value for value in values if is_computed(value) and is_affine(value)]
    group: dict[SSAValue, list[SSAValue]] = {}
    for value in reversed(among):
        consumer = only_consumer(value)
        if consumer is not None and consumer in group and may_fuse(value, group[consumer][0]):
            group[value] = group[consumer]
        else:
            group[value] = []
        group[value].append(value)
    found = {id(members): members for members in group.values()}
    place = {value: k for k, value in enumerate(among)}
    return sorted((sorted(members, key=place.__getitem__) for members in found.values()), key=lambda m: place[m[0]])


def only_consumer(value: SSAValue) -> SSAValue | None:
    """Returns the result of the only op that uses a value, if it is in the same block."""
    users = {use.operation for use in value.uses}
    if len(users) != 1:
        return None
    (user,) = users
    home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    return user.results[0] if user.parent is home and len(user.results) == 1 else None
