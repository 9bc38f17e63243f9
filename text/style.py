"""How IR is written: the options of `mlir-opt` that choose a printer."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Style:
    """
    How IR is written, as the options of `mlir-opt` say.

    What `elide_elements`, `pretty_debuginfo` or `skip_regions` leave out cannot be read back. Limits count elements of a
    literal or characters of a resource; `hex_elements = -1` writes no literal in hexadecimal.
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
        """The same in the generic form, which prints whatever the operation looks like."""
        return replace(self, generic=True)


PLAIN = Style()
