// RUN: ptir-opt %s -p ptir-to-tiny,tiny-emulate-int4 --split-input-file --allow-unregistered-dialect | filecheck %s

// Control flow carries 8-bit integers; functions and calls pass bytes of two elements.

// CHECK-LABEL: func.func @f(%p: tensor<i1>, %x: tensor<3xui8>) -> tensor<3xui8>
// CHECK-SAME:    ptir.signature = (tensor<i1>, tensor<5xsi4>) -> tensor<5xsi4>
// CHECK:         %r = ptir.cond %p (%{{.*}}) : (tensor<5xsi8>) -> tensor<5xsi8> then (%a) {
// CHECK-NEXT:      %{{.*}} = tiny.unary neg %a : tensor<5xsi8> -> tensor<5xsi8>
// CHECK:           ptir.yield %{{.*}} : tensor<5xsi8>
// CHECK-NEXT:    } else (%b) {
// CHECK-NEXT:      ptir.yield %b : tensor<5xsi8>
// CHECK-NEXT:    }
// CHECK:         %{{.*}} = func.call @g(%{{.*}}) : (tensor<3xui8>) -> tensor<3xui8>
func.func @f(%p: tensor<i1>, %x: tensor<5xsi4>) -> tensor<5xsi4> {
  %r = ptir.cond %p (%x) : (tensor<5xsi4>) -> tensor<5xsi4> then (%a) {
    %n = ptir.neg %a : tensor<5xsi4>
    ptir.yield %n : tensor<5xsi4>
  } else (%b) {
    ptir.yield %b : tensor<5xsi4>
  }
  %c = func.call @g(%r) : (tensor<5xsi4>) -> tensor<5xsi4>
  func.return %c : tensor<5xsi4>
}
func.func private @g(%x: tensor<5xsi4>) -> tensor<5xsi4> {
  func.return %x : tensor<5xsi4>
}

// -----

// Functions that pass each other 4-bit integers change together, or not at all: the callee has an op without emulation.

// CHECK-LABEL: func.func @caller(%x: tensor<5xsi4>) -> tensor<5xsi4> {
// CHECK-NEXT:    %0 = func.call @callee(%x) : (tensor<5xsi4>) -> tensor<5xsi4>
func.func @caller(%x: tensor<5xsi4>) -> tensor<5xsi4> {
  %0 = func.call @callee(%x) : (tensor<5xsi4>) -> tensor<5xsi4>
  func.return %0 : tensor<5xsi4>
}
// CHECK:       func.func private @callee(%x: tensor<5xsi4>) -> tensor<5xsi4> {
func.func private @callee(%x: tensor<5xsi4>) -> tensor<5xsi4> {
  %0 = "test.op"(%x) : (tensor<5xsi4>) -> tensor<5xsi4>
  func.return %0 : tensor<5xsi4>
}
// CHECK:       func.func @alone(%x: tensor<3xui8>) -> tensor<3xui8>
func.func @alone(%x: tensor<5xsi4>) -> tensor<5xsi4> {
  func.return %x : tensor<5xsi4>
}
