"""The reference pages of the dialects, from their docstrings and definitions."""

from __future__ import annotations

import importlib
import inspect
from pkgutil import resolve_name

import msgspec
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import (
    AllOf,
    AnyOf,
    AttrConstraint,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OptOperandDef,
    OptPropertyDef,
    OptResultDef,
    ParamAttrConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VarOperandDef,
    VarResultDef,
)

import ptir
from ptir.dialects.plan.schedule import Schedule
from ptir.passes.registry import DIALECTS

from .tables import ARCH, NOTICE, ROOT, table


class Examples:
    """Finds examples of ops whose docstring has none: the ops that occur when the `every_*.mlir` files are lowered."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

        def collect(_: str, module: ModuleOp) -> None:
            for op in module.walk():
                if op.name not in self.found:
                    self.found[op.name] = str(op)

        module = ptir.parse(ROOT / "docs" / "every_op.mlir")
        collect("", module)
        collect("", ptir.parse(ROOT / "docs" / "every_extension.mlir"))
        viewed = module.clone()
        ptir.PassManager("ptir-to-tiny,build-poly-view").run(viewed)
        collect("", viewed)
        ptir.compile(module, arch=ARCH, watch=collect)
        ptir.compile(ptir.parse(ROOT / "docs" / "every_function.mlir"), arch=ARCH, watch=collect)

    def of(self, op: type[Operation]) -> str:
        lines = self.found[op.name].splitlines()
        return "\n".join(lines if len(lines) <= 12 else [*lines[:10], "  …"])


def dialect_page(name: str, examples: Examples) -> str:
    dialect: Dialect = resolve_name(DIALECTS[name])
    module = importlib.import_module(DIALECTS[name].split(":")[0])
    parts = [f"# `{name}`\n\n{inspect.getdoc(module)}"]
    attributes = list(dialect.attributes)
    if attributes:
        parts.append("## Types and attributes")
        parts += [f"### `{a.name}`\n\n{inspect.getdoc(a)}" for a in attributes]
    if name == "plan":
        parts.append(schedule_fields())
    operations = list(dialect.operations)
    if operations:
        parts.append("## Operations")
        parts += [operation(op, examples) for op in operations if issubclass(op, IRDLOperation)]
    return NOTICE + "\n\n".join(parts) + "\n"


def operation(op: type[IRDLOperation], examples: Examples) -> str:
    definition = op.get_irdl_definition()
    parts = [f"### `{op.name}`", inspect.getdoc(op) or ""]
    if "```mlir" not in parts[-1]:
        parts.append(f"```mlir\n{examples.of(op)}\n```")
    rows: list[list[object]] = []
    for kind, fields in (("operand", definition.operands), ("result", definition.results)):
        rows += [[f"`{n}`", _count(d) + kind, describe(d.constr)] for n, d in fields]
    for n, d in definition.properties.items():
        rows.append([f"`{n}`", ("optional " if isinstance(d, OptPropertyDef) else "") + "property", describe(d.constr)])
    rows += [[f"`{n}`", "region", ""] for n, _ in definition.regions]
    if rows:
        parts.append(table(["name", "", "is"], rows))
    return "\n\n".join(parts)


def _count(definition: object) -> str:
    if isinstance(definition, OptOperandDef | OptResultDef):
        return "optional "
    return "variadic " if isinstance(definition, VarOperandDef | VarResultDef) else ""


def describe(constraint: object) -> str:
    """Returns a description of a constraint."""
    match constraint:
        case RangeLengthConstraint(constraint=inner) | RangeOf(constr=inner):
            return describe(inner)
        case VarConstraint(name=name, constraint=inner):
            return f"{describe(inner)}, {name}"
        case BaseAttr(attr=kind) | ParamAttrConstraint(base_attr=kind):
            return attribute_name(kind)
        case EqAttrConstraint(attr=attribute):
            return f"`{attribute}`"
        case AnyOf(attr_constrs=choices):
            return " or ".join(describe(c) for c in choices)
        case AllOf(attr_constrs=all_of):
            return " and ".join(describe(c) for c in all_of)
        case AttrConstraint():
            bases = constraint.get_bases()
            return " or ".join(sorted(attribute_name(b) for b in bases)) if bases else "anything"
        case _:
            return "anything"


def attribute_name(kind: type[Attribute]) -> str:
    names = {"dense": "dense literal", "array": "list", "string": "word", "integer": "integer", "symbol_ref": "symbol"}
    if "name" not in vars(kind):
        return "type" if kind.__name__ == "TypeAttribute" else kind.__name__
    if kind.__name__ == "DenseArrayBase":
        return "list of integers"
    return names.get(kind.name, kind.name if "." not in kind.name else f"`{kind.name}`")


def schedule_fields() -> str:
    """Returns a table of the fields of a plan, which are the same in the attribute and in JSON."""
    rows: list[list[object]] = []
    for field in msgspec.structs.fields(Schedule):
        default = "required" if field.required else ""
        annotation = str(Schedule.__annotations__[field.name]).replace(" | msgspec.UnsetType", "").replace("|", "\\|")
        rows.append([f"`{field.encode_name}`", f"`{annotation}`", default])
    return f"## Fields of a plan\n\n{inspect.getdoc(Schedule)}\n\n" + table(["field", "type", "default"], rows)
