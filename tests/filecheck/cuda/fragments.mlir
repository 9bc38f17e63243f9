// RUN: ptir-opt %s -p pto-to-nv -t cuda --split-input-file | filecheck %s

// A row-major needs no .trans, B row-major does.

// CHECK-LABEL: __global__
// CHECK: float acc[1][4][4] = {};  // 16 x 32 a warp
// CHECK: u32 a[1][4];  // operand A, 16 x 16
// CHECK: u32 b[2][4];  // operand B, 16 x 32
// CHECK: ldmatrix(a[i], smem_a + slot * 512 + swizzled<16>(warp_m + lane % 8 + lane / 8 % 2 * 8 + i * 16, kk + lane / 16 * 8));
// CHECK: ldmatrix_trans(b[i], smem_b + slot * 1024 + swizzled<32>(kk + lane % 8 + lane / 8 % 2 * 8, lane / 16 * 8 + i * 16));
// CHECK: mma_m16n8k16_bf16(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x32xbf16> align 16) -> (%0: memref<16x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> !pto.tile<16x32xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x32xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x32xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x32xbf16, Mat> -> !pto.tile<16x32xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x32xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x32xbf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x32xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x32xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x32xf32, Acc> -> !pto.tile<16x32xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : !pto.tile<16x32xf32>, memref<16x32xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x32xbf16>) -> memref<16x32xf32> {
  %0 = memref.alloc() : memref<16x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x32xbf16>) outs(%0 : memref<16x32xf32>)
  func.return %0 : memref<16x32xf32>
}

// -----

// [N, K] weights need none; [K, M] operands do.

// CHECK-LABEL: __global__
// CHECK: ldmatrix_trans(a[i], smem_a + slot * 512 + swizzled<16>(kk + lane % 8 + lane / 16 * 8, warp_m + lane / 8 % 2 * 8 + i * 16));
// CHECK: ldmatrix(b[i], smem_b + slot * 512 + swizzled<16>(lane % 8 + lane / 16 * 8 + i * 16, kk + lane / 8 % 2 * 8));
// CHECK: mma_m16n8k16_f16(acc[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);

pto.kernel @f_0(%a0: memref<16x16xf16> align 16, %a1: memref<16x16xf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xf16> -> !pto.tile<16x16xf16, Mat, DN>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xf16> -> !pto.tile<16x16xf16, Mat, DN>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>]>, !pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>]> -> !pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xf16, Mat, DN> -> !pto.tile<16x16xf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xf16, Mat, DN> -> !pto.tile<16x16xf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xf16, Left>, !pto.tile<16x16xf16, Right>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xf16, Mat, DN>, !pto.tile<16x16xf16, Mat, DN>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : !pto.tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xf16>, %a1: memref<16x16xf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xf16>, memref<16x16xf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Without swizzle.

// CHECK-LABEL: __global__
// CHECK: cp_async_16(smem_a + s1 * 512 + linear<16>(row, column), a0 + (16 * row + (k + column)), 16);
// CHECK: cp_async_16(smem_b + s1 * 512 + linear<16>(row, column), a1 + (column + 16 * (k + row)), 16);
// CHECK: ldmatrix(a[i], smem_a + slot * 512 + linear<16>(warp_m + lane % 8 + lane / 8 % 2 * 8 + i * 16, kk + lane / 16 * 8));
// CHECK: ldmatrix_trans(b[i], smem_b + slot * 512 + linear<16>(kk + lane % 8 + lane / 8 % 2 * 8, lane / 16 * 8 + i * 16));

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, layout_hints = {A_swizzle = false, B_swizzle = false}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> !pto.tile<16x16xbf16, Mat>
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
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Three slots: the copy goes two steps ahead.

// CHECK-LABEL: __global__
// CHECK: for (int s1 = 0; s1 < 2; ++s1) {
// CHECK: commit_group();
// CHECK: for (int step = 0; step < 5; ++step) {
// CHECK: wait_group<1>();
// CHECK: __syncthreads();
// CHECK: const int next = step + 2;
// CHECK: const bool t1 = next < 5;
// CHECK: const int free = next % 3;
// CHECK: const int k1 = next * 16;
// CHECK: commit_group();
// CHECK: const int slot = step % 3;

pto.kernel @f_0(%a0: memref<16x80xbf16> align 16, %a1: memref<80x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 3, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 80 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
        %4 = pto.tile.load %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 80] dims [0, 2] : memref<16x80xbf16> -> !pto.tile<16x16xbf16, Mat>
        %5 = pto.tile.load %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 80] dims [2, 1] : memref<80x16xbf16> -> !pto.tile<16x16xbf16, Mat>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>, !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : !pto.tile<16x16xf32, Acc>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, Acc>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]> -> !pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>
      %11 = pto.tile.mov.m2l %9 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Left>
      %12 = pto.tile.mov.m2r %10 : !pto.tile<16x16xbf16, Mat> -> !pto.tile<16x16xbf16, Right>
      %13 = pto.tile.matmul.acc %8, %11, %12 : !pto.tile<16x16xf32, Acc>, !pto.tile<16x16xbf16, Left>, !pto.tile<16x16xbf16, Right>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<16x16xbf16, Mat>, !pto.tile<16x16xbf16, Mat>]>
      scf.yield %13 : !pto.tile<16x16xf32, Acc>
    }
    %14 = pto.tile.mov.a2v %7 : !pto.tile<16x16xf32, Acc> -> !pto.tile<16x16xf32>
    pto.tile.store %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : !pto.tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x80xbf16>, %a1: memref<80x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x80xbf16>, memref<80x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}
