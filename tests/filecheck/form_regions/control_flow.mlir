// RUN: ptir-opt %s -p ptir-to-tiny,form-regions --split-input-file | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,form-regions --split-input-file --validate-passes -o /dev/null

// The branches of a condition use the memrefs of its operands; a branch without kernels yields one of them.

// CHECK-LABEL: func.func @cond
// CHECK-NEXT:    %0 = region.read %p : memref<i1>
// CHECK-NEXT:    %r = scf.if %0 -> (memref<4xf32>) {
// CHECK-NEXT:      %1 = memref.alloc() : memref<4xf32>
// CHECK-NEXT:      region.launch @cond_0 ins(%x, %y : memref<4xf32>, memref<4xf32>) outs(%1 : memref<4xf32>)
// CHECK-NEXT:      scf.yield %1 : memref<4xf32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %y : memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : memref<4xf32>
func.func @cond(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = ptir.cond %p (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%a, %b) {
    %d = ptir.sub %a, %b : tensor<4xf32>
    ptir.yield %d : tensor<4xf32>
  } else (%u, %v) {
    ptir.yield %v : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// A loop carries memrefs. The constants of its body are globals if they are passed on, and computed in kernels otherwise.

// CHECK:       "memref.global"() <{constant, initial_value = dense<0> : tensor<i32>, sym_name = "while_const0"
// CHECK-LABEL: func.func @while
// CHECK-NEXT:    %m, %y = scf.while (%j = %n, %a = %x) : (memref<i32>, memref<4xf32>) -> (memref<i32>, memref<4xf32>) {
// CHECK-NEXT:      %0 = memref.alloc() : memref<i1>
// CHECK-NEXT:      region.launch @while_0 ins(%j : memref<i32>) outs(%0 : memref<i1>)
// CHECK-NEXT:      %1 = region.read %0 : memref<i1>
// CHECK-NEXT:      scf.condition(%1) %j, %a : memref<i32>, memref<4xf32>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%k: memref<i32>, %b: memref<4xf32>):
// CHECK-NEXT:      %2 = memref.alloc() : memref<4xf32>
// CHECK-NEXT:      region.launch @while_1 ins(%b : memref<4xf32>) outs(%2 : memref<4xf32>)
// CHECK-NEXT:      %{{.*}} = memref.get_global @while_const0 : memref<i32>
// CHECK-NEXT:      scf.yield %{{.*}}, %2 : memref<i32>, memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %m, %y : memref<i32>, memref<4xf32>
func.func @while(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %m, %y = ptir.while (%n, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) cond (%j, %a) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<4xf32>
  } do (%k, %b) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %twice = ptir.add %b, %b : tensor<4xf32>
    ptir.yield %zero, %twice : tensor<i32>, tensor<4xf32>
  }
  func.return %m, %y : tensor<i32>, tensor<4xf32>
}

// -----

// Kernels write the rows of a stack where they are, and an aligned row is carried.

// CHECK:       region.kernel @scan_0(%s: memref<4xf32> align 16, %z: memref<4xf32> align 16) -> (%n: memref<4xf32> align 16 gmem)
// CHECK-LABEL: func.func @scan
// CHECK-NEXT:    %all = memref.alloc() : memref<5x4xf32>
// CHECK:         %l = scf.for %step = %0 to %1 step %2 iter_args(%s = %x) -> (memref<4xf32>) {
// CHECK-NEXT:      [[X:%.*]] = region.row %xs[%step] : memref<5x4xf32> -> memref<4xf32>
// CHECK-NEXT:      [[ROW:%.*]] = region.row %all[%step] : memref<5x4xf32> -> memref<4xf32>
// CHECK-NEXT:      region.launch @scan_0 ins(%s, [[X]] : memref<4xf32>, memref<4xf32>) outs([[ROW]] : memref<4xf32>)
// CHECK-NEXT:      scf.yield [[ROW]] : memref<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %l, %all
func.func @scan(%x: tensor<4xf32>, %xs: tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %l, %all = ptir.scan (%x) over (%xs) : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) do (%s, %z) {
    %n = ptir.add %s, %z : tensor<4xf32>
    ptir.yield %n, %n : tensor<4xf32>, tensor<4xf32>
  }
  func.return %l, %all : tensor<4xf32>, tensor<5x4xf32>
}

// -----

// The rows have 12 bytes: kernels are told that they are aligned to 4. A row that is carried is a buffer of its own, and is copied to
// the stack; so is a row that no kernel computes.

// CHECK:       region.kernel @unaligned_0(%s: memref<3xf32> align 16, %z: memref<3xf32> align 4) -> (%n: memref<3xf32> align 256 gmem, %m: memref<3xf32> align 4 gmem)
// CHECK-LABEL: func.func @unaligned
// CHECK:         scf.for
// CHECK-NEXT:      %z = region.row %xs[%step] : memref<5x3xf32> -> memref<3xf32>
// CHECK-NEXT:      [[N:%.*]] = memref.alloc() : memref<3xf32>
// CHECK-NEXT:      [[M:%.*]] = region.row %b[%step] : memref<5x3xf32> -> memref<3xf32>
// CHECK-NEXT:      region.launch @unaligned_0 ins(%s, %z : memref<3xf32>, memref<3xf32>) outs([[N]], [[M]] : memref<3xf32>, memref<3xf32>)
// CHECK-NEXT:      [[A:%.*]] = region.row %a[%step] : memref<5x3xf32> -> memref<3xf32>
// CHECK-NEXT:      "memref.copy"([[N]], [[A]]) : (memref<3xf32>, memref<3xf32>) -> ()
// CHECK-NEXT:      [[C:%.*]] = region.row %c[%step] : memref<5x3xf32> -> memref<3xf32>
// CHECK-NEXT:      "memref.copy"(%z, [[C]]) : (memref<3xf32>, memref<3xf32>) -> ()
// CHECK-NEXT:      scf.yield [[N]] : memref<3xf32>
func.func @unaligned(%x: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) {
  %l, %a, %b, %c = ptir.scan (%x) over (%xs) : (tensor<3xf32>, tensor<5x3xf32>)
      -> (tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) do (%s, %z) {
    %n = ptir.add %s, %z : tensor<3xf32>
    %m = ptir.neg %z : tensor<3xf32>
    ptir.yield %n, %n, %m, %z : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.return %a, %b, %c : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
}

// -----

// A call stays between kernels, on memrefs. Ops on which no result depends are dropped.

// CHECK-LABEL: func.func @call
// CHECK-NEXT:    %0 = memref.alloc() : memref<4xf32>
// CHECK-NEXT:    region.launch @call_0 ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)
// CHECK-NEXT:    %b = func.call @callee(%0) : (memref<4xf32>) -> memref<4xf32>
// CHECK-NEXT:    func.return %b, %x : memref<4xf32>, memref<4xf32>
func.func @call(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = ptir.exp %x : tensor<4xf32>
  %b = func.call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %unused = func.call @callee(%b) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %b, %x : tensor<4xf32>, tensor<4xf32>
}
// The callee has the same kernel.
// CHECK-NOT:   region.kernel
// CHECK-LABEL: func.func private @callee(%x: memref<4xf32>) -> memref<4xf32> {
// CHECK:         region.launch @call_0
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
