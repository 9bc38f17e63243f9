// RUN: ptir-opt %s -p tiny-form-scatters --split-input-file | filecheck %s

// The ids of no class are counted in one more class. Negative ids are large as unsigned integers.

// CHECK-LABEL: func.func @counts
// CHECK: %[[I:.*]] = tiny.movement reshape %{{.*}} : tensor<1x90000xsi32> -> tensor<90000xsi32>
// CHECK-NEXT: %[[BITS:.*]] = tiny.unary bitcast %[[I]] : tensor<90000xsi32> -> tensor<90000xui32>
// CHECK-NEXT: %[[LAST:.*]] = tiny.const dense<256> : tensor<ui32>
// CHECK-NEXT: %[[LEAST:.*]] = tiny.binary min %[[BITS]], %[[LAST]]
// CHECK-NEXT: %[[IDS:.*]] = tiny.unary cast %[[LEAST]] : tensor<90000xui32> -> tensor<90000xsi32>
// CHECK: %[[SUM:.*]] = ptir.scatter_reduce add %{{.*}}, %[[IDS]], %{{.*}} axis 0 : tensor<257xsi32>, tensor<90000xsi32>, tensor<90000xsi32>
// CHECK-NEXT: %[[KEPT:.*]] = tiny.movement shrink %[[SUM]] from [0] : tensor<257xsi32> -> tensor<256xsi32>
// CHECK-NEXT: func.return %[[KEPT]]
func.func @counts(%i: tensor<90000xsi32>) -> tensor<256xsi32> {
  %0 = tiny.movement reshape %i : tensor<90000xsi32> -> tensor<90000x1xsi32>
  %1 = tiny.movement expand %0 : tensor<90000x1xsi32> -> tensor<90000x256xsi32>
  %2 = tiny.iota axis 1 : tensor<90000x256xsi32>
  %3 = tiny.binary eq %1, %2 : (tensor<90000x256xsi32>, tensor<90000x256xsi32>) -> tensor<90000x256xi1>
  %4 = tiny.unary cast %3 : tensor<90000x256xi1> -> tensor<90000x256xsi32>
  %5 = tiny.reduce sum %4 axes [0] accum si32 : tensor<90000x256xsi32> -> tensor<256xsi32>
  func.return %5 : tensor<256xsi32>
}

// -----

// Values per class, of each of four rows. The classes are the first axis.

// CHECK-LABEL: func.func @values
// CHECK: ptir.scatter_reduce add %{{.*}}, %{{.*}}, %v axis 1 : tensor<4x257xsi64>, tensor<4x90000xsi32>, tensor<4x90000xsi64>
// CHECK-NEXT: tiny.movement shrink %{{.*}} from [0, 0] : tensor<4x257xsi64> -> tensor<4x256xsi64>
// CHECK-NEXT: tiny.movement permute %{{.*}} by [1, 0] : tensor<4x256xsi64> -> tensor<256x4xsi64>
func.func @values(%i: tensor<4x90000xui8>, %v: tensor<4x90000xsi64>) -> tensor<256x4xsi64> {
  %0 = tiny.iota axis 0 : tensor<256x1x1xui8>
  %1 = tiny.binary eq %0, %i : (tensor<256x1x1xui8>, tensor<4x90000xui8>) -> tensor<256x4x90000xi1>
  %2 = tiny.const dense<0> : tensor<si64>
  %3 = tiny.binary where %1, %v, %2 : (tensor<256x4x90000xi1>, tensor<4x90000xsi64>, tensor<si64>) -> tensor<256x4x90000xsi64>
  %4 = tiny.reduce sum %3 axes [2] accum si64 : tensor<256x4x90000xsi64> -> tensor<256x4xsi64>
  func.return %4 : tensor<256x4xsi64>
}

// -----

// Floats are summed in their order; few pairs are compared; other predicates, and values that depend on the class, are no one-hot rows.

// CHECK-LABEL: func.func @others
// CHECK-NOT: ptir.scatter_reduce
// CHECK: func.return
func.func @others(%i: tensor<90000x1xsi32>, %j: tensor<90x1xsi32>, %v: tensor<90000x256xsi32>) -> (tensor<256xf32>, tensor<256xsi32>, tensor<256xsi32>, tensor<256xsi32>) {
  %c = tiny.iota axis 1 : tensor<1x256xsi32>
  %0 = tiny.binary eq %i, %c : (tensor<90000x1xsi32>, tensor<1x256xsi32>) -> tensor<90000x256xi1>
  %1 = tiny.unary cast %0 : tensor<90000x256xi1> -> tensor<90000x256xf32>
  %2 = tiny.reduce sum %1 axes [0] accum f32 : tensor<90000x256xf32> -> tensor<256xf32>
  %3 = tiny.binary eq %j, %c : (tensor<90x1xsi32>, tensor<1x256xsi32>) -> tensor<90x256xi1>
  %4 = tiny.unary cast %3 : tensor<90x256xi1> -> tensor<90x256xsi32>
  %5 = tiny.reduce sum %4 axes [0] accum si32 : tensor<90x256xsi32> -> tensor<256xsi32>
  %6 = tiny.binary le %i, %c : (tensor<90000x1xsi32>, tensor<1x256xsi32>) -> tensor<90000x256xi1>
  %7 = tiny.unary cast %6 : tensor<90000x256xi1> -> tensor<90000x256xsi32>
  %8 = tiny.reduce sum %7 axes [0] accum si32 : tensor<90000x256xsi32> -> tensor<256xsi32>
  %9 = tiny.const dense<0> : tensor<si32>
  %10 = tiny.binary where %0, %v, %9 : (tensor<90000x256xi1>, tensor<90000x256xsi32>, tensor<si32>) -> tensor<90000x256xsi32>
  %11 = tiny.reduce sum %10 axes [0] accum si32 : tensor<90000x256xsi32> -> tensor<256xsi32>
  func.return %2, %5, %8, %11 : tensor<256xf32>, tensor<256xsi32>, tensor<256xsi32>, tensor<256xsi32>
}
