// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' --explain-fusion 2>&1 >/dev/null | filecheck %s --check-prefix=EXPLAIN

// Of four equal layers, the two in the middle are fused once; what is launched is what the whole would launch.
// EXPLAIN: four_layer
// CHECK: region.kernel @four_layer_0
// CHECK: region.kernel @four_layer_2({{.*}} %x1: memref<8x192xf32> align 256) -> (%{{.*}} align 256 deferred)
// CHECK-NOT: func.call
// CHECK: func.func @four
// CHECK: region.launch @[[NORM:[a-z0-9_]+]] ins(%x0 :
// CHECK: region.launch @[[UP:[a-z0-9_]+]] ins({{.*}}%u0 :
// CHECK: region.launch @[[DOWN:[a-z0-9_]+]] ins({{.*}}%v0
// CHECK: region.launch @four_layer_0 ins(%x1 :
// CHECK: region.launch @four_layer_1 ins({{.*}}%u1 :
// CHECK: region.launch @four_layer_2 ins({{.*}}%v1
// CHECK: region.launch @four_layer_0 ins(%x2 :
// CHECK: region.launch @four_layer_1 ins({{.*}}%u2 :
// CHECK: region.launch @four_layer_2 ins({{.*}}%v2
// CHECK: %u3 :
// CHECK: %v3
// CHECK-NOT: func.call
func.func @four(%x0: tensor<8x192xf32>, %u0: tensor<192x16xbf16>, %v0: tensor<16x192xbf16>, %u1: tensor<192x16xbf16>, %v1: tensor<16x192xbf16>, %u2: tensor<192x16xbf16>, %v2: tensor<16x192xbf16>, %u3: tensor<192x16xbf16>, %v3: tensor<16x192xbf16>) -> tensor<8x192xf32> {
  %s0 = ptir.reduce sum %x0 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b0 = ptir.broadcast_to %s0 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n0 = ptir.sub %x0, %b0 : tensor<8x192xf32>
  %c0 = ptir.cast %n0 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h0 = ptir.dot_general %c0, %u0 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t0 = ptir.tanh %h0 : tensor<8x16xbf16>
  %y0 = ptir.dot_general %t0, %v0 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x1 = ptir.add %x0, %y0 : tensor<8x192xf32>
  %s1 = ptir.reduce sum %x1 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b1 = ptir.broadcast_to %s1 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n1 = ptir.sub %x1, %b1 : tensor<8x192xf32>
  %c1 = ptir.cast %n1 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h1 = ptir.dot_general %c1, %u1 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t1 = ptir.tanh %h1 : tensor<8x16xbf16>
  %y1 = ptir.dot_general %t1, %v1 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x2 = ptir.add %x1, %y1 : tensor<8x192xf32>
  %s2 = ptir.reduce sum %x2 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b2 = ptir.broadcast_to %s2 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n2 = ptir.sub %x2, %b2 : tensor<8x192xf32>
  %c2 = ptir.cast %n2 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h2 = ptir.dot_general %c2, %u2 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t2 = ptir.tanh %h2 : tensor<8x16xbf16>
  %y2 = ptir.dot_general %t2, %v2 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x3 = ptir.add %x2, %y2 : tensor<8x192xf32>
  %s3 = ptir.reduce sum %x3 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b3 = ptir.broadcast_to %s3 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n3 = ptir.sub %x3, %b3 : tensor<8x192xf32>
  %c3 = ptir.cast %n3 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h3 = ptir.dot_general %c3, %u3 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t3 = ptir.tanh %h3 : tensor<8x16xbf16>
  %y3 = ptir.dot_general %t3, %v3 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x4 = ptir.add %x3, %y3 : tensor<8x192xf32>
  func.return %x4 : tensor<8x192xf32>
}

// -----

// Three are not enough.
// EXPLAIN-NOT: three_layer
// CHECK-NOT: three_layer
// CHECK: func.func @three
func.func @three(%x0: tensor<8x192xf32>, %u0: tensor<192x16xbf16>, %v0: tensor<16x192xbf16>, %u1: tensor<192x16xbf16>, %v1: tensor<16x192xbf16>, %u2: tensor<192x16xbf16>, %v2: tensor<16x192xbf16>) -> tensor<8x192xf32> {
  %s0 = ptir.reduce sum %x0 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b0 = ptir.broadcast_to %s0 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n0 = ptir.sub %x0, %b0 : tensor<8x192xf32>
  %c0 = ptir.cast %n0 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h0 = ptir.dot_general %c0, %u0 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t0 = ptir.tanh %h0 : tensor<8x16xbf16>
  %y0 = ptir.dot_general %t0, %v0 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x1 = ptir.add %x0, %y0 : tensor<8x192xf32>
  %s1 = ptir.reduce sum %x1 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b1 = ptir.broadcast_to %s1 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n1 = ptir.sub %x1, %b1 : tensor<8x192xf32>
  %c1 = ptir.cast %n1 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h1 = ptir.dot_general %c1, %u1 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t1 = ptir.tanh %h1 : tensor<8x16xbf16>
  %y1 = ptir.dot_general %t1, %v1 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x2 = ptir.add %x1, %y1 : tensor<8x192xf32>
  %s2 = ptir.reduce sum %x2 axes [1] keepdims : tensor<8x192xf32> -> tensor<8x1xf32>
  %b2 = ptir.broadcast_to %s2 : tensor<8x1xf32> -> tensor<8x192xf32>
  %n2 = ptir.sub %x2, %b2 : tensor<8x192xf32>
  %c2 = ptir.cast %n2 : tensor<8x192xf32> -> tensor<8x192xbf16>
  %h2 = ptir.dot_general %c2, %u2 contract [1] x [0] accum f32 out bf16 : (tensor<8x192xbf16>, tensor<192x16xbf16>) -> tensor<8x16xbf16>
  %t2 = ptir.tanh %h2 : tensor<8x16xbf16>
  %y2 = ptir.dot_general %t2, %v2 contract [1] x [0] accum f32 out f32 : (tensor<8x16xbf16>, tensor<16x192xbf16>) -> tensor<8x192xf32>
  %x3 = ptir.add %x2, %y2 : tensor<8x192xf32>
  func.return %x3 : tensor<8x192xf32>
}
