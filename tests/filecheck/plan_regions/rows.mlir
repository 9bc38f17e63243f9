// RUN: ptir-opt %s -p plan-regions | filecheck %s
// RUN: ptir-opt %s -p 'plan-regions{fallback=1}' | filecheck %s --check-prefix=MORE

// A lane has four loads of 16 bytes in flight: this row takes a warp, or more of them.
// CHECK: region.kernel @a_warp(
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}>
// MORE: region.kernel @a_warp(
// MORE-SAME: tile = [2, 512], warp_tile = "1x256"
region.kernel @a_warp(%x: memref<4096x512xf32> align 16) -> (%y: memref<4096x512xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x512xf32> -> tensor<4096x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x512xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x512xf32>, tensor<4096x512xf32>) -> tensor<4096x512xf32>
  region.yield %4 : tensor<4096x512xf32>
}

// A shorter one takes some of its lanes.
// CHECK: region.kernel @lanes(
// CHECK-SAME: tile = [16, 128], warp_tile = "4x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}>
// MORE: region.kernel @lanes(
// MORE-SAME: tile = [8, 128], warp_tile = "2x128"
region.kernel @lanes(%x: memref<4096x128xf32> align 16) -> (%y: memref<4096x128xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x128xf32> -> tensor<4096x128xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x128xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x128xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x128xf32>, tensor<4096x128xf32>) -> tensor<4096x128xf32>
  region.yield %4 : tensor<4096x128xf32>
}

// Loads have 16 bytes of the narrowest type that is loaded.
// CHECK: region.kernel @bytes(
// CHECK-SAME: tile = [32, 128], warp_tile = "8x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 8}, epilogue = ["sub"]}>
region.kernel @bytes(%x: memref<4096x128xbf16> align 16) -> (%y: memref<4096x128xbf16> align 256 gmem) {
  %0 = region.load %x : memref<4096x128xbf16> -> tensor<4096x128xbf16>
  %1 = tiny.reduce max %0 axes [1] accum bf16 : tensor<4096x128xbf16> -> tensor<4096xbf16>
  %2 = tiny.movement reshape %1 : tensor<4096xbf16> -> tensor<4096x1xbf16>
  %3 = tiny.movement expand %2 : tensor<4096x1xbf16> -> tensor<4096x128xbf16>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x128xbf16>, tensor<4096x128xbf16>) -> tensor<4096x128xbf16>
  region.yield %4 : tensor<4096x128xbf16>
}

// A longer one takes several warps, of up to 512 threads.
// CHECK: region.kernel @several(
// CHECK-SAME: tile = [1, 4096], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}>
region.kernel @several(%x: memref<4096x4096xf32> align 16) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xf32> -> tensor<4096x4096xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x4096xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x4096xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  region.yield %4 : tensor<4096x4096xf32>
}

// The longest.
// CHECK: region.kernel @longest(
// CHECK-SAME: tile = [1, 16384], warp_tile = "1x1024", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, epilogue = ["sub"]}>
// MORE: region.kernel @longest(
// MORE-SAME: tile = [1, 16384], warp_tile = "1x512"
region.kernel @longest(%x: memref<2x16384xf64> align 16) -> (%y: memref<2x16384xf64> align 256 gmem) {
  %0 = region.load %x : memref<2x16384xf64> -> tensor<2x16384xf64>
  %1 = tiny.reduce max %0 axes [1] accum f64 : tensor<2x16384xf64> -> tensor<2xf64>
  %2 = tiny.movement reshape %1 : tensor<2xf64> -> tensor<2x1xf64>
  %3 = tiny.movement expand %2 : tensor<2x1xf64> -> tensor<2x16384xf64>
  %4 = tiny.binary sub %0, %3 : (tensor<2x16384xf64>, tensor<2x16384xf64>) -> tensor<2x16384xf64>
  region.yield %4 : tensor<2x16384xf64>
}

// Rows begin at any element: their vectors are realigned. So that a lane has four, a row takes fewer lanes, and has five or six.
// CHECK: region.kernel @odd(
// CHECK-SAME: tile = [8, 320], warp_tile = "2x320", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["n.i.i"], epilogue = ["sub"]}>
region.kernel @odd(%x: memref<4096x301xf32> align 16) -> (%y: memref<4096x301xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x301xf32> -> tensor<4096x301xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x301xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x301xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x301xf32>, tensor<4096x301xf32>) -> tensor<4096x301xf32>
  region.yield %4 : tensor<4096x301xf32>
}

// If the alignment of an array is not known, vectors divide the row; the tile need not.
// CHECK: region.kernel @unknown(
// CHECK-SAME: tile = [2, 320], warp_tile = "1x160", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 1}, predicate_tail = ["n.i.i"], epilogue = ["sub"]}>
region.kernel @unknown(%x: memref<4096x301xf32> align 4) -> (%y: memref<4096x301xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x301xf32> -> tensor<4096x301xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x301xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x301xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x301xf32>, tensor<4096x301xf32>) -> tensor<4096x301xf32>
  region.yield %4 : tensor<4096x301xf32>
}

// So do those of a short row, which would consist of edges.
// CHECK: region.kernel @short(
// CHECK-SAME: tile = [8, 64], warp_tile = "2x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 1}, predicate_tail = ["n.i.i"], epilogue = ["sub"]}>
region.kernel @short(%x: memref<4096x63xf32> align 16) -> (%y: memref<4096x63xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x63xf32> -> tensor<4096x63xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x63xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x63xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x63xf32>, tensor<4096x63xf32>) -> tensor<4096x63xf32>
  region.yield %4 : tensor<4096x63xf32>
}

// So do those of a row that is padded.
// CHECK: region.kernel @padded(
// CHECK-SAME: width = 1}
region.kernel @padded(%x: memref<4096x299xf32> align 16) -> (%y: memref<4096x301xf32> align 256 gmem) {
  %x0 = region.load %x : memref<4096x299xf32> -> tensor<4096x299xf32>
  %0 = tiny.movement pad %x0 low [0, 1] high [0, 1] value 0.0 : f32 : tensor<4096x299xf32> -> tensor<4096x301xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x301xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x301xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x301xf32>, tensor<4096x301xf32>) -> tensor<4096x301xf32>
  region.yield %4 : tensor<4096x301xf32>
}

// A lane has a row of two.
// CHECK: region.kernel @two(
// CHECK-SAME: tile = [128, 2], warp_tile = "32x2", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, epilogue = ["sub"]}>
region.kernel @two(%x: memref<4096x2xf32> align 16) -> (%y: memref<4096x2xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x2xf32> -> tensor<4096x2xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4096x2xf32> -> tensor<4096xf32>
  %2 = tiny.movement reshape %1 : tensor<4096xf32> -> tensor<4096x1xf32>
  %3 = tiny.movement expand %2 : tensor<4096x1xf32> -> tensor<4096x2xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<4096x2xf32>, tensor<4096x2xf32>) -> tensor<4096x2xf32>
  region.yield %4 : tensor<4096x2xf32>
}
