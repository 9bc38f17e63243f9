// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers.

// expected-error@+1 {{a kernel argument is tensor<4xf32>; the arguments of a kernel are memrefs}}
region.kernel @k(%x: tensor<4xf32> align 16) -> () {
  region.yield
}

// -----

// expected-error@+1 {{'align' is 12}}
region.kernel @k(%x: memref<4xf32> align 12) -> () {
  region.yield
}

// -----

// expected-error@+1 {{'align' is 0}}
region.kernel @k(%x: memref<4xf32> align 0) -> () {
  region.yield
}

// -----

// expected-error@+1 {{'materialize' is 'cache'}}
region.kernel @k() -> (%y: memref<4xf32> align 16 cache) {
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{'alignments' takes one entry for each argument (1), got 2}}
"region.kernel"() <{sym_name = "k", input_count = 0 : i64, alignments = array<i64: 16, 16>, materialize = ["gmem"]}> ({
^bb0(%y: memref<4xf32>):
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}) : () -> ()

// -----

// expected-error@+1 {{'materialize' takes one entry for each output (1), got 0}}
"region.kernel"() <{sym_name = "k", input_count = 0 : i64, alignments = array<i64: 16>, materialize = []}> ({
^bb0(%y: memref<4xf32>):
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}) : () -> ()

// -----

// expected-error@+1 {{'region.kernel' must end with region.yield}}
region.kernel @k() -> () {
  "test.termop"() : () -> ()
}

// -----

region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  // expected-error@+1 {{region.yield takes 1 operand, got 0}}
  region.yield
}

// -----

region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  %0 = tiny.const dense<1.0> : tensor<5xf32>
  // expected-error@+1 {{a yielded value has shape [5], expected [4]}}
  region.yield %0 : tensor<5xf32>
}

// -----

region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  %0 = tiny.const dense<1.0> : tensor<4xf16>
  // expected-error@+1 {{a yielded value has element type f16, expected f32}}
  region.yield %0 : tensor<4xf16>
}

// -----

region.kernel @k(%x: memref<4xf32> align 16) -> () {
  // expected-error@+1 {{the result has shape tensor<5xf32>, expected the shape of memref<4xf32>}}
  %0 = region.load %x : memref<4xf32> -> tensor<5xf32>
  region.yield
}

// -----

region.kernel @k(%x: memref<4xf32> align 16) -> () {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = region.load %x : memref<4xf32> -> tensor<4xf16>
  region.yield
}

// -----

// A kernel sees its own arguments only.

func.func @f(%x: memref<4xf32>) {  // expected-note {{defined here}}
  region.kernel @k() -> () {
    // expected-error@+1 {{operand #0 is defined outside of 'region.kernel', which is isolated from above}}
    %0 = region.load %x : memref<4xf32> -> tensor<4xf32>
    region.yield
  }
  func.return
}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error@+1 {{'region.launch' launches @k, which is not a kernel of this module}}
  region.launch @k outs(%x : memref<4xf32>)
  func.return
}

// -----

// expected-note@+1 {{the kernel is here}}
region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}
func.func @f(%x: memref<5xf32>) {
  // expected-error@+1 {{'region.launch' has operand types that do not match @k: got (memref<5xf32>), expected (memref<4xf32>)}}
  region.launch @k outs(%x : memref<5xf32>)
  func.return
}

// -----

// An input in the place of an output.

// expected-note@+1 {{the kernel is here}}
region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}
func.func @f(%x: memref<4xf32>) {
  // expected-error@+1 {{'region.launch' has operand types that do not match @k: got (memref<4xf32>), expected (memref<4xf32>)}}
  "region.launch"(%x) <{kernel = @k, operandSegmentSizes = array<i32: 1, 0>}> : (memref<4xf32>) -> ()
  func.return
}

// -----

// A kernel that claims more inputs than it has arguments; the launch says nothing of its own.

// expected-error@+1 {{a kernel takes one argument for each input (2), got 1}}
"region.kernel"() <{sym_name = "k", input_count = 2 : i64, alignments = array<i64: 16>, materialize = []}> ({
^bb0(%y: memref<4xf32>):
  "region.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'region.kernel' Expected attribute i64 but got i32}}
"region.kernel"() <{sym_name = "k", input_count = 0 : i32, alignments = array<i64: 16>, materialize = ["gmem"]}> ({
^bb0(%y: memref<4xf32>):
  %0 = "tiny.const"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  "region.yield"(%0) : (tensor<4xf32>) -> ()
}) : () -> ()

// -----

func.func @f() {
  // expected-error@+1 {{the buffer is memref<?xi32>; its sizes must be known}}
  %0 = region.zeros : memref<?xi32>
  func.return
}

// -----

func.func @f(%x: memref<2xi32>) {
  // expected-error@+1 {{the status word is memref<2xi32>; it must be memref<1xi32>}}
  region.check %x : memref<2xi32>
  func.return
}

// -----

// Only tile programs have a status word.

// expected-error@+1 {{'materialize' is 'status'}}
region.kernel @k() -> (%y: memref<1xi32> align 16 status) {
  %0 = tiny.const dense<1> : tensor<1xi32>
  region.yield %0 : tensor<1xi32>
}

// -----

func.func @f(%p: memref<1xi1>) {
  // expected-error@+1 {{the predicate is memref<1xi1>; its rank must be 0}}
  %0 = region.read %p : memref<1xi1>
  func.return
}

// -----

func.func @f(%x: memref<f32>, %i: index) {
  // expected-error@+1 {{the array is memref<f32>; it must have a leading axis}}
  %0 = region.row %x[%i] : memref<f32> -> memref<f32>
  func.return
}

// -----

func.func @f(%x: memref<8x4xf32>, %i: index) {
  // expected-error@+1 {{the row has type memref<8xf32>, expected memref<4xf32>}}
  %0 = region.row %x[%i] : memref<8x4xf32> -> memref<8xf32>
  func.return
}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error@+1 {{operand 0 has type memref<4xf32>, expected memref<3xui8>}}
  region.custom_call "acme.f.v1" ins(%x : memref<4xf32>) attrs {} as (tensor<5xsi4>) -> ()
  func.return
}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error@+1 {{the call takes 2 results, got 1}}
  region.custom_call "acme.f.v1" outs(%x : memref<4xf32>) attrs {} as () -> tuple<tensor<4xf32>, tensor<f32>>
  func.return
}

// -----

region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  // expected-error@+1 {{'region.load' loads an output that is not marked 'updated'}}
  %0 = region.load %y : memref<4xf32> -> tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}

// -----

region.kernel @k(%i: memref<4xsi32> align 16) -> (%y: memref<4xsi32> align 16 updated) {
  %0 = region.load %i : memref<4xsi32> -> tensor<4xsi32>
  %1 = ptir.scatter_reduce add %0, %0, %0 axis 0 : tensor<4xsi32>, tensor<4xsi32>, tensor<4xsi32>
  // expected-error@+1 {{'region.yield' must yield a scatter of what is in an output marked 'updated', and of nothing else}}
  region.yield %1 : tensor<4xsi32>
}

// -----

region.kernel @k(%i: memref<4xsi32> align 16) -> (%y: memref<4xsi32> align 16 updated) {
  %0 = region.load %y : memref<4xsi32> -> tensor<4xsi32>
  %1 = ptir.scatter_reduce add %0, %0, %0 axis 0 : tensor<4xsi32>, tensor<4xsi32>, tensor<4xsi32>
  // expected-error@+1 {{'region.yield' must yield a scatter of what is in an output marked 'updated', and of nothing else}}
  region.yield %1 : tensor<4xsi32>
}

// -----

region.kernel @k(%x: memref<4xf32> align 16) -> (%y: memref<4xf32> align 16 gmem) {
  %0 = region.load %x : memref<4xf32> -> tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}
func.func @f(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  // expected-note@+1 {{the other launch is here}}
  region.launch @k group 0 ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  // expected-error@+1 {{is in group 0 with a launch that uses what it writes, or writes what it uses}}
  region.launch @k group 0 ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  func.return
}
