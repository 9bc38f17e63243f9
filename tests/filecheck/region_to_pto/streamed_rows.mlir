// RUN: ptir-opt %s -p region-to-pto | filecheck %s
// RUN: ptir-opt %s -p region-to-pto,pto-to-nv -o /dev/null
// RUN: ptir-opt %s -p region-to-pto --validate-passes -o /dev/null

// A tile that is narrower than a row: one pass computes the maximum and, online, the sum; the second stores. The last tile of each pass,
// which is not whole, has a loop of its own, with masks.
// CHECK: pto.kernel @softmax(
// CHECK-NEXT: pto.tiles (%m, %n) in [6, 300] step [1, 384] {
// CHECK-NEXT: %0 = pto.tile.expands 0xFF800000 : f32 : tile<1x64xf32>
// CHECK-NEXT: %1 = pto.tile.expands 0.000000e+00 : f32 : tile<1x64xf32>
// CHECK-NEXT: %2 = arith.constant 0 : index
// CHECK-NEXT: %3 = arith.constant 256 : index
// CHECK-NEXT: %4 = arith.constant 128 : index
// CHECK-NEXT: %5, %6 = scf.for %c = %2 to %3 step %4 iter_args(%7 = %0, %8 = %1) -> (!pto.tile<1x64xf32>, !pto.tile<1x64xf32>) {
// CHECK-NEXT: %9 = pto.tile.load.map %x[%m, %c] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 300] dims [0, 1] : memref<6x300xf32> -> tile<1x128xf32>
// CHECK-NEXT: %10 = pto.tile.rowmax %9 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
// CHECK-NEXT: %11 = pto.tile.max %7, %10 : tile<1x64xf32>
// CHECK-NEXT: %12 = pto.tile.expands 0xFF800000 : f32 : tile<1x64xf32>
// CHECK-NEXT: %13 = pto.tile.cmp %11, %12 {cmpMode = #pto.cmp<EQ>} : tile<1x64xf32> -> tile<1x64xi1>
// CHECK-NEXT: %14 = pto.tile.expands 0.000000e+00 : f32 : tile<1x64xf32>
// CHECK-NEXT: %15 = pto.tile.sel %13, %14, %11 : tile<1x64xi1>, tile<1x64xf32>
// CHECK-NEXT: %16 = pto.tile.rowexpand %15 run 2 group 64 : tile<1x64xf32> -> tile<1x128xf32>
// CHECK-NEXT: %17 = pto.tile.sub %9, %16 : tile<1x128xf32>
// CHECK-NEXT: %18 = pto.tile.exp %17 : tile<1x128xf32>
// CHECK-NEXT: %19 = pto.tile.rowsum %18 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
// CHECK-NEXT: %20 = pto.tile.sub %7, %15 : tile<1x64xf32>
// CHECK-NEXT: %21 = pto.tile.exp %20 : tile<1x64xf32>
// CHECK-NEXT: %22 = pto.tile.mul %8, %21 : tile<1x64xf32>
// CHECK-NEXT: %23 = pto.tile.add %22, %19 : tile<1x64xf32>
// CHECK-NEXT: scf.yield %11, %23 : !pto.tile<1x64xf32>, !pto.tile<1x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %24 = arith.constant 256 : index
// CHECK-NEXT: %25 = arith.constant 300 : index
// CHECK-NEXT: %26 = arith.constant 128 : index
// CHECK-NEXT: %27, %28 = scf.for %c_1 = %24 to %25 step %26 iter_args(%29 = %5, %30 = %6) -> (!pto.tile<1x64xf32>, !pto.tile<1x64xf32>) {
// CHECK-NEXT: %31 = pto.tile.load.map %x[%m, %c_1] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 300] dims [0, 1] : memref<6x300xf32> -> tile<1x128xf32>
// CHECK-NEXT: %32 = pto.tile.mask[%m, %c_1] in [6, 300] dims [0, 1] : tile<1x128xi1>
// CHECK-NEXT: %33 = pto.tile.expands 0xFF800000 : f32 : tile<1x128xf32>
// CHECK-NEXT: %34 = pto.tile.sel %32, %31, %33 : tile<1x128xi1>, tile<1x128xf32>
// CHECK-NEXT: %35 = pto.tile.rowmax %34 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
// CHECK-NEXT: %36 = pto.tile.max %29, %35 : tile<1x64xf32>
// CHECK-NEXT: %37 = pto.tile.expands 0xFF800000 : f32 : tile<1x64xf32>
// CHECK-NEXT: %38 = pto.tile.cmp %36, %37 {cmpMode = #pto.cmp<EQ>} : tile<1x64xf32> -> tile<1x64xi1>
// CHECK-NEXT: %39 = pto.tile.expands 0.000000e+00 : f32 : tile<1x64xf32>
// CHECK-NEXT: %40 = pto.tile.sel %38, %39, %36 : tile<1x64xi1>, tile<1x64xf32>
// CHECK-NEXT: %41 = pto.tile.rowexpand %40 run 2 group 64 : tile<1x64xf32> -> tile<1x128xf32>
// CHECK-NEXT: %42 = pto.tile.sub %31, %41 : tile<1x128xf32>
// CHECK-NEXT: %43 = pto.tile.exp %42 : tile<1x128xf32>
// CHECK-NEXT: %44 = pto.tile.mask[%m, %c_1] in [6, 300] dims [0, 1] : tile<1x128xi1>
// CHECK-NEXT: %45 = pto.tile.expands 0.000000e+00 : f32 : tile<1x128xf32>
// CHECK-NEXT: %46 = pto.tile.sel %44, %43, %45 : tile<1x128xi1>, tile<1x128xf32>
// CHECK-NEXT: %47 = pto.tile.rowsum %46 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
// CHECK-NEXT: %48 = pto.tile.sub %29, %40 : tile<1x64xf32>
// CHECK-NEXT: %49 = pto.tile.exp %48 : tile<1x64xf32>
// CHECK-NEXT: %50 = pto.tile.mul %30, %49 : tile<1x64xf32>
// CHECK-NEXT: %51 = pto.tile.add %50, %47 : tile<1x64xf32>
// CHECK-NEXT: scf.yield %36, %51 : !pto.tile<1x64xf32>, !pto.tile<1x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %52 = pto.tile.rowmax %27 : tile<1x64xf32> -> tile<1x1xf32>
// CHECK-NEXT: %53 = pto.tile.expands 0xFF800000 : f32 : tile<1x1xf32>
// CHECK-NEXT: %54 = pto.tile.cmp %52, %53 {cmpMode = #pto.cmp<EQ>} : tile<1x1xf32> -> tile<1x1xi1>
// CHECK-NEXT: %55 = pto.tile.expands 0.000000e+00 : f32 : tile<1x1xf32>
// CHECK-NEXT: %56 = pto.tile.sel %54, %55, %52 : tile<1x1xi1>, tile<1x1xf32>
// CHECK-NEXT: %57 = pto.tile.rowexpand %56 : tile<1x1xf32> -> tile<1x64xf32>
// CHECK-NEXT: %58 = pto.tile.sub %27, %57 : tile<1x64xf32>
// CHECK-NEXT: %59 = pto.tile.exp %58 : tile<1x64xf32>
// CHECK-NEXT: %60 = pto.tile.mul %28, %59 : tile<1x64xf32>
// CHECK-NEXT: %61 = pto.tile.rowsum %60 : tile<1x64xf32> -> tile<1x1xf32>
// CHECK-NEXT: %62 = pto.tile.sub %52, %52 : tile<1x1xf32>
// CHECK-NEXT: %63 = pto.tile.add %61, %62 : tile<1x1xf32>
// CHECK-NEXT: %64 = arith.constant 0 : index
// CHECK-NEXT: %65 = arith.constant 256 : index
// CHECK-NEXT: %66 = arith.constant 128 : index
// CHECK-NEXT: scf.for %c_2 = %64 to %65 step %66 {
// CHECK-NEXT: %67 = pto.tile.load.map %x[%m, %c_2] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 300] dims [0, 1] : memref<6x300xf32> -> tile<1x128xf32>
// CHECK-NEXT: %68 = pto.tile.rowexpand %52 : tile<1x1xf32> -> tile<1x128xf32>
// CHECK-NEXT: %69 = pto.tile.sub %67, %68 : tile<1x128xf32>
// CHECK-NEXT: %70 = pto.tile.exp %69 : tile<1x128xf32>
// CHECK-NEXT: %71 = pto.tile.rowexpand %63 : tile<1x1xf32> -> tile<1x128xf32>
// CHECK-NEXT: %72 = pto.tile.div %70, %71 : tile<1x128xf32>
// CHECK-NEXT: pto.tile.store.map %72, %y[%m, %c_2] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 300] dims [0, 1] : tile<1x128xf32>, memref<6x300xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %73 = arith.constant 256 : index
// CHECK-NEXT: %74 = arith.constant 300 : index
// CHECK-NEXT: %75 = arith.constant 128 : index
// CHECK-NEXT: scf.for %c_3 = %73 to %74 step %75 {
// CHECK-NEXT: %76 = pto.tile.load.map %x[%m, %c_3] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 300] dims [0, 1] : memref<6x300xf32> -> tile<1x128xf32>
// CHECK-NEXT: %77 = pto.tile.rowexpand %52 : tile<1x1xf32> -> tile<1x128xf32>
// CHECK-NEXT: %78 = pto.tile.sub %76, %77 : tile<1x128xf32>
// CHECK-NEXT: %79 = pto.tile.exp %78 : tile<1x128xf32>
// CHECK-NEXT: %80 = pto.tile.rowexpand %63 : tile<1x1xf32> -> tile<1x128xf32>
// CHECK-NEXT: %81 = pto.tile.div %79, %80 : tile<1x128xf32>
// CHECK-NEXT: pto.tile.store.map %81, %y[%m, %c_3] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 300] dims [0, 1] : tile<1x128xf32>, memref<6x300xf32>
region.kernel @softmax(%x: memref<6x300xf32> align 16) -> (%y: memref<6x300xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 128], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"], epilogue = ["sub", "exp", "div"]}> {
  %0 = region.load %x : memref<6x300xf32> -> tensor<6x300xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<6x300xf32> -> tensor<6xf32>
  %2 = tiny.movement reshape %1 : tensor<6xf32> -> tensor<6x1xf32>
  %3 = tiny.movement expand %2 : tensor<6x1xf32> -> tensor<6x300xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<6x300xf32>, tensor<6x300xf32>) -> tensor<6x300xf32>
  %5 = tiny.unary exp %4 : tensor<6x300xf32> -> tensor<6x300xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<6x300xf32> -> tensor<6xf32>
  %7 = tiny.movement reshape %6 : tensor<6xf32> -> tensor<6x1xf32>
  %8 = tiny.movement expand %7 : tensor<6x1xf32> -> tensor<6x300xf32>
  %9 = tiny.binary div %5, %8 : (tensor<6x300xf32>, tensor<6x300xf32>) -> tensor<6x300xf32>
  region.yield %9 : tensor<6x300xf32>
}

// Deviations from the mean are another pass. A tile that divides the rows needs no mask; what a row has one of is computed between
// the loops.
// CHECK: pto.kernel @deviations(
// CHECK-NEXT: pto.tiles (%m, %n) in [6, 256] step [1, 256] {
// CHECK-NEXT: %0 = pto.tile.expands 0.000000e+00 : f32 : tile<1x64xf32>
// CHECK-NEXT: %1 = arith.constant 0 : index
// CHECK-NEXT: %2 = arith.constant 256 : index
// CHECK-NEXT: %3 = arith.constant 128 : index
// CHECK-NEXT: %4 = scf.for %c = %1 to %2 step %3 iter_args(%5 = %0) -> (!pto.tile<1x64xf32>) {
// CHECK-NEXT: %6 = pto.tile.load.map %x[%m, %c] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : memref<6x256xf32> -> tile<1x128xf32>
// CHECK-NEXT: %7 = pto.tile.rowsum %6 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
// CHECK-NEXT: %8 = pto.tile.add %5, %7 : tile<1x64xf32>
// CHECK-NEXT: scf.yield %8 : !pto.tile<1x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %9 = pto.tile.rowsum %4 : tile<1x64xf32> -> tile<1x1xf32>
// CHECK-NEXT: %10 = pto.tile.expands 3.906250e-03 : f32 : tile<1x1xf32>
// CHECK-NEXT: %11 = pto.tile.mul %9, %10 : tile<1x1xf32>
// CHECK-NEXT: %12 = pto.tile.expands 0.000000e+00 : f32 : tile<1x64xf32>
// CHECK-NEXT: %13 = arith.constant 0 : index
// CHECK-NEXT: %14 = arith.constant 256 : index
// CHECK-NEXT: %15 = arith.constant 128 : index
// CHECK-NEXT: %16 = scf.for %c_1 = %13 to %14 step %15 iter_args(%17 = %12) -> (!pto.tile<1x64xf32>) {
// CHECK-NEXT: %18 = pto.tile.load.map %x[%m, %c_1] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : memref<6x256xf32> -> tile<1x128xf32>
// CHECK-NEXT: %19 = pto.tile.rowexpand %11 : tile<1x1xf32> -> tile<1x128xf32>
// CHECK-NEXT: %20 = pto.tile.sub %18, %19 : tile<1x128xf32>
// CHECK-NEXT: %21 = pto.tile.mul %20, %20 : tile<1x128xf32>
// CHECK-NEXT: %22 = pto.tile.rowsum %21 run 2 group 64 : tile<1x128xf32> -> tile<1x64xf32>
// CHECK-NEXT: %23 = pto.tile.add %17, %22 : tile<1x64xf32>
// CHECK-NEXT: scf.yield %23 : !pto.tile<1x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %24 = pto.tile.rowsum %16 : tile<1x64xf32> -> tile<1x1xf32>
// CHECK-NEXT: pto.tile.store.map %24, %y[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [6, 256] dims [0, 1] : tile<1x1xf32>, memref<6xf32>
region.kernel @deviations(%x: memref<6x256xf32> align 16) -> (%y: memref<6xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 128], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul", "sub", "mul"]}> {
  %0 = region.load %x : memref<6x256xf32> -> tensor<6x256xf32>
  %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<6x256xf32> -> tensor<6xf32>
  %n = tiny.const dense<0.00390625> : tensor<6xf32>
  %2 = tiny.binary mul %1, %n : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %3 = tiny.movement reshape %2 : tensor<6xf32> -> tensor<6x1xf32>
  %4 = tiny.movement expand %3 : tensor<6x1xf32> -> tensor<6x256xf32>
  %5 = tiny.binary sub %0, %4 : (tensor<6x256xf32>, tensor<6x256xf32>) -> tensor<6x256xf32>
  %6 = tiny.binary mul %5, %5 : (tensor<6x256xf32>, tensor<6x256xf32>) -> tensor<6x256xf32>
  %7 = tiny.reduce sum %6 axes [1] accum f32 : tensor<6x256xf32> -> tensor<6xf32>
  region.yield %7 : tensor<6xf32>
}

// What no reduction of the first pass is needed for is stored in it.
// CHECK: pto.kernel @early(
// CHECK-NEXT: pto.tiles (%m, %n) in [6, 256] step [1, 256] {
// CHECK-NEXT: %0 = pto.tile.expands 0xFC00 : f16 : tile<1x64xf16>
// CHECK-NEXT: %1 = arith.constant 0 : index
// CHECK-NEXT: %2 = arith.constant 256 : index
// CHECK-NEXT: %3 = arith.constant 128 : index
// CHECK-NEXT: %4 = scf.for %c = %1 to %2 step %3 iter_args(%5 = %0) -> (!pto.tile<1x64xf16>) {
// CHECK-NEXT: %6 = pto.tile.load.map %x[%m, %c] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : memref<6x256xf16> -> tile<1x128xf16>
// CHECK-NEXT: %7 = pto.tile.neg %6 : tile<1x128xf16>
// CHECK-NEXT: %8 = pto.tile.rowmax %7 run 2 group 64 : tile<1x128xf16> -> tile<1x64xf16>
// CHECK-NEXT: %9 = pto.tile.max %5, %8 : tile<1x64xf16>
// CHECK-NEXT: pto.tile.store.map %7, %y[%m, %c] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : tile<1x128xf16>, memref<6x256xf16>
// CHECK-NEXT: scf.yield %9 : !pto.tile<1x64xf16>
// CHECK-NEXT: }
// CHECK-NEXT: %10 = pto.tile.rowmax %4 : tile<1x64xf16> -> tile<1x1xf16>
// CHECK-NEXT: %11 = arith.constant 0 : index
// CHECK-NEXT: %12 = arith.constant 256 : index
// CHECK-NEXT: %13 = arith.constant 128 : index
// CHECK-NEXT: scf.for %c_1 = %11 to %12 step %13 {
// CHECK-NEXT: %14 = pto.tile.load.map %x[%m, %c_1] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : memref<6x256xf16> -> tile<1x128xf16>
// CHECK-NEXT: %15 = pto.tile.neg %14 : tile<1x128xf16>
// CHECK-NEXT: %16 = pto.tile.rowexpand %10 : tile<1x1xf16> -> tile<1x128xf16>
// CHECK-NEXT: %17 = pto.tile.sub %15, %16 : tile<1x128xf16>
// CHECK-NEXT: pto.tile.store.map %17, %z[%m, %c_1] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 256] dims [0, 1] : tile<1x128xf16>, memref<6x256xf16>
region.kernel @early(%x: memref<6x256xf16> align 16) -> (%y: memref<6x256xf16> align 256 gmem, %z: memref<6x256xf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 128], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, epilogue = ["neg", "sub"]}> {
  %0 = region.load %x : memref<6x256xf16> -> tensor<6x256xf16>
  %1 = tiny.unary neg %0 : tensor<6x256xf16> -> tensor<6x256xf16>
  %2 = tiny.reduce max %1 axes [1] accum f16 : tensor<6x256xf16> -> tensor<6xf16>
  %3 = tiny.movement reshape %2 : tensor<6xf16> -> tensor<6x1xf16>
  %4 = tiny.movement expand %3 : tensor<6x1xf16> -> tensor<6x256xf16>
  %5 = tiny.binary sub %1, %4 : (tensor<6x256xf16>, tensor<6x256xf16>) -> tensor<6x256xf16>
  region.yield %1, %5 : tensor<6x256xf16>, tensor<6x256xf16>
}
