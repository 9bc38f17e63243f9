// RUN: ptir-opt %s -p ptir-prepare-parameters --validate-passes | filecheck %s

// What depends on parameters only is computed in a function of its own; @f is both, and means what it did.

// CHECK: func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x8xf32> {ptir.parameter}, %b: tensor<2xf32> {ptir.parameter}) -> tensor<4x2xf32> {
// CHECK-NEXT: %0, %1 = func.call @f.prepare(%w, %b) : (tensor<2x8xf32>, tensor<2xf32>) -> (tensor<8x2xf32>, tensor<2xf32>)
// CHECK-NEXT: %2 = func.call @f.apply(%x, %0, %1) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: func.return %2 : tensor<4x2xf32>
// CHECK: func.func @f.prepare(%w: tensor<2x8xf32>, %b: tensor<2xf32>) -> (tensor<8x2xf32>, tensor<2xf32>) {
// CHECK-NEXT: %0 = ptir.transpose %w [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
// CHECK-NEXT: %s = ptir.constant dense<5.000000e-01> : tensor<8x2xf32>
// CHECK-NEXT: %1 = ptir.mul %0, %s : tensor<8x2xf32>
// CHECK-NEXT: %2 = ptir.exp %b : tensor<2xf32>
// CHECK-NEXT: func.return %1, %2 : tensor<8x2xf32>, tensor<2xf32>
// CHECK: func.func @f.apply(%x: tensor<4x8xf32>, %0: tensor<8x2xf32> {ptir.parameter}, %1: tensor<2xf32> {ptir.parameter}) -> tensor<4x2xf32> {
// CHECK-NEXT: %2 = ptir.dot_general %x, %0 contract [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %3 = ptir.broadcast_to %1 : tensor<2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %4 = ptir.add %2, %3 : tensor<4x2xf32>
// CHECK-NEXT: func.return %4 : tensor<4x2xf32>
func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x8xf32> {ptir.parameter}, %b: tensor<2xf32> {ptir.parameter}) -> tensor<4x2xf32> {
  %0 = ptir.transpose %w [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s = ptir.constant dense<0.5> : tensor<8x2xf32>
  %1 = ptir.mul %0, %s : tensor<8x2xf32>
  %2 = ptir.dot_general %x, %1 contract [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %3 = ptir.exp %b : tensor<2xf32>
  %4 = ptir.broadcast_to %3 : tensor<2xf32> -> tensor<4x2xf32>
  %5 = ptir.add %2, %4 : tensor<4x2xf32>
  func.return %5 : tensor<4x2xf32>
}

// A parameter that is used as it is stays an argument; a result may depend on parameters only.
// CHECK: func.func @g(%w: tensor<4xf32> {ptir.parameter}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %0 = func.call @g.prepare(%w) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1, %2 = func.call @g.apply(%w, %x, %0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
// CHECK: func.func @g.prepare(%w: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = ptir.exp %w : tensor<4xf32>
// CHECK-NEXT: func.return %0 : tensor<4xf32>
// CHECK: func.func @g.apply(%w: tensor<4xf32> {ptir.parameter}, %x: tensor<4xf32>, %0: tensor<4xf32> {ptir.parameter}) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %1 = ptir.mul %x, %w : tensor<4xf32>
// CHECK-NEXT: func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
func.func @g(%w: tensor<4xf32> {ptir.parameter}, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ptir.exp %w : tensor<4xf32>
  %1 = ptir.mul %x, %w : tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Not worth it: views, what takes more bytes than the parameters, and what depends on a parameter as well as on %x.
// CHECK: func.func @not_worth_it(%x: tensor<8x4xf32>, %w: tensor<4xbf16> {ptir.parameter}) -> (tensor<8x4xf32>, tensor<2x2xbf16>) {
// CHECK-NEXT: %0 = ptir.cast %w : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %2 = ptir.mul %x, %1 : tensor<8x4xf32>
// CHECK-NEXT: %3 = ptir.reshape %w : tensor<4xbf16> -> tensor<2x2xbf16>
// CHECK-NEXT: func.return %2, %3 : tensor<8x4xf32>, tensor<2x2xbf16>
func.func @not_worth_it(%x: tensor<8x4xf32>, %w: tensor<4xbf16> {ptir.parameter}) -> (tensor<8x4xf32>, tensor<2x2xbf16>) {
  %0 = ptir.cast %w : tensor<4xbf16> -> tensor<4xf32>
  %1 = ptir.broadcast_to %0 : tensor<4xf32> -> tensor<8x4xf32>
  %2 = ptir.mul %x, %1 : tensor<8x4xf32>
  %3 = ptir.reshape %w : tensor<4xbf16> -> tensor<2x2xbf16>
  func.return %2, %3 : tensor<8x4xf32>, tensor<2x2xbf16>
}

// CHECK: func.func @without(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = ptir.exp %x : tensor<4xf32>
// CHECK-NEXT: func.return %0 : tensor<4xf32>
func.func @without(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
