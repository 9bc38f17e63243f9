// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the types, the instructions and the transfers of pto-ir.md.

// expected-error@+1 {{'pto.target' is 'a9'}}
module attributes {pto.target = #pto.target<a9>} {}

// -----

// expected-error@+1 {{'eid' is 8}}
func.func private @f(!pto.event<producer = #pto.op<TLOAD>, eid = 8>) -> ()

// -----

// expected-error@+1 {{expected}}
func.func private @f(!pto.event<producer = #pto.op<TLOAD>, eid = -1>) -> ()

// -----

// expected-error@+1 {{expected}}
func.func private @f(!pto.channel<-1, [!pto.tile<4x4xf16>]>) -> ()

// -----

// expected-error@+1 {{an event has a producer, such as `producer = #pto.op<TLOAD>`}}
func.func private @f(!pto.event<eid = 1>) -> ()

// -----

// expected-error@+1 {{unknown field 'id', expected producer, scope, eid}}
func.func private @f(!pto.event<producer = #pto.op<TLOAD>, id = 1>) -> ()

// -----

// expected-error@+1 {{'eid' is written twice}}
func.func private @f(!pto.event<producer = #pto.op<TLOAD>, eid = 1, eid = 2>) -> ()

// -----

// expected-error@+1 {{'memref' has shape [4, 0]}}
func.func private @f(!pto.memref<4x0xf32>) -> ()

// -----

// expected-error@+1 {{'strided' takes one stride for each axis (2), got 1}}
func.func private @f(!pto.memref<4x4xf32, strided<[1]>>) -> ()

// -----

// expected-error@+1 {{'layout' is written beside strides}}
func.func private @f(!pto.memref<4x4xf32, strided<[4, 1]>, {layout = #pto.layout<ND>}>) -> ()

// -----

func.func @f(%a: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{'pto.tile.add' returns an event of TMUL, but is itself a TADD}}
  %t, %e = pto.tile.add %a, %a : tile<8x8xf32>, !pto.event<producer = #pto.op<TMUL>>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf32>, %e: !pto.event<producer = #pto.op<TLOAD>>) {
  // expected-error@+1 {{'pto.tile.tf32' is no instruction of PTO, and has neither wait(...) nor an event}}
  %t = pto.tile.tf32 %a wait(%e) : tile<8x8xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{%e is not defined before this op, which cannot wait for it}}
  %t = pto.tile.exp %a wait(%e) : tile<8x8xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{'valid' takes one number for each axis (2), got 1}}
  %t = pto.tile.exp %a {valid = [8]} : tile<8x8xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{'valid' is 9}}
  %t = pto.tile.exp %a {valid = [8, 9]} : tile<8x8xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{'valid' is 0}}
  %t = pto.tile.exp %a {valid = [0, 8]} : tile<8x8xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{'offsets' takes one index for each axis (2), got 1}}
  %v = pto.memref.subview %x[0] [8, 8] [1, 1] : pto.memref<64x64xf32> to pto.memref<8x8xf32, strided<[64, 1]>>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{'offsets' is -1}}
  %v = pto.memref.subview %x[-1, 0] [8, 8] [1, 1] : pto.memref<64x64xf32> to pto.memref<8x8xf32, strided<[64, 1], offset: ?>>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{'sizes' is [8, 8]}}
  %v = pto.memref.subview %x[57, 0] [8, 8] [1, 1] : pto.memref<64x64xf32> to pto.memref<8x8xf32, strided<[64, 1], offset: 3648>>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{the view has element type f16, expected f32}}
  %v = pto.memref.subview %x[0, 0] [8, 8] [1, 1] : pto.memref<64x64xf32> to pto.memref<8x8xf16, strided<[64, 1]>>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{expected !pto.memref<8x8xf32, strided<[64, 1], offset: 323>>}}
  %v = pto.memref.subview %x[5, 3] [8, 8] [1, 1] : pto.memref<64x64xf32> to pto.memref<8x8xf32, strided<[64, 1], offset: 69>>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32, {space = #pto.space<ub>}>) {
  %v = pto.memref.subview %x[0, 0] [8, 8] [1, 1] : pto.memref<64x64xf32, {space = #pto.space<ub>}>
    to pto.memref<8x8xf32, strided<[64, 1]>, {space = #pto.space<ub>}>
  // expected-error@+1 {{the view has shape !pto.memref<8x8xf32, strided<[64, 1]>, {space = #pto.space<gm>}>, expected}}
  %w = pto.memref.subview %x[0, 0] [8, 8] [1, 1] : pto.memref<64x64xf32, {space = #pto.space<ub>}>
    to pto.memref<8x8xf32, strided<[64, 1]>, {space = #pto.space<gm>}>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{the view has shape !pto.memref<8x8xf32>, expected !pto.memref<8x8xf32, strided<[64, 2]}}
  %v = pto.memref.subview %x[0, 0] [8, 8] [1, 2] : pto.memref<64x64xf32> to pto.memref<8x8xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{'offsets' takes one index for each axis (2), got 1}}
  %t = pto.tile.load %x[0] : pto.memref<64x64xf32>, tile<8x8xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{expected a tile of rank 2}}
  %t = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<8xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{the tile has element type f16, expected f32}}
  %t = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<8x8xf16>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{'loc' is #pto.loc<Vec>, but the tile is}}
  %t = pto.tile.load %x[0, 0] {loc = #pto.loc<Vec>} : pto.memref<64x64xf32>, tile<8x8xf32, #pto.tile_info<loc=Mat, layout=Nz>>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>, %t: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{'pto.tile.store' returns an event of TSTORE_ACC, but is itself a TSTORE_VEC}}
  %e = pto.tile.store %t, %x[0, 0] : pto.memref<64x64xf32>, tile<8x8xf32>, !pto.event<producer = #pto.op<TSTORE_ACC>>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf16>, %b: !pto.tile<8x8xf16>) {
  // expected-error@+1 {{acc has shape [8, 4], expected the product of [8, 8] and [8, 8]}}
  %t = pto.tile.matmul %a, %b : tile<8x8xf16>, tile<8x8xf16> -> tile<8x4xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf16>, %b: !pto.tile<8x8xf16>, %bias: !pto.tile<8x8xf32>) {
  // expected-error@+1 {{the bias has shape !pto.tile<8x8xf32>, expected one row of 8 elements}}
  %t = pto.tile.matmul.bias %a, %b, %bias : tile<8x8xf16>, tile<8x8xf16>, tile<8x8xf32> -> tile<8x8xf32>
  func.return
}

// -----

func.func @f(%a: !pto.tile<8x8xf16>, %b: !pto.tile<8x8xf16>, %bias: !pto.tile<1x8xf32, #pto.tile_info<loc=Vec>>) {
  // expected-error@+1 {{'pto.tile.matmul.bias' takes its bias from Bias, got Vec}}
  %t = pto.tile.matmul.bias %a, %b, %bias : tile<8x8xf16>, tile<8x8xf16>, tile<1x8xf32, #pto.tile_info<loc=Vec>> -> tile<8x8xf32>
  func.return
}

// -----

func.func @f(%t: !pto.tile<4x4xf32>) {
  // expected-error@+1 {{'valid' takes one value for each dynamic index (1), got 0}}
  %s = "pto.tile.exp"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_valid = array<i64: -9223372036854775808, 4>}> : (!pto.tile<4x4xf32>) -> !pto.tile<4x4xf32>
  func.return
}

// -----

func.func @f(%t: !pto.tile<4x4xf32>, %n: index) {
  // expected-error@+1 {{has values of 'valid', but no 'static_valid'}}
  %s = "pto.tile.exp"(%t, %n) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!pto.tile<4x4xf32>, index) -> !pto.tile<4x4xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x60xf32>) {
  // expected-error@+1 {{'offsets' is 56}}
  %t = pto.tile.load %x[0, 56] : pto.memref<64x60xf32>, tile<8x8xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x60xf32>, %t: !pto.tile<8x8xf32>) {
  pto.tile.store %t, %x[0, 56] {valid = [8, 4]} : pto.memref<64x60xf32>, tile<8x8xf32>
  func.return
}

// -----

func.func @f(%x: !pto.memref<64x64xf32>, %t: !pto.tile<8x8xf32, #pto.tile_info<loc=Acc>>) {
  %v = pto.memref.subview %x[56, 0] [8, 8] [1, 9] : pto.memref<64x64xf32> to pto.memref<8x8xf32, strided<[64, 9], offset: 3584>>
  %e = pto.tile.store %t, %x[56, 0] : pto.memref<64x64xf32>, tile<8x8xf32, #pto.tile_info<loc=Acc>>, !pto.event<producer = #pto.op<TSTORE_ACC>>
  func.return
}

// -----

func.func @size_of_a_tile(%x: !pto.memref<64x64xf32>) {
  // expected-error@+1 {{'tile' has shape [99999999999999999999, 64]}}
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<99999999999999999999x64xf32>
  func.return
}

// -----

func.func @sizes_that_are_not_known(%x: !pto.memref<?x64xf32>, %y: !pto.memref<64x64xf32>, %n: index) {
  %v = pto.memref.subview %x[90, 0] [8, 8] [1, 1] : pto.memref<?x64xf32> to pto.memref<8x8xf32, strided<[64, 1], offset: 5760>>
  %w = pto.memref.subview %x[0, 0] [%n, 8] [1, 1] : pto.memref<?x64xf32> to pto.memref<?x8xf32, strided<[64, 1]>>
  %z = pto.memref.subview %y[0, 0] [%n, 8] [1, 1] : pto.memref<64x64xf32> to pto.memref<?x8xf32, strided<[64, 1]>>
  func.return
}

// -----

// expected-error@+1 {{expected an attribute such as `#pto.op<TLOAD>`}}
func.func @bare_word(%e: !pto.event<producer = TLOAD>) { func.return }
