// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Kernels, loads, yields and launches print as they are read.

// CHECK: region.kernel @scale(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem, %z: memref<8x4xf32> align 4 deferred) {
region.kernel @scale(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem, %z: memref<8x4xf32> align 4 deferred) {
  // CHECK-NEXT: %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %2 = tiny.movement permute %1 by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = tiny.movement permute %1 by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: region.yield %1, %2 : tensor<4x8xf32>, tensor<8x4xf32>
  region.yield %1, %2 : tensor<4x8xf32>, tensor<8x4xf32>
// CHECK-NEXT: }
}

// CHECK: region.kernel @constant() -> (%y: memref<2xf32> align 16 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 2}}> {
region.kernel @constant() -> (%y: memref<2xf32> align 16 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 2}}> {
  // CHECK-NEXT: %0 = tiny.const dense<1.000000e+00> : tensor<2xf32>
  %0 = tiny.const dense<1.000000e+00> : tensor<2xf32>
  // CHECK-NEXT: region.yield %0 : tensor<2xf32>
  region.yield %0 : tensor<2xf32>
// CHECK-NEXT: }
}

// CHECK: region.kernel @noted() -> (%y: memref<2xf32> align 16 gmem) attributes {note = "by hand"} {
region.kernel @noted() -> (%y: memref<2xf32> align 16 gmem) attributes {note = "by hand"} {
  // CHECK-NEXT: %0 = tiny.const dense<1.000000e+00> : tensor<2xf32>
  %0 = tiny.const dense<1.000000e+00> : tensor<2xf32>
  // CHECK-NEXT: region.yield %0 : tensor<2xf32>
  region.yield %0 : tensor<2xf32>
// CHECK-NEXT: }
}

// CHECK: func.func @f(%x: memref<4x8xf32>) -> memref<2xf32> {
func.func @f(%x: memref<4x8xf32>) -> memref<2xf32> {
  // CHECK-NEXT: %0 = memref.alloc() : memref<4x8xf32>
  %0 = memref.alloc() : memref<4x8xf32>
  // CHECK-NEXT: %1 = memref.alloc() : memref<8x4xf32>
  %1 = memref.alloc() : memref<8x4xf32>
  // CHECK-NEXT: region.launch @scale ins(%x : memref<4x8xf32>) outs(%0, %1 : memref<4x8xf32>, memref<8x4xf32>)
  region.launch @scale ins(%x : memref<4x8xf32>) outs(%0, %1 : memref<4x8xf32>, memref<8x4xf32>)
  // CHECK-NEXT: %2 = memref.alloc() : memref<2xf32>
  %2 = memref.alloc() : memref<2xf32>
  // CHECK-NEXT: region.launch @constant outs(%2 : memref<2xf32>)
  region.launch @constant outs(%2 : memref<2xf32>)
  // CHECK-NEXT: %3 = region.zeros : memref<6xi32>
  %3 = region.zeros : memref<6xi32>
  // CHECK-NEXT: %4 = region.zeros : memref<1xi32>
  %4 = region.zeros : memref<1xi32>
  // CHECK-NEXT: region.check %4 : memref<1xi32>
  region.check %4 : memref<1xi32>
  // CHECK-NEXT: func.return %2 : memref<2xf32>
  func.return %2 : memref<2xf32>
// CHECK-NEXT: }
}

// Ops of the host function.

// CHECK: func.func @host(%p: memref<i1>, %xs: memref<8x4xf32>, %ns: memref<3xui8>) {
func.func @host(%p: memref<i1>, %xs: memref<8x4xf32>, %ns: memref<3xui8>) {
  %0 = arith.constant 3 : index
  // CHECK: %1 = region.row %xs[%0] : memref<8x4xf32> -> memref<4xf32>
  %1 = region.row %xs[%0] : memref<8x4xf32> -> memref<4xf32>
  // CHECK-NEXT: %2 = region.read %p : memref<i1>
  %2 = region.read %p : memref<i1>
  // CHECK-NEXT: region.custom_call "acme.f.v1" ins(%1 : memref<4xf32>) outs(%ns, %p : memref<3xui8>, memref<i1>) attrs {n = 2 : i64} as (tensor<4xf32>) -> tuple<tensor<5xsi4>, tensor<i1>>
  region.custom_call "acme.f.v1" ins(%1 : memref<4xf32>) outs(%ns, %p : memref<3xui8>, memref<i1>) attrs {n = 2 : i64} as (tensor<4xf32>) -> tuple<tensor<5xsi4>, tensor<i1>>
  // CHECK-NEXT: region.custom_call "acme.g.v1" attrs {} as () -> ()
  region.custom_call "acme.g.v1" attrs {} as () -> ()
  func.return
}

// CHECK: region.kernel @update(%i: memref<4xsi32> align 16) -> (%y: memref<9xsi32> align 256 updated) {
region.kernel @update(%i: memref<4xsi32> align 16) -> (%y: memref<9xsi32> align 256 updated) {
  %0 = region.load %i : memref<4xsi32> -> tensor<4xsi32>
  // CHECK: region.load %y : memref<9xsi32> -> tensor<9xsi32>
  %1 = region.load %y : memref<9xsi32> -> tensor<9xsi32>
  // CHECK-NEXT: ptir.scatter_reduce add %{{.*}}, %{{.*}}, %{{.*}} axis 0 report 2 : tensor<9xsi32>, tensor<4xsi32>, tensor<4xsi32>
  %2 = ptir.scatter_reduce add %1, %0, %0 axis 0 report 2 : tensor<9xsi32>, tensor<4xsi32>, tensor<4xsi32>
  region.yield %2 : tensor<9xsi32>
}
