"""The table of the axes of tensor values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count

from xdsl.ir import SSAValue

from ...dialects.ptir import dims
from .info import AxisVar, IndexInfo
from .isl_text import Symbol


class AxisTable:
    """Maps values to their index information. A value without any is a leaf, whose axes are created on demand."""

    def __init__(self) -> None:
        self._infos: dict[SSAValue, IndexInfo] = {}
        self._leaves: dict[SSAValue, IndexInfo] = {}
        self._ids = count()

    def __getitem__(self, value: SSAValue) -> IndexInfo:
        info = self._infos.get(value) or self._leaves.get(value)
        if info is None:
            info = self._leaves[value] = IndexInfo(self.new_axes(value))
        return info

    def axes(self, value: SSAValue) -> tuple[AxisVar, ...]:
        return self[value].axes

    def new_id(self) -> int:
        """Returns the id of an axis that no value has."""
        return next(self._ids)

    def new_axes(
        self,
        value: SSAValue,
        like: Sequence[AxisVar | None] = (),
        *,
        sizes: Sequence[Symbol | None] = (),
        repeated: Collection[int] = (),
    ) -> tuple[AxisVar, ...]:
        """
        Returns one axis for each dimension of `value`. An axis given in `like` keeps its id and kind. Dynamic sizes are taken
        from `like` or `sizes`; without either, they become new parameters. Axes in `repeated` are of kind `broadcast`.
        """
        known = self._leaves[value].axes if value in self._leaves else ()
        out: list[AxisVar] = []
        for k, size in enumerate(dims.sizes(value)):
            same, other = (like[k] if like else None), (sizes[k] if sizes else None)
            id = known[k].id if known else same.id if same else self.new_id()
            kind = "broadcast" if k in repeated else same.kind if same else "iter"
            if size is None:
                size = same.size if same else other
            out.append(AxisVar(id, f"i{k}", f"?{id}" if size is None else size, kind))
        return tuple(out)
