// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers of a shared sum.

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{'of' is 1}}
  %last = nv.arrive_last %count[%i] of 1 : memref<6xi32>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{'of' is 2147483648}}
  %last = nv.arrive_last %count[%i] of 2147483648 : memref<6xi32>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{the counter array is memref<6x32x32xf32>; it must be a one-dimensional memref of i32}}
  nv.semaphore.acquire %ws[%i] for %i : memref<6x32x32xf32>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{the counter array is memref<6xi64>; it must be a one-dimensional memref of i32}}
  nv.semaphore.release %wide[%i] to %i : memref<6xi64>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{the counter array is memref<6xi64>; it must be a one-dimensional memref of i32}}
  %last = nv.arrive_last %wide[%i] of 2 : memref<6xi64>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{'nv.frag_store' moves accumulators, not 'A of m16n8k16'}}
  nv.frag_store %a to %ws[%i] : !nv.frag<16x16xbf16, A of m16n8k16>, memref<6x32x32xf32>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{'nv.frag_load' moves accumulators, not 'lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)'}}
  nv.frag_load %ws[%i] to %rows : memref<6x32x32xf32>, !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{the workspace's element type is f32; the accumulator is i32}}
  nv.frag_add %ws[%i] to %int : memref<6x32x32xf32>, !nv.frag<16x16xi32, C of m16n8k32>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{the workspace has shape [6], expected slots of [16, 16] of each warp}}
  nv.frag_store %acc to %flat[%i] : !nv.frag<16x16xf32, C of m16n8k16>, memref<6xf32>
  func.return
}

// -----

func.func @f(%ws: memref<6x32x32xf32>, %count: memref<6xi32>, %wide: memref<6xi64>, %flat: memref<6xf32>, %odd: memref<6x40x40xf32>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  %int = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
  %a = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
  %rows = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
  // expected-error@+1 {{the workspace has shape [6, 40, 40], expected slots of [16, 16] of each warp}}
  nv.frag_load %odd[%i] to %acc : memref<6x40x40xf32>, !nv.frag<16x16xf32, C of m16n8k16>
  func.return
}

// -----

// Four warps have four fragments in a slot, not two.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6x32x16xf32>, index) -> (), kernel}> ({
  ^bb0(%ws: memref<6x32x16xf32>, %i: index):
    %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
    // expected-error@+1 {{the workspace has shape [6, 32, 16], expected slots of [16, 16] of 4 warps}}
    nv.frag_store %acc to %ws[%i] : !nv.frag<16x16xf32, C of m16n8k16>, memref<6x32x16xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A workspace is noalias too.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6xi32>, memref<6xi32>) -> (), kernel}> ({
  ^bb0(%count: memref<6xi32>, %other: memref<6xi32>):
    %i = arith.constant 0 : index
    nv.semaphore.release %count[%i] to %i : memref<6xi32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
func.func @f() {
  %zeros = region.zeros : memref<6xi32>
  // expected-error@+1 {{'nv.launch' writes a buffer that is also another of its operands}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%zeros, %zeros : memref<6xi32>, memref<6xi32>)
  func.return
}

// -----

func.func @f(%shared: memref<6x32x32xf32, 3 : index>, %i: index) {
  %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
  // expected-error@+1 {{a memref is memref<6x32x32xf32, 3 : index>; kernels take memrefs in global memory: no memory space}}
  nv.frag_store %acc to %shared[%i] : !nv.frag<16x16xf32, C of m16n8k16>, memref<6x32x32xf32, 3 : index>
  func.return
}

// -----

func.func @f(%shared: memref<6xi32, 3 : index>, %i: index) {
  // expected-error@+1 {{a memref is memref<6xi32, 3 : index>; kernels take memrefs in global memory: no memory space}}
  nv.semaphore.acquire %shared[%i] for %i : memref<6xi32, 3 : index>
  func.return
}
