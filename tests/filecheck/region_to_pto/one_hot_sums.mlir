// RUN: ptir-opt %s -p region-to-pto | filecheck %s
// RUN: ptir-opt %s -p region-to-pto,pto-to-nv -o /dev/null
// RUN: ptir-opt %s -p region-to-pto --validate-passes -o /dev/null

// The sum of the elements whose column equals a target is the element at the target, which is loaded once a row. A target beyond the row
// stands for the last column, whose term is 0 as well. Rows that are streamed need no pass for it.

// CHECK: pto.kernel @streamed(
// CHECK: %[[max:.*]] = scf.for
// CHECK-NOT: pto.tile.cmp
// CHECK: pto.tile.rowmax %[[max]] :
// CHECK: %[[t:.*]] = pto.tile.load.map %t[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 256] dims [0, 1] : memref<4xsi32> -> tile<1x1xsi32>
// CHECK-NEXT: %[[bits:.*]] = pto.tile.bitcast %[[t]] : tile<1x1xsi32> -> tile<1x1xui32>
// CHECK-NEXT: %[[last:.*]] = pto.tile.expands 255 : ui32 : tile<1x1xui32>
// CHECK-NEXT: %[[at:.*]] = pto.tile.min %[[bits]], %[[last]] : tile<1x1xui32>
// CHECK-NEXT: %[[column:.*]] = pto.tile.iota[%m, %n] at(%[[at]] : tile<1x1xui32>) by <"{ [i0, i1, i2] -> [(i2)] }"> in [4, 256, 256] dims [0, 1] : tile<1x1xsi32>
// CHECK-NEXT: %[[hit:.*]] = pto.tile.cmp %[[column]], %[[t]] {cmpMode = #pto.cmp<EQ>} : tile<1x1xsi32> -> tile<1x1xi1>
// CHECK-NEXT: %[[x:.*]] = pto.tile.load.map %x[%m, %n] at(%[[at]] : tile<1x1xui32>) by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [4, 256, 256] dims [0, 1] : memref<4x256xf32> -> tile<1x1xf32>
// CHECK-NEXT: %[[zero:.*]] = pto.tile.expands 0.000000e+00 : f32 : tile<1x1xf32>
// CHECK-NEXT: %[[term:.*]] = pto.tile.sel %[[hit]], %[[x]], %[[zero]]
// CHECK-NEXT: %[[start:.*]] = pto.tile.expands 0.000000e+00 : f32 : tile<1x1xf32>
// CHECK-NEXT: pto.tile.add %[[start]], %[[term]] : tile<1x1xf32>
region.kernel @streamed(%x: memref<4x256xf32> align 16, %t: memref<4xsi32> align 16) -> (%y: memref<4xf32> align 256 gmem, %z: memref<4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 128], warp_tile = "1x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["eq", "where"]}> {
  %0 = region.load %x : memref<4x256xf32> -> tensor<4x256xf32>
  %t1 = region.load %t : memref<4xsi32> -> tensor<4xsi32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %i = tiny.iota axis 1 : tensor<4x256xsi32>
  %2 = tiny.movement reshape %t1 : tensor<4xsi32> -> tensor<4x1xsi32>
  %3 = tiny.movement expand %2 : tensor<4x1xsi32> -> tensor<4x256xsi32>
  %4 = tiny.binary eq %i, %3 : (tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xi1>
  %zero = tiny.const dense<0.0> : tensor<4x256xf32>
  %5 = tiny.binary where %4, %0, %zero : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  region.yield %1, %6 : tensor<4xf32>, tensor<4xf32>
}

// The term may depend on other reductions of the row, its condition may be one of several, and its sum may be rounded.

// CHECK: pto.kernel @held(
// CHECK: %[[at:.*]] = pto.tile.min
// CHECK-NEXT: %[[x:.*]] = pto.tile.load.map %x[%m, %n] at(%[[at]] : tile<4x1xui64>)
// CHECK: pto.tile.iota[%m, %n] at(%[[at]] : tile<4x1xui64>)
// CHECK: %[[max:.*]] = pto.tile.rowmax
// CHECK-NEXT: pto.tile.sub %[[x]], %[[max]] : tile<4x1xf32>
// CHECK: %[[sum:.*]] = pto.tile.add {{.*}} : tile<4x1xf32>
// CHECK-NEXT: pto.tile.cvt %[[sum]] : tile<4x1xf32> -> tile<4x1xf16>
// CHECK-NOT: rowsum
// CHECK: pto.tile.store.map
region.kernel @held(%x: memref<4x256xf32> align 16, %t: memref<4x1xsi64> align 16) -> (%y: memref<4xf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub", "eq", "gt", "and", "where"]}> {
  %0 = region.load %x : memref<4x256xf32> -> tensor<4x256xf32>
  %2 = region.load %t : memref<4x1xsi64> -> tensor<4x1xsi64>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %m = tiny.movement reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %ms = tiny.movement expand %m : tensor<4x1xf32> -> tensor<4x256xf32>
  %d = tiny.binary sub %0, %ms : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %i = tiny.iota axis 1 : tensor<4x256xsi64>
  %3 = tiny.movement expand %2 : tensor<4x1xsi64> -> tensor<4x256xsi64>
  %4 = tiny.binary eq %3, %i : (tensor<4x256xsi64>, tensor<4x256xsi64>) -> tensor<4x256xi1>
  %zero = tiny.const dense<0.0> : tensor<4x256xf32>
  %p = tiny.binary gt %0, %zero : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xi1>
  %both = tiny.binary and %p, %4 : (tensor<4x256xi1>, tensor<4x256xi1>) -> tensor<4x256xi1>
  %5 = tiny.binary where %both, %d, %zero : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f16 : tensor<4x256xf32> -> tensor<4xf16>
  region.yield %6 : tensor<4xf16>
}

// Other sums have a term for each element: of another comparison, of another position, with another element than 0 elsewhere, of -0, whose
// sum is -0, and of quotients that may fail elsewhere. So has a maximum.

// CHECK: pto.kernel @others(
// CHECK-COUNT-4: pto.tile.rowsum
// CHECK: pto.tile.rowmax
// CHECK: pto.tile.rowsum
// CHECK-NOT: at(
region.kernel @others(%x: memref<4x256xf32> align 16, %n: memref<4x256xsi32> align 16, %t: memref<4x1xsi32> align 16) -> (%y0: memref<4xf32> align 256 gmem, %y1: memref<4xf32> align 256 gmem, %y2: memref<4xf32> align 256 gmem, %y3: memref<4xf32> align 256 gmem, %y4: memref<4xf32> align 256 gmem, %y5: memref<4xsi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 256], warp_tile = "1x256", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["add", "le", "eq", "eq", "where", "where", "where", "where", "where", "div", "where"]}> {
  %0 = region.load %x : memref<4x256xf32> -> tensor<4x256xf32>
  %n1 = region.load %n : memref<4x256xsi32> -> tensor<4x256xsi32>
  %2 = region.load %t : memref<4x1xsi32> -> tensor<4x1xsi32>
  %3 = tiny.movement expand %2 : tensor<4x1xsi32> -> tensor<4x256xsi32>
  %i = tiny.iota axis 1 : tensor<4x256xsi32>
  %k = tiny.iota axis 0 : tensor<4x256xsi32>
  %j = tiny.binary add %i, %k : (tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xsi32>
  %zero = tiny.const dense<0.0> : tensor<4x256xf32>
  %minus = tiny.const dense<-0.0> : tensor<4x256xf32>
  %none = tiny.const dense<0> : tensor<4x256xsi32>
  %le = tiny.binary le %i, %3 : (tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xi1>
  %other = tiny.binary eq %j, %3 : (tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xi1>
  %hit = tiny.binary eq %i, %3 : (tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xi1>
  %v0 = tiny.binary where %le, %0, %zero : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %v1 = tiny.binary where %other, %0, %zero : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %v2 = tiny.binary where %hit, %zero, %0 : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %v3 = tiny.binary where %hit, %0, %minus : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %v4 = tiny.binary where %hit, %0, %zero : (tensor<4x256xi1>, tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %q = tiny.binary div %i, %n1 report 1 : (tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xsi32>
  %v5 = tiny.binary where %hit, %q, %none : (tensor<4x256xi1>, tensor<4x256xsi32>, tensor<4x256xsi32>) -> tensor<4x256xsi32>
  %s0 = tiny.reduce sum %v0 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %s1 = tiny.reduce sum %v1 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %s2 = tiny.reduce sum %v2 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %s3 = tiny.reduce sum %v3 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %s4 = tiny.reduce max %v4 axes [1] accum f32 : tensor<4x256xf32> -> tensor<4xf32>
  %s5 = tiny.reduce sum %v5 axes [1] accum si32 : tensor<4x256xsi32> -> tensor<4xsi32>
  region.yield %s0, %s1, %s2, %s3, %s4, %s5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xsi32>
}
