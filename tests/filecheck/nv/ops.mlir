// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each statement prints as it is read, and its generic form reads as the same statement.

// CHECK: "gpu.module"() <{sym_name = "kernels"}> ({
"gpu.module"() <{sym_name = "kernels"}> ({
  // CHECK-NEXT: "gpu.func"() <{function_type = (memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>, memref<32x32xi8>, memref<8x16xf64>) -> (), kernel}> ({
  "gpu.func"() <{function_type = (memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>, memref<32x32xi8>, memref<8x16xf64>) -> (), kernel}> ({
  // CHECK-NEXT: ^bb0(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>, %i: memref<32x32xi8>, %d: memref<8x16xf64>):
  ^bb0(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>, %i: memref<32x32xi8>, %d: memref<8x16xf64>):
    // CHECK-NEXT: %c0 = arith.constant 0 : index
    %c0 = arith.constant 0 : index
    // CHECK-NEXT: %c1 = arith.constant 1 : index
    %c1 = arith.constant 1 : index
    // CHECK-NEXT: %s = nv.smem at 1024 : !nv.smem<2x16x64xbf16, xor>
    %s = nv.smem at 1024 : !nv.smem<2x16x64xbf16, xor>
    // CHECK-NEXT: %spelled = nv.smem at 17408 : !nv.smem<1x12x16xbf16, at(16: j, 2: i^8j, 6: 2i)>
    %spelled = nv.smem at 17408 : !nv.smem<1x12x16xbf16, at(16:j, 2 : i^8j, 6: 2i)>
    // CHECK-NEXT: %flat = nv.smem at 0 : !nv.smem<1x16x8xf16, none>
    %flat = nv.smem at 0 : !nv.smem<1x16x8xf16, none>
    // CHECK-NEXT: %words = nv.smem at 5120 : !nv.smem<2x16x32xf32, xor>
    %words = nv.smem at 5120 : !nv.smem<2x16x32xf32, xor>
    // CHECK-NEXT: %doubles = nv.smem at 9216 : !nv.smem<2x8x16xf64, xor_columns>
    %doubles = nv.smem at 9216 : !nv.smem<2x8x16xf64, xor_columns>
    // CHECK-NEXT: %signed = nv.smem at 11264 : !nv.smem<2x32x32xi8, xor>
    %signed = nv.smem at 11264 : !nv.smem<2x32x32xi8, xor>
    // CHECK-NEXT: %si = nv.smem at 13312 : !nv.smem<2x32x32xsi8, xor>
    %si = nv.smem at 13312 : !nv.smem<2x32x32xsi8, xor>
    // CHECK-NEXT: %unsigned = nv.smem at 15360 : !nv.smem<2x32x32xui8, none>
    %unsigned = nv.smem at 15360 : !nv.smem<2x32x32xui8, none>
    // CHECK-NEXT: %acc = nv.frag : !nv.frag<16x32xf32, C of m16n8k16>
    %acc = nv.frag : !nv.frag<16x32xf32, C of m16n8k16>
    // CHECK-NEXT: %weights = nv.frag : !nv.frag<16x32xbf16, C of m16n8k16>
    %weights = nv.frag : !nv.frag<16x32xbf16, C of m16n8k16>
    // CHECK-NEXT: %left = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
    %left = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
    // CHECK-NEXT: %right = nv.frag : !nv.frag<16x32xbf16, B of m16n8k16>
    %right = nv.frag : !nv.frag<16x32xbf16, B of m16n8k16>
    // CHECK-NEXT: %half = nv.frag : !nv.frag<16x8xf16, B of m16n8k16>
    %half = nv.frag : !nv.frag<16x8xf16, B of m16n8k16>
    // CHECK-NEXT: %acc_t = nv.frag : !nv.frag<16x16xf32, C of m16n8k8>
    %acc_t = nv.frag : !nv.frag<16x16xf32, C of m16n8k8>
    // CHECK-NEXT: %left_t = nv.frag : !nv.frag<16x8xf32, A of m16n8k8>
    %left_t = nv.frag : !nv.frag<16x8xf32, A of m16n8k8>
    // CHECK-NEXT: %right_t = nv.frag : !nv.frag<8x16xf32, B of m16n8k8>
    %right_t = nv.frag : !nv.frag<8x16xf32, B of m16n8k8>
    // CHECK-NEXT: %acc_i = nv.frag : !nv.frag<32x32xi32, C of m16n8k32>
    %acc_i = nv.frag : !nv.frag<32x32xi32, C of m16n8k32>
    // CHECK-NEXT: %left_i = nv.frag : !nv.frag<32x32xi8, A of m16n8k32>
    %left_i = nv.frag : !nv.frag<32x32xi8, A of m16n8k32>
    // CHECK-NEXT: %right_i = nv.frag : !nv.frag<32x32xui8, B of m16n8k32>
    %right_i = nv.frag : !nv.frag<32x32xui8, B of m16n8k32>
    // CHECK-NEXT: %left_s = nv.frag : !nv.frag<32x32xsi8, A of m16n8k32>
    %left_s = nv.frag : !nv.frag<32x32xsi8, A of m16n8k32>
    // CHECK-NEXT: %acc_d = nv.frag : !nv.frag<8x8xf64, C of m8n8k4>
    %acc_d = nv.frag : !nv.frag<8x8xf64, C of m8n8k4>
    // CHECK-NEXT: %left_d = nv.frag : !nv.frag<8x4xf64, A of m8n8k4>
    %left_d = nv.frag : !nv.frag<8x4xf64, A of m8n8k4>
    // CHECK-NEXT: %right_d = nv.frag : !nv.frag<4x8xf64, B of m8n8k4>
    %right_d = nv.frag : !nv.frag<4x8xf64, B of m8n8k4>
    // CHECK-NEXT: %acc_f = nv.frag : !nv.frag<16x16xf32, C of fma>
    %acc_f = nv.frag : !nv.frag<16x16xf32, C of fma>
    // CHECK-NEXT: %left_f = nv.frag : !nv.frag<16x4xf32, A of fma>
    %left_f = nv.frag : !nv.frag<16x4xf32, A of fma>
    // CHECK-NEXT: %right_f = nv.frag : !nv.frag<4x16xf32, B of fma>
    %right_f = nv.frag : !nv.frag<4x16xf32, B of fma>
    // CHECK-NEXT: nv.cp_async %x[%c0, %c0, %c0] to %s[%c0] address <"{ [i0, i1, i2] -> [(40i0 + i2)] }"> in [70, 20, 40] dims [0, 2] guard [0] bytes 16 : memref<70x40xbf16>, !nv.smem<2x16x64xbf16, xor>
    nv.cp_async %x[%c0, %c0, %c0] to %s[%c0] address <"{ [i0, i1, i2] -> [(40i0 + i2)] }"> in [70, 20, 40] dims [0, 2] guard [0] bytes 16 : memref<70x40xbf16>, !nv.smem<2x16x64xbf16, xor>
    // CHECK-NEXT: nv.cp_async %x[%c0, %c0] to %s[%c1] address <"{ [i0, i1] -> [(40i0 + i1)] }"> in [70, 40] dims [0, 1] guard [] bytes 2 : memref<70x40xbf16>, !nv.smem<2x16x64xbf16, xor>
    nv.cp_async %x[%c0, %c0] to %s[%c1] address <"{ [i0, i1] -> [(40i0 + i1)] }"> in [70, 40] dims [0, 1] guard [] bytes 2 : memref<70x40xbf16>, !nv.smem<2x16x64xbf16, xor>
    // CHECK-NEXT: nv.cp_async %i[%c0, %c0] to %signed[%c0] address <"{ [i0, i1] -> [(32i1 + i0)] }"> in [32, 32] dims [1, 0] guard [0, 1] bytes 1 : memref<32x32xi8>, !nv.smem<2x32x32xi8, xor>
    nv.cp_async %i[%c0, %c0] to %signed[%c0] address <"{ [i0, i1] -> [(32i1 + i0)] }"> in [32, 32] dims [1, 0] guard [0, 1] bytes 1 : memref<32x32xi8>, !nv.smem<2x32x32xi8, xor>
    // CHECK-NEXT: nv.cp_async %d[%c0, %c0] to %doubles[%c0] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [8, 16] dims [0, 1] guard [] bytes 8 : memref<8x16xf64>, !nv.smem<2x8x16xf64, xor_columns>
    nv.cp_async %d[%c0, %c0] to %doubles[%c0] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [8, 16] dims [0, 1] guard [] bytes 8 : memref<8x16xf64>, !nv.smem<2x8x16xf64, xor_columns>
    // CHECK-NEXT: nv.cp_async %y[%c0, %c0] to %words[%c0] address <"{ [i0, i1] -> [(20i0 + i1)] }"> in [70, 20] dims [0, 1] guard [1] bytes 4 : memref<70x20xf32>, !nv.smem<2x16x32xf32, xor>
    nv.cp_async %y[%c0, %c0] to %words[%c0] address <"{ [i0, i1] -> [(20i0 + i1)] }"> in [70, 20] dims [0, 1] guard [1] bytes 4 : memref<70x20xf32>, !nv.smem<2x16x32xf32, xor>
    // CHECK-NEXT: nv.commit_group
    nv.commit_group
    // CHECK-NEXT: nv.commit_group
    nv.commit_group
    // CHECK-NEXT: nv.wait_group 1
    nv.wait_group 1
    // CHECK-NEXT: nv.ldmatrix %s[%c0, %c0, %c0] ND to %left : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
    nv.ldmatrix %s[%c0, %c0, %c0] ND to %left : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
    // CHECK-NEXT: nv.ldmatrix %s[%c0, %c0, %c0] ND to %right : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x32xbf16, B of m16n8k16>
    nv.ldmatrix %s[%c0, %c0, %c0] ND to %right : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x32xbf16, B of m16n8k16>
    // CHECK-NEXT: nv.ldmatrix %flat[%c0, %c0, %c0] ND to %half : !nv.smem<1x16x8xf16, none>, !nv.frag<16x8xf16, B of m16n8k16>
    nv.ldmatrix %flat[%c0, %c0, %c0] ND to %half : !nv.smem<1x16x8xf16, none>, !nv.frag<16x8xf16, B of m16n8k16>
    // CHECK-NEXT: nv.ld_shared %s[%c0, %c0, %c0] ND to %left : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
    nv.ld_shared %s[%c0, %c0, %c0] ND to %left : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
    // CHECK-NEXT: nv.ldmatrix %words[%c0, %c0, %c0] ND to %left_t : !nv.smem<2x16x32xf32, xor>, !nv.frag<16x8xf32, A of m16n8k8>
    nv.ldmatrix %words[%c0, %c0, %c0] ND to %left_t : !nv.smem<2x16x32xf32, xor>, !nv.frag<16x8xf32, A of m16n8k8>
    // CHECK-NEXT: nv.ldmatrix %words[%c0, %c0, %c0] DN to %right_t : !nv.smem<2x16x32xf32, xor>, !nv.frag<8x16xf32, B of m16n8k8>
    nv.ldmatrix %words[%c0, %c0, %c0] DN to %right_t : !nv.smem<2x16x32xf32, xor>, !nv.frag<8x16xf32, B of m16n8k8>
    // CHECK-NEXT: nv.ld_shared %words[%c0, %c0, %c0] ND to %right_t : !nv.smem<2x16x32xf32, xor>, !nv.frag<8x16xf32, B of m16n8k8>
    nv.ld_shared %words[%c0, %c0, %c0] ND to %right_t : !nv.smem<2x16x32xf32, xor>, !nv.frag<8x16xf32, B of m16n8k8>
    // CHECK-NEXT: nv.to_tf32 %left_t : !nv.frag<16x8xf32, A of m16n8k8>
    nv.to_tf32 %left_t : !nv.frag<16x8xf32, A of m16n8k8>
    // CHECK-NEXT: nv.to_tf32 %right_t : !nv.frag<8x16xf32, B of m16n8k8>
    nv.to_tf32 %right_t : !nv.frag<8x16xf32, B of m16n8k8>
    // CHECK-NEXT: nv.ldmatrix %signed[%c0, %c0, %c0] ND to %left_i : !nv.smem<2x32x32xi8, xor>, !nv.frag<32x32xi8, A of m16n8k32>
    nv.ldmatrix %signed[%c0, %c0, %c0] ND to %left_i : !nv.smem<2x32x32xi8, xor>, !nv.frag<32x32xi8, A of m16n8k32>
    // CHECK-NEXT: nv.ld_shared %signed[%c0, %c0, %c0] DN to %left_i : !nv.smem<2x32x32xi8, xor>, !nv.frag<32x32xi8, A of m16n8k32>
    nv.ld_shared %signed[%c0, %c0, %c0] DN to %left_i : !nv.smem<2x32x32xi8, xor>, !nv.frag<32x32xi8, A of m16n8k32>
    // CHECK-NEXT: nv.ldmatrix %unsigned[%c0, %c0, %c0] DN to %right_i : !nv.smem<2x32x32xui8, none>, !nv.frag<32x32xui8, B of m16n8k32>
    nv.ldmatrix %unsigned[%c0, %c0, %c0] DN to %right_i : !nv.smem<2x32x32xui8, none>, !nv.frag<32x32xui8, B of m16n8k32>
    // CHECK-NEXT: nv.ldmatrix %si[%c0, %c0, %c0] ND to %left_s : !nv.smem<2x32x32xsi8, xor>, !nv.frag<32x32xsi8, A of m16n8k32>
    nv.ldmatrix %si[%c0, %c0, %c0] ND to %left_s : !nv.smem<2x32x32xsi8, xor>, !nv.frag<32x32xsi8, A of m16n8k32>
    // CHECK-NEXT: nv.ld_shared %doubles[%c0, %c0, %c0] ND to %left_d : !nv.smem<2x8x16xf64, xor_columns>, !nv.frag<8x4xf64, A of m8n8k4>
    nv.ld_shared %doubles[%c0, %c0, %c0] ND to %left_d : !nv.smem<2x8x16xf64, xor_columns>, !nv.frag<8x4xf64, A of m8n8k4>
    // CHECK-NEXT: nv.ld_shared %doubles[%c0, %c0, %c0] DN to %right_d : !nv.smem<2x8x16xf64, xor_columns>, !nv.frag<4x8xf64, B of m8n8k4>
    nv.ld_shared %doubles[%c0, %c0, %c0] DN to %right_d : !nv.smem<2x8x16xf64, xor_columns>, !nv.frag<4x8xf64, B of m8n8k4>
    // CHECK-NEXT: nv.ld_shared %words[%c0, %c0, %c0] ND to %left_f : !nv.smem<2x16x32xf32, xor>, !nv.frag<16x4xf32, A of fma>
    nv.ld_shared %words[%c0, %c0, %c0] ND to %left_f : !nv.smem<2x16x32xf32, xor>, !nv.frag<16x4xf32, A of fma>
    // CHECK-NEXT: nv.ld_shared %words[%c0, %c0, %c0] DN to %right_f : !nv.smem<2x16x32xf32, xor>, !nv.frag<4x16xf32, B of fma>
    nv.ld_shared %words[%c0, %c0, %c0] DN to %right_f : !nv.smem<2x16x32xf32, xor>, !nv.frag<4x16xf32, B of fma>
    // CHECK-NEXT: nv.mma_sync %acc, %left, %right : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
    nv.mma_sync %acc, %left, %right : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x16xbf16, A of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
    // CHECK-NEXT: nv.mma_sync %acc, %weights column 16, %right : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x32xbf16, C of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
    nv.mma_sync %acc, %weights column 16, %right : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<16x32xbf16, C of m16n8k16>, !nv.frag<16x32xbf16, B of m16n8k16>
    // CHECK-NEXT: nv.mma_sync %acc_t, %left_t, %right_t : !nv.frag<16x16xf32, C of m16n8k8>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x16xf32, B of m16n8k8>
    nv.mma_sync %acc_t, %left_t, %right_t : !nv.frag<16x16xf32, C of m16n8k8>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x16xf32, B of m16n8k8>
    // CHECK-NEXT: nv.mma_sync %acc_i, %left_i, %right_i : !nv.frag<32x32xi32, C of m16n8k32>, !nv.frag<32x32xi8, A of m16n8k32>, !nv.frag<32x32xui8, B of m16n8k32>
    nv.mma_sync %acc_i, %left_i, %right_i : !nv.frag<32x32xi32, C of m16n8k32>, !nv.frag<32x32xi8, A of m16n8k32>, !nv.frag<32x32xui8, B of m16n8k32>
    // CHECK-NEXT: nv.mma_sync %acc_i, %left_s, %right_i : !nv.frag<32x32xi32, C of m16n8k32>, !nv.frag<32x32xsi8, A of m16n8k32>, !nv.frag<32x32xui8, B of m16n8k32>
    nv.mma_sync %acc_i, %left_s, %right_i : !nv.frag<32x32xi32, C of m16n8k32>, !nv.frag<32x32xsi8, A of m16n8k32>, !nv.frag<32x32xui8, B of m16n8k32>
    // CHECK-NEXT: nv.mma_sync %acc_d, %left_d, %right_d : !nv.frag<8x8xf64, C of m8n8k4>, !nv.frag<8x4xf64, A of m8n8k4>, !nv.frag<4x8xf64, B of m8n8k4>
    nv.mma_sync %acc_d, %left_d, %right_d : !nv.frag<8x8xf64, C of m8n8k4>, !nv.frag<8x4xf64, A of m8n8k4>, !nv.frag<4x8xf64, B of m8n8k4>
    // CHECK-NEXT: nv.fma %acc_f, %left_f, %right_f : !nv.frag<16x16xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x16xf32, B of fma>
    nv.fma %acc_f, %left_f, %right_f : !nv.frag<16x16xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x16xf32, B of fma>
    // CHECK-NEXT: %sums = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
    %sums = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
    // CHECK-NEXT: %four = nv.convert_layout %acc_f : !nv.frag<16x16xf32, C of fma> -> !nv.frag<16x16xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 8i)>
    %four = nv.convert_layout %acc_f : !nv.frag<16x16xf32, C of fma> -> !nv.frag<16x16xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 8i)>
    // CHECK-NEXT: %ints = nv.convert_layout %acc_i : !nv.frag<32x32xi32, C of m16n8k32> -> !nv.frag<32x32xi32, lane(4: 8j, 8: i) reg(8: j, 4: 8i)>
    %ints = nv.convert_layout %acc_i : !nv.frag<32x32xi32, C of m16n8k32> -> !nv.frag<32x32xi32, lane(4: 8j, 8: i) reg(8: j, 4: 8i)>
    // CHECK-NEXT: nv.epilogue %sums : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>[%c0, %c0] in [70, 20] dims [0, 1] guard [0, 1] tile [16, 32] ins(%b : memref<20xf16>) outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [1, 4] {
    nv.epilogue %sums : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>[%c0, %c0] in [70, 20] dims [0, 1] guard [0, 1] tile [16, 32] ins(%b : memref<20xf16>) outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [1, 4] {
    // CHECK-NEXT: ^bb0(%sum: f32, %bias: f16):
    ^bb0(%sum: f32, %bias: f16):
    // CHECK-NEXT: %wide = arith.extf %bias : f16 to f32
      %wide = arith.extf %bias : f16 to f32
    // CHECK-NEXT: %out = arith.addf %sum, %wide : f32
      %out = arith.addf %sum, %wide : f32
    // CHECK-NEXT: nv.yield %out : f32
      nv.yield %out : f32
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: nv.epilogue %acc : !nv.frag<16x32xf32, C of m16n8k16>[%c0, %c0] in [70, 20] dims [0, 1] guard [1] tile [16, 32] outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [2] {
    nv.epilogue %acc : !nv.frag<16x32xf32, C of m16n8k16>[%c0, %c0] in [70, 20] dims [0, 1] guard [1] tile [16, 32] outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [2] {
    // CHECK-NEXT: ^bb0(%plain: f32):
    ^bb0(%plain: f32):
    // CHECK-NEXT: nv.yield %plain : f32
      nv.yield %plain : f32
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: nv.epilogue[%c0, %c0] in [70, 20] dims [0, 1] guard [] tile [2, 64] outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [4] {
    nv.epilogue[%c0, %c0] in [70, 20] dims [0, 1] guard [] tile [2, 64] outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [4] {
    // CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
      %zero = arith.constant 0.000000e+00 : f32
    // CHECK-NEXT: nv.yield %zero : f32
      nv.yield %zero : f32
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: "gpu.return"() : () -> ()
    "gpu.return"() : () -> ()
  // CHECK-NEXT: }) {sym_name = "k"} : () -> ()
  }) {sym_name = "k"} : () -> ()
// CHECK-NEXT: }) : () -> ()
}) : () -> ()
// CHECK-NEXT: func.func @f(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>, %i: memref<32x32xi8>, %d: memref<8x16xf64>) {
func.func @f(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>, %i: memref<32x32xi8>, %d: memref<8x16xf64>) {
  // CHECK-NEXT: nv.launch @kernels::@k grid [1, 5, 1] block [32, 1, 1] shared 17792(%x, %y, %b, %i, %d : memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>, memref<32x32xi8>, memref<8x16xf64>)
  nv.launch @kernels::@k grid [1, 5, 1] block [32, 1, 1] shared 17792(%x, %y, %b, %i, %d : memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>, memref<32x32xi8>, memref<8x16xf64>)
  // CHECK-NEXT: func.return
  func.return
// CHECK-NEXT: }
}

// A wait is for groups that are committed when it is first reached, where that can be told.

// CHECK: func.func @waits
func.func @waits(%n: index, %p: i1) {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %a = %z to %four step %one {
    nv.commit_group
  }
  scf.if %p {
    nv.commit_group
  } else {
    nv.commit_group
  }
  // CHECK: nv.wait_group 4
  nv.wait_group 4
  scf.for %a = %z to %n step %one {
    nv.commit_group
  }
  // CHECK: nv.wait_group 7
  nv.wait_group 7
  func.return
}

// CHECK: func.func @jumps
func.func @jumps() {
  nv.commit_group
  "cf.br"()[^bb1] : () -> ()
^bb1:
  // CHECK: nv.wait_group 0
  nv.wait_group 0
  func.return
}

// An operand that is computed in the prologue, from fragments with its lanes.

// CHECK: func.func @operand
func.func @operand(%k: index, %n: index, %s: memref<32xf32>) {
  %q = nv.frag : !nv.frag<16x32xsi8, B of m16n8k16>
  // CHECK: %b = nv.map(%q : !nv.frag<16x32xsi8, B of m16n8k16>) [%k, %n] in [64, 32] dims [0, 1] guard [] tile [16, 32] addresses [] widths [] -> !nv.frag<16x32xbf16, B of m16n8k16> {
  %b = nv.map(%q : !nv.frag<16x32xsi8, B of m16n8k16>) [%k, %n] in [64, 32] dims [0, 1] guard [] tile [16, 32] addresses [] widths [] -> !nv.frag<16x32xbf16, B of m16n8k16> {
  // CHECK-NEXT: ^bb0(%e: i8):
  ^bb0(%e: i8):
    // CHECK-NEXT: %row, %column = nv.point
    %row, %column = nv.point
    %f = arith.sitofp %e : i8 to f32
    %scale = nv.ld_global %s[%row, %column] at <"{ [i0, i1] -> [(i1)] }"> in [64, 32] : memref<32xf32> -> f32
    %p = arith.mulf %f, %scale : f32
    %r = arith.truncf %p : f32 to bf16
    nv.yield %r : bf16
  }
  func.return
}

// Rows of an accumulator, of which a lane holds several.

// CHECK: func.func @accumulated_rows
func.func @accumulated_rows(%acc: !nv.frag<16x64xf32, lane(4: 8j, 8: i) reg(8: j, 2: 32j, 2: 8i)>) {
  // CHECK: %rows = nv.convert_layout %acc : !nv.frag<16x64xf32, lane(4: 8j, 8: i) reg(8: j, 2: 32j, 2: 8i)> -> !nv.frag<32x64xf32, lane(4: 8j, 8: i) warp(2: 16i) reg(8: j, 2: 32j, 2: 8i)>
  %rows = nv.convert_layout %acc : !nv.frag<16x64xf32, lane(4: 8j, 8: i) reg(8: j, 2: 32j, 2: 8i)> -> !nv.frag<32x64xf32, lane(4: 8j, 8: i) warp(2: 16i) reg(8: j, 2: 32j, 2: 8i)>
  // CHECK-NEXT: %other = nv.convert_layout %rows scratch 16 : !nv.frag<32x64xf32, lane(4: 8j, 8: i) warp(2: 16i) reg(8: j, 2: 32j, 2: 8i)> -> !nv.frag<32x64xf32, lane(32: 2j) warp(2: i) reg(2: j, 16: 2i)>
  %other = nv.convert_layout %rows scratch 16 : !nv.frag<32x64xf32, lane(4: 8j, 8: i) warp(2: 16i) reg(8: j, 2: 32j, 2: 8i)> -> !nv.frag<32x64xf32, lane(32: 2j) warp(2: i) reg(2: j, 16: 2i)>
  // CHECK: %sum = nv.row_reduce %rows : !nv.frag<32x64xf32, lane(4: 8j, 8: i) warp(2: 16i) reg(8: j, 2: 32j, 2: 8i)> -> !nv.frag<32x1xf32, lane(4: 0, 8: i) warp(2: 16i) reg(2: 8i)> {
  %sum = nv.row_reduce %rows : !nv.frag<32x64xf32, lane(4: 8j, 8: i) warp(2: 16i) reg(8: j, 2: 32j, 2: 8i)> -> !nv.frag<32x1xf32, lane(4: 0, 8: i) warp(2: 16i) reg(2: 8i)> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    nv.yield %s : f32
  }
  func.return
}
