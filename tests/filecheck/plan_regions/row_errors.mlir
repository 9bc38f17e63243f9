// RUN: ptir-opt %s -p plan-regions --split-input-file --verify-diagnostics

// The rules of the template.

// expected-error@+1 {{bind has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{bind has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{bind has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y", m.i.o = "warp.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{algo_choice has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], algo_choice = {matmul = "implicit_gemm"}}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{cache has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], cache = [{tensor = "A"}, {tensor = "B"}]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{layout_hints has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], layout_hints = {A_swizzle = true}}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{local_edges has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], local_edges = [{from = "A", to = "sum"}]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [12, 512], warp_tile = "3x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], predicate_tail = ["m.i.i"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [64, 512], warp_tile = "64x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 528], warp_tile = "1x528", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], predicate_tail = ["n.i.i"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// The rules of all regions.

// expected-error@+1 {{predicate_tail has a value that this lowering does not support}}
region.kernel @k(%x: memref<63x512xf32> align 16) -> (%y: memref<63x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<63x512xf32> -> tensor<63x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<63x512xf32> -> tensor<63xf32>
  %2 = tiny.movement reshape %1 : tensor<63xf32> -> tensor<63x1xf32>
  %3 = tiny.movement expand %2 : tensor<63x1xf32> -> tensor<63x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<63x512xf32>, tensor<63x512xf32>) -> tensor<63x512xf32>
  region.yield %4 : tensor<63x512xf32>
}

// -----

// expected-error@+1 {{predicate_tail has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x511xf32> align 16) -> (%y: memref<64x511xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x511xf32> -> tensor<64x511xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x511xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x511xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x511xf32>, tensor<64x511xf32>) -> tensor<64x511xf32>
  region.yield %4 : tensor<64x511xf32>
}

// -----

// expected-error@+1 {{vectorize has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "m.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{it labels the epilogue [], but the region computes ['sub']}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{it is for sm90}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// The rules between fields, of any plan.

// expected-error@+1 {{stages belongs to a plan with tile = [BM, BN, BK]}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], stages = 2}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{split = 2 contradicts algo_choice.matmul}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], split = 2}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile 1x300 does not divide tile 4x512}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x300", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile 3x512 does not divide tile 4x512}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "3x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{a block has 2048 threads, but the limit is 1024: enlarge warp_tile}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [64, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{cluster = [2, 1] needs arch = sm90, got sm80}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], cluster = [2, 1]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{roles belongs to a plan with tile = [BM, BN, BK]}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], roles = "cooperative"}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{warp_tile}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x0", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// The machine.

// expected-error@+1 {{its rows take 512 registers a thread, the limit is 255}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 512], warp_tile = "32x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{its grid has 65536 blocks along y, the limit is 65535}}
region.kernel @k(%x: memref<262144x512xf32> align 16) -> (%y: memref<262144x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<262144x512xf32> -> tensor<262144x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<262144x512xf32> -> tensor<262144xf32>
  %2 = tiny.movement reshape %1 : tensor<262144xf32> -> tensor<262144x1xf32>
  %3 = tiny.movement expand %2 : tensor<262144x1xf32> -> tensor<262144x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<262144x512xf32>, tensor<262144x512xf32>) -> tensor<262144x512xf32>
  region.yield %4 : tensor<262144x512xf32>
}

// -----

// A region without rows.

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i"], epilogue = ["exp"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.unary exp %0 : tensor<64x512xf32> -> tensor<64x512xf32>
  region.yield %1 : tensor<64x512xf32>
}

// -----

// Reductions of columns are none.

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 512], warp_tile = "1x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<64x512xf32> -> tensor<512xf32>
  region.yield %1 : tensor<512xf32>
}

// -----

// The blocks of a cluster are along rows.

// expected-error@+1 {{cluster must be [1, C], where C of 1, 2, 4, 8 blocks share a row, got [2, 1]}}
region.kernel @k(%x: memref<64x512xf32> align 16) -> (%y: memref<64x512xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [1, 256], warp_tile = "1x256", cluster = [2, 1], bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"]}> {
  %0 = region.load %x : memref<64x512xf32> -> tensor<64x512xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<64x512xf32> -> tensor<64xf32>
  %2 = tiny.movement reshape %1 : tensor<64xf32> -> tensor<64x1xf32>
  %3 = tiny.movement expand %2 : tensor<64x1xf32> -> tensor<64x512xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  region.yield %4 : tensor<64x512xf32>
}

// -----

// expected-error@+1 {{vectorize has a value that this lowering does not support}}
region.kernel @k(%x: memref<512x64xf32> align 16) -> (%y: memref<512x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 512], warp_tile = "32x32", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["sub"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<512x64xf32> -> tensor<512x64xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<512x64xf32> -> tensor<64xf32>
  %2 = tiny.movement expand %1 : tensor<64xf32> -> tensor<512x64xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  region.yield %3 : tensor<512x64xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<512x64xf32> align 16) -> (%y: memref<512x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [24, 512], warp_tile = "24x32", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "m.i.i", width = 4}, predicate_tail = ["m.i.i"], epilogue = ["sub"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<512x64xf32> -> tensor<512x64xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<512x64xf32> -> tensor<64xf32>
  %2 = tiny.movement expand %1 : tensor<64xf32> -> tensor<512x64xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  region.yield %3 : tensor<512x64xf32>
}

// -----

// expected-error@+1 {{warp_tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<512x64xf32> align 16) -> (%y: memref<512x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 514], warp_tile = "32x257", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "m.i.i", width = 4}, predicate_tail = ["n.i.i"], epilogue = ["sub"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<512x64xf32> -> tensor<512x64xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<512x64xf32> -> tensor<64xf32>
  %2 = tiny.movement expand %1 : tensor<64xf32> -> tensor<512x64xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  region.yield %3 : tensor<512x64xf32>
}

// -----

// expected-error@+1 {{tile has a value that this lowering does not support}}
region.kernel @k(%x: memref<512x64xf32> align 16) -> (%y: memref<512x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 256], warp_tile = "32x32", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "m.i.i", width = 4}, epilogue = ["sub"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<512x64xf32> -> tensor<512x64xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<512x64xf32> -> tensor<64xf32>
  %2 = tiny.movement expand %1 : tensor<64xf32> -> tensor<512x64xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  region.yield %3 : tensor<512x64xf32>
}

// -----

// expected-error@+1 {{its rows take 512 registers a thread}}
region.kernel @k(%x: memref<512x64xf32> align 16) -> (%y: memref<512x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [32, 512], warp_tile = "32x512", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "m.i.i", width = 4}, epilogue = ["sub"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<512x64xf32> -> tensor<512x64xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<512x64xf32> -> tensor<64xf32>
  %2 = tiny.movement expand %1 : tensor<64xf32> -> tensor<512x64xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  region.yield %3 : tensor<512x64xf32>
}
