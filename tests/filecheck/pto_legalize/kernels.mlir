// RUN: ptir-opt %s -p 'pto-legalize{target=a3}' | filecheck %s

// CHECK: builtin.module attributes {pto.target = #pto.target<a3>}

// A product with a bias and ReLU. The ring is gone: loads are where its tiles are used. The first product starts the accumulator, cores share
// the rows of tiles, and the last tile of rows has 6 valid ones.

// CHECK-LABEL: func.func @product(%x: !pto.memref<70x64xf16>, %w: !pto.memref<64x32xf16>, %b: !pto.memref<1x32xf32>, %y: !pto.memref<70x32xf32>, %block: index, %blocks: index) {
// CHECK: %[[FIRST:.*]] = arith.muli %block, %[[STEP:.*]] : index
// CHECK-NEXT: %[[NEXT:.*]] = arith.muli %blocks, %[[STEP]] : index
// CHECK: scf.for %m = %[[FIRST]] to %{{.*}} step %[[NEXT]] {
// CHECK: %[[REST:.*]] = arith.subi %{{.*}}, %m : index
// CHECK: %valid = arith.minui %{{.*}}, %[[REST]] : index
// CHECK-NEXT: %[[A:.*]] = pto.tile.load %x[%m, 0] {valid = [%valid, 32]} : pto.memref<70x64xf16>, tile<64x32xf16, #pto.tile_info<loc=Mat, layout=Nz>>
// CHECK-NEXT: %[[B:.*]] = pto.tile.load %w[0, 0] : pto.memref<64x32xf16>, tile<32x32xf16, #pto.tile_info<loc=Mat, layout=Nz>>
// CHECK-NEXT: %[[L:.*]] = pto.tile.mov.m2l %[[A]] : {{.*}} -> tile<64x32xf16, #pto.tile_info<loc=Left, layout=Zz>>
// CHECK-NEXT: %[[R:.*]] = pto.tile.mov.m2r %[[B]] : {{.*}} -> tile<32x32xf16, #pto.tile_info<loc=Right, layout=Zn>>
// CHECK-NEXT: %[[ACC:.*]] = pto.tile.matmul %[[L]], %[[R]] :
// CHECK: pto.tile.load %x[%m, 32] {valid = [%valid, 32]}
// CHECK: %[[SUM:.*]] = pto.tile.matmul.acc %[[ACC]],
// CHECK: %[[V:.*]] = pto.tile.mov.a2v %[[SUM]]
// CHECK-NEXT: %[[BIAS:.*]] = pto.tile.load %b[0, 0] : pto.memref<1x32xf32>, tile<1x32xf32>
// CHECK-NEXT: %[[BIASED:.*]] = pto.tile.colexpandadd %[[V]], %[[BIAS]] : tile<64x32xf32>, tile<1x32xf32>
// CHECK-NEXT: %[[ZERO:.*]] = pto.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[OUT:.*]] = pto.tile.maxs %[[BIASED]], %[[ZERO]] : tile<64x32xf32>, f32
// CHECK-NEXT: pto.tile.store %[[OUT]], %y[%m, 0] {valid = [%valid, 32]}
pto.kernel @product(%x: memref<70x64xf16> align 16, %w: memref<64x32xf16> align 16, %b: memref<32xf32> align 16) -> (%y: memref<70x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [70, 32] step [64, 32] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x32xf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xf16, #pto.tile_info<loc=Mat>>]>
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    pto.process {
      scf.for %k = %c0 to %c64 step %c32 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x32xf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xf16, #pto.tile_info<loc=Mat>>]>
        %0 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [70, 32, 64] dims [0, 2] : memref<70x64xf16> -> tile<64x32xf16, #pto.tile_info<loc=Mat>>
        %1 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [70, 32, 64] dims [2, 1] : memref<64x32xf16> -> tile<32x32xf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %0, %1 : !pto.channel<3, [!pto.tile<64x32xf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xf16, #pto.tile_info<loc=Mat>>]>, tile<64x32xf16, #pto.tile_info<loc=Mat>>, tile<32x32xf16, #pto.tile_info<loc=Mat>>
      }
    }
    %zero = pto.tile.expands 0.0 : f32 : tile<64x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (!pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>) {
      %a, %w1 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x32xf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xf16, #pto.tile_info<loc=Mat>>]> -> tile<64x32xf16, #pto.tile_info<loc=Mat>>, tile<32x32xf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %a : tile<64x32xf16, #pto.tile_info<loc=Mat>> -> tile<64x32xf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %w1 : tile<32x32xf16, #pto.tile_info<loc=Mat>> -> tile<32x32xf16, #pto.tile_info<loc=Right>>
      %after = pto.tile.matmul.acc %acc, %l, %r : tile<64x32xf32, #pto.tile_info<loc=Acc>>, tile<64x32xf16, #pto.tile_info<loc=Left>>, tile<32x32xf16, #pto.tile_info<loc=Right>> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x32xf16, #pto.tile_info<loc=Mat>>, !pto.tile<32x32xf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %after : !pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
    %bias = pto.tile.load.map %b[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [70, 32] dims [0, 1] : memref<32xf32> -> tile<64x32xf32>
    %biased = pto.tile.add %v, %bias : tile<64x32xf32>
    %zeros = pto.tile.expands 0.0 : f32 : tile<64x32xf32>
    %out = pto.tile.max %biased, %zeros : tile<64x32xf32>
    pto.tile.store.map %out, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [70, 32] dims [0, 1] : tile<64x32xf32>, memref<70x32xf32>
  }
}

// Softmax: rows of 100 elements are in tiles of 104, of which 100 are valid, so that the mask is gone. What is broadcast along rows is an operand.

// CHECK-LABEL: func.func @softmax(
// CHECK: %[[X:.*]] = pto.tile.load %x[%m, 0] {valid = [4, 100]} : pto.memref<8x100xf32>, tile<8x104xf32>
// CHECK-NEXT: %[[M:.*]] = pto.tile.rowmax %[[X]] : tile<8x104xf32> -> tile<8x1xf32, #pto.tile_info<layout=DN>>
// CHECK-NEXT: %[[D:.*]] = pto.tile.rowexpandsub %[[X]], %[[M]] : tile<8x104xf32>, tile<8x1xf32, #pto.tile_info<layout=DN>>
// CHECK-NEXT: %[[LN2:.*]] = pto.constant 0.693147182 : f32
// CHECK-NEXT: %[[S:.*]] = pto.tile.muls %[[D]], %[[LN2]]
// CHECK-NEXT: %[[E:.*]] = pto.tile.exp %[[S]] : tile<8x104xf32>
// CHECK-NEXT: %[[T:.*]] = pto.tile.rowsum %[[E]]
// CHECK-NEXT: %[[Y:.*]] = pto.tile.rowexpanddiv %[[E]], %[[T]]
// CHECK-NEXT: pto.tile.store %[[Y]], %y[%m, 0] {valid = [4, 100]}
pto.kernel @softmax(%x: memref<8x100xf32> align 16) -> (%y: memref<8x100xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 100] step [4, 128] {
    %x0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 100] dims [0, 1] : memref<8x100xf32> -> tile<4x100xf32>
    %mask = pto.tile.mask [%m, %n] in [8, 100] dims [0, 1] : tile<4x100xi1>
    %inf = pto.tile.expands 0xFF800000 : f32 : tile<4x100xf32>
    %x1 = pto.tile.sel %mask, %x0, %inf : tile<4x100xi1>, tile<4x100xf32>
    %max = pto.tile.rowmax %x1 : tile<4x100xf32> -> tile<4x1xf32>
    %maxes = pto.tile.rowexpand %max : tile<4x1xf32> -> tile<4x100xf32>
    %d = pto.tile.sub %x0, %maxes : tile<4x100xf32>
    %e = pto.tile.exp2 %d : tile<4x100xf32>
    %sum = pto.tile.rowsum %e : tile<4x100xf32> -> tile<4x1xf32>
    %sums = pto.tile.rowexpand %sum : tile<4x1xf32> -> tile<4x100xf32>
    %q = pto.tile.div %e, %sums : tile<4x100xf32>
    pto.tile.store.map %q, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 100] dims [0, 1] : tile<4x100xf32>, memref<8x100xf32>
  }
}

// A transpose: the tile is loaded in rows, and transposed.

// CHECK-LABEL: func.func @transpose(
// CHECK: %[[T:.*]] = pto.tile.load %x[0, %m] : pto.memref<32x16xf32>, tile<32x8xf32>
// CHECK-NEXT: %[[U:.*]] = pto.tile.trans %[[T]] : tile<32x8xf32> -> tile<8x32xf32>
// CHECK-NEXT: pto.tile.store %[[U]], %y[%m, 0]
pto.kernel @transpose(%x: memref<32x16xf32> align 16) -> (%y: memref<16x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [16, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [16, 32] dims [0, 1] : memref<32x16xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<8x32xf32>, memref<16x32xf32>
  }
}

// A mask is computed from positions: each condition is a line of rows plus a line of columns, and the least of both must not be negative.

// CHECK-LABEL: func.func @masked(
// CHECK: %[[X:.*]] = pto.tile.load
// CHECK: %[[START:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK-NEXT: %[[ZERO:.*]] = pto.constant 0 : i32
// CHECK-NEXT: %[[DOWN:.*]] = pto.tile.ci %[[ZERO]] {descending} : i32 -> tile<1x8xi32>
// CHECK-NEXT: %[[SCALAR:.*]] = arith.index_cast %[[START]] : index to i32
// CHECK-NEXT: %[[AT:.*]] = pto.tile.adds %[[DOWN]], %[[SCALAR]] : tile<1x8xi32>, i32
// CHECK-NEXT: %[[WIDE:.*]] = pto.tile.cvt %[[AT]] : tile<1x8xi32> -> tile<1x8xf32>
// CHECK-NEXT: %[[ROWS:.*]] = pto.tile.trans %[[WIDE]] : tile<1x8xf32> -> tile<8x1xf32, #pto.tile_info<layout=DN>>
// CHECK: %[[COUNT:.*]] = pto.tile.ci %{{.*}} {descending} : i32 -> tile<1x32xi32>
// CHECK-NEXT: %[[COLUMNS:.*]] = pto.tile.cvt %[[COUNT]]
// CHECK-NEXT: %[[R:.*]] = pto.tile.rowexpand %[[ROWS]]
// CHECK-NEXT: %[[C:.*]] = pto.tile.colexpand %[[COLUMNS]]
// CHECK-NEXT: %[[A:.*]] = pto.tile.add %[[R]], %[[C]]
// CHECK: %[[UP:.*]] = pto.tile.ci %{{.*}} : i32 -> tile<1x8xi32>
// CHECK-NEXT: %[[TWO:.*]] = pto.constant 2 : i32
// CHECK-NEXT: pto.tile.muls %[[UP]], %[[TWO]]
// CHECK: pto.tile.colexpand
// CHECK-NEXT: %[[B:.*]] = pto.tile.add
// CHECK-NEXT: %[[LEAST:.*]] = pto.tile.min %[[A]], %[[B]]
// CHECK: %[[MASK:.*]] = pto.tile.cmps %[[LEAST]], %{{.*}} {cmpMode = #pto.cmp<GE>} : tile<8x32xf32>, f32 -> tile<8x32xi1>
// CHECK: pto.tile.sels %[[MASK]], %[[X]]
pto.kernel @masked(%x: memref<32x32xf32> align 16) -> (%y: memref<32x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xf32> -> tile<8x32xf32>
    %mask = pto.tile.mask [%m, %n] in [32, 32] dims [0, 1] where <"{ [i0, i1] : i1 <= 3 + 2i0 and i0 + i1 < 60 }"> : tile<8x32xi1>
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %1 = pto.tile.sel %mask, %0, %zero : tile<8x32xi1>, tile<8x32xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<8x32xf32>, memref<32x32xf32>
  }
}

// A mask that holds everywhere in the index space is none.

// CHECK-LABEL: func.func @everywhere(
// CHECK: %[[X:.*]] = pto.tile.load
// CHECK-NEXT: pto.tile.store %[[X]]
pto.kernel @everywhere(%x: memref<32x32xf32> align 16) -> (%y: memref<32x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xf32> -> tile<8x32xf32>
    %mask = pto.tile.mask [%m, %n] in [32, 32] dims [0, 1] where <"{ [i0, i1] : i1 < 32 + i0 }"> : tile<8x32xi1>
    %zero = pto.tile.expands 0.0 : f32 : tile<8x32xf32>
    %1 = pto.tile.sel %mask, %0, %zero : tile<8x32xi1>, tile<8x32xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<8x32xf32>, memref<32x32xf32>
  }
}

// A loop that accumulates tiles whose columns are summed accumulates the sums. The last rows have a valid region of their own.

// CHECK-LABEL: func.func @column_sums(
// CHECK: %[[ZERO:.*]] = pto.tile.expands 0.000000e+00 : f32 : tile<1x32xf32>
// CHECK: %[[SUM:.*]] = scf.for %r = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[T:.*]] = %[[ZERO]]) -> (!pto.tile<1x32xf32>) {
// CHECK-NEXT: %[[X:.*]] = pto.tile.load %x[%r, %{{.*}}] : pto.memref<70x64xf32>, tile<32x32xf32>
// CHECK-NEXT: %[[S:.*]] = pto.tile.colsum %[[X]] : tile<32x32xf32> -> tile<1x32xf32>
// CHECK-NEXT: %[[A:.*]] = pto.tile.add %[[T]], %[[S]] : tile<1x32xf32>
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: pto.tile.load %x[64, %{{.*}}] {valid = [6, 32]} : pto.memref<70x64xf32>, tile<32x32xf32>
// CHECK-NEXT: pto.tile.colsum
// CHECK-NEXT: pto.tile.add %[[SUM]],
pto.kernel @column_sums(%x: memref<70x64xf32> align 16) -> (%y: memref<64xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %zero = pto.tile.expands 0.0 : f32 : tile<32x32xf32>
    %c0 = arith.constant 0 : index
    %c70 = arith.constant 70 : index
    %c32 = arith.constant 32 : index
    %sums = scf.for %r = %c0 to %c70 step %c32 iter_args(%t = %zero) -> (!pto.tile<32x32xf32>) {
      %0 = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 70] dims [2, 1] : memref<70x64xf32> -> tile<32x32xf32>
      %mask = pto.tile.mask [%m, %n, %r] in [1, 64, 70] dims [2, 1] : tile<32x32xi1>
      %1 = pto.tile.sel %mask, %0, %zero : tile<32x32xi1>, tile<32x32xf32>
      %2 = pto.tile.add %t, %1 : tile<32x32xf32>
      scf.yield %2 : !pto.tile<32x32xf32>
    }
    %sum = pto.tile.colsum %sums : tile<32x32xf32> -> tile<1x32xf32>
    pto.tile.store.map %sum, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// The iterations are divided by their ends: a long loop takes no longer.

// CHECK-LABEL: func.func @long(
// CHECK: %[[END:.*]] = arith.constant 2147483648 : index
// CHECK: scf.for %r = %{{.*}} to %[[END]] step
// CHECK: pto.tile.load %x[2147483648, %{{.*}}] {valid = [5, 32]}
pto.kernel @long(%x: memref<2147483653x64xf32> align 16) -> (%y: memref<64xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [1, 64] step [1, 32] {
    %zero = pto.tile.expands 0.0 : f32 : tile<32x32xf32>
    %c0 = arith.constant 0 : index
    %c_end = arith.constant 2147483653 : index
    %c32 = arith.constant 32 : index
    %sums = scf.for %r = %c0 to %c_end step %c32 iter_args(%t = %zero) -> (!pto.tile<32x32xf32>) {
      %0 = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 64, 2147483653] dims [2, 1] : memref<2147483653x64xf32> -> tile<32x32xf32>
      %mask = pto.tile.mask [%m, %n, %r] in [1, 64, 2147483653] dims [2, 1] : tile<32x32xi1>
      %1 = pto.tile.sel %mask, %0, %zero : tile<32x32xi1>, tile<32x32xf32>
      %2 = pto.tile.add %t, %1 : tile<32x32xf32>
      scf.yield %2 : !pto.tile<32x32xf32>
    }
    %sum = pto.tile.colsum %sums : tile<32x32xf32> -> tile<1x32xf32>
    pto.tile.store.map %sum, %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 64] dims [0, 1] : tile<1x32xf32>, memref<64xf32>
  }
}

// A loop whose result is used again is left as it is, and one whose tiles are all whole has no tail.

// CHECK-LABEL: func.func @used_again(
// CHECK: scf.for {{.*}} -> (!pto.tile<32x32xf32>)
// CHECK: scf.yield
// CHECK-NOT: pto.tile.load
// CHECK: pto.tile.colsum {{.*}} : tile<32x32xf32> -> tile<1x32xf32>
pto.kernel @used_again(%x: memref<96x32xf32> align 16) -> (%y: memref<32x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [32, 32] {
    %zero = pto.tile.expands 0.0 : f32 : tile<32x32xf32>
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %c32 = arith.constant 32 : index
    %sums = scf.for %r = %c0 to %c96 step %c32 iter_args(%t = %zero) -> (!pto.tile<32x32xf32>) {
      %0 = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 96] dims [2, 1] : memref<96x32xf32> -> tile<32x32xf32>
      %2 = pto.tile.add %t, %0 : tile<32x32xf32>
      scf.yield %2 : !pto.tile<32x32xf32>
    }
    %sum = pto.tile.colsum %sums : tile<32x32xf32> -> tile<1x32xf32>
    %rows = pto.tile.colexpand %sum : tile<1x32xf32> -> tile<32x32xf32>
    %d = pto.tile.sub %sums, %rows : tile<32x32xf32>
    pto.tile.store.map %d, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<32x32xf32>, memref<32x32xf32>
  }
}

// The parts of a split are computed one after the other and added. Iterations of the last part that are outside are left out.

// CHECK-LABEL: func.func @split(
// CHECK: pto.tile.load %x[0, 0] : pto.memref<16x40xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat, layout=Nz>>
// CHECK: %[[A:.*]] = pto.tile.matmul %
// CHECK: pto.tile.load %x[0, 16] : pto.memref
// CHECK: %[[B:.*]] = pto.tile.matmul.acc %[[A]],
// CHECK: %[[P:.*]] = pto.tile.mov.a2v %[[B]]
// CHECK: pto.tile.load %x[0, 32] {valid = [16, 8]} : pto.memref
// CHECK: %[[C:.*]] = pto.tile.matmul %
// CHECK-NEXT: %[[Q:.*]] = pto.tile.mov.a2v %[[C]]
// CHECK-NEXT: %[[S:.*]] = pto.tile.add %[[P]], %[[Q]]
// CHECK-NEXT: pto.tile.store %[[S]], %y
pto.kernel @split(%x: memref<16x40xf16> align 16, %w: memref<40x16xf16> align 16) -> (%y: memref<16x16xf32> align 16 gmem, %workspace: memref<2x16x16xf32> align 16 workspace, %counters: memref<1xi32> align 16 counters) {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] split %s of 2 {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %first = arith.muli %s, %c32 : index
    %zero = pto.tile.expands 0.0 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %acc = scf.for %k = %c0 to %c32 step %c16 iter_args(%t = %zero) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %at = arith.addi %first, %k : index
      %0 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 40] dims [0, 2] : memref<16x40xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
      %1 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 40] dims [2, 1] : memref<40x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
      %2 = pto.tile.mov.m2l %0 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
      %3 = pto.tile.mov.m2r %1 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
      %4 = pto.tile.matmul.acc %t, %2, %3 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      scf.yield %4 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %acc across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<2x16x16xf32>, memref<1xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
    }
  }
}

// A launch becomes a call for one core, which computes all tiles.

// CHECK-LABEL: func.func @host(
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %x : memref<32x16xf32> to !pto.memref<32x16xf32>
// CHECK: func.call @transpose(%[[X]], %{{.*}}, %{{.*}}, %{{.*}}) : (!pto.memref<32x16xf32>, !pto.memref<16x32xf32>, index, index) -> ()
func.func @host(%x: memref<32x16xf32>) -> memref<16x32xf32> {
  %0 = memref.alloc() : memref<16x32xf32>
  region.launch @transpose ins(%x : memref<32x16xf32>) outs(%0 : memref<16x32xf32>)
  func.return %0 : memref<16x32xf32>
}

// A function of instructions stays as it is.

// CHECK-LABEL: func.func @legal(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>) {
// CHECK-NEXT: %0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
// CHECK-NEXT: pto.tile.store %0, %y[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
// CHECK-NEXT: func.return
func.func @legal(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  pto.tile.store %0, %y[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}

// What a3 does not compute in bf16 is computed in f32, and bf16 is neither filled nor broadcast by an instruction.

// CHECK-LABEL: func.func @narrow(
// CHECK: %[[X:.*]] = pto.tile.load %x[%m, 0] : pto.memref<32x32xbf16>, tile<16x32xbf16>
// CHECK: %[[W:.*]] = pto.tile.cvt %[[X]] : tile<16x32xbf16> -> tile<16x32xf32>
// CHECK: %[[R:.*]] = pto.tile.sqrt %[[W]] : tile<16x32xf32>
// CHECK: pto.tile.cvt %[[R]] : tile<16x32xf32> -> tile<16x32xbf16>
// CHECK: pto.tile.cmps %{{.*}}, %{{.*}} {cmpMode = #pto.cmp<GT>} : tile<16x32xf32>, f32 -> tile<16x32xi1>
// CHECK: pto.tile.expands 5.000000e-01 : f32 : tile<16x32xf32>
// CHECK: pto.tile.sel %{{.*}} : tile<16x32xi1>, tile<16x32xbf16>
pto.kernel @narrow(%x: memref<32x32xbf16> align 16) -> (%y: memref<32x32xbf16> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [16, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xbf16> -> tile<16x32xbf16>
    %1 = pto.tile.sqrt %0 : tile<16x32xbf16>
    %2 = pto.tile.expands 0.5 : bf16 : tile<16x32xbf16>
    %3 = pto.tile.cmp %1, %2 {cmpMode = #pto.cmp<GT>} : tile<16x32xbf16> -> tile<16x32xi1>
    %4 = pto.tile.sel %3, %1, %2 : tile<16x32xi1>, tile<16x32xbf16>
    pto.tile.store.map %4, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x32xbf16>, memref<32x32xbf16>
  }
}

// An array that is read in two ways is two arguments.

// CHECK-LABEL: func.func @both(
// CHECK-SAME: %x: !pto.memref<32x32xf32>, %x_1: !pto.memref<1024x1xf32>, %y: !pto.memref<32x32xf32>, %block: index
// CHECK: pto.tile.load %x[%m, 0] : pto.memref<32x32xf32>, tile<8x32xf32>
// CHECK: pto.tile.load %x_1[%m, 0] : pto.memref<1024x1xf32>, tile<8x1xf32, #pto.tile_info<layout=DN>>
pto.kernel @both(%x: memref<32x32xf32> align 16) -> (%y: memref<32x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xf32> -> tile<8x32xf32>
    %1 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [0, (i0)] }"> in [32, 32] dims [0, 1] : memref<32x32xf32> -> tile<8x32xf32>
    %2 = pto.tile.add %0, %1 : tile<8x32xf32>
    pto.tile.store.map %2, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<8x32xf32>, memref<32x32xf32>
  }
}

// Divisions that do not depend on the place in a tile are computed from its offsets: %n is a multiple of 8.

// CHECK-LABEL: func.func @parts(
// CHECK: scf.for %n =
// CHECK-DAG: %[[P:.*]] = arith.divui %n, %
// CHECK-DAG: %[[R:.*]] = arith.remui
// CHECK: pto.tile.load %x[{{.*}}, {{.*}}] : pto.memref<32x16xf32>, tile<8x8xf32>
pto.kernel @parts(%x: memref<4x8x16xf32> align 16) -> (%y: memref<8x64xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 64] step [8, 8] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(floor((i1)/16)), (i0), ((i1) mod 16)] }"> in [8, 64] dims [0, 1] : memref<4x8x16xf32> -> tile<8x8xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<8x8xf32>, memref<8x64xf32>
  }
}

// Indices count along rows and columns; a predicate becomes 1 and 0.

// CHECK-LABEL: func.func @indices(
// CHECK: pto.tile.ci
// CHECK: pto.tile.cmp
// CHECK: pto.tile.sels
pto.kernel @indices(%x: memref<8x32xsi32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.iota[%m, %n] by <"{ [i0, i1] -> [(i0 + 2i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xsi32>
    %1 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xsi32> -> tile<8x32xsi32>
    %2 = pto.tile.cmp %0, %1 {cmpMode = #pto.cmp<LT>} : tile<8x32xsi32> -> tile<8x32xi1>
    %3 = pto.tile.cvt %2 : tile<8x32xi1> -> tile<8x32xf32>
    pto.tile.store.map %3, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}

// A tile over several parts of an array is loaded and stored part by part.

// CHECK-LABEL: func.func @in_parts(
// CHECK: %[[ZERO:.*]] = pto.tile.expands
// CHECK: %[[P0:.*]] = pto.tile.load %x[%{{.*}}, 0] : pto.memref<32x16xf32>, tile<8x16xf32>
// CHECK: %[[T0:.*]] = pto.tile.insert %[[P0]], %[[ZERO]][0, 0]
// CHECK: %[[P1:.*]] = pto.tile.load %x[%{{.*}}, 0] : pto.memref<32x16xf32>, tile<8x16xf32>
// CHECK: %[[T1:.*]] = pto.tile.insert %[[P1]], %[[T0]][0, 16]
// CHECK: %[[E:.*]] = pto.tile.exp %[[T1]]
// CHECK: pto.tile.extract %[[E]][0, 0]
// CHECK: pto.tile.store
// CHECK: pto.tile.extract %[[E]][0, 16]
// CHECK: pto.tile.store
pto.kernel @in_parts(%x: memref<4x8x16xf32> align 16) -> (%y: memref<4x8x16xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 64] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(floor((i1)/16)), (i0), ((i1) mod 16)] }"> in [8, 64] dims [0, 1] : memref<4x8x16xf32> -> tile<8x32xf32>
    %1 = pto.tile.exp %0 : tile<8x32xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(floor((i1)/16)), (i0), ((i1) mod 16)] }"> in [8, 64] dims [0, 1] : tile<8x32xf32>, memref<4x8x16xf32>
  }
}

// Parts that are no whole lines are read an element at a time.

// CHECK-LABEL: func.func @pieces(
// CHECK-SAME: %workspace: !pto.memref<?x32xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: %[[ONE:.*]] = pto.tile.load %x[0, %{{.*}}] {valid = [1, 1]} : pto.memref<1x512xf32>, tile<1x8xf32>
// CHECK: pto.tile.store %[[ONE]], %workspace[
// CHECK: pto.tile.load %workspace[%{{.*}}, 0] : pto.memref<?x32xf32>, tile<8x32xf32>
pto.kernel @pieces(%x: memref<16x8x4xf32> align 16) -> (%y: memref<8x64xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 64] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(floor((i1)/4)), (i0), ((i1) mod 4)] }"> in [8, 64] dims [0, 1] : memref<16x8x4xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<8x32xf32>, memref<8x64xf32>
  }
}

// A padded array is read row by row into a workspace, which has zeros before.

// CHECK-LABEL: func.func @padded(
// CHECK-SAME: %workspace: !pto.memref<?x16xf32>
// CHECK: %[[ZERO:.*]] = pto.tile.expands 0.000000e+00 : f32 : tile<8x16xf32>
// CHECK: pto.tile.store %[[ZERO]], %workspace
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[ROW:.*]] = pto.tile.load %x[0, %{{.*}}] : pto.memref<1x320xf32>, tile<1x16xf32>
// CHECK: pto.tile.store %[[ROW]], %workspace[
// CHECK: pto.tile.load %workspace[%{{.*}}, 0] {valid = [%{{.*}}, 16]}
pto.kernel @padded(%x: memref<20x16xf32> align 16) -> (%y: memref<22x16xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [22, 16] step [8, 16] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [i0 - 1, i1] }"> in [22, 16] dims [0, 1] where <"{ [i0, i1] : 1 <= i0 <= 20 }"> : memref<20x16xf32> -> tile<8x16xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [i0, i1] }"> in [22, 16] dims [0, 1] : tile<8x16xf32>, memref<22x16xf32>
  }
}

// A gather of one element a row is a sum, over all columns, of what the positions select.

// CHECK-LABEL: func.func @gathered(
// CHECK: %[[P:.*]] = pto.tile.load %p
// CHECK: %[[X:.*]] = pto.tile.load %x
// CHECK-DAG: %[[AT:.*]] = pto.tile.rowexpand %[[P]]
// CHECK-DAG: %[[COLUMN:.*]] = pto.tile.colexpand
// CHECK: %[[HIT:.*]] = pto.tile.cmp %[[AT]], %[[COLUMN]] {cmpMode = #pto.cmp<EQ>}
// CHECK: %[[FOUND:.*]] = pto.tile.sels %[[HIT]], %[[X]]
// CHECK: pto.tile.rowsum %[[FOUND]]
pto.kernel @gathered(%x: memref<8x32xf32> align 16, %p: memref<8xi32> align 16) -> (%y: memref<8xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 1] step [8, 1] {
    %0 = pto.tile.load.map %p[%m, %n] by <"{ [i0, i1] -> [i0] }"> in [8, 1] dims [0, 1] : memref<8xi32> -> tile<8x1xi32>
    %1 = pto.tile.load.map %x[%m, %n] at(%0 : tile<8x1xi32>) by <"{ [i0, i1, i2] -> [i0, i2] }"> in [8, 1, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x1xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [i0] }"> in [8, 1] dims [0, 1] : tile<8x1xf32>, memref<8xf32>
  }
}

// A column whose elements have a distance is the first of rows of one line.

// CHECK-LABEL: func.func @spread(
// CHECK: %[[ROWS:.*]] = pto.tile.load %x[0, 3] {valid = [8, 1]} : pto.memref<8x5xf32>, tile<8x8xf32>
// CHECK: %[[TURNED:.*]] = pto.tile.trans %[[ROWS]]
// CHECK: %[[ROW:.*]] = pto.tile.extract %[[TURNED]][0, 0] : tile<8x8xf32> -> tile<1x8xf32>
// CHECK: pto.tile.trans %[[ROW]]
// CHECK: pto.tile.rowexpand
pto.kernel @spread(%x: memref<40xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [5i0 + 3] }"> in [8, 32] dims [0, 1] : memref<40xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}

// Predicates are bytes in arrays: what is loaded is compared with zero, and what is stored is 0 or 1. Rows of integers are columns of the
// transpose, and bytes are selected and summed in i32, modulo 256.

// CHECK-LABEL: func.func @bytes(%mask: !pto.memref<32x32xi8>, %x: !pto.memref<32x32xi8>, %y: !pto.memref<32x1xi8>, %z: !pto.memref<32x32xi8>
// CHECK: %[[BYTES:.*]] = pto.tile.load %mask[0, 0] : pto.memref<32x32xi8>, tile<32x32xi8>
// CHECK-NEXT: %[[WIDE:.*]] = pto.tile.cvt %[[BYTES]] : tile<32x32xi8> -> tile<32x32xf32>
// CHECK: %[[MASK:.*]] = pto.tile.cmps %[[WIDE]], %{{.*}} {cmpMode = #pto.cmp<NE>} : tile<32x32xf32>, f32 -> tile<32x32xi1>
// CHECK: %[[CHOSEN:.*]] = pto.tile.sel %[[MASK]], %{{.*}}, %{{.*}} : tile<32x32xi1>, tile<32x32xi32>
// CHECK-NEXT: pto.tile.cvt %[[CHOSEN]] : tile<32x32xi32> -> tile<32x32xi8>
// CHECK-NEXT: %[[WORDS:.*]] = pto.tile.cvt %{{.*}} : tile<32x32xi8> -> tile<32x32xi32>
// CHECK-NEXT: %[[COLUMNS:.*]] = pto.tile.trans %[[WORDS]] : tile<32x32xi32> -> tile<32x32xi32>
// CHECK-NEXT: %[[SUMS:.*]] = pto.tile.colsum %[[COLUMNS]] : tile<32x32xi32> -> tile<1x32xi32>
// CHECK-NEXT: %[[ROWS:.*]] = pto.tile.trans %[[SUMS]] : tile<1x32xi32> -> tile<32x1xi32, #pto.tile_info<layout=DN>>
// CHECK: pto.tile.adds %[[ROWS]],
// CHECK: pto.tile.and
// CHECK: pto.tile.subs
// CHECK: pto.tile.cvt %{{.*}} : tile<32x1xi32, #pto.tile_info<layout=DN>> -> tile<32x1xi8, #pto.tile_info<layout=DN>>
// CHECK: %[[NUMBERS:.*]] = pto.tile.sel %[[MASK]], %{{.*}}, %{{.*}} : tile<32x32xi1>, tile<32x32xi32>
// CHECK-NEXT: %[[STORED:.*]] = pto.tile.cvt %[[NUMBERS]] : tile<32x32xi32> -> tile<32x32xi8>
// CHECK-NEXT: pto.tile.store %[[STORED]], %z[0, 0]
pto.kernel @bytes(%mask: memref<32x32xi1> align 16, %x: memref<32x32xi8> align 16) -> (%y: memref<32xi8> align 16 gmem, %z: memref<32x32xi1> align 16 gmem) {
  pto.tiles (%m, %n) in [32, 32] step [32, 32] {
    %0 = pto.tile.load.map %mask[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xi1> -> tile<32x32xi1>
    %1 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : memref<32x32xi8> -> tile<32x32xi8>
    %2 = pto.tile.expands 0 : i8 : tile<32x32xi8>
    %3 = pto.tile.sel %0, %1, %2 : tile<32x32xi1>, tile<32x32xi8>
    %4 = pto.tile.rowsum %3 : tile<32x32xi8> -> tile<32x1xi8>
    pto.tile.store.map %4, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [32, 32] dims [0, 1] : tile<32x1xi8>, memref<32xi8>
    pto.tile.store.map %0, %z[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<32x32xi1>, memref<32x32xi1>
  }
}

// A report raises the core's word of the status. The order of unsigned integers is that of signed ones whose greatest bit is turned. Only the 6
// rows inside of the index space count.

// CHECK-LABEL: func.func @lookup(%p: !pto.memref<6x1xi32>, %status: !pto.memref<?x1xi32>, %y: !pto.memref<6x1xi32>, %block: index, %blocks: index) {
// CHECK: %[[P:.*]] = pto.tile.load %p[0, 0] {valid = [%valid, 1]} : pto.memref<6x1xi32>, tile<8x1xi32, #pto.tile_info<layout=DN>>
// CHECK: %[[ORDERED:.*]] = pto.tile.adds %[[P]],
// CHECK: %[[MOST:.*]] = pto.tile.maxs %[[ORDERED]],
// CHECK: %[[FAILED:.*]] = pto.tile.cmp %[[MOST]], %[[ORDERED]] {cmpMode = #pto.cmp<EQ>
// CHECK: pto.tile.sels %[[FAILED]],
// CHECK: pto.tile.rowmax
// CHECK: %[[KNOWN:.*]] = pto.tile.load %status[%block, 0] {valid = [1, 1]} : pto.memref<?x1xi32>, tile<1x8xi32>
// CHECK-NEXT: %[[WORST:.*]] = pto.tile.max %[[KNOWN]],
// CHECK-NEXT: pto.tile.store %[[WORST]], %status[%block, 0] {valid = [1, 1]}
pto.kernel @lookup(%p: memref<6xi32> align 16, %status: memref<1xi32> align 16) -> (%y: memref<6xi32> align 16 gmem) {
  pto.tiles (%m, %n) in [6, 1] step [8, 1] {
    %0 = pto.tile.load.map %p[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [6, 1] dims [0, 1] : memref<6xi32> -> tile<8x1xi32>
    %1 = pto.tile.bitcast %0 : tile<8x1xi32> -> tile<8x1xui32>
    %2 = pto.tile.expands 50 : ui32 : tile<8x1xui32>
    %3 = pto.tile.cmp %1, %2 {cmpMode = #pto.cmp<GE>} : tile<8x1xui32> -> tile<8x1xi1>
    %4 = pto.tile.report index %0 if %3 number 1 to %status[%m, %n] in [6, 1] dims [0, 1] : tile<8x1xi32>, tile<8x1xi1>, memref<1xi32>
    pto.tile.store.map %4, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [6, 1] dims [0, 1] : tile<8x1xi32>, memref<6xi32>
  }
}
