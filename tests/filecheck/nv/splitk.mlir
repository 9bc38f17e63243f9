// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each statement of a shared sum prints as it is read, and its generic form reads as the same statement.

// CHECK: "gpu.module"() <{sym_name = "kernels"}> ({
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6x32x32xf32>, memref<6xi32>, memref<4x16x32xsi32>, memref<1x8x8xf64>) -> (), kernel}> ({
  ^bb0(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %whole: memref<4x16x32xsi32>, %double: memref<1x8x8xf64>):
    %c0 = arith.constant 0 : index
    // CHECK: %acc = nv.frag
    %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
    // CHECK-NEXT: nv.semaphore.acquire %count[%c0] for %c0 : memref<6xi32>
    nv.semaphore.acquire %count[%c0] for %c0 : memref<6xi32>
    // CHECK-NEXT: nv.frag_load %ws[%c0] to %acc : memref<6x32x32xf32>, !nv.frag<16x16xf32, C of m16n8k16>
    nv.frag_load %ws[%c0] to %acc : memref<6x32x32xf32>, !nv.frag<16x16xf32, C of m16n8k16>
    // CHECK-NEXT: nv.frag_add %ws[%c0] to %acc : memref<6x32x32xf32>, !nv.frag<16x16xf32, C of m16n8k16>
    nv.frag_add %ws[%c0] to %acc : memref<6x32x32xf32>, !nv.frag<16x16xf32, C of m16n8k16>
    // CHECK-NEXT: nv.frag_store %acc to %ws[%c0] : !nv.frag<16x16xf32, C of m16n8k16>, memref<6x32x32xf32>
    nv.frag_store %acc to %ws[%c0] : !nv.frag<16x16xf32, C of m16n8k16>, memref<6x32x32xf32>
    // CHECK-NEXT: nv.semaphore.release %count[%c0] to %c0 : memref<6xi32>
    nv.semaphore.release %count[%c0] to %c0 : memref<6xi32>
    // CHECK-NEXT: %last = nv.arrive_last %count[%c0] of 3 : memref<6xi32>
    %last = nv.arrive_last %count[%c0] of 3 : memref<6xi32>
    // A signed integer lies in memory as one without a sign.
    // CHECK: nv.frag_store %int to %whole[%c0] : !nv.frag<16x16xi32, C of m16n8k32>, memref<4x16x32xsi32>
    %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
    nv.frag_store %int to %whole[%c0] : !nv.frag<16x16xi32, C of m16n8k32>, memref<4x16x32xsi32>
    // CHECK: nv.frag_add %double[%c0] to %f64 : memref<1x8x8xf64>, !nv.frag<8x8xf64, C of m8n8k4>
    %f64 = nv.frag : !nv.frag<8x8xf64, C of m8n8k4>
    nv.frag_add %double[%c0] to %f64 : memref<1x8x8xf64>, !nv.frag<8x8xf64, C of m8n8k4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// Counters on the host start at zero.

// CHECK: func.func @f
func.func @f(%ws: memref<6x32x32xf32>, %whole: memref<4x16x32xsi32>, %double: memref<1x8x8xf64>) {
  // CHECK-NEXT: %zeros = region.zeros : memref<6xi32>
  %zeros = region.zeros : memref<6xi32>
  nv.launch @kernels::@k grid [1, 1, 1] block [128, 1, 1] shared 0(%ws, %zeros, %whole, %double : memref<6x32x32xf32>, memref<6xi32>, memref<4x16x32xsi32>, memref<1x8x8xf64>)
  func.return
}
