// RUN: ptir-opt %s -p region-to-pto | filecheck %s
// RUN: ptir-opt %s -p region-to-pto,pto-to-nv -o /dev/null

// The tile is wider than the row: what is reduced is replaced by the neutral element beyond the row's end. What is repeated
// along a row is an element a row.
// CHECK: pto.kernel @softmax(
// CHECK-NEXT: pto.tiles (%m, %n) in [6, 40] step [4, 128] {
// CHECK-NEXT: %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 40] dims [0, 1] : memref<6x40xf32> -> tile<4x128xf32>
// CHECK-NEXT: %1 = pto.tile.mask[%m, %n] in [6, 40] dims [0, 1] : tile<4x128xi1>
// CHECK-NEXT: %2 = pto.tile.expands 0xFF800000 : f32 : tile<4x128xf32>
// CHECK-NEXT: %3 = pto.tile.sel %1, %0, %2 : tile<4x128xi1>, tile<4x128xf32>
// CHECK-NEXT: %4 = pto.tile.rowmax %3 : tile<4x128xf32> -> tile<4x1xf32>
// CHECK-NEXT: %5 = pto.tile.rowexpand %4 : tile<4x1xf32> -> tile<4x128xf32>
// CHECK-NEXT: %6 = pto.tile.sub %0, %5 : tile<4x128xf32>
// CHECK-NEXT: %7 = pto.tile.exp %6 : tile<4x128xf32>
// CHECK-NEXT: %8 = pto.tile.mask[%m, %n] in [6, 40] dims [0, 1] : tile<4x128xi1>
// CHECK-NEXT: %9 = pto.tile.expands 0.000000e+00 : f32 : tile<4x128xf32>
// CHECK-NEXT: %10 = pto.tile.sel %8, %7, %9 : tile<4x128xi1>, tile<4x128xf32>
// CHECK-NEXT: %11 = pto.tile.rowsum %10 : tile<4x128xf32> -> tile<4x1xf32>
// CHECK-NEXT: %12 = pto.tile.rowexpand %11 : tile<4x1xf32> -> tile<4x128xf32>
// CHECK-NEXT: %13 = pto.tile.div %7, %12 : tile<4x128xf32>
// CHECK-NEXT: pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 40] dims [0, 1] : tile<4x128xf32>, memref<6x40xf32>
region.kernel @softmax(%x: memref<6x40xf32> align 16) -> (%y: memref<6x40xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 128], warp_tile = "1x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["sub", "exp", "div"]}> {
  %0 = region.load %x : memref<6x40xf32> -> tensor<6x40xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<6x40xf32> -> tensor<6xf32>
  %2 = tiny.movement reshape %1 : tensor<6xf32> -> tensor<6x1xf32>
  %3 = tiny.movement expand %2 : tensor<6x1xf32> -> tensor<6x40xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<6x40xf32>, tensor<6x40xf32>) -> tensor<6x40xf32>
  %5 = tiny.unary exp %4 : tensor<6x40xf32> -> tensor<6x40xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<6x40xf32> -> tensor<6xf32>
  %7 = tiny.movement reshape %6 : tensor<6xf32> -> tensor<6x1xf32>
  %8 = tiny.movement expand %7 : tensor<6x1xf32> -> tensor<6x40xf32>
  %9 = tiny.binary div %5, %8 : (tensor<6x40xf32>, tensor<6x40xf32>) -> tensor<6x40xf32>
  region.yield %9 : tensor<6x40xf32>
}

// Tiles of one column hold what does not depend on the column, also what is loaded and stored. A tile of whole rows needs no mask.
// CHECK: pto.kernel @norm(
// CHECK-NEXT: pto.tiles (%m, %n) in [4, 128] step [4, 128] {
// CHECK-NEXT: %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 128] dims [0, 1] : memref<4x128xbf16> -> tile<4x128xbf16>
// CHECK-NEXT: %1 = pto.tile.cvt %0 : tile<4x128xbf16> -> tile<4x128xf32>
// CHECK-NEXT: %2 = pto.tile.mul %1, %1 : tile<4x128xf32>
// CHECK-NEXT: %3 = pto.tile.rowsum %2 : tile<4x128xf32> -> tile<4x1xf32>
// CHECK-NEXT: %4 = pto.tile.load.map %r[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 128] dims [0, 1] : memref<4xf32> -> tile<4x1xf32>
// CHECK-NEXT: %5 = pto.tile.add %3, %4 : tile<4x1xf32>
// CHECK-NEXT: %6 = pto.tile.rsqrt %5 : tile<4x1xf32>
// CHECK-NEXT: %7 = pto.tile.rowexpand %6 : tile<4x1xf32> -> tile<4x128xf32>
// CHECK-NEXT: %8 = pto.tile.mul %1, %7 : tile<4x128xf32>
// CHECK-NEXT: %9 = pto.tile.load.map %g[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 128] dims [0, 1] : memref<128xf32> -> tile<4x128xf32>
// CHECK-NEXT: %10 = pto.tile.mul %8, %9 : tile<4x128xf32>
// CHECK-NEXT: pto.tile.store.map %10, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 128] dims [0, 1] : tile<4x128xf32>, memref<4x128xf32>
// CHECK-NEXT: pto.tile.store.map %6, %s[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 128] dims [0, 1] : tile<4x1xf32>, memref<4xf32>
region.kernel @norm(%x: memref<4x128xbf16> align 16, %r: memref<4xf32> align 16, %g: memref<128xf32> align 16) -> (%y: memref<4x128xf32> align 256 gmem, %s: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 128], warp_tile = "1x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["cast", "mul", "add", "rsqrt", "mul", "mul"]}> {
  %0 = region.load %x : memref<4x128xbf16> -> tensor<4x128xbf16>
  %1 = region.load %r : memref<4xf32> -> tensor<4xf32>
  %g_1 = region.load %g : memref<128xf32> -> tensor<128xf32>
  %2 = tiny.unary cast %0 : tensor<4x128xbf16> -> tensor<4x128xf32>
  %3 = tiny.binary mul %2, %2 : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  %4 = tiny.reduce sum %3 axes [1] accum f32 : tensor<4x128xf32> -> tensor<4xf32>
  %5 = tiny.binary add %4, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = tiny.unary rsqrt %5 : tensor<4xf32> -> tensor<4xf32>
  %7 = tiny.movement reshape %6 : tensor<4xf32> -> tensor<4x1xf32>
  %8 = tiny.movement expand %7 : tensor<4x1xf32> -> tensor<4x128xf32>
  %9 = tiny.binary mul %2, %8 : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  %10 = tiny.binary mul %9, %g_1 : (tensor<4x128xf32>, tensor<128xf32>) -> tensor<4x128xf32>
  region.yield %10, %6 : tensor<4x128xf32>, tensor<4xf32>
}

// Each reduction has its neutral element, and reduces in the type that it accumulates in.
// CHECK: pto.kernel @kinds(
// CHECK-NEXT: pto.tiles (%m, %n) in [4, 100] step [4, 128] {
// CHECK-NEXT: %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 100] dims [0, 1] : memref<4x100xsi8> -> tile<4x128xsi8>
// CHECK-NEXT: %1 = pto.tile.cvt %0 : tile<4x128xsi8> -> tile<4x128xsi32>
// CHECK-NEXT: %2 = pto.tile.mask[%m, %n] in [4, 100] dims [0, 1] : tile<4x128xi1>
// CHECK-NEXT: %3 = pto.tile.expands 0 : si32 : tile<4x128xsi32>
// CHECK-NEXT: %4 = pto.tile.sel %2, %1, %3 : tile<4x128xi1>, tile<4x128xsi32>
// CHECK-NEXT: %5 = pto.tile.rowsum %4 : tile<4x128xsi32> -> tile<4x1xsi32>
// CHECK-NEXT: pto.tile.store.map %5, %p[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 100] dims [0, 1] : tile<4x1xsi32>, memref<4xsi32>
// CHECK-NEXT: %6 = pto.tile.load.map %h[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 100] dims [0, 1] : memref<4x100xf16> -> tile<4x128xf16>
// CHECK-NEXT: %7 = pto.tile.cvt %0 : tile<4x128xsi8> -> tile<4x128xf16>
// CHECK-NEXT: %8 = pto.tile.cmp %6, %7 {cmpMode = #pto.cmp<LT>} : tile<4x128xf16> -> tile<4x128xi1>
// CHECK-NEXT: %9 = pto.tile.mask[%m, %n] in [4, 100] dims [0, 1] : tile<4x128xi1>
// CHECK-NEXT: %10 = pto.tile.expands true : tile<4x128xi1>
// CHECK-NEXT: %11 = pto.tile.sel %9, %8, %10 : tile<4x128xi1>, tile<4x128xi1>
// CHECK-NEXT: %12 = pto.tile.rowmin %11 : tile<4x128xi1> -> tile<4x1xi1>
// CHECK-NEXT: %13 = pto.tile.mask[%m, %n] in [4, 100] dims [0, 1] : tile<4x128xi1>
// CHECK-NEXT: %14 = pto.tile.expands 0x7C00 : f16 : tile<4x128xf16>
// CHECK-NEXT: %15 = pto.tile.sel %13, %6, %14 : tile<4x128xi1>, tile<4x128xf16>
// CHECK-NEXT: %16 = pto.tile.rowmin %15 : tile<4x128xf16> -> tile<4x1xf16>
// CHECK-NEXT: %17 = pto.tile.cvt %5 : tile<4x1xsi32> -> tile<4x1xf16>
// CHECK-NEXT: %18 = pto.tile.sel %12, %16, %17 : tile<4x1xi1>, tile<4x1xf16>
// CHECK-NEXT: pto.tile.store.map %18, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 100] dims [0, 1] : tile<4x1xf16>, memref<4xf16>
region.kernel @kinds(%x: memref<4x100xsi8> align 16, %h: memref<4x100xf16> align 16) -> (%p: memref<4xsi32> align 256 gmem, %y: memref<4xf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 128], warp_tile = "1x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["n.i.i"], epilogue = ["cast", "lt", "cast", "where"]}> {
  %0 = region.load %x : memref<4x100xsi8> -> tensor<4x100xsi8>
  %1 = region.load %h : memref<4x100xf16> -> tensor<4x100xf16>
  %2 = tiny.unary cast %0 : tensor<4x100xsi8> -> tensor<4x100xf16>
  %3 = tiny.binary lt %1, %2 : (tensor<4x100xf16>, tensor<4x100xf16>) -> tensor<4x100xi1>
  %4 = tiny.reduce sum %0 axes [1] accum si32 : tensor<4x100xsi8> -> tensor<4xsi32>
  %5 = tiny.reduce min %3 axes [1] accum i1 : tensor<4x100xi1> -> tensor<4xi1>
  %6 = tiny.reduce min %1 axes [1] accum f16 : tensor<4x100xf16> -> tensor<4xf16>
  %7 = tiny.unary cast %4 : tensor<4xsi32> -> tensor<4xf16>
  %8 = tiny.binary where %5, %6, %7 : (tensor<4xi1>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  region.yield %4, %8 : tensor<4xsi32>, tensor<4xf16>
}

// Rows and columns of several axes.
// CHECK: pto.kernel @grouped(
// CHECK-NEXT: pto.tiles (%m, %n) in [6, 32] step [4, 32] {
// CHECK-NEXT: %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(floor((i0)/3)), ((i0) mod 3), (floor((i1)/8)), ((i1) mod 8)] }"> in [6, 32] dims [0, 1] : memref<2x3x4x8xf32> -> tile<4x32xf32>
// CHECK-NEXT: %1 = pto.tile.rowmax %0 : tile<4x32xf32> -> tile<4x1xf32>
// CHECK-NEXT: %2 = pto.tile.rowexpand %1 : tile<4x1xf32> -> tile<4x32xf32>
// CHECK-NEXT: %3 = pto.tile.sub %0, %2 : tile<4x32xf32>
// CHECK-NEXT: pto.tile.store.map %3, %y[%m, %n] by <"{ [i0, i1] -> [(floor((i0)/3)), ((i0) mod 3), (floor((i1)/8)), ((i1) mod 8)] }"> in [6, 32] dims [0, 1] : tile<4x32xf32>, memref<2x3x4x8xf32>
region.kernel @grouped(%x: memref<2x3x4x8xf32> align 16) -> (%y: memref<2x3x4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 32], warp_tile = "1x32", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 1}, predicate_tail = ["m.i.i"], epilogue = ["sub"]}> {
  %0 = region.load %x : memref<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %1 = tiny.reduce max %0 axes [2, 3] accum f32 : tensor<2x3x4x8xf32> -> tensor<2x3xf32>
  %2 = tiny.movement reshape %1 : tensor<2x3xf32> -> tensor<2x3x1x1xf32>
  %3 = tiny.movement expand %2 : tensor<2x3x1x1xf32> -> tensor<2x3x4x8xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  region.yield %4 : tensor<2x3x4x8xf32>
}

// A maximum of bf16 is of bf16, and then converted; a sum is not, nor a maximum of other values or of f16.
// CHECK: pto.kernel @narrow(
// CHECK: %0 = pto.tile.load.map %x
// CHECK-NEXT: %1 = pto.tile.cvt %0 : tile<4x128xbf16> -> tile<4x128xf32>
// CHECK-NEXT: %2 = pto.tile.rowmax %0 : tile<4x128xbf16> -> tile<4x1xbf16>
// CHECK-NEXT: %3 = pto.tile.cvt %2 : tile<4x1xbf16> -> tile<4x1xf32>
// CHECK-NEXT: %4 = pto.tile.rowsum %1 : tile<4x128xf32> -> tile<4x1xf32>
// CHECK: pto.tile.rowmax %{{.*}} : tile<4x128xf32>
// CHECK: pto.tile.rowmax %{{.*}} : tile<4x128xf32>
region.kernel @narrow(%x: memref<4x128xbf16> align 16, %h: memref<4x128xf16> align 16) -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 128], warp_tile = "1x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["cast", "add", "exp", "add", "cast", "add"]}> {
  %0 = region.load %x : memref<4x128xbf16> -> tensor<4x128xbf16>
  %1 = region.load %h : memref<4x128xf16> -> tensor<4x128xf16>
  %2 = tiny.unary cast %0 : tensor<4x128xbf16> -> tensor<4x128xf32>
  %3 = tiny.reduce max %2 axes [1] accum f32 : tensor<4x128xf32> -> tensor<4xf32>
  %4 = tiny.reduce sum %2 axes [1] accum f32 : tensor<4x128xf32> -> tensor<4xf32>
  %5 = tiny.binary add %3, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = tiny.unary exp %2 : tensor<4x128xf32> -> tensor<4x128xf32>
  %7 = tiny.reduce max %6 axes [1] accum f32 : tensor<4x128xf32> -> tensor<4xf32>
  %8 = tiny.binary add %5, %7 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = tiny.unary cast %1 : tensor<4x128xf16> -> tensor<4x128xf32>
  %10 = tiny.reduce max %9 axes [1] accum f32 : tensor<4x128xf32> -> tensor<4xf32>
  %11 = tiny.binary add %8, %10 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  region.yield %11 : tensor<4xf32>
}
