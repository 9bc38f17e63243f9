// RUN: ptir-opt %s -p plan-regions,region-to-pto | filecheck %s

// A division with a number reports a zero divisor in a status word, which the function clears and checks once. One without does not.

// CHECK-LABEL: pto.kernel @quotient
// CHECK-SAME: (%x: memref<5x7xi32> align 16, %d: memref<5x7xi32> align 16) -> (%y: memref<5x7xi32> align 16 gmem, %status: memref<1xi32> align 16 status)
// CHECK: %[[D:.*]] = pto.tile.load.map %d
// CHECK: %[[ZERO:.*]] = pto.tile.cmp %[[D]], %{{.*}} {cmpMode = #pto.cmp<EQ>} :
// CHECK-NEXT: %[[CHECKED:.*]] = pto.tile.report division %[[D]] if %[[ZERO]] number 2 to %status[%m, %n] in [1, 35] dims [0, 1] : tile<{{.*}}xi32>, tile<{{.*}}xi1>, memref<1xi32>
// CHECK-NEXT: pto.tile.div %{{.*}}, %[[CHECKED]] :
region.kernel @quotient(%x: memref<5x7xi32> align 16, %d: memref<5x7xi32> align 16) -> (%y: memref<5x7xi32> align 16 gmem) {
  %0 = region.load %x : memref<5x7xi32> -> tensor<5x7xi32>
  %1 = region.load %d : memref<5x7xi32> -> tensor<5x7xi32>
  %2 = tiny.binary div %0, %1 report 2 : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
  region.yield %2 : tensor<5x7xi32>
}

// Points at which a pad does not read the quotient are not reported.

// CHECK-LABEL: pto.kernel @padded
// CHECK: pto.tile.report {{.*}} number 1 to %status[%m, %n] in [1, 36] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }">
region.kernel @padded(%x: memref<35xi32> align 16) -> (%y: memref<36xi32> align 16 gmem) {
  %0 = region.load %x : memref<35xi32> -> tensor<35xi32>
  %1 = tiny.binary remainder %0, %0 report 1 : (tensor<35xi32>, tensor<35xi32>) -> tensor<35xi32>
  %2 = tiny.movement pad %1 low [1] high [0] value 9 : i32 : tensor<35xi32> -> tensor<36xi32>
  region.yield %2 : tensor<36xi32>
}

// CHECK-LABEL: pto.kernel @nonzero
// CHECK-NOT: status
// CHECK-LABEL: func.func @f
region.kernel @nonzero(%x: memref<36xi32> align 16) -> (%y: memref<36xi32> align 16 gmem) {
  %0 = region.load %x : memref<36xi32> -> tensor<36xi32>
  %1 = tiny.const dense<3> : tensor<36xi32>
  %2 = tiny.binary div %0, %1 : (tensor<36xi32>, tensor<36xi32>) -> tensor<36xi32>
  region.yield %2 : tensor<36xi32>
}

func.func @f(%x: memref<5x7xi32>, %d: memref<5x7xi32>, %z: memref<35xi32>) -> (memref<5x7xi32>, memref<36xi32>) {
  // CHECK-NEXT: %status = region.zeros : memref<1xi32>
  // CHECK: region.launch @quotient ins(%x, %d : {{.*}}) outs(%0, %status : memref<5x7xi32>, memref<1xi32>)
  // CHECK: region.launch @padded ins(%z : {{.*}}) outs(%1, %status : memref<36xi32>, memref<1xi32>)
  // CHECK: region.launch @nonzero ins(%1 : {{.*}}) outs(%2 : memref<36xi32>)
  // CHECK-NEXT: region.check %status : memref<1xi32>
  // CHECK-NEXT: func.return
  %0 = memref.alloc() : memref<5x7xi32>
  region.launch @quotient ins(%x, %d : memref<5x7xi32>, memref<5x7xi32>) outs(%0 : memref<5x7xi32>)
  %1 = memref.alloc() : memref<36xi32>
  region.launch @padded ins(%z : memref<35xi32>) outs(%1 : memref<36xi32>)
  %2 = memref.alloc() : memref<36xi32>
  region.launch @nonzero ins(%1 : memref<36xi32>) outs(%2 : memref<36xi32>)
  func.return %0, %2 : memref<5x7xi32>, memref<36xi32>
}

// CHECK-LABEL: func.func @without
// CHECK-NOT: status
func.func @without(%x: memref<36xi32>) -> memref<36xi32> {
  %0 = memref.alloc() : memref<36xi32>
  region.launch @nonzero ins(%x : memref<36xi32>) outs(%0 : memref<36xi32>)
  func.return %0 : memref<36xi32>
}
