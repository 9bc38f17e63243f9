"""Statements (blocks) of a view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.traits import SymbolOpInterface
from xdsl.utils.hints import isa

from ...errors import InvalidAttributeValue, counted
from ..common.checks import check, check_attribute, check_value, check_word
from ..common.shapes import index_names
from ..common.syntax import Keyword
from .attributes import GuardAttr, MapAttr, SetAttr
from .text import require_map, require_set

KINDS = ("ewise", "reduce", "movement_affine", "contraction_pattern")
REDUCING = ("reduce", "contraction_pattern")
PATTERNS = ("matmul", "conv")


Guards = Sequence[GuardAttr | None]


@irdl_op_definition
class BlockOp(IRDLOperation):
    """
    A statement: its kind, its domain, and its reads. The domain has the axes of the value, followed by the reduction axes,
    which `reduces` names. `guards` has an entry for each read; it is `unit` if the read has no guard.

    The `pattern` of a contraction (§12.3) lists the axes of each operand, of the output and of the reduction. For a `conv`,
    `affine_offsets` lists the sliding windows of each operand: its axis `axis` is read at
    `stride*out + dilation*window + offset`, which is divided by the `base_dilation` of a transposed convolution. If a contraction
    is only found after splitting axes of the domain, `digits` maps the domain to the split axes `d0, d1, …`, and the lists name the
    split axes.
    """

    name = "poly.block"
    sym_name = prop_def(SymbolNameConstraint())
    kind = prop_def(StringAttr)
    domain = prop_def(SetAttr)
    reduces = opt_prop_def(ArrayAttr[StringAttr])
    tensors = prop_def(ArrayAttr[StringAttr])
    maps = prop_def(ArrayAttr[MapAttr])
    guards = opt_prop_def(ArrayAttr[GuardAttr | UnitAttr])
    pattern = opt_prop_def(DictionaryAttr)
    traits = traits_def(SymbolOpInterface())
    custom_directives = (Keyword,)
    assembly_format = (
        "$sym_name custom<Keyword>($kind) $domain (`reduces` $reduces^)? `reads` $tensors `by` $maps "
        "(`guards` $guards^)? (`pattern` $pattern^)? attr-dict"
    )

    def __init__(
        self,
        name: str,
        kind: str,
        domain: str,
        reads: Sequence[tuple[str, str]],
        *,
        reduces: Sequence[str] | None = None,
        guards: Guards = (),
        pattern: Mapping[str, Attribute] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "kind": StringAttr(kind),
                "domain": SetAttr(domain),
                "reduces": None if reduces is None else axis_names(reduces),
                "tensors": ArrayAttr([StringAttr(t) for t, _ in reads]),
                "maps": ArrayAttr([MapAttr(m) for _, m in reads]),
                "guards": ArrayAttr([g or UnitAttr() for g in guards]) if any(guards) else None,
                "pattern": DictionaryAttr(dict(pattern)) if pattern is not None else None,
            }
        )

    @property
    def rank(self) -> int:
        """The rank of the domain."""
        return len(require_set(self, "domain", self.domain.source.data).axes)

    @property
    def outputs(self) -> int:
        """The rank of the value: the number of axes of the domain that are not reduced."""
        return self.rank - (len(self.reduces) if self.reduces is not None else 0)

    def verify_(self) -> None:
        kind = self.kind.data
        check_word(self, "kind", kind, KINDS)
        rank, names = self.rank, index_names(self.rank)
        placed = (self.reduces is not None) == (kind in REDUCING)
        check(self, placed, f"must have 'reduces' if its kind is {' or '.join(REDUCING)}, and only then")
        if self.reduces is not None:
            last = f"the last axes of {', '.join(names)}" if names else "nothing, as the domain has no axes"
            legal = _strings(self.reduces) == names[self.outputs :]
            check_value(self, legal, "reduces", self.reduces, f"name {last}")
        count = len(self.tensors)
        for name, given in (("by", self.maps), ("guards", self.guards)):
            if given is not None:
                problem, help = f"has {counted(len(given), 'element')}", f"one for each of {counted(count, 'tensor')}"
                check_attribute(self, len(given) == count, name, problem, help)
        for access in self.maps:
            require_map(self, "by", access.source.data, rank)
        for guard in self.guards or ():
            if isinstance(guard, GuardAttr):
                require_set(self, "guards", guard.source.data, rank)
        placed = (self.pattern is not None) == (kind == "contraction_pattern")
        check(self, placed, "must have a pattern if its kind is contraction_pattern, and only then")
        if self.pattern is not None:
            self._verify_pattern(self.pattern)

    def _verify_pattern(self, pattern: DictionaryAttr) -> None:
        known = {"pattern", "lhs_idx", "rhs_idx", "out_idx", "reduce_idx", "groups", "affine_offsets", "digits"}
        for key in pattern.data:
            check_attribute(self, key in known, key, "is not an entry of a pattern", ", ".join(sorted(known)))
        name = pattern.data.get("pattern")
        legal = name in [StringAttr(p) for p in PATTERNS]
        check_value(self, legal, "pattern", name or "missing", f"one of {', '.join(PATTERNS)}")
        names = self._pattern_axes(pattern.data.get("digits"))
        lists = {key: self._axes_of(pattern, key, names) for key in ("lhs_idx", "rhs_idx", "out_idx", "reduce_idx")}
        complete = sorted(lists["out_idx"] + lists["reduce_idx"]) == sorted(names)
        check(self, complete, f"must have each of {', '.join(names)} once in out_idx and reduce_idx")
        conv = name == StringAttr("conv")
        for key in ("groups", "affine_offsets"):
            check(self, conv or key not in pattern.data, f"may have '{key}' in the pattern of a conv only")
        if conv:
            self._verify_offsets(pattern.data.get("affine_offsets"), lists)
        groups = pattern.data.get("groups")
        check_value(self, groups is None or isa(groups, IntegerAttr), "groups", groups, "a number")

    def _pattern_axes(self, digits: Attribute | None) -> list[str]:
        if digits is None:
            return index_names(self.rank)
        if not isinstance(digits, MapAttr):
            raise InvalidAttributeValue(self, name="digits", problem=f"is {digits}", help="a #poly.map")
        return [f"d{k}" for k in range(require_map(self, "digits", digits.source.data, self.rank).outputs)]

    def _axes_of(self, pattern: DictionaryAttr, key: str, known: Sequence[str]) -> list[str]:
        names = pattern.data.get(key)
        if not isa(names, ArrayAttr[StringAttr]):
            raise InvalidAttributeValue(self, name=key, problem=f"is {names or 'missing'}", help="a list of axes")
        for axis in _strings(names):
            check_attribute(
                self, axis in known, key, f"names the unknown axis '{axis}'", f"the axes are {', '.join(known)}"
            )
        return _strings(names)

    def _verify_offsets(self, offsets: Attribute | None, lists: Mapping[str, Sequence[str]]) -> None:
        """Checks that each operand has a list of windows, whose axes are output axes (`out`) and reduction axes (`window`)."""

        def wrong(problem: str) -> InvalidAttributeValue:
            form = '{lhs = [{axis = 0, out = "i0", window = "i2", stride = 1, dilation = 1, offset = 0}], rhs = []}'
            return InvalidAttributeValue(self, name="affine_offsets", problem=problem, help=f"write {form}")

        if not isinstance(offsets, DictionaryAttr) or set(offsets.data) != {"lhs", "rhs"}:
            raise wrong(f"is {offsets or 'missing'}")
        numbers, optional = {"axis", "stride", "dilation", "offset"}, {"unit", "base_dilation"}
        for side in ("lhs", "rhs"):
            entries = offsets.data[side]
            if not isa(entries, ArrayAttr[DictionaryAttr]):
                raise wrong(f"has {side} {entries}")
            for entry in entries:
                names = {key: value for key, value in entry.data.items() if key in ("out", "window")}
                rest = {key: value for key, value in entry.data.items() if key not in names}
                if rest.keys() - optional != numbers or not all(isa(n, IntegerAttr) for n in rest.values()):
                    raise wrong(f"has the entry {entry}")
                for key, among in (("out", lists["out_idx"]), ("window", lists["reduce_idx"])):
                    if not isinstance(axis := names.get(key), StringAttr) or axis.data not in among:
                        raise wrong(f"has {key} {axis}, which is not among {', '.join(among)}")


def axis_names(names: Iterable[str]) -> ArrayAttr[StringAttr]:
    """Returns the attribute that holds a list of axes, such as `["i0", "i2"]`."""
    return ArrayAttr([StringAttr(name) for name in names])


def integer(number: int) -> IntegerAttr[IntegerType]:
    return IntegerAttr(number, i64)


def _strings(names: ArrayAttr[StringAttr]) -> list[str]:
    return [name.data for name in names]
