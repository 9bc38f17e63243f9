// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' | filecheck %s

// Numbers that may be out of range are checked by kernels of the gathers.
// CHECK-LABEL: region.kernel @unknown_0
// CHECK-LABEL: region.kernel @unknown_1
// CHECK-LABEL: region.kernel @unknown_2(%q: {{.*}}, %k0: memref<6x16x64xbf16>
// CHECK: func.func @unknown
func.func @unknown(%q: tensor<40x64xbf16>, %k: tensor<8x16x64xbf16>, %v: tensor<8x16x64xbf16>, %table: tensor<6xsi32>) -> tensor<40x64xf32> {
  %list = ptir.reshape %table : tensor<6xsi32> -> tensor<6x1x1xsi32>
  %at = ptir.broadcast_to %list : tensor<6x1x1xsi32> -> tensor<6x16x64xsi32>
  %k0 = ptir.gather %k, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %v0 = ptir.gather %v, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %k1 = ptir.reshape %k0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %v1 = ptir.reshape %v0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %s = ptir.dot_general %q, %k1 contract [1] x [1] accum f32 out f32 : (tensor<40x64xbf16>, tensor<96x64xbf16>) -> tensor<40x96xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<40x1xf32> -> tensor<40x96xf32>
  %d = ptir.sub %s, %maxes : tensor<40x96xf32>
  %e = ptir.exp %d : tensor<40x96xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<40x1xf32> -> tensor<40x96xf32>
  %p = ptir.div %e, %sums : tensor<40x96xf32>
  %w = ptir.cast %p : tensor<40x96xf32> -> tensor<40x96xbf16>
  %y = ptir.dot_general %w, %v1 contract [1] x [0] accum f32 out f32 : (tensor<40x96xbf16>, tensor<96x64xbf16>) -> tensor<40x64xf32>
  func.return %y : tensor<40x64xf32>
}

// -----

// Elements of a row that come from several pages are gathered one by one before.
// CHECK-LABEL: region.kernel @elements_0
// CHECK-LABEL: region.kernel @elements_1(%q: {{.*}}, %k0: memref<6x16x64xbf16>
// CHECK: func.func @elements
func.func @elements(%q: tensor<40x64xbf16>, %k: tensor<8x16x64xbf16>, %v: tensor<8x16x64xbf16>, %table: tensor<6x64xsi32>) -> tensor<40x64xf32> {
  %low = ptir.constant dense<0> : tensor<6x64xsi32>
  %high = ptir.constant dense<7> : tensor<6x64xsi32>
  %least = ptir.maximum %table, %low : tensor<6x64xsi32>
  %numbers = ptir.minimum %least, %high : tensor<6x64xsi32>
  %list = ptir.reshape %numbers : tensor<6x64xsi32> -> tensor<6x1x64xsi32>
  %at = ptir.broadcast_to %list : tensor<6x1x64xsi32> -> tensor<6x16x64xsi32>
  %k0 = ptir.gather %k, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %v0 = ptir.gather %v, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %k1 = ptir.reshape %k0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %v1 = ptir.reshape %v0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %s = ptir.dot_general %q, %k1 contract [1] x [1] accum f32 out f32 : (tensor<40x64xbf16>, tensor<96x64xbf16>) -> tensor<40x96xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<40x1xf32> -> tensor<40x96xf32>
  %d = ptir.sub %s, %maxes : tensor<40x96xf32>
  %e = ptir.exp %d : tensor<40x96xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<40x1xf32> -> tensor<40x96xf32>
  %p = ptir.div %e, %sums : tensor<40x96xf32>
  %w = ptir.cast %p : tensor<40x96xf32> -> tensor<40x96xbf16>
  %y = ptir.dot_general %w, %v1 contract [1] x [0] accum f32 out f32 : (tensor<40x96xbf16>, tensor<96x64xbf16>) -> tensor<40x64xf32>
  func.return %y : tensor<40x64xf32>
}

// -----

// A pool of one number is no array.
// CHECK-LABEL: region.kernel @constant_0
// CHECK: func.func @constant
func.func @constant(%q: tensor<40x64xbf16>, %k: tensor<8x16x64xbf16>, %v: tensor<8x16x64xbf16>, %table: tensor<6xsi32>) -> tensor<40x64xf32> {
  %c = ptir.constant dense<2.0> : tensor<8x16x64xbf16>
  %low = ptir.constant dense<0> : tensor<6xsi32>
  %high = ptir.constant dense<7> : tensor<6xsi32>
  %least = ptir.maximum %table, %low : tensor<6xsi32>
  %numbers = ptir.minimum %least, %high : tensor<6xsi32>
  %list = ptir.reshape %numbers : tensor<6xsi32> -> tensor<6x1x1xsi32>
  %at = ptir.broadcast_to %list : tensor<6x1x1xsi32> -> tensor<6x16x64xsi32>
  %k0 = ptir.gather %k, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %v0 = ptir.gather %c, %at axis 0 : (tensor<8x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %k1 = ptir.reshape %k0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %v1 = ptir.reshape %v0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %s = ptir.dot_general %q, %k1 contract [1] x [1] accum f32 out f32 : (tensor<40x64xbf16>, tensor<96x64xbf16>) -> tensor<40x96xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<40x1xf32> -> tensor<40x96xf32>
  %d = ptir.sub %s, %maxes : tensor<40x96xf32>
  %e = ptir.exp %d : tensor<40x96xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<40x1xf32> -> tensor<40x96xf32>
  %p = ptir.div %e, %sums : tensor<40x96xf32>
  %w = ptir.cast %p : tensor<40x96xf32> -> tensor<40x96xbf16>
  %y = ptir.dot_general %w, %v1 contract [1] x [0] accum f32 out f32 : (tensor<40x96xbf16>, tensor<96x64xbf16>) -> tensor<40x64xf32>
  func.return %y : tensor<40x64xf32>
}

// -----

// A pool that is larger than what the queries read of it.
// CHECK-LABEL: region.kernel @large_0
// CHECK-LABEL: region.kernel @large_1(%q: {{.*}}, %k: memref<512x16x64xbf16>
// CHECK: func.func @large
func.func @large(%q: tensor<40x64xbf16>, %k: tensor<512x16x64xbf16>, %v: tensor<512x16x64xbf16>, %table: tensor<6xsi32>) -> tensor<40x64xf32> {
  %low = ptir.constant dense<0> : tensor<6xsi32>
  %high = ptir.constant dense<511> : tensor<6xsi32>
  %least = ptir.maximum %table, %low : tensor<6xsi32>
  %numbers = ptir.minimum %least, %high : tensor<6xsi32>
  %list = ptir.reshape %numbers : tensor<6xsi32> -> tensor<6x1x1xsi32>
  %at = ptir.broadcast_to %list : tensor<6x1x1xsi32> -> tensor<6x16x64xsi32>
  %k0 = ptir.gather %k, %at axis 0 : (tensor<512x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %v0 = ptir.gather %v, %at axis 0 : (tensor<512x16x64xbf16>, tensor<6x16x64xsi32>) -> tensor<6x16x64xbf16>
  %k1 = ptir.reshape %k0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %v1 = ptir.reshape %v0 : tensor<6x16x64xbf16> -> tensor<96x64xbf16>
  %s = ptir.dot_general %q, %k1 contract [1] x [1] accum f32 out f32 : (tensor<40x64xbf16>, tensor<96x64xbf16>) -> tensor<40x96xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<40x1xf32> -> tensor<40x96xf32>
  %d = ptir.sub %s, %maxes : tensor<40x96xf32>
  %e = ptir.exp %d : tensor<40x96xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<40x96xf32> -> tensor<40x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<40x1xf32> -> tensor<40x96xf32>
  %p = ptir.div %e, %sums : tensor<40x96xf32>
  %w = ptir.cast %p : tensor<40x96xf32> -> tensor<40x96xbf16>
  %y = ptir.dot_general %w, %v1 contract [1] x [0] accum f32 out f32 : (tensor<40x96xbf16>, tensor<96x64xbf16>) -> tensor<40x64xf32>
  func.return %y : tensor<40x64xf32>
}
