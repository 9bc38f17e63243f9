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

// -----

// Indices that constants bound have no number, whatever is between them.

// CHECK-LABEL: region.kernel @clamped_0
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 report 1 :
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 :
// CHECK: ptir.gather %{{.*}}, %{{.*}} axis 0 :
// CHECK-LABEL: func.func @clamped
func.func @clamped(%x: tensor<9xf32>, %i: tensor<3xsi32>, %j: tensor<3xui64>) -> tensor<3xf32> {
  %none = tiny.const dense<0> : tensor<si32>
  %last = tiny.const dense<8> : tensor<si32>
  %wide = tiny.const dense<8> : tensor<ui64>
  %0 = tiny.binary max %i, %none : (tensor<3xsi32>, tensor<si32>) -> tensor<3xsi32>
  %1 = tiny.binary min %0, %last : (tensor<3xsi32>, tensor<si32>) -> tensor<3xsi32>
  %2 = ptir.gather %x, %1 axis 0 : (tensor<9xf32>, tensor<3xsi32>) -> tensor<3xf32>
  %3 = tiny.binary min %j, %wide : (tensor<3xui64>, tensor<ui64>) -> tensor<3xui64>
  %4 = tiny.unary cast %3 : tensor<3xui64> -> tensor<3xsi32>
  %5 = ptir.gather %x, %4 axis 0 : (tensor<9xf32>, tensor<3xsi32>) -> tensor<3xf32>
  %6 = tiny.binary min %i, %last : (tensor<3xsi32>, tensor<si32>) -> tensor<3xsi32>
  %7 = ptir.gather %x, %6 axis 0 : (tensor<9xf32>, tensor<3xsi32>) -> tensor<3xf32>
  %8 = tiny.binary add %2, %5 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %9 = tiny.binary add %7, %8 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %9 : tensor<3xf32>
}

// -----

// Two reads of a few elements are reads of many.

// CHECK-LABEL: region.kernel @twice_0
// CHECK: tiny.unary exp
// CHECK-NEXT: region.yield
// CHECK-LABEL: region.kernel @twice_1
func.func @twice(%x: tensor<9xf32>, %i: tensor<5xsi32>, %j: tensor<5xsi32>) -> tensor<5xf32> {
  %0 = tiny.unary exp %x : tensor<9xf32> -> tensor<9xf32>
  %1 = ptir.gather %0, %i axis 0 : (tensor<9xf32>, tensor<5xsi32>) -> tensor<5xf32>
  %2 = ptir.gather %0, %j axis 0 : (tensor<9xf32>, tensor<5xsi32>) -> tensor<5xf32>
  %3 = tiny.binary add %1, %2 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  func.return %3 : tensor<5xf32>
}

// -----

// A chain of three reads is not repeated for each column of a row, but a chain of two is.

// CHECK-LABEL: region.kernel @search_0
// CHECK-COUNT-3: ptir.gather
// CHECK-NEXT: region.yield
// CHECK-LABEL: region.kernel @search_1
// CHECK-COUNT-2: ptir.gather
// CHECK-NOT: ptir.gather
// CHECK: func.func @search
func.func @search(%x: tensor<9xsi32>, %y: tensor<5x4xsi32>, %i: tensor<5xsi32>) -> (tensor<5x4xsi32>, tensor<5x4xsi32>) {
  %0 = ptir.gather %x, %i axis 0 : (tensor<9xsi32>, tensor<5xsi32>) -> tensor<5xsi32>
  %1 = ptir.gather %x, %0 axis 0 : (tensor<9xsi32>, tensor<5xsi32>) -> tensor<5xsi32>
  %2 = ptir.gather %x, %1 axis 0 : (tensor<9xsi32>, tensor<5xsi32>) -> tensor<5xsi32>
  %3 = tiny.movement reshape %2 : tensor<5xsi32> -> tensor<5x1xsi32>
  %4 = tiny.binary add %3, %y : (tensor<5x1xsi32>, tensor<5x4xsi32>) -> tensor<5x4xsi32>
  %5 = tiny.movement reshape %1 : tensor<5xsi32> -> tensor<5x1xsi32>
  %6 = tiny.binary mul %5, %y : (tensor<5x1xsi32>, tensor<5x4xsi32>) -> tensor<5x4xsi32>
  func.return %4, %6 : tensor<5x4xsi32>, tensor<5x4xsi32>
}
