// RUN: not ptir-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines
// RUN: not ptir-opt %s.missing 2>&1 | filecheck %s --match-full-lines --check-prefix=MISSING
// RUN: not ptir-opt %S 2>&1 | filecheck %s --match-full-lines --check-prefix=FOLDER
// RUN: printf '\377' | not ptir-opt 2>&1 | filecheck %s --match-full-lines --check-prefix=BYTES
// RUN: printf '//\000' | not ptir-opt 2>&1 | filecheck %s --match-full-lines --check-prefix=NUL
// RUN: printf 'too long' | not ptir-opt --max-input-size=0 2>&1 | filecheck %s --match-full-lines --check-prefix=LARGE
// RUN: python -c "print('func.func private @f(' + 'tuple<' * 20000)" | not ptir-opt 2>&1 | filecheck %s --match-full-lines --check-prefix=DEEP

// The codes of texts that cannot be read.

// MISSING: error[PTIR0002]: cannot read '{{.*}}syntax.mlir.missing': No such file or directory

// FOLDER:  error[PTIR0002]: cannot read '{{.*}}': Is a directory

// BYTES:   {{.*}}error[PTIR0002]: <stdin> is not UTF-8 text: invalid start byte 0xff
// BYTES:   help: the textual form is UTF-8; is this a binary file?

// NUL:     {{.*}}error[PTIR0002]: <stdin> is not UTF-8 text: it contains a NUL
// NUL:     help: the textual form is UTF-8; is this a binary file?

// LARGE:   error[PTIR0006]: '<stdin>' is too large: more than 0 MiB, but the limit is 0 MiB
// LARGE:   help: --max-input-size=N sets the limit to N MiB

// DEEP:    {{.*}}error[PTIR0004]: nested too deeply to parse
// DEEP:    help: flatten the regions or types; the parser recurses once per level

// CHECK: {{.*}}error[PTIR0001]: 'tensr' is not a type
// CHECK: help: did you mean 'tensor'?
func.func @f(%x: tensr<4xf32>)

// -----

// CHECK: {{.*}}error[PTIR0001]: 'float32' is not a type
// CHECK: help: MLIR writes f32
func.func @f(%x: tensor<4x2xfloat32>)

// -----

// CHECK: {{.*}}error[PTIR0001]: redefinition of value %x
// CHECK: help: a name is defined once in a region and its nested regions
func.func @value(%x: i32) {
  %x = arith.constant 1 : i32
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0001]: %y has type tensor<4xf64> but is used as tensor<4xf32>
// CHECK: help: there is no implicit conversion: convert the value with an op, or correct the type
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  %0 = ptir.add %x, %y : tensor<4xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0001]: expected a function type: (the types of 1 operand) -> result types
func.func @f(%x: tensor<f32>) {
  ptir.custom_call "acme.softmax.v1"(%x) : () -> ()
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0001]: expected a function type: (the types of 2 operands) -> result types
func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  %r = ptir.scan (%c) over (%a) : (tensor<f32>) -> tensor<f32> do (%s, %x) {
    ptir.yield %s : tensor<f32>
  }
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0001]: expected the attribute 'out_dtype'
func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>) -> tensor<4x4xf16> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out : (tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf16>
  func.return %0 : tensor<4x4xf16>
}

// -----

// CHECK: {{.*}}error[PTIR0003]: operation 'arith.nope' is not registered
// CHECK: help: did you mean 'arith.negf'?
arith.nope

// -----

// CHECK: {{.*}}error[PTIR0003]: type 'nope.type' is not registered
// CHECK: help: there is no dialect 'nope'; --show-dialects lists them
func.func private @f(!nope.type)

// -----

// CHECK: {{.*}}error[PTIR0003]: type 'ptir.nope' is not registered
func.func private @f(!ptir.nope)

// -----

// CHECK: {{.*}}error[PTIR0003]: attribute 'nope.attr' is not registered
// CHECK: help: there is no dialect 'nope'; --show-dialects lists them
"test.op"() {a = #nope.attr} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0005]: use of undefined value %nope
func.func @undefined() {
  "test.op"(%nope) : (i32) -> ()
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0005]: use of undefined value %valeu
// CHECK: help: did you mean %value?
func.func @f(%value: i32) -> i32 {
  func.return %valeu : i32
}

// -----

// CHECK: {{.*}}error[PTIR0051]: the elements of this literal were elided when it was printed
// CHECK: help: print it again without --mlir-elide-elementsattrs-if-larger
"test.op"() {a = dense_resource<__elided__> : tensor<4xf32>} : () -> ()

// -----

// CHECK: {{.*}}error[PTIR0001]: the file ends inside a region
func.func @f() {
