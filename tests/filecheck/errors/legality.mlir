// RUN: not ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file --allow-unregistered-dialect 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of programs that have no CUDA kernel.

// CHECK: {{.*}}error[PTIR0203]: 'ptir.invented' has no form in tiny
// CHECK: help: write it with ops that have one: ptir.abs, ptir.add, {{.*}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = "ptir.invented"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = ptir.add %x, %u : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: the dynamic dimension 0 of tensor<?xf32> is not supported yet
// CHECK: help: a static size is needed: specialize-sizes{sizes="argument[axis]=8"} gives it a number, ptir.compile and ptir-run take it from the arrays
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  func.return %x : tensor<?xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: a tensor of 65 axes is not supported yet
// CHECK: help: arrays have at most 64: merge some with ptir.reshape
func.func @f() -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> {
  %x = ptir.iota axis 0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  func.return %x : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: the shape of tensor<0x4294967296x4294967296xf32> is not supported yet
func.func @f() -> tensor<0x4294967296x4294967296xf32> {
  %x = ptir.constant dense<> : tensor<0x4294967296x4294967296xf32>
  func.return %x : tensor<0x4294967296x4294967296xf32>
}
