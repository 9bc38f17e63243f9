"""
Lowers a function of tile ops, as a person writes it, to a kernel of one block. (`__init__.py` of the package has the picture.)

A storage, of the tiles that a loop or a condition passes on as well, is one array; arrays are packed by their lifetimes, as `pto-bufferize` does
it. The number of valid elements of such a tile is passed on with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects import arith, func, gpu, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    SymbolRefAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from ....analysis.pto.lifetimes import Lifetimes, Storage, tiles_of
from ....analysis.pto.packing import live_bytes, pack
from ....analysis.pto.target import TARGET, target_of
from ....analysis.regions.kernel_ops import element_type_hint
from ....dialects import nv, pto
from ....dialects.common.shapes import is_complex, is_float, signless
from ....dialects.pto.storage import element_bytes
from ....dialects.pto.transfers import SubviewOp
from ....errors import InvalidAttributeValue, Unsupported
from ....targets.architectures import ARCHS
from ....targets.pto.machine import PtoMachine
from ...pto_bufferize import end_of, too_small
from ...pto_bufferize.copies import insert_copies
from .instructions import Instructions
from .writer import THREADS, View

INT_MAX = 2**31 - 1
SCALARS = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.MinSIOp, arith.MaxSIOp, arith.SelectOp,
    arith.CmpiOp, arith.CmpfOp, arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.MinimumfOp, arith.MaximumfOp, arith.IndexCastOp,
    arith.ConstantOp,
)  # fmt: skip
"""The ops on numbers that are the same in the kernel."""
INDEX_OPS = (arith.DivUIOp, arith.RemUIOp, arith.DivSIOp, arith.RemSIOp)
"""Ops that are the same on indices, which are not negative where they are unsigned."""
PTO_SCALARS = {pto.AddIOp: arith.AddiOp, pto.SubIOp: arith.SubiOp, pto.MulIOp: arith.MuliOp}
"""The op of `arith` for each op of `pto` on integers."""


def top_level_tile_functions(module: ModuleOp) -> list[func.FuncOp]:
    """Returns the functions of a module that have instructions on tiles."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    return [f for f in functions if any(isinstance(op, pto.InstructionOp) for op in f.walk())]


def target_machine(module: ModuleOp) -> PtoMachine:
    """Returns the GPU that a module is for. Raises `InvalidAttributeValue` if it says none."""
    help = f"write module attributes {{{TARGET} = #pto.target<sm80>}}, or <sm90>; -t pto-cpp prints programs for other targets"
    if TARGET not in module.attributes:
        raise InvalidAttributeValue(module, name=TARGET, problem="is not given", help=help)
    if (machine := target_of(module)).has_pipes:
        raise InvalidAttributeValue(module, name=TARGET, problem=f"is {machine.name}, which is no GPU", help=help)
    return machine


class FunctionKernel(Instructions):
    """Writes the kernel of one function; afterwards, `shared` has its bytes of shared memory."""

    shared: int = 0

    def __init__(self, function: func.FuncOp, machine: PtoMachine):
        self.function, self.machine = function, machine
        _check(function)
        super().__init__(function, [argument_type(function, v) for v in function.body.block.args])
        instructions = [op for op in function.walk() if isinstance(op, pto.InstructionOp)]
        self.passes_extents = any(op.static_valid is not None for op in instructions)
        """Whether loops and conditions pass on the numbers of valid elements; otherwise, all are valid."""

    def build(self) -> gpu.FuncOp:
        for old, new in zip(self.function.body.block.args, self.block.args, strict=True):
            if isinstance(t := old.type, pto.MemRefType):
                self.views[old] = View(new, 0, [s or 0 for s in t.strides])
            else:
                self.map[old] = new
        self.allocate()
        self.thread = self.add(gpu.ThreadIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X)))
        self.write(self.function.body.block)
        self.add(gpu.ReturnOp([]))
        types = [a.type for a in self.block.args]
        kernel = gpu.FuncOp(
            self.function.sym_name.data,
            (types, []),
            Region(self.block),
            kernel=True,
            known_block_size=(THREADS, 1, 1),
        )
        kernel.location = self.function.location
        return kernel

    def call(self, kernels: str) -> None:
        """Replaces the body of the function by a launch of its kernel in the `gpu.module` of that name."""
        block = Block(arg_types=[a.type for a in self.block.args])
        for new, old in zip(block.args, self.block.args, strict=True):
            new.name_hint = old.name_hint
        symbol = SymbolRefAttr(kernels, [self.function.sym_name.data])
        launch = nv.LaunchOp(symbol, (1, 1, 1), (THREADS, 1, 1), self.shared, block.args)
        launch.location = self.function.location
        block.add_ops([launch, func.ReturnOp()])
        old = self.function.body.block
        self.function.body.detach_block(old)
        old.erase(safe_erase=False)
        self.function.body.add_block(block)
        self.function.update_function_type()

    # --- shared memory ----------------------------------------------------------------------------

    def allocate(self) -> None:
        """
        Declares an array for each storage that tiles share: ops compute in place if the tiles do not fit otherwise. Raises `MemoryTooSmall`.
        """
        for tile in tiles_of(self.function):  # places and layouts are those of other machines
            t = pto.tile_type(tile)
            Rewriter.replace_value_with_new_type(tile, pto.TileType(t.shape, t.element_type))
        insert_copies(self.function)
        limit = ARCHS[self.machine.name].shared_per_block  # pyright: ignore[reportArgumentType]
        storages = self.storages(in_place=False)
        addresses = self.packed(storages)
        if self.shared > limit:
            storages = self.storages(in_place=True)
            addresses = self.packed(storages)
        if self.shared > limit:
            live = live_bytes([s.interval for s in storages])
            raise too_small(storages, self.machine, "shared memory", limit, self.shared, live)
        for storage, address in sorted(zip(storages, addresses, strict=True), key=lambda each: each[0].start):
            self.declare(storage, address)

    def storages(self, *, in_place: bool) -> list[Storage]:
        """Returns the storages of tiles; results have those of operands if `in_place`, and if all of these have equally wide elements."""
        found = Lifetimes(self.function).storages(in_place)
        if in_place and any(len(set(map(array_bytes, s.values))) > 1 for s in found):
            return self.storages(in_place=False)
        for storage in found:
            storage.size = max(map(array_bytes, storage.values))
        return found

    def packed(self, storages: Sequence[Storage]) -> list[int]:
        """Returns the addresses of storages, and sets `shared`."""
        intervals = [s.interval for s in storages]
        addresses = pack(intervals, 16)
        self.shared = end_of(intervals, addresses) if storages else 0
        return addresses

    def declare(self, storage: Storage, address: int) -> None:
        """Declares the array of a storage, one for each type of tiles that are in it."""
        for t in dict.fromkeys(pto.tile_type(v) for v in storage.values):
            values = [v for v in storage.values if v.type == t]
            hint = next((v.name_hint for v in values if v.name_hint), "tile")
            array = self.add(nv.SharedArrayOp(address, MemRefType(t.element_type, t.sizes)), hint)
            self.arrays |= dict.fromkeys(values, array)

    # --- ops ----------------------------------------------------------------------------------------

    def write(self, block: Block) -> Sequence[SSAValue]:
        """Writes the ops of a block, and returns the values of its terminator that the kernel passes on."""
        for op in block.ops:
            self.at = op
            match op:
                case func.ReturnOp():
                    pass
                case scf.YieldOp():
                    return self.passed(op.operands)
                case scf.ForOp():
                    self.loop(op)
                case scf.IfOp():
                    self.condition(op)
                case SubviewOp():
                    self.subview(op)
                case _ if op.name.startswith("pto.tile.") or op.name in ("pto.sync", "pto.sync.op", "pto.event.record"):
                    self.instruction(op)
                case _:
                    self.scalar(op)
        return ()

    def subview(self, op: SubviewOp) -> None:
        view, (offsets, _, strides) = self.views[op.source], op.parts
        start = self.place([self.index(o) for o in offsets], view.strides, view.start)
        steps = [self.times(self.index(s), t) for s, t in zip(strides, view.strides, strict=True)]
        self.views[op.result] = View(view.array, start, steps)

    def scalar(self, op: Operation) -> None:
        """Writes an op on numbers."""
        if op.regions or not all(map(is_number, (*op.operands, *op.results))):
            raise self.unsupported(op)
        operands = [self.map[v] for v in op.operands]
        on_index = any(isinstance(v.type, IndexType) for v in (*op.operands, *op.results))
        match op:
            case pto.ConstantOp():
                new: Operation = arith.ConstantOp(op.value)
            case pto.AddIOp() | pto.SubIOp() | pto.MulIOp():
                new = PTO_SCALARS[type(op)](operands[0], operands[1])
            case arith.CmpiOp() if on_index and op.predicate.value.data >= 6:  # unsigned: an index may be negative
                a, b = (self.add(arith.IndexCastOp(v, i32), "word") for v in operands)
                new = arith.CmpiOp(a, b, op.predicate.value.data)
            case _ if isinstance(op, SCALARS) or (on_index and isinstance(op, INDEX_OPS)):
                new = op.clone(self.map)
            case _:
                raise self.unsupported(op)
        self.map[op.results[0]] = self.add(new, op.results[0].name_hint or "n")

    def unsupported(self, op: Operation) -> Unsupported:
        need = (
            "functions of tile ops have loops over indices, conditions, and arithmetic on indices, integers and floats"
        )
        return Unsupported(op, what=f"'{op.name}' in a function of tile ops for a GPU", need=need)

    # --- control flow -------------------------------------------------------------------------------

    def passed(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        """Returns what the kernel passes on for values: numbers, and the extents of tiles. Events have no value."""
        found: list[SSAValue] = []
        for value in values:
            if value in self.tiles:
                found += [self.value(n) for n in self.tiles[value].valid] if self.passes_extents else ()
            elif not isinstance(value.type, pto.EventType):
                if not is_number(value):
                    raise Unsupported(
                        self.at, what=f"passing on a {value.type}", need="pass on tiles, indices and numbers"
                    )
                found.append(self.map[value])
        return found

    def bind(self, values: Sequence[SSAValue], parts: Sequence[SSAValue]) -> None:
        """Says which values of the kernel are passed on for values."""
        rest = iter(parts)
        for value in values:
            if isinstance(t := value.type, pto.TileType):
                self.define(value, [next(rest) for _ in t.sizes] if self.passes_extents else t.sizes)
            elif not isinstance(t, pto.EventType):
                self.map[value] = next(rest)
                self.map[value].name_hint = value.name_hint or "n"

    def loop(self, op: scf.ForOp) -> None:
        starts = self.passed(op.iter_args)
        counter, *carried = op.body.block.args
        if not isinstance(counter.type, IndexType):
            raise self.unsupported(op)
        body = Block(arg_types=[IndexType(), *(v.type for v in starts)])
        body.args[0].name_hint = counter.name_hint or "i"
        self.map[counter] = body.args[0]
        self.bind(carried, body.args[1:])
        first, last, step = (self.value(self.index(v)) for v in (op.lb, op.ub, op.step))
        with self.within(body):
            yielded = self.write(op.body.block)
            self.add(scf.YieldOp(*yielded))
        self.at = op
        new = scf.ForOp(first, last, step, starts, body)
        self.add(new)
        self.bind(op.results, new.results)

    def condition(self, op: scf.IfOp) -> None:
        blocks: list[Block] = []
        yields: list[Sequence[SSAValue]] = []
        for region in op.regions:
            for old in region.blocks:
                blocks.append(Block())
                with self.within(blocks[-1]):
                    yields.append(self.write(old))
                    self.add(scf.YieldOp(*yields[-1]))
        self.at = op
        new = scf.IfOp(self.map[op.cond], [v.type for v in yields[0]], [blocks[0]], blocks[1:] or None)
        self.add(new)
        self.bind(op.results, new.results)


def is_number(value: SSAValue) -> bool:
    return isinstance(t := value.type, IndexType) or isa(t, IntegerType) or is_float(t)


def argument_type(function: func.FuncOp, value: SSAValue) -> Attribute:
    """Returns the type of a kernel's argument. Raises `Unsupported` for one that kernels cannot have."""
    t = value.type
    if is_number(value):
        return signless(t)
    if not isinstance(t, pto.MemRefType):
        raise Unsupported(function, what=f"an argument of type {t}", need="pass arrays (pto.memref) and numbers")
    if not isinstance(t.strided, NoneAttr) or None in t.strides:
        need = "pass a whole array, of which all sizes but the first are known, and load from a pto.memref.subview"
        raise Unsupported(function, what=f"an array of type {t}", need=need)
    if prod(map(abs, t.sizes)) > INT_MAX:
        raise Unsupported(
            function, what=f"an array of type {t}", need="use less than 2^31 elements: indices are 32-bit"
        )
    sizes = t.sizes[::-1] if t.column_major else t.sizes
    return MemRefType(t.element_type, [DYNAMIC_INDEX if n == -1 else n for n in sizes])


def array_bytes(tile: SSAValue) -> int:
    """Returns the bytes of a tile in shared memory, where predicates are bytes."""
    t = pto.tile_type(tile)
    return prod(t.sizes) * element_bytes(t.element_type)


def _check(function: func.FuncOp) -> None:
    """Raises `Unsupported` for what a kernel of a function cannot have."""
    if len(function.body.blocks) != 1:
        raise Unsupported(function, what="a function of several blocks", need="use scf.for and scf.if")
    if function.function_type.outputs.data:
        raise Unsupported(function, what="a function of tile ops with results", need="store them to arguments")
    for op in function.walk():
        if isinstance(op, func.CallOp):
            raise Unsupported(op, what="a call in a function of tile ops for a GPU", need="run inline first")
        for t in (v.type for v in op.results if isinstance(v.type, pto.TileType)):
            hint = "compute the two parts in tiles of their own" if is_complex(t.element_type) else ""
            if need := hint or element_type_hint(t.element_type):
                raise Unsupported(op, what=f"{t} in a function of tile ops for a GPU", need=need)
