// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions{strategy=maximal}" | filecheck %s

// A scaled weight is computed in the prologue: one kernel, which reads bytes.

// CHECK: region.kernel @scaled_0(%x: memref<16x32xbf16> align 16, %q: memref<32x24xi8> align 16, %s: memref<24xf32> align 16) -> (%{{.*}}: memref<16x24xf32> align 256 gmem) {
// CHECK: tiny.unary cast %{{.*}} : tensor<32x24xi8> -> tensor<32x24xf32>
// CHECK: tiny.binary mul
// CHECK: tiny.unary cast %{{.*}} : tensor<32x24xf32> -> tensor<32x24xbf16>
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
// CHECK: func.func @scaled
func.func @scaled(%x: tensor<16x32xbf16>, %q: tensor<32x24xi8>, %s: tensor<24xf32>) -> tensor<16x24xf32> {
  %0 = ptir.cast %q : tensor<32x24xi8> -> tensor<32x24xf32>
  %1 = ptir.broadcast_to %s : tensor<24xf32> -> tensor<32x24xf32>
  %2 = ptir.mul %0, %1 : tensor<32x24xf32>
  %w = ptir.cast %2 : tensor<32x24xf32> -> tensor<32x24xbf16>
  %y = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %y : tensor<16x24xf32>
}

// With 4096 rows, every element would be computed 64 times: a kernel of its own stores the weight.

// CHECK: region.kernel @tall_0(%q: memref<32x24xi8> align 16, %s: memref<24xf32> align 16) -> (%{{.*}}: memref<32x24xbf16> align 256 deferred) {
// CHECK: region.kernel @tall_1(%x: memref<4096x32xbf16> align 16, %{{.*}}: memref<32x24xbf16> align 256) -> (
// CHECK: func.func @tall
func.func @tall(%x: tensor<4096x32xbf16>, %q: tensor<32x24xi8>, %s: tensor<24xf32>) -> tensor<4096x24xf32> {
  %0 = ptir.cast %q : tensor<32x24xi8> -> tensor<32x24xf32>
  %1 = ptir.broadcast_to %s : tensor<24xf32> -> tensor<32x24xf32>
  %2 = ptir.mul %0, %1 : tensor<32x24xf32>
  %w = ptir.cast %2 : tensor<32x24xf32> -> tensor<32x24xbf16>
  %y = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4096x32xbf16>, tensor<32x24xbf16>) -> tensor<4096x24xf32>
  func.return %y : tensor<4096x24xf32>
}

// What two contractions read is stored.

// CHECK: region.kernel @twice_0(%q: memref<32x24xi8> align 16) -> (%{{.*}}: memref<32x24xbf16> align 256 deferred) {
// CHECK: region.kernel @twice_1(
// CHECK: func.func @twice
// CHECK: region.launch @twice_1 ins(%x,
// CHECK: region.launch @twice_1 ins(%z,
func.func @twice(%x: tensor<16x32xbf16>, %z: tensor<16x32xbf16>, %q: tensor<32x24xi8>) -> (tensor<16x24xf32>, tensor<16x24xf32>) {
  %w = ptir.cast %q : tensor<32x24xi8> -> tensor<32x24xbf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  %1 = ptir.dot_general %z, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %0, %1 : tensor<16x24xf32>, tensor<16x24xf32>
}

// So are a result, what is joined, what is computed from a padded vector, and what varies along one axis only.

// CHECK: region.kernel @result_0(%q: memref<32x24xi8> align 16) -> (%{{.*}}: memref<32x24xbf16> align 256 gmem) {
// CHECK: func.func @result
func.func @result(%x: tensor<16x32xbf16>, %q: tensor<32x24xi8>) -> (tensor<16x24xf32>, tensor<32x24xbf16>) {
  %w = ptir.cast %q : tensor<32x24xi8> -> tensor<32x24xbf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %0, %w : tensor<16x24xf32>, tensor<32x24xbf16>
}

// CHECK: region.kernel @joined_0(
// CHECK-SAME: -> (%{{.*}}: memref<32x24xbf16> align 256 deferred) {
// CHECK: func.func @joined
func.func @joined(%x: tensor<16x32xbf16>, %q: tensor<16x24xi8>, %r: tensor<16x24xi8>) -> tensor<16x24xf32> {
  %p = ptir.concat %q, %r axis 0 : (tensor<16x24xi8>, tensor<16x24xi8>) -> tensor<32x24xi8>
  %w = ptir.cast %p : tensor<32x24xi8> -> tensor<32x24xbf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %0 : tensor<16x24xf32>
}

// CHECK: region.kernel @padded_vector_0(%q: memref<32x24xbf16> align 16, %s: memref<30x1xbf16> align 16) -> (%{{.*}}: memref<32x24xbf16> align 256 deferred) {
// CHECK: func.func @padded_vector
func.func @padded_vector(%x: tensor<16x32xbf16>, %q: tensor<32x24xbf16>, %s: tensor<30x1xbf16>) -> tensor<16x24xf32> {
  %p = ptir.pad %s with 1.0 : bf16 low [0, 0] high [2, 0] interior [0, 0] : tensor<30x1xbf16> -> tensor<32x1xbf16>
  %b = ptir.broadcast_to %p : tensor<32x1xbf16> -> tensor<32x24xbf16>
  %w = ptir.mul %q, %b : tensor<32x24xbf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %0 : tensor<16x24xf32>
}

// CHECK: region.kernel @outer_0(%u: memref<32x1xbf16> align 16, %v: memref<1x24xbf16> align 16) -> (%{{.*}}: memref<32x24xbf16> align 256 deferred) {
// CHECK: func.func @outer
func.func @outer(%x: tensor<16x32xbf16>, %u: tensor<32x1xbf16>, %v: tensor<1x24xbf16>) -> tensor<16x24xf32> {
  %a = ptir.broadcast_to %u : tensor<32x1xbf16> -> tensor<32x24xbf16>
  %b = ptir.broadcast_to %v : tensor<1x24xbf16> -> tensor<32x24xbf16>
  %w = ptir.add %a, %b : tensor<32x24xbf16>
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %0 : tensor<16x24xf32>
}

// A factor for each row is stored by the kernel that reduces the rows; what it is a factor of is read again, not stored.

// CHECK: region.kernel @norm_0(%x: memref<16x32xbf16> align 16) -> (%{{.*}}: memref<16x1xf32> align 256 deferred) {
// CHECK: tiny.reduce sum
// CHECK: tiny.unary rsqrt
// CHECK: region.kernel @norm_1(%x: memref<16x32xbf16> align 16, %{{.*}}: memref<16x1xf32> align 256, %w: memref<32x24xbf16> align 16) -> (
// CHECK-NOT: rsqrt
// CHECK: func.func @norm
func.func @norm(%x: tensor<16x32xbf16>, %w: tensor<32x24xbf16>) -> tensor<16x24xf32> {
  %f = ptir.cast %x : tensor<16x32xbf16> -> tensor<16x32xf32>
  %square = ptir.mul %f, %f : tensor<16x32xf32>
  %total = ptir.reduce sum %square axes [1] keepdims : tensor<16x32xf32> -> tensor<16x1xf32>
  %r = ptir.rsqrt %total : tensor<16x1xf32>
  %rs = ptir.broadcast_to %r : tensor<16x1xf32> -> tensor<16x32xf32>
  %h = ptir.mul %f, %rs : tensor<16x32xf32>
  %a = ptir.cast %h : tensor<16x32xf32> -> tensor<16x32xbf16>
  %y = ptir.dot_general %a, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  func.return %y : tensor<16x24xf32>
}

// What follows a contraction is its epilogue, not another's prologue.

// CHECK: region.kernel @between_0(%x: memref<16x32xbf16> align 16, %w: memref<32x24xbf16> align 16) -> (%{{.*}}: memref<16x24xbf16> align 256 deferred) {
// CHECK: tiny.unary tanh
// CHECK: region.kernel @between_1(
// CHECK-NOT: tanh
// CHECK: func.func @between
func.func @between(%x: tensor<16x32xbf16>, %w: tensor<32x24xbf16>, %v: tensor<24x8xbf16>) -> tensor<16x8xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  %1 = ptir.tanh %0 : tensor<16x24xf32>
  %2 = ptir.cast %1 : tensor<16x24xf32> -> tensor<16x24xbf16>
  %3 = ptir.dot_general %2, %v contract [1] x [0] accum f32 out f32 : (tensor<16x24xbf16>, tensor<24x8xbf16>) -> tensor<16x8xf32>
  func.return %3 : tensor<16x8xf32>
}
