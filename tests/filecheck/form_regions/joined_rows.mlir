// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' | filecheck %s

// A softmax of scores and a column, whose weight is left out, is a softmax with another maximum and sum: one kernel.
// CHECK: region.kernel @sinks_0(
// CHECK: %[[MAX:.*]] = tiny.reduce max %{{.*}} axes [2] accum f32 : tensor<2x32x48xf32> -> tensor<2x32xf32>
// CHECK: tiny.binary max %[[MAX]], %{{.*}} : (tensor<2x32xf32>, tensor<2x32xf32>)
// CHECK: %[[SUM:.*]] = tiny.reduce sum %{{.*}} axes [2] accum f32 : tensor<2x32x48xf32> -> tensor<2x32xf32>
// CHECK: tiny.binary add %[[SUM]], %{{.*}} : (tensor<2x32xf32>, tensor<2x32xf32>)
// CHECK-NOT: tensor<2x32x49xf32>
// CHECK-NOT: @sinks_1
func.func @sinks(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>, %sinks: tensor<2x1x1xf32>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %c = ptir.broadcast_to %sinks : tensor<2x1x1xf32> -> tensor<2x32x1xf32>
  %x = ptir.concat %s, %c axis 2 : (tensor<2x32x48xf32>, tensor<2x32x1xf32>) -> tensor<2x32x49xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x49xf32>
  %d = ptir.sub %x, %maxes : tensor<2x32x49xf32>
  %e = ptir.exp %d : tensor<2x32x49xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x49xf32>
  %w = ptir.div %e, %sums : tensor<2x32x49xf32>
  %p = ptir.slice %w [0, 0, 0] : tensor<2x32x49xf32> -> tensor<2x32x48xf32>
  %wb = ptir.cast %p : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// The column may come first; then its weight is another result.
// CHECK: region.kernel @first_0(
// CHECK: tiny.reduce max %{{.*}} : tensor<2x32x48xf32> -> tensor<2x32xf32>
// CHECK-NOT: tensor<2x32x49xf32>
// CHECK-NOT: @first_1
func.func @first(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>, %c: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x1xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %x = ptir.concat %c, %s axis 2 : (tensor<2x32x1xf32>, tensor<2x32x48xf32>) -> tensor<2x32x49xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x49xf32>
  %d = ptir.sub %x, %maxes : tensor<2x32x49xf32>
  %e = ptir.exp %d : tensor<2x32x49xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x49xf32>
  %w = ptir.div %e, %sums : tensor<2x32x49xf32>
  %p = ptir.slice %w [0, 0, 1] : tensor<2x32x49xf32> -> tensor<2x32x48xf32>
  %r = ptir.slice %w [0, 0, 0] : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %wb = ptir.cast %p : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y, %r : tensor<2x32x64xf32>, tensor<2x32x1xf32>
}

// -----

// Two columns stay joined: a kernel of attention has one maximum of a row.
// CHECK: region.kernel @two_columns_0(
// CHECK: region.kernel @two_columns_1(
// CHECK: tiny.reduce max %{{.*}} : tensor<2x32x50xf32> -> tensor<2x32xf32>
func.func @two_columns(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>, %c: tensor<2x32x2xf32>) -> tensor<2x32x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %x = ptir.concat %s, %c axis 2 : (tensor<2x32x48xf32>, tensor<2x32x2xf32>) -> tensor<2x32x50xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x32x50xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x50xf32>
  %d = ptir.sub %x, %maxes : tensor<2x32x50xf32>
  %e = ptir.exp %d : tensor<2x32x50xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x50xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x50xf32>
  %w = ptir.div %e, %sums : tensor<2x32x50xf32>
  %p = ptir.slice %w [0, 0, 0] : tensor<2x32x50xf32> -> tensor<2x32x48xf32>
  %wb = ptir.cast %p : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y : tensor<2x32x64xf32>
}

// -----

// Weights that are used with that of the column stay joined.
// CHECK: region.kernel @returned_0(
// CHECK: tensor<2x32x49xf32>
func.func @returned(%q: tensor<2x32x64xbf16>, %k: tensor<2x48x64xbf16>, %v: tensor<2x48x64xbf16>, %c: tensor<2x32x1xf32>) -> (tensor<2x32x64xf32>, tensor<2x32x49xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x48xf32>
  %x = ptir.concat %s, %c axis 2 : (tensor<2x32x48xf32>, tensor<2x32x1xf32>) -> tensor<2x32x49xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x49xf32>
  %d = ptir.sub %x, %maxes : tensor<2x32x49xf32>
  %e = ptir.exp %d : tensor<2x32x49xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x49xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x49xf32>
  %w = ptir.div %e, %sums : tensor<2x32x49xf32>
  %p = ptir.slice %w [0, 0, 0] : tensor<2x32x49xf32> -> tensor<2x32x48xf32>
  %wb = ptir.cast %p : tensor<2x32x48xf32> -> tensor<2x32x48xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x48xbf16>, tensor<2x48x64xbf16>) -> tensor<2x32x64xf32>
  func.return %y, %w : tensor<2x32x64xf32>, tensor<2x32x49xf32>
}
