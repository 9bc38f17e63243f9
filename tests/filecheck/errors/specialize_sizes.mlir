// RUN: not ptir-opt %s -p 'specialize-sizes{sizes="B=3"}' --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of sizes that cannot be specialized.

// CHECK: {{.*}}error[PTIR0218]: sizes of @missing: the size x[1] is missing
// CHECK: help: the sizes are B, x[1]
func.func @missing(%x: tensor<?x?xf32, #ptir.dims<B, _>>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0218]: sizes of @static: there is no size B
// CHECK: help: all sizes of its arguments are static
func.func @static(%x: tensor<4xf32>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0113]: {{.*}} are known to differ
func.func @contradiction(%x: tensor<?xf32, #ptir.dims<B>>) {
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0563]: axis 0 of result 0 of ptir.custom_call is ? without a name, and its operands do not determine it
// CHECK: help: name the dimension of tensor<?xf32> after one of an argument, or give it a size
func.func @unknown(%x: tensor<?xf32, #ptir.dims<B>>) {
  %0 = ptir.custom_call "acme.unique.v1"(%x) : (tensor<?xf32, #ptir.dims<B>>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0219]: the sizes of 'ptir.cond' depend on data: [2] in 'then' and 'else', but [3]
// CHECK: help: kernels are compiled for fixed sizes; ptir.compile runs the program in parts, and compiles these during a call
func.func @branches(%p: tensor<i1>, %x: tensor<?xf32, #ptir.dims<B>>) {
  %0 = ptir.cond %p (%x) : (tensor<?xf32, #ptir.dims<B>>) -> tensor<?xf32> then (%a) {
    %s = ptir.slice %a [1] : tensor<?xf32, #ptir.dims<B>> -> tensor<?xf32>
    ptir.yield %s : tensor<?xf32>
  } else (%b) {
    %c = ptir.dim_cast %b : tensor<?xf32, #ptir.dims<B>> -> tensor<?xf32>
    ptir.yield %c : tensor<?xf32>
  }
  func.return
}
