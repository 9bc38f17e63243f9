// RUN: ptir-opt %s -p form-regions --split-input-file | filecheck %s
// RUN: ptir-opt %s -p 'form-regions,plan-regions{arch=sm80},region-to-pto' --split-input-file --validate-passes -o /dev/null

// The zeros of a scatter are stored by one kernel and updated in place by another, which computes indices and updates. What reads the
// result is a third kernel. An index that may be out of range has a number.

// CHECK-LABEL: region.kernel @sums_0() -> (%zeros: memref<9xsi32> align 256 deferred)
// CHECK-LABEL: region.kernel @sums_1(%i: memref<70xsi32> align 16) -> (%0: memref<9xsi32> align 256 updated)
// CHECK: tiny.unary neg
// CHECK: tiny.binary mul
// CHECK: %[[X:.*]] = region.load %0
// CHECK-NEXT: %[[SUM:.*]] = ptir.scatter_reduce add %[[X]], %{{.*}}, %{{.*}} axis 0 report 1
// CHECK-NEXT: region.yield %[[SUM]]
// CHECK-LABEL: region.kernel @sums_2(
// CHECK: tiny.unary abs
// CHECK-LABEL: func.func @sums
// CHECK: %[[OUT:.*]] = memref.alloc() : memref<9xsi32>
// CHECK-NEXT: region.launch @sums_0 outs(%[[OUT]]
// CHECK-NEXT: region.launch @sums_1 ins(%i : memref<70xsi32>) outs(%[[OUT]]
// CHECK: region.launch @sums_2 ins(%[[OUT]]
func.func @sums(%i: tensor<70xsi32>) -> tensor<9xsi32> {
  %0 = tiny.const dense<0> : tensor<si32>
  %zeros = tiny.movement expand %0 : tensor<si32> -> tensor<9xsi32>
  %j = tiny.unary neg %i : tensor<70xsi32> -> tensor<70xsi32>
  %u = tiny.binary mul %i, %i : (tensor<70xsi32>, tensor<70xsi32>) -> tensor<70xsi32>
  %1 = ptir.scatter_reduce add %zeros, %j, %u axis 0 : tensor<9xsi32>, tensor<70xsi32>, tensor<70xsi32>
  %2 = tiny.unary abs %1 : tensor<9xsi32> -> tensor<9xsi32>
  func.return %2 : tensor<9xsi32>
}

// -----

// What others read, too, is copied: an argument, and the result of another scatter.

// CHECK-LABEL: func.func @copies
// CHECK: %[[A:.*]] = memref.alloc() : memref<9xsi64>
// CHECK-NEXT: "memref.copy"(%x, %[[A]])
// CHECK-NEXT: region.launch @copies_0 ins(%i : memref<70xsi64>) outs(%[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc() : memref<9xsi64>
// CHECK-NEXT: "memref.copy"(%[[A]], %[[B]])
// CHECK-NEXT: region.launch @copies_1 ins(%i : memref<70xsi64>) outs(%[[B]]
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @copies(%x: tensor<9xsi64>, %i: tensor<70xsi64>) -> (tensor<9xsi64>, tensor<9xsi64>) {
  %0 = ptir.scatter_reduce max %x, %i, %i axis 0 : tensor<9xsi64>, tensor<70xsi64>, tensor<70xsi64>
  %1 = ptir.scatter_reduce min %0, %i, %i axis 0 : tensor<9xsi64>, tensor<70xsi64>, tensor<70xsi64>
  func.return %0, %1 : tensor<9xsi64>, tensor<9xsi64>
}

// -----

// Equal zeros are stored twice, not copied. A chain of scatters updates one array.

// CHECK-LABEL: func.func @zeros
// CHECK-NOT: memref.copy
// CHECK: region.launch @zeros_0 group 0 outs(%[[A:.*]] : memref<9xsi32>)
// CHECK: region.launch @zeros_0 group 0 outs(%[[B:.*]] : memref<9xsi32>)
// CHECK-NEXT: region.launch @zeros_1 ins(%i : memref<70xsi32>) outs(%[[B]] : memref<9xsi32>)
// CHECK-NEXT: region.launch @zeros_2 ins(%i : memref<70xsi32>) outs(%[[B]] : memref<9xsi32>)
// CHECK-NEXT: region.launch @zeros_3 ins(%i : memref<70xsi32>) outs(%[[A]] : memref<9xsi32>)
// CHECK-NEXT: func.return %[[B]], %[[A]]
func.func @zeros(%i: tensor<70xsi32>) -> (tensor<9xsi32>, tensor<9xsi32>) {
  %zeros = tiny.const dense<0> : tensor<9xsi32>
  %0 = ptir.scatter_reduce add %zeros, %i, %i axis 0 : tensor<9xsi32>, tensor<70xsi32>, tensor<70xsi32>
  %1 = ptir.scatter_reduce max %0, %i, %i axis 0 : tensor<9xsi32>, tensor<70xsi32>, tensor<70xsi32>
  %2 = ptir.scatter_reduce add %zeros, %i, %i axis 0 : tensor<9xsi32>, tensor<70xsi32>, tensor<70xsi32>
  func.return %1, %2 : tensor<9xsi32>, tensor<9xsi32>
}

// -----

// A reduction is stored before the scatter whose updates it has.

// CHECK-LABEL: region.kernel @reduced_0
// CHECK: tiny.reduce sum
// CHECK-NEXT: region.yield
// CHECK-LABEL: region.kernel @reduced_1
// CHECK-NOT: tiny.reduce
// CHECK: ptir.scatter_reduce
// CHECK-LABEL: func.func @reduced
func.func @reduced(%x: tensor<9xsi32>, %i: tensor<70xsi32>, %u: tensor<70x64xsi32>) -> tensor<9xsi32> {
  %0 = tiny.reduce sum %u axes [1] accum si32 : tensor<70x64xsi32> -> tensor<70xsi32>
  %1 = ptir.scatter_reduce add %x, %i, %0 axis 0 : tensor<9xsi32>, tensor<70xsi32>, tensor<70xsi32>
  func.return %1 : tensor<9xsi32>
}

// -----

// A scan stores the results of its scatters in the rows of the stacked result.

// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = region.row %{{.*}}[%step] : memref<3x8xsi32> -> memref<8xsi32>
// CHECK-NEXT: region.launch @rows_0 outs(%[[ROW]]
// CHECK-NEXT: region.launch @rows_1 ins(%{{.*}}) outs(%[[ROW]]
// CHECK-NOT: memref.copy
func.func @rows(%c: tensor<si32>, %is: tensor<3x70xsi32>) -> (tensor<si32>, tensor<3x8xsi32>) {
  %0, %1 = ptir.scan (%c) over (%is) : (tensor<si32>, tensor<3x70xsi32>) -> (tensor<si32>, tensor<3x8xsi32>) do (%c0, %i) {
    %zeros = tiny.const dense<0> : tensor<8xsi32>
    %2 = ptir.scatter_reduce add %zeros, %i, %i axis 0 : tensor<8xsi32>, tensor<70xsi32>, tensor<70xsi32>
    ptir.yield %c0, %2 : tensor<si32>, tensor<8xsi32>
  }
  func.return %0, %1 : tensor<si32>, tensor<3x8xsi32>
}

// -----

// Indices that are known to be in range have no number: those that are clamped, and those that are checked.

// CHECK-LABEL: region.kernel @clamped_0
// CHECK: ptir.scatter_reduce add %{{.*}} axis 0 : tensor<9xsi32>
// CHECK-LABEL: region.kernel @clamped_2
// CHECK: tiny.binary require_index %{{.*}} report 1
// CHECK: ptir.scatter_reduce max %{{.*}} axis 0 : tensor<9x6xui64>
func.func @clamped(%x: tensor<9xsi32>, %i: tensor<70xsi32>, %u: tensor<70xsi32>, %w: tensor<70x6xui64>) -> (tensor<9xsi32>, tensor<9x6xui64>) {
  %0 = tiny.const dense<0> : tensor<si32>
  %8 = tiny.const dense<8> : tensor<si32>
  %a = tiny.binary max %i, %0 : (tensor<70xsi32>, tensor<si32>) -> tensor<70xsi32>
  %b = tiny.binary min %a, %8 : (tensor<70xsi32>, tensor<si32>) -> tensor<70xsi32>
  %1 = ptir.scatter_reduce add %x, %b, %u axis 0 : tensor<9xsi32>, tensor<70xsi32>, tensor<70xsi32>
  %sevens = tiny.const dense<7> : tensor<9x6xui64>
  %c = tiny.binary remainder %b, %8 : (tensor<70xsi32>, tensor<si32>) -> tensor<70xsi32>
  %bits = tiny.unary bitcast %c : tensor<70xsi32> -> tensor<70xui32>
  %9 = tiny.const dense<9> : tensor<ui32>
  %inside = tiny.binary lt %bits, %9 : (tensor<70xui32>, tensor<ui32>) -> tensor<70xi1>
  %d = tiny.binary require_index %inside, %c : (tensor<70xi1>, tensor<70xsi32>) -> tensor<70xsi32>
  %e = tiny.movement reshape %d : tensor<70xsi32> -> tensor<70x1xsi32>
  %f = tiny.movement expand %e : tensor<70x1xsi32> -> tensor<70x6xsi32>
  %2 = ptir.scatter_reduce max %sevens, %f, %w axis 0 : tensor<9x6xui64>, tensor<70x6xsi32>, tensor<70x6xui64>
  func.return %1, %2 : tensor<9xsi32>, tensor<9x6xui64>
}
