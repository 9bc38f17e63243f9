// RUN: not ptir-opt %s --allow-unregistered-dialect -p 'plan-regions{arch=sm80}' --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of wrong plans.

// CHECK: {{.*}}error[PTIR0001]: expected #plan.schedule<{…}>
region.kernel @k() -> () plan #poly.map<"{ [] }"> {
  region.yield
}

// -----

// CHECK: {{.*}}error[PTIR0483]: invalid plan: vectorize.width: unknown value 3
// CHECK: help: one of 1, 2, 4, 8, 16
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 3}}>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0483]: invalid plan: unknown field 'unrol'
// CHECK: help: did you mean 'unroll'? one of arch, tile, stages, warp_tile, roles, cluster, order, epilogue_tile, accumulators, rescale_threshold, multiprocessors, split, bind, reorder, fuse, unroll, cache, vectorize, predicate_tail, epilogue, layout_hints, algo_choice, local_edges
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}, unrol = 4}>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0483]: invalid plan: vectorize.width: 4.000000e+00 : f64 has no place in a plan
// CHECK: help: use integers, booleans, strings, lists and dictionaries
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4.0}}>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0483]: invalid plan: without roles stages must be 2 to 8, got 9
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 9, warp_tile = "64x32", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0483]: invalid plan: multiprocessors needs roles = "cooperative" or "pingpong"
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 64], multiprocessors = 3, vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0483]: invalid plan: warp_tile 64x48 does not divide tile 128x64
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x48", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0302]: the plan of @k does not fit it: it is for sm90
// CHECK: help: remove it, or run plan-regions{arch=sm90}
region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [2, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0302]: the plan of @k does not fit it: tile has BK = 16, but m16n8k32 takes 32 at a time
// CHECK: help: BK must be a multiple of 32
region.kernel @k(%x: memref<128x128xi8> align 256, %w: memref<128x128xi8> align 256) -> (%y: memref<128x128xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x128xi8> -> tensor<128x128xi8>
  %1 = region.load %w : memref<128x128xi8> -> tensor<128x128xi8>
  %2 = tiny.unary cast %0 : tensor<128x128xi8> -> tensor<128x128xi32>
  %3 = tiny.unary cast %1 : tensor<128x128xi8> -> tensor<128x128xi32>
  %4 = tiny.movement reshape %2 : tensor<128x128xi32> -> tensor<128x128x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x128x1xi32>, tensor<128x128xi32>) -> tensor<128x128x128xi32>
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<128x128x128xi32> -> tensor<128x128xi32>
  region.yield %6 : tensor<128x128xi32>
}

// -----

// CHECK: {{.*}}error[PTIR0302]: the plan of @k does not fit it: warp_tile 8x16 is not made of m16n8k16 instructions
// CHECK: help: warp_tile must be a multiple of 16x8
region.kernel @k(%x: memref<128x128xbf16> align 256, %w: memref<128x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "8x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x128xbf16> -> tensor<128x128xbf16>
  %1 = region.load %w : memref<128x128xbf16> -> tensor<128x128xbf16>
  %2 = tiny.unary cast %0 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %3 = tiny.unary cast %1 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %4 = tiny.movement reshape %2 : tensor<128x128xf32> -> tensor<128x128x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x128x1xf32>, tensor<128x128xf32>) -> tensor<128x128x128xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<128x128x128xf32> -> tensor<128x128xf32>
  region.yield %6 : tensor<128x128xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0302]: the plan of @k does not fit it: tile has BN = 8, which makes rows of 8 bytes of B in shared memory
// CHECK: help: BN must be a power of two, and at least 16
region.kernel @k(%x: memref<128x128xi8> align 256, %w: memref<128x128xi8> align 256) -> (%y: memref<128x128xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 32], stages = 2, warp_tile = "16x8", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x128xi8> -> tensor<128x128xi8>
  %1 = region.load %w : memref<128x128xi8> -> tensor<128x128xi8>
  %2 = tiny.unary cast %0 : tensor<128x128xi8> -> tensor<128x128xi32>
  %3 = tiny.unary cast %1 : tensor<128x128xi8> -> tensor<128x128xi32>
  %4 = tiny.movement reshape %2 : tensor<128x128xi32> -> tensor<128x128x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x128x1xi32>, tensor<128x128xi32>) -> tensor<128x128x128xi32>
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<128x128x128xi32> -> tensor<128x128xi32>
  region.yield %6 : tensor<128x128xi32>
}

// -----

// CHECK: {{.*}}error[PTIR0303]: no plan of @k fits sm80: its ring takes 196608 bytes of shared memory, the limit is 166912
// CHECK: help: use fewer stages or a smaller tile
region.kernel @k(%x: memref<128x64xf64> align 256, %w: memref<64x64xf64> align 256) -> (%y: memref<128x64xf64> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 2, warp_tile = "32x32", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x64xf64> -> tensor<128x64xf64>
  %1 = region.load %w : memref<64x64xf64> -> tensor<64x64xf64>
  %4 = tiny.movement reshape %0 : tensor<128x64xf64> -> tensor<128x64x1xf64>
  %5 = tiny.binary mul %4, %1 : (tensor<128x64x1xf64>, tensor<64x64xf64>) -> tensor<128x64x64xf64>
  %6 = tiny.reduce sum %5 axes [1] accum f64 : tensor<128x64x64xf64> -> tensor<128x64xf64>
  region.yield %6 : tensor<128x64xf64>
}

// -----

// CHECK: {{.*}}error[PTIR0303]: no plan of @k fits sm80: its 1024 threads take 88 registers each, a multiprocessor has 65536
// CHECK: help: use a smaller tile, or no local_edges from A and B
region.kernel @k(%x: memref<256x128xbf16> align 256, %w: memref<128x256xbf16> align 256) -> (%y: memref<256x256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [256, 256, 32], stages = 2, warp_tile = "64x32", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<256x128xbf16> -> tensor<256x128xbf16>
  %1 = region.load %w : memref<128x256xbf16> -> tensor<128x256xbf16>
  %2 = tiny.unary cast %0 : tensor<256x128xbf16> -> tensor<256x128xf32>
  %3 = tiny.unary cast %1 : tensor<128x256xbf16> -> tensor<128x256xf32>
  %4 = tiny.movement reshape %2 : tensor<256x128xf32> -> tensor<256x128x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<256x128x1xf32>, tensor<128x256xf32>) -> tensor<256x128x256xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<256x128x256xf32> -> tensor<256x256xf32>
  region.yield %6 : tensor<256x256xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0303]: no plan of @k fits sm80: its grid has 131072 blocks along y, the limit is 65535
// CHECK: help: use a larger tile, or bind the longer of m.o and n.o to block.x
region.kernel @k(%x: memref<2097152x16xbf16> align 256, %w: memref<16x16xbf16> align 256) -> (%y: memref<2097152x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<2097152x16xbf16> -> tensor<2097152x16xbf16>
  %1 = region.load %w : memref<16x16xbf16> -> tensor<16x16xbf16>
  %2 = tiny.unary cast %0 : tensor<2097152x16xbf16> -> tensor<2097152x16xf32>
  %3 = tiny.unary cast %1 : tensor<16x16xbf16> -> tensor<16x16xf32>
  %4 = tiny.movement reshape %2 : tensor<2097152x16xf32> -> tensor<2097152x16x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<2097152x16x1xf32>, tensor<16x16xf32>) -> tensor<2097152x16x16xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<2097152x16x16xf32> -> tensor<2097152x16xf32>
  region.yield %6 : tensor<2097152x16xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0303]: no plan of @k fits sm80: its accumulators and fragments take 576 registers a thread, the limit is 255
// CHECK: help: use a smaller warp_tile, or no local_edges from A and B
region.kernel @k(%x: memref<128x128xbf16> align 256, %w: memref<128x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [128, 128, 32], stages = 2, warp_tile = "128x128", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x128xbf16> -> tensor<128x128xbf16>
  %1 = region.load %w : memref<128x128xbf16> -> tensor<128x128xbf16>
  %2 = tiny.unary cast %0 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %3 = tiny.unary cast %1 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %4 = tiny.movement reshape %2 : tensor<128x128xf32> -> tensor<128x128x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x128x1xf32>, tensor<128x128xf32>) -> tensor<128x128x128xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<128x128x128xf32> -> tensor<128x128xf32>
  region.yield %6 : tensor<128x128xf32>
}
