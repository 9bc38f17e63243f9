"""The style of printed IR: the options of `mlir-opt` that choose a printer."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Style:
    """
    The style of printed IR, with a field for each option of `mlir-opt`.

    Text with `elide_elements`, `pretty_debuginfo` or `skip_regions` cannot be parsed again. A literal with more than
    `elide_elements` elements is elided, and one with more than `hex_elements` elements is written in hexadecimal (-1: never). A
    resource with more than `elide_resources` characters is elided.
    """

    generic: bool = False
    properties_as_attributes: bool = False
    debuginfo: bool = False
    syntax_highlight: bool = False
    pretty_debuginfo: bool = False
    skip_regions: bool = False
    value_users: bool = False
    unique_ids: bool = False
    nameloc_as_prefix: bool = False
    elide_elements: int | None = None
    elide_resources: int | None = None
    hex_elements: int = 100

    def as_generic(self) -> Style:
        """Returns the style with the generic form, which can print invalid operations."""
        return replace(self, generic=True)


PLAIN = Style()
