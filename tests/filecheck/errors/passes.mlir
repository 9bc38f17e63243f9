// RUN: not ptir-opt %s --allow-unregistered-dialect -p 'ptir-recognize,ptir-prepare-parameters,symbol-dce,build-poly-view{buffers=true}' --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of passes that do not lower.

// CHECK: {{.*}}error[PTIR0217]: the composite is not a valid 'softmax.v1': the region does not match
// CHECK: help: run ptir-inline-composites to drop the name, and ptir-recognize to find the pattern again
builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = ptir.composite "softmax.v1" (%x) {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32> do (%y) {
      %1 = ptir.exp %y : tensor<4x4xf32>
      ptir.yield %1 : tensor<4x4xf32>
    }
    func.return %0 : tensor<4x4xf32>
  }
}

// -----

// CHECK: {{.*}}error[PTIR0217]: the composite is not a valid 'softmax.v1': 'axis' is 0 : i64, but 1 : i64 in the region
// CHECK: help: run ptir-inline-composites to drop the name, and ptir-recognize to find the pattern again
builtin.module attributes {ptir.extensions} {
  func.func @f(%z: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = ptir.composite "softmax.v1" (%z) {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32> do (%x) {
      %m = ptir.reduce max %x axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
      %a = ptir.broadcast_to %m : tensor<4x1xf32> -> tensor<4x4xf32>
      %d = ptir.sub %x, %a : tensor<4x4xf32>
      %e = ptir.exp %d : tensor<4x4xf32>
      %s = ptir.reduce sum %e axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
      %b = ptir.broadcast_to %s : tensor<4x1xf32> -> tensor<4x4xf32>
      %r = ptir.div %e, %b : tensor<4x4xf32>
      ptir.yield %r : tensor<4x4xf32>
    }
    func.return %0 : tensor<4x4xf32>
  }
}

// -----

// CHECK: {{.*}}error[PTIR0216]: there is already a symbol @f.apply
// CHECK: help: rename it, or inline the functions of an earlier split
func.func @f.apply() {
  func.return
}

func.func @f(%w: tensor<4xf32> {ptir.parameter}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %w : tensor<4xf32>
  %1 = ptir.mul %y, %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0050]: 'unknown.table' may be a symbol table: which symbols are used is not known
// CHECK: help: register the dialect of the op, which says whether its region is a symbol table, or remove the op
func.func private @may_be_used()
"unknown.table"() ({
  "unknown.op"() {uses = @may_be_used} : () -> ()
}) : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0460]: tensor<35184372088833xf32> would take 140737488355332 bytes, and no process addresses more than 2^47
// CHECK: help: make it smaller, or compute it in parts
func.func @f(%x: tensor<35184372088833xf32>) -> tensor<35184372088833xf32> {
  %0 = tiny.unary neg %x : tensor<35184372088833xf32> -> tensor<35184372088833xf32>
  %1 = tiny.unary neg %0 : tensor<35184372088833xf32> -> tensor<35184372088833xf32>
  func.return %1 : tensor<35184372088833xf32>
}
