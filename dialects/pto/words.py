"""Attributes of the `pto` dialect that hold one word of a fixed list, such as `#pto.loc<Mat>`. Spec: `pto-ir.md §3`, `§5.1`, `§7`."""

from __future__ import annotations

import abc
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ...targets.pto import COMPARISONS, LAYOUTS, LOCATIONS, PIPE_OF, ROUND_MODES, SCOPES, SPACES, TARGETS
from ..common.checks import check_word


@dataclass(frozen=True, init=False)
class WordAttr(ParametrizedAttribute, abc.ABC):
    """Base of attributes that hold one of the words `WORDS`. It is a dataclass, so that equality compares the words."""

    WORDS: ClassVar[Collection[str]]
    text: StringAttr

    @classmethod
    def of(cls, word: str) -> Self:
        return cls.new([StringAttr(word)])

    @property
    def word(self) -> str:
        return self.text.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.word)

    def verify(self) -> None:
        check_word(None, self.name, self.word, self.WORDS)


@irdl_attr_definition
class LocAttr(WordAttr):
    """The memory that holds a tile: `#pto.loc<Mat>`."""

    name = "pto.loc"
    WORDS: ClassVar = LOCATIONS


@irdl_attr_definition
class LayoutAttr(WordAttr):
    """The order of elements in storage: `#pto.layout<Nz>`."""

    name = "pto.layout"
    WORDS: ClassVar = LAYOUTS


@irdl_attr_definition
class SpaceAttr(WordAttr):
    """The memory of a `pto.memref`: `#pto.space<gm>`."""

    name = "pto.space"
    WORDS: ClassVar = SPACES


@irdl_attr_definition
class ScopeAttr(WordAttr):
    """Whether an event orders two pipes of one core or two cores: `#pto.scope<intra>`."""

    name = "pto.scope"
    WORDS: ClassVar = SCOPES


@irdl_attr_definition
class OpcodeAttr(WordAttr):
    """The opcode of an instruction, which determines its pipe: `#pto.op<TLOAD>`."""

    name = "pto.op"
    WORDS: ClassVar = PIPE_OF


@irdl_attr_definition
class CompareAttr(WordAttr):
    """The comparison of `pto.tile.cmp`: `#pto.cmp<GT>`."""

    name = "pto.cmp"
    WORDS: ClassVar = COMPARISONS


@irdl_attr_definition
class RoundModeAttr(WordAttr):
    """How `pto.tile.cvt` rounds: `#pto.round_mode<CAST_RINT>`."""

    name = "pto.round_mode"
    WORDS: ClassVar = ROUND_MODES


@irdl_attr_definition
class TargetAttr(WordAttr):
    """The machine that a module is for: `module attributes {pto.target = #pto.target<a3>}`."""

    name = "pto.target"
    WORDS: ClassVar = TARGETS
