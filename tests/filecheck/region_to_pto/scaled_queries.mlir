// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto,pto-to-nv' | filecheck %s --check-prefix=NV
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto,pto-to-nv' | filecheck %s --check-prefix=TMA

// Queries that are scaled in their own type are computed from the tile of the array, once before the loop over keys. Where wgmma reads them
// from shared memory, they are stored in place of the array's.
// CHECK: pto.kernel @scaled_0(%q: memref<64x128xbf16> align 16,
// CHECK: %[[Q:.*]] = pto.channel.wait %queries
// CHECK: %[[RAW:.*]] = pto.tile.mov.m2v %[[Q]]
// CHECK: %[[SCALE:.*]] = pto.tile.expands 8.837890e-02
// CHECK: %[[X:.*]] = pto.tile.mul %[[RAW]], %[[SCALE]]
// CHECK: %[[LEFT:.*]] = pto.tile.mov.v2l %[[X]]
// CHECK: scf.for
// CHECK: pto.tile.matmul.acc %{{.*}}, %[[LEFT]]
// CHECK-NOT: @scaled_1
// NV: nv.ldmatrix %smem_q[%c0, %warp_m, %c0] ND to %frag_q
// NV: %[[A:.*]] = nv.map(%frag_q :
// NV: arith.mulf
// NV: scf.for %key
// NV: nv.mma_sync %scores, %[[A]]
// TMA: nv.ldmatrix %smem_q[%c0, %{{.*}}, %c112] ND to %[[RAW:.*]] :
// TMA: %[[A:.*]] = nv.map(%[[RAW]] :
// TMA: nv.store_operand %smem_q[%c0, %{{.*}}, %c112] ND from %[[A]] :
// TMA-NEXT: nv.fence_async
// TMA-NEXT: nv.barrier 1 threads 128
// TMA: nv.wgmma.mma %scores
func.func @scaled(%q: tensor<64x128xbf16>, %k: tensor<80x128xbf16>, %v: tensor<80x128xbf16>) -> tensor<64x128xf32> {
  %scale = ptir.constant dense<0.0883789063> : tensor<64x128xbf16>
  %x = ptir.mul %q, %scale : tensor<64x128xbf16>
  %s = ptir.dot_general %x, %k contract [1] x [1] accum f32 out f32 : (tensor<64x128xbf16>, tensor<80x128xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x128xbf16>) -> tensor<64x128xf32>
  func.return %y : tensor<64x128xf32>
}

// -----

// Queries that something else reads are stored first.
// CHECK: pto.kernel @also_read_0
// CHECK: pto.tile.mul
// CHECK: pto.kernel @also_read_1(%x: memref<64x128xbf16>
// CHECK-NOT: mov.m2v
// NV-COUNT-2: gpu.func
// TMA-COUNT-2: gpu.func
func.func @also_read(%q: tensor<64x128xbf16>, %k: tensor<80x128xbf16>, %v: tensor<80x128xbf16>) -> (tensor<64x128xf32>, tensor<64x128xbf16>) {
  %scale = ptir.constant dense<0.0883789063> : tensor<64x128xbf16>
  %x = ptir.mul %q, %scale : tensor<64x128xbf16>
  %s = ptir.dot_general %x, %k contract [1] x [1] accum f32 out f32 : (tensor<64x128xbf16>, tensor<80x128xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x128xbf16>) -> tensor<64x128xf32>
  func.return %y, %x : tensor<64x128xf32>, tensor<64x128xbf16>
}
