// RUN: ptir-opt %s --verify-roundtrip | filecheck %s

// CHECK: ptir.scatter_reduce mul %x, %i, %u axis 0
builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>, %i: tensor<2xsi32>, %u: tensor<2xf32>) {
    %0 = ptir.scatter_reduce mul %x, %i, %u axis 0 : tensor<4xf32>, tensor<2xsi32>, tensor<2xf32>
    func.return
  }
}
