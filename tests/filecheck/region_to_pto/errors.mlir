// RUN: ptir-opt %s -p region-to-pto --split-input-file --verify-diagnostics

// expected-error@+1 {{@k has no plan}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: it labels the epilogue ['relu'], but the region computes ['tanh']}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["relu"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// A reduction of one operand is no contraction.

// expected-error@+1 {{the plan of @k does not fit it: tile is [16, 16, 16]}}
region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
  region.yield %1 : tensor<4xf32>
}

// -----

// Without instructions there is no ring.

// expected-error@+1 {{the plan of @k does not fit it: cache has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 4], cache = [{tensor = "A"}], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
  region.yield %1 : tensor<4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: vectorize has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "m.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: cache has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: predicate_tail has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = [], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: algo_choice has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], algo_choice = {reduce = "tree"}, epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: bind has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], bind = {m.i.o = "warp.x"}, epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: local_edges has a value that this lowering does not support}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], local_edges = [{from = "sum", to = "tanh", buffer = "gmem"}], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// SM80 has no tensor core for f8.

region.kernel @k(%x: memref<4x8xf8E4M3FN> align 16, %w: memref<8x2xf8E4M3FN> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xf8E4M3FN> -> tensor<4x8xf8E4M3FN>
  %1 = region.load %w : memref<8x2xf8E4M3FN> -> tensor<8x2xf8E4M3FN>
  %2 = tiny.unary cast %0 : tensor<4x8xf8E4M3FN> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xf8E4M3FN> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  // expected-error@+1 {{a contraction of f8E4M3FN and f8E4M3FN into f32 is not supported yet}}
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// A part without a step of k would wait for nothing.

// expected-error@+1 {{the plan of @k does not fit it: split is 3, but 4 steps of BK = 16 can fill only 2 equal parts}}
region.kernel @k(%x: memref<4x64xbf16> align 16, %w: memref<64x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x64xbf16> -> tensor<4x64xbf16>
  %1 = region.load %w : memref<64x2xbf16> -> tensor<64x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x64xbf16> -> tensor<4x64xf32>
  %3 = tiny.unary cast %1 : tensor<64x2xbf16> -> tensor<64x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x64xf32> -> tensor<4x64x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x64x1xf32>, tensor<64x2xf32>) -> tensor<4x64x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x64x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// -----

// The tiles of a kernel without a contraction are those of its first output.

region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem, %z: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 32], vectorize = {axis = "n.i.i", width = 1}, epilogue = ["exp"]}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tiny.movement shrink %0 from [1, 0] : tensor<4x8xf32> -> tensor<1x8xf32>
  // expected-error@+1 {{an output of another shape than the first is not supported yet}}
  %3 = tiny.movement reshape %2 : tensor<1x8xf32> -> tensor<8xf32>
  region.yield %1, %3 : tensor<4x8xf32>, tensor<8xf32>
}

// -----

// Rows are reduced before they are read at indices.

region.kernel @k(%x: memref<9x8xf32> align 16, %i: memref<4xsi32> align 16) -> (%y: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 32], vectorize = {axis = "n.i.i", width = 1}, predicate_tail = ["n.i.i"]}> {
  %0 = region.load %x : memref<9x8xf32> -> tensor<9x8xf32>
  %1 = region.load %i : memref<4xsi32> -> tensor<4xsi32>
  // expected-error@+1 {{a reduction that is read at indices given by data in its kernel is not supported yet}}
  %2 = tiny.reduce sum %0 axes [1] accum f32 : tensor<9x8xf32> -> tensor<9xf32>
  %3 = ptir.gather %2, %1 axis 0 : (tensor<9xf32>, tensor<4xsi32>) -> tensor<4xf32>
  region.yield %3 : tensor<4xf32>
}
