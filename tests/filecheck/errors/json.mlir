// RUN: not ptir-translate --export-json %s --split-input-file --allow-unregistered-dialect 2>&1 >/dev/null | filecheck %s --match-full-lines
// RUN: not ptir-translate --import-json %S/Inputs/programs.json --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=PTIR
// RUN: not ptir-translate --import-tiny-json %S/Inputs/tiny_programs.json --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=TINY
// RUN: not ptir-translate --export-poly-json %S/../ptir_run/Inputs/two.mlir 2>&1 >/dev/null | filecheck %s --match-full-lines --check-prefix=POLY

// The codes of reading and writing JSON. The programs in JSON are in Inputs, as JSON has no comments.

// PTIR:  {{.*}}error[PTIR0640]: this is not JSON: there is no text
// PTIR:  {{.*}}error[PTIR0640]: this is not JSON: the text ends too early
// PTIR:  {{.*}}error[PTIR0640]: this is not JSON: invalid character
// PTIR:  {{.*}}error[PTIR0640]: this is not JSON: invalid character
// PTIR:  help: a program is JSON; IR is read by --export-json
// PTIR:  {{.*}}error[PTIR0641]: missing required field 'functions'
// PTIR:  {{.*}}error[PTIR0641]: unknown word 'Ngg'
// PTIR:  help: did you mean 'Neg'?
// PTIR:  {{.*}}error[PTIR0641]: unknown word 'Reduce'
// PTIR:  help: an operation with fields is an object: "op": {"Reduce": …}
// PTIR:  {{.*}}error[PTIR0641]: unknown field 'foo'
// PTIR:  help: one of spec_version, entry, functions, regions, extensions
// PTIR:  {{.*}}error[PTIR0642]: spec_version is 'ptir.v0.5', but only 'ptir.v0.4' can be read
// PTIR:  help: export the program again, from a producer of ptir.v0.4
// PTIR:  {{.*}}error[PTIR0643]: value 77 is not defined here
// PTIR:  help: a function or a region can use its own values only
// PTIR:  {{.*}}error[PTIR0643]: value 2 is not defined yet
// PTIR:  help: an instruction can use values that are defined before it
// PTIR:  {{.*}}error[PTIR0643]: function g is not defined
// PTIR:  help: 'entry' names a function
// PTIR:  {{.*}}error[PTIR0644]: value 1 is defined twice
// PTIR:  {{.*}}error[PTIR0645]: 3 bytes, and F32[4] has 16
// PTIR:  {{.*}}error[PTIR0646]: 'dtype' is Bf16, but the output has F32
// PTIR:  {{.*}}error[PTIR0646]: result 0 is tensor<3xf32>, not tensor<4xf32>
// PTIR:  {{.*}}error[PTIR0648]: fusion hints are not supported yet
// PTIR:  help: export the program before fusion

// TINY:  {{.*}}error[PTIR0641]: unknown word 'relo'
// TINY:  help: did you mean 'relu'?
// TINY:  {{.*}}error[PTIR0643]: value w is not defined
// TINY:  help: declare an argument in 'values'
// TINY:  {{.*}}error[PTIR0643]: value z is not defined
// TINY:  help: declare an argument in 'values'
// TINY:  {{.*}}error[PTIR0643]: axis Q is not defined in [M, M]
// TINY:  help: an axis is named by its size, if that has a name, or by its number
// TINY:  {{.*}}error[PTIR0650]: value x depends on itself: x → x
// TINY:  help: a program is a graph without cycles
// TINY:  {{.*}}error[PTIR0644]: value y is defined twice
// TINY:  {{.*}}error[PTIR0650]: value y depends on itself: y → y
// TINY:  help: a program is a graph without cycles
// TINY:  {{.*}}error[PTIR0650]: value y depends on itself: y → z → y
// TINY:  help: a program is a graph without cycles
// TINY:  {{.*}}error[PTIR0651]: axis M is ambiguous: axes 0, 1 of [M, M] have that size
// TINY:  help: write the number of the axis
// TINY:  {{.*}}error[PTIR0652]: the type of y cannot be inferred: nothing else determines the result type of this op
// TINY:  help: declare y in 'values'
// TINY:  {{.*}}error[PTIR0652]: the type of z cannot be inferred: nothing else determines the result type of this op
// TINY:  help: declare z in 'values'
// TINY:  {{.*}}error[PTIR0646]: exp has 1 input, got 2
// TINY:  {{.*}}error[PTIR0646]: mul has 2 inputs, got 1
// TINY:  {{.*}}error[PTIR0646]: an op has 1 output, got 0
// TINY:  {{.*}}error[PTIR0646]: value y is declared fp16[M, K], but its op gives fp32[M, K]
// TINY:  {{.*}}error[PTIR0645]: 'value' 1.5 is not a value of si32
// TINY:  help: write a number of the element type

// POLY:  {{.*}}error[PTIR0647]: a module without a view cannot be written as Poly-View JSON
// POLY:  help: run build-poly-view first

// CHECK: {{.*}}error[PTIR0647]: a function without a body cannot be written as PTIR JSON
// CHECK: help: a function is one block of instructions
func.func @declared() -> ()

// -----

// CHECK: {{.*}}error[PTIR0647]: the type i32 cannot be written as PTIR JSON
// CHECK: help: the values of PTIR are tensors and tuples of them
func.func @scalar(%x: i32) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0647]: the element type f80 cannot be written as PTIR JSON
// CHECK: help: the element types of PTIR are those of the contract
func.func @dtype(%x: tensor<4xf80>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0647]: a function of several blocks cannot be written as PTIR JSON
// CHECK: help: a function is one block of instructions
func.func @blocks() {
  cf.br ^next
^next:
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0647]: the function's attribute sym_visibility = "private" cannot be written as PTIR JSON
// CHECK: help: remove it: nothing is left out silently
func.func private @private() {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0647]: the type tensor<4xf32, "sparse"> cannot be written as PTIR JSON
// CHECK: help: a tensor has an element type, sizes and names of dimensions, and no other encoding
func.func @encoding(%x: tensor<4xf32, "sparse">) {
  func.return
}
