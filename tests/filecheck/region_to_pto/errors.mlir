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

// expected-error@+1 {{the plan of @k does not fit it: it labels the epilogue ['relu'], the region computes ['tanh']}}
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

// expected-error@+1 {{the plan of @k does not fit it: tile is [16, 16]}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
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

// expected-error@+1 {{the plan of @k does not fit it: vectorize asks for what this lowering does not do}}
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

// expected-error@+1 {{the plan of @k does not fit it: cache asks for what this lowering does not do}}
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

// expected-error@+1 {{the plan of @k does not fit it: predicate_tail asks for what this lowering does not do}}
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

// expected-error@+1 {{the plan of @k does not fit it: algo_choice asks for what this lowering does not do}}
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], algo_choice = {matmul = "split_k"}, epilogue = ["tanh"]}> {
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

// expected-error@+1 {{the plan of @k does not fit it: bind asks for what this lowering does not do}}
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

// expected-error@+1 {{the plan of @k does not fit it: local_edges asks for what this lowering does not do}}
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

// A product of f32 operands has no tensor core.

region.kernel @k(%x: memref<4x8xf32> align 16, %w: memref<8x2xf32> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = region.load %w : memref<8x2xf32> -> tensor<8x2xf32>
  %2 = tiny.movement reshape %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = tiny.movement reshape %1 : tensor<8x2xf32> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  // expected-error@+1 {{a contraction of f32 and f32 into f32 is not supported yet}}
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}
