// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// Scatters and segment reductions compare indices; the checks come before what depends on the indices.

// CHECK: func.func @adds
// CHECK: %[[IN:.*]] = tiny.binary lt %{{.*}}, %{{.*}} : (tensor<5xui32>, tensor<ui32>) -> tensor<5xi1>
// CHECK-NEXT: %[[CHECKED:.*]] = tiny.binary require_index %[[IN]], %i : (tensor<5xi1>, tensor<5xsi32>) -> tensor<5xsi32>
// CHECK-NEXT: %[[I:.*]] = tiny.movement reshape %[[CHECKED]] : tensor<5xsi32> -> tensor<1x5xsi32>
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

// The last update of each element is read.
// CHECK: func.func @replaces
// CHECK: tiny.reduce max %{{.*}} axes [1] accum ui32 : tensor<8x5xui32> -> tensor<8xui32>
// CHECK: ptir.gather %u, %{{.*}} axis 0 : (tensor<5xbf16>, tensor<8xsi32>) -> tensor<8xbf16>
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

// Many ids that ascend: partial sums of 8 rows of one segment, of up to 8 of these, and so on; the last row of each segment has all of it.
// CHECK: func.func @ordered
// CHECK: tiny.binary require_sorted
// CHECK: %[[ID:.*]] = tiny.movement reshape %{{.*}} : tensor<600x1xsi32> -> tensor<600x1x1xsi32>
// CHECK: %[[IDS:.*]] = tiny.movement view %{{.*}} offset 0 strides [1, 1, 0] : tensor<607x1xsi32> -> tensor<600x8x1xsi32>
// CHECK-NEXT: %[[SAME:.*]] = tiny.binary eq %[[IDS]], %[[ID]] : (tensor<600x8x1xsi32>, tensor<600x1x1xsi32>) -> tensor<600x8x1xi1>
// CHECK: %[[ROWS:.*]] = tiny.movement view %{{.*}} offset 0 strides [64, 64, 1] : tensor<607x64xf32> -> tensor<600x8x64xf32>
// CHECK-NEXT: %[[SHARES:.*]] = tiny.binary where %[[SAME]], %[[ROWS]], %{{.*}}
// CHECK-NEXT: tiny.reduce sum %[[SHARES]] axes [1] accum f32 : tensor<600x8x64xf32> -> tensor<600x64xf32>
// CHECK: tiny.movement view %{{.*}} offset 0 strides [64, 512, 1] : tensor<656x64xf32> -> tensor<600x8x64xf32>
// CHECK: tiny.movement view %{{.*}} offset 0 strides [64, 4096, 1] : tensor<1048x64xf32> -> tensor<600x8x64xf32>
// CHECK: tiny.movement view %{{.*}} offset 0 strides [64, 32768, 1] : tensor<1112x64xf32> -> tensor<600x2x64xf32>
// CHECK-COUNT-11: ptir.gather %{{.*}}, %{{.*}} axis 0 : (tensor<600x1xui32>, tensor<5000x1xsi32>) -> tensor<5000x1xui32>
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 : (tensor<600x64xf32>, tensor<5000x64xsi32>) -> tensor<5000x64xf32>
// CHECK-NOT: ptir.gather
func.func @ordered(%x: tensor<600x64xf32>, %i: tensor<600xsi32>) -> tensor<5000x64xf32> {
  %0 = ptir.segment_reduce sum %x, %i sorted : (tensor<600x64xf32>, tensor<600xsi32>) -> tensor<5000x64xf32>
  func.return %0 : tensor<5000x64xf32>
}

// Indices that are equal along all other axes are sorted once. Updates that replace elements need no sums.
// CHECK: func.func @shared
// CHECK: tiny.binary shift_left %{{.*}}, %{{.*}} : (tensor<2000xui64>, tensor<ui64>) -> tensor<2000xui64>
// CHECK: ptir.gather %u, %{{.*}} axis 1 : (tensor<3x2000xf64>, tensor<3x50000xsi32>) -> tensor<3x50000xf64>
// CHECK-NOT: tiny.reduce
func.func @shared(%x: tensor<3x50000xf64>, %i: tensor<2000xsi64>, %u: tensor<3x2000xf64>) -> tensor<3x50000xf64> {
  %0 = ptir.broadcast_to %i : tensor<2000xsi64> -> tensor<3x2000xsi64>
  %1 = ptir.scatter_reduce replace %x, %0, %u axis 1 : tensor<3x50000xf64>, tensor<3x2000xsi64>, tensor<3x2000xf64>
  func.return %1 : tensor<3x50000xf64>
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
