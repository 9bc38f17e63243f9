// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' | filecheck %s

// Exponents of weights are multiples of scores minus rows that are stored: 0.180336878 = 0.125 log2 e. The reciprocals of the sums of rows
// are computed before the loop where rows are rows of the tile.
// CHECK-LABEL: pto.kernel @weights_0
// CHECK-DAG: %[[SHIFT:.*]] = pto.tile.mul %{{.*}}, %{{.*}} : tile<32x1xf32>
// CHECK-DAG: %[[INVERSE:.*]] = pto.tile.recip %{{.*}} : tile<32x1xf32>
// CHECK: scf.for
// CHECK: %[[WIDE:.*]] = pto.tile.rowexpand %[[SHIFT]]
// CHECK: %[[C:.*]] = pto.tile.expands 0.180336878
// CHECK: %[[X:.*]] = pto.tile.fma %{{.*}}, %[[C]], %[[WIDE]]
// CHECK: %[[E:.*]] = pto.tile.exp2 %[[X]]
// CHECK: %[[ALL:.*]] = pto.tile.rowexpand %[[INVERSE]]
// CHECK: pto.tile.mul %[[E]], %[[ALL]]
// CHECK-NOT: pto.tile.div
// CHECK-LABEL: pto.kernel @weights_1
func.func @weights(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %max: tensor<2x32x1xf32>, %sum: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %f = ptir.constant dense<0.125> : tensor<2x32x32xf32>
  %x = ptir.mul %s, %f : tensor<2x32x32xf32>
  %m = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %x, %m : tensor<2x32x32xf32>
  %e = ptir.exp %d : tensor<2x32x32xf32>
  %l = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %p = ptir.div %e, %l : tensor<2x32x32xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %r = ptir.broadcast_to %rows : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %c = ptir.sub %dp, %r : tensor<2x32x32xf32>
  %ds = ptir.mul %p, %c : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dq, %dk : tensor<2x32x64xf32>, tensor<2x32x64xf32>
}

// -----

// Scores that may be huge, as biases are added to them, are subtracted before they are multiplied.
// CHECK-LABEL: pto.kernel @biased_0
// CHECK: scf.for
// CHECK: %[[D:.*]] = pto.tile.sub
// CHECK: %[[X:.*]] = pto.tile.mul %[[D]],
// CHECK: pto.tile.exp2 %[[X]]
// CHECK-LABEL: pto.kernel @biased_1
func.func @biased(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %do: tensor<2x32x64xbf16>, %max: tensor<2x32x1xf32>, %sum: tensor<2x32x1xf32>, %rows: tensor<2x32x1xf32>, %bias: tensor<2x32x32xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x64xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %f = ptir.constant dense<0.125> : tensor<2x32x32xf32>
  %y = ptir.mul %s, %f : tensor<2x32x32xf32>
  %x = ptir.add %y, %bias : tensor<2x32x32xf32>
  %m = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %x, %m : tensor<2x32x32xf32>
  %e = ptir.exp %d : tensor<2x32x32xf32>
  %l = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %p = ptir.div %e, %l : tensor<2x32x32xf32>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %r = ptir.broadcast_to %rows : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %c = ptir.sub %dp, %r : tensor<2x32x32xf32>
  %ds = ptir.mul %p, %c : tensor<2x32x32xf32>
  %dsb = ptir.cast %ds : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dsb, %k batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %dk = ptir.dot_general %dsb, %q batch [0] x [0] contract [1] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  func.return %dq, %dk : tensor<2x32x64xf32>, tensor<2x32x64xf32>
}
