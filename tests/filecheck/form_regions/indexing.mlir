// RUN: ptir-opt %s -p form-regions --split-input-file | filecheck %s

// Few rows of a computed table are computed where they are read; indices that may be out of range have a number.

// CHECK-LABEL: region.kernel @few_0
// CHECK: tiny.unary exp
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 report 1 :
// CHECK: tiny.unary neg
// CHECK-LABEL: func.func @few
func.func @few(%x: tensor<9x8xf32>, %i: tensor<3x8xsi32>) -> tensor<3x8xf32> {
  %0 = tiny.unary exp %x : tensor<9x8xf32> -> tensor<9x8xf32>
  %1 = ptir.gather %0, %i axis 0 : (tensor<9x8xf32>, tensor<3x8xsi32>) -> tensor<3x8xf32>
  %2 = tiny.unary neg %1 : tensor<3x8xf32> -> tensor<3x8xf32>
  func.return %2 : tensor<3x8xf32>
}

// -----

// Elements of a small table would be computed many times: it is stored. A table that is only moved is not.

// CHECK-LABEL: region.kernel @many_0
// CHECK: tiny.unary exp
// CHECK-NEXT: region.yield
// CHECK-LABEL: region.kernel @many_1
// CHECK: ptir.gather
// CHECK: tiny.movement permute
// CHECK: ptir.gather
// CHECK-LABEL: func.func @many
func.func @many(%x: tensor<8x9xf32>, %y: tensor<9x8xf32>, %i: tensor<30x8xsi32>) -> (tensor<30x8xf32>, tensor<30x8xf32>) {
  %0 = tiny.unary exp %y : tensor<9x8xf32> -> tensor<9x8xf32>
  %1 = ptir.gather %0, %i axis 0 : (tensor<9x8xf32>, tensor<30x8xsi32>) -> tensor<30x8xf32>
  %2 = tiny.movement permute %x by [1, 0] : tensor<8x9xf32> -> tensor<9x8xf32>
  %3 = ptir.gather %2, %i axis 0 : (tensor<9x8xf32>, tensor<30x8xsi32>) -> tensor<30x8xf32>
  func.return %1, %3 : tensor<30x8xf32>, tensor<30x8xf32>
}

// -----

// A reduction whose results are read at indices is stored; one that gives indices is, if its rows are others.

// CHECK-LABEL: region.kernel @reduced_0
// CHECK: tiny.reduce sum
// CHECK-LABEL: region.kernel @reduced_1
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 report 1 :
func.func @reduced(%x: tensor<9x8xf32>, %i: tensor<3xsi32>) -> tensor<3xf32> {
  %0 = tiny.reduce sum %x axes [1] accum f32 : tensor<9x8xf32> -> tensor<9xf32>
  %1 = ptir.gather %0, %i axis 0 : (tensor<9xf32>, tensor<3xsi32>) -> tensor<3xf32>
  func.return %1 : tensor<3xf32>
}

// -----

// Constant indices have a number only if one is out of range.

// CHECK-LABEL: region.kernel @constant_0
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 :
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 report 1 :
func.func @constant(%x: tensor<9xf32>) -> tensor<3xf32> {
  %i = tiny.const dense<[0, 8, 3]> : tensor<3xsi32>
  %j = tiny.const dense<[0, 9, 3]> : tensor<3xsi32>
  %0 = ptir.gather %x, %i axis 0 : (tensor<9xf32>, tensor<3xsi32>) -> tensor<3xf32>
  %1 = ptir.gather %x, %j axis 0 : (tensor<9xf32>, tensor<3xsi32>) -> tensor<3xf32>
  %2 = tiny.binary add %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %2 : tensor<3xf32>
}
