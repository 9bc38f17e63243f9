"""The tables of PTO: what each target holds and lacks, and the pipe of each opcode, against the documents of the tile library."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E8M0FNUType, StridedLayoutAttr, f16, f32, i1
from xdsl.utils.test_value import create_ssa_value

import ptir
from ptir.analysis.pto.costs import cycles
from ptir.dialects import pto
from ptir.dialects.pto.storage import stored_sizes, tile_bytes
from ptir.dialects.pto.vector import COMPARES
from ptir.dialects.pto.words import LayoutAttr
from ptir.errors import InvalidAttributeValue, UnsupportedType
from ptir.passes.manager import PassManager
from ptir.targets.pto import (
    COMPARISONS,
    LAYOUTS,
    LOCATIONS,
    NOT_IN_PLACE,
    PIPE_OF,
    PIPES,
    ROUND_MODES,
    SCOPES,
    SPACES,
    TABLES,
    TARGETS,
    TEMPORARIES,
)
from ptir.targets.pto.costs import CORE
from ptir.targets.pto.machines import MACHINES, machine_named

A2_PRODUCTS = {("i32", "i8", "i8"), ("f32", "f16", "f16"), ("f32", "f32", "f32"), ("f32", "bf16", "bf16")}
FLOAT8 = ("f8E4M3FN", "f8E5M2")
ISA = [op.name for op in pto.PTO.operations]
"""The names of all ops of the dialect."""


@pytest.mark.parametrize(
    ("name", "vec", "acc"), [("a2", 192, 128), ("a3", 192, 128), ("a5", 256, 256)], ids=["a2", "a3", "a5"]
)
def test_memories(name: str, vec: int, acc: int):
    kilobytes = {"Vec": vec, "Mat": 512, "Left": 64, "Right": 64, "Acc": acc, "Bias": 1, "Scale": 2}
    assert {k: v / 1024 for k, v in MACHINES[name].memories.items()} == kilobytes
    assert set(MACHINES[name].memories) == set(LOCATIONS)


@pytest.mark.parametrize("name", ["a2", "a3", "a5"])
def test_what_a_core_computes(name: str):
    machine, more = MACHINES[name], {("f32", a, b) for a in FLOAT8 for b in FLOAT8}
    assert machine.name == name and machine.has_pipes
    assert machine.products == A2_PRODUCTS | (more if name == "a5" else set())
    types = {"f32", "f16", "bf16", "i8", "i16", "i32", "i1"}
    assert machine.vector_types == types | (set(FLOAT8) if name == "a5" else set())
    assert machine.matmul_sizes == (1, 4095) and machine.load_rows == {"Vec": 4095, "Mat": 16384}
    assert machine.stores == (("Vec", "Acc") if name == "a5" else ("Vec", "Mat", "Acc"))
    assert machine.fractals == {"Mat": 512, "Left": 512, "Right": 512, "Acc": 1024, "Scale": 32}
    assert machine.layouts == {
        "Vec": ("ND", "DN"), "Mat": ("Nz", "ND", "DN", "Zn"), "Left": ("Nz",) if name == "a5" else ("Zz",), "Right": ("Zn",),
        "Acc": ("Nz",), "Bias": ("ND",), "Scale": ("ND", "Zz", "Nn") if name == "a5" else ("ND",),
    }  # fmt: skip
    assert {word for words in machine.layouts.values() for word in words} <= set(LAYOUTS)


TYPES = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "f16", "bf16", "f32")
A2_TYPES = """
f16 f32 i16 i32: TADD TSUB TMUL TMIN TMAX TADDS TSUBS TMULS TDIVS TMINS TMAXS TPARTADD TPARTMIN TPARTMAX TCOLSUM TCOLMAX TCOLMIN
f16 f32 i16 i32 i1: TEXPANDS
f16 f32 i16 i32: TROWEXPANDADD TCOLEXPANDADD TCOLEXPANDSUB TCOLEXPANDMUL TCOLEXPANDDIV
f16 f32: TDIV TABS TEXP TLOG TSQRT TRSQRT TRECIP TSELS TSORT32 TMRGSORT TROWSUM TROWMAX TROWMIN TROWEXPANDSUB TROWEXPANDMUL TROWEXPANDDIV
f16 f32 i32: TRELU TCMP
f16 f32 i16 i32 ui16: TCMPS
f16 f32 i16 i32 ui16 ui32: TGATHER
f16 bf16 f32 i16 i32 ui16 ui32: TSEL
i8 ui8 i16 ui16 i32 ui32: TSHL TSHR
i8 ui8 i16 ui16 i32 ui32 i1: TAND TOR TXOR
i16 ui16 i1: TNOT
i16 ui16 i32 ui32: TCI
i8 f16 bf16 f32: TEXTRACT
"""
A5_TYPES = """
i8 ui8 i16 ui16 i32 ui32 f16 bf16 f32: TADD TSUB TMUL TADDS TSUBS TMULS TMINS TMAXS TPARTADD TPARTMIN TPARTMAX
i8 ui8 i16 ui16 i32 ui32 f16 bf16 f32 i1: TEXPANDS
i8 ui8 i16 ui16 i32 ui32 f16 bf16 f32: TSEL TCMP TCMPS TCOLSUM TCOLMAX TCOLMIN
i8 ui8 i16 ui16 i32 ui32 f16 f32: TMIN TMAX TDIVS TSELS
i16 ui16 i32 ui32 f16 f32: TDIV TGATHER TROWEXPANDADD TCOLEXPANDADD TCOLEXPANDSUB TCOLEXPANDMUL TCOLEXPANDDIV
i8 i16 i32 f16 f32: TABS
i8 ui8 i16 ui16 i32 ui32 i1: TNOT
i8 f16 bf16 f32 f8E4M3FN f8E5M2: TEXTRACT
"""
"""What the reference of instructions lists for A5 where it differs from A2 and A3."""


def element_types(text: str) -> dict[str, set[str]]:
    lines = [line.split(": ") for line in text.strip().splitlines()]
    return {opcode: set(types.split()) for types, opcodes in lines for opcode in opcodes.split()}


@pytest.mark.parametrize("name", ["a2", "a3", "a5"])
def test_element_types_of_opcodes(name: str):
    machine, want = MACHINES[name], element_types(A2_TYPES) | (element_types(A5_TYPES) if name == "a5" else {})
    for opcode in PIPE_OF:
        for dtype in (*TYPES, "i1", *FLOAT8):
            assert machine.takes(opcode, dtype) == (dtype in want.get(opcode, {dtype})), (opcode, dtype)
    assert machine.element_types.keys() == want.keys() <= PIPE_OF.keys()


def test_each_op_is_an_instruction_or_lacks_a_target():
    """An op of the dialect has a pipe, or some target says what to do instead; none has both on a5, and GPUs take the rest."""
    assert sorted(MACHINES) == ["a2", "a3", "a5", "sm80", "sm90"]
    opcodes = {
        "T" + name.removeprefix("pto.tile.").replace(".", "_").upper(): name
        for name in ISA
        if name.startswith("pto.tile.")
    }
    for opcode, name in opcodes.items():
        has_pipe = opcode in PIPE_OF or name in ("pto.tile.store", "pto.tile.assign", "pto.tile.bitcast")
        assert has_pipe != (name in MACHINES["a5"].lacks), name
    for name in (
        "pto.tiles",
        "pto.combine",
        "pto.channel",
        "pto.process",
        *(f"pto.channel.{op}" for op in ("acquire", "commit", "wait", "release")),
    ):
        assert "pto-legalize" in MACHINES["a5"].lacks[name]
    assert set(MACHINES["a3"].lacks) - set(MACHINES["a5"].lacks) == {"pto.tile.matmul.mx"}
    assert MACHINES["a2"].lacks == MACHINES["a3"].lacks
    for name in ("sm80", "sm90"):
        assert set(MACHINES[name].lacks) == {"pto.tile.assign", "pto.tile.matmul.mx"} and not MACHINES[name].has_pipes
        assert set(MACHINES[name].memories) == {"Mat"} and MACHINES[name].block("Left", "Zz", 2) == (1, 1)
    assert MACHINES["sm80"].memories["Mat"] == 163 * 1024
    assert MACHINES["sm90"].memories["Mat"] == 227 * 1024


def test_the_pipe_of_each_opcode():
    by_pipe = {pipe: {opcode for opcode, found in PIPE_OF.items() if found == pipe} for pipe in PIPES}
    assert list(by_pipe) == ["MTE1", "MTE2", "MTE3", "V", "M", "FIX"]
    assert by_pipe["MTE2"] == {"TLOAD", "TPREFETCH"} and by_pipe["MTE3"] == {"TSTORE_VEC"}
    assert by_pipe["MTE1"] == {"TMOV_M2L", "TMOV_M2R", "TMOV_M2B", "TMOV_M2S", "TEXTRACT"}
    assert by_pipe["M"] == {"TMATMUL", "TMATMUL_ACC", "TMATMUL_BIAS", "TMATMUL_MX"}
    assert by_pipe["FIX"] == {"TSTORE_ACC", "TSTORE_FP", "TMOV_A2V", "TMOV_FP"}
    assert len(by_pipe["V"]) == 63
    assert TEMPORARIES == {
        "TROWSUM": 0,
        "TROWMAX": 0,
        "TROWMIN": 0,
        "TCOLSUM": 0,
        "TTRANS": 0,
        "TXOR": 0,
        "TSEL": 1,
        "TSELS": 1,
        "TGATHER": 1,
    }


def test_what_moves_elements_is_not_in_place():
    """All vector ops that move elements, but views, and those that move a number to its own place."""
    moving = {
        *(pto.RowExpandOp, pto.ColExpandOp, pto.TransOp, pto.InsertOp, pto.GatherOp, pto.GatherBytesOp, pto.ScatterOp),
        *(pto.Sort32Op, pto.MrgSortOp),
    }
    assert {f"T{op.name.removeprefix('pto.tile.').upper()}" for op in moving} | {"TEXTRACT_V2V"} == {*NOT_IN_PLACE}


def test_targets_have_names():
    assert {machine_named(name).name for name in MACHINES} == set(MACHINES)
    with pytest.raises(InvalidAttributeValue, match="'target' is 'a4'"):
        machine_named("a4")


def test_blocks_of_layouts():
    """The rows and columns of a block of bytes, in the order of `LAYOUTS`; the second letter says which of them are contiguous."""
    machine = MACHINES["a3"]
    assert [machine.block("Left", layout, 1) for layout in LAYOUTS] == [
        (1, 32), (32, 1), (16, 32), (32, 16), (16, 32), (32, 16),
    ]  # fmt: skip
    assert [MACHINES["a5"].block("Scale", layout, 4) for layout in ("ND", "Zz", "Nn")] == [(1, 8), (16, 1), (1, 16)]


def test_words():
    assert SPACES == ("gm", "ub", "l1", "l0a", "l0b", "l0c") and SCOPES == ("intra", "inter")
    assert TABLES == ("Bias", "Scale")
    assert COMPARISONS == ("EQ", "NE", "LT", "LE", "GT", "GE") and tuple(MACHINES) == TARGETS
    assert {word.lower(): word for word in COMPARISONS} == COMPARES
    assert ROUND_MODES == ("CAST_RINT", "CAST_ROUND", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC", "CAST_NONE")


def test_families_of_ops():
    """The tables by which other levels find an op: each has the op of the function's name."""
    reductions = {"sum": "sum", "mul": "prod", "max": "max", "min": "min"}
    for kind, table in (("row", pto.ROW_REDUCTIONS), ("col", pto.COL_REDUCTIONS)):
        assert {fn: op.name for fn, op in table.items()} == {fn: f"pto.tile.{kind}{w}" for fn, w in reductions.items()}
    for form, table, words in (
        ("{}s", pto.SCALAR_BINARY, "add sub mul div min max"),
        ("part{}", pto.PARTIAL, "add max min"),
        (
            "{}",
            pto.EXPANDED,
            "rowexpandadd rowexpandsub rowexpandmul rowexpanddiv colexpandadd colexpandsub colexpandmul colexpanddiv",
        ),
    ):
        assert {fn: op.name for fn, op in table.items()} == {fn: f"pto.tile.{form.format(fn)}" for fn in words.split()}
    moves = "m2l m2r a2v m2v v2l v2r v2a m2b m2s v2v"
    assert [op.name for op in pto.MOVES] == [f"pto.tile.mov.{word}" for word in moves.split()]


def test_costs():
    wide = {("GM", "Mat"), ("GM", "Vec"), ("Vec", "GM"), ("Acc", "GM"), ("Acc", "Vec"), ("Mat", "Right")}
    narrow = {("Mat", "Bias"), ("Mat", "Scale")}
    assert CORE.bytes_per_cycle == {("Mat", "Left"): 256, **dict.fromkeys(wide, 128), **dict.fromkeys(narrow, 64)}
    assert CORE.products_per_cycle == {8: 8192, 16: 4096, 32: 1024}
    assert (CORE.vector_bytes, CORE.start) == (256, 16)


def test_cycles_of_products():
    """A product of blocks with scales takes the time of its multiplications."""
    a, b, s, t = (
        create_ssa_value(pto.TileType(sizes, dtype, loc))
        for sizes, dtype, loc in (
            ((64, 64), Float8E4M3FNType(), "Left"),
            ((64, 128), Float8E4M3FNType(), "Right"),
            ((64, 2), Float8E8M0FNUType(), "Scale"),
            ((2, 128), Float8E8M0FNUType(), "Scale"),
        )
    )
    acc = pto.TileType((64, 128), f32, "Acc")
    assert (
        cycles(pto.MatmulMxOp(a, s, b, t, acc)) == cycles(pto.MatmulOp(a, b, acc)) == CORE.start + 64 * 64 * 128 // 8192
    )


def test_bytes_of_tiles():
    """A line of predicates has a bit for each and is padded to 32 bytes, along the axis whose elements are contiguous."""
    tile = pto.TileType((4, 40), i1)
    assert [stored_sizes(t) for t in (tile, pto.TileType((4, 40), i1, "Vec", "DN"), tile.like(element_type=f16))] == [
        (4, 32), (32, 40), (4, 40),
    ]  # fmt: skip
    assert [tile_bytes(t) for t in (tile, tile.like(element_type=f16), tile.like((3, 2, 33)))] == [128, 320, 3 * 2 * 32]


def test_strides_of_arrays():
    strides = {word: pto.MemRefType((4, 8, 2), f16, layout=LayoutAttr.of(word)).strides for word in LAYOUTS}
    assert strides == dict.fromkeys(LAYOUTS, (16, 2, 1)) | {"DN": (1, 4, 32)}
    assert pto.MemRefType((4, -1, 2), f16).strides == (None, 2, 1)


def test_offsets_of_arrays():
    views = [None, *(StridedLayoutAttr([8, 1], offset) for offset in (None, 0, 24))]
    assert [pto.MemRefType((4, 8), f16, view).offset for view in views] == [0, None, 0, 24]


def test_what_is_no_tile_or_memref_is_refused():
    for read in (pto.tile_type, pto.memref_type):
        with pytest.raises(UnsupportedType, match="expected a"):
            read(create_ssa_value(f16))


@pytest.mark.parametrize("name", ["pto-infer-tile-info", "pto-bufferize", "pto-legalize"])
def test_passes_write_their_target(name: str):
    text = "func.func @f(%x: !pto.memref<8x8xf32>) { pto.tile.prefetch %x : pto.memref<8x8xf32> func.return }"
    module = PassManager(f"{name}{{target=a5}}").run(ptir.parse(text))
    assert module.attributes["pto.target"] == pto.TargetAttr.of("a5")
