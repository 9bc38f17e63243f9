// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// Scatters and segment reductions compare indices; the checks come before what depends on the indices.

// CHECK: func.func @adds
// CHECK: %[[IN:.*]] = tiny.binary lt %{{.*}}, %{{.*}} : (tensor<1x5xui32>, tensor<ui32>) -> tensor<1x5xi1>
// CHECK-NEXT: %[[I:.*]] = tiny.binary require_index %[[IN]], %{{.*}} : (tensor<1x5xi1>, tensor<1x5xsi32>) -> tensor<1x5xsi32>
// CHECK-NEXT: %[[AT:.*]] = tiny.iota axis 0 : tensor<8x1xsi32>
// CHECK-NEXT: %[[HIT:.*]] = tiny.binary eq %[[I]], %[[AT]] : (tensor<1x5xsi32>, tensor<8x1xsi32>) -> tensor<8x5xi1>
// CHECK: %[[SUM:.*]] = tiny.reduce sum %{{.*}} axes [1] accum f32 : tensor<8x5xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[NEW:.*]] = tiny.binary add %x, %[[SUM]]
// CHECK: tiny.binary where %{{.*}}, %x, %[[NEW]]
// CHECK-NOT: ptir.
func.func @adds(%x: tensor<8xf32>, %i: tensor<5xsi32>, %u: tensor<5xf32>) -> tensor<8xf32> {
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<8xf32>, tensor<5xsi32>, tensor<5xf32>
  func.return %0 : tensor<8xf32>
}

// The position of an update and the bits of its value are one integer.
// CHECK: func.func @replaces
// CHECK: tiny.reduce max %{{.*}} axes [1] accum ui64 : tensor<8x5xui64> -> tensor<8xui64>
// CHECK-NOT: tiny.reduce
func.func @replaces(%x: tensor<8xbf16>, %i: tensor<5xsi64>, %u: tensor<5xbf16>) -> tensor<8xbf16> {
  %0 = ptir.scatter_reduce replace %x, %i, %u axis 0 : tensor<8xbf16>, tensor<5xsi64>, tensor<5xbf16>
  func.return %0 : tensor<8xbf16>
}

// CHECK: func.func @segments
// CHECK: tiny.binary require_index
// CHECK: tiny.binary le
// CHECK-NEXT: tiny.binary require_sorted
// CHECK: tiny.binary lt
// CHECK-NEXT: tiny.binary require_unique
func.func @segments(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) -> tensor<9x4xf32> {
  %0 = ptir.segment_reduce sum %x, %i sorted unique : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<9x4xf32>
  func.return %0 : tensor<9x4xf32>
}

// An entry holds an element's bits above its position; a rank is the number of entries that come before.
// CHECK: func.func @top
// CHECK: %[[HIGH:.*]] = tiny.binary shift_left %{{.*}}, %{{.*}} : (tensor<8xui64>, tensor<ui64>) -> tensor<8xui64>
// CHECK-NEXT: tiny.binary or %[[HIGH]], %{{.*}} : (tensor<8xui64>, tensor<8xui64>) -> tensor<8xui64>
// CHECK: tiny.binary lt %{{.*}}, %{{.*}} : (tensor<1x1x8xui64>, tensor<1x8x1xui64>) -> tensor<1x8x8xi1>
// CHECK: tiny.reduce sum %{{.*}} axes [2] accum si32 : tensor<1x8x8xsi32> -> tensor<1x8xsi32>
// CHECK: tiny.reduce sum %{{.*}} axes [2] accum ui32 : tensor<1x3x8xui32> -> tensor<1x3xui32>
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 1 : (tensor<1x8xui64>, tensor<1x3xsi32>) -> tensor<1x3xui64>
// CHECK: ptir.gather %x, %{{.*}} axis 0 : (tensor<8xf32>, tensor<3xsi32>) -> tensor<3xf32>
// CHECK-NOT: ptir.gather
func.func @top(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xsi64>) {
  %v, %i = ptir.top_k smallest %x k 3 axis 0 : tensor<8xf32> -> tensor<3xf32>, tensor<3xsi64>
  func.return %v, %i : tensor<3xf32>, tensor<3xsi64>
}

// Two runs are sorted by ranks and merged. A search in 512 entries takes 10 reads of each run, and the result is one of two further reads.
// CHECK: func.func @sort
// CHECK: tiny.reduce sum %{{.*}} axes [2] accum si32 : tensor<2x512x512xsi32> -> tensor<2x512xsi32>
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 1 : (tensor<2x512xui64>, tensor<2x512xsi32>) -> tensor<2x512xui64>
// CHECK-COUNT-22: ptir.gather %{{.*}}, %{{.*}} axis 1 : (tensor<1x1024xui64>, tensor<1x1024xsi32>) -> tensor<1x1024xui64>
// CHECK-NOT: ptir.gather %{{.*}} : (tensor<1x1024xui64>
func.func @sort(%x: tensor<1024xui16>) -> tensor<1024xsi32> {
  %v, %i = ptir.top_k largest %x k 1024 axis 0 : tensor<1024xui16> -> tensor<1024xui16>, tensor<1024xsi32>
  func.return %i : tensor<1024xsi32>
}
