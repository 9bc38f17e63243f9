// RUN: ptir-translate --export-region-json %s --split-input-file --verify-diagnostics | filecheck %s --allow-empty

// CHECK-NOT: "region"

// expected-error@+1 {{a module without kernels cannot be written as Region JSON}}
builtin.module {
}

// -----

// expected-error@+1 {{a kernel with a plan cannot be written as Region JSON}}
region.kernel @f(%x: memref<4xf32> align 16) -> (%y: memref<4xf32> align 16 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 2}}> {
  %0 = region.load %x : memref<4xf32> -> tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}

// -----

region.kernel @f(%x: memref<4xf32> align 16, %i: memref<3xi32> align 16) -> (%y: memref<3xf32> align 16 gmem) {
  %0 = region.load %x : memref<4xf32> -> tensor<4xf32>
  %1 = region.load %i : memref<3xi32> -> tensor<3xi32>
  // expected-error@+1 {{'ptir.gather' cannot be written as Tiny JSON}}
  %2 = ptir.gather %0, %1 axis 0 : (tensor<4xf32>, tensor<3xi32>) -> tensor<3xf32>
  region.yield %2 : tensor<3xf32>
}
