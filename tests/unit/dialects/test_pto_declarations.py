"""Declarations of the `pto` ops: types of operands and results, and kinds of properties, of every op of the tests' vocabulary; constructors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float8E4M3FNType,
    Float8E8M0FNUType,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnitAttr,
    f16,
    f32,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import Commutative, ConstantLike, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from ptir.dialects import pto
from ptir.dialects.pto.indices import constant
from ptir.dialects.pto.words import OpcodeAttr
from ptir.errors import PtirError
from ptir.passes.environment import make_context
from ptir.text.parsing import parse_text

from .test_ptir_survivors import clone, is_refused_as_declared, named

f8, f8E8M0FNU = Float8E4M3FNType(), Float8E8M0FNUType()
VOCABULARY = Path(__file__).parents[2] / "filecheck" / "pto"


def instances(regions: bool = False) -> Iterator[Operation]:
    """Yields the first op of each name, and of each way of writing its properties, of the files that have all ops."""
    files = ("vocabulary.mlir", "ops.mlir", "spec.mlir", "rows.mlir", "columns.mlir", "scatters.mlir", "split.mlir")
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for file in files if regions else files[:-1]:
        for op in parse_text((VOCABULARY / file).read_text("utf-8"), make_context()).walk():
            key = op.name, (*op.properties, str(len(op.operands)))
            if op.name.startswith("pto.") and bool(op.regions) == regions and key not in seen:
                seen.add(key)
                yield op


OPS = list(instances())
WITH_REGIONS = list(instances(regions=True))


def test_every_op_has_an_instance():
    missing = {op.name for op in pto.PTO.operations} - {op.name for op in OPS}
    regions, alike = (
        {"pto.kernel", "pto.tiles", "pto.process", "pto.combine"},
        {"pto.addi", "pto.subi", "pto.tile.exp2"},
    )
    assert missing == regions | alike | {"pto.event.record"}


def test_operands_and_results_have_the_declared_types():
    """A tile, memref, event or index of another kind is refused by the declaration, a scalar by the op's own rule."""
    for op in (*OPS, *WITH_REGIONS):
        for kind in ("operand", "result"):
            for name, position in named(type(op).get_irdl_definition(), op, kind):
                copied = clone(op)
                getattr(copied, f"{kind}s")[position]._type = NoneAttr()
                with pytest.raises(VerifyException) as caught:
                    copied.verify(verify_nested_ops=False)
                checks = isinstance(
                    getattr(op, f"{kind}s")[position].type,
                    pto.TileType | pto.MemRefType | pto.EventType | MemRefType | IndexType,
                )
                by_declaration = checks and not isinstance(
                    op, pto.ScalarBinaryOp
                )  # of which either operand is the tile
                assert not (by_declaration and isinstance(caught.value, PtirError)), (op.name, name)


def test_values_of_one_type_are_tiles():
    """Values whose types must be alike are of the declared kind, too, and not only alike."""
    for op in OPS:
        declared = type(op).get_irdl_definition()
        alike: dict[str, list[tuple[str, int]]] = {}
        for kind, defs in (("operand", declared.operands), ("result", declared.results)):
            for name, position in named(declared, op, kind):
                for variable in dict(defs)[name].constr.variables():
                    alike.setdefault(variable, []).append((kind, position))
        for places in alike.values():
            copied = clone(op)
            for kind, position in places:
                getattr(copied, f"{kind}s")[position]._type = NoneAttr()
            assert is_refused_as_declared(copied), op.name


def test_properties_have_the_declared_kinds():
    assert {op.name for op in WITH_REGIONS} == {"pto.kernel", "pto.tiles", "pto.process", "pto.combine"}
    for op in (*OPS, *WITH_REGIONS):
        for name, value in op.properties.items():
            wrong: list[Attribute] = [UnitAttr(), IntAttr(1), FloatAttr(1.0, f16), StringAttr("x")]
            for other in wrong:
                if type(other) is not type(value) and not (isinstance(other, FloatAttr) and name == "value"):
                    copied = clone(op)
                    copied.properties[name] = other
                    assert is_refused_as_declared(copied), (op.name, name, other)


def test_tiles_that_must_be_alike_are_compared():
    """An elementwise op takes tiles of its result's type; which sizes and element types others take is in `vocabulary_errors.mlir`."""
    for table in (pto.UNARY, pto.BINARY):
        for op in table.values():
            dtype = i32 if op.FN in ("and", "or", "xor", "shift_left", "shift_right", "not") else f32
            tile, other = (create_ssa_value(pto.TileType(sizes, dtype)) for sizes in ([16, 32], [32, 16]))
            count = 1 if table is pto.UNARY else 2
            made = op(*[tile] * count)
            made.verify()
            for position in range(count):
                copied = clone(made)
                copied.operands[position] = other
                with pytest.raises(VerifyException):
                    copied.verify()


def test_a_row_may_have_groups_of_one_element():
    pto.ROW_REDUCTIONS["sum"](create_ssa_value(pto.TileType((4, 8), f32)), 8, run=1, group=1).verify()


def test_a_filling_without_a_number_is_printed():
    """As an error shows it."""
    op = pto.ExpandsOp.build(operands=[[], [], []], result_types=[pto.TileType((4, 8), f32), []])
    assert str(op).startswith("%0 = pto.tile.expands ")


def test_blocks_of_bytes_have_elements_of_8_to_32_bits():
    offsets = create_ssa_value(pto.TileType((4, 2), i32))
    for dtype, columns in ((i8, 64), (f16, 32), (f32, 16)):
        tile = pto.TileType((4, columns), dtype)
        pto.GatherBytesOp(create_ssa_value(tile), offsets, tile).verify()


def test_types_and_attributes_are_what_they_say():
    assert str(pto.TileInfoAttr("Mat", "Nz")) == "#pto.tile_info<loc=Mat, layout=Nz>"
    assert (
        str(pto.TileInfoAttr(layout="DN")) == "#pto.tile_info<layout=DN>"
        and str(pto.TileInfoAttr("Acc")) == "#pto.tile_info<loc=Acc>"
    )
    tiles = [pto.TileType((4, 8), f32, *info) for info in (("Mat", "Nz"), ("Acc",), (None, "DN"), ())]
    assert [(t.loc, t.layout, t.has_location) for t in tiles] == [
        ("Mat", "Nz", True), ("Acc", "ND", True), ("Vec", "DN", False), ("Vec", "ND", False),
    ]  # fmt: skip
    assert pto.EventType(OpcodeAttr.of("TLOAD")) == pto.EventType("TLOAD")
    events = [pto.EventType("TLOAD"), pto.EventType("TADD", "inter", 3)]
    assert list(map(str, events)) == [
        "!pto.event<producer = #pto.op<TLOAD>>", "!pto.event<producer = #pto.op<TADD>, scope = #pto.scope<inter>, eid = 3>",
    ]  # fmt: skip
    t = pto.TileType([4, 8], f32)
    for channel in (pto.ChannelType(2, [t, t]), pto.ChannelType(IntAttr(2), pto.ChannelType(2, [t, t]).tiles)):
        assert str(channel) == "!pto.channel<2, [!pto.tile<4x8xf32>, !pto.tile<4x8xf32>]>"


def test_examples_of_rows_have_an_element_type_of_the_op():
    integers = {"and", "or", "xor", "shift_left", "not"}
    for table in (pto.UNARY, pto.BINARY):
        for fn, op in table.items():
            assert f"x{'i32' if fn in integers else 'f32'}>\n" in (op.__doc__ or ""), fn
    assert "xi32>\n" in (pto.SHIFT_RIGHT.__doc__ or "")


def test_tiles_without_a_split_have_one_part():
    found = {(op.split is None, op.parts == 1) for op in WITH_REGIONS if isinstance(op, pto.TilesOp)}
    assert found == {(True, True), (False, False)}


def test_only_some_functions_take_the_scalar_first():
    for fn, op in pto.SCALAR_BINARY.items():
        number = create_ssa_value(f32)
        with pytest.raises(VerifyException, match="takes a tile and a scalar") as caught:
            op.build(operands=[number, number, [], []], result_types=[pto.TileType((4, 8), f32), []]).verify()
        assert ("in either order" in str(caught.value)) == (fn in ("sub", "div"))


def test_the_value_of_an_op_that_is_no_constant_is_unknown():
    number = IntegerAttr.from_index_int_value(3)
    other = AnyOp(result_types=[IndexType()], properties={"value": number}).results[0]
    assert constant(pto.ConstantOp(number).results[0]) == 3 and constant(other) is None


def test_constructors():
    """What constructors make verifies, and has the types that follow from the operands."""

    def tile(rows: int, columns: int, dtype: Attribute, loc: str | None = None, layout: str | None = None):
        return create_ssa_value(pto.TileType((rows, columns), dtype, loc, layout))

    v, row, column = tile(16, 32, f32), tile(1, 32, f32), tile(16, 1, f32)
    a, b, acc, bias = (
        tile(16, 32, f16, "Left"),
        tile(32, 48, f16, "Right"),
        tile(16, 48, f32, "Acc"),
        tile(1, 48, f32, "Bias"),
    )
    mask, number, integers = tile(16, 32, i1), create_ssa_value(f32), tile(16, 32, i32)
    small, scales, more = tile(16, 64, f8, "Left"), tile(16, 2, f8E8M0FNU, "Scale"), tile(64, 48, f8, "Right")
    made = {
        "tile<16x48xf32, #pto.tile_info<loc=Acc>>": [
            pto.MatmulOp(a, b, acc.type), pto.MatmulAccOp(acc, a, b), pto.MatmulBiasOp(a, b, bias, acc.type),
            pto.MatmulMxOp(small, scales, more, tile(2, 48, f8E8M0FNU), acc.type),
        ],
        "tile<16x32xi1>": [pto.CmpOp("GT", v, v), pto.CmpsOp("LE", v, number)],
        "tile<16x32xf32>": [
            pto.SelOp(mask, v, v), pto.SelsOp(mask, v, number), pto.SCALAR_BINARY["add"](v, number), pto.CvtOp(integers, f32),
            pto.EXPANDED["rowexpandadd"](v, column), pto.EXPANDED["colexpandmul"](v, row), pto.RowExpandOp(column, 32),
            pto.ColExpandOp(row, 16), pto.InsertOp(row, v, [3, 0]), pto.CopyOp(v), pto.ReshapeOp(tile(8, 64, f32), [16, 32]),
            pto.GatherOp(tile(2, 9, f32), integers, v.type), pto.GatherBytesOp(v, tile(16, 4, i32), v.type),
            pto.ScatterOp(tile(4, 32, f32), tile(4, 32, i32), v.type),
        ],
        "tile<16x48xf16>": [pto.MoveScaledOp(acc, tile(1, 48, f32, "Scale"), f16)],
        "tile<32x16xf32>": [pto.TransOp(v)],
        "tile<16x1xf32>": [pto.ROW_REDUCTIONS["sum"](v)],
        "tile<1x32xf32>": [pto.COL_REDUCTIONS["max"](v), pto.ExtractOp(v, [2, 0], row.type)],
        "tile<1x32xi32>": [pto.CiOp(create_ssa_value(i32), pto.TileType((1, 32), i32), descending=True)],
    }  # fmt: skip
    for text, ops in made.items():
        for op in ops:
            op.verify()
            assert str(op.results[0].type) == f"!pto.{text}", op.name
    assert pto.CmpOp("GT", v, v).mode.word == "GT" and pto.CmpsOp("LE", v, number).mode.word == "LE"
    assert "descending" in made["tile<1x32xi32>"][0].properties
    combine = pto.CombineOp("serial", acc, *(create_ssa_value(t) for t in (i32, f32, f32)), Region(Block()))
    assert [axes for _, axes in made["tile<16x32xf32>"][-2].valid_axes] == [(0, None)]  # pyright: ignore
    stored = pto.StoreScaledOp(acc, tile(1, 48, f32, "Scale"), create_ssa_value(pto.MemRefType((16, 48), f16)), [0, 0])
    for op, text in (
        (stored, "[0, 0] : pto.memref<16x48xf16>, tile<16x48xf32"),
        (pto.SyncOpcodeOp("TADD"), "#pto.op<TADD>"),
    ):
        op.verify()
        assert text in str(op)
    assert (combine.mode.data, len(combine.operands), len(combine.regions)) == ("serial", 4, 1)


EFFECTS: dict[str, set[type]] = {
    **{key: {MemoryReadEffect} for key in ("pto.tile.load",)},
    **{key: {MemoryWriteEffect} for key in ("pto.tile.store", "pto.tile.store.fp", "pto.tile.report")},
    **{
        key: {MemoryReadEffect, MemoryWriteEffect}
        for key in ("pto.sync", "pto.sync.op", "pto.tile.prefetch", "pto.tile.scatter.map")
    },
    **{key: {Pure, Commutative} for key in ("pto.addi", "pto.muli")},
    "pto.event.record": {MemoryWriteEffect},
    "pto.constant": {Pure, ConstantLike},
    **{key: set[type]() for key in ("pto.tile.store.map", "pto.channel")},
    **{key: set[type]() for key in (f"pto.channel.{word}" for word in ("acquire", "commit", "wait", "release"))},
}
"""The traits of ops that are not only pure."""


def test_effects_of_each_op():
    kinds = (Pure, Commutative, ConstantLike, MemoryReadEffect, MemoryWriteEffect)
    number = create_ssa_value(i32)
    record = pto.RecordOp(pto.EventType("TADD"))
    for op in (*OPS, record, *(kind(number, number) for kind in (pto.AddIOp, pto.SubIOp, pto.MulIOp))):
        op.verify(verify_nested_ops=False)
        assert {kind for kind in kinds if op.has_trait(kind)} == EFFECTS.get(op.name, {Pure}), op.name


def test_each_instruction_checks_its_valid_region():
    """A region of no elements, and one of another rank, are refused by the rule that all instructions share."""
    for op in OPS:
        tiles = [v.type for v in (*op.results, *op.operands) if isinstance(v.type, pto.TileType)]
        if isinstance(op, pto.InstructionOp) and tiles:
            rank = len(tiles[0].sizes)
            for valid, message in (([0] * rank, "'valid' is 0"), ([1] * (rank + 1), "'valid' takes one number")):
                copied = clone(op)
                copied.operands = [v for v in op.operands if v not in op.valid]
                sizes = list(copied.properties["operandSegmentSizes"].get_values())  # pyright: ignore
                copied.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [*sizes[:-1], 0])
                copied.properties["static_valid"] = DenseArrayBase.from_list(i64, valid)
                with pytest.raises(PtirError, match=message):
                    copied.verify(verify_nested_ops=False)


def test_each_vector_op_computes_in_vec():
    """A tile of another location is refused by the rule that all vector ops share."""
    for op in OPS:
        if isinstance(op, pto.InstructionOp) and op.ON_VECTORS:
            for k, operand in enumerate(op.operands):
                if isinstance(t := operand.type, pto.TileType):
                    copied = clone(op)
                    copied.operands[k]._type = t.at("Mat")
                    with pytest.raises(VerifyException):
                        copied.verify(verify_nested_ops=False)


def test_products_are_of_matrices_of_their_sizes():
    """Each size and rank of an operand, and each location, is checked."""
    for op in OPS:
        if isinstance(op, pto.MatmulOp | pto.MatmulAccOp | pto.MatmulBiasOp | pto.MatmulMxOp):
            for k, operand in enumerate(op.operands):
                if isinstance(t := operand.type, pto.TileType):
                    for wrong in (t.like([2 * n for n in t.sizes]), t.like([*t.sizes, 1]), t.like(t.sizes[:1])):
                        copied = clone(op)
                        copied.operands[k]._type = wrong
                        with pytest.raises(VerifyException):
                            copied.verify(verify_nested_ops=False)


def test_constructors_of_ops_on_points_and_channels():
    """What constructors make verifies, and prints as it is written in `ops.mlir`."""

    def value(t: Attribute) -> SSAValue:
        return create_ssa_value(t)

    t = pto.TileType((4, 8), f32)
    tile, mask, index, place = (
        value(t),
        value(t.like(element_type=i1)),
        value(IndexType()),
        value(pto.TileType((4, 1), i32)),
    )
    numbers, totals = value(t.like(element_type=i32)), value(MemRefType(i32, [4, 8]))
    array, status = value(MemRefType(f32, [4, 8])), value(MemRefType(i32, [1]))
    at, box, dims, axes, where = [index, index], [4, 8], [0, 1], "{ [i0, i1] -> [(i0), (i1)] }", "{ [i0, i1] : i1 > 0 }"
    gather = "{ [i0, i1, i2] -> [(i2), (i1)] }"
    ring = value(pto.ChannelType(2, [t]))
    load = pto.LoadMapOp(array, at, axes, box, dims, t)
    guarded = pto.LoadMapOp(array, at, axes, box, dims, t, where)
    gathered = pto.LoadMapOp(array, at, gather, [*box, 4], dims, t, positions=[place])
    made: dict[Operation, str] = {
        load: "in [4, 8] dims [0, 1] :", guarded: "dims [0, 1] where <", gathered: "at(", 
        pto.StoreMapOp(tile, array, at, axes, box, dims): "in [4, 8] dims [0, 1] : tile<4x8xf32>, memref<4x8xf32>",
        pto.StoreMapOp(tile, array, at, axes, box, dims, where): "dims [0, 1] where <",
        pto.MaskOp(at, box, dims, [4, 8], where): "where <", pto.MaskOp(at, box, dims, [4, 8]): "dims [0, 1] : tile<4x8xi1>",
        pto.IotaOp(at, "{ [i0, i1] -> [(i1)] }", box, dims, t.like(element_type=i32)): "tile<4x8xi32>",
        pto.ReportOp("division", tile, mask, status, 3, at, box, dims): "number 3 to",
        pto.ReportOp("division", tile, mask, status, 3, at, box, dims, where): "where <",
        pto.ScatterMapOp("add", numbers, totals, at, gather, [*box, 4], dims, [place]): "tile<4x1xi32>",
        pto.FmaOp(tile, tile, tile): ": tile<4x8xf32>", pto.RowXorOp(tile, 2): "by 2 : tile<4x8xf32>",
        pto.ExpandsOp(value(f32), t): ": f32 : tile<4x8xf32>", pto.ExpandsOp(FloatAttr(1.0, f32), t): "1.000000e+00 : f32",
        pto.CvtOp(tile, i32): "-> tile<4x8xi32>", pto.CvtOp(tile, i32, "CAST_CEIL"): "{rmode = #pto.round_mode<CAST_CEIL>}",
        pto.AcquireOp(ring): "!pto.channel<2", pto.CommitOp(ring, [load.result]): "!pto.tile<4x8xf32>", pto.ReleaseOp(ring): "!pto.channel<2",
        pto.WaitOp(ring): "-> tile<4x8xf32>", pto.ChannelOp(pto.ChannelType(2, [t])): "!pto.channel<2",
        pto.ProcessOp(Block()): "pto.process", pto.ProcessOp(Region(Block())): "pto.process",
        pto.MrgSortOp([value(pto.TileType((1, 64), f32)), value(pto.TileType((1, 32), f32))]): "-> tile<1x96xf32>",
        pto.MrgSortOp([value(pto.TileType((1, 64), f32))], 16): "{blockLen = 16} : tile<1x64xf32> -> tile<1x64xf32>",
        pto.AssignOp(tile, 64): "at [64] : tile<4x8xf32>", pto.PrefetchOp(value(pto.MemRefType((4, 8), f32))): "pto.memref<4x8xf32>",
        pto.Sort32Op(value(pto.TileType((4, 32), f32))): "-> tile<4x32xf32>, tile<4x32xui32>",
    }  # fmt: skip
    for op, text in made.items():
        op.verify(verify_nested_ops=False)
        assert text in str(op), op
    assert ("where" in str(load), "where" in str(guarded)) == (False, True)
