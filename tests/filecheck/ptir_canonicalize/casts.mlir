// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Casts: those that keep every value vanish into the next one.

// CHECK: func.func @kept(%x: tensor<4xbf16>, %i: tensor<4xi8>, %p: tensor<4xi1>) -> (tensor<4xbf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xi4>, tensor<4xi1>) {
// CHECK-NEXT: %0 = ptir.cast %x : tensor<4xbf16> -> tensor<4xf16>
// CHECK-NEXT: %1 = ptir.cast %i : tensor<4xi8> -> tensor<4xf32>
// CHECK-NEXT: %2 = ptir.cast %i : tensor<4xi8> -> tensor<4xi4>
// CHECK-NEXT: func.return %x, %0, %1, %2, %p : tensor<4xbf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xi4>, tensor<4xi1>
func.func @kept(%x: tensor<4xbf16>, %i: tensor<4xi8>, %p: tensor<4xi1>) -> (tensor<4xbf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xi4>, tensor<4xi1>) {
  %0 = ptir.cast %x : tensor<4xbf16> -> tensor<4xf32>
  %1 = ptir.cast %0 : tensor<4xf32> -> tensor<4xbf16>
  %2 = ptir.cast %0 : tensor<4xf32> -> tensor<4xf16>
  %3 = ptir.cast %i : tensor<4xi8> -> tensor<4xi32>
  %4 = ptir.cast %3 : tensor<4xi32> -> tensor<4xf32>
  %5 = ptir.cast %i : tensor<4xi8> -> tensor<4xbf16>
  %6 = ptir.cast %5 : tensor<4xbf16> -> tensor<4xi4>
  %7 = ptir.cast %p : tensor<4xi1> -> tensor<4xui8>
  %8 = ptir.cast %7 : tensor<4xui8> -> tensor<4xi1>
  func.return %1, %2, %4, %6, %8 : tensor<4xbf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xi4>, tensor<4xi1>
}

// What rounds, saturates or drops a sign stays.
// CHECK: func.func @not_kept(%x: tensor<4xf32>, %i: tensor<4xi16>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xi16>, tensor<4xi32>, tensor<4xi16>) {
// CHECK-NEXT: %0 = ptir.cast %x : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT: %1 = ptir.cast %0 : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: %2 = ptir.cast %i : tensor<4xi16> -> tensor<4xbf16>
// CHECK-NEXT: %3 = ptir.cast %2 : tensor<4xbf16> -> tensor<4xi16>
// CHECK-NEXT: %4 = ptir.cast %i : tensor<4xi16> -> tensor<4xui32>
// CHECK-NEXT: %5 = ptir.cast %4 : tensor<4xui32> -> tensor<4xi32>
// CHECK-NEXT: %6 = ptir.cast %u : tensor<4xui8> -> tensor<4xi8>
// CHECK-NEXT: %7 = ptir.cast %6 : tensor<4xi8> -> tensor<4xi16>
// CHECK-NEXT: func.return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xi16>, tensor<4xi32>, tensor<4xi16>
func.func @not_kept(%x: tensor<4xf32>, %i: tensor<4xi16>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xi16>, tensor<4xi32>, tensor<4xi16>) {
  %0 = ptir.cast %x : tensor<4xf32> -> tensor<4xbf16>
  %1 = ptir.cast %0 : tensor<4xbf16> -> tensor<4xf32>
  %2 = ptir.cast %i : tensor<4xi16> -> tensor<4xbf16>
  %3 = ptir.cast %2 : tensor<4xbf16> -> tensor<4xi16>
  %4 = ptir.cast %i : tensor<4xi16> -> tensor<4xui32>
  %5 = ptir.cast %4 : tensor<4xui32> -> tensor<4xi32>
  %6 = ptir.cast %u : tensor<4xui8> -> tensor<4xi8>
  %7 = ptir.cast %6 : tensor<4xi8> -> tensor<4xi16>
  func.return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xi16>, tensor<4xi32>, tensor<4xi16>
}

// CHECK: func.func @compared(%x: tensor<4xbf16>, %y: tensor<4xbf16>, %z: tensor<4xf16>) -> (tensor<4xi1>, tensor<4xi1>) {
// CHECK-NEXT: %0 = ptir.cast %x : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: %1 = ptir.compare lt %x, %y : tensor<4xbf16> -> tensor<4xi1>
// CHECK-NEXT: %2 = ptir.cast %z : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: %3 = ptir.compare lt %0, %2 : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: func.return %1, %3 : tensor<4xi1>, tensor<4xi1>
func.func @compared(%x: tensor<4xbf16>, %y: tensor<4xbf16>, %z: tensor<4xf16>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = ptir.cast %x : tensor<4xbf16> -> tensor<4xf32>
  %1 = ptir.cast %y : tensor<4xbf16> -> tensor<4xf32>
  %2 = ptir.compare lt %0, %1 : tensor<4xf32> -> tensor<4xi1>
  %3 = ptir.cast %z : tensor<4xf16> -> tensor<4xf32>
  %4 = ptir.compare lt %0, %3 : tensor<4xf32> -> tensor<4xi1>
  func.return %2, %4 : tensor<4xi1>, tensor<4xi1>
}
