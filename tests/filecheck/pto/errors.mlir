// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers.

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'pto.loc' is 'Ring'}}
    %t = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Ring>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'pto.layout' is 'NZ'}}
    %t = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Mat, layout=NZ>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'tile' has shape [4, 0]}}
    %t = "test.op"() : () -> !pto.tile<4x0xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'depth' is 0}}
    %t = "test.op"() : () -> !pto.channel<0, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{'pto.channel.commit' has tiles that do not match !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>}}
    pto.channel.commit %ring, %t : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>, tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>
    // expected-error@+1 {{'pto.channel.wait' has tiles that do not match !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>}}
    %t = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{'pto.channel.commit' must commit loaded tiles without other uses: they are copied directly into the slot}}
    pto.channel.commit %ring, %t : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>, tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf16> -> tile<4x4xf16, #pto.tile_info<loc=Mat>>
    %u = pto.tile.mov.m2l %a : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xf16, #pto.tile_info<loc=Left>>
    // expected-error@+1 {{'pto.channel.commit' must commit loaded tiles without other uses: they are copied directly into the slot}}
    pto.channel.commit %ring, %a : !pto.channel<2, [!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>]>, tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'in' takes one size for each offset (2), got 1}}
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8] dims [0, 1] : memref<8x8xf16> -> tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [0]}}
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0] : memref<8x8xf16> -> tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [1, 1]}}
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [1, 1] : memref<8x8xf16> -> tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [0, 2]}}
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 2] : memref<8x8xf16> -> tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [-1, 0]}}
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [-1, 0] : memref<8x8xf16> -> tile<4x4xf16, #pto.tile_info<loc=Mat>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the tile has element type f32, expected f16}}
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref<8x8xf16> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the tile has element type f32, expected f16}}
    pto.tile.store.map %t, %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<4x4xf32>, memref<8x8xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16>
    // expected-error@+1 {{'dims' is [0, 0]}}
    pto.tile.store.map %t, %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 0] : tile<4x4xf16>, memref<8x8xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Vec>>
    // expected-error@+1 {{'pto.tile.mov.m2l' moves Mat to Left, got Vec to Left}}
    %l = pto.tile.mov.m2l %t : tile<4x4xf16, #pto.tile_info<loc=Vec>> -> tile<4x4xf16, #pto.tile_info<loc=Left>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.tile.mov.m2v' moves Mat to Vec, got Acc to Vec}}
    %l = pto.tile.mov.m2v %t : tile<4x4xf16, #pto.tile_info<loc=Acc>> -> tile<4x4xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{'pto.tile.mov.v2l' moves Vec to Left, got Mat to Left}}
    %l = pto.tile.mov.v2l %t : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xf16, #pto.tile_info<loc=Left>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.tile.mov.v2a' moves Vec to Acc, got Acc to Acc}}
    %a = pto.tile.mov.v2a %t : tile<4x4xf32, #pto.tile_info<loc=Acc>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16>
    // expected-error@+1 {{the element type is f16; it must be f32}}
    %a = pto.tile.fma %t, %t, %t : tile<4x4xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{'pto.tile.mov.v2r' moves Vec to Right, got Mat to Right}}
    %l = pto.tile.mov.v2r %t : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xf16, #pto.tile_info<loc=Right>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{'pto.tile.mov.m2r' moves Mat to Right, got Mat to Left}}
    %l = pto.tile.mov.m2r %t : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xf16, #pto.tile_info<loc=Left>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{'pto.tile.mov.a2v' moves Acc to Vec, got Mat to Vec}}
    %l = pto.tile.mov.a2v %t : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{the result has shape !pto.tile<4x8xf16, #pto.tile_info<loc=Left>>, expected the shape and element type of}}
    %l = pto.tile.mov.m2l %t : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x8xf16, #pto.tile_info<loc=Left>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>
    // expected-error@+1 {{the result has shape !pto.tile<4x4xbf16, #pto.tile_info<loc=Left>>, expected the shape and element type of}}
    %l = pto.tile.mov.m2l %t : tile<4x4xf16, #pto.tile_info<loc=Mat>> -> tile<4x4xbf16, #pto.tile_info<loc=Left>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %l = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Left>>
    %r = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Right>>
    // expected-error@+1 {{'pto.tile.matmul.acc' takes Acc, Left and Right tiles, got Acc, Right, Left}}
    %d = pto.tile.matmul.acc %c, %r, %l : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xf16, #pto.tile_info<loc=Right>>, tile<4x4xf16, #pto.tile_info<loc=Left>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %l = "test.op"() : () -> !pto.tile<4x8xf16, #pto.tile_info<loc=Left>>
    %r = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Right>>
    // expected-error@+1 {{acc has shape [4, 4], expected the product of [4, 8] and [4, 4]}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x8xf16, #pto.tile_info<loc=Left>>, tile<4x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %l = "test.op"() : () -> !pto.tile<8x4xf16, #pto.tile_info<loc=Left>>
    %r = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Right>>
    // expected-error@+1 {{acc has shape [4, 4], expected the product of [8, 4] and [4, 4]}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<8x4xf16, #pto.tile_info<loc=Left>>, tile<4x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c = "test.op"() : () -> !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %l = "test.op"() : () -> !pto.tile<4x4xbf16, #pto.tile_info<loc=Left>>
    %r = "test.op"() : () -> !pto.tile<4x4xf16, #pto.tile_info<loc=Right>>
    // expected-error@+1 {{the product is bf16 x f16 into f32; the supported products are f16, bf16, f32 or fp8 into f32, f64 into f64, and 8-bit integers into i32}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xbf16, #pto.tile_info<loc=Left>>, tile<4x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the value has element type f32, expected f16}}
    %e = pto.tile.expands 0.0 : f32 : tile<4x4xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the value has element type complex<f64>, expected complex<f32>}}
    %e = pto.tile.expands [1.0 : f64, 2.0 : f64] : tile<4x4xcomplex<f32>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{Invalid value 1, expected 2}}
    %e = pto.tile.expands [1.0 : f32] : tile<4x4xcomplex<f32>>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4xi32>
    // expected-error@+1 {{the element type is i32; exp is defined on floats and complex numbers}}
    %e = pto.tile.exp %t : tile<4xi32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4xi1>
    // expected-error@+1 {{the element type is i1; add is defined on numbers}}
    %e = pto.tile.add %t, %t : tile<4xi1>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{'pto.cmp' is 'lt'}}
    %e = pto.tile.cmp %t, %t {cmpMode = #pto.cmp<lt>} : tile<4x4xf32> -> tile<4x4xi1>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x4xf32>, expected an i1 tile of the operands' shape}}
    %e = pto.tile.cmp %t, %t {cmpMode = #pto.cmp<LT>} : tile<4x4xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the result has shape !pto.tile<4x8xi1>, expected an i1 tile of the operands' shape}}
    %e = pto.tile.cmp %t, %t {cmpMode = #pto.cmp<LT>} : tile<4x4xf32> -> tile<4x8xi1>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the mask has shape !pto.tile<4x4xf32>, expected an i1 tile of the result's shape}}
    %e = pto.tile.sel %t, %t, %t : tile<4x4xf32>, tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    %p = "test.op"() : () -> !pto.tile<8x4xi1>
    // expected-error@+1 {{the mask has shape !pto.tile<8x4xi1>, expected an i1 tile of the result's shape}}
    %e = pto.tile.sel %p, %t, %t : tile<8x4xi1>, tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the result has shape !pto.tile<8x4xf16>, expected the shape of !pto.tile<4x4xf32>}}
    %e = pto.tile.cvt %t : tile<4x4xf32> -> tile<8x4xf16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the result has shape !pto.tile<8x4xi32>, expected the shape of !pto.tile<4x4xf32>}}
    %e = pto.tile.bitcast %t : tile<4x4xf32> -> tile<8x4xi32>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xf32>
    // expected-error@+1 {{the result's element type is ui16; it must have the 32 bits of f32}}
    %e = pto.tile.bitcast %t : tile<4x4xf32> -> tile<4x4xui16>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xi1>
    // expected-error@+1 {{the element type is i1; bitcast is defined on real numbers}}
    %e = pto.tile.bitcast %t : tile<4x4xi1> -> tile<4x4xi1>
  }
}

// -----

pto.kernel @k(%x: memref<8x8xf16> align 16) -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %t = "test.op"() : () -> !pto.tile<4x4xi8>
    // expected-error@+1 {{the element type is i1; bitcast is defined on real numbers}}
    %e = pto.tile.bitcast %t : tile<4x4xi8> -> tile<4x4xi1>
  }
}

// -----

// expected-error@+1 {{'pto.kernel' must have a body of one pto.tiles}}
pto.kernel @k() -> () {
  %0 = arith.constant 0 : index
}

// -----

// expected-error@+1 {{'pto.kernel' must have a body of one pto.tiles}}
pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
  }
  pto.tiles (%m) in [8] step [4] {
  }
}

// -----

pto.kernel @k() -> () {
  // expected-error@+1 {{'in' takes one number for each argument (1), got 2}}
  pto.tiles (%m) in [8, 8] step [4] {
  }
}

// -----

pto.kernel @k() -> () {
  // expected-error@+1 {{'step' takes one number for each argument (1), got 0}}
  pto.tiles (%m) in [8] step [] {
  }
}

// -----

pto.kernel @k() -> () {
  // expected-error@+1 {{'in/step' has an entry below 1}}
  pto.tiles (%m) in [0] step [4] {
  }
}

// -----

pto.kernel @k() -> () {
  // expected-error@+1 {{'in/step' has an entry below 1}}
  pto.tiles (%m) in [8] step [0] {
  }
}

// -----

// The rules of kernels are those of region.kernel.

// expected-error@+1 {{'align' is 3}}
pto.kernel @k(%x: memref<4xf32> align 3) -> () {
  pto.tiles (%m) in [8] step [4] {
  }
}

// -----

pto.kernel @k() -> () {
  // expected-error@+1 {{this does not fit in 64 bits}}
  pto.tiles (%m) in [9223372036854775808] step [4] {
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf16, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf16, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf16, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f16 x f16 into f16; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf16, #pto.tile_info<loc=Acc>>, tile<4x4xf16, #pto.tile_info<loc=Left>>, tile<4x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf16, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf64, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xbf16, #pto.tile_info<loc=Left>>, !pto.tile<4x4xbf16, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is bf16 x bf16 into f64; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf64, #pto.tile_info<loc=Acc>>, tile<4x4xbf16, #pto.tile_info<loc=Left>>, tile<4x4xbf16, #pto.tile_info<loc=Right>> -> tile<4x4xf64, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf64, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf64, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f64 x f64 into f32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xf64, #pto.tile_info<loc=Left>>, tile<4x4xf64, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf64, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf32, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf32, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f32 x f32 into f64; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf64, #pto.tile_info<loc=Acc>>, tile<4x4xf32, #pto.tile_info<loc=Left>>, tile<4x4xf32, #pto.tile_info<loc=Right>> -> tile<4x4xf64, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf32, #pto.tile_info<loc=Left>>, !pto.tile<4x4xbf16, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f32 x bf16 into f32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xf32, #pto.tile_info<loc=Left>>, tile<4x4xbf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Left>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is i8 x i8 into f32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xi8, #pto.tile_info<loc=Left>>, tile<4x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xui32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Left>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is i8 x i8 into ui32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xui32, #pto.tile_info<loc=Acc>>, tile<4x4xi8, #pto.tile_info<loc=Left>>, tile<4x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xui32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xi8, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Left>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is i8 x i8 into i8; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xi8, #pto.tile_info<loc=Acc>>, tile<4x4xi8, #pto.tile_info<loc=Left>>, tile<4x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xi8, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xi8, #pto.tile_info<loc=Left>>, !pto.tile<4x4xi16, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is i8 x i16 into i32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x4xi8, #pto.tile_info<loc=Left>>, tile<4x4xi16, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xi32, #pto.tile_info<loc=Left>>, !pto.tile<4x4xi32, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is i32 x i32 into i32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x4xi32, #pto.tile_info<loc=Left>>, tile<4x4xi32, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xi4, #pto.tile_info<loc=Left>>, !pto.tile<4x4xi4, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is i4 x i4 into i32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x4xi4, #pto.tile_info<loc=Left>>, tile<4x4xi4, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf16, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf8E5M2, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf8E5M2, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f8E5M2 x f8E5M2 into f16; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf16, #pto.tile_info<loc=Acc>>, tile<4x4xf8E5M2, #pto.tile_info<loc=Left>>, tile<4x4xf8E5M2, #pto.tile_info<loc=Right>> -> tile<4x4xf16, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf8E5M2, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf16, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f8E5M2 x f16 into f32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xf8E5M2, #pto.tile_info<loc=Left>>, tile<4x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf8E4M3, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf8E4M3, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{the product is f8E4M3 x f8E4M3 into f32; the supported products are}}
    %d = pto.tile.matmul.acc %c, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xf8E4M3, #pto.tile_info<loc=Left>>, tile<4x4xf8E4M3, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xf32, #pto.tile_info<loc=Left>>, !pto.tile<4x4xf32, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{'precision' is 'tf16'}}
    %d = pto.tile.matmul.acc %c, %l, %r precision tf16 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xf32, #pto.tile_info<loc=Left>>, tile<4x4xf32, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    %c, %l, %r = "test.op"() : () -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>, !pto.tile<4x4xbf16, #pto.tile_info<loc=Left>>, !pto.tile<4x4xbf16, #pto.tile_info<loc=Right>>)
    // expected-error@+1 {{'precision' rounds f32 operands that are summed in f32, got bf16 and bf16 and f32}}
    %d = pto.tile.matmul.acc %c, %l, %r precision tf32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>, tile<4x4xbf16, #pto.tile_info<loc=Left>>, tile<4x4xbf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m) in [8] step [4] {
    %t = "test.op"() : () -> !pto.tile<4xf64>
    // expected-error@+1 {{the element type is f64; tf32 is defined on f32}}
    %e = pto.tile.tf32 %t : tile<4xf64>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'in' takes one size for each offset (2), got 1}}
    %p = pto.tile.mask [%m, %n] in [8] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x4xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [0, 2]}}
    %p = pto.tile.mask [%m, %n] in [8, 8] dims [0, 2] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x4xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [1]}}
    %p = pto.tile.mask [%m, %n] in [8, 8] dims [1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x4xi1>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the element type is i8; a mask is of i1}}
    %p = pto.tile.mask [%m, %n] in [8, 8] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x4xi8>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'in' takes one size for each offset (2), got 3}}
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [8, 8, 8] dims [0, 1] : tile<4x4xi32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{'dims' is [1, 1]}}
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [8, 8] dims [1, 1] : tile<4x4xi32>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the element type is si16; an index is an integer of 32 or 64 bits}}
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [8, 8] dims [0, 1] : tile<4x4xsi16>
  }
}

// -----

pto.kernel @k() -> () {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] {
    // expected-error@+1 {{the element type is f32; an index is an integer of 32 or 64 bits}}
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [8, 8] dims [0, 1] : tile<4x4xf32>
  }
}

// -----

pto.kernel @k() -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    %p = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x4xi32> -> tile<4x4xi1>
    // expected-error@+1 {{the predicate has shape !pto.tile<4x4xi32>, expected an i1 tile of the result's shape}}
    %j = pto.tile.report division %i if %i number 1 to %status [%m, %n] in [4, 4] dims [0, 1] : tile<4x4xi32>, tile<4x4xi32>, memref<1xi32>
  }
}

// -----

pto.kernel @k() -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    %p = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x4xi32> -> tile<4x4xi1>
    // expected-error@+1 {{'number' is 0}}
    %j = pto.tile.report division %i if %p number 0 to %status [%m, %n] in [4, 4] dims [0, 1] : tile<4x4xi32>, tile<4x4xi1>, memref<1xi32>
  }
}

// -----

pto.kernel @k() -> (%status: memref<1xi64> align 16 status) {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    %p = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x4xi32> -> tile<4x4xi1>
    // expected-error@+1 {{the status word is memref<1xi64>; it must be memref<1xi32>}}
    %j = pto.tile.report division %i if %p number 1 to %status [%m, %n] in [4, 4] dims [0, 1] : tile<4x4xi32>, tile<4x4xi1>, memref<1xi64>
  }
}

// -----

pto.kernel @k() -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    %p = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x4xi32> -> tile<4x4xi1>
    // expected-error@+1 {{'in' takes one size for each offset (2), got 1}}
    %j = pto.tile.report division %i if %p number 1 to %status [%m, %n] in [4] dims [0, 1] : tile<4x4xi32>, tile<4x4xi1>, memref<1xi32>
  }
}

// -----

pto.kernel @k() -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    %p = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x4xi32> -> tile<4x4xi1>
    // expected-error@+1 {{'pto.tile.store.map' uses a memref marked 'status', which only pto.tile.report may use}}
    pto.tile.store.map %i, %status[%m, %n] by <"{ [i0, i1] -> [(0)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>, memref<1xi32>
  }
}

// -----

pto.kernel @k() -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    %p = pto.tile.cmp %i, %i {cmpMode = #pto.cmp<EQ>} : tile<4x4xi32> -> tile<4x4xi1>
    // expected-error@+1 {{'failure' is 'never'}}
    %j = pto.tile.report never %i if %p number 1 to %status [%m, %n] in [4, 4] dims [0, 1] : tile<4x4xi32>, tile<4x4xi1>, memref<1xi32>
  }
}

// -----

pto.kernel @k(%x: memref<9x4xf32> align 16) -> () {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    // expected-error@+1 {{'in' takes one size for each offset (2) and position (1), got 2}}
    %j = pto.tile.load.map %x[%m, %n] at (%i : tile<4x4xi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 4] dims [0, 1] : memref<9x4xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<9x4xf32> align 16) -> () {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<2x4xi32>
    // expected-error@+1 {{a tile of positions has shape !pto.tile<2x4xi32>, expected that of !pto.tile<4x4xf32>, or one column}}
    %j = pto.tile.load.map %x[%m, %n] at (%i : tile<2x4xi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 4, 9] dims [0, 1] : memref<9x4xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<9x4xf32> align 16) -> () {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = "test.op"() : () -> !pto.tile<4x1xf32>
    // expected-error@+1 {{a position is f32; an index is an integer of 32 or 64 bits}}
    %j = pto.tile.load.map %x[%m, %n] at (%i : tile<4x1xf32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 4, 9] dims [0, 1] : memref<9x4xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<9x4xf32> align 16) -> () {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = "test.op"() : () -> !pto.tile<4x1xi16>
    // expected-error@+1 {{a position is i16; an index is an integer of 32 or 64 bits}}
    %j = pto.tile.load.map %x[%m, %n] at (%i : tile<4x1xi16>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 4, 9] dims [0, 1] : memref<9x4xf32> -> tile<4x4xf32>
  }
}

// -----

pto.kernel @k(%x: memref<9x4xf32> align 16) -> () {
  pto.tiles (%m, %n) in [4, 4] step [4, 4] {
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 4] dims [0, 1] : tile<4x4xi32>
    // expected-error@+1 {{'dims' is [0, 2]}}
    %j = pto.tile.load.map %x[%m, %n] at (%i : tile<4x4xi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 4, 9] dims [0, 2] : memref<9x4xf32> -> tile<4x4xf32>
  }
}
