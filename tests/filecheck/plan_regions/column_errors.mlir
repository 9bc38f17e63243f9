// RUN: ptir-opt %s -p 'plan-regions{arch=sm80}' --split-input-file --verify-diagnostics

// The lanes of a warp hold whole vectors of whole rows.

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [3, 64], warp_tile = "3x64", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 32], warp_tile = "8x2", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}

// -----

// expected-error@+1 {{warp_tile 5x128 does not divide tile 32x128}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 128], warp_tile = "5x128", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}

// -----

// expected-error@+1 {{predicate_tail has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 96], warp_tile = "8x32", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}

// -----

// The field has one value.

// expected-error@+1 {{algo_choice has a value}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 128], warp_tile = "4x128", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns", matmul = "implicit_gemm"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}
