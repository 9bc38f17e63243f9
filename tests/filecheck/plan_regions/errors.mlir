// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm80})' --split-input-file --verify-diagnostics

// expected-error@+1 {{the plan of @k does not fit it: it is for sm90}}
region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [2, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}

// -----

// A plan that the machine cannot hold is refused with the number that overflowed.

// expected-error@+1 {{its ring takes 262144 bytes of shared memory, the limit is 166912}}
region.kernel @k(%x: memref<128x128xbf16> align 256, %w: memref<128x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [128, 128, 128], stages = 4, warp_tile = "64x64", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
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

// expected-error@+1 {{its ring takes 196608 bytes of shared memory, the limit is 166912}}
region.kernel @k(%x: memref<128x64xf64> align 256, %w: memref<64x64xf64> align 256) -> (%y: memref<128x64xf64> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 2, warp_tile = "32x32", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x64xf64> -> tensor<128x64xf64>
  %1 = region.load %w : memref<64x64xf64> -> tensor<64x64xf64>
  %4 = tiny.movement reshape %0 : tensor<128x64xf64> -> tensor<128x64x1xf64>
  %5 = tiny.binary mul %4, %1 : (tensor<128x64x1xf64>, tensor<64x64xf64>) -> tensor<128x64x64xf64>
  %6 = tiny.reduce sum %5 axes [1] accum f64 : tensor<128x64x64xf64> -> tensor<128x64xf64>
  region.yield %6 : tensor<128x64xf64>
}

// -----

// expected-error@+1 {{its accumulators and fragments take 576 registers a thread, the limit is 255}}
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

// -----

// expected-error@+1 {{its 1024 threads take 88 registers each, a multiprocessor has 65536}}
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

// expected-error@+1 {{its grid has 131072 blocks along y, the limit is 65535}}
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

// A plan by hand keeps the rules of its element types.

// expected-error@+1 {{warp_tile 8x16 is not made of m16n8k16 instructions}}
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

// expected-error@+1 {{tile has BK = 16, but m16n8k32 takes 32 at a time}}
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

// expected-error@+1 {{tile has BK = 48, which makes rows of 96 bytes of A in shared memory}}
region.kernel @k(%x: memref<128x96xbf16> align 256, %w: memref<96x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 48], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x96xbf16> -> tensor<128x96xbf16>
  %1 = region.load %w : memref<96x128xbf16> -> tensor<96x128xbf16>
  %2 = tiny.unary cast %0 : tensor<128x96xbf16> -> tensor<128x96xf32>
  %3 = tiny.unary cast %1 : tensor<96x128xbf16> -> tensor<96x128xf32>
  %4 = tiny.movement reshape %2 : tensor<128x96xf32> -> tensor<128x96x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x96x1xf32>, tensor<96x128xf32>) -> tensor<128x96x128xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<128x96x128xf32> -> tensor<128x128xf32>
  region.yield %6 : tensor<128x128xf32>
}

// -----

// expected-error@+1 {{tile has BN = 8, which makes rows of 8 bytes of B in shared memory}}
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

// An empty tensor has no tiles.

region.kernel @k(%x: memref<4x0xf32> align 16) -> (%y: memref<0x4xf32> align 256 gmem) {
  // expected-error@+1 {{the shape of tensor<4x0xf32> is not supported yet}}
  %0 = region.load %x : memref<4x0xf32> -> tensor<4x0xf32>
  %1 = tiny.movement reshape %0 : tensor<4x0xf32> -> tensor<0x4xf32>
  region.yield %1 : tensor<0x4xf32>
}

// -----

// There is no instruction that multiplies 16-bit integers: a plan without stages is made, one with them is refused.

region.kernel @k(%x: memref<16x16xi16> align 16, %w: memref<16x16xi16> align 16) -> (%y: memref<16x16xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<16x16xi16> -> tensor<16x16xi16>
  %1 = region.load %w : memref<16x16xi16> -> tensor<16x16xi16>
  %2 = tiny.unary cast %0 : tensor<16x16xi16> -> tensor<16x16xi32>
  %3 = tiny.unary cast %1 : tensor<16x16xi16> -> tensor<16x16xi32>
  %4 = tiny.movement reshape %2 : tensor<16x16xi32> -> tensor<16x16x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<16x16x1xi32>, tensor<16x16xi32>) -> tensor<16x16x16xi32>
  // expected-error@+1 {{a contraction of i16 and i16 into i32 is not supported yet}}
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<16x16x16xi32> -> tensor<16x16xi32>
  region.yield %6 : tensor<16x16xi32>
}

// -----

// expected-error@+1 {{tile 32x16, warp_tile 16x8 and split 1 do not give whole rows to a warp, but the epilogue reduces rows of 12}}
region.kernel @f(%x: memref<40x64xbf16> align 16, %w: memref<64x12xbf16> align 16) -> (%y: memref<40x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 16, 32], stages = 2, warp_tile = "16x8", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["sub"]}> {
  %0 = region.load %x : memref<40x64xbf16> -> tensor<40x64xbf16>
  %1 = region.load %w : memref<64x12xbf16> -> tensor<64x12xbf16>
  %2 = tiny.movement reshape %0 : tensor<40x64xbf16> -> tensor<40x64x1xbf16>
  %3 = tiny.unary cast %2 : tensor<40x64x1xbf16> -> tensor<40x64x1xf32>
  %4 = tiny.movement reshape %1 : tensor<64x12xbf16> -> tensor<1x64x12xbf16>
  %5 = tiny.unary cast %4 : tensor<1x64x12xbf16> -> tensor<1x64x12xf32>
  %6 = tiny.binary mul %3, %5 : (tensor<40x64x1xf32>, tensor<1x64x12xf32>) -> tensor<40x64x12xf32>
  %7 = tiny.reduce sum %6 axes [1] accum f32 : tensor<40x64x12xf32> -> tensor<40x12xf32>
  %8 = tiny.reduce max %7 axes [1] accum f32 : tensor<40x12xf32> -> tensor<40xf32>
  %9 = tiny.movement reshape %8 : tensor<40xf32> -> tensor<40x1xf32>
  %10 = tiny.movement expand %9 : tensor<40x1xf32> -> tensor<40x12xf32>
  %11 = tiny.binary sub %7, %10 : (tensor<40x12xf32>, tensor<40x12xf32>) -> tensor<40x12xf32>
  region.yield %11 : tensor<40x12xf32>
}

// -----

// expected-error@+1 {{order is hilbert_4, but squares of 4x4 do not divide the 4x2 tiles}}
region.kernel @k(%x: memref<128x128xbf16> align 256, %w: memref<128x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 64, 32], stages = 2, warp_tile = "32x32", order = "hilbert_4", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<128x128xbf16> -> tensor<128x128xbf16>
  %1 = region.load %w : memref<128x128xbf16> -> tensor<128x128xbf16>
  %2 = tiny.unary cast %0 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %3 = tiny.unary cast %1 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %4 = tiny.movement reshape %2 : tensor<128x128xf32> -> tensor<128x128x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x128x1xf32>, tensor<128x128xf32>) -> tensor<128x128x128xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<128x128x128xf32> -> tensor<128x128xf32>
  region.yield %6 : tensor<128x128xf32>
}
