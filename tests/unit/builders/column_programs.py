"""PTIR programs that reduce the columns of arrays with `R` rows and `C` columns of type `T`."""

from __future__ import annotations

KINDS = """
func.func @f(%x: tensor<$Rx$Cx$T>) -> (tensor<$Cx$T>, tensor<$Cx$T>, tensor<$Cx$T>) {
  %0 = ptir.reduce sum %x axes [0] accum $A : tensor<$Rx$Cx$T> -> tensor<$Cx$T>
  %1 = ptir.reduce max %x axes [0] : tensor<$Rx$Cx$T> -> tensor<$Cx$T>
  %2 = ptir.reduce min %x axes [0] : tensor<$Rx$Cx$T> -> tensor<$Cx$T>
  func.return %0, %1, %2 : tensor<$Cx$T>, tensor<$Cx$T>, tensor<$Cx$T>
}"""
MOMENTS = """
func.func @f(%x: tensor<3x$Rx$Cx$T>, %b: tensor<$Cxf32>) -> tensor<3x$Cxf32> {
  %0 = ptir.cast %x : tensor<3x$Rx$Cx$T> -> tensor<3x$Rx$Cxf32>
  %1 = ptir.mul %0, %0 : tensor<3x$Rx$Cxf32>
  %2 = ptir.reduce sum %0 axes [1] accum f32 : tensor<3x$Rx$Cxf32> -> tensor<3x$Cxf32>
  %3 = ptir.reduce sum %1 axes [1] accum f32 : tensor<3x$Rx$Cxf32> -> tensor<3x$Cxf32>
  %4 = ptir.mul %2, %2 : tensor<3x$Cxf32>
  %5 = ptir.sub %3, %4 : tensor<3x$Cxf32>
  %6 = ptir.broadcast_to %b : tensor<$Cxf32> -> tensor<3x$Cxf32>
  %7 = ptir.add %5, %6 : tensor<3x$Cxf32>
  func.return %7 : tensor<3x$Cxf32>
}"""
TWO_AXES = """
func.func @f(%x: tensor<3x$Rx$Cx$T>) -> tensor<$Cx$T> {
  %0 = ptir.reduce max %x axes [0, 1] : tensor<3x$Rx$Cx$T> -> tensor<$Cx$T>
  func.return %0 : tensor<$Cx$T>
}"""
FRAMED = """
func.func @f(%x: tensor<$Rx$Cx$T>) -> tensor<$Dx$T> {
  %0 = ptir.pad %x with $ZERO : $T low [2, 8] high [1, 5] interior [0, 0] : tensor<$Rx$Cx$T> -> tensor<$Sx$Dx$T>
  %1 = ptir.reduce mul %0 axes [0] : tensor<$Sx$Dx$T> -> tensor<$Dx$T>
  func.return %1 : tensor<$Dx$T>
}"""
ANY = """
func.func @f(%x: tensor<$Rx$Cx$T>) -> (tensor<$Cxi1>, tensor<$Cxi1>) {
  %0 = ptir.compare eq %x, %x : tensor<$Rx$Cx$T> -> tensor<$Rx$Cxi1>
  %1 = ptir.reduce all %0 axes [0] : tensor<$Rx$Cxi1> -> tensor<$Cxi1>
  %2 = ptir.reduce any %0 axes [0] : tensor<$Rx$Cxi1> -> tensor<$Cxi1>
  func.return %1, %2 : tensor<$Cxi1>, tensor<$Cxi1>
}"""
PROGRAMS = {"kinds": KINDS, "moments": MOMENTS, "two axes": TWO_AXES, "framed": FRAMED, "any": ANY}


def text(name: str, rows: int, columns: int, dtype: str) -> str:
    floats = dtype[0] in "bf"
    accum = "f64" if dtype == "f64" else "f32" if floats else {"ui8": "ui32", "si64": "si64"}.get(dtype, "si32")
    out = f"module attributes {{ptir.extensions}} {{ {PROGRAMS[name]} }}"
    numbers = {"$R": rows, "$C": columns, "$S": rows + 3, "$D": columns + 13, "$T": dtype, "$A": accum}
    for place, value in (numbers | {"$ZERO": "1.0" if floats else "1"}).items():
        out = out.replace(place, str(value))
    return out
