// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto' | filecheck %s

// Queries that are rotated by angles of their positions are computed from the tile of the array; its elements at other places, and the tables,
// are read from memory.
// CHECK: pto.kernel @rotated_0(%q: memref<64x32xbf16> align 16, {{.*}}%k: memref<80x32xbf16>
// CHECK: %[[Q:.*]] = pto.channel.wait %queries
// CHECK: %[[RAW:.*]] = pto.tile.mov.m2v %[[Q]]
// CHECK: pto.tile.load.map %cos[%m, %{{.*}}] by <"{ [i0, i1] -> [(i0), (i1)] }">
// CHECK: %[[EVEN:.*]] = pto.tile.mul %[[RAW]],
// CHECK: pto.tile.load.map %q[%m, %{{.*}}] by <"{ [i0, i1] -> [(i0), (16 + i1)] }"> in [64, 32] dims [0, 1] where <"{ [i0, i1] : i1 <= 15 }">
// CHECK: pto.tile.load.map %q[%m, %{{.*}}] by <"{ [i0, i1] -> [(i0), (-16 + i1)] }"> in [64, 32] dims [0, 1] where <"{ [i0, i1] : i1 >= 16 }">
// CHECK: %[[SUM:.*]] = pto.tile.add %[[EVEN]],
// CHECK: %[[LEFT:.*]] = pto.tile.mov.v2l %[[SUM]]
// CHECK: scf.for
// CHECK: pto.tile.matmul.acc %{{.*}}, %[[LEFT]]
// CHECK-NOT: @rotated_1
func.func @rotated(%q: tensor<64x32xbf16>, %cos: tensor<64x32xbf16>, %sin: tensor<64x32xbf16>, %k: tensor<80x32xbf16>, %v: tensor<80x32xbf16>) -> tensor<64x32xf32> {
  %a = ptir.slice %q [0, 0] : tensor<64x32xbf16> -> tensor<64x16xbf16>
  %b = ptir.slice %q [0, 16] : tensor<64x32xbf16> -> tensor<64x16xbf16>
  %n = ptir.neg %b : tensor<64x16xbf16>
  %h = ptir.concat %n, %a axis 1 : (tensor<64x16xbf16>, tensor<64x16xbf16>) -> tensor<64x32xbf16>
  %even = ptir.mul %q, %cos : tensor<64x32xbf16>
  %odd = ptir.mul %h, %sin : tensor<64x32xbf16>
  %r = ptir.add %even, %odd : tensor<64x32xbf16>
  %s = ptir.dot_general %r, %k contract [1] x [1] accum f32 out f32 : (tensor<64x32xbf16>, tensor<80x32xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x32xbf16>) -> tensor<64x32xf32>
  func.return %y : tensor<64x32xf32>
}

// -----

// Queries that are the result of a product, and that are read at several places, are stored by its kernel in their type.
// CHECK: pto.kernel @projected_0({{.*}} -> (%{{.*}}: memref<64x32xbf16>
// CHECK: pto.tile.matmul.acc
// CHECK: pto.kernel @projected_1(%{{.*}}: memref<64x32xbf16> align 256, %k:
// CHECK: pto.tile.mov.m2v
// CHECK: pto.tile.load.map %q[%m, %{{.*}}] by <"{ [i0, i1] -> [(i0), (16 + i1)] }">
// CHECK: pto.tile.add
// CHECK: pto.tile.mov.v2l
// CHECK-NOT: @projected_2
func.func @projected(%x: tensor<64x48xbf16>, %p: tensor<48x32xbf16>, %k: tensor<80x32xbf16>, %v: tensor<80x32xbf16>) -> tensor<64x32xf32> {
  %q = ptir.dot_general %x, %p contract [1] x [0] accum f32 out bf16 : (tensor<64x48xbf16>, tensor<48x32xbf16>) -> tensor<64x32xbf16>
  %a = ptir.slice %q [0, 0] : tensor<64x32xbf16> -> tensor<64x16xbf16>
  %b = ptir.slice %q [0, 16] : tensor<64x32xbf16> -> tensor<64x16xbf16>
  %h = ptir.concat %b, %a axis 1 : (tensor<64x16xbf16>, tensor<64x16xbf16>) -> tensor<64x32xbf16>
  %r = ptir.add %q, %h : tensor<64x32xbf16>
  %s = ptir.dot_general %r, %k contract [1] x [1] accum f32 out f32 : (tensor<64x32xbf16>, tensor<80x32xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x32xbf16>) -> tensor<64x32xf32>
  func.return %y : tensor<64x32xf32>
}

// -----

// Queries of large heads that are computed from several elements are stored: there are not enough registers for all of them on sm80.
// CHECK: pto.kernel @large_0
// CHECK: pto.tile.mul
// CHECK: pto.kernel @large_1
// CHECK-NOT: mov.m2v
func.func @large(%q: tensor<64x256xbf16>, %g: tensor<64x256xbf16>, %k: tensor<80x256xbf16>, %v: tensor<80x32xbf16>) -> tensor<64x32xf32> {
  %r = ptir.mul %q, %g : tensor<64x256xbf16>
  %s = ptir.dot_general %r, %k contract [1] x [1] accum f32 out f32 : (tensor<64x256xbf16>, tensor<80x256xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x32xbf16>) -> tensor<64x32xf32>
  func.return %y : tensor<64x32xf32>
}

// -----

// The kernel of a product computes what reads each of its elements once, such as a scale.
// CHECK: pto.kernel @scaled_0(
// CHECK: pto.tile.matmul.acc
// CHECK: pto.tile.mul
// CHECK: pto.kernel @scaled_1(
// CHECK-NOT: mov.m2v
func.func @scaled(%x: tensor<64x48xbf16>, %p: tensor<48x32xbf16>, %k: tensor<80x32xbf16>, %v: tensor<80x32xbf16>) -> tensor<64x32xf32> {
  %q = ptir.dot_general %x, %p contract [1] x [0] accum f32 out bf16 : (tensor<64x48xbf16>, tensor<48x32xbf16>) -> tensor<64x32xbf16>
  %scale = ptir.constant dense<0.1875> : tensor<64x32xbf16>
  %r = ptir.mul %q, %scale : tensor<64x32xbf16>
  %s = ptir.dot_general %r, %k contract [1] x [1] accum f32 out f32 : (tensor<64x32xbf16>, tensor<80x32xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x32xbf16>) -> tensor<64x32xf32>
  func.return %y : tensor<64x32xf32>
}
