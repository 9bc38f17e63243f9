// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// A loop, its comment on one line, and values carried from one round to the next.

// CHECK-LABEL: __global__
// CHECK: // wait, / then multiply
// CHECK-NEXT: int slot = 0;
// CHECK-NEXT: int free = 2;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int step = 0; step < 4; ++step) {
// CHECK-NEXT: const int next_slot = slot + 1;
// CHECK-NEXT: const int next_free = free + 1;
// CHECK-NEXT: slot = next_slot;
// CHECK-NEXT: free = next_free;
// CHECK-NEXT: }
// CHECK: const int column1 = slot + tile_column;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %one = arith.constant 1 : index
    %a, %b = scf.for %step = %c0 to %four step %one iter_args(%slot = %c0, %free = %two) -> (index, index) {
      %next_slot = arith.addi %slot, %one : index
      %next_free = arith.addi %free, %one : index
      scf.yield %next_slot, %next_free : index, index
    } {nv.comment = "wait, \\\n  then multiply"}
    nv.epilogue[%c0, %a] in [1, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i1)] }">] widths [1] {
      %e = arith.constant 1.0 : f32
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Values that change places go through copies.

// CHECK-LABEL: __global__
// CHECK: for (int step = 0; step < 4; step += 2) {
// CHECK-NEXT: const int next = q;
// CHECK-NEXT: const int next1 = p1;
// CHECK-NEXT: p1 = next;
// CHECK-NEXT: q = next1;
// CHECK-NEXT: }

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %one = arith.constant 1 : index
    %a, %b = scf.for %step = %c0 to %four step %two iter_args(%p = %c0, %q = %two) -> (index, index) {
      scf.yield %q, %p : index, index
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Of others what is made of a value comes before its next one.

// CHECK-LABEL: __global__
// CHECK: q = (p1 + 2);
// CHECK-NEXT: p1 = (p1 + 1);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %one = arith.constant 1 : index
    %a, %b = scf.for %step = %c0 to %four step %one iter_args(%p = %c0, %q = %two) -> (index, index) {
      %0 = arith.addi %p, %one : index
      %1 = arith.addi %p, %two : index
      scf.yield %0, %1 : index, index
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The plan's numbers by name, where the constant has that value; a value of that name gets another.

// CHECK-LABEL: __global__
// CHECK: constexpr int BM = 32, BK = 16;
// CHECK: const int k = (int)threadIdx.x * BK;
// CHECK-NEXT: const int m = (int)threadIdx.x * BM;
// CHECK-NEXT: const int BN1 = (int)threadIdx.x * 8;
// CHECK-NEXT: const int late = (int)threadIdx.x * 5;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %BK = arith.constant 16 : index
    %BM = arith.constant 32 : index
    %WARP_N = arith.constant 8 : index
    %STAGES = arith.constant 5 : index
    %k = arith.muli %t, %BK : index
    %m = arith.muli %t, %BM : index
    %BN = arith.muli %t, %WARP_N : index
    %late = arith.muli %t, %STAGES : index
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>, nv.plan = #plan.schedule<{arch = "sm80", tile = [32, 64, 16], stages = 3, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 2}}>} : () -> ()
}) : () -> ()

// -----

// Without a plan, numbers.

// CHECK-LABEL: __global__
// CHECK-NOT: constexpr
// CHECK: const int k = (int)threadIdx.x * 16;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %BK = arith.constant 16 : index
    %k = arith.muli %t, %BK : index
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Conditions, and both branches.

// CHECK-LABEL: __global__
// CHECK: const bool more = (int)threadIdx.x < 2;
// CHECK-NEXT: if (more) {
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: }
// CHECK-NEXT: else {
// CHECK-NEXT: commit_group();
// CHECK-NEXT: }
// CHECK: const int which = more ? 2 : 4;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<64xf32>):
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %one = arith.constant 1 : index
    %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %more = arith.cmpi ult, %t, %two : index
    scf.if %more {
      "gpu.barrier"() : () -> ()
    } else {
      nv.commit_group
    }
    %which = arith.select %more, %two, %four : index
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Bits of indices, and of conditions; a name of its own, or where they are used.

// CHECK-LABEL: __global__
// CHECK: const int other = (int)threadIdx.x ^ 1;
// CHECK-NEXT: const int low = ((int)threadIdx.x & 1) | 4;
// CHECK-NEXT: const int half = ((int)threadIdx.x << 1) >> 2;
// CHECK-NEXT: const int most = min((int)threadIdx.x, (max(1, other)));
// CHECK-NEXT: const bool one = ((int)threadIdx.x == 1) ^ (other < 4);
// CHECK-NEXT: if (((one & ((int)threadIdx.x == 1)) | one)) {

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %other = arith.xori %t, %c1 : index
    %0 = arith.andi %t, %c1 : index
    %low = arith.ori %0, %c4 : index
    %1 = arith.shli %t, %c1 : index
    %half = arith.shrui %1, %c2 : index
    %2 = arith.maxui %c1, %other : index
    %most = arith.minui %t, %2 : index
    %3 = arith.cmpi eq, %t, %c1 : index
    %4 = arith.cmpi ult, %other, %c4 : index
    %one = arith.xori %3, %4 : i1
    %5 = arith.andi %one, %3 : i1
    %6 = arith.ori %5, %one : i1
    scf.if %6 {
      "gpu.barrier"() : () -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()
