"""Attributes of all dialects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pkgutil import walk_packages

from xdsl.ir import ParametrizedAttribute

import ptir.dialects


def subclasses(kind: type[ParametrizedAttribute]) -> Iterator[type[ParametrizedAttribute]]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_attributes_are_equal_only_if_their_parameters_are():
    """Equality compares the fields of dataclasses: a base class that declares parameters must be one, too."""
    for module in walk_packages(ptir.dialects.__path__, "ptir.dialects."):
        import_module(module.name)
    own = {a for a in subclasses(ParametrizedAttribute) if a.__module__.startswith("ptir.") and "name" in vars(a)}
    assert len(own) > 40
    for attribute in own:
        compared = {field.name for field in fields(attribute)}
        assert {name for name, _ in attribute.get_irdl_definition().parameters} <= compared, attribute
