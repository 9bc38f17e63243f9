// RUN: ptir-opt %s --split-input-file --verify-diagnostics -p 'plan-regions{arch=sm90}' -o /dev/null

// expected-error@+1 {{tile has a value that this lowering does not support}}
region.kernel @causal_attention_0(%q: memref<2x32x64xbf16> align 16, %k: memref<2x32x64xbf16> align 16, %v: memref<2x32x64xbf16> align 16) -> (%y: memref<2x32x64xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 128, 32], stages = 2, warp_tile = "64x128", roles = "cooperative", vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["cast"], algo_choice = {attention = "online_softmax"}}> {
  %q_1 = region.load %q : memref<2x32x64xbf16> -> tensor<2x32x64xbf16>
  %k_1 = region.load %k : memref<2x32x64xbf16> -> tensor<2x32x64xbf16>
  %v_1 = region.load %v : memref<2x32x64xbf16> -> tensor<2x32x64xbf16>
  %j = tiny.iota axis 1 : tensor<32x32xsi32>
  %i = tiny.iota axis 0 : tensor<32x32xsi32>
  %p = tiny.binary le %j, %i : (tensor<32x32xsi32>, tensor<32x32xsi32>) -> tensor<32x32xi1>
  %pp = tiny.movement expand %p : tensor<32x32xi1> -> tensor<2x32x32xi1>
  %0 = tiny.movement reshape %q_1 : tensor<2x32x64xbf16> -> tensor<2x32x1x64xbf16>
  %1 = tiny.unary cast %0 : tensor<2x32x1x64xbf16> -> tensor<2x32x1x64xf32>
  %2 = tiny.movement reshape %k_1 : tensor<2x32x64xbf16> -> tensor<2x1x32x64xbf16>
  %3 = tiny.unary cast %2 : tensor<2x1x32x64xbf16> -> tensor<2x1x32x64xf32>
  %4 = tiny.binary mul %1, %3 : (tensor<2x32x1x64xf32>, tensor<2x1x32x64xf32>) -> tensor<2x32x32x64xf32>
  %5 = tiny.reduce sum %4 axes [3] accum f32 : tensor<2x32x32x64xf32> -> tensor<2x32x32xf32>
  %scale = tiny.const dense<1.250000e-01> : tensor<2x32x32xf32>
  %6 = tiny.binary mul %5, %scale : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %none = tiny.const dense<0xFF800000> : tensor<2x32x32xf32>
  %x = tiny.binary where %pp, %6, %none : (tensor<2x32x32xi1>, tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %max = tiny.reduce max %x axes [2] accum f32 : tensor<2x32x32xf32> -> tensor<2x32xf32>
  %max_1 = tiny.movement reshape %max : tensor<2x32xf32> -> tensor<2x32x1xf32>
  %maxes = tiny.movement expand %max_1 : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = tiny.binary sub %x, %maxes : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %e = tiny.unary exp %d : tensor<2x32x32xf32> -> tensor<2x32x32xf32>
  %sum = tiny.reduce sum %e axes [2] accum f32 : tensor<2x32x32xf32> -> tensor<2x32xf32>
  %sum_1 = tiny.movement reshape %sum : tensor<2x32xf32> -> tensor<2x32x1xf32>
  %sums = tiny.movement expand %sum_1 : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %w = tiny.binary div %e, %sums : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %wb = tiny.unary cast %w : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %o = tiny.movement reshape %wb : tensor<2x32x32xbf16> -> tensor<2x32x32x1xbf16>
  %o_1 = tiny.unary cast %o : tensor<2x32x32x1xbf16> -> tensor<2x32x32x1xf32>
  %o_2 = tiny.movement reshape %v_1 : tensor<2x32x64xbf16> -> tensor<2x1x32x64xbf16>
  %o_3 = tiny.unary cast %o_2 : tensor<2x1x32x64xbf16> -> tensor<2x1x32x64xf32>
  %o_4 = tiny.binary mul %o_1, %o_3 : (tensor<2x32x32x1xf32>, tensor<2x1x32x64xf32>) -> tensor<2x32x32x64xf32>
  %o_5 = tiny.reduce sum %o_4 axes [2] accum f32 : tensor<2x32x32x64xf32> -> tensor<2x32x64xf32>
  %y_1 = tiny.unary cast %o_5 : tensor<2x32x64xf32> -> tensor<2x32x64xbf16>
  region.yield %y_1 : tensor<2x32x64xbf16>
}

// -----

// expected-error@+1 {{algo_choice has a value that this lowering does not support}}
region.kernel @causal_attention_0(%q: memref<2x32x64xbf16> align 16, %k: memref<2x32x64xbf16> align 16, %v: memref<2x32x64xbf16> align 16) -> (%y: memref<2x32x64xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 32], stages = 2, warp_tile = "64x64", roles = "cooperative", vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i"], epilogue = ["cast"], algo_choice = {attention = "online"}}> {
  %q_1 = region.load %q : memref<2x32x64xbf16> -> tensor<2x32x64xbf16>
  %k_1 = region.load %k : memref<2x32x64xbf16> -> tensor<2x32x64xbf16>
  %v_1 = region.load %v : memref<2x32x64xbf16> -> tensor<2x32x64xbf16>
  %j = tiny.iota axis 1 : tensor<32x32xsi32>
  %i = tiny.iota axis 0 : tensor<32x32xsi32>
  %p = tiny.binary le %j, %i : (tensor<32x32xsi32>, tensor<32x32xsi32>) -> tensor<32x32xi1>
  %pp = tiny.movement expand %p : tensor<32x32xi1> -> tensor<2x32x32xi1>
  %0 = tiny.movement reshape %q_1 : tensor<2x32x64xbf16> -> tensor<2x32x1x64xbf16>
  %1 = tiny.unary cast %0 : tensor<2x32x1x64xbf16> -> tensor<2x32x1x64xf32>
  %2 = tiny.movement reshape %k_1 : tensor<2x32x64xbf16> -> tensor<2x1x32x64xbf16>
  %3 = tiny.unary cast %2 : tensor<2x1x32x64xbf16> -> tensor<2x1x32x64xf32>
  %4 = tiny.binary mul %1, %3 : (tensor<2x32x1x64xf32>, tensor<2x1x32x64xf32>) -> tensor<2x32x32x64xf32>
  %5 = tiny.reduce sum %4 axes [3] accum f32 : tensor<2x32x32x64xf32> -> tensor<2x32x32xf32>
  %scale = tiny.const dense<1.250000e-01> : tensor<2x32x32xf32>
  %6 = tiny.binary mul %5, %scale : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %none = tiny.const dense<0xFF800000> : tensor<2x32x32xf32>
  %x = tiny.binary where %pp, %6, %none : (tensor<2x32x32xi1>, tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %max = tiny.reduce max %x axes [2] accum f32 : tensor<2x32x32xf32> -> tensor<2x32xf32>
  %max_1 = tiny.movement reshape %max : tensor<2x32xf32> -> tensor<2x32x1xf32>
  %maxes = tiny.movement expand %max_1 : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = tiny.binary sub %x, %maxes : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %e = tiny.unary exp %d : tensor<2x32x32xf32> -> tensor<2x32x32xf32>
  %sum = tiny.reduce sum %e axes [2] accum f32 : tensor<2x32x32xf32> -> tensor<2x32xf32>
  %sum_1 = tiny.movement reshape %sum : tensor<2x32xf32> -> tensor<2x32x1xf32>
  %sums = tiny.movement expand %sum_1 : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %w = tiny.binary div %e, %sums : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  %wb = tiny.unary cast %w : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %o = tiny.movement reshape %wb : tensor<2x32x32xbf16> -> tensor<2x32x32x1xbf16>
  %o_1 = tiny.unary cast %o : tensor<2x32x32x1xbf16> -> tensor<2x32x32x1xf32>
  %o_2 = tiny.movement reshape %v_1 : tensor<2x32x64xbf16> -> tensor<2x1x32x64xbf16>
  %o_3 = tiny.unary cast %o_2 : tensor<2x1x32x64xbf16> -> tensor<2x1x32x64xf32>
  %o_4 = tiny.binary mul %o_1, %o_3 : (tensor<2x32x32x1xf32>, tensor<2x1x32x64xf32>) -> tensor<2x32x32x64xf32>
  %o_5 = tiny.reduce sum %o_4 axes [2] accum f32 : tensor<2x32x32x64xf32> -> tensor<2x32x64xf32>
  %y_1 = tiny.unary cast %o_5 : tensor<2x32x64xf32> -> tensor<2x32x64xbf16>
  region.yield %y_1 : tensor<2x32x64xbf16>
}
