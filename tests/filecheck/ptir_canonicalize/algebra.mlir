// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Rows of the table at work; tests/unit/transforms/test_ptir_rules.py proves and tries each of them.

// CHECK: func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) {
// CHECK-NEXT: %c2 = ptir.constant dense<2> : tensor<4xi32>
// CHECK-NEXT: %c3 = ptir.constant dense<3> : tensor<4xi32>
// CHECK-NEXT: %0 = ptir.add %x, %c2 : tensor<4xi32>
// CHECK-NEXT: %1 = ptir.constant dense<-1> : tensor<4xi32>
// CHECK-NEXT: %2 = ptir.add %x, %1 : tensor<4xi32>
// CHECK-NEXT: %3 = ptir.add %y, %c3 : tensor<4xi32>
// CHECK-NEXT: %4 = ptir.mul %x, %3 : tensor<4xi32>
// CHECK-NEXT: %5 = ptir.compare gt %0, %c3 : tensor<4xi32> -> tensor<4xi1>
// CHECK-NEXT: func.return %2, %4, %y, %5 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>) {
  %c2 = ptir.constant dense<2> : tensor<4xi32>
  %c3 = ptir.constant dense<3> : tensor<4xi32>
  %0 = ptir.add %c2, %x : tensor<4xi32>
  %1 = ptir.sub %0, %c3 : tensor<4xi32>
  %2 = ptir.mul %x, %y : tensor<4xi32>
  %3 = ptir.mul %x, %c3 : tensor<4xi32>
  %4 = ptir.add %2, %3 : tensor<4xi32>
  %5 = ptir.sub %y, %x : tensor<4xi32>
  %6 = ptir.add %x, %5 : tensor<4xi32>
  %7 = ptir.compare lt %c3, %0 : tensor<4xi32> -> tensor<4xi1>
  func.return %1, %4, %6, %7 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>
}

// x + 0.0 is not x where x is -0, x + -0.0 is; x * 0.0 and x - x may be NaN; x / 8 is exactly x * 0.125.
// CHECK: func.func @floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %zero = ptir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %three = ptir.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %0 = ptir.add %x, %zero : tensor<4xf32>
// CHECK-NEXT: %1 = ptir.mul %x, %zero : tensor<4xf32>
// CHECK-NEXT: %2 = ptir.sub %x, %x : tensor<4xf32>
// CHECK-NEXT: %3 = ptir.constant dense<1.250000e-01> : tensor<4xf32>
// CHECK-NEXT: %4 = ptir.mul %x, %3 : tensor<4xf32>
// CHECK-NEXT: %5 = ptir.div %x, %three : tensor<4xf32>
// CHECK-NEXT: func.return %0, %x, %1, %2, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = ptir.constant dense<0.0> : tensor<4xf32>
  %negative = ptir.constant dense<-0.0> : tensor<4xf32>
  %eight = ptir.constant dense<8.0> : tensor<4xf32>
  %three = ptir.constant dense<3.0> : tensor<4xf32>
  %0 = ptir.add %x, %zero : tensor<4xf32>
  %1 = ptir.add %x, %negative : tensor<4xf32>
  %2 = ptir.mul %x, %zero : tensor<4xf32>
  %3 = ptir.sub %x, %x : tensor<4xf32>
  %4 = ptir.div %x, %eight : tensor<4xf32>
  %5 = ptir.div %x, %three : tensor<4xf32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK: func.func @selections(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %0 = ptir.compare lt %x, %y : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: %1 = ptir.select %0, %x, %y : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: func.return %x, %x, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @selections(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = ptir.constant dense<true> : tensor<4xi1>
  %0 = ptir.select %true, %x, %y : tensor<4xi1>, tensor<4xf32>
  %1 = ptir.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  %2 = ptir.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  %3 = ptir.select %p, %2, %1 : tensor<4xi1>, tensor<4xf32>
  %4 = ptir.compare lt %x, %y : tensor<4xf32> -> tensor<4xi1>
  %5 = ptir.select %4, %x, %y : tensor<4xi1>, tensor<4xf32>
  func.return %0, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Not worth it where what stands between is used elsewhere too.
// CHECK: func.func @shared(%x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
// CHECK-NEXT: %0 = ptir.mul %x, %y : tensor<4xi32>
// CHECK-NEXT: %1 = ptir.mul %x, %z : tensor<4xi32>
// CHECK-NEXT: %2 = ptir.add %0, %1 : tensor<4xi32>
// CHECK-NEXT: func.return %0, %2 : tensor<4xi32>, tensor<4xi32>
func.func @shared(%x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = ptir.mul %x, %y : tensor<4xi32>
  %1 = ptir.mul %x, %z : tensor<4xi32>
  %2 = ptir.add %0, %1 : tensor<4xi32>
  func.return %0, %2 : tensor<4xi32>, tensor<4xi32>
}

// A shift is an extension, so a division stays one where the module does not allow it.
// CHECK: func.func @strength(%x: tensor<4xui8>) -> tensor<4xui8> {
// CHECK-NEXT: %c = ptir.constant dense<4> : tensor<4xui8>
// CHECK-NEXT: %0 = ptir.div %x, %c : tensor<4xui8>
// CHECK-NEXT: func.return %0 : tensor<4xui8>
func.func @strength(%x: tensor<4xui8>) -> tensor<4xui8> {
  %c = ptir.constant dense<4> : tensor<4xui8>
  %0 = ptir.div %x, %c : tensor<4xui8>
  func.return %0 : tensor<4xui8>
}

// CHECK: func.func @extensions(%x: tensor<4xui8>, %p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xui8>, tensor<4xf32>) {
// CHECK-NEXT: %0 = ptir.constant dense<2> : tensor<4xui8>
// CHECK-NEXT: %1 = ptir.shift_right_logical %x, %0 : tensor<4xui8>
// CHECK-NEXT: %2 = ptir.select %p, %b, %a : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: func.return %1, %2 : tensor<4xui8>, tensor<4xf32>
builtin.module attributes {ptir.extensions} {
  func.func @extensions(%x: tensor<4xui8>, %p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xui8>, tensor<4xf32>) {
    %c = ptir.constant dense<4> : tensor<4xui8>
    %0 = ptir.div %x, %c : tensor<4xui8>
    %1 = ptir.not %p : tensor<4xi1>
    %2 = ptir.not %1 : tensor<4xi1>
    %3 = ptir.not %2 : tensor<4xi1>
    %4 = ptir.select %3, %a, %b : tensor<4xi1>, tensor<4xf32>
    func.return %0, %4 : tensor<4xui8>, tensor<4xf32>
  }
}
