// RUN: ptir-opt %s -p pto-to-nv -t cuda --split-input-file | filecheck %s

// Pairs of neighbours; what is only stored is rounded by that.

// CHECK-LABEL: __global__
// CHECK: const int tile_row = i * 16 + h * 8 + lane / 4, tile_column = j * 8 + lane % 4 * 2;
// CHECK: const int row1 = warp_m + tile_row;
// CHECK: *(vec<float, 2>*)(a2_in + 0) = *(const vec<float, 2>*)(a2 + (column1));
// CHECK: const float t = acc[i][j][h * 2 + v] + a2_in[v];
// CHECK: const float t1 = max_nan(t, 0.0f);
// CHECK-NEXT: out_out[v] = to_bf16(t1);
// CHECK: *(vec<u32, 1>*)(out + (16 * row1 + column1)) = *(vec<u32, 1>*)(out_out + 0);

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16, %a2: memref<16xf32> align 16) -> (%0: memref<16x16xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [16, 16] dims [0, 1] : memref<16xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    %19 = pto.tile.cvt %18 : tile<16x16xf32> -> tile<16x16xbf16>
    pto.tile.store.map %19, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xbf16>, memref<16x16xbf16>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>) -> memref<16x16xbf16> {
  %0 = memref.alloc() : memref<16x16xbf16>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16xf32>) outs(%0 : memref<16x16xbf16>)
  func.return %0 : memref<16x16xbf16>
}

// -----

// Eight neighbours after the lanes of a row have exchanged their pairs.

// CHECK-LABEL: __global__
// CHECK: float acc_rows[16];  // acc with 8 contiguous columns per lane, {{.*}} per warp
// CHECK: acc_rows[n] = acc[0][n / 2 % 4][n % 2 + n / 8 * 2];
// CHECK: exchange(acc_rows[n % 2 + n / 2 * 4], acc_rows[n % 2 + n / 2 * 4 + 2], 1);
// CHECK: exchange(acc_rows[n % 4 + n / 4 * 8], acc_rows[n % 4 + n / 4 * 8 + 4], 2);
// CHECK: const int tile_row = h * 8 + lane / 4, tile_column = lane % 4 * 8;
// CHECK: const int row1 = warp_m + tile_row;
// CHECK: *(vec<float, 4>*)(a2_in + 0) = *(const vec<float, 4>*)(a2 + (column1));
// CHECK: *(vec<float, 4>*)(a2_in + 4) = *(const vec<float, 4>*)(a2 + ((column1 + 4)));
// CHECK: const float t = acc_rows[h * 8 + v] + a2_in[v];
// CHECK: *(vec<u32, 4>*)(out + (32 * row1 + column1)) = *(vec<u32, 4>*)(out_out + 0);

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x32xbf16> align 16, %a2: memref<32xf32> align 16) -> (%0: memref<16x32xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [16, 32] dims [0, 1] : memref<32xf32> -> tile<16x32xf32>
    %16 = pto.tile.add %14, %15 : tile<16x32xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32>
    %18 = pto.tile.max %16, %17 : tile<16x32xf32>
    %19 = pto.tile.cvt %18 : tile<16x32xf32> -> tile<16x32xbf16>
    pto.tile.store.map %19, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<16x32xbf16>, memref<16x32xbf16>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x32xbf16>, %a2: memref<32xf32>) -> memref<16x32xbf16> {
  %0 = memref.alloc() : memref<16x32xbf16>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x32xbf16>, memref<32xf32>) outs(%0 : memref<16x32xbf16>)
  func.return %0 : memref<16x32xbf16>
}

// -----

// Guards where the tile does not divide, and on each of a pair where N is odd.

// CHECK-LABEL: __global__
// CHECK: if (row2 < 17 && column1 < 17) {
// CHECK: if (column1 + v < 17) a2_in[v] = *(a2 + ((column1 + v)));
// CHECK: const float t1 = max_nan(t, 0.0f);
// CHECK: if (column1 + v < 17) *(out + (17 * row2 + (column1 + v))) = out_out[v];

pto.kernel @f_0(%a0: memref<17x16xbf16> align 16, %a1: memref<16x17xbf16> align 16, %a2: memref<17xf32> align 16) -> (%0: memref<17x17xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [17, 17] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [17, 17, 16] dims [0, 2] : memref<17x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [17, 17, 16] dims [2, 1] : memref<16x17xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [17, 17] dims [0, 1] : memref<17xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    pto.tile.store.map %18, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [17, 17] dims [0, 1] : tile<16x16xf32>, memref<17x17xf32>
  }
}
func.func @f(%a0: memref<17x16xbf16>, %a1: memref<16x17xbf16>, %a2: memref<17xf32>) -> memref<17x17xf32> {
  %0 = memref.alloc() : memref<17x17xf32>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<17x16xbf16>, memref<16x17xbf16>, memref<17xf32>) outs(%0 : memref<17x17xf32>)
  func.return %0 : memref<17x17xf32>
}

// -----

// A transposed store.

// CHECK-LABEL: __global__
// CHECK: *(out + (row1 + 16 * (column1 + v))) = out_out[v];

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16, %a2: memref<16xf32> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [16, 16] dims [0, 1] : memref<16xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %18 = pto.tile.max %16, %17 : tile<16x16xf32>
    pto.tile.store.map %18, %0[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16xf32>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Comparisons and selects; i1 is a byte in memory and a bool in registers.

// CHECK-LABEL: __global__
// CHECK: extern __shared__ __align__(128) u8 shared[];
// CHECK: __align__(16) u8 out_out[2];
// CHECK: const bool t = acc[i][j][h * 2 + v] >= 1.0f;

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xi1> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %15 = pto.tile.expands 1.000000e+00 : f32 : tile<16x16xf32>
    %16 = pto.tile.cmp %14, %15 {cmpMode = #pto.cmp<GE>} : tile<16x16xf32> -> tile<16x16xi1>
    pto.tile.store.map %16, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xi1>, memref<16x16xi1>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xi1> {
  %0 = memref.alloc() : memref<16x16xi1>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xi1>)
  func.return %0 : memref<16x16xi1>
}

// -----

// The functions of an activation.

// CHECK-LABEL: __global__
// CHECK: const float t2 = t * 0.707106829f;
// CHECK: const float t3 = erff(t2);

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16, %a2: memref<16xf32> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %15 = pto.tile.load.map %a2[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [16, 16] dims [0, 1] : memref<16xf32> -> tile<16x16xf32>
    %16 = pto.tile.add %14, %15 : tile<16x16xf32>
    %17 = pto.tile.expands 5.000000e-01 : f32 : tile<16x16xf32>
    %18 = pto.tile.mul %16, %17 : tile<16x16xf32>
    %19 = pto.tile.expands 0.707106829 : f32 : tile<16x16xf32>
    %20 = pto.tile.mul %16, %19 : tile<16x16xf32>
    %21 = pto.tile.erf %20 : tile<16x16xf32>
    %22 = pto.tile.expands 1.000000e+00 : f32 : tile<16x16xf32>
    %23 = pto.tile.add %21, %22 : tile<16x16xf32>
    %24 = pto.tile.mul %18, %23 : tile<16x16xf32>
    pto.tile.store.map %24, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>, %a2: memref<16xf32>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1, %a2 : memref<16x16xbf16>, memref<16x16xbf16>, memref<16xf32>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// An elementwise kernel: neighbours to neighbouring threads.

// CHECK-LABEL: __global__
// CHECK: const int place = i * 128 + (int)threadIdx.x;
// CHECK: if (place < 32) {
// CHECK: const int tile_row = place / 8, tile_column = place % 8 * 2;
// CHECK: const int row1 = m + tile_row;
// CHECK: const float t = fabsf(to_float(a0_in[v]));
// CHECK: const float t1 = round_f16(t + to_float(a1_in[v]));
// CHECK-NEXT: const float t2 = t1 * to_float(a1_in[v]);
// CHECK-NEXT: out_out[v] = to_f16(t2);

pto.kernel @f_0(%a0: memref<16x24xf16> align 16, %a1: memref<16xf16> align 16) -> (%0: memref<24x16xf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 16], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [24, 16] step [4, 16] {
    %1 = pto.tile.load.map %a0[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [24, 16] dims [0, 1] : memref<16x24xf16> -> tile<4x16xf16>
    %2 = pto.tile.abs %1 : tile<4x16xf16>
    %3 = pto.tile.load.map %a1[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [24, 16] dims [0, 1] : memref<16xf16> -> tile<4x16xf16>
    %4 = pto.tile.add %2, %3 : tile<4x16xf16>
    %5 = pto.tile.mul %4, %3 : tile<4x16xf16>
    pto.tile.store.map %5, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [24, 16] dims [0, 1] : tile<4x16xf16>, memref<24x16xf16>
  }
}
func.func @f(%a0: memref<16x24xf16>, %a1: memref<16xf16>) -> memref<24x16xf16> {
  %0 = memref.alloc() : memref<24x16xf16>
  region.launch @f_0 ins(%a0, %a1 : memref<16x24xf16>, memref<16xf16>) outs(%0 : memref<24x16xf16>)
  func.return %0 : memref<24x16xf16>
}

// -----

// Division in an address, in C.

// CHECK-LABEL: __global__
// CHECK: words[e / 2] |= (k + row < 24 && column + e < 15 ? (u32)*(const u16*)(a1 + ((column + e) + 45 * (k + row) - 345 * ((k + row) / 8))) : 0) << e % 2 * 16;
// CHECK: words[e / 2] |= (k1 + row < 24 && column + e < 15 ? (u32)*(const u16*)(a1 + ((column + e) + 45 * (k1 + row) - 345 * ((k1 + row) / 8))) : 0) << e % 2 * 16;

pto.kernel @f_0(%a0: memref<16x3x8xbf16> align 16, %a1: memref<8x3x15xbf16> align 16) -> (%0: memref<16x15xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 15] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 24 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (floor((i2)/8)), ((i2) mod 8)] }"> in [16, 15, 24] dims [0, 2] : memref<16x3x8xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [((i2) mod 8), (floor((i2)/8)), (i1)] }"> in [16, 15, 24] dims [2, 1] : memref<8x3x15xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 15] dims [0, 1] : tile<16x16xf32>, memref<16x15xf32>
  }
}
func.func @f(%a0: memref<16x3x8xbf16>, %a1: memref<8x3x15xbf16>) -> memref<16x15xf32> {
  %0 = memref.alloc() : memref<16x15xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x3x8xbf16>, memref<8x3x15xbf16>) outs(%0 : memref<16x15xf32>)
  func.return %0 : memref<16x15xf32>
}
