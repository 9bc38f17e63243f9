"""
Reads Region JSON into a module of kernels.

The body is read as a tiny program whose arguments are the inputs; it becomes a kernel that loads them:

    {"let": "v", "op": {…"inputs": ["A"]…}}, {"yield": ["v -> C"]}   →   %A = region.load …; %v = tiny…; region.yield %v
"""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block

from ....dialects.region import LoadOp, RegionKernelOp, YieldOp
from ..common.decoding import Form, decode
from ..common.errors import Contradiction
from ..common.places import Path, Place, Places
from ..common.reading import Reader
from ..tiny.program import OpForm, Program, Value
from ..tiny.reading import TinyReader
from ..tiny.values import read_dtype
from .form import Document, Input, MemRef, Output, Region

_FORM = Form(Document, 'regions are an object: {"region": {"name": "f_0", "inputs": […], …}}', maps={})


def import_json(text: str, file: StringAttr | None = None) -> ModuleOp:
    """
    Returns the module of the kernels in JSON, not yet verified. `file` names the text in locations.

    Raises no other error than `SourceError` or, at an invalid op, `VerifyError`.
    """
    file = file or StringAttr("<json>")
    document, places = decode(text, file.data, _FORM)
    return _RegionReader(places, file).module(document)


class _RegionReader(Reader):
    def module(self, document: Document) -> ModuleOp:
        if isinstance(document.region, UnsetType) == isinstance(document.regions, UnsetType):
            raise self.contradiction([], "a document has either 'region' or 'regions'")
        found: list[tuple[Region, Path]] = []
        if not isinstance(document.region, UnsetType):
            found.append((document.region, ["region"]))
        if not isinstance(document.regions, UnsetType):
            found += [(r, ["regions", k]) for k, r in enumerate(document.regions)]
        module = ModuleOp([self._kernel(region, path) for region, path in found])
        module.location = self.location([])
        return module

    def _kernel(self, region: Region, path: Path) -> RegionKernelOp:
        for field, values in (("inputs", region.inputs), ("outputs", region.outputs)):
            for k, value in enumerate(values):
                self._check_memref(value.memref, [*path, field, k, "memref"])
        program, places = self._body(region, path)
        function = TinyReader(program, places, self.file).function()
        block, old = Block(), function.body.block
        for value in (*region.inputs, *region.outputs):
            block.insert_arg(_type(value.memref), len(block.args)).name_hint = (
                value.name if not value.name.isdecimal() else None
            )
        for argument, memref in zip(list(old.args), block.args, strict=False):
            load = LoadOp(memref)
            load.location = argument.location
            block.add_op(load)
            argument.replace_all_uses_with(load.result)
        end = old.last_op
        for op in list(old.ops):
            op.detach()
            if op is not end:
                block.add_op(op)
        assert end is not None
        stores = YieldOp(list(end.operands))
        stores.location = end.location
        block.add_op(stores)
        end.erase()
        alignments = [v.memref.alignment for v in (*region.inputs, *region.outputs)]
        kernel = RegionKernelOp(
            region.name, len(region.inputs), alignments, [o.materialize for o in region.outputs], block
        )
        kernel.location = self.location([*path, "name"])
        return kernel

    def _check_memref(self, memref: MemRef, path: Path) -> None:
        if memref.strides != (strides := list(_type(memref).get_strides() or ())):
            raise self.contradiction(
                [*path, "strides"],
                f"the strides of a row-major array of shape {memref.shape} are {strides}",
                "kernels read and write whole arrays: move elements by ops of the body",
            )
        if not memref.noalias:
            raise self.contradiction([*path, "noalias"], "the arrays of a kernel do not alias", "leave out noalias")

    def _body(self, region: Region, path: Path) -> tuple[Program, Places]:
        """Returns the tiny program of a body, and the places of its parts."""
        ops: list[OpForm] = []
        at: dict[str | int, Place] = {}
        *lets, last = region.body or [None]
        for k, statement in enumerate(lets):
            here = [*path, "body", k]
            if statement is None or isinstance(statement.op, UnsetType) or isinstance(statement.let, UnsetType):
                raise self.contradiction(here, "a statement before the last one has 'let' and 'op'")
            if statement.stores is not UNSET:
                raise self.contradiction([*here, "yield"], "only the last statement has 'yield'")
            if statement.op.outputs != [statement.let]:
                raise self.contradiction([*here, "let"], f"the op defines {', '.join(statement.op.outputs)}")
            at[len(ops)] = self._place([*here, "op"])
            ops.append(statement.op)
        end = [*path, "body", len(lets)]
        if last is None or isinstance(last.stores, UnsetType) or last.op is not UNSET:
            raise self.contradiction(
                end if last is not None else path, "the last statement has 'yield', and no other has"
            )
        outputs = self._stored(region.outputs, last.stores, [*end, "yield"])
        values = dict(region.values)
        for value in region.inputs:
            values[value.name] = Value(value.memref.dtype, list(value.memref.shape))
        program = Program(
            name=region.name, inputs=[i.name for i in region.inputs], outputs=outputs, ops=ops, values=values
        )
        return program, self._places(region.inputs, path, at, [*end, "yield"])

    def _stored(self, outputs: list[Output], stores: list[str], path: Path) -> list[str]:
        """Returns the value that each output stores."""
        found: dict[str, str] = {}
        for k, text in enumerate(stores):
            value, arrow, output = (part.strip() for part in text.partition("->"))
            if not (value and arrow and output):
                raise self.contradiction([*path, k], f"'{text}' is not 'value -> output'")
            if output in found or output not in {o.name for o in outputs}:
                problem = "is stored twice" if output in found else "is not an output"
                raise self.contradiction([*path, k], f"{output} {problem}")
            found[output] = value
        if missing := [o.name for o in outputs if o.name not in found]:
            raise self.contradiction(path, f"{missing[0]} is not stored")
        return [found[o.name] for o in outputs]

    def _places(self, inputs: list[Input], path: Path, ops: dict[str | int, Place], end: Path) -> Places:
        """Returns the places of a tiny program in the text of a region."""
        whole, body, stores = self._place(path), self._place([*path, "body"]), self._place(end)
        values = (
            self._place([*path, "values"]) if self.places.find([*path, "values"]) else Place(whole.start, whole.end)
        )
        names: dict[str | int, Place] = {k: self._place([*path, "inputs", k, "name"]) for k in range(len(inputs))}
        types = values.inside | {i.name: self._place([*path, "inputs", k, "memref"]) for k, i in enumerate(inputs)}
        places = Places("", self.file.data)
        places.source, places._lines = self.places.source, self.places._lines  # pyright: ignore[reportPrivateUsage]
        places.root = Place(
            whole.start,
            whole.end,
            inside={
                "name": self._place([*path, "name"]),
                "inputs": Place(whole.start, whole.end, inside=names),
                "outputs": stores,
                "ops": Place(body.start, body.end, inside=ops),
                "values": Place(values.start, values.end, inside=types),
            },
        )
        return places

    def _place(self, path: Path) -> Place:
        place = self.places.root
        for step in path:
            place = place.inside.get(step, place)
        return place

    def contradiction(self, path: Path, message: str, help: str = "") -> Contradiction:
        return super().contradiction(path, message, help)


def _type(memref: MemRef) -> MemRefType[Attribute]:
    return MemRefType(read_dtype(memref.dtype), memref.shape)
