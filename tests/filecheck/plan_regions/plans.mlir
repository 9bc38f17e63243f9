// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm80})' | filecheck %s

// A contraction gets a tile of three axes, with labels for its epilogue and the axes that need a guard.
// CHECK: region.kernel @matmul
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [16, 8, 8], stages = 2, warp_tile = "16x8", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}
// CHECK-SAME: predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["tanh"]
region.kernel @matmul(%x: memref<4x8xf32> align 16, %w: memref<8x2xf32> align 16) -> (%y: memref<4x2xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = region.load %w : memref<8x2xf32> -> tensor<8x2xf32>
  %2 = tiny.movement reshape %0 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %3 = tiny.binary mul %2, %1 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %4 = tiny.reduce sum %3 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %5 = tiny.unary tanh %4 : tensor<4x2xf32> -> tensor<4x2xf32>
  region.yield %5 : tensor<4x2xf32>
}

// The rest gets one of two.
// CHECK: region.kernel @exp
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [1, 32], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["exp"]}>
region.kernel @exp(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  region.yield %1 : tensor<4x8xf32>
}

// Rows that are reduced lie in the registers of a few lanes, of a warp, or of several, by their length.
// CHECK: region.kernel @rows
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [32, 64], warp_tile = "8x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
region.kernel @rows(%x: memref<4096x64xf32> align 16) -> (%y: memref<4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x64xf32> -> tensor<4096x64xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x64xf32> -> tensor<4096xf32>
  region.yield %1 : tensor<4096xf32>
}
// CHECK: region.kernel @long_rows
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [1, 4096], warp_tile = "1x1024", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
region.kernel @long_rows(%x: memref<64x4096xf32> align 16) -> (%y: memref<64xf32> align 256 gmem) {
  %0 = region.load %x : memref<64x4096xf32> -> tensor<64x4096xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x4096xf32> -> tensor<64xf32>
  region.yield %1 : tensor<64xf32>
}

// Columns are reduced by lanes that hold vectors of a row each, and by warps that share the rows.
// CHECK: region.kernel @columns
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [32, 128], warp_tile = "4x128", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
region.kernel @columns(%x: memref<64x4096xf32> align 16) -> (%y: memref<4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<64x4096xf32> -> tensor<64x4096xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<64x4096xf32> -> tensor<4096xf32>
  region.yield %1 : tensor<4096xf32>
}

// Of a contraction each thread computes one element, a warpgroup of them in a block, if no instruction multiplies its types.
// A product of two vectors is a row.
// CHECK: region.kernel @i16
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [8, 16], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 1}}> {
region.kernel @i16(%x: memref<16x16xi16> align 16, %w: memref<16x16xi16> align 16) -> (%y: memref<16x16xi32> align 256 gmem) {
  %0 = region.load %x : memref<16x16xi16> -> tensor<16x16xi16>
  %1 = region.load %w : memref<16x16xi16> -> tensor<16x16xi16>
  %2 = tiny.unary cast %0 : tensor<16x16xi16> -> tensor<16x16xi32>
  %3 = tiny.unary cast %1 : tensor<16x16xi16> -> tensor<16x16xi32>
  %4 = tiny.movement reshape %2 : tensor<16x16xi32> -> tensor<16x16x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<16x16x1xi32>, tensor<16x16xi32>) -> tensor<16x16x16xi32>
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<16x16x16xi32> -> tensor<16x16xi32>
  region.yield %6 : tensor<16x16xi32>
}
// CHECK: region.kernel @dot
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [128, 16], warp_tile = "32x16", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i"], epilogue = ["mul"]}> {
region.kernel @dot(%x: memref<16xf32> align 16, %w: memref<16xf32> align 16) -> (%y: memref<f32> align 256 gmem) {
  %0 = region.load %x : memref<16xf32> -> tensor<16xf32>
  %1 = region.load %w : memref<16xf32> -> tensor<16xf32>
  %2 = tiny.binary mul %0, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = tiny.reduce sum %2 axes [0] accum f32 : tensor<16xf32> -> tensor<f32>
  region.yield %3 : tensor<f32>
}

// A plan that is there stays, to the letter.
// CHECK: region.kernel @mine
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
region.kernel @mine(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}

// Tiles follow the element type: BK is 64 or 128 bytes of k, and sums of f64 take twice the registers.
// CHECK: region.kernel @bf16
// CHECK-SAME: tile = [128, 256, 64], stages = 3, warp_tile = "64x64", order = "grouped_16", bind
// CHECK-SAME: vectorize = {axis = "n.i.i", width = 8}, layout_hints
// CHECK-SAME: C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}, {from = "B", to = "sum", buffer = "reg", depth = 2}]}>
region.kernel @bf16(%x: memref<4096x4096xbf16> align 256, %w: memref<4096x4096xbf16> align 256) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %1 = region.load %w : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %2 = tiny.unary cast %0 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %3 = tiny.unary cast %1 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %2 : tensor<4096x4096xf32> -> tensor<4096x4096x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4096x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4096x4096x4096xf32> -> tensor<4096x4096xf32>
  region.yield %6 : tensor<4096x4096xf32>
}
// CHECK: region.kernel @tf32
// CHECK-SAME: tile = [128, 128, 16], stages = 5, warp_tile = "64x64", order = "grouped_16", bind
region.kernel @tf32(%x: memref<4096x4096xf32> align 256, %w: memref<4096x4096xf32> align 256) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %1 = region.load %w : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %2 = tiny.unary tf32 %0 : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %3 = tiny.unary tf32 %1 : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %2 : tensor<4096x4096xf32> -> tensor<4096x4096x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4096x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4096x4096x4096xf32> -> tensor<4096x4096xf32>
  region.yield %6 : tensor<4096x4096xf32>
}
// CHECK: region.kernel @i8
// CHECK-SAME: tile = [128, 128, 64], stages = 5, warp_tile = "64x64", bind
region.kernel @i8(%x: memref<4096x4096xi8> align 256, %w: memref<4096x4096xi8> align 256) -> (%y: memref<4096x4096xi32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xi8> -> tensor<4096x4096xi8>
  %1 = region.load %w : memref<4096x4096xi8> -> tensor<4096x4096xi8>
  %2 = tiny.unary cast %0 : tensor<4096x4096xi8> -> tensor<4096x4096xi32>
  %3 = tiny.unary cast %1 : tensor<4096x4096xi8> -> tensor<4096x4096xi32>
  %4 = tiny.movement reshape %2 : tensor<4096x4096xi32> -> tensor<4096x4096x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<4096x4096x1xi32>, tensor<4096x4096xi32>) -> tensor<4096x4096x4096xi32>
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<4096x4096x4096xi32> -> tensor<4096x4096xi32>
  region.yield %6 : tensor<4096x4096xi32>
}
// CHECK: region.kernel @f64
// CHECK-SAME: tile = [64, 128, 16], stages = 3, warp_tile = "32x64", order = "grouped_16", bind
region.kernel @f64(%x: memref<4096x4096xf64> align 256, %w: memref<4096x4096xf64> align 256) -> (%y: memref<4096x4096xf64> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xf64> -> tensor<4096x4096xf64>
  %1 = region.load %w : memref<4096x4096xf64> -> tensor<4096x4096xf64>
  %4 = tiny.movement reshape %0 : tensor<4096x4096xf64> -> tensor<4096x4096x1xf64>
  %5 = tiny.binary mul %4, %1 : (tensor<4096x4096x1xf64>, tensor<4096x4096xf64>) -> tensor<4096x4096x4096xf64>
  %6 = tiny.reduce sum %5 axes [1] accum f64 : tensor<4096x4096x4096xf64> -> tensor<4096x4096xf64>
  region.yield %6 : tensor<4096x4096xf64>
}
// CHECK: region.kernel @f32
// CHECK-SAME: tile = [64, 128, 32], stages = 3, warp_tile = "64x32", order = "grouped_16", bind
region.kernel @f32(%x: memref<4096x4096xf32> align 256, %w: memref<4096x4096xf32> align 256) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %1 = region.load %w : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %0 : tensor<4096x4096xf32> -> tensor<4096x4096x1xf32>
  %5 = tiny.binary mul %4, %1 : (tensor<4096x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4096x4096x4096xf32> -> tensor<4096x4096xf32>
  region.yield %6 : tensor<4096x4096xf32>
}

// Eight tiles and a long k: 13 parts of it fill the machine.
// CHECK: region.kernel @long
// CHECK-SAME: tile = [32, 64, 64], stages = 4, warp_tile = "16x32", split = 13, bind
// CHECK-SAME: algo_choice = {matmul = "splitk_parallel"}
region.kernel @long(%x: memref<128x8192xbf16> align 256, %w: memref<8192x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) {
  %0 = region.load %x : memref<128x8192xbf16> -> tensor<128x8192xbf16>
  %1 = region.load %w : memref<8192x128xbf16> -> tensor<8192x128xbf16>
  %2 = tiny.unary cast %0 : tensor<128x8192xbf16> -> tensor<128x8192xf32>
  %3 = tiny.unary cast %1 : tensor<8192x128xbf16> -> tensor<8192x128xf32>
  %4 = tiny.movement reshape %2 : tensor<128x8192xf32> -> tensor<128x8192x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x8192x1xf32>, tensor<8192x128xf32>) -> tensor<128x8192x128xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<128x8192x128xf32> -> tensor<128x128xf32>
  region.yield %6 : tensor<128x128xf32>
}

// A skinny problem gets a skinny tile. One row of f32 lies along the instruction's columns, which are fewer.
// CHECK: region.kernel @wide
// CHECK-SAME: tile = [16, 32, 64], stages = 5, warp_tile = "16x32", bind
region.kernel @wide(%x: memref<16x4096xbf16> align 256, %w: memref<4096x4096xbf16> align 256) -> (%y: memref<16x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<16x4096xbf16> -> tensor<16x4096xbf16>
  %1 = region.load %w : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %2 = tiny.unary cast %0 : tensor<16x4096xbf16> -> tensor<16x4096xf32>
  %3 = tiny.unary cast %1 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %2 : tensor<16x4096xf32> -> tensor<16x4096x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<16x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<16x4096x4096xf32> -> tensor<16x4096xf32>
  region.yield %6 : tensor<16x4096xf32>
}
// CHECK: region.kernel @one_row
// CHECK-SAME: tile = [8, 256, 32], stages = 4, warp_tile = "8x64", split = 6
// CHECK-SAME: vectorize = {axis = "m.i.i", width = 2}, predicate_tail = ["m.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "col"}
region.kernel @one_row(%x: memref<1x4096xf32> align 256, %w: memref<4096x4096xf32> align 256) -> (%y: memref<1x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<1x4096xf32> -> tensor<1x4096xf32>
  %1 = region.load %w : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %4 = tiny.movement reshape %0 : tensor<1x4096xf32> -> tensor<1x4096x1xf32>
  %5 = tiny.binary mul %4, %1 : (tensor<1x4096x1xf32>, tensor<4096x4096xf32>) -> tensor<1x4096x4096xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<1x4096x4096xf32> -> tensor<1x4096xf32>
  region.yield %6 : tensor<1x4096xf32>
}
