// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK: %w = nv.pick %member of %a, %b : memref<4xf32>
// GENERIC: %w = "nv.pick"(%member, %a, %b) : (index, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
func.func @f(%member: index, %a: memref<4xf32>, %b: memref<4xf32>) {
  %w = nv.pick %member of %a, %b : memref<4xf32>
  func.return
}
