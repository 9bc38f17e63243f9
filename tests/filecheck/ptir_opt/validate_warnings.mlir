// RUN: ptir-opt %s -p cse,canonicalize,cse --validate-passes --verify-diagnostics

// What no executor can run is said, once, and the rest is validated.

// expected-warning @below {{@nobody is not validated: it has no body}}
func.func private @nobody(tensor<4xf32>) -> tensor<4xf32>

// Sizes of tensors are drawn, those of memrefs are not.
func.func @any_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  func.return %x : tensor<?xf32>
}

// expected-warning @below {{@any_memref is not validated: its signature has a memref<?xf32>, whose sizes are not known}}
func.func @any_memref(%x: memref<?xf32>) {
  func.return
}

// expected-warning @below {{@foreign is not validated: the interpreter: could not find interpretation function for op tensor.empty}}
func.func @foreign() -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

func.func @fine(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.neg %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
