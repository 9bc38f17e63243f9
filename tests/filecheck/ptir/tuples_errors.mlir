// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @no_tuple(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a tuple type with 1 element}}
  %t = ptir.tuple %a : tensor<4xf32>
  func.return
}

// -----

func.func @too_many(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a tuple type with 1 element}}
  %t = ptir.tuple %a : tuple<tensor<4xf32>, tensor<4xf32>>
  func.return
}

// -----

func.func @other_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{the result has type tuple<tensor<5xf32>>, expected tuple<tensor<4xf32>>}}
  %t = "ptir.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  func.return
}

// -----

func.func @out_of_range(%t: tuple<tensor<4xf32>>, %e: tuple<>) {
  // expected-error@+1 {{'index' is 1}}
  %0 = ptir.tuple_element %t[1] : tuple<tensor<4xf32>> -> tensor<4xf32>
  // expected-error@+1 {{'index' is -1}}
  %1 = ptir.tuple_element %t[-1] : tuple<tensor<4xf32>> -> tensor<4xf32>
  // expected-error@+1 {{'index' is 0}}
  %2 = ptir.tuple_element %e[0] : tuple<> -> tensor<4xf32>
  func.return
}

// -----

func.func @another_type(%t: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{element 0 has type tensor<5xf32>, expected tensor<4xf32>}}
  %0 = ptir.tuple_element %t[0] : tuple<tensor<4xf32>> -> tensor<5xf32>
  func.return
}

// -----

func.func @no_tuple(%t: tensor<4xf32>) {
  // expected-error@+1 {{tuple}}
  %0 = ptir.tuple_element %t[0] : tensor<4xf32> -> tensor<4xf32>
  func.return
}
