// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto' | filecheck %s

// dQ has two inner products and an accumulator; dK and dV have the same inner products, of keys and queries, and an accumulator each.
// CHECK: pto.kernel @backward_0({{.*}}algo_choice = {attention = "recompute"}
// CHECK: %acc = pto.tile.expands 0.000000e+00
// CHECK: %[[LSE:.*]] = pto.tile.load.map %lse
// CHECK-SAME: -> tile<64x1xf32>
// CHECK: %[[SHIFT:.*]] = pto.tile.mul %[[LSE]], {{.*}} : tile<64x1xf32>
// CHECK: scf.for {{.*}} iter_args(%acc
// CHECK: %[[DP:.*]] = pto.tile.matmul.acc
// CHECK: %[[S:.*]] = pto.tile.matmul.acc
// CHECK: %[[WIDE:.*]] = pto.tile.rowexpand %[[SHIFT]]
// CHECK: %[[X:.*]] = pto.tile.fma %{{.*}}, %{{.*}}, %[[WIDE]]
// CHECK-NEXT: pto.tile.exp2 %[[X]]
// CHECK-NOT: pto.tile.sub %[[S]]
// CHECK: pto.tile.mov.v2l
// CHECK: pto.tile.matmul.acc %acc
// CHECK: pto.kernel @backward_1
// CHECK: scf.for {{.*}} iter_args(%acc_{{[0-9]+}} = %acc, %acc_{{[0-9]+}} = %acc_1)
// CHECK-COUNT-4: pto.tile.matmul.acc
// CHECK: scf.yield
// CHECK-COUNT-2: pto.tile.store.map
func.func @backward(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %l = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %s, %l : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %r = ptir.broadcast_to %rows : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %c = ptir.sub %dp, %r : tensor<2x32x32xf32>
  %ds = ptir.mul %p, %c : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dq, %dk, %dv : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32>
}
