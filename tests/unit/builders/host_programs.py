"""Programs whose host functions branch, loop and call, each with arguments that take every way through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

I32, F32 = np.int32, np.float32


@dataclass(frozen=True)
class HostProgram:
    text: str
    arguments: tuple[tuple[Any, ...], ...]


def ramp(*sizes: int, first: int = 0) -> Any:
    return (np.arange(np.prod(sizes), dtype=F32).reshape(sizes) % 7 + first).astype(F32)


def counts(*numbers: int) -> Any:
    return tuple(np.array(n, I32) for n in numbers)


DECREMENT = """cond (%j, %a) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<4xf32>
  }"""
COND = """
func.func @f(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = ptir.add %x, %y : tensor<4xf32>
  %r, %q = ptir.cond %p (%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) then (%a, %b) {
    %d = ptir.sub %a, %b : tensor<4xf32>
    ptir.yield %d, %a : tensor<4xf32>, tensor<4xf32>
  } else (%u, %v) {
    %c = ptir.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    ptir.yield %v, %c : tensor<4xf32>, tensor<4xf32>
  }
  %t = ptir.mul %r, %q : tensor<4xf32>
  func.return %r, %q, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}"""
WHILE = f"""
func.func @f(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {{
  %m, %y = ptir.while (%n, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {DECREMENT} do (%k, %b) {{
    %one = ptir.constant dense<1> : tensor<i32>
    %next = ptir.sub %k, %one : tensor<i32>
    %twice = ptir.add %b, %b : tensor<4xf32>
    ptir.yield %next, %twice : tensor<i32>, tensor<4xf32>
  }}
  func.return %m, %y : tensor<i32>, tensor<4xf32>
}}"""
FIBONACCI = """
func.func @f(%n: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = ptir.neg %x : tensor<4xf32>
  %m, %a, %b, %c = ptir.while (%n, %x, %y, %z) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) cond (%j, %u, %v, %w) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %u, %v, %w : tensor<i1>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } do (%k, %d, %e, %g) {
    %one = ptir.constant dense<1> : tensor<i32>
    %next = ptir.sub %k, %one : tensor<i32>
    %s = ptir.add %d, %e : tensor<4xf32>
    %t = ptir.sub %s, %g : tensor<4xf32>
    ptir.yield %next, %e, %t, %d : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}"""
"""Carried values move to other places, so that a buffer is alive for several iterations."""


def scan(row: int, steps: int = 5) -> str:
    """Returns a scan over rows of `row` elements, which need not be aligned, with a carried row and three stacks."""
    one, all_ = f"tensor<{row}xf32>", f"tensor<{steps}x{row}xf32>"
    return f"""
func.func @f(%x: {one}, %xs: {all_}, %ys: {all_}) -> ({one}, {one}, {all_}, {all_}, {all_}) {{
  %l, %o, %a, %b, %c = ptir.scan (%x, %x) over (%xs, %ys) : ({one}, {one}, {all_}, {all_})
      -> ({one}, {one}, {all_}, {all_}, {all_}) do (%s, %t, %u, %v) {{
    %n = ptir.add %s, %u : {one}
    %m = ptir.mul %t, %v : {one}
    %d = ptir.sub %n, %m : {one}
    ptir.yield %n, %u, %n, %d, %v : {one}, {one}, {one}, {one}, {one}
  }}
  func.return %l, %o, %a, %b, %c : {one}, {one}, {all_}, {all_}, {all_}
}}"""


MATRIX_SCAN = """
func.func @f(%h: tensor<16x16xbf16>, %ws: tensor<3x16x16xbf16>) -> (tensor<16x16xbf16>, tensor<3x16xf32>) {
  %l, %norms = ptir.scan (%h) over (%ws) : (tensor<16x16xbf16>, tensor<3x16x16xbf16>)
      -> (tensor<16x16xbf16>, tensor<3x16xf32>) do (%x, %w) {
    %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
       : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xf32>
    %s = ptir.reduce sum %p axes [1] : tensor<16x16xf32> -> tensor<16xf32>
    %c = ptir.cast %p : tensor<16x16xf32> -> tensor<16x16xbf16>
    ptir.yield %c, %s : tensor<16x16xbf16>, tensor<16xf32>
  }
  func.return %l, %norms : tensor<16x16xbf16>, tensor<3x16xf32>
}"""
NORMS = """
func.func @f(%h: tensor<2x67xf32>, %xs: tensor<3x2x67xf32>, %ys: tensor<3x2x71xf32>)
    -> (tensor<2x67xf32>, tensor<2x67xf32>, tensor<3x2x71xf32>) {
  %l, %k, %es = ptir.scan (%h, %h) over (%xs, %ys) : (tensor<2x67xf32>, tensor<2x67xf32>, tensor<3x2x67xf32>, tensor<3x2x71xf32>)
      -> (tensor<2x67xf32>, tensor<2x67xf32>, tensor<3x2x71xf32>) do (%s, %t, %x, %y) {
    %m = ptir.reduce max %s axes [1] keepdims : tensor<2x67xf32> -> tensor<2x1xf32>
    %b = ptir.broadcast_to %m : tensor<2x1xf32> -> tensor<2x67xf32>
    %d = ptir.sub %s, %b : tensor<2x67xf32>
    %g = ptir.add %d, %t : tensor<2x67xf32>
    %n = ptir.reduce sum %y axes [1] keepdims : tensor<2x71xf32> -> tensor<2x1xf32>
    %c = ptir.broadcast_to %n : tensor<2x1xf32> -> tensor<2x71xf32>
    %e = ptir.add %y, %c : tensor<2x71xf32>
    ptir.yield %x, %g, %e : tensor<2x67xf32>, tensor<2x67xf32>, tensor<2x71xf32>
  }
  func.return %l, %k, %es : tensor<2x67xf32>, tensor<2x67xf32>, tensor<3x2x71xf32>
}"""
"""Matrices of `%xs` and `%ys` begin at multiples of 8 bytes. Those of `%xs` are carried to the next step, whose kernel loads vectors."""
NESTED = """
func.func @f(%x: tensor<4xf32>, %ns: tensor<3xi32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  %l, %all = ptir.scan (%x) over (%ns) : (tensor<4xf32>, tensor<3xi32>) -> (tensor<4xf32>, tensor<3x4xf32>) do (%s, %n) {
    %m, %y = ptir.while (%n, %s) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) cond (%j, %a) {
      %zero = ptir.constant dense<0> : tensor<i32>
      %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
      ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<4xf32>
    } do (%k, %b) {
      %one = ptir.constant dense<1> : tensor<i32>
      %next = ptir.sub %k, %one : tensor<i32>
      %is = ptir.compare gt %k, %one : tensor<i32> -> tensor<i1>
      %c = ptir.cond %is (%b) : (tensor<4xf32>) -> tensor<4xf32> then (%d) {
        %n1 = ptir.neg %d : tensor<4xf32>
        ptir.yield %n1 : tensor<4xf32>
      } else (%e) {
        %t = ptir.add %e, %e : tensor<4xf32>
        ptir.yield %t : tensor<4xf32>
      }
      ptir.yield %next, %c : tensor<i32>, tensor<4xf32>
    }
    ptir.yield %y, %y : tensor<4xf32>, tensor<4xf32>
  }
  func.return %l, %all : tensor<4xf32>, tensor<3x4xf32>
}"""
FOUR = "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>"
RESULTS = f"""
builtin.module attributes {{ptir.entry = "f"}} {{
  func.func @f(%x: tensor<4xf32>) -> ({FOUR}, tensor<4xf32>, tensor<4xf32>, {FOUR}) {{
    %a, %b, %c, %d = func.call @g(%x) : (tensor<4xf32>) -> ({FOUR})
    %e, %f, %g, %h = func.call @g(%a) : (tensor<4xf32>) -> ({FOUR})
    func.return %a, %b, %c, %d, %d, %x, %h, %g, %f, %e : {FOUR}, tensor<4xf32>, tensor<4xf32>, {FOUR}
  }}
  func.func private @g(%x: tensor<4xf32>) -> ({FOUR}) {{
    %u = ptir.add %x, %x : tensor<4xf32>
    %w = func.call @h(%u) : (tensor<4xf32>) -> tensor<4xf32>
    func.return %u, %u, %x, %w : {FOUR}
  }}
  func.func private @h(%x: tensor<4xf32>) -> tensor<4xf32> {{
    %w = ptir.mul %x, %x : tensor<4xf32>
    func.return %w : tensor<4xf32>
  }}
}}"""
"""Results that a callee, or a callee of it, computes, returns twice, or takes as an argument."""
CALLS = """
builtin.module attributes {ptir.entry = "f"} {
  func.func @f(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = func.call @layer(%x, %w) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = func.call @layer(%0, %w) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %2, %3 = func.call @both(%1, %0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    %4 = ptir.sub %2, %3 : tensor<8x4xf32>
    func.return %4, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  }
  func.func private @layer(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
    %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
       : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = ptir.add %0, %x : tensor<8x4xf32>
    func.return %1 : tensor<8x4xf32>
  }
  func.func private @both(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = func.call @layer2(%x, %y) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    func.return %0, %x : tensor<8x4xf32>, tensor<8x4xf32>
  }
  func.func private @layer2(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = ptir.maximum %x, %y : tensor<8x4xf32>
    func.return %0 : tensor<8x4xf32>
  }
}"""
TUPLES = """
builtin.module attributes {ptir.entry = "f"} {
  func.func @f(%t: tuple<tensor<4xf32>, tuple<tensor<i1>, tensor<4xf32>>>) -> (tensor<i1>, tuple<tensor<4xf32>, tensor<4xf32>>) {
    %i = ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tuple<tensor<i1>, tensor<4xf32>>> -> tuple<tensor<i1>, tensor<4xf32>>
    %p = ptir.tuple_element %i[0] : tuple<tensor<i1>, tensor<4xf32>> -> tensor<i1>
    %u = ptir.cond %p (%t) : (tuple<tensor<4xf32>, tuple<tensor<i1>, tensor<4xf32>>>) -> tuple<tensor<4xf32>, tensor<4xf32>>
        then (%a) {
      %x = ptir.tuple_element %a[0] : tuple<tensor<4xf32>, tuple<tensor<i1>, tensor<4xf32>>> -> tensor<4xf32>
      %m = ptir.neg %x : tensor<4xf32>
      %r = ptir.tuple %x, %m : tuple<tensor<4xf32>, tensor<4xf32>>
      ptir.yield %r : tuple<tensor<4xf32>, tensor<4xf32>>
    } else (%a) {
      %x = ptir.tuple_element %a[0] : tuple<tensor<4xf32>, tuple<tensor<i1>, tensor<4xf32>>> -> tensor<4xf32>
      %b = ptir.tuple_element %a[1] : tuple<tensor<4xf32>, tuple<tensor<i1>, tensor<4xf32>>> -> tuple<tensor<i1>, tensor<4xf32>>
      %y = ptir.tuple_element %b[1] : tuple<tensor<i1>, tensor<4xf32>> -> tensor<4xf32>
      %r = ptir.tuple %y, %x : tuple<tensor<4xf32>, tensor<4xf32>>
      ptir.yield %r : tuple<tensor<4xf32>, tensor<4xf32>>
    }
    %s = func.call @swap(%u) : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    func.return %p, %s : tensor<i1>, tuple<tensor<4xf32>, tensor<4xf32>>
  }
  func.func private @swap(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
    %x = ptir.tuple_element %t[0] : tuple<tensor<4xf32>, tensor<4xf32>> -> tensor<4xf32>
    %y = ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tensor<4xf32>> -> tensor<4xf32>
    %r = ptir.tuple %y, %x : tuple<tensor<4xf32>, tensor<4xf32>>
    func.return %r : tuple<tensor<4xf32>, tensor<4xf32>>
  }
}"""
NIBBLES = """
builtin.module attributes {ptir.entry = "f"} {
  func.func @f(%p: tensor<i1>, %x: tensor<5xsi4>, %xs: tensor<3x5xsi4>) -> (tensor<5xsi4>, tensor<3x5xsi4>, tensor<5xsi4>) {
    %r = ptir.cond %p (%x) : (tensor<5xsi4>) -> tensor<5xsi4> then (%a) {
      %n = ptir.neg %a : tensor<5xsi4>
      ptir.yield %n : tensor<5xsi4>
    } else (%b) {
      ptir.yield %b : tensor<5xsi4>
    }
    %l, %all = ptir.scan (%r) over (%xs) : (tensor<5xsi4>, tensor<3x5xsi4>) -> (tensor<5xsi4>, tensor<3x5xsi4>) do (%s, %y) {
      %t = ptir.add %s, %y : tensor<5xsi4>
      ptir.yield %t, %s : tensor<5xsi4>, tensor<5xsi4>
    }
    %c = func.call @g(%l) : (tensor<5xsi4>) -> tensor<5xsi4>
    func.return %l, %all, %c : tensor<5xsi4>, tensor<3x5xsi4>, tensor<5xsi4>
  }
  func.func private @g(%x: tensor<5xsi4>) -> tensor<5xsi4> {
    %0 = ptir.mul %x, %x : tensor<5xsi4>
    func.return %0 : tensor<5xsi4>
  }
}"""
EMPTY = """
func.func @f(%p: tensor<i1>, %x: tensor<0x4xf32>, %xs: tensor<0x3xf32>, %y: tensor<3xf32>, %e: tensor<2x0xf32>)
    -> (tensor<0x4xf32>, tensor<3xf32>, tensor<0x3xf32>, tensor<4xf32>, tensor<2x0xf32>) {
  %r = ptir.cond %p (%x) : (tensor<0x4xf32>) -> tensor<0x4xf32> then (%a) {
    %n = ptir.neg %a : tensor<0x4xf32>
    ptir.yield %n : tensor<0x4xf32>
  } else (%b) {
    ptir.yield %b : tensor<0x4xf32>
  }
  %l, %all = ptir.scan (%y) over (%xs) : (tensor<3xf32>, tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>) do (%s, %z) {
    %t = ptir.add %s, %z : tensor<3xf32>
    ptir.yield %t, %s : tensor<3xf32>, tensor<3xf32>
  }
  %q = ptir.reduce sum %r axes [0] : tensor<0x4xf32> -> tensor<4xf32>
  %m, %o = ptir.scan (%y) over (%e) : (tensor<3xf32>, tensor<2x0xf32>) -> (tensor<3xf32>, tensor<2x0xf32>) do (%s, %z) {
    ptir.yield %s, %z : tensor<3xf32>, tensor<0xf32>
  }
  func.return %r, %l, %all, %q, %o : tensor<0x4xf32>, tensor<3xf32>, tensor<0x3xf32>, tensor<4xf32>, tensor<2x0xf32>
}"""
SAME_VALUES = """
func.func @f(%n: tensor<i32>, %x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
  %y = ptir.neg %x : tensor<4xf32>
  %m, %a, %b = ptir.while (%n, %x, %y) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
      cond (%j, %u, %v) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %u, %v : tensor<i1>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
  } do (%k, %u, %v) {
    %zero = ptir.constant dense<0> : tensor<i32>
    ptir.yield %zero, %v, %v : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  func.return %a, %b, %x, %a, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
}"""

TRUE, FALSE = np.array(True), np.array(False)
X, Y = ramp(4), ramp(4, first=3)
NIBBLE = (np.arange(15) % 9 - 4).astype(ml_dtypes.int4).reshape(3, 5)

PROGRAMS = {
    "cond": HostProgram(COND, ((TRUE, X, Y), (FALSE, X, Y))),
    "while": HostProgram(WHILE, tuple((n, X) for n in counts(0, 1, 5))),
    "carried values change places": HostProgram(FIBONACCI, tuple((n, X, Y) for n in counts(0, 1, 2, 7))),
    "scan of aligned rows": HostProgram(scan(4), ((ramp(4), ramp(5, 4), ramp(5, 4, first=2)),)),
    "scan of rows of 12 bytes": HostProgram(scan(3), ((ramp(3), ramp(5, 3), ramp(5, 3, first=2)),)),
    "scan of one step": HostProgram(scan(5, 1), ((ramp(5), ramp(1, 5), ramp(1, 5, first=2)),)),
    "matrices": HostProgram(
        MATRIX_SCAN,
        (((ramp(16, 16) % 3 - 1).astype(ml_dtypes.bfloat16), (ramp(3, 16, 16) % 3 - 1).astype(ml_dtypes.bfloat16)),),
    ),
    "norms of matrices that are not aligned": HostProgram(NORMS, ((ramp(2, 67), ramp(3, 2, 67), ramp(3, 2, 71)),)),
    "cond in while in scan": HostProgram(NESTED, ((X, np.array([2, 0, 3], I32)),)),
    "calls": HostProgram(CALLS, ((ramp(8, 4), ramp(4, 4, first=-2)),)),
    "results of calls": HostProgram(RESULTS, ((X,),)),
    "tuples": HostProgram(TUPLES, ((X, TRUE, Y), (X, FALSE, Y))),
    "4-bit integers": HostProgram(NIBBLES, ((TRUE, NIBBLE[0].copy(), NIBBLE), (FALSE, NIBBLE[1].copy(), NIBBLE))),
    "empty tensors": HostProgram(EMPTY, tuple((p, ramp(0, 4), ramp(0, 3), ramp(3), ramp(2, 0)) for p in (TRUE, FALSE))),
    "a value twice": HostProgram(SAME_VALUES, tuple((n, X) for n in counts(0, 1))),
}
