// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each op prints as it is read, and its generic form reads as the same op.

// CHECK: intent.func @elementwise(%x: !intent.tensor<[M, "2*N"], f32>, %b: !intent.tensor<["2*N"], f32, col_major>, %p: !intent.tensor<[M, 1], i1>) attributes {parallel_axes = ["M"], axis_roles = {M = "spatial", N = "channel"}, contract = {level = "PARTIAL", assumptions = ["finite(x)", "M % 4 == 0 and N > 1"]}, schedule = {tile_m = 64 : i64, tile_n = "BLOCK", axis_bindings = {tile_m = "M"}, vec_axis = "N", memory_hint = {x = "local"}}, meta = {"a b" = [1 : i64, 1.500000e+00 : f64, true, unit]}} {
intent.func @elementwise(%x: !intent.tensor<[M, "2*N"], f32>, %b: !intent.tensor<["2*N"], f32, col_major>, %p: !intent.tensor<[M, 1], i1>) attributes {
  parallel_axes = ["M"], axis_roles = {M = "spatial", N = "channel"},
  contract = {level = "PARTIAL", assumptions = ["finite(x)", "M % 4 == 0 and N > 1"]},
  schedule = {tile_m = 64, tile_n = "BLOCK", axis_bindings = {tile_m = "M"}, vec_axis = "N", memory_hint = {x = "local"}},
  meta = {"a b" = [1, 1.5, true, unit]}
} {
  // CHECK-NEXT: %0 = intent.unary exp %x : !intent.tensor<[M, "2*N"], f32> -> !intent.tensor<[M, "N + N"], f32>
  %0 = intent.unary exp %x : !intent.tensor<[M, "2*N"], f32> -> !intent.tensor<[M, "N + N"], f32>
  // CHECK-NEXT: %1 = intent.binary add %0, %b : (!intent.tensor<[M, "N + N"], f32>, !intent.tensor<["2*N"], f32, col_major>) -> !intent.tensor<[M, "2*N"], f32>
  %1 = intent.binary add %0, %b : (!intent.tensor<[M, "N + N"], f32>, !intent.tensor<["2*N"], f32, col_major>) -> !intent.tensor<[M, "2*N"], f32>
  // CHECK-NEXT: %2 = intent.binary lt %1, %x : (!intent.tensor<[M, "2*N"], f32>, !intent.tensor<[M, "2*N"], f32>) -> !intent.tensor<[M, "2*N"], i1>
  %2 = intent.binary lt %1, %x : (!intent.tensor<[M, "2*N"], f32>, !intent.tensor<[M, "2*N"], f32>) -> !intent.tensor<[M, "2*N"], i1>
  // CHECK-NEXT: %3 = intent.binary and %2, %p : (!intent.tensor<[M, "2*N"], i1>, !intent.tensor<[M, 1], i1>) -> !intent.tensor<[M, "2*N"], i1>
  %3 = intent.binary and %2, %p : (!intent.tensor<[M, "2*N"], i1>, !intent.tensor<[M, 1], i1>) -> !intent.tensor<[M, "2*N"], i1>
  // CHECK-NEXT: %4 = intent.where %3, %x, %b : (!intent.tensor<[M, "2*N"], i1>, !intent.tensor<[M, "2*N"], f32>, !intent.tensor<["2*N"], f32, col_major>) -> !intent.tensor<[M, "2*N"], f32>
  %4 = intent.where %3, %x, %b : (!intent.tensor<[M, "2*N"], i1>, !intent.tensor<[M, "2*N"], f32>, !intent.tensor<["2*N"], f32, col_major>) -> !intent.tensor<[M, "2*N"], f32>
  // CHECK-NEXT: %5 = intent.cast %4 : !intent.tensor<[M, "2*N"], f32> -> !intent.tensor<[M, "2*N"], ui8>
  %5 = intent.cast %4 : !intent.tensor<[M, "2*N"], f32> -> !intent.tensor<[M, "2*N"], ui8>
  // CHECK-NEXT: intent.return %4, %5 : !intent.tensor<[M, "2*N"], f32>, !intent.tensor<[M, "2*N"], ui8>
  intent.return %4, %5 : !intent.tensor<[M, "2*N"], f32>, !intent.tensor<[M, "2*N"], ui8>
}

// CHECK: intent.func @leaves() {
intent.func @leaves() {
  // CHECK-NEXT: %c = intent.const 1.0e-05 : f64 : !intent.tensor<[], f32>
  %c = intent.const 1.0e-5 : f64 : !intent.tensor<[], f32>
  // CHECK-NEXT: %m = intent.const "0x000000000000F0FF" : f64 : !intent.tensor<[M], bf16>
  %m = intent.const "0x000000000000F0FF" : f64 : !intent.tensor<[M], bf16>
  // CHECK-NEXT: %e = intent.const expr "1 / sqrt(M)" : !intent.tensor<[], f32>
  %e = intent.const expr "1 / sqrt(M)" : !intent.tensor<[], f32>
  // CHECK-NEXT: %b = intent.const true : i1 : !intent.tensor<[], i1>
  %b = intent.const true : i1 : !intent.tensor<[], i1>
  // CHECK-NEXT: %i = intent.iota axis -1 : !intent.tensor<[M, 4], i64>
  %i = intent.iota axis -1 : !intent.tensor<[M, 4], i64>
  // CHECK-NEXT: intent.return
  intent.return
}

// CHECK: intent.func @movements
intent.func @movements(%x: !intent.tensor<[M, N], f32>, %i: !intent.tensor<[K], i32>) {
  // CHECK-NEXT: %t = intent.transpose %x by [1, 0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[N, M], f32>
  %t = intent.transpose %x by [1, 0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[N, M], f32>
  // CHECK-NEXT: %r = intent.reshape %x : !intent.tensor<[M, N], f32> -> !intent.tensor<["M * N"], f32>
  %r = intent.reshape %x : !intent.tensor<[M, N], f32> -> !intent.tensor<["M * N"], f32>
  // CHECK-NEXT: %b = intent.broadcast_in_dim %x dims [0, 2] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, 3, N], f32>
  %b = intent.broadcast_in_dim %x dims [0, 2] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, 3, N], f32>
  // CHECK-NEXT: %s = intent.reduce sum %x axes [1] keepdims scale expr "1 / num_elements" : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, 1], f32>
  %s = intent.reduce sum %x axes [1] keepdims scale expr "1 / num_elements" : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, 1], f32>
  // CHECK-NEXT: %g = intent.gather %x[%i, %i] : (!intent.tensor<[M, N], f32>, !intent.tensor<[K], i32>, !intent.tensor<[K], i32>) -> !intent.tensor<[K], f32>
  %g = intent.gather %x[%i, %i] : (!intent.tensor<[M, N], f32>, !intent.tensor<[K], i32>, !intent.tensor<[K], i32>) -> !intent.tensor<[K], f32>
  intent.return
}

// CHECK: intent.func @structured
intent.func @structured(%a: !intent.tensor<[M, K], f16>, %b: !intent.tensor<[N, K], f16>, %x: !intent.tensor<[N], f32>, %p: !intent.tensor<[], f32>, %s: !intent.tensor<[], i64>) {
  // CHECK-NEXT: %m = intent.matmul %a, %b transpose_rhs accum f32 epilogue {
  // CHECK-NEXT: ^bb0(%y: !intent.tensor<[M, N], f32>):
  // CHECK-NEXT:   %0 = intent.binary add %y, %x : (!intent.tensor<[M, N], f32>, !intent.tensor<[N], f32>) -> !intent.tensor<[M, N], f32>
  // CHECK-NEXT:   intent.yield %0 : !intent.tensor<[M, N], f32>
  // CHECK-NEXT: } : (!intent.tensor<[M, K], f16>, !intent.tensor<[N, K], f16>) -> !intent.tensor<[M, N], f32>
  %m = intent.matmul %a, %b transpose_rhs accum f32 epilogue {
  ^bb0(%y: !intent.tensor<[M, N], f32>):
    %0 = intent.binary add %y, %x : (!intent.tensor<[M, N], f32>, !intent.tensor<[N], f32>) -> !intent.tensor<[M, N], f32>
    intent.yield %0 : !intent.tensor<[M, N], f32>
  } : (!intent.tensor<[M, K], f16>, !intent.tensor<[N, K], f16>) -> !intent.tensor<[M, N], f32>
  // CHECK-NEXT: %f = intent.softmax %m axis 1 : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
  %f = intent.softmax %m axis 1 : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
  // CHECK-NEXT: %d = intent.dropout %x, %p, %s rounds 7 : (!intent.tensor<[N], f32>, !intent.tensor<[], f32>, !intent.tensor<[], i64>) -> !intent.tensor<[N], f32>
  %d = intent.dropout %x, %p, %s rounds 7 : (!intent.tensor<[N], f32>, !intent.tensor<[], f32>, !intent.tensor<[], i64>) -> !intent.tensor<[N], f32>
  intent.return
}

// CHECK: intent.func @macros
intent.func @macros(%x: !intent.tensor<[N, 4, H, W], f32>, %w: !intent.tensor<[6, 2, 3, 3], f32>, %b: !intent.tensor<[6], f32>, %c: !intent.tensor<[N, "W//2"], f32>, %a: !intent.tensor<[C, H, W], i8>, %o: !intent.tensor<[H, W], i16>, %s: !intent.tensor<[], i32>) {
  // CHECK-NEXT: intent.conv2d %x, %w bias %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 2 :
  %0 = intent.conv2d %x, %w bias %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 2 : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[6, 2, 3, 3], f32>, !intent.tensor<[6], f32>) -> !intent.tensor<[N, 6, H, W], f32>
  // CHECK-NEXT: intent.conv2d %x, %w stride [2, 2] padding [0, 0] dilation [1, 1] groups 2 :
  %1 = intent.conv2d %x, %w stride [2, 2] padding [0, 0] dilation [1, 1] groups 2 : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[6, 2, 3, 3], f32>) -> !intent.tensor<[N, 6, "(H - 3) // 2 + 1", "(W - 3) // 2 + 1"], f32>
  // CHECK-NEXT: intent.rope %x, %c, %c :
  %2 = intent.rope %x, %c, %c : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[N, "W//2"], f32>, !intent.tensor<[N, "W//2"], f32>) -> !intent.tensor<[N, 4, H, W], f32>
  // CHECK-NEXT: intent.correlation %a, %a, %s :
  %3 = intent.correlation %a, %a, %s : (!intent.tensor<[C, H, W], i8>, !intent.tensor<[C, H, W], i8>, !intent.tensor<[], i32>) -> !intent.tensor<[8, H, W], i8>
  // CHECK-NEXT: intent.resize %a fraction_bits 7 :
  %4 = intent.resize %a fraction_bits 7 : !intent.tensor<[C, H, W], i8> -> !intent.tensor<[C, "2 * H", "2 * W"], i8>
  // CHECK-NEXT: intent.warp %a, %o :
  %5 = intent.warp %a, %o : (!intent.tensor<[C, H, W], i8>, !intent.tensor<[H, W], i16>) -> !intent.tensor<[C, H, W], i8>
  // CHECK-NEXT: intent.upsample_bicubic2d_aa %x :
  %6 = intent.upsample_bicubic2d_aa %x : !intent.tensor<[N, 4, H, W], f32> -> !intent.tensor<[N, 4, OH, OW], f32>
  intent.return
}
