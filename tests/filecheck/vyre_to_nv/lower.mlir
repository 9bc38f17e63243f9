// RUN: ptir-opt %s -p vyre-to-nv | filecheck %s
// RUN: ptir-opt %s -p vyre-to-nv,vyre-to-nv | filecheck %s

// A kernel for each program; a module without programs stays as it is.

// CHECK:      "gpu.module"() <{sym_name = "kernels"}> ({
// CHECK-NEXT: "gpu.func"() <{function_type = (memref<?xui32>, memref<?xui32>, memref<2xui32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%in: memref<?xui32>, %out: memref<?xui32>, %lengths: memref<2xui32>):
// CHECK-NEXT: %t = arith.constant true
// CHECK-NEXT: %t_1 = arith.constant 0 : i32
// CHECK-NEXT: %in_words = nv.load_word %lengths[%t_1] if %t : memref<2xui32>
// CHECK-NEXT: %t_2 = arith.constant 1 : i32
// CHECK-NEXT: %out_words = nv.load_word %lengths[%t_2] if %t : memref<2xui32>
// CHECK-NEXT: %t_3 = arith.constant 1 : i32
// CHECK-NEXT: %out_elements = arith.shrui %out_words, %t_3 : i32
// CHECK-NEXT: %t_4 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %workgroup_x = arith.index_cast %t_4 : index to i32
// CHECK-NEXT: %t_5 = arith.constant 32 : i32
// CHECK-NEXT: %t_6 = arith.muli %workgroup_x, %t_5 : i32
// CHECK-NEXT: %t_7 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %local_x = arith.index_cast %t_7 : index to i32
// CHECK-NEXT: %i = arith.addi %t_6, %local_x : i32
// CHECK-NEXT: %inside = arith.cmpi ult, %i, %in_words : i32
// CHECK-NEXT: %x = nv.load_word %in[%i] if %inside : memref<?xui32>
// CHECK-NEXT: %y = arith.addi %x, %x : i32
// CHECK-NEXT: %z = arith.extui %y : i32 to i64
// CHECK-NEXT: %t_8 = arith.constant 0 : i64
// CHECK-NEXT: %t_9 = arith.cmpi eq, %z, %t_8 : i64
// CHECK-NEXT: %t_10 = nv.divui %z, %z : i64
// CHECK-NEXT: %q = arith.select %t_9, %t_8, %t_10 : i64
// CHECK-NEXT: %inside_1 = arith.cmpi ult, %i, %out_elements : i32
// CHECK-NEXT: %t_11 = arith.constant 2 : i32
// CHECK-NEXT: %t_12 = arith.muli %i, %t_11 : i32
// CHECK-NEXT: %t_13 = arith.constant 32 : i64
// CHECK-NEXT: %t_14 = arith.shrui %q, %t_13 : i64
// CHECK-NEXT: %t_15 = arith.trunci %q : i64 to i32
// CHECK-NEXT: %t_16 = arith.trunci %t_14 : i64 to i32
// CHECK-NEXT: %t_17 = arith.constant 1 : i32
// CHECK-NEXT: %t_18 = arith.addi %t_12, %t_17 : i32
// CHECK-NEXT: nv.store_word %t_15, %out[%t_12] if %inside_1 : memref<?xui32>
// CHECK-NEXT: nv.store_word %t_16, %out[%t_18] if %inside_1 : memref<?xui32>
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "scale", gpu.known_block_size = array<i32: 32, 2, 1>} : () -> ()
// CHECK-NEXT: "gpu.func"() <{function_type = (memref<?xui32>, memref<?xui32>, memref<2xui32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%b: memref<?xui32>, %s: memref<?xui32>, %lengths: memref<2xui32>):
// CHECK-NEXT: %t = arith.constant true
// CHECK-NEXT: %t_1 = arith.constant 0 : i32
// CHECK-NEXT: %b_words = nv.load_word %lengths[%t_1] if %t : memref<2xui32>
// CHECK-NEXT: %t_2 = arith.constant 1 : i32
// CHECK-NEXT: %s_words = nv.load_word %lengths[%t_2] if %t : memref<2xui32>
// CHECK-NEXT: %w = nv.shared_words : memref<40xui32>
// CHECK-NEXT: %t_3 = arith.constant 40 : i32
// CHECK-NEXT: %t_4 = arith.constant 1 : i32
// CHECK-NEXT: %w_elements = arith.shrui %t_3, %t_4 : i32
// CHECK-NEXT: %t_5 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %local_x = arith.index_cast %t_5 : index to i32
// CHECK-NEXT: %t_6 = arith.constant 8 : i32
// CHECK-NEXT: scf.for %0 = %local_x to %t_3 step %t_6 : i32 {
// CHECK-NEXT: %t_7 = arith.constant true
// CHECK-NEXT: %t_8 = arith.constant 0 : i32
// CHECK-NEXT: nv.store_word %t_8, %w[%0] if %t_7 : memref<40xui32>
// CHECK-NEXT: } {nv.unsigned}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: %t_9 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %local_x_1 = arith.index_cast %t_9 : index to i32
// CHECK-NEXT: %t_10 = "gpu.grid_dim"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %workgroups_x = arith.index_cast %t_10 : index to i32
// CHECK-NEXT: %t_11 = arith.constant -7 : i32
// CHECK-NEXT: %c = arith.cmpi slt, %t_11, %t_11 : i32
// CHECK-NEXT: %r = scf.if %c -> (i32) {
// CHECK-NEXT: scf.yield %t_11 : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: %t_12 = arith.constant 31 : i32
// CHECK-NEXT: %t_13 = arith.andi %t_11, %t_12 : i32
// CHECK-NEXT: %d = arith.shrsi %t_11, %t_13 : i32
// CHECK-NEXT: scf.yield %d : i32
// CHECK-NEXT: }
// CHECK-NEXT: %inside = arith.cmpi ult, %local_x_1, %s_words : i32
// CHECK-NEXT: %old = nv.atomic_word min %r, %s[%local_x_1] if %inside signed : memref<?xui32>
// CHECK-NEXT: %inside_1 = arith.cmpi ult, %local_x_1, %s_words : i32
// CHECK-NEXT: %was = nv.compare_exchange_word %old, %r, %s[%local_x_1] if %inside_1 : memref<?xui32>
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: %t_14 = arith.constant 1 : i32
// CHECK-NEXT: %k, %f = scf.for %j = %local_x_1 to %workgroups_x step %t_14 iter_args(%a = %workgroups_x, %e = %c) -> (i32, i1) : i32 {
// CHECK-NEXT: scf.yield %j, %c : i32, i1
// CHECK-NEXT: } {nv.unsigned}
// CHECK-NEXT: %t_15 = arith.constant 2 : i32
// CHECK-NEXT: %t_16 = arith.shrui %k, %t_15 : i32
// CHECK-NEXT: %inside_2 = arith.cmpi ult, %t_16, %b_words : i32
// CHECK-NEXT: %t_17 = arith.constant 3 : i32
// CHECK-NEXT: %t_18 = arith.andi %k, %t_17 : i32
// CHECK-NEXT: %t_19 = arith.constant 8 : i32
// CHECK-NEXT: %t_20 = arith.muli %t_18, %t_19 : i32
// CHECK-NEXT: %t_21 = arith.constant 255 : i32
// CHECK-NEXT: %t_22 = nv.load_word %b[%t_16] if %inside_2 : memref<?xui32>
// CHECK-NEXT: %t_23 = arith.shli %t_21, %t_20 : i32
// CHECK-NEXT: %t_24 = arith.constant -1 : i32
// CHECK-NEXT: %t_25 = arith.xori %t_23, %t_24 : i32
// CHECK-NEXT: %t_26 = arith.andi %workgroups_x, %t_21 : i32
// CHECK-NEXT: %t_27 = arith.shli %t_26, %t_20 : i32
// CHECK-NEXT: %t_28 = arith.andi %t_22, %t_25 : i32
// CHECK-NEXT: %t_29 = arith.ori %t_28, %t_27 : i32
// CHECK-NEXT: nv.store_word %t_29, %b[%t_16] if %inside_2 : memref<?xui32>
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "control", gpu.known_block_size = array<i32: 8, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()

vyre.op @twice(%x: !vyre.u32) -> !vyre.u32 {
  %y = vyre.binop add %x, %x : !vyre.u32
  vyre.return %y : !vyre.u32
}
vyre.program @scale workgroup [32, 2, 1] {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 3 : !vyre.buffer<u64, read_write>
  %i = vyre.position global x
  %x = vyre.load %in[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %y = vyre.call @twice(%x) : (!vyre.u32) -> !vyre.u32
  %z = vyre.cast %y : !vyre.u32 to !vyre.u64
  %q = vyre.binop div %z, %z : !vyre.u64
  vyre.store %q, %out[%i] : !vyre.u64, !vyre.buffer<u64, read_write>
}
vyre.program @control workgroup [8, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<bytes, read_write>
  %s = vyre.buffer "s" binding 1 : !vyre.buffer<i32, read_write>
  %w = vyre.buffer "w" count 20 : !vyre.buffer<vec2u32, workgroup>
  %i = vyre.position local x
  %n = vyre.position workgroups x
  %m = vyre.constant -7 : !vyre.i32
  %c = vyre.compare lt %m, %m : !vyre.i32
  %r = vyre.if %c -> (!vyre.i32) {
    vyre.yield %m : !vyre.i32
  } else {
    %d = vyre.binop shr %m, %m : !vyre.i32
    vyre.yield %d : !vyre.i32
  }
  %old = vyre.atomic min %s[%i], %r : !vyre.buffer<i32, read_write>, !vyre.i32 -> !vyre.i32
  %was = vyre.compare_exchange %s[%i], %old, %r : !vyre.buffer<i32, read_write>, !vyre.i32, !vyre.i32 -> !vyre.i32
  vyre.barrier
  %k, %f = vyre.for %j = %i to %n iter (%a = %n, %e = %c) -> (!vyre.u32, !vyre.bool) {
    vyre.yield %j, %c : !vyre.u32, !vyre.bool
  }
  vyre.store %n, %b[%k] : !vyre.u32, !vyre.buffer<bytes, read_write>
}
