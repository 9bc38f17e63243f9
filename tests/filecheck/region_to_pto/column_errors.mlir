// RUN: ptir-opt %s -p region-to-pto --split-input-file --verify-diagnostics

// Without reductions, with one of another, and with rows that are not contiguous.

// expected-error@+1 {{algo_choice.reduce is 'columns', but it reduces no columns}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 128], warp_tile = "4x128", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %2 = tiny.movement shrink %0 from [1, 0] : tensor<64x256xf32> -> tensor<1x256xf32>
  %1 = tiny.movement reshape %2 : tensor<1x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}

// -----

// expected-error@+1 {{algo_choice.reduce is 'columns', but a reduction reads another one}}
region.kernel @k(%x: memref<64x256xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 128], warp_tile = "4x128", epilogue = ["sub"], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %2 = tiny.reduce max %0 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64x256xf32>
  %1 = tiny.reduce sum %3 axes [0] accum f32 : tensor<64x256xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}

// -----

// expected-error@+1 {{algo_choice.reduce is 'columns', but adjacent results read elements that are not contiguous}}
region.kernel @k(%x: memref<256x64xf32> align 16) -> (%y: memref<256xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 128], warp_tile = "4x128", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, algo_choice = {reduce = "columns"}}> {
  %0 = region.load %x : memref<256x64xf32> -> tensor<256x64xf32>
  %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<256x64xf32> -> tensor<256xf32>
  region.yield %1 : tensor<256xf32>
}
