r"""
`view-op-graph`: writes the program to stderr as a graph in Graphviz' DOT language, like MLIR's pass of that name.

```
func.func @f(%x) {                   ┌ func.func ────────────────┐
  %0 = ptir.exp %x            →      │ arg0 ─▶ ptir.exp ─▶ …     │
  …                                  └───────────────────────────┘
```

    ptir-opt m.mlir --view-op-graph -o /dev/null 2>&1 | dot -Tsvg > m.svg

An operation is a node, colored by its name; an operation with regions is a cluster that contains a cluster for each block. Solid
edges go from a value to its uses, and are numbered if the user has several operands. With `print-control-flow-edges`, dashed edges
go from each operation to the next. The program is not changed.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ..text.literals import splat
from ..text.op_names import op_name

LARGE_ATTRIBUTE = 16
"""Maximum number of elements of a literal or list that is printed; a longer one is printed as `[[...]]`, nested by its rank."""


@dataclass(frozen=True)
class ViewOpGraph(ModulePass):
    """Writes the program as a graph in Graphviz' DOT language to stderr."""

    name = "view-op-graph"

    max_label_len: int = 20
    """Maximum number of characters of an attribute or of the types."""
    print_attrs: bool = True
    """Print attributes of operations."""
    print_control_flow_edges: bool = False
    """Print an edge from each operation to the next."""
    print_data_flow_edges: bool = True
    """Print edges from values to their uses."""
    print_result_types: bool = True
    """Print result types of operations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sys.stderr.write(_Graph(self, _colors(op)).text(op))


@dataclass(frozen=True)
class _Node:
    """A node. As edges can only join nodes, an invisible node stands for a `cluster`; edges to it are clipped at the cluster."""

    number: int
    cluster: int | None = None


@dataclass
class _Graph:
    options: ViewOpGraph
    colors: dict[str, str]
    _lines: list[str] = field(default_factory=list[str])
    _depth: int = 0
    _count: int = 0
    _nodes: dict[SSAValue, _Node] = field(default_factory=dict[SSAValue, _Node])
    _uses: list[tuple[SSAValue, _Node, str]] = field(default_factory=list[tuple[SSAValue, _Node, str]])
    _edges: list[str] = field(default_factory=list[str])

    def text(self, root: Operation) -> str:
        with self._braces("digraph G"):
            self._line("compound = true;")
            self._operation(root)
            flow = [_edge(self._nodes[v], node, label, "solid") for v, node, label in self._uses if v in self._nodes]
            for edge in (*flow, *self._edges):
                self._line(f"{edge};")
        return "\n".join([*self._lines, ""])

    def _line(self, text: str) -> None:
        self._lines.append(f"{'  ' * self._depth}{text}")

    @contextmanager
    def _braces(self, head: str) -> Generator[None]:
        self._line(f"{head} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self._line("}")

    def _operation(self, op: Operation) -> _Node:
        if op.regions:
            with self._cluster(self._label(op)) as node:
                for region in op.regions:
                    for block in region.blocks:
                        self._block(block)
        else:
            node = self._node(self._label(op), "ellipse", self.colors[op_name(op)])
        if self.options.print_data_flow_edges:
            several = len(op.operands) > 1
            self._uses += [(value, node, str(k) if several else "") for k, value in enumerate(op.operands)]
        self._nodes.update(dict.fromkeys(op.results, node))
        return node

    def _block(self, block: Block) -> None:
        with self._cluster(""):
            for arg in block.args:
                self._nodes[arg] = self._node(f"arg{arg.index}", "ellipse")
            nodes = [self._operation(op) for op in block.ops]
        if self.options.print_control_flow_edges:
            self._edges += (_edge(a, b, "", "dashed") for a, b in pairwise(nodes))

    @contextmanager
    def _cluster(self, label: str) -> Generator[_Node]:
        self._count += 1
        cluster = self._count
        with self._braces(f"subgraph cluster_{cluster}"):
            anchor = self._node(" ", "plain")
            self._line(f"label = {_quoted(label)};")
            yield _Node(anchor.number, cluster)

    def _node(self, label: str, shape: str, color: str = "") -> _Node:
        self._count += 1
        attributes = {"label": _quoted(label), "shape": shape}
        if color:
            attributes |= {"fillcolor": _quoted(color), "style": "filled"}
        self._line(f"v{self._count} {_attribute_list(attributes)};")
        return _Node(self._count)

    # --- labels -----------------------------------------------------------------------------------

    def _label(self, op: Operation) -> str:
        label = op_name(op)
        if self.options.print_result_types:
            label += f" : ({self._shortened(', '.join(map(str, op.result_types)))})"
        if self.options.print_attrs:
            attributes = sorted(item for item in (op.properties | op.attributes).items() if item[0] != "op_name__")
            label += "\n" + "".join(f"\n{name}: {self._attribute(attribute)}" for name, attribute in attributes)
        return label

    def _attribute(self, attribute: Attribute) -> str:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            literal = cast("DenseIntOrFPElementsAttr", attribute)
            shape = literal.get_shape()
            count = prod(shape)
            if count and (element := splat(literal)) is not None:
                scalar = DenseIntOrFPElementsAttr(TensorType(literal.get_element_type(), []), BytesAttr(element))
                return f"{str(scalar).partition(' : ')[0]} : {literal.type}"
            if count > LARGE_ATTRIBUTE:
                return f"{'[' * len(shape)}...{']' * len(shape)} : {self._shortened(str(literal.type))}"
        elif isinstance(attribute, ArrayAttr) and len(cast("ArrayAttr[Attribute]", attribute)) > LARGE_ATTRIBUTE:
            return "[...]"
        return self._shortened(str(cast(Attribute, attribute)))

    def _shortened(self, text: str) -> str:
        most = self.options.max_label_len
        return text if len(text) <= most else f"{text[:most]}..."


def _edge(start: _Node, end: _Node, label: str, style: str) -> str:
    attributes = {"style": style}
    if start.cluster is None and end.cluster is None:
        attributes["label"] = _quoted(label)
    if start.cluster is not None:
        attributes["ltail"] = f"cluster_{start.cluster}"
    if end.cluster is not None:
        attributes["lhead"] = f"cluster_{end.cluster}"
    return f"v{start.number} -> v{end.number} {_attribute_list(attributes)}"


def _attribute_list(attributes: dict[str, str]) -> str:
    return f"[{', '.join(f'{key} = {value}' for key, value in sorted(attributes.items()))}]"


def _quoted(text: str) -> str:
    for char, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(char, escaped)
    return f'"{text}"'


def _colors(root: Operation) -> dict[str, str]:
    """Maps the names of operations, in post-order, to colors whose hues are equidistant: `0.250000 0.3 0.95`."""
    names = list(dict.fromkeys(op_name(op) for op in root.walk(region_first=True)))
    return {name: f"{k / len(names):.6f} 0.3 0.95" for k, name in enumerate(names)}
