// RUN: ptir-opt %s -p ptir-flatten-tuples --allow-unregistered-dialect --verify-diagnostics

func.func @f(%t: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{a tuple in 'test.take' is not supported yet}}
  "test.take"(%t) : (tuple<tensor<4xf32>>) -> ()
  func.return
}
