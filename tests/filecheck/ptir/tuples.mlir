// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s

// CHECK-LABEL: @tuples
func.func @tuples(%a: tensor<4xf32>, %b: tensor<?xsi32, #ptir.dims<B>>) -> tuple<tuple<>, tensor<?xsi32, #ptir.dims<B>>> {
  // CHECK: %t = ptir.tuple %a, %b {note} : tuple<tensor<4xf32>, tensor<?xsi32, #ptir.dims<B>>>
  %t = ptir.tuple %a, %b {note} : tuple<tensor<4xf32>, tensor<?xsi32, #ptir.dims<B>>>
  // CHECK: ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tensor<?xsi32, #ptir.dims<B>>> -> tensor<?xsi32, #ptir.dims<B>>
  %1 = ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tensor<?xsi32, #ptir.dims<B>>> -> tensor<?xsi32, #ptir.dims<B>>
  // CHECK: %e = ptir.tuple : tuple<>
  %e = ptir.tuple : tuple<>
  // CHECK: ptir.tuple %e, %{{.*}} : tuple<tuple<>, tensor<?xsi32, #ptir.dims<B>>>
  %n = ptir.tuple %e, %1 : tuple<tuple<>, tensor<?xsi32, #ptir.dims<B>>>
  func.return %n : tuple<tuple<>, tensor<?xsi32, #ptir.dims<B>>>
}
