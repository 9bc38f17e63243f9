// RUN: rm -f %t

// The codes of runs: what the interpreter reports of programs that verify. Each function is run alone.

// RUN: not ptir-run %s --target reference --entry division 2>>%t
// CHECK: {{.*}}error[PTIR0540]: integer division by zero
// CHECK: help: guard the divisor with a select: x / 0 is undefined in the contract
func.func @division() {
  %x = ptir.constant dense<1> : tensor<si32>
  %z = ptir.constant dense<0> : tensor<si32>
  %0 = ptir.div %x, %z : tensor<si32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry names 2>>%t
// CHECK: {{.*}}error[PTIR0561]: the name B is 2 in axis 0 of result 0 of ptir.dim_cast, but 3 in axis 0 of result 0 of ptir.dim_cast
// CHECK: help: equal names are equal sizes: pass arrays of equal sizes, or rename a dimension
func.func @names() {
  %a = ptir.constant dense<0.0> : tensor<2xf32>
  %b = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %a : tensor<2xf32> -> tensor<?xf32>
  %y = ptir.dim_cast %b : tensor<3xf32> -> tensor<?xf32>
  %0 = ptir.dim_cast %x : tensor<?xf32> -> tensor<?xf32, #ptir.dims<B>>
  %1 = ptir.dim_cast %y : tensor<?xf32> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}

// RUN: not ptir-run %s --target reference --entry shape 2>>%t
// CHECK: {{.*}}error[PTIR0562]: result 0 of ptir.dim_cast has shape [3], but its type is tensor<4xf32>
func.func @shape() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %0 = ptir.dim_cast %x : tensor<?xf32> -> tensor<4xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry unbound 2>>%t
// CHECK: {{.*}}error[PTIR0563]: axis 0 of result 0 of ptir.broadcast_to is B, which is not bound yet, and its operands do not determine it
// CHECK: help: name the dimension of tensor<?xf32, #ptir.dims<B>> after one of an argument, or give it a size
func.func @unbound() {
  %a = ptir.constant dense<0.0> : tensor<f32>
  %0 = ptir.broadcast_to %a : tensor<f32> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}

// RUN: not ptir-run %s --target reference --entry unnamed 2>>%t
// CHECK: {{.*}}error[PTIR0563]: axis 0 of result 0 of ptir.rng_uniform is ? without a name, and its operands do not determine it
// CHECK: help: name the dimension of tensor<?xf32> after one of an argument, or give it a size
func.func @unnamed() {
  %0 = ptir.rng_uniform seed 1 : tensor<?xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry operands 2>>%t
// CHECK: {{.*}}error[PTIR0564]: the operands of ptir.add have the shapes [2] and [3]
// CHECK: help: elementwise ops do not broadcast: insert a ptir.broadcast_to
func.func @operands() {
  %a = ptir.constant dense<0.0> : tensor<2xf32>
  %b = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %a : tensor<2xf32> -> tensor<?xf32>
  %y = ptir.dim_cast %b : tensor<3xf32> -> tensor<?xf32>
  %0 = ptir.add %x, %y : tensor<?xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry maximum 2>>%t
// CHECK: {{.*}}error[PTIR0565]: axis 0 has no elements in this run, so it has no largest element
// CHECK: help: argmax of an empty axis is undefined in the contract
func.func @maximum() {
  %c = ptir.constant dense<0.0> : tensor<0xf32>
  %x = ptir.dim_cast %c : tensor<0xf32> -> tensor<?xf32>
  %0 = ptir.argmax %x axis 0 : tensor<?xf32> -> tensor<si64>
  func.return
}

// RUN: not ptir-run %s --target reference --entry size 2>>%t
// CHECK: {{.*}}error[PTIR0566]: gamma has size 3 in this run, expected 4, as axis 1 of the input
// CHECK: help: the type does not determine the size, but it must agree at run time
func.func @size() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %k = ptir.constant dense<1.0> : tensor<2x4xf32>
  %y = ptir.dim_cast %k : tensor<2x4xf32> -> tensor<2x?xf32>
  %0 = ptir.layer_norm %y, %x, %x axis 1 epsilon 1.0e-05 : tensor<2x?xf32>, tensor<?xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry few 2>>%t
// CHECK: {{.*}}error[PTIR0567]: the axis has 3 elements in this run, but 4 are requested
// CHECK: help: pad the axis, or request fewer
func.func @few() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %0, %1 = ptir.top_k largest %x k 4 axis 0 : tensor<?xf32> -> tensor<4xf32>, tensor<4xsi32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry zero_point 2>>%t
// CHECK: {{.*}}error[PTIR0568]: zero point 300 is not a value of ui8
// CHECK: help: a zero point is the code of 0: one of 0 to 255
func.func @zero_point() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %s = ptir.constant dense<1.0> : tensor<f32>
  %z = ptir.constant dense<300> : tensor<i32>
  %0 = ptir.quantize %c, %s, %z : (tensor<3xf32>, tensor<f32>, tensor<i32>) -> tensor<3xui8>
  func.return
}

// RUN: not ptir-run %s --target reference --entry index 2>>%t
// CHECK: {{.*}}error[PTIR0570]: the index -1 at [1] of the indices is out of range: axis 0 has 3 elements
// CHECK: help: clamp the indices, or pad the indexed tensor
func.func @index() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %i = ptir.constant dense<[0, -1]> : tensor<2xsi32>
  %0 = ptir.take %c, %i : (tensor<3xf32>, tensor<2xsi32>) -> tensor<2xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry window 2>>%t
// CHECK: {{.*}}error[PTIR0571]: a window of size 2 at offset 2 exceeds axis 0, which has 3 elements in this run
func.func @window() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %0 = ptir.slice %x [2] : tensor<?xf32> -> tensor<2xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry reshape 2>>%t
// CHECK: {{.*}}error[PTIR0572]: 3 elements cannot have the shape [2, 2]
// CHECK: help: the product of the sizes is the number of elements
func.func @reshape() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %0 = ptir.reshape %x : tensor<?xf32> -> tensor<2x2xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry sorted 2>>%t
// CHECK: {{.*}}error[PTIR0573]: the segment ids are not sorted: 0 at [1] follows 1 at [0]
// CHECK: help: remove 'sorted': the op relies on it
func.func @sorted() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %i = ptir.constant dense<[1, 0, 2]> : tensor<3xi32>
  %0 = ptir.segment_reduce max %c, %i accum f32 sorted : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry unique 2>>%t
// CHECK: {{.*}}error[PTIR0573]: the segment ids are not unique: 1 at [2] follows 1 at [0]
// CHECK: help: remove 'unique': the op relies on it
func.func @unique() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %i = ptir.constant dense<[1, 0, 1]> : tensor<3xi32>
  %0 = ptir.segment_reduce max %c, %i accum f32 unique : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry broadcast 2>>%t
// CHECK: {{.*}}error[PTIR0574]: [3] does not broadcast to [2] in this run: axis 0 has 3 elements
// CHECK: help: each size must be 1 or that of the result
func.func @broadcast() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %0 = ptir.broadcast_to %x : tensor<?xf32> -> tensor<2xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry view 2>>%t
// CHECK: {{.*}}error[PTIR0581]: a view of shape [2] reads element 3 of an operand with 3 elements in this run
// CHECK: help: pad the operand first, or give its dimensions sizes
func.func @view() {
  %c = ptir.constant dense<0.0> : tensor<3xf32>
  %x = ptir.dim_cast %c : tensor<3xf32> -> tensor<?xf32>
  %0 = tiny.movement view %x offset 2 strides [1] : tensor<?xf32> -> tensor<2xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry custom_call 2>>%t
// CHECK: {{.*}}error[PTIR0577]: custom call 'acme.softmax.v1' is not implemented here
// CHECK: help: register it with ptir.register_custom_call; registered: none
func.func @custom_call() {
  ptir.custom_call "acme.softmax.v1"() : () -> ()
  func.return
}

// RUN: not ptir-run %s --target reference --entry axes 2>>%t
// CHECK: {{.*}}error[PTIR0582]: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> is too large for the interpreter: it has 65 axes, but arrays have at most 64
// CHECK: help: compile the program, or run it on smaller sizes
func.func @axes() {
  %a = ptir.constant dense<0.0> : tensor<f32>
  %0 = ptir.broadcast_to %a : tensor<f32> -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry memory 2>>%t
// CHECK: {{.*}}error[PTIR0582]: tensor<4611686018427387904xf32> is too large for the interpreter: no machine has that much memory
// CHECK: help: compile the program, or run it on smaller sizes
func.func @memory() {
  %a = ptir.constant dense<0.0> : tensor<f32>
  %0 = ptir.broadcast_to %a : tensor<f32> -> tensor<4611686018427387904xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry foreign 2>>%t
// CHECK: {{.*}}error[PTIR0482]: could not find interpretation function for op tensor.empty
// CHECK: help: --target reference, --compare and ptir.reference take programs at the level of ptir, tiny, region or pto
func.func @foreign() {
  %0 = tensor.empty() : tensor<4xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry nothing 2>>%t
// CHECK: {{.*}}error[PTIR0482]: could not find external function implementation named nowhere
// CHECK: help: --target reference, --compare and ptir.reference take programs at the level of ptir, tiny, region or pto
func.func private @nowhere()
func.func @nothing() {
  func.call @nowhere() : () -> ()
  func.return
}

// RUN: not ptir-run %s --target reference --entry bounds --random 0 --compare reference 2>>%t
// CHECK: {{.*}}error[PTIR0543]: no error bound is known for ptir.take at indices that are not exact
func.func @bounds(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.sub %x, %x : tensor<4xf32>
  %1 = ptir.exp %0 : tensor<4xf32>
  %2 = ptir.cast %1 : tensor<4xf32> -> tensor<4xi32>
  %3 = ptir.take %x, %2 : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// RUN: filecheck %s --match-full-lines --input-file=%t
