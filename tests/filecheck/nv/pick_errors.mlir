// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%member: index, %a: memref<4xf32>) {
  // expected-error@+1 {{nv.pick takes two arguments at least, got 1 argument}}
  %w = nv.pick %member of %a : memref<4xf32>
  func.return
}

// -----

func.func @f(%member: index, %a: memref<4xf32>) {
  %b = memref.alloc() : memref<4xf32>
  // expected-error@+1 {{must pick one of the kernel's arguments}}
  %w = nv.pick %member of %a, %b : memref<4xf32>
  func.return
}
