// RUN: ptir-opt %s -t cuda | filecheck %s

// CHECK: const bool moved = __any_sync(0xffffffff, (f[0] != 1.0f) | (f[1] != 1.0f));
// CHECK-NEXT: const bool one = __any_sync(0xffffffff, (g != 0.0f));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %f = nv.frag : !nv.frag<16x1xf32, lane(4: 0, 8: i) reg(2: 8i)>
    %g = nv.frag : !nv.frag<8x1xf32, lane(4: 0, 8: i)>
    %moved = nv.any_differs %f from 1.0 : f32 : !nv.frag<16x1xf32, lane(4: 0, 8: i) reg(2: 8i)>
    %one = nv.any_differs %g from 0.0 : f32 : !nv.frag<8x1xf32, lane(4: 0, 8: i)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
