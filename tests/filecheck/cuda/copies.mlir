// RUN: ptir-opt %s -p pto-to-nv -t cuda --split-input-file | filecheck %s

// 16 bytes a copy, none guarded.

// CHECK-LABEL: __global__
// CHECK: const u32 smem_a = shared_address(shared) + 0;  // 2 slots of 16 x 16
// CHECK: const u32 smem_b = shared_address(shared) + 1024;  // 2 slots of 16 x 16
// CHECK: // 16 x 16 of a0, 16 bytes at a time
// CHECK: const int chunk = i * 32 + (int)threadIdx.x;
// CHECK: const int row = chunk / 2, column = chunk % 2 * 8;
// CHECK: cp_async_16(smem_a + s1 * 512 + swizzled<16>(row, column), a0 + (32 * row + (k + column)), 16);
// CHECK: // 16 x 16 of a1, 16 bytes at a time
// CHECK: const int chunk = i * 32 + (int)threadIdx.x;
// CHECK: const int row = chunk / 2, column = chunk % 2 * 8;
// CHECK: cp_async_16(smem_b + s1 * 512 + swizzled<16>(row, column), a1 + (column + 16 * (k + row)), 16);
// CHECK: commit_group();
// CHECK: wait_group<0>();
// CHECK: __syncthreads();
// CHECK: // 16 x 16 of a0, 16 bytes at a time
// CHECK: const int chunk = i * 32 + (int)threadIdx.x;
// CHECK: const int row = chunk / 2, column = chunk % 2 * 8;
// CHECK: cp_async_16(smem_a + free * 512 + swizzled<16>(row, column), a0 + (32 * row + (k1 + column)), 16);
// CHECK: // 16 x 16 of a1, 16 bytes at a time
// CHECK: const int chunk = i * 32 + (int)threadIdx.x;
// CHECK: const int row = chunk / 2, column = chunk % 2 * 8;
// CHECK: cp_async_16(smem_b + free * 512 + swizzled<16>(row, column), a1 + (column + 16 * (k1 + row)), 16);
// CHECK: commit_group();
// CHECK: ldmatrix(a[i], smem_a + slot * 512 + swizzled<16>(warp_m + lane % 8 + lane / 8 % 2 * 8 + i * 16, kk + lane / 16 * 8));
// CHECK: ldmatrix_trans(b[i], smem_b + slot * 512 + swizzled<16>(kk + lane % 8 + lane / 8 % 2 * 8, lane / 16 * 8 + i * 16));
// CHECK: const int row1 = warp_m + tile_row;

pto.kernel @f_0(%a0: memref<16x32xbf16> align 16, %a1: memref<32x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 32] dims [0, 2] : memref<16x32xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 32] dims [2, 1] : memref<32x16xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : !pto.tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x32xbf16>, %a1: memref<32x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x32xbf16>, memref<32x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Tails: rows by a condition, columns by the number of bytes; nothing else of the row is read.

// CHECK-LABEL: __global__
// CHECK: // 16 x 16 of a0, 8 bytes at a time
// CHECK: const int size = m + row < 17 ? clamp(20 - (k + column), 0, 4) * 2 : 0;
// CHECK: cp_async_8(smem_a + s1 * 512 + swizzled<16>(row, column), size ? a0 + (20 * (m + row) + (k + column)) : a0, size);
// CHECK: // 16 x 16 of a1, 4 bytes at a time
// CHECK: const int size = k + row < 20 ? clamp(10 - (column), 0, 2) * 2 : 0;
// CHECK: cp_async_4(smem_b + s1 * 512 + swizzled<16>(row, column), size ? a1 + (column + 10 * (k + row)) : a1, size);
// CHECK: // 16 x 16 of a0, 8 bytes at a time
// CHECK: const int size = m + row < 17 ? clamp(20 - (k1 + column), 0, 4) * 2 : 0;
// CHECK: cp_async_8(smem_a + free * 512 + swizzled<16>(row, column), size ? a0 + (20 * (m + row) + (k1 + column)) : a0, size);
// CHECK: // 16 x 16 of a1, 4 bytes at a time
// CHECK: const int size = k1 + row < 20 ? clamp(10 - (column), 0, 2) * 2 : 0;
// CHECK: cp_async_4(smem_b + free * 512 + swizzled<16>(row, column), size ? a1 + (column + 10 * (k1 + row)) : a1, size);

pto.kernel @f_0(%a0: memref<17x20xf16> align 16, %a1: memref<20x10xf16> align 16) -> (%0: memref<17x10xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [17, 10] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 20 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [17, 10, 20] dims [0, 2] : memref<17x20xf16> -> !pto.tile<16x16xf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [17, 10, 20] dims [2, 1] : memref<20x10xf16> -> !pto.tile<16x16xf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>]>, !pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>]> -> !pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xf16, Mat> -> !pto.tile<16x16xf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xf16, Mat> -> !pto.tile<16x16xf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xf16, Left>, !pto.tile<16x16xf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xf16, Mat>, !pto.tile<16x16xf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [17, 10] dims [0, 1] : !pto.tile<16x16xf32>, memref<17x10xf32>
  }
}
func.func @f(%a0: memref<17x20xf16>, %a1: memref<20x10xf16>) -> memref<17x10xf32> {
  %0 = memref.alloc() : memref<17x10xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<17x20xf16>, memref<20x10xf16>) outs(%0 : memref<17x10xf32>)
  func.return %0 : memref<17x10xf32>
}

// -----

// Single elements, each guarded, packed into 16 bytes.

// CHECK-LABEL: __global__
// CHECK: u32 words[4] = {};
// CHECK: words[e / 2] |= (column + e < 9 ? (u32)(a1 + ((column + e) + 9 * (k + row)))->bits : 0) << e % 2 * 16;
// CHECK: store_shared_16(smem_b + s1 * 512 + swizzled<16>(row, column), words);

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x9xbf16> align 16) -> (%0: memref<16x9xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 9] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 9, 16] dims [0, 2] : memref<16x16xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 9, 16] dims [2, 1] : memref<16x9xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 9] dims [0, 1] : !pto.tile<16x16xf32>, memref<16x9xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x9xbf16>) -> memref<16x9xf32> {
  %0 = memref.alloc() : memref<16x9xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x9xbf16>) outs(%0 : memref<16x9xf32>)
  func.return %0 : memref<16x9xf32>
}
