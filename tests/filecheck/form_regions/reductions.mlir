// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions{strategy=maximal}" | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions,region-to-pto' --validate-passes -o /dev/null

// A reduction is computed with the one root that reads it; what it reads is computed with it.

// CHECK: region.kernel @one_reader_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 gmem) {
// CHECK-NEXT: %[[X:.*]] = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[E:.*]] = tiny.unary exp %[[X]] : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = tiny.reduce sum %[[E]] axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[L:.*]] = tiny.unary log %[[S]] : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: region.yield %[[L]] : tensor<4xf32>
// CHECK: func.func @one_reader
func.func @one_reader(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %x : tensor<4x8xf32>
  %1 = ptir.reduce sum %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = ptir.log %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// So are two of one root.
// CHECK: region.kernel @range_0(
// CHECK: tiny.reduce max
// CHECK-NEXT: tiny.reduce min
// CHECK-NEXT: tiny.binary sub
// CHECK-NEXT: region.yield
// CHECK: func.func @range
func.func @range(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = ptir.reduce max %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = ptir.reduce min %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = ptir.sub %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Two roots read this one: its rows are contiguous, so they share a kernel.
// CHECK: region.kernel @two_readers_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 gmem, %{{.*}}: memref<4xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.reduce sum
// CHECK-NEXT: tiny.unary exp
// CHECK-NEXT: tiny.unary tanh
// CHECK-NEXT: region.yield
// CHECK: func.func @two_readers
func.func @two_readers(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ptir.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = ptir.exp %0 : tensor<4xf32>
  %2 = ptir.tanh %0 : tensor<4xf32>
  func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// Two roots read this sum of columns: they share a kernel, which reads the array once.
// CHECK: region.kernel @two_readers_of_columns_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<8xf32> align 256 gmem, %{{.*}}: memref<8xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.reduce sum
// CHECK-NEXT: tiny.unary tanh
// CHECK-NEXT: tiny.unary exp
// CHECK-NEXT: region.yield
// CHECK: func.func @two_readers_of_columns
func.func @two_readers_of_columns(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = ptir.reduce sum %x axes [0] : tensor<4x8xf32> -> tensor<8xf32>
  %1 = ptir.exp %0 : tensor<8xf32>
  %2 = ptir.tanh %0 : tensor<8xf32>
  func.return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// One that is read at two indices is stored too, as is one that is read not at all or twice at some: a pad, a broadcast.
// CHECK: region.kernel @reversed_0(%x: memref<4x4xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: region.kernel @reversed_1(%{{.*}}: memref<4xf32> align 256) -> (%{{.*}}: memref<2x2xf32> align 256 gmem) {
// CHECK-NOT: tiny.reduce
// CHECK: func.func @reversed
func.func @reversed(%x: tensor<4x4xf32>) -> tensor<2x2xf32> {
  %0 = ptir.reduce sum %x axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %1 = ptir.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>
  %2 = ptir.transpose %1 [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %3 = ptir.sub %1, %2 : tensor<2x2xf32>
  func.return %3 : tensor<2x2xf32>
}

// CHECK: region.kernel @framed_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: region.kernel @framed_1(%{{.*}}: memref<4xf32> align 256) -> (%{{.*}}: memref<6xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.movement pad
// CHECK-NEXT: region.yield
// CHECK: func.func @framed
func.func @framed(%x: tensor<4x8xf32>) -> tensor<6xf32> {
  %0 = ptir.reduce max %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = ptir.pad %0 with 1.0 : f32 low [1] high [1] interior [0] : tensor<4xf32> -> tensor<6xf32>
  func.return %1 : tensor<6xf32>
}

// Softmax: a row is read once, and its maximum and its sum are repeated along it.
// CHECK: region.kernel @softmax_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK: tiny.reduce max
// CHECK: tiny.unary exp
// CHECK-NEXT: tiny.reduce sum
// CHECK: tiny.binary div
// CHECK-NEXT: region.yield
// CHECK: func.func @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = ptir.sub %x, %1 : tensor<4x8xf32>
  %3 = ptir.exp %2 : tensor<4x8xf32>
  %4 = ptir.reduce sum %3 axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %5 = ptir.broadcast_to %4 : tensor<4x1xf32> -> tensor<4x8xf32>
  %6 = ptir.div %3, %5 : tensor<4x8xf32>
  func.return %6 : tensor<4x8xf32>
}

// Columns that no block holds: the maximum and the sum are stored, as they are broadcast; the exponentials are computed twice.
// CHECK: region.kernel @softmax_of_columns_0(%x: memref<4096x8xf32> align 16) -> (%{{.*}}: memref<8xf32> align 256 deferred) {
// CHECK: tiny.reduce max
// CHECK-NEXT: region.yield
// CHECK: region.kernel @softmax_of_columns_1(%x: memref<4096x8xf32> align 16, %{{.*}}: memref<8xf32> align 256) -> (%{{.*}}: memref<8xf32> align 256 deferred) {
// CHECK: tiny.unary exp
// CHECK-NEXT: tiny.reduce sum
// CHECK-NEXT: region.yield
// CHECK: region.kernel @softmax_of_columns_2(%x: memref<4096x8xf32> align 16, %{{.*}}: memref<8xf32> align 256, %{{.*}}: memref<8xf32> align 256) -> (%{{.*}}: memref<4096x8xf32> align 256 gmem) {
// CHECK-NOT: tiny.reduce
// CHECK: tiny.unary exp
// CHECK-NOT: tiny.reduce
// CHECK: tiny.binary div
// CHECK-NEXT: region.yield
// CHECK: func.func @softmax_of_columns
func.func @softmax_of_columns(%x: tensor<4096x8xf32>) -> tensor<4096x8xf32> {
  %0 = ptir.reduce max %x axes [0] keepdims : tensor<4096x8xf32> -> tensor<1x8xf32>
  %1 = ptir.broadcast_to %0 : tensor<1x8xf32> -> tensor<4096x8xf32>
  %2 = ptir.sub %x, %1 : tensor<4096x8xf32>
  %3 = ptir.exp %2 : tensor<4096x8xf32>
  %4 = ptir.reduce sum %3 axes [0] keepdims : tensor<4096x8xf32> -> tensor<1x8xf32>
  %5 = ptir.broadcast_to %4 : tensor<1x8xf32> -> tensor<4096x8xf32>
  %6 = ptir.div %3, %5 : tensor<4096x8xf32>
  func.return %6 : tensor<4096x8xf32>
}

// Elements of adjacent columns are contiguous, and a block holds them: one kernel.
// CHECK: region.kernel @softmax_of_short_columns_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK: tiny.reduce max
// CHECK: tiny.reduce sum
// CHECK: func.func @softmax_of_short_columns
func.func @softmax_of_short_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ptir.reduce max %x axes [0] keepdims : tensor<4x8xf32> -> tensor<1x8xf32>
  %1 = ptir.broadcast_to %0 : tensor<1x8xf32> -> tensor<4x8xf32>
  %2 = ptir.sub %x, %1 : tensor<4x8xf32>
  %3 = ptir.exp %2 : tensor<4x8xf32>
  %4 = ptir.reduce sum %3 axes [0] keepdims : tensor<4x8xf32> -> tensor<1x8xf32>
  %5 = ptir.broadcast_to %4 : tensor<1x8xf32> -> tensor<4x8xf32>
  %6 = ptir.div %3, %5 : tensor<4x8xf32>
  func.return %6 : tensor<4x8xf32>
}

// What a reduction reads holds no contraction, and no reduction of other rows: their elements would be computed again for
// every sum.
// CHECK: region.kernel @of_products_0(%x: memref<4x8xbf16> align 16, %w: memref<8x4xbf16> align 16) -> (%{{.*}}: memref<4x4xf32> align 256 deferred) {
// CHECK: region.kernel @of_products_1(%{{.*}}: memref<4x4xf32> align 256) -> (%{{.*}}: memref<4xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.reduce max
// CHECK-NEXT: region.yield
// CHECK: func.func @of_products
func.func @of_products(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>) -> tensor<4xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %1 = ptir.reduce max %0 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// CHECK: region.kernel @of_sums_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: region.kernel @of_sums_1(%{{.*}}: memref<4xf32> align 256) -> (%{{.*}}: memref<f32> align 256 gmem) {
// CHECK: func.func @of_sums
func.func @of_sums(%x: tensor<4x8xf32>) -> tensor<f32> {
  %0 = ptir.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = ptir.reduce max %0 axes [0] : tensor<4xf32> -> tensor<f32>
  func.return %1 : tensor<f32>
}

// The kernel of a contraction reduces nothing else.
// CHECK: region.kernel @beside_0(%y: memref<4x4x3xf32> align 16) -> (%{{.*}}: memref<4x4xf32> align 256 deferred) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.reduce max
// CHECK-NEXT: region.yield
// CHECK: region.kernel @beside_1(%x: memref<4x8xbf16> align 16, %w: memref<8x4xbf16> align 16, %{{.*}}: memref<4x4xf32> align 256) -> (%{{.*}}: memref<4x4xf32> align 256 gmem) {
// CHECK: tiny.reduce sum
// CHECK-NEXT: tiny.binary add
// CHECK-NEXT: region.yield
// CHECK: func.func @beside
func.func @beside(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>, %y: tensor<4x4x3xf32>) -> tensor<4x4xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %1 = ptir.reduce max %y axes [2] : tensor<4x4x3xf32> -> tensor<4x4xf32>
  %2 = ptir.add %0, %1 : tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}

// Products that wrap are no contraction, and are not stored; nor are those whose operands have no axis of their own.
// CHECK: region.kernel @wraps_0(%x: memref<4x8xi8> align 16, %w: memref<8x2xi8> align 16) -> (%{{.*}}: memref<4x2xi32> align 256 gmem) {
// CHECK: tiny.binary mul
// CHECK-NEXT: tiny.unary cast
// CHECK-NEXT: tiny.reduce sum
// CHECK-NEXT: region.yield
// CHECK: func.func @wraps
func.func @wraps(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>) -> tensor<4x2xi32> {
  %0 = tiny.movement reshape %x : tensor<4x8xi8> -> tensor<4x8x1xi8>
  %1 = tiny.binary mul %0, %w : (tensor<4x8x1xi8>, tensor<8x2xi8>) -> tensor<4x8x2xi8>
  %2 = tiny.unary cast %1 : tensor<4x8x2xi8> -> tensor<4x8x2xi32>
  %3 = tiny.reduce sum %2 axes [1] accum i32 : tensor<4x8x2xi32> -> tensor<4x2xi32>
  func.return %3 : tensor<4x2xi32>
}

// CHECK: region.kernel @squares_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 gmem) {
// CHECK: func.func @squares
func.func @squares(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = ptir.mul %x, %x : tensor<4x8xf32>
  %1 = ptir.reduce sum %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = ptir.exp %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Pads and counts are computed where they are read; a pad of a contraction's operand is stored first, zero or not.
// CHECK: region.kernel @count_0(%x: memref<4x6xf32> align 16) -> (%{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.movement pad
// CHECK-NEXT: tiny.iota
// CHECK-NEXT: tiny.unary cast
// CHECK-NEXT: tiny.binary add
// CHECK-NEXT: region.yield
// CHECK: func.func @count
func.func @count(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %0 = ptir.pad %x with 1.0 : f32 low [0, 1] high [0, 1] interior [0, 0] : tensor<4x6xf32> -> tensor<4x8xf32>
  %1 = ptir.iota axis 1 : tensor<4x8xsi32>
  %2 = ptir.cast %1 : tensor<4x8xsi32> -> tensor<4x8xf32>
  %3 = ptir.add %0, %2 : tensor<4x8xf32>
  func.return %3 : tensor<4x8xf32>
}

// CHECK: region.kernel @padded_0(%x: memref<4x6xbf16> align 16, %w: memref<8x4xbf16> align 16) -> (%{{.*}}: memref<4x4xf32> align 256 gmem) {
// CHECK: tiny.movement pad
// CHECK: tiny.reduce sum
// CHECK-NEXT: region.yield
// CHECK: func.func @padded
func.func @padded(%x: tensor<4x6xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %0 = ptir.pad %x with 0.0 : bf16 low [0, 1] high [0, 1] interior [0, 0] : tensor<4x6xbf16> -> tensor<4x8xbf16>
  %1 = ptir.dot_general %0, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  func.return %1 : tensor<4x4xf32>
}

// What nobody reads is neither computed nor refused.
// CHECK: region.kernel @unread_0(%x: memref<4xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: tiny.unary exp
// CHECK-NEXT: region.yield
// CHECK: func.func @unread
func.func @unread(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.unary bitcast %x : tensor<4xf32> -> tensor<4xi32>
  %1 = tiny.reduce max %0 axes [0] accum i32 : tensor<4xi32> -> tensor<i32>
  %2 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
