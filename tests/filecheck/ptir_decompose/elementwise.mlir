// RUN: ptir-opt %s --ptir-decompose | filecheck %s
// RUN: ptir-opt %s --ptir-decompose --validate-passes 2>&1 | filecheck %s
// RUN: ptir-opt %s --ptir-decompose=ops=clamp | filecheck %s --check-prefix=CLAMP

// CHECK-NOT: warning
builtin.module attributes {ptir.extensions} {
  // CHECK-LABEL: func.func @clamp
  // CHECK-NEXT: %0 = ptir.maximum %x, %lo : tensor<4xf32>
  // CHECK-NEXT: %{{.*}} = ptir.minimum %0, %hi : tensor<4xf32>
  // CHECK-NEXT: func.return %{{.*}}
  // CLAMP-LABEL: func.func @clamp
  // CLAMP-NEXT: ptir.maximum
  func.func @clamp(%x: tensor<4xf32>, %lo: tensor<4xf32>, %hi: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ptir.clamp %x, %lo, %hi : tensor<4xf32>
    func.return %0 : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @gradient
  // CHECK-NEXT: func.return %x
  // CLAMP-LABEL: func.func @gradient
  // CLAMP-NEXT: ptir.stop_gradient
  func.func @gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ptir.stop_gradient %x : tensor<4xf32>
    func.return %0 : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @predicates
  // CHECK-NEXT: %0 = ptir.constant dense<false> : tensor<i1>
  // CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<i1> -> tensor<4xi1>
  // CHECK-NEXT: %{{.*}} = ptir.select %p, %q, %1 : tensor<4xi1>, tensor<4xi1>
  // CHECK-NEXT: %{{.*}} = ptir.compare ne %{{.*}}, %q : tensor<4xi1> -> tensor<4xi1>
  // CHECK-NEXT: func.return %{{.*}}
  func.func @predicates(%p: tensor<4xi1>, %q: tensor<4xi1>) -> tensor<4xi1> {
    %0 = ptir.and %p, %q : tensor<4xi1>
    %1 = ptir.xor %0, %q : tensor<4xi1>
    func.return %1 : tensor<4xi1>
  }
  // CHECK-LABEL: func.func @norm
  // CHECK-NEXT: ptir.cast
  // CHECK: ptir.reduce sum {{.*}} axes [1] keepdims accum f32 out f32
  // CHECK: ptir.rsqrt
  // CHECK-NOT: ptir.layer_norm
  // CHECK: func.return
  func.func @norm(%x: tensor<2x8xbf16>, %g: tensor<8xbf16>, %b: tensor<8xbf16>) -> tensor<2x8xbf16> {
    %0 = ptir.layer_norm %x, %g, %b axis -1 epsilon 1.0e-05 : tensor<2x8xbf16>, tensor<8xbf16>
    func.return %0 : tensor<2x8xbf16>
  }
  // CHECK-LABEL: func.func @all
  // CHECK-NEXT: ptir.cast %p : tensor<4x2xi1> -> tensor<4x2xui8>
  // CHECK-NEXT: ptir.reduce min {{.*}} axes [1] accum ui8 out ui8 : tensor<4x2xui8> -> tensor<4xui8>
  // CHECK: ptir.compare ne
  func.func @all(%p: tensor<4x2xi1>) -> tensor<4xi1> {
    %0 = ptir.reduce all %p axes [1] : tensor<4x2xi1> -> tensor<4xi1>
    func.return %0 : tensor<4xi1>
  }
  // What rounds elsewhere, has no other form, or whose sizes are not known stays.
  // CHECK-LABEL: func.func @stays
  // CHECK-NEXT: %0 = ptir.sqrt
  // CHECK-NEXT: %1 = ptir.remainder
  // CHECK-NEXT: %2 = ptir.and
  // CHECK-NEXT: %3 = ptir.floor
  // CHECK-NEXT: %4 = ptir.take
  // CHECK-NEXT: func.return
  func.func @stays(%x: tensor<4xf32>, %i: tensor<4xi32>, %n: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<?xf32>, tensor<4xf32>) {
    %0 = ptir.sqrt %x : tensor<4xf32>
    %1 = ptir.remainder %0, %x : tensor<4xf32>
    %2 = ptir.and %i, %i : tensor<4xi32>
    %3 = ptir.floor %n : tensor<?xf32>
    %4 = ptir.take %x, %2 : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    func.return %1, %2, %3, %4 : tensor<4xf32>, tensor<4xi32>, tensor<?xf32>, tensor<4xf32>
  }
}
