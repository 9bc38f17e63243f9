// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90}' --explain-plan -o /dev/null 2>&1 | filecheck %s --check-prefix=WHY

// Weights that are also a result are computed from scores that are multiplied again, and the maximum and the sum of their row.
// CHECK: region.kernel @weights_0(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}) -> (%y: {{.*}}, %{{max|sum}}: {{.*}}, %{{max|sum}}: {{.*}}) {
// CHECK: region.kernel @weights_1(%q: {{.*}}, %k: {{.*}}, %max: {{.*}}, %sum: {{.*}}) -> (%w: memref<2x128x96xf32> {{.*}}) {
// CHECK-NOT: tiny.reduce max
// CHECK-NOT: region.kernel
// CHECK: func.func @weights
func.func @weights(%q: tensor<2x128x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x128x64xf32>, tensor<2x128x96xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x128x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x96xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %d = ptir.sub %s, %maxes : tensor<2x128x96xf32>
  %e = ptir.exp %d : tensor<2x128x96xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %w = ptir.div %e, %sums : tensor<2x128x96xf32>
  %wb = ptir.cast %w : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x64xf32>
  func.return %y, %w : tensor<2x128x64xf32>, tensor<2x128x96xf32>
}

// -----

// CHECK: region.kernel @rounded_0(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}) -> (%y: {{.*}}, %{{max|sum}}: {{.*}}, %{{max|sum}}: {{.*}}) {
// CHECK: region.kernel @rounded_1(%q: {{.*}}, %k: {{.*}}, %max: {{.*}}, %sum: {{.*}}) -> (%wb: memref<2x128x96xbf16> {{.*}}) {
// CHECK: func.func @rounded
func.func @rounded(%q: tensor<2x128x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x128x64xf32>, tensor<2x128x96xbf16>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x128x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x96xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %d = ptir.sub %s, %maxes : tensor<2x128x96xf32>
  %e = ptir.exp %d : tensor<2x128x96xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %w = ptir.div %e, %sums : tensor<2x128x96xf32>
  %wb = ptir.cast %w : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x64xf32>
  func.return %y, %wb : tensor<2x128x64xf32>, tensor<2x128x96xbf16>
}

// -----

// Scores are a product that nothing else is computed from.
// CHECK: region.kernel @scores_0(%q: {{.*}}, %k: {{.*}}) -> (%s: {{.*}}) {
// CHECK: region.kernel @scores_1(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}) -> (%y: {{.*}}) {
// CHECK: func.func @scores
func.func @scores(%q: tensor<2x128x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x128x64xf32>, tensor<2x128x96xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x128x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x96xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %d = ptir.sub %s, %maxes : tensor<2x128x96xf32>
  %e = ptir.exp %d : tensor<2x128x96xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %w = ptir.div %e, %sums : tensor<2x128x96xf32>
  %wb = ptir.cast %w : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x64xf32>
  func.return %y, %s : tensor<2x128x64xf32>, tensor<2x128x96xf32>
}

// -----

// CHECK: region.kernel @summed_0(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}) -> (%y: {{.*}}, %{{max|sum}}: {{.*}}, %{{max|sum}}: {{.*}}) {
// CHECK: region.kernel @summed_1(%q: {{.*}}, %k: {{.*}}, %max: {{.*}}, %sum: {{.*}}) -> (%w: {{.*}}) {
// CHECK: region.kernel @summed_2(%w: {{.*}}) -> (%t: {{.*}}) {
// CHECK: func.func @summed
func.func @summed(%q: tensor<2x128x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x128x64xf32>, tensor<2x96xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x128x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x96xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %d = ptir.sub %s, %maxes : tensor<2x128x96xf32>
  %e = ptir.exp %d : tensor<2x128x96xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x128x96xf32> -> tensor<2x128x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x128x1xf32> -> tensor<2x128x96xf32>
  %w = ptir.div %e, %sums : tensor<2x128x96xf32>
  %wb = ptir.cast %w : tensor<2x128x96xf32> -> tensor<2x128x96xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x128x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x128x64xf32>
  %t = ptir.reduce sum %w axes [1] : tensor<2x128x96xf32> -> tensor<2x96xf32>
  func.return %y, %t : tensor<2x128x64xf32>, tensor<2x96xf32>
}

// -----

// To load long keys twice, and to divide them, takes longer than to store the scores of a few queries.
// CHECK: region.kernel @few_0(%q: {{.*}}, %k: {{.*}}) -> (%s: {{.*}}) {
// CHECK: region.kernel @few_1(%s: {{.*}}) -> (%w: {{.*}}) {
// CHECK: region.kernel @few_2({{.*}}%v: {{.*}}) -> (%y: {{.*}}) {
// CHECK: func.func @few
// WHY: this softmax, its scores and its product with values are not one kernel: a value between the products is also used elsewhere: it must be stored
func.func @few(%q: tensor<2x4x64xbf16>, %k: tensor<2x2048x64xbf16>, %v: tensor<2x2048x64xbf16>) -> (tensor<2x4x64xf32>, tensor<2x4x2048xf32>) {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x4x64xbf16>, tensor<2x2048x64xbf16>) -> tensor<2x4x2048xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x4x2048xf32> -> tensor<2x4x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x4x1xf32> -> tensor<2x4x2048xf32>
  %d = ptir.sub %s, %maxes : tensor<2x4x2048xf32>
  %e = ptir.exp %d : tensor<2x4x2048xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x4x2048xf32> -> tensor<2x4x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x4x1xf32> -> tensor<2x4x2048xf32>
  %w = ptir.div %e, %sums : tensor<2x4x2048xf32>
  %wb = ptir.cast %w : tensor<2x4x2048xf32> -> tensor<2x4x2048xbf16>
  %y = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x4x2048xbf16>, tensor<2x2048x64xbf16>) -> tensor<2x4x64xf32>
  func.return %y, %w : tensor<2x4x64xf32>, tensor<2x4x2048xf32>
}
