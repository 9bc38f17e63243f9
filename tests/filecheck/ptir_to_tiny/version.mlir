// RUN: ptir-opt %s -p ptir-to-tiny --print-debuginfo | filecheck %s

// The version stays on the module, and each new op has the place of the one it stands for.

// CHECK: builtin.module attributes {ptir.spec_version = "ptir.v0.4"} {
builtin.module attributes {ptir.spec_version = "ptir.v0.4"} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: tiny.binary max {{.*}} loc("{{.*}}version.mlir":[[L:[0-9]+]]:10)
    // CHECK-NEXT: tiny.binary min {{.*}} loc("{{.*}}version.mlir":[[L]]:10)
    %0 = ptir.clamp %x, %x, %x : tensor<4xf32>
    func.return %0 : tensor<4xf32>
  }
}
