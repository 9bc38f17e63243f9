"""Tile programs of attention, as text: the plain loop over tiles of keys that `pto-to-nv` pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log2, sqrt
from typing import Any

import numpy as np

from tests.grid.machines import NUMPY

Array = Any


@dataclass(frozen=True)
class Attention:
    """
    Attention of `queries` to `keys` in `batch` x `heads` x `group` heads, of which `group` share their keys. A block has 64 queries
    for each of `consumers` warpgroups, and takes `tile` keys at a time. `exponential`: `exp`; `exp2` of scaled scores; or `fma`,
    the same with one fused multiply-add a score. Between the products there may be a `bias` and a `cap` of the scores. The ring of keys has
    `key_stages` slots, if it is not as deep as that of values. Causal queries see the `window` last keys only, if it is not 0, and the first
    `sinks` tiles of keys; a row without keys is 0.
    """

    queries: int = 128
    keys: int = 128
    size: int = 64
    value_size: int = 0
    batch: int = 1
    heads: int = 1
    group: int = 1
    causal: bool = False
    window: int = 0
    sinks: int = 0
    tile: int = 64
    stages: int = 2
    key_stages: int = 0
    consumers: int = 2
    dtype: str = "bf16"
    exponential: str = "fma"
    bias: bool = False
    cap: float = 0.0
    multiprocessors: int = 2
    order: str = "row"
    warp: int = 0
    """The queries of a warp on sm80; 0 stands for the warpgroups of sm90."""

    @property
    def columns(self) -> int:
        return self.value_size or self.size

    @property
    def rows(self) -> int:
        return 64 * self.consumers

    @property
    def tile_columns(self) -> tuple[int, int]:
        """The columns of a tile of keys and of values: loads fill what exceeds the head size with zeros."""
        return -(-self.size // 16) * 16, -(-self.columns // 16) * 16

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the arguments by name, and that of the result."""
        b, h, g = self.batch, self.heads, self.group
        shapes = {
            "q": (b, h * g, self.queries, self.size),
            "k": (b, h, self.keys, self.size),
            "v": (b, h, self.keys, self.columns),
        }
        return (
            shapes
            | ({"bias": (self.queries, self.keys)} if self.bias else {})
            | {"y": (b, h * g, self.queries, self.columns)}
        )

    def type(self, name: str) -> str:
        dtype = "f32" if name == "bias" else self.dtype
        return f"memref<{'x'.join(map(str, self.shapes[name]))}x{dtype}>"

    # --- arrays -----------------------------------------------------------------------------------

    def arrays(self, spread: float = 1.0) -> list[Array]:
        """Returns arguments. Scores grow with the square of `spread`."""
        rng = np.random.default_rng(self.queries + self.keys)
        scales = {"v": 1.0, "bias": 2.0}
        return [
            (rng.standard_normal(shape) * scales.get(name, spread)).astype(
                np.float32 if name == "bias" else NUMPY[self.dtype]
            )
            for name, shape in self.shapes.items()
            if name != "y"
        ]

    def expected(self, q: Array, k: Array, v: Array, bias: Array | None = None) -> Array:
        """Returns the result in f64."""
        q, k, v = (x.astype(np.float64) for x in (q, k, v))
        k, v = k.repeat(self.group, 1), v.repeat(self.group, 1)
        s = q @ k.swapaxes(-1, -2) / np.sqrt(self.size)
        if self.cap:
            s = self.cap * np.tanh(s / self.cap)
        if bias is not None:
            s = s + bias.astype(np.float64)
        if self.causal:
            ahead = np.arange(self.keys) - np.arange(self.queries)[:, None]
            old = (ahead <= -self.window) & (np.arange(self.keys) >= self.sinks * self.tile)
            s = np.where((ahead > 0) | (old & (self.window > 0)), -np.inf, s)
        p = np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30))
        return p @ v / np.maximum(p.sum(-1, keepdims=True), 1e-30)

    # --- the program ------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        args = [name for name in self.shapes if name != "y"]
        types, values = ", ".join(map(self.type, args)), ", ".join(f"%{name}" for name in args)
        declared = ", ".join(f"%{name}: {self.type(name)}" for name in args)
        aligned = ", ".join(f"%{name}: {self.type(name)} align 16" for name in args)
        return f"""
pto.kernel @attention_0({aligned}) -> (%y: {self.type("y")} align 256 gmem) plan {self.plan} {{
  pto.tiles (%b, %h, %g, %m, %d) in {self.space(self.queries, self.columns)} step [1, 1, 1, {self.rows}, {self.tile_columns[1]}] {{
{self.body}  }}
}}
func.func @attention({declared}) -> {self.type("y")} {{
  %0 = memref.alloc() : {self.type("y")}
  region.launch @attention_0 ins({values} : {types}) outs(%0 : {self.type("y")})
  func.return %0 : {self.type("y")}
}}
"""

    @property
    def plan(self) -> str:
        if self.warp:
            return (
                f'#plan.schedule<{{arch = "sm80", tile = [{self.rows}, {self.tile_columns[1]}, {self.tile}], stages = {self.stages}, '
                f'warp_tile = "{self.warp}x{self.tile_columns[1]}", vectorize = {{axis = "n.i.i", width = 8}}, '
                f'algo_choice = {{attention = "online_softmax"}}}}>'
            )
        return (
            f'#plan.schedule<{{arch = "sm90", tile = [{self.rows}, {self.tile_columns[1]}, {self.tile}], stages = {self.stages}, '
            f'warp_tile = "64x{self.tile_columns[1]}", roles = "cooperative", order = "{self.order}", multiprocessors = {self.multiprocessors}, '
            f'vectorize = {{axis = "n.i.i", width = 8}}, predicate_tail = ["m.i.i"], algo_choice = {{attention = "online_softmax"}}}}>'
        )

    def mat(self, rows: int, columns: int, layout: str = "ND") -> str:
        return f"!pto.tile<{rows}x{columns}x{self.dtype}, #pto.tile_info<loc=Mat{', layout=DN' if layout == 'DN' else ''}>>"

    @property
    def body(self) -> str:
        bm, bn, (d, dv) = self.rows, self.tile, self.tile_columns
        q, k, v = self.mat(bm, d), self.mat(d, bn, "DN"), self.mat(bn, dv)
        qc, kc, vc = (
            f"!pto.channel<1, [{q}]>",
            f"!pto.channel<{self.key_stages or self.stages}, [{k}]>",
            f"!pto.channel<{self.stages}, [{v}]>",
        )
        mine = f"{{ [i0, i1, i2, i3, i4] -> [i0, {self.group}i1 + i2, i3, i4] }}"
        shared = "{ [i0, i1, i2, i3, i4] -> [i0, i1, i3, i4] }"
        r, o = f"!pto.tile<{bm}x1xf32>", f"!pto.tile<{bm}x{dv}xf32>"
        acc = f"!pto.tile<{bm}x{dv}xf32, #pto.tile_info<loc=Acc>>"
        start, loops = ("%least", "%none", "%empty"), ""
        for number, (low, high, cut) in enumerate(self.loops):
            loops += self.loop(number, low, high, start, cut, (kc, vc))
            start = f"%max{number}", f"%sum{number}", f"%acc{number}"
        total = "".join(
            f"    {line} : {r}\n"
            for line in ("%tiny = pto.tile.expands 1.0e-30 : f32", f"%some = pto.tile.max {start[1]}, %tiny")
            if self.window
        )
        start = (start[0], "%some", start[2]) if self.window else start
        if self.exponential == "exp":
            quotient = f"    %ds = pto.tile.rowexpand {start[1]} : {r} -> {o}\n    %yn = pto.tile.div %yv, %ds : {o}"
        else:
            quotient = f"""    %rs = pto.tile.recip {start[1]} : {r}
    %ds = pto.tile.rowexpand %rs : {r} -> {o}
    %yn = pto.tile.mul %yv, %ds : {o}"""
        filled = "".join(
            f"""      scf.for %n = {low} to {high} step %bn {{
        pto.channel.acquire %ks : {kc}
        %kt = pto.tile.load.map %k[%b, %h, %g, %n, %c0] by <"{shared}"> in {self.space(self.keys, self.size)} dims [4, 3] : {self.type("k")} -> {k}
        pto.channel.commit %ks, %kt : {kc}, {k}
        pto.channel.acquire %vs : {vc}
        %vt = pto.tile.load.map %v[%b, %h, %g, %n, %d] by <"{shared}"> in {self.space(self.keys, self.columns)} dims [3, 4] : {self.type("v")} -> {v}
        pto.channel.commit %vs, %vt : {vc}, {v}
      }}
"""
            for low, high in ([(low, high) for low, high, _ in self.loops] if self.window else [("%c0", "%end")])
        )
        return f"""    %qs = pto.channel : {qc}
    %ks = pto.channel : {kc}
    %vs = pto.channel : {vc}
    %c0 = arith.constant 0 : index
    %bn = arith.constant {bn} : index
{self.bounds}
    pto.process {{
      pto.channel.acquire %qs : {qc}
      %qt = pto.tile.load.map %q[%b, %h, %g, %m, %c0] by <"{mine}"> in {self.space(self.queries, self.size)} dims [3, 4]
        : {self.type("q")} -> {q}
      pto.channel.commit %qs, %qt : {qc}, {q}
{filled}    }}
    %qw = pto.channel.wait %qs : {qc} -> {q}
    %left = pto.tile.mov.m2l %qw : {q} -> {q.replace("Mat", "Left")}
    %least = pto.tile.expands {"-1.0e4" if self.window else "0xFF800000"} : f32 : {r}
    %none = pto.tile.expands 0.0 : f32 : {r}
    %empty = pto.tile.expands 0.0 : f32 : {acc}
{loops}    pto.channel.release %qs : {qc}
    %yv = pto.tile.mov.a2v {start[2]} : {acc} -> {o}
{total}{quotient}
    %yb = pto.tile.cvt %yn : {o} -> {o.replace("f32", self.dtype)}
    pto.tile.store.map %yb, %y[%b, %h, %g, %m, %d] by <"{mine}"> in {self.space(self.queries, self.columns)} dims [3, 4]
      : {o.replace("f32", self.dtype)}, {self.type("y")}
"""

    def space(self, rows: int, columns: int) -> str:
        return f"[{self.batch}, {self.heads}, {self.group}, {rows}, {columns}]"

    @property
    def loops(self) -> list[tuple[str, str, bool]]:
        """The loops over keys: their bounds, and whether their tiles are cut by a mask."""
        if self.window:
            return [("%c0", "%first", True)] * (self.sinks > 0) + [("%low", "%end", True)]
        if self.causal:
            return [("%c0", "%whole", False), ("%whole", "%end", True)]
        cut = [("%whole", "%end", True)] if self.keys % self.tile else []
        return ([("%c0", "%whole", False)] if self.keys >= self.tile else []) + cut

    @property
    def bounds(self) -> str:
        if not self.causal:
            whole = self.keys // self.tile * self.tile
            return f"    %whole = arith.constant {whole} : index\n    %end = arith.constant {self.keys} : index"
        if self.window:
            return f"""    %bm = arith.constant {self.rows} : index
    %keys = arith.constant {self.keys} : index
    %me = arith.addi %m, %bm : index
    %end = arith.minsi %me, %keys : index
    %w1 = arith.constant {self.window - 1} : index
    %sinks = arith.constant {self.sinks * self.tile} : index
    %first = arith.minui %sinks, %end : index
    %oldest = arith.subi %m, %w1 : index
    %late = arith.cmpi sgt, %oldest, %sinks : index
    %from = arith.select %late, %oldest, %sinks : index
    %over = arith.remui %from, %bn : index
    %low = arith.subi %from, %over : index"""
        return f"""    %c1 = arith.constant 1 : index
    %bm = arith.constant {self.rows} : index
    %keys = arith.constant {self.keys} : index
    %m1 = arith.addi %m, %c1 : index
    %seen = arith.minui %m1, %keys : index
    %tiles = arith.divui %seen, %bn : index
    %whole = arith.muli %tiles, %bn : index
    %me = arith.addi %m, %bm : index
    %end = arith.minui %me, %keys : index"""

    def loop(
        self, number: int, low: str, high: str, start: tuple[str, str, str], cut: bool, channels: tuple[str, str]
    ) -> str:
        """Returns one loop over keys."""
        bm, bn, (d, dv) = self.rows, self.tile, self.tile_columns
        s, r, o = f"!pto.tile<{bm}x{bn}xf32>", f"!pto.tile<{bm}x1xf32>", f"!pto.tile<{bm}x{dv}xf32>"
        k, v, (kc, vc) = self.mat(d, bn, "DN"), self.mat(bn, dv), channels
        p = s.replace("f32", self.dtype)
        sa, oa = (f"{t[:-1]}, #pto.tile_info<loc=Acc>>" for t in (s, o))
        left, right = (
            f"!pto.tile<{bm}x{d}x{self.dtype}, #pto.tile_info<loc=Left>>",
            f"!pto.tile<{d}x{bn}x{self.dtype}, #pto.tile_info<loc=Right>>",
        )
        values = f"!pto.tile<{bn}x{dv}x{self.dtype}, #pto.tile_info<loc=Right>>"
        carried = ", ".join(f"%{name} = {value}" for name, value in zip(("m_", "l_", "a_"), start, strict=True))
        computed, x = self.scores(cut, s)
        lines = [
            f"%kw = pto.channel.wait %ks : {kc} -> {k}",
            f"%right = pto.tile.mov.m2r %kw : {k} -> {right}",
            f"%zero = pto.tile.expands 0.0 : f32 : {sa}",
            f"%s = pto.tile.matmul.acc %zero, %left, %right : {sa}, {left}, {right} -> {sa}",
            f"pto.channel.release %ks : {kc}",
            f"%x = pto.tile.mov.a2v %s : {sa} -> {s}",
            *computed,
            *self.softmax(x, s, r),
            f"%pb = pto.tile.cvt %p : {s} -> {p}",
            f"%pl = pto.tile.mov.v2l %pb : {p} -> {p[:-1]}, #pto.tile_info<loc=Left>>",
            f"%vw = pto.channel.wait %vs : {vc} -> {v}",
            f"%values = pto.tile.mov.m2r %vw : {v} -> {values}",
            f"%av = pto.tile.mov.a2v %a_ : {oa} -> {o}",
            f"%cx = pto.tile.rowexpand %c : {r} -> {o}",
            f"%scaled = pto.tile.mul %av, %cx : {o}",
            f"%as = pto.tile.mov.v2a %scaled : {o} -> {oa}",
            f"%an = pto.tile.matmul.acc %as, %pl, %values : {oa}, {p[:-1]}, #pto.tile_info<loc=Left>>, {values} -> {oa}",
            f"pto.channel.release %vs : {vc}",
            f"scf.yield %new, %ln, %an : {r}, {r}, {oa}",
        ]
        head = f"%max{number}, %sum{number}, %acc{number} = scf.for %n = {low} to {high} step %bn iter_args({carried}) -> ({r}, {r}, {oa}) {{"
        return f"    {head}\n" + "".join(f"      {line}\n" for line in lines) + "    }\n"

    @property
    def scale(self) -> float:
        """What scores are multiplied by before the exponential."""
        return (1 if self.exponential == "exp" or self.cap or self.bias else 1 / sqrt(self.size)) * (
            1 if self.exponential == "exp" else log2(e)
        )

    def scores(self, cut: bool, s: str) -> tuple[list[str], str]:
        """Returns the ops on the scores %x before the softmax, and the name of their result."""
        lines, x = list[str](), "%x"

        def op(name: str, text: str) -> None:
            nonlocal x
            lines.append(f"%{name} = {text} : {s}")
            x = f"%{name}"

        def filled(name: str, number: float) -> str:
            lines.append(f"%{name} = pto.tile.expands {number!r} : f32 : {s}")
            return f"%{name}"

        if self.exponential == "exp" or self.cap or self.bias:
            op("xs", f"pto.tile.mul {x}, {filled('scale', 1 / sqrt(self.size))}")
        if self.cap:
            op("xd", f"pto.tile.mul {x}, {filled('uncap', 1 / self.cap)}")
            op("xt", f"pto.tile.tanh {x}")
            op("xc", f"pto.tile.mul {x}, {filled('cap', self.cap)}")
        if self.bias:
            at = f'%bias[%b, %h, %g, %m, %n] by <"{{ [i0, i1, i2, i3, i4] -> [i3, i4] }}"> in {self.space(self.queries, self.keys)} dims [3, 4]'
            lines.append(f"%bt = pto.tile.load.map {at} : {self.type('bias')} -> {s}")
            op("xb", f"pto.tile.add {x}, %bt")
        if cut:
            old = f" and (i4 > i3 - {self.window} or i4 < {self.sinks * self.tile})" if self.window else ""
            mask, box = s.replace("f32", "i1"), self.space(self.queries, self.keys)
            wheres = [f' where <"{{ [i0, i1, i2, i3, i4] : i4 <= i3{old} }}">'] if self.causal else []
            if not self.causal or self.queries > self.keys:  # a set says nothing about what is outside of the box
                wheres.append("")
            lines.append(f"%inf = pto.tile.expands 0xFF800000 : f32 : {s}")
            for number, where in enumerate(wheres):
                lines.append(f"%mask{number} = pto.tile.mask [%b, %h, %g, %m, %n] in {box} dims [3, 4]{where} : {mask}")
                lines.append(f"%xm{number} = pto.tile.sel %mask{number}, {x}, %inf : {mask}, {s}")
                x = f"%xm{number}"
        return lines, x

    def softmax(self, x: str, s: str, r: str) -> list[str]:
        """Returns the ops of the softmax of %x: the new maximum %new, the scale %c, %p and the new sum %ln."""
        lines = [f"%mx = pto.tile.rowmax {x} : {s} -> {r}", f"%new = pto.tile.max %m_, %mx : {r}"]
        if self.exponential == "exp":
            lines += [
                f"%dc = pto.tile.sub %m_, %new : {r}",
                f"%c = pto.tile.exp %dc : {r}",
                f"%nx = pto.tile.rowexpand %new : {r} -> {s}",
                f"%e = pto.tile.sub {x}, %nx : {s}",
                f"%p = pto.tile.exp %e : {s}",
            ]
        else:
            lines += [
                f"%kr = pto.tile.expands {self.scale!r} : f32 : {r}",
                f"%kx = pto.tile.expands {self.scale!r} : f32 : {s}",
                f"%shift = pto.tile.mul %new, %kr : {r}",
            ]
            if self.exponential == "fma":
                lines += [
                    f"%minus = pto.tile.neg %shift : {r}",
                    f"%dc = pto.tile.fma %m_, %kr, %minus : {r}",
                    f"%nx = pto.tile.rowexpand %minus : {r} -> {s}",
                    f"%e = pto.tile.fma {x}, %kx, %nx : {s}",
                ]
            else:
                lines += [
                    f"%old = pto.tile.mul %m_, %kr : {r}",
                    f"%dc = pto.tile.sub %old, %shift : {r}",
                    f"%nx = pto.tile.rowexpand %shift : {r} -> {s}",
                    f"%xk = pto.tile.mul {x}, %kx : {s}",
                    f"%e = pto.tile.sub %xk, %nx : {s}",
                ]
            lines += [f"%c = pto.tile.exp2 %dc : {r}", f"%p = pto.tile.exp2 %e : {s}"]
        lines.append(f"%rs = pto.tile.rowsum %p : {s} -> {r}")
        if self.exponential == "fma":
            return [*lines, f"%ln = pto.tile.fma %l_, %c, %rs : {r}"]
        return [*lines, f"%ls = pto.tile.mul %l_, %c : {r}", f"%ln = pto.tile.add %ls, %rs : {r}"]
