"""Handwritten warp-specialized `nv` kernels: printed as CUDA, run in the PTX emulator and compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.emit import print_cuda
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.backends.cuda.resources import fewer_registers
from ptir.dialects.plan.schedule import Schedule, Vectorize
from ptir.emulator import Memory, TensorMap, launch, parse

pytestmark = pytest.mark.sampled(4)

Array = np.ndarray[Any, np.dtype[Any]]
DTYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "si8": np.int8,
    "ui8": np.uint8,
    "i32": np.int32,
}
PANELS = {"b128": 128, "b64": 64, "b32": 32}


def kernel(arguments: list[tuple[str, str]], threads: int, body: str, attributes: str = "") -> str:
    names = ", ".join(f"%{name}: {type_}" for name, type_ in arguments)
    types = ", ".join(type_ for _, type_ in arguments)
    numbers = "\n".join(f"%c{n} = arith.constant {n} : index" for n in NUMBERS)
    return f"""
"gpu.module"() <{{sym_name = "kernels"}}> ({{
  "gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{
  ^bb0({names}):
    {numbers}
    {body}
    "gpu.return"() : () -> ()
  }}) {{sym_name = "k", "gpu.known_block_size" = array<i32: {threads}, 1, 1>{attributes}}} : () -> ()
}}) : () -> ()
"""


NUMBERS = (0, 1, 2, 3, 8, 16, 24, 32, 48, 64, 80, 96, 128, 192, 256)


def run(text: str, args: list[Any], threads: int, shared: int, memory: Memory, grid: int = 1) -> str:
    """Prints, compiles and emulates a kernel. Returns the CUDA text. Remarks of ptxas fail the test."""
    source = print_cuda(ptir.parse(text))
    binary = compile_cuda(source, "sm_90a")
    assert not binary.remarks and binary.kernels["k"].spill_stores == 0 and binary.kernels["k"].stack == 0
    launch(parse(binary.ptx), "k", grid=grid, block=threads, args=args, memory=memory, dynamic_shared=shared)
    return source


def integers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Array:
    """Returns random integers, small enough that all sums are exact."""
    low = 0 if dtype == "ui8" else -4
    return np.random.default_rng((seed, *shape)).integers(low, 5, shape).astype(DTYPES[dtype])


@dataclass(frozen=True)
class Ring:
    """A ring of `stages` slots of `rows` x `columns` elements, which TMA fills panel by panel from an array of slots."""

    name: str
    rows: int
    columns: int
    dtype: str
    swizzle: str = "b128"
    stages: int = 2
    at: int = 0

    @property
    def size(self) -> int:
        return np.dtype(DTYPES[self.dtype]).itemsize

    @property
    def width(self) -> int:
        return PANELS[self.swizzle] // self.size

    @property
    def bytes(self) -> int:
        return self.rows * self.columns * self.size

    @property
    def end(self) -> int:
        return self.at + self.stages * self.bytes

    @property
    def type(self) -> str:
        return f"!nv.smem<{self.stages}x{self.rows}x{self.columns}x{self.dtype}, {self.swizzle}>"

    @property
    def map(self) -> str:
        return f"!nv.tensor_map<1x{self.rows}x{self.width}x{self.dtype}, {self.swizzle}>"

    @property
    def declared(self) -> str:
        return f"%{self.name} = nv.smem at {self.at} : {self.type}"

    def load(self, slot: str, barriers: str) -> str:
        lines: list[str] = []
        for column in range(0, self.columns, self.width):
            at = f"%{self.name}_at{column}_{slot[1:]}"
            lines.append(f"{at} = arith.constant {column} : index")
            lines.append(
                f"nv.tma_load %{self.name}_map[{slot}, %c0, {at}] to %{self.name}[{slot}, %c0, {at}] "
                f"signal {barriers}[{slot}] : {self.map}, {self.type}, !nv.mbarrier<{self.stages}>"
            )
        return "\n".join(lines)

    def tensor_map(self, memory: Memory, slots: Array) -> TensorMap:
        box = (1, self.rows, self.width)
        return TensorMap.of(slots, memory.bind(slots, readonly=True), box, swizzle=PANELS[self.swizzle])


@dataclass(frozen=True)
class Product:
    """A block that multiplies m x 2·depth by 2·depth x n matrices in two slots; `a` and `b` are element types."""

    a: str = "bf16"
    b: str = "bf16"
    n: int = 64
    m: int = 64
    depth: int = 64
    a_layout: str = "ND"
    b_layout: str = "DN"
    a_swizzle: str = "b128"
    b_swizzle: str = "b128"
    groups: int = 1
    out: str = "!nv.smem<1x64x64xbf16, b128>"
    """The type of a ring for results."""

    @property
    def of(self) -> str:
        kinds = {"bf16": "m64k16", "f16": "m64k16", "f32": "m64k8", "si8": "m64k32_i8", "ui8": "m64k32_i8"}
        return kinds.get(self.a, "m64k32_f8")

    @property
    def sums(self) -> str:
        return "i32" if self.of == "m64k32_i8" else "f32"

    @property
    def rings(self) -> tuple[Ring, Ring]:
        m = self.m * self.groups
        a = (m, self.depth) if self.a_layout == "ND" else (self.depth, m)
        b = (self.depth, self.n) if self.b_layout == "ND" else (self.n, self.depth)
        left = Ring("sa", *a, self.a, self.a_swizzle)
        at = -(-left.end // 1024) * 1024
        return left, Ring("sb", *b, self.b, self.b_swizzle, at=at)


def multiplied(case: Product, slot: str, first: str) -> str:
    """Returns the wgmma ops for all steps of a slot."""
    left, right = case.rings
    step = 32 // left.size
    acc = f"!nv.frag<{case.m}x{case.n}x{case.sums}, C of {case.of}>"
    lines: list[str] = []
    for k in range(0, case.depth, step):
        at = f"%k{k}_{slot[1:]}"
        lines.append(f"{at} = arith.constant {k} : index")
        a = f"{slot}, %row, {at}" if case.a_layout == "ND" else f"{slot}, {at}, %row"
        b = f"{slot}, {at}, %c0" if case.b_layout == "ND" else f"{slot}, %c0, {at}"
        add = first if k == 0 else ""
        lines.append(
            f"nv.wgmma.mma %acc, %sa[{a}] {case.a_layout}, %sb[{b}] {case.b_layout}{add} : {acc}, {left.type}, {right.type}"
        )
    return "\n".join(lines)


def stored(case: Product, acc: str = "%acc", column: str = "%c0", columns: int = 0) -> str:
    """Returns the epilogue that stores accumulators unchanged, starting at a column of the result."""
    rows, columns = case.m * case.groups, columns or case.n
    return f"""
      nv.epilogue {acc} : !nv.frag<{case.m}x{columns}x{case.sums}, C of {case.of}> [%row, {column}]
        in [{rows}, {case.n}] dims [0, 1] guard [] tile [{case.m}, {columns}]
        outs(%y : memref<{rows}x{case.n}x{case.sums}>)
        addresses [#poly.map<"{{ [i0, i1] -> [({case.n}i0 + i1)] }}">] widths [2] {{
      ^bb0(%x: {case.sums}):
        nv.yield %x : {case.sums}
      }}"""


def product_text(case: Product, steps: str = "", results: str = "", arguments: tuple[tuple[str, str], ...] = ()) -> str:
    """`steps` are what the consumers do with a slot, `results` what they do with the sums; else one product, stored."""
    left, right = case.rings
    acc = f"!nv.frag<{case.m}x{case.n}x{case.sums}, C of {case.of}>"
    rows = case.m * case.groups
    memref = f"memref<{rows}x{case.n}x{case.sums}>"
    threads = 128 * (1 + case.groups)
    steps = (
        steps
        or f"""
        nv.wgmma.fence
        {multiplied(case, "%slot", " if %later")}
        nv.wgmma.commit
        nv.wgmma.wait 0"""
    )
    results = results or stored(case)
    body = f"""
    {left.declared}
    {right.declared}
    %out = nv.smem at {-(-right.end // 1024) * 1024 + 1024} : {case.out}
    %full = nv.mbarrier at {right.end} : !nv.mbarrier<2>
    nv.single block {{
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<2>
      nv.mbarrier.init_fence
    }}
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {{
      nv.single role {{
        scf.for %slot = %c0 to %c2 step %c1 {{
          nv.mbarrier.expect_tx %full[%slot] bytes {left.bytes + right.bytes} : !nv.mbarrier<2>
          {left.load("%slot", "%full")}
          {right.load("%slot", "%full")}
        }}
      }}
    }}
    nv.role consumer threads 128 to {threads} {{
      %wg = nv.warpgroup
      %m = arith.constant {case.m} : index
      %row = arith.muli %wg, %m : index
      %acc = nv.frag : {acc}
      scf.for %slot = %c0 to %c2 step %c1 {{
        nv.mbarrier.wait %full[%slot] parity %c0 : !nv.mbarrier<2>
        %later = arith.cmpi ne, %slot, %c0 : index
        {steps}
      }}
      {results}
    }}
    """
    return kernel([("sa_map", left.map), ("sb_map", right.map), *(arguments or (("y", memref),))], threads, body)


def operands(case: Product) -> tuple[Array, Array]:
    rows = case.m * case.groups
    return integers((rows, 2 * case.depth), case.a), integers((2 * case.depth, case.n), case.b, 1)


def slots_of(case: Product, a: Array, b: Array) -> tuple[Array, Array]:
    """Returns the operands, each as two slots, in the order in which they are staged."""
    left = np.stack([x if case.a_layout == "ND" else x.T for x in np.split(a, 2, axis=1)])
    right = np.stack([x if case.b_layout == "ND" else x.T for x in np.split(b, 2, axis=0)])
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def computed(case: Product, text: str, *args: tuple[Array, Callable[[Memory, Array], Any]]) -> str:
    """Runs a kernel on random operands. Returns the arrays that it writes, directly or through tensor maps."""
    a, b = operands(case)
    left, right = case.rings
    memory = Memory()
    maps = [r.tensor_map(memory, s) for r, s in zip((left, right), slots_of(case, a, b), strict=True)]
    places = [place(memory, array) for array, place in args]
    return run(text, [*maps, *places], 128 * (1 + case.groups), 65536 * 3, memory)


def check(case: Product, text: str = "") -> str:
    """Checks a kernel that stores the accumulators unchanged."""
    got = np.full((case.m * case.groups, case.n), -1, DTYPES[case.sums])
    source = computed(case, text or product_text(case), (got, bound))
    assert np.array_equal(got, product(case).astype(got.dtype))
    return source


def product(case: Product) -> Array:
    a, b = operands(case)
    return a.astype(np.float64) @ b.astype(np.float64)


def bound(memory: Memory, array: Array) -> int:
    return memory.bind(array, initialized=False)


def read(memory: Memory, array: Array) -> int:
    return memory.bind(array, readonly=True)


def boxes(*box: int, swizzle: int = 0) -> Callable[[Memory, Array], TensorMap]:
    return lambda memory, array: TensorMap.of(array, bound(memory, array), box, swizzle=swizzle)


BASE = Product()
FP8, I8 = Product("f8E4M3FN", "f8E4M3FN", depth=128), Product("si8", "si8", depth=128)
CASES = [
    *[replace(BASE, n=n) for n in (8, 16, 24, 72, 136, 256)],
    *[replace(BASE, a_swizzle=s, b_swizzle=t) for s, t in (("b64", "b32"), ("b32", "b64"))],
    replace(BASE, depth=128),
    replace(BASE, a="f16", b="f16", depth=32, a_swizzle="b64", b_swizzle="b64", n=40),
    replace(BASE, b_layout="ND"),
    replace(BASE, b_layout="ND", n=256, depth=32, a_swizzle="b64"),
    replace(BASE, b_layout="ND", n=96, b_swizzle="b64", depth=16, a_swizzle="b32"),
    replace(BASE, b_layout="ND", n=48, b_swizzle="b32"),
    replace(BASE, a_layout="DN", n=24),
    replace(BASE, a_layout="DN", b_layout="ND", m=128, a_swizzle="b64"),
    replace(BASE, a_layout="DN", a_swizzle="b32", a="f16", b="f16"),
    replace(BASE, m=128, n=128),
    replace(BASE, groups=2, n=32),
    replace(BASE, groups=2, m=128, n=32, a_layout="DN"),
    Product("f32", "f32", n=24, depth=32),
    Product("f32", "f32", n=16, depth=64, b_swizzle="b64", a_swizzle="b32"),
    FP8,
    replace(FP8, a="f8E5M2", b="f8E5M2", n=56),
    replace(FP8, a="f8E4M3FN", b="f8E5M2", n=8, depth=256),
    replace(FP8, a="f8E5M2", b="f8E4M3FN", a_swizzle="b32", b_swizzle="b64"),
    I8,
    replace(I8, a="ui8", b="ui8", n=24),
    replace(I8, a="si8", b="ui8", n=240, depth=64, a_swizzle="b64", b_swizzle="b64"),
    replace(I8, a="ui8", b="si8", n=8, m=128),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_product(case: Product):
    check(case)


# --- operands --------------------------------------------------------------------------------------


def from_registers(case: Product, load: str) -> str:
    """Returns the wgmma ops for a slot, with A in registers."""
    left, right = case.rings
    step = 32 // left.size
    acc = f"!nv.frag<{case.m}x{case.n}x{case.sums}, C of {case.of}>"
    a = f"!nv.frag<{case.m}x{step}x{case.a}, A of {case.of}>"
    lines: list[str] = []
    for k in range(0, case.depth, step):
        at = f"%k{k}"
        place = f"%slot, %row, {at}" if case.a_layout == "ND" else f"%slot, {at}, %row"
        b = f"%slot, {at}, %c0" if case.b_layout == "ND" else f"%slot, %c0, {at}"
        lines += [
            f"{at} = arith.constant {k} : index",
            f"%a{k} = nv.frag : {a}",
            f"nv.{load} %sa[{place}] {case.a_layout} to %a{k} : {left.type}, {a}",
            "nv.wgmma.fence",
            f"nv.wgmma.mma_frag %acc, %a{k}, %sb[{b}] {case.b_layout}{' if %later' * (k == 0)} : {acc}, {a}, {right.type}",
            "nv.wgmma.commit",
            "nv.wgmma.wait 0",
        ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("case", "load"),
    [
        (BASE, "ldmatrix"),
        (replace(BASE, m=128, n=48, b_layout="ND", b_swizzle="b32"), "ldmatrix"),
        (replace(BASE, a="f16", b="f16", a_layout="DN"), "ldmatrix"),
        (replace(BASE, a_layout="DN", groups=2), "ld_shared"),
        (replace(FP8, b="f8E5M2", n=16), "ldmatrix"),
        (replace(I8, a="ui8", n=16), "ld_shared"),
        (Product("f32", "f32", n=8, depth=32), "ld_shared"),
    ],
    ids=str,
)
def test_a_from_registers(case: Product, load: str):
    check(case, product_text(case, from_registers(case, load)))


@pytest.mark.parametrize("case", [BASE, replace(BASE, depth=128, b_layout="ND"), replace(FP8, depth=256, n=8)], ids=str)
def test_steps_in_a_loop(case: Product):
    """The start of a step is computed at run time, within a panel and from panel to panel."""
    left, right = case.rings
    acc = f"!nv.frag<{case.m}x{case.n}xf32, C of {case.of}>"
    b = "%slot, %k, %c0" if case.b_layout == "ND" else "%slot, %c0, %k"
    steps = f"""
        %depth = arith.constant {case.depth} : index
        %step = arith.constant {32 // left.size} : index
        scf.for %k = %c0 to %depth step %step {{
          nv.wgmma.fence
          nv.wgmma.mma %acc, %sa[%slot, %row, %k] ND, %sb[{b}] {case.b_layout} : {acc}, {left.type}, {right.type}
          nv.wgmma.commit
          nv.wgmma.wait 0
        }}"""
    check(case, product_text(case, steps))


def test_promotion():
    """The products of each slot are summed separately, and then added in f32."""
    acc = f"!nv.frag<{FP8.m}x{FP8.n}xf32, C of {FP8.of}>"
    steps = f"""
        %part = nv.frag : {acc}
        nv.wgmma.fence
        {multiplied(FP8, "%slot", " if %never").replace("%acc,", "%part,")}
        nv.wgmma.commit
        nv.wgmma.wait 0
        nv.promote %part to %acc : {acc}, {acc}"""
    text = product_text(FP8, steps).replace("%wg = ", "%never = arith.constant false\n%wg = ")
    source = check(FP8, text)
    assert "float part1[1][8][4];" in source and "float acc[1][8][4] = {};" in source


def test_two_sums_in_flight():
    """Two halves of n in two wgmma groups, with a wait for the older one: ptxas makes no remark."""
    case = replace(BASE, n=128)
    acc = f"!nv.frag<{case.m}x64xf32, C of {case.of}>"
    left, right = case.rings
    steps: list[str] = []
    for half in (0, 64):
        steps.append("nv.wgmma.fence")
        for k in range(0, case.depth, 16):
            steps.append(
                f"nv.wgmma.mma %acc{half}, %sa[%slot, %row, %c{k}] ND, %sb[%slot, %c{half}, %c{k}] DN{' if %later' * (k == 0)} "
                f": {acc}, {left.type}, {right.type}"
            )
        steps.append("nv.wgmma.commit")
    steps += ["nv.wgmma.wait 1", "nv.wgmma.wait 0"]
    results = "\n".join(stored(case, f"%acc{half}", f"%c{half}", 64) for half in (0, 64))
    text = product_text(case, "\n".join(steps), results)
    declared = "%acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>"
    assert declared in text
    check(case, text.replace(declared, f"%acc0 = nv.frag : {acc}\n%acc64 = nv.frag : {acc}"))


@pytest.mark.parametrize(
    ("bytes_", "case", "sizes"),
    [
        (16, BASE, (64, 128, 64)),
        (16, replace(BASE, n=40, m=128, a_swizzle="b64", b_swizzle="b32"), (100, 104, 33)),
        (8, replace(BASE, depth=128), (64, 252, 60)),
        (4, Product("f32", "f32", n=24, depth=32, b_swizzle="b64"), (61, 63, 21)),
        (2, replace(BASE, n=24, groups=2), (127, 101, 23)),
        (1, replace(FP8, n=16), (50, 250, 13)),
    ],
    ids=str,
)
def test_copied_by_the_producers(bytes_: int, case: Product, sizes: tuple[int, int, int]):
    """cp.async, and loads and stores where rows are less than 4 bytes apart; what lies outside of the arrays is zero."""
    m, k, n = sizes
    left, right = case.rings
    copies = "\n".join(
        f'nv.cp_async %{x}[%c0, %at] to %{ring.name}[%slot] address <"{{ [i0, i1] -> [({k}i0 + i1)] }}"> in [{rows}, {k}] '
        f"dims [0, 1] guard [0, 1] bytes {bytes_} : memref<{rows}x{k}x{ring.dtype}>, {ring.type}"
        for x, ring, rows in (("p", left, m), ("q", right, n))
    )
    arrays = (("p", f"memref<{m}x{k}x{case.a}>"), ("q", f"memref<{n}x{k}x{case.b}>"))
    result = ("y", f"memref<{case.m * case.groups}x{case.n}x{case.sums}>")
    text = product_text(case, "", "", (*arrays, result))
    begin, end = text.index("nv.single role {"), text.index("nv.role consumer")
    text = f"""{text[:begin]}
      %depth = arith.constant {case.depth} : index
      scf.for %slot = %c0 to %c2 step %c1 {{
        %at = arith.muli %slot, %depth : index
        {copies}
        nv.commit_group
        nv.wait_group 0
        nv.fence_async
        nv.mbarrier.arrive %full[%slot] : !nv.mbarrier<2>
      }}
    }}
    {text[end:]}"""
    text = text.replace("%full arrivals 1", "%full arrivals 128")
    x, w = integers((m, k), case.a), integers((n, k), case.b, 1)
    got = np.full((case.m * case.groups, case.n), -1, DTYPES[case.sums])
    computed(case, text, (x, read), (w, read), (got, bound))
    want = np.zeros(got.shape)
    want[:m, :n] = x.astype(np.float64) @ w.astype(np.float64).T
    assert np.array_equal(got, want)


# --- results ---------------------------------------------------------------------------------------


def staged(
    case: Product, dtype: str, layout: str, panels: list[int], box: tuple[int, int], swizzle: str, guards: str = ""
) -> str:
    """
    Returns an epilogue that adds a bias to the accumulators, rounds them, and stores them panel by panel through a slot per
    warpgroup.
    """
    acc = f"!nv.frag<{case.m}x{case.n}x{case.sums}, C of {case.of}>"
    half = f"!nv.frag<{case.m}x{case.n}x{dtype}, C of {case.of}>"
    rows = case.m * case.groups
    rounded = "%r = arith.truncf %s : f32 to " + dtype if dtype != "f32" else "%r = arith.negf %s : f32"
    lines = [
        f"""%half = nv.epilogue %acc : {acc} [%row, %c0] in [{rows}, {case.n}] dims [0, 1] guard [{guards}]
        tile [{case.m}, {case.n}] ins(%bias : memref<{case.n}xf32>)
        addresses [#poly.map<"{{ [i0, i1] -> [(i1)] }}">] widths [2] -> {half} {{
      ^bb0(%x: f32, %b: f32):
        %s = arith.addf %x, %b : f32
        {rounded}
        nv.yield %r : {dtype}
      }}"""
    ]
    map_ = f"!nv.tensor_map<{box[0]}x{box[1]}x{dtype}, {swizzle}>"
    slot_columns = case.out.split("x")[2]
    width = PANELS[swizzle] // np.dtype(DTYPES[dtype]).itemsize if swizzle in PANELS else int(slot_columns)
    for first in panels:
        stores: list[str] = []
        for column in range(0, int(slot_columns), width):
            at = ("%row", f"%first{first}_{column}") if layout == "ND" else (f"%n{first}", f"%across{first}_{column}")
            stores.append(f"%inside{first}_{column} = arith.constant {column} : index")
            stores.append(f"%first{first}_{column} = arith.constant {first + column} : index")
            stores.append(f"%across{first}_{column} = arith.addi %row, %inside{first}_{column} : index")
            stores.append(
                f"nv.tma_store %out[%wg, %c0, %inside{first}_{column}] to %y_map[{', '.join(at)}] : {case.out}, {map_}"
            )
        lines.append(f"""
      %n{first} = arith.constant {first} : index
      nv.stmatrix %half column {first} {layout} to %out[%wg, %c0, %c0] : {half}, {case.out}
      nv.fence_async
      nv.barrier 1 threads 128
      nv.single warpgroup {{
        {chr(10).join(stores)}
        nv.bulk.commit
        nv.bulk.wait_read 0
      }}
      nv.barrier 1 threads 128""")
    return product_text(case, "", "\n".join(lines), (("bias", f"memref<{case.n}xf32>"), ("y_map", map_)))


@pytest.mark.parametrize(
    ("dtype", "layout", "out", "swizzle", "case"),
    [
        ("bf16", "ND", (64, 64), "b128", replace(BASE, n=128)),
        ("f16", "ND", (64, 32), "b64", replace(BASE, n=96)),
        ("bf16", "ND", (64, 48), "b32", replace(BASE, n=48)),
        ("bf16", "ND", (64, 32), "none", replace(BASE, n=64)),
        ("bf16", "ND", (128, 64), "b128", replace(BASE, m=128, groups=2)),
        ("bf16", "DN", (64, 64), "b128", replace(BASE, n=128, groups=2)),
        ("f16", "DN", (16, 64), "b32", replace(BASE, n=48)),
        ("f32", "ND", (64, 32), "b128", replace(BASE, n=64, groups=2)),
        ("f32", "ND", (64, 16), "b64", replace(BASE, n=32)),
        ("f32", "ND", (128, 64), "none", replace(BASE, n=64, m=128)),
    ],
)
def test_staged(dtype: str, layout: str, out: tuple[int, int], swizzle: str, case: Product):
    case = replace(case, out=f"!nv.smem<{case.groups}x{out[0]}x{out[1]}x{dtype}, {swizzle}>")
    size = np.dtype(DTYPES[dtype]).itemsize
    box = (out[0], PANELS[swizzle] // size if swizzle in PANELS else out[1])
    columns = out[1] if layout == "ND" else out[0]
    text = staged(case, dtype, layout, list(range(0, case.n, columns)), box, swizzle)
    bias = integers((case.n,), "f32", 7) / 16
    rows = case.m * case.groups
    got = np.full((rows, case.n) if layout == "ND" else (case.n, rows), np.nan, DTYPES[dtype])
    source = computed(case, text, (bias, read), (got, boxes(*box, swizzle=PANELS.get(swizzle, 0))))
    want = product(case).astype(np.float32) + bias
    want = (-want if dtype == "f32" else want).astype(DTYPES[dtype])
    assert np.array_equal(got, want if layout == "ND" else want.T)
    assert ("stmatrix_x4_trans(" in source) == (layout == "DN")


def test_guards_are_of_loads_where_results_stay_in_registers():
    """A bias that ends within the tile; a second output is stored beside the results, also within its bounds."""
    case = replace(BASE, n=32, out="!nv.smem<1x64x32xbf16, b64>")
    text = staged(case, "bf16", "ND", [0], (64, 32), "b64", "0, 1")
    text = text.replace("in [64, 32]", "in [50, 21]").replace("memref<32xf32>", "memref<21xf32>")
    text = text.replace(
        'ins(%bias : memref<21xf32>)\n        addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">] widths [2]',
        'ins(%bias : memref<21xf32>) outs(%z : memref<50x21xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, '
        '#poly.map<"{ [i0, i1] -> [(21i0 + i1)] }">] widths [1, 1]',
    )
    text = text.replace("nv.yield %r : bf16", "nv.yield %s, %r : f32, bf16")
    text = text.replace("%y_map: ", "%z: memref<50x21xf32>, %y_map: ").replace(
        "memref<21xf32>, !nv.tensor_map<64x32", "memref<21xf32>, memref<50x21xf32>, !nv.tensor_map<64x32"
    )
    bias = integers((21,), "f32", 7)
    stored, staged_ = np.full((50, 21), np.nan, np.float32), np.full((64, 32), np.nan, DTYPES["bf16"])
    computed(case, text, (bias, read), (stored, bound), (staged_, boxes(64, 32, swizzle=64)))
    want = product(case).astype(np.float32)[:50, :21] + bias
    assert np.array_equal(stored, want)
    assert np.array_equal(staged_[:50, :21], want.astype(DTYPES["bf16"]))


SHARED_SUM = (("counters", "memref<1xi32>"), ("ws", "memref<2x128x32xf32>"), ("y", "memref<128x32xf32>"))


@pytest.mark.parametrize("way", ["serial", "parallel"])
def test_two_blocks_share_a_sum(way: str):
    """
    Both blocks compute the same product. Accumulators of two warpgroups are added in a workspace, ordered by barriers of the role.
    """
    case = replace(BASE, n=32, groups=2)
    acc = "!nv.frag<64x32xf32, C of m64k16>"
    counters, ws = (type_ for _, type_ in SHARED_SUM[:2])
    store = stored(case)
    serial = f"""
      scf.if %follows {{
        nv.semaphore.acquire %counters[%c0] for %b : {counters}
        nv.frag_add %ws[%c1] to %acc : {ws}, {acc}
        {store}
        nv.semaphore.release %counters[%c0] to %c0 : {counters}
      }} else {{
        nv.frag_store %acc to %ws[%c1] : {acc}, {ws}
        nv.semaphore.release %counters[%c0] to %c1 : {counters}
      }}"""
    parallel = f"""
      nv.frag_store %acc to %ws[%b] : {acc}, {ws}
      %last = nv.arrive_last %counters[%c0] of 2 : {counters}
      scf.if %last {{
        %other = arith.xori %b, %c1 : index
        nv.frag_load %ws[%other] to %acc : {ws}, {acc}
        nv.frag_add %ws[%b] to %acc : {ws}, {acc}
        {store}
      }}"""
    block = """%b = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
      %follows = arith.cmpi ne, %b, %c0 : index"""
    text = product_text(case, "", block + (serial if way == "serial" else parallel), SHARED_SUM)
    a, b = operands(case)
    memory = Memory()
    maps = [r.tensor_map(memory, s) for r, s in zip(case.rings, slots_of(case, a, b), strict=True)]
    counts, workspace = np.zeros(1, np.int32), np.full((2, 128, 32), np.nan, np.float32)
    got = np.full((128, 32), np.nan, np.float32)
    args = [*maps, memory.bind(counts), bound(memory, workspace), bound(memory, got)]
    source = run(text, args, 384, 1 << 17, memory, grid=2)
    assert np.array_equal(got, 2 * product(case)) and counts[0] == 0
    assert "_role<128, 256, 14>(counters + 0, " in source


# --- whole kernels ---------------------------------------------------------------------------------


def persistent(
    m: int, n: int, k: int, clusters: int, cluster: int = 1, bn: int = 64, stages: int = 3
) -> tuple[str, int]:
    """
    Tiles of 128 x bn by a producer and two warpgroups of consumers. The blocks of a cluster lie below each other:
    each loads its part of B's rows and sends it to all. Returns the text and the bytes of shared memory.
    """
    part = bn // cluster
    a, b, out = (f"!nv.smem<{s}x{r}x64xbf16, b128>" for s, r in ((stages, 128), (stages, bn), (2, 64)))
    ta, tb, tc = (f"!nv.tensor_map<{r}x64xbf16, b128>" for r in (128, part, 64))
    acc, half = (f"!nv.frag<64x{bn}x{t}, C of m64k16>" for t in ("f32", "bf16"))
    ring = f"!nv.mbarrier<{stages}>"
    end = stages * (128 + bn) * 128 + 2 * 8192
    meet = "nv.cluster.sync" if cluster > 1 else '"gpu.barrier"() : () -> ()'
    mask = " multicast %all" if cluster > 1 else ""
    release = (
        "\n".join(f"nv.mbarrier.arrive %empty[%done] at %c{c} : {ring}" for c in range(cluster))
        if cluster > 1
        else f"nv.mbarrier.arrive %empty[%done] : {ring}"
    )
    tile = """
          %tm = arith.divui %tile, %columns : index
          %tn = arith.remui %tile, %columns : index
          %below = arith.muli %tm, %cluster : index
          %mine = arith.addi %below, %rank : index
          %m = arith.muli %mine, %bm : index
          %n = arith.muli %tn, %bn : index"""
    advance = """
            %next = arith.addi %slot, %c1 : index
            %wraps = arith.cmpi eq, %next, %stages : index
            %slot_n = arith.select %wraps, %c0, %next : index
            %other = arith.xori %phase, %c1 : index
            %phase_n = arith.select %wraps, %other, %phase : index"""
    multiply = "\n".join(
        f"nv.wgmma.mma %acc, %sa[%slot, %row, %c{k}] ND, %sb[%slot, %c0, %c{k}] DN{' if %add' * (k == 0)} : {acc}, {a}, {b}"
        for k in range(0, 64, 16)
    )
    stores = "\n".join(
        f"""
        nv.stmatrix %half column {c} ND to %out[%wg, %c0, %c0] : {half}, {out}
        nv.fence_async
        nv.barrier 1 threads 128
        nv.single warpgroup {{
          %nn{c} = arith.addi %n, %c{c} : index
          nv.tma_store %out[%wg, %c0, %c0] to %tc[%at, %nn{c}] : {out}, {tc}
          nv.bulk.commit
          nv.bulk.wait_read 0
        }}
        nv.barrier 1 threads 128"""
        for c in range(0, bn, 64)
    )
    body = f"""
    %bm = arith.constant 128 : index
    %bn = arith.constant {bn} : index
    %part = arith.constant {part} : index
    %steps = arith.constant {-(-k // 64)} : index
    %stages = arith.constant {stages} : index
    %cluster = arith.constant {cluster} : index
    %all = arith.constant {2**cluster - 1} : index
    %columns = arith.constant {n // bn} : index
    %tiles = arith.constant {m // 128 // cluster * (n // bn)} : index
    %clusters = arith.constant {clusters} : index
    %block = "gpu.block_id"() <{{dimension = #gpu<dim x>}}> : () -> index
    %id = arith.divui %block, %cluster : index
    %rank = {"nv.cluster.rank" if cluster > 1 else "arith.constant 0 : index"}
    %sa = nv.smem at 0 : {a}
    %sb = nv.smem at {stages * 128 * 128} : {b}
    %out = nv.smem at {end - 2 * 8192} : {out}
    %full = nv.mbarrier at {end} : {ring}
    %empty = nv.mbarrier at {end + 8 * stages} : {ring}
    nv.single block {{
      nv.mbarrier.init %full arrivals 1 : {ring}
      nv.mbarrier.init %empty arrivals {2 * cluster} : {ring}
      nv.mbarrier.init_fence
    }}
    {meet}
    nv.role producer threads 0 to 128 {{
      nv.setmaxnreg 40
      nv.single role {{
        %p0, %p1 = scf.for %tile = %id to %tiles step %clusters iter_args(%slot_t = %c0, %phase_t = %c1) -> (index, index) {{
          {tile}
          %first = arith.muli %rank, %part : index
          %nn = arith.addi %n, %first : index
          %q0, %q1 = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %slot_t, %phase = %phase_t) -> (index, index) {{
            nv.mbarrier.wait %empty[%slot] parity %phase : {ring}
            nv.mbarrier.expect_tx %full[%slot] bytes {(128 + bn) * 128} : {ring}
            %kk = arith.muli %k, %c64 : index
            nv.tma_load %ta[%m, %kk] to %sa[%slot, %c0, %c0] signal %full[%slot] : {ta}, {a}, {ring}
            nv.tma_load %tb[%nn, %kk] to %sb[%slot, %first, %c0] signal %full[%slot]{mask} : {tb}, {b}, {ring}
            {advance}
            scf.yield %slot_n, %phase_n : index, index
          }}
          scf.yield %q0, %q1 : index, index
        }}
      }}
    }}
    nv.role consumer threads 128 to 384 {{
      nv.setmaxnreg 232
      %wg = nv.warpgroup
      %row = arith.muli %wg, %c64 : index
      %acc = nv.frag : {acc}
      %p0, %p1 = scf.for %tile = %id to %tiles step %clusters iter_args(%slot_t = %c0, %phase_t = %c0) -> (index, index) {{
        {tile}
        %q0, %q1, %last = scf.for %k = %c0 to %steps step %c1 iter_args(%slot = %slot_t, %phase = %phase_t, %done = %c0) -> (index, index, index) {{
          %add = arith.cmpi ne, %k, %c0 : index
          nv.mbarrier.wait %full[%slot] parity %phase : {ring}
          nv.wgmma.fence
          {multiply}
          nv.wgmma.commit
          nv.wgmma.wait 1
          scf.if %add {{
            nv.single warpgroup {{
              {release}
            }}
          }}
          {advance}
          scf.yield %slot_n, %phase_n, %slot : index, index, index
        }}
        nv.wgmma.wait 0
        nv.single warpgroup {{
          {release.replace("%done", "%last")}
        }}
        %at = arith.addi %m, %row : index
        %half = nv.epilogue %acc : {acc} [%at, %n] in [{m}, {n}] dims [0, 1] guard [] tile [64, {bn}] addresses [] widths [] -> {half} {{
        ^bb0(%x: f32):
          %h = arith.truncf %x : f32 to bf16
          nv.yield %h : bf16
        }}
        {stores}
        scf.yield %q0, %q1 : index, index
      }}
    }}
    {"nv.cluster.sync" if cluster > 1 else ""}
    """
    attributes = f', "nv.cluster" = array<i64: {cluster}, 1, 1>' if cluster > 1 else ""
    return kernel([("ta", ta), ("tb", tb), ("tc", tc)], 384, body, attributes), end + 16 * stages


@pytest.mark.parametrize(("cluster", "clusters"), [(1, 3), (2, 2), (4, 1)])
def test_persistent(cluster: int, clusters: int):
    m, n, k, bn = 512, 256, 200, 128
    text, shared = persistent(m, n, k, clusters, cluster, bn)
    a, b = integers((m, k), "bf16"), integers((n, k), "bf16", 1)
    got = np.full((m, n), np.nan, DTYPES["bf16"])
    memory = Memory()
    maps = [
        TensorMap.of(a, memory.bind(a, readonly=True), (128, 64), swizzle=128),
        TensorMap.of(b, memory.bind(b, readonly=True), (bn // cluster, 64), swizzle=128),
        TensorMap.of(got, bound(memory, got), (64, 64), swizzle=128),
    ]
    source = run(text, maps, 384, shared, memory, clusters * cluster)
    assert np.array_equal(got, (a.astype(np.float64) @ b.astype(np.float64).T).astype(got.dtype))
    assert ("__cluster_dims__" in source) == (cluster > 1)


def test_what_ptxas_makes_of_it():
    """Nothing but the multiplications and a few instructions around them: no barrier, no spill, no serialization."""
    text, _ = persistent(4096, 4096, 4096, 132, bn=256, stages=4)
    binary = compile_cuda(print_cuda(ptir.parse(text)), "sm_90a")
    assert not binary.remarks
    took = binary.kernels["k"]
    assert (took.registers, took.stack, took.spill_stores, took.spill_loads) == (168, 0, 0, 0)
    instructions = sass.instructions(binary.cubin)["k"]
    assert {i.opcode for i in instructions if i.name == "HGMMA"} == {"HGMMA.64"}
    assert all(i.operands.startswith("x256x16.F32.BF16") for i in instructions if i.name == "HGMMA")
    names = sass.by_name(instructions)
    assert names["HGMMA"] == 4 and names["UTMALDG"] == 2 and names["UTMASTG"] == 4 and names["STSM"] == 16
    loop = sass.by_name(sass.main_loop(instructions))
    assert loop["HGMMA"] == 4 and loop["BAR"] == 0 and loop["R2UR"] == 0 and sum(loop.values()) <= 52


@pytest.mark.parametrize(
    ("warp_tile", "threads", "registers"), [("64x256", 384, 168), ("128x256", 256, 255), ("64x128", 512, 128)]
)
def test_too_few_registers_are_those_at_launch(warp_tile: str, threads: int, registers: int):
    """With more warpgroups, each has fewer registers: the error names the warp tile."""
    groups = threads // 128 - 1
    rows, columns = map(int, warp_tile.split("x"))
    vectorize = Vectorize(axis="n.i.i", width=2)
    plan = Schedule(
        arch="sm90",
        tile=(rows * groups, columns, 64),
        stages=3,
        warp_tile=warp_tile,
        roles="cooperative",
        vectorize=vectorize,
    )
    want = f"make warp_tile smaller than {warp_tile}: {threads} threads have {registers} registers each at launch"
    assert plan.threads == threads and fewer_registers(plan) == want
