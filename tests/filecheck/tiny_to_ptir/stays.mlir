// RUN: ptir-opt %s -p tiny-to-ptir | filecheck %s
// RUN: ptir-opt %s -p tiny-to-ptir --debug-only=lift -o /dev/null 2>&1 | filecheck %s --check-prefix=WHY

// Other ops stay as they are, and no extension is announced that nobody needs.
// CHECK: builtin.module {

// CHECK: func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<si64>) {
// CHECK-NEXT: %0 = ptir.add %x, %y : tensor<4xf32>
// CHECK-NEXT: %1 = arith.addf %0, %y : tensor<4xf32>
// CHECK-NEXT: %2 = ptir.argmax %1 axis 0 : tensor<4xf32> -> tensor<si64>
// CHECK-NEXT: func.return %1, %2 : tensor<4xf32>, tensor<si64>
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<si64>) {
  %0 = ptir.add %x, %y : tensor<4xf32>
  %1 = arith.addf %0, %y : tensor<4xf32>
  %2 = ptir.argmax %1 axis 0 : tensor<4xf32> -> tensor<si64>
  func.return %1, %2 : tensor<4xf32>, tensor<si64>
}

// The contract repeats nothing to a size that nobody knows.
// WHY: 'tiny.binary' is left as it is
// CHECK: func.func @unknown(%x: tensor<1xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT: %0 = tiny.binary add %x, %y : (tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %1 = ptir.neg %0 : tensor<?xf32>
// CHECK-NEXT: func.return %1 : tensor<?xf32>
func.func @unknown(%x: tensor<1xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tiny.binary add %x, %y : (tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tiny.unary neg %0 : tensor<?xf32> -> tensor<?xf32>
  func.return %1 : tensor<?xf32>
}
