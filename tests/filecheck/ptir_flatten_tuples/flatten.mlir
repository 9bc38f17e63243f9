// RUN: ptir-opt %s -p ptir-flatten-tuples --split-input-file | filecheck %s
// RUN: ptir-opt %s -p ptir-flatten-tuples --split-input-file --validate-passes -o /dev/null

// Functions and control flow pass the elements, in order and recursively; tuple ops are gone.

// CHECK-LABEL: func.func @f(%p: tensor<i1>, %t.0: tensor<4xf32>, %t.1.0: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
// CHECK-NEXT:    %u.0, %u.1 = ptir.cond %p (%t.0, %t.1.0) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>) then (%a.0, %a.1.0) {
// CHECK-NEXT:      %m = ptir.neg %a.0 : tensor<4xf32>
// CHECK-NEXT:      ptir.yield %a.1.0, %m : tensor<2xf32>, tensor<4xf32>
// CHECK-NEXT:    } else (%b.0, %b.1.0) {
// CHECK-NEXT:      ptir.yield %b.1.0, %b.0 : tensor<2xf32>, tensor<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %u.0, %u.1 : tensor<2xf32>, tensor<4xf32>
func.func @f(%p: tensor<i1>, %t: tuple<tensor<4xf32>, tuple<tensor<2xf32>>>) -> tuple<tensor<2xf32>, tensor<4xf32>> {
  %u = ptir.cond %p (%t) : (tuple<tensor<4xf32>, tuple<tensor<2xf32>>>) -> tuple<tensor<2xf32>, tensor<4xf32>> then (%a) {
    %x = ptir.tuple_element %a[0] : tuple<tensor<4xf32>, tuple<tensor<2xf32>>> -> tensor<4xf32>
    %i = ptir.tuple_element %a[1] : tuple<tensor<4xf32>, tuple<tensor<2xf32>>> -> tuple<tensor<2xf32>>
    %y = ptir.tuple_element %i[0] : tuple<tensor<2xf32>> -> tensor<2xf32>
    %m = ptir.neg %x : tensor<4xf32>
    %r = ptir.tuple %y, %m : tuple<tensor<2xf32>, tensor<4xf32>>
    ptir.yield %r : tuple<tensor<2xf32>, tensor<4xf32>>
  } else (%b) {
    %x = ptir.tuple_element %b[0] : tuple<tensor<4xf32>, tuple<tensor<2xf32>>> -> tensor<4xf32>
    %i = ptir.tuple_element %b[1] : tuple<tensor<4xf32>, tuple<tensor<2xf32>>> -> tuple<tensor<2xf32>>
    %y = ptir.tuple_element %i[0] : tuple<tensor<2xf32>> -> tensor<2xf32>
    %r = ptir.tuple %y, %x : tuple<tensor<2xf32>, tensor<4xf32>>
    ptir.yield %r : tuple<tensor<2xf32>, tensor<4xf32>>
  }
  func.return %u : tuple<tensor<2xf32>, tensor<4xf32>>
}

// -----

// Calls and loops: the numbers of carried and scanned operands of a scan follow the elements.

// CHECK-LABEL: func.func @g
// CHECK-NEXT:    %l.0, %l.1, %all = ptir.scan (%x, %y) over (%xs) : (tensor<4xf32>, tensor<f32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<3x4xf32>) do (%c.0, %c.1, %z) {
// CHECK-NEXT:      ptir.yield %z, %c.1, %c.0 : tensor<4xf32>, tensor<f32>, tensor<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r.0, %r.1 = func.call @h(%l.0, %l.1) : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
// CHECK-NEXT:    func.return %all, %r.0, %r.1
func.func @g(%x: tensor<4xf32>, %y: tensor<f32>, %xs: tensor<3x4xf32>) -> (tensor<3x4xf32>, tuple<tensor<f32>, tensor<4xf32>>) {
  %t = ptir.tuple %x, %y : tuple<tensor<4xf32>, tensor<f32>>
  %l, %all = ptir.scan (%t) over (%xs) : (tuple<tensor<4xf32>, tensor<f32>>, tensor<3x4xf32>)
      -> (tuple<tensor<4xf32>, tensor<f32>>, tensor<3x4xf32>) do (%c, %z) {
    %a = ptir.tuple_element %c[0] : tuple<tensor<4xf32>, tensor<f32>> -> tensor<4xf32>
    %b = ptir.tuple_element %c[1] : tuple<tensor<4xf32>, tensor<f32>> -> tensor<f32>
    %n = ptir.tuple %z, %b : tuple<tensor<4xf32>, tensor<f32>>
    ptir.yield %n, %a : tuple<tensor<4xf32>, tensor<f32>>, tensor<4xf32>
  }
  %r = func.call @h(%l) : (tuple<tensor<4xf32>, tensor<f32>>) -> tuple<tensor<f32>, tensor<4xf32>>
  func.return %all, %r : tensor<3x4xf32>, tuple<tensor<f32>, tensor<4xf32>>
}
// CHECK:       func.func private @h(%t.0: tensor<4xf32>, %t.1: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
// CHECK-NEXT:    func.return %t.1, %t.0 : tensor<f32>, tensor<4xf32>
func.func private @h(%t: tuple<tensor<4xf32>, tensor<f32>>) -> tuple<tensor<f32>, tensor<4xf32>> {
  %a = ptir.tuple_element %t[0] : tuple<tensor<4xf32>, tensor<f32>> -> tensor<4xf32>
  %b = ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tensor<f32>> -> tensor<f32>
  %r = ptir.tuple %b, %a : tuple<tensor<f32>, tensor<4xf32>>
  func.return %r : tuple<tensor<f32>, tensor<4xf32>>
}

// -----

// A custom call keeps the types of its Python function. A function without tuples is not changed.

// CHECK-LABEL: func.func @custom
// CHECK-NEXT:    %t.0, %t.1 = ptir.custom_call "acme.pair.v1"(%x) attributes {ptir.signature = (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i1>>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
// CHECK-NEXT:    func.return %t.0
func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = ptir.custom_call "acme.pair.v1"(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i1>>
  %a = ptir.tuple_element %t[0] : tuple<tensor<4xf32>, tensor<i1>> -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}
// CHECK:       func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %0 = ptir.custom_call "acme.one.v1"(%x) : (tensor<4xf32>) -> tensor<4xf32>
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.custom_call "acme.one.v1"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
