// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm90})' --split-input-file --verify-diagnostics

// Plans that the warp-specialized template cannot honor are refused by the name of the field;
// tests/unit/planning/test_warp_specialized_rules.py has more.

// expected-error@+1 {{roles is cooperative, but wgmma does not multiply f64 and f64 into f64}}
region.kernel @k(%x: memref<200x200xf64> align 256, %w: memref<200x200xf64> align 256) -> (%y: memref<200x200xf64> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xf64> -> tensor<200x200xf64>
  %1 = region.load %w : memref<200x200xf64> -> tensor<200x200xf64>
  %4 = tiny.movement reshape %0 : tensor<200x200xf64> -> tensor<200x200x1xf64>
  %5 = tiny.binary mul %4, %1 : (tensor<200x200x1xf64>, tensor<200x200xf64>) -> tensor<200x200x200xf64>
  %6 = tiny.reduce sum %5 axes [1] accum f64 : tensor<200x200x200xf64> -> tensor<200x200xf64>
  region.yield %6 : tensor<200x200xf64>
}

// -----

// expected-error@+1 {{tile has BK = 24, but m64k16 takes 16 at a time}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 24], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{warp_tile 64x40 gives wgmma 40 columns, but no m64k32_i8 has that many}}
region.kernel @k(%x: memref<200x200xi8> align 256, %w: memref<200x200xi8> align 256) -> (%y: memref<200x200xi32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 40, 64], stages = 4, warp_tile = "64x40", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xi8> -> tensor<200x200xi8>
  %1 = region.load %w : memref<200x200xi8> -> tensor<200x200xi8>
  %2 = tiny.unary cast %0 : tensor<200x200xi8> -> tensor<200x200xi32>
  %3 = tiny.unary cast %1 : tensor<200x200xi8> -> tensor<200x200xi32>
  %4 = tiny.movement reshape %2 : tensor<200x200xi32> -> tensor<200x200x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xi32>, tensor<200x200xi32>) -> tensor<200x200x200xi32>
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<200x200x200xi32> -> tensor<200x200xi32>
  region.yield %6 : tensor<200x200xi32>
}

// -----

// expected-error@+1 {{tile has BK = 48, which makes rows of 96 bytes of A in shared memory}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 48], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{tile has BN = 96, which makes rows of 192 bytes of B in shared memory}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 96, 64], stages = 4, warp_tile = "64x96", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{cluster is [4, 1], but BK = 16 rows of B cannot be divided among the 4 blocks along m in multiples of 8}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 16], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], cluster = [4, 1]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{split is 3, but 4 steps of BK = 64 can fill only 2 equal parts}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], split = 3, algo_choice = {matmul = "splitk_serial"}}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{bind has a value that this lowering does not support}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], bind = {m.o = "block.y", n.o = "block.x"}}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{layout_hints has a value that this lowering does not support}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], layout_hints = {A_swizzle = false}}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{local_edges has a value that this lowering does not support}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], local_edges = [{from = "A", to = "sum", depth = 2}, {from = "B", to = "sum", depth = 2}]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{vectorize has a value that this lowering does not support}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 128, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{cache has a value that this lowering does not support}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{its rings, staging and barriers take 278608 bytes of shared memory, the limit is 232448}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 5, warp_tile = "64x256", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{the accumulators take 256 registers per consumer thread, but only 208 of 240 are free}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 2, warp_tile = "128x256", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{roles is cooperative, but both operands are computed, and wgmma reads B from shared memory as it is stored}}
region.kernel @k(%x: memref<200x200xi8> align 256, %w: memref<200x200xi8> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xi8> -> tensor<200x200xi8>
  %a = tiny.unary cast %0 : tensor<200x200xi8> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xi8> -> tensor<200x200xi8>
  %b = tiny.unary cast %1 : tensor<200x200xi8> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %a : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %b : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{layout_hints has C_stride row, which makes the computed operand B wgmma's B}}
region.kernel @k(%x: memref<200x200xbf16> align 256, %w: memref<200x200xi8> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xbf16> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xi8> -> tensor<200x200xi8>
  %b = tiny.unary cast %1 : tensor<200x200xi8> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %0 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %b : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{tile has BK = 16, which makes rows of 16 bytes of A in shared memory}}
region.kernel @k(%x: memref<200x200xi8> align 256, %w: memref<200x200xbf16> align 256) -> (%y: memref<200x200xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 16], stages = 4, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  %0 = region.load %x : memref<200x200xi8> -> tensor<200x200xi8>
  %a = tiny.unary cast %0 : tensor<200x200xi8> -> tensor<200x200xbf16>
  %1 = region.load %w : memref<200x200xbf16> -> tensor<200x200xbf16>
  %2 = tiny.unary cast %a : tensor<200x200xbf16> -> tensor<200x200xf32>
  %3 = tiny.unary cast %1 : tensor<200x200xbf16> -> tensor<200x200xf32>
  %4 = tiny.movement reshape %2 : tensor<200x200xf32> -> tensor<200x200x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<200x200x1xf32>, tensor<200x200xf32>) -> tensor<200x200x200xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<200x200x200xf32> -> tensor<200x200xf32>
  region.yield %6 : tensor<200x200xf32>
}

// -----

// expected-error@+1 {{roles is cooperative, but the epilogue reduces rows}}
region.kernel @f(%x: memref<40x64xbf16> align 16, %w: memref<64x12xbf16> align 16) -> (%y: memref<40x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 16, 64], stages = 2, warp_tile = "64x16", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["sub"]}> {
  %0 = region.load %x : memref<40x64xbf16> -> tensor<40x64xbf16>
  %1 = region.load %w : memref<64x12xbf16> -> tensor<64x12xbf16>
  %2 = tiny.movement reshape %0 : tensor<40x64xbf16> -> tensor<40x64x1xbf16>
  %3 = tiny.unary cast %2 : tensor<40x64x1xbf16> -> tensor<40x64x1xf32>
  %4 = tiny.movement reshape %1 : tensor<64x12xbf16> -> tensor<1x64x12xbf16>
  %5 = tiny.unary cast %4 : tensor<1x64x12xbf16> -> tensor<1x64x12xf32>
  %6 = tiny.binary mul %3, %5 : (tensor<40x64x1xf32>, tensor<1x64x12xf32>) -> tensor<40x64x12xf32>
  %7 = tiny.reduce sum %6 axes [1] accum f32 : tensor<40x64x12xf32> -> tensor<40x12xf32>
  %8 = tiny.reduce max %7 axes [1] accum f32 : tensor<40x12xf32> -> tensor<40xf32>
  %9 = tiny.movement reshape %8 : tensor<40xf32> -> tensor<40x1xf32>
  %10 = tiny.movement expand %9 : tensor<40x1xf32> -> tensor<40x12xf32>
  %11 = tiny.binary sub %7, %10 : (tensor<40x12xf32>, tensor<40x12xf32>) -> tensor<40x12xf32>
  region.yield %11 : tensor<40x12xf32>
}

// -----

// expected-error@+1 {{roles is cooperative, but the epilogue combines several products}}
region.kernel @k(%x: memref<2x64x64xbf16> align 256, %w: memref<2x64x64xbf16> align 256) -> (%y: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, epilogue = ["mul"]}> {
  %0 = region.load %x : memref<2x64x64xbf16> -> tensor<2x64x64xbf16>
  %1 = region.load %w : memref<2x64x64xbf16> -> tensor<2x64x64xbf16>
  %2 = tiny.unary cast %0 : tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
  %3 = tiny.unary cast %1 : tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
  %4 = tiny.movement reshape %2 : tensor<2x64x64xf32> -> tensor<2x64x64x1xf32>
  %5 = tiny.movement reshape %3 : tensor<2x64x64xf32> -> tensor<2x1x64x64xf32>
  %6 = tiny.binary mul %4, %5 : (tensor<2x64x64x1xf32>, tensor<2x1x64x64xf32>) -> tensor<2x64x64x64xf32>
  %7 = tiny.reduce sum %6 axes [2] accum f32 : tensor<2x64x64x64xf32> -> tensor<2x64x64xf32>
  %8 = tiny.movement shrink %7 from [0, 0, 0] : tensor<2x64x64xf32> -> tensor<1x64x64xf32>
  %9 = tiny.movement shrink %7 from [1, 0, 0] : tensor<2x64x64xf32> -> tensor<1x64x64xf32>
  %10 = tiny.binary mul %8, %9 : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  %11 = tiny.movement reshape %10 : tensor<1x64x64xf32> -> tensor<64x64xf32>
  region.yield %11 : tensor<64x64xf32>
}

// -----

// expected-error@+1 {{split has a value that this lowering does not support}}
region.kernel @k(%x: memref<2x64x64xbf16> align 256, %w: memref<2x64x64xbf16> align 256) -> (%y: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 32], stages = 2, warp_tile = "32x32", split = 2, bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 8}, algo_choice = {matmul = "splitk_serial"}, epilogue = ["mul"]}> {
  %0 = region.load %x : memref<2x64x64xbf16> -> tensor<2x64x64xbf16>
  %1 = region.load %w : memref<2x64x64xbf16> -> tensor<2x64x64xbf16>
  %2 = tiny.unary cast %0 : tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
  %3 = tiny.unary cast %1 : tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
  %4 = tiny.movement reshape %2 : tensor<2x64x64xf32> -> tensor<2x64x64x1xf32>
  %5 = tiny.movement reshape %3 : tensor<2x64x64xf32> -> tensor<2x1x64x64xf32>
  %6 = tiny.binary mul %4, %5 : (tensor<2x64x64x1xf32>, tensor<2x1x64x64xf32>) -> tensor<2x64x64x64xf32>
  %7 = tiny.reduce sum %6 axes [2] accum f32 : tensor<2x64x64x64xf32> -> tensor<2x64x64xf32>
  %8 = tiny.movement shrink %7 from [0, 0, 0] : tensor<2x64x64xf32> -> tensor<1x64x64xf32>
  %9 = tiny.movement shrink %7 from [1, 0, 0] : tensor<2x64x64xf32> -> tensor<1x64x64xf32>
  %10 = tiny.binary mul %8, %9 : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  %11 = tiny.movement reshape %10 : tensor<1x64x64xf32> -> tensor<64x64xf32>
  region.yield %11 : tensor<64x64xf32>
}
