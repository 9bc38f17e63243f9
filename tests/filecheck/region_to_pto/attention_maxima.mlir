// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto' | filecheck %s --check-prefix=ROLES

// A maximum replaces the one before only if exponents would exceed 8 = 5.54517746 log2 e otherwise; accumulators are not rescaled then. With
// roles they always are.
// CHECK-LABEL: pto.kernel @seldom_0
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %max
// CHECK: %[[NEW:.*]] = pto.tile.max %[[OLD]],
// CHECK: %[[MORE:.*]] = pto.tile.sub %[[NEW]], %[[OLD]]
// CHECK: %[[MOST:.*]] = pto.tile.expands 5.54517746
// CHECK: %[[FAR:.*]] = pto.tile.cmp %[[MORE]], %[[MOST]] {cmpMode = #pto.cmp<GT>}
// CHECK: %[[HELD:.*]] = pto.tile.sel %[[FAR]], %[[NEW]], %[[OLD]]
// CHECK: %[[KNOWN:.*]] = pto.tile.sel %{{.*}}, %{{.*}}, %[[HELD]]
// The rows of huge maxima, beyond 2^30 log2 e, have 1 as the factor of exponents instead of log2 e.
// CHECK: %[[SIZE:.*]] = pto.tile.abs %[[KNOWN]]
// CHECK: %[[MOST:.*]] = pto.tile.expands 0x4E317218
// CHECK: %[[HUGE:.*]] = pto.tile.cmp %[[SIZE]], %[[MOST]] {cmpMode = #pto.cmp<GT>}
// CHECK: %[[ONE:.*]] = pto.tile.expands 1.0
// CHECK: %[[LOG:.*]] = pto.tile.expands 1.44269502
// CHECK: %[[C:.*]] = pto.tile.sel %[[HUGE]], %[[ONE]], %[[LOG]]
// CHECK: pto.tile.mul %[[KNOWN]], %[[C]]
// CHECK: pto.tile.rowexpand %[[C]]
// CHECK: pto.tile.fma
// CHECK: scf.yield %[[HELD]]
// ROLES-LABEL: pto.kernel @seldom_0
// ROLES-NOT: pto.tile.expands 5.54517746
func.func @seldom(%q: tensor<1x64x64xbf16>, %k: tensor<1x128x64xbf16>, %v: tensor<1x128x64xbf16>) -> tensor<1x64x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<1x64x64xbf16>, tensor<1x128x64xbf16>) -> tensor<1x64x128xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<1x64x128xf32> -> tensor<1x64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<1x64x1xf32> -> tensor<1x64x128xf32>
  %d = ptir.sub %s, %maxes : tensor<1x64x128xf32>
  %e = ptir.exp %d : tensor<1x64x128xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<1x64x128xf32> -> tensor<1x64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<1x64x1xf32> -> tensor<1x64x128xf32>
  %w = ptir.div %e, %sums : tensor<1x64x128xf32>
  %wb = ptir.cast %w : tensor<1x64x128xf32> -> tensor<1x64x128xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<1x64x128xbf16>, tensor<1x128x64xbf16>) -> tensor<1x64x64xf32>
  func.return %y : tensor<1x64x64xf32>
}

// -----

// Maxima that are results are those of all scores.
// CHECK-LABEL: pto.kernel @results_0
// CHECK-NOT: pto.tile.expands 5.54517746
// CHECK-LABEL: func.func @results
// ROLES-LABEL: func.func @results
func.func @results(%q: tensor<1x64x64xbf16>, %k: tensor<1x128x64xbf16>, %v: tensor<1x128x64xbf16>) -> (tensor<1x64x64xf32>, tensor<1x64x1xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<1x64x64xbf16>, tensor<1x128x64xbf16>) -> tensor<1x64x128xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<1x64x128xf32> -> tensor<1x64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<1x64x1xf32> -> tensor<1x64x128xf32>
  %d = ptir.sub %s, %maxes : tensor<1x64x128xf32>
  %e = ptir.exp %d : tensor<1x64x128xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<1x64x128xf32> -> tensor<1x64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<1x64x1xf32> -> tensor<1x64x128xf32>
  %w = ptir.div %e, %sums : tensor<1x64x128xf32>
  %wb = ptir.cast %w : tensor<1x64x128xf32> -> tensor<1x64x128xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<1x64x128xbf16>, tensor<1x128x64xbf16>) -> tensor<1x64x64xf32>
  func.return %y, %max : tensor<1x64x64xf32>, tensor<1x64x1xf32>
}
