// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions' | filecheck %s --check-prefix=APART

// What is between scores and weights of 16 bits is computed in f32. Both are rounded as in the program.
// CHECK: region.kernel @narrow_0
// CHECK: %[[X:.*]] = tiny.unary cast %{{.*}} : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
// CHECK: tiny.unary cast %[[X]] : tensor<2x128x96xbf16> -> tensor<2x128x96xf32>
// CHECK: tiny.reduce max %{{.*}} axes [2] accum f32
// CHECK: tiny.unary exp %{{.*}} : tensor<2x128x96xf32>
// CHECK: tiny.reduce sum %{{.*}} axes [2] accum f32
// CHECK: %[[W:.*]] = tiny.binary div %{{.*}} : (tensor<2x128x96xf32>, tensor<2x128x96xf32>)
// CHECK: tiny.unary cast %[[W]] : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
// CHECK-NOT: region.kernel
// CHECK: func.func @narrow
// APART: tiny.unary exp %{{.*}} : tensor<2x128x96xbf16>
func.func @narrow(%q: tensor<2x128x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> tensor<2x128x64xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x128x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x96xf32>
  %sb = ptir.cast %s : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
  %max = ptir.reduce max %sb axes [2] keepdims : tensor<2x128x96xbf16> -> tensor<2x128x1xbf16>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xbf16> -> tensor<2x128x96xbf16>
  %d = ptir.sub %sb, %maxes : tensor<2x128x96xbf16>
  %e = ptir.exp %d : tensor<2x128x96xbf16>
  %ef = ptir.cast %e : tensor<2x128x96xbf16> -> tensor<2x128x96xf32>
  %sum = ptir.reduce sum %ef axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %sumb = ptir.cast %sum : tensor<2x128x1xf32> -> tensor<2x128x1xbf16>
  %sums = ptir.broadcast_to %sumb : tensor<2x128x1xbf16> -> tensor<2x128x96xbf16>
  %wb = ptir.div %e, %sums : tensor<2x128x96xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x64xf32>
  func.return %y : tensor<2x128x64xf32>
}

// -----

// Numerators that something else reads stay as they are.
// CHECK: region.kernel @numerators_0
// CHECK: tiny.unary exp %{{.*}} : tensor<2x128x96xbf16>
// CHECK: func.func @numerators
func.func @numerators(%q: tensor<2x128x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x128x64xf32>, tensor<2x128x96xbf16>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x128x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x96xf32>
  %sb = ptir.cast %s : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
  %max = ptir.reduce max %sb axes [2] keepdims : tensor<2x128x96xbf16> -> tensor<2x128x1xbf16>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xbf16> -> tensor<2x128x96xbf16>
  %d = ptir.sub %sb, %maxes : tensor<2x128x96xbf16>
  %e = ptir.exp %d : tensor<2x128x96xbf16>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x128x96xbf16> -> tensor<2x128x1xbf16>
  %sums = ptir.broadcast_to %sum : tensor<2x128x1xbf16> -> tensor<2x128x96xbf16>
  %wb = ptir.div %e, %sums : tensor<2x128x96xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x64xf32>
  func.return %y, %e : tensor<2x128x64xf32>, tensor<2x128x96xbf16>
}

// -----

// Scores that are no product of tensor cores stay as they are.
// CHECK: region.kernel @of_array_0
// CHECK: tiny.unary exp %{{.*}} : tensor<2x128x96xf16>
// CHECK: func.func @of_array
func.func @of_array(%sb: tensor<2x128x96xf16>, %v: tensor<2x96x64xf16>) -> tensor<2x128x64xf32> {
  %max = ptir.reduce max %sb axes [2] keepdims : tensor<2x128x96xf16> -> tensor<2x128x1xf16>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xf16> -> tensor<2x128x96xf16>
  %d = ptir.sub %sb, %maxes : tensor<2x128x96xf16>
  %e = ptir.exp %d : tensor<2x128x96xf16>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x128x96xf16> -> tensor<2x128x1xf16>
  %sums = ptir.broadcast_to %sum : tensor<2x128x1xf16> -> tensor<2x128x96xf16>
  %wb = ptir.div %e, %sums : tensor<2x128x96xf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xf16>, tensor<2x96x64xf16>) -> tensor<2x128x64xf32>
  func.return %y : tensor<2x128x64xf32>
}

// -----

// Weights that are padded before the product keep their type.
// CHECK: tiny.unary exp %{{.*}} : tensor<1x32x48xf16>
// CHECK: func.func @padded
func.func @padded(%q: tensor<1x32x16xf16>, %k: tensor<1x48x16xf16>, %v: tensor<1x64x16xf16>) -> (tensor<1x32x16xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<1x32x16xf16>, tensor<1x48x16xf16>) -> tensor<1x32x48xf32>
  %x = ptir.cast %s : tensor<1x32x48xf32> -> tensor<1x32x48xf16>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<1x32x48xf16> -> tensor<1x32x1xf16>
  %maxes = ptir.broadcast_to %max : tensor<1x32x1xf16> -> tensor<1x32x48xf16>
  %d = ptir.sub %x, %maxes : tensor<1x32x48xf16>
  %e = ptir.exp %d : tensor<1x32x48xf16>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<1x32x48xf16> -> tensor<1x32x1xf16>
  %sums = ptir.broadcast_to %sum : tensor<1x32x1xf16> -> tensor<1x32x48xf16>
  %w = ptir.div %e, %sums : tensor<1x32x48xf16>
  %wp = ptir.pad %w with 0.0 : f16 low [0, 0, 0] high [0, 0, 16] interior [0, 0, 0] : tensor<1x32x48xf16> -> tensor<1x32x64xf16>
  %y = ptir.dot_general %wp, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<1x32x64xf16>, tensor<1x64x16xf16>) -> tensor<1x32x16xf32>
  func.return %y : tensor<1x32x16xf32>
}

// -----

// So do weights that are computed from the result of another product.
// CHECK: tiny.unary exp %{{.*}} : tensor<1x32x32xf16>
// CHECK: func.func @chain
func.func @chain(%q: tensor<1x32x16xf16>, %k: tensor<1x32x16xf16>, %v: tensor<1x32x32xf16>, %u: tensor<1x32x32xf16>) -> (tensor<1x32x32xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<1x32x16xf16>, tensor<1x32x16xf16>) -> tensor<1x32x32xf32>
  %x = ptir.cast %s : tensor<1x32x32xf32> -> tensor<1x32x32xf16>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<1x32x32xf16> -> tensor<1x32x1xf16>
  %maxes = ptir.broadcast_to %max : tensor<1x32x1xf16> -> tensor<1x32x32xf16>
  %d = ptir.sub %x, %maxes : tensor<1x32x32xf16>
  %e = ptir.exp %d : tensor<1x32x32xf16>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<1x32x32xf16> -> tensor<1x32x1xf16>
  %sums = ptir.broadcast_to %sum : tensor<1x32x1xf16> -> tensor<1x32x32xf16>
  %w = ptir.div %e, %sums : tensor<1x32x32xf16>
  %y = ptir.dot_general %w, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<1x32x32xf16>, tensor<1x32x32xf16>) -> tensor<1x32x32xf32>
  %ya = ptir.cast %y : tensor<1x32x32xf32> -> tensor<1x32x32xf16>
  %ew = ptir.exp %w : tensor<1x32x32xf16>
  %w2 = ptir.mul %ew, %ya : tensor<1x32x32xf16>
  %y3 = ptir.dot_general %w2, %u batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<1x32x32xf16>, tensor<1x32x32xf16>) -> tensor<1x32x32xf32>
  func.return %y3 : tensor<1x32x32xf32>
}
