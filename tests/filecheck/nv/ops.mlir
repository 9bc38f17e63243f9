// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each statement prints as it is read, and its generic form reads as the same statement.

// CHECK: "gpu.module"() <{sym_name = "kernels"}> ({
"gpu.module"() <{sym_name = "kernels"}> ({
  // CHECK-NEXT: "gpu.func"() <{function_type = (memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>) -> (), kernel}> ({
  "gpu.func"() <{function_type = (memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>) -> (), kernel}> ({
  // CHECK-NEXT: ^bb0(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>):
  ^bb0(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>):
    // CHECK-NEXT: %c0 = arith.constant 0 : index
    %c0 = arith.constant 0 : index
    // CHECK-NEXT: %s = nv.smem at 1024 : !nv.smem<2x16x64xbf16, xor>
    %s = nv.smem at 1024 : !nv.smem<2x16x64xbf16, xor>
    // CHECK-NEXT: %flat = nv.smem at 0 : !nv.smem<1x16x8xf16, none>
    %flat = nv.smem at 0 : !nv.smem<1x16x8xf16, none>
    // CHECK-NEXT: %acc = nv.frag : !nv.frag<16x32xf32, C>
    %acc = nv.frag : !nv.frag<16x32xf32, C>
    // CHECK-NEXT: %left = nv.frag : !nv.frag<16x16xbf16, A>
    %left = nv.frag : !nv.frag<16x16xbf16, A>
    // CHECK-NEXT: %right = nv.frag : !nv.frag<16x32xbf16, B>
    %right = nv.frag : !nv.frag<16x32xbf16, B>
    // CHECK-NEXT: nv.cp_async %x[%c0, %c0, %c0] to %s[%c0] address <"{ [i0, i1, i2] -> [(40i0 + i2)] }"> in [70, 20, 40] dims [0, 2] guard [0] bytes 16 : memref<70x40xbf16>, !nv.smem<2x16x64xbf16, xor>
    nv.cp_async %x[%c0, %c0, %c0] to %s[%c0] address <"{ [i0, i1, i2] -> [(40i0 + i2)] }"> in [70, 20, 40] dims [0, 2] guard [0] bytes 16 : memref<70x40xbf16>, !nv.smem<2x16x64xbf16, xor>
    // CHECK-NEXT: nv.commit_group
    nv.commit_group
    // CHECK-NEXT: nv.wait_group 1
    nv.wait_group 1
    // CHECK-NEXT: nv.ldmatrix %s[%c0, %c0, %c0] ND to %left : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A>
    nv.ldmatrix %s[%c0, %c0, %c0] ND to %left : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A>
    // CHECK-NEXT: nv.ldmatrix %s[%c0, %c0, %c0] DN to %right : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x32xbf16, B>
    nv.ldmatrix %s[%c0, %c0, %c0] DN to %right : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x32xbf16, B>
    // CHECK-NEXT: nv.mma_sync %acc, %left, %right : !nv.frag<16x32xf32, C>, !nv.frag<16x16xbf16, A>, !nv.frag<16x32xbf16, B>
    nv.mma_sync %acc, %left, %right : !nv.frag<16x32xf32, C>, !nv.frag<16x16xbf16, A>, !nv.frag<16x32xbf16, B>
    // CHECK-NEXT: nv.epilogue %acc : !nv.frag<16x32xf32, C>[%c0, %c0] in [70, 20] dims [0, 1] guard [0, 1] tile [16, 32] ins(%b : memref<20xf16>) outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [1, 8] {
    nv.epilogue %acc : !nv.frag<16x32xf32, C>[%c0, %c0] in [70, 20] dims [0, 1] guard [0, 1] tile [16, 32] ins(%b : memref<20xf16>) outs(%y : memref<70x20xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(20i0 + i1)] }">] widths [1, 8] {
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
// CHECK-NEXT: func.func @f(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>) {
func.func @f(%x: memref<70x40xbf16>, %y: memref<70x20xf32>, %b: memref<20xf16>) {
  // CHECK-NEXT: nv.launch @kernels::@k grid [1, 5, 1] block [32, 1, 1] shared 8192(%x, %y, %b : memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>)
  nv.launch @kernels::@k grid [1, 5, 1] block [32, 1, 1] shared 8192(%x, %y, %b : memref<70x40xbf16>, memref<70x20xf32>, memref<20xf16>)
  // CHECK-NEXT: func.return
  func.return
// CHECK-NEXT: }
}
