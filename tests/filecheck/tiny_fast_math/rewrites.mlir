// RUN: ptir-opt %s -p tiny-fast-math --dce | filecheck %s
// The pass is not validated, because it changes results on purpose.
// RUN: ptir-opt %s -p tiny-fast-math --validate-passes --dce | filecheck %s

// CHECK: func.func @exponentials
// CHECK-NEXT: %[[LOG2E:.*]] = tiny.const dense<1.44269502> : tensor<f32>
// CHECK-NEXT: %[[SCALED:.*]] = tiny.binary mul %x, %[[LOG2E]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = tiny.unary exp2 %[[SCALED]] : tensor<4xf32> -> tensor<4xf32>
// Narrow types are rounded once.
// CHECK-NEXT: %[[WIDE:.*]] = tiny.unary cast %y : tensor<?xbf16> -> tensor<?xf32>
// CHECK-NEXT: %[[LOG2E:.*]] = tiny.const dense<1.44269502> : tensor<f32>
// CHECK-NEXT: %[[SCALED:.*]] = tiny.binary mul %[[WIDE]], %[[LOG2E]]
// CHECK-NEXT: %[[E:.*]] = tiny.unary exp2 %[[SCALED]]
// CHECK-NEXT: %[[B:.*]] = tiny.unary cast %[[E]] : tensor<?xf32> -> tensor<?xbf16>
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @exponentials(%x: tensor<4xf32>, %y: tensor<?xbf16>) -> (tensor<4xf32>, tensor<?xbf16>) {
  %0 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = tiny.unary exp %y : tensor<?xbf16> -> tensor<?xbf16>
  func.return %0, %1 : tensor<4xf32>, tensor<?xbf16>
}

// The reciprocal is computed before it is broadcast.
// CHECK: func.func @quotients
// CHECK-NEXT: %[[R:.*]] = tiny.unary recip %s : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[RS:.*]] = tiny.movement expand %[[R]] : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[A:.*]] = tiny.binary mul %x, %[[RS]] :
// CHECK-NEXT: %[[R:.*]] = tiny.unary recip %s : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[RS:.*]] = tiny.movement expand %[[R]] : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = tiny.binary mul %x, %[[RS]] :
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @quotients(%x: tensor<4x8xf32>, %s: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tiny.movement expand %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tiny.binary div %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tiny.binary div %x, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Each divisor is used once, integers divide exactly, and GPUs have no fast instructions for f64 and complex numbers.
// CHECK: func.func @others
// CHECK-NEXT: tiny.binary div %x, %x
// CHECK-NEXT: tiny.binary div %n, %m
// CHECK-NEXT: tiny.unary exp %d
// CHECK-NEXT: tiny.binary div %d, %e
// CHECK-NEXT: tiny.unary exp %c
// CHECK-NEXT: func.return
func.func @others(%x: tensor<4xf32>, %n: tensor<4xsi32>, %m: tensor<si32>, %d: tensor<4xf64>, %e: tensor<f64>, %c: tensor<4xcomplex<f32>>)
    -> (tensor<4xf32>, tensor<4xsi32>, tensor<4xf64>, tensor<4xf64>, tensor<4xcomplex<f32>>) {
  %0 = tiny.binary div %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.binary div %n, %m : (tensor<4xsi32>, tensor<si32>) -> tensor<4xsi32>
  %2 = tiny.unary exp %d : tensor<4xf64> -> tensor<4xf64>
  %3 = tiny.binary div %d, %e : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %4 = tiny.unary exp %c : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  func.return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xsi32>, tensor<4xf64>, tensor<4xf64>, tensor<4xcomplex<f32>>
}
