// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the dialect's verifiers.

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{'fn' is 'cosh'}}
  %0 = intent.unary cosh %x : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], i32>) {
  // expected-error@+1 {{the operand of exp is i32; the operand of exp must have elements of floats}}
  %0 = intent.unary exp %x : !intent.tensor<[M], i32> -> !intent.tensor<[M], i32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = intent.unary exp %x : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f16>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the result has shape [M], expected [M, N]}}
  %0 = intent.unary exp %x : !intent.tensor<[M, N], f32> -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the result has shape [M, N + 1], expected [M, N]}}
  %0 = intent.unary exp %x : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, "N + 1"], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{'fn' is 'xor'}}
  %0 = intent.binary xor %x, %x : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>, %y: !intent.tensor<[M, N], f16>) {
  // expected-error@+1 {{an operand of add has element type f16, expected f32}}
  %0 = intent.binary add %x, %y : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f16>) -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{an operand of and is f32; an operand of and must have elements of booleans}}
  %0 = intent.binary and %x, %x : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[3, 4], f32>, %y: !intent.tensor<[5], f32>) {
  // expected-error@+1 {{shape [5] does not broadcast to [3, 4]}}
  %0 = intent.binary add %x, %y : (!intent.tensor<[3, 4], f32>, !intent.tensor<[5], f32>) -> !intent.tensor<[3, 4], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, M, N], f32>, %y: !intent.tensor<[M], f32>) {
  // expected-error@+1 {{shape [M] agrees with [M, M, N] in several places: axes [0] or [1]}}
  %0 = intent.binary add %x, %y : (!intent.tensor<[M, M, N], f32>, !intent.tensor<[M], f32>) -> !intent.tensor<[M, M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the predicate is f32}}
  %0 = intent.where %x, %x, %x : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>, %p: !intent.tensor<[M], i1>, %y: !intent.tensor<[M, N], f16>) {
  // expected-error@+1 {{an operand of where has element type f16, expected f32}}
  %0 = intent.where %p, %x, %y : (!intent.tensor<[M], i1>, !intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f16>) -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the result has shape [N, M, 3], expected [M, N]}}
  %0 = intent.cast %x : !intent.tensor<[M, N], f32> -> !intent.tensor<[N, M, 3], f16>
  intent.return
}

// -----

intent.func @f() {
  // expected-error@+1 {{'value' is [1 : i64]}}
  %0 = "intent.const"() <{value = [1 : i64]}> : () -> !intent.tensor<[], f32>
  intent.return
}

// -----

intent.func @f() {
  // expected-error@+1 {{'value' is no number: it is not an expression}}
  %0 = intent.const expr "1 +" : !intent.tensor<[], f32>
  intent.return
}

// -----

intent.func @f() {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = intent.iota axis 2 : !intent.tensor<[M, N], i32>
  intent.return
}

// -----

intent.func @f() {
  // expected-error@+1 {{the result is i1; the result must have elements of numbers}}
  %0 = intent.iota axis 0 : !intent.tensor<[M], i1>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>, %i: !intent.tensor<[K], i32>) {
  // expected-error@+1 {{gather takes one index for each axis of the data (2), got 1}}
  %0 = intent.gather %x[%i] : (!intent.tensor<[M, N], f32>, !intent.tensor<[K], i32>) -> !intent.tensor<[K], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>, %i: !intent.tensor<[K], f32>) {
  // expected-error@+1 {{an index is f32; an index must have elements of integers}}
  %0 = intent.gather %x[%i, %i] : (!intent.tensor<[M, N], f32>, !intent.tensor<[K], f32>, !intent.tensor<[K], f32>) -> !intent.tensor<[K], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{axis 0 is given twice in perm}}
  %0 = intent.transpose %x by [0, 0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{perm has rank 1, expected 2}}
  %0 = intent.transpose %x by [0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the number of elements of the result is }}
  %0 = intent.reshape %x : !intent.tensor<[M, N], f32> -> !intent.tensor<["M * N + 1"], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{axis 3 is out of range for rank 2}}
  %0 = intent.broadcast_in_dim %x dims [0, 3] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{broadcast_dims has rank 1, expected 2}}
  %0 = intent.broadcast_in_dim %x dims [0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[3], f32>) {
  // expected-error@+1 {{the operand has shape [3], expected 4 on axis 0 of the result}}
  %0 = intent.broadcast_in_dim %x dims [0] : !intent.tensor<[3], f32> -> !intent.tensor<[4], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{'fn' is 'min'}}
  %0 = intent.reduce min %x axes [0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the operand of any is f32}}
  %0 = intent.reduce any %x axes [0] : !intent.tensor<[M, N], f32> -> !intent.tensor<[N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{'scale' is not a parameter of max}}
  %0 = intent.reduce max %x axes [0] scale 2.0 : f64 : !intent.tensor<[M, N], f32> -> !intent.tensor<[N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], i32>) {
  // expected-error@+1 {{the operand of a scaled sum is i32}}
  %0 = intent.reduce sum %x axes [0] scale 2.0 : f64 : !intent.tensor<[M], i32> -> !intent.tensor<[], i32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{'scale' is unit}}
  %0 = "intent.reduce"(%x) <{fn = "sum", reduce_axes = array<i64: 0>, scale}> : (!intent.tensor<[M, N], f32>) -> !intent.tensor<[N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{'scale' is no number: '<' is not allowed here}}
  %0 = intent.reduce sum %x axes [0] scale expr "1 < 2" : !intent.tensor<[M, N], f32> -> !intent.tensor<[N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{axis -1 is given twice in axes}}
  %0 = intent.reduce sum %x axes [1, -1] : !intent.tensor<[M, N], f32> -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[3, 4], f32>, %y: !intent.tensor<[5, 6], f32>) {
  // expected-error@+1 {{rhs has shape [5, 6], expected 4 on the axis that is summed}}
  %0 = intent.matmul %x, %y : (!intent.tensor<[3, 4], f32>, !intent.tensor<[5, 6], f32>) -> !intent.tensor<[3, 6], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[3], f32>) {
  // expected-error@+1 {{lhs is }}
  %0 = intent.matmul %x, %x : (!intent.tensor<[3], f32>, !intent.tensor<[3], f32>) -> !intent.tensor<[], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{accum is i32; it must be of the same kind as f32}}
  %0 = intent.matmul %x, %x transpose_rhs accum i32 : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>, %y: !intent.tensor<[M, N], f16>) {
  // expected-error@+1 {{an operand of matmul has element type f16, expected f32}}
  %0 = intent.matmul %x, %y transpose_rhs : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f16>) -> !intent.tensor<[M, M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the result has element type i32, expected f32}}
  %0 = intent.matmul %x, %x transpose_rhs : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, M], i32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the product has shape [M], expected [M, M]}}
  %0 = intent.matmul %x, %x transpose_rhs epilogue {
  ^bb0(%y: !intent.tensor<[M], f32>):
    intent.yield %y : !intent.tensor<[M], f32>
  } : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the arguments of the epilogue: got 0, expected one, the product}}
  %0 = intent.matmul %x, %x transpose_rhs epilogue {
    intent.yield %x : !intent.tensor<[M, N], f32>
  } : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{the end of the epilogue: got intent.return, expected intent.yield}}
  %0 = intent.matmul %x, %x transpose_rhs epilogue {
  ^bb0(%y: !intent.tensor<[M, M], f32>):
    intent.return %y : !intent.tensor<[M, M], f32>
  } : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = intent.softmax %x axis 2 : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], i32>) {
  // expected-error@+1 {{the operand of softmax is i32}}
  %0 = intent.softmax %x axis 0 : !intent.tensor<[M], i32> -> !intent.tensor<[M], i32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], f32>, %p: !intent.tensor<[], f32>, %s: !intent.tensor<[], i32>) {
  // expected-error@+1 {{'rounds' is 0}}
  %0 = intent.dropout %x, %p, %s rounds 0 : (!intent.tensor<[M], f32>, !intent.tensor<[], f32>, !intent.tensor<[], i32>) -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], f32>, %p: !intent.tensor<[], f16>, %s: !intent.tensor<[], i32>) {
  // expected-error@+1 {{p has element type f16, expected f32}}
  %0 = intent.dropout %x, %p, %s rounds 10 : (!intent.tensor<[M], f32>, !intent.tensor<[], f16>, !intent.tensor<[], i32>) -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], f32>, %p: !intent.tensor<[], f32>, %s: !intent.tensor<[], f32>) {
  // expected-error@+1 {{seed is f32}}
  %0 = intent.dropout %x, %p, %s rounds 10 : (!intent.tensor<[M], f32>, !intent.tensor<[], f32>, !intent.tensor<[], f32>) -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M], f32>, %p: !intent.tensor<[1], f32>, %s: !intent.tensor<[], i32>) {
  // expected-error@+1 {{p has rank 1, expected 0}}
  %0 = intent.dropout %x, %p, %s rounds 10 : (!intent.tensor<[M], f32>, !intent.tensor<[1], f32>, !intent.tensor<[], i32>) -> !intent.tensor<[M], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[S, B, H], f32>, %c: !intent.tensor<[S, 2], f32>) {
  // expected-error@+1 {{the operand of rope has rank 3, expected 4}}
  %0 = intent.rope %x, %c, %c : (!intent.tensor<[S, B, H], f32>, !intent.tensor<[S, 2], f32>, !intent.tensor<[S, 2], f32>) -> !intent.tensor<[S, B, H], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[S, B, H, 8], f32>, %c: !intent.tensor<[S, 3], f32>) {
  // expected-error@+1 {{cos has shape [S, 3], expected [S, 8 // 2]}}
  %0 = intent.rope %x, %c, %c : (!intent.tensor<[S, B, H, 8], f32>, !intent.tensor<[S, 3], f32>, !intent.tensor<[S, 3], f32>) -> !intent.tensor<[S, B, H, 8], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[C, H, W], i16>, %s: !intent.tensor<[], i32>) {
  // expected-error@+1 {{lhs has element type i16, expected i8}}
  %0 = intent.correlation %x, %x, %s : (!intent.tensor<[C, H, W], i16>, !intent.tensor<[C, H, W], i16>, !intent.tensor<[], i32>) -> !intent.tensor<[C, H, W], i16>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[C, H, W], i8>, %s: !intent.tensor<[], f32>) {
  // expected-error@+1 {{shift is f32}}
  %0 = intent.correlation %x, %x, %s : (!intent.tensor<[C, H, W], i8>, !intent.tensor<[C, H, W], i8>, !intent.tensor<[], f32>) -> !intent.tensor<[C, H, W], i8>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[C, H, W], i8>) {
  // expected-error@+1 {{'fraction_bits' is 15}}
  %0 = intent.resize %x fraction_bits 15 : !intent.tensor<[C, H, W], i8> -> !intent.tensor<[C, "2 * H", "2 * W"], i8>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[C, 3, W], i8>) {
  // expected-error@+1 {{the result has shape [C, 7, 2 * W], expected [C, 6, 2 * W]}}
  %0 = intent.resize %x fraction_bits 7 : !intent.tensor<[C, 3, W], i8> -> !intent.tensor<[C, 7, "2 * W"], i8>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[C, H, W], i8>, %o: !intent.tensor<[H, W], i8>) {
  // expected-error@+1 {{offset has element type i8, expected i16}}
  %0 = intent.warp %x, %o : (!intent.tensor<[C, H, W], i8>, !intent.tensor<[H, W], i8>) -> !intent.tensor<[C, H, W], i8>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[N, 4, H, W], f32>, %w: !intent.tensor<[6, 3, 3, 3], f32>) {
  // expected-error@+1 {{the input has shape [N, 4, H, W], expected 1 * 3 channels}}
  %0 = intent.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[6, 3, 3, 3], f32>) -> !intent.tensor<[N, 6, H, W], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[N, 4, H, W], f32>, %w: !intent.tensor<[6, 1, 3, 3], f32>) {
  // expected-error@+1 {{'groups' is 4}}
  %0 = intent.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 4 : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[6, 1, 3, 3], f32>) -> !intent.tensor<[N, 6, H, W], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[N, 4, H, W], f32>, %w: !intent.tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'stride' is [0, 1]}}
  %0 = intent.conv2d %x, %w stride [0, 1] padding [0, 0] dilation [1, 1] groups 1 : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[6, 4, 3, 3], f32>) -> !intent.tensor<[N, 6, H, W], f32>
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[N, C, H, W], f16>) {
  // expected-error@+1 {{the operand of upsample_bicubic2d_aa has element type f16, expected f32}}
  %0 = intent.upsample_bicubic2d_aa %x : !intent.tensor<[N, C, H, W], f16> -> !intent.tensor<[N, C, H, W], f16>
  intent.return
}

// -----

// expected-error@+1 {{'parallel_axes' names 'K', which is no symbol of the function}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {parallel_axes = ["K"]} {
  intent.return
}

// -----

// expected-error@+1 {{'axis_roles' names 'K', which is no symbol of the function}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {axis_roles = {K = "batch"}} {
  intent.return
}

// -----

// expected-error@+1 {{'axis_roles.M' is 'row'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {axis_roles = {M = "row"}} {
  intent.return
}

// -----

// expected-error@+1 {{'axis_roles' has a M that is no text}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {axis_roles = {M = 3}} {
  intent.return
}

// -----

// expected-error@+1 {{'contract.level' is 'ALL'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {contract = {level = "ALL"}} {
  intent.return
}

// -----

// expected-error@+1 {{'contract' has the field 'levels'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {contract = {levels = "FULL"}} {
  intent.return
}

// -----

// expected-error@+1 {{'contract.assumptions' is no list of texts}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {contract = {assumptions = [1]}} {
  intent.return
}

// -----

// expected-error@+1 {{'contract.assumptions' has 'x is small': }}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {contract = {assumptions = ["x is small"]}} {
  intent.return
}

// -----

// expected-error@+1 {{'contract.assumptions' has 'K > 1', but K is neither a symbol nor an argument}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {contract = {assumptions = ["K > 1"]}} {
  intent.return
}

// -----

// expected-error@+1 {{'schedule' has the field 'tile'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {schedule = {tile = 3}} {
  intent.return
}

// -----

// expected-error@+1 {{'schedule.tile_m' is 0 : i64}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {schedule = {tile_m = 0}} {
  intent.return
}

// -----

// expected-error@+1 {{'schedule.axis_bindings' binds 'tile_q'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {schedule = {axis_bindings = {tile_q = "M"}}} {
  intent.return
}

// -----

// expected-error@+1 {{'schedule.axis_bindings' names 'K'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {schedule = {axis_bindings = {tile_m = "K"}}} {
  intent.return
}

// -----

// expected-error@+1 {{'schedule.vec_axis' names 'K'}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {schedule = {vec_axis = "K"}} {
  intent.return
}

// -----

// expected-error@+1 {{'schedule.memory_hint' is no object}}
intent.func @f(%x: !intent.tensor<[M, N], f32>) attributes {schedule = {memory_hint = 1}} {
  intent.return
}

// -----

// expected-error@+1 {{the end of the function: got intent.yield, expected intent.return}}
intent.func @f(%x: !intent.tensor<[M], f32>) {
  intent.yield %x : !intent.tensor<[M], f32>
}

// -----

// expected-error@+1 {{an argument is f32; arguments are !intent.tensor}}
intent.func @f(%x: f32) {
  intent.return
}

// -----

// expected-error@+1 {{'a size' is 0}}
intent.func @f(%x: !intent.tensor<[0], f32>) {
  intent.return
}

// -----

// expected-error@+1 {{'M ** 2' is not a size: 'Pow' is not allowed here}}
intent.func @f(%x: !intent.tensor<["M ** 2"], f32>) {
  intent.return
}

// -----

// expected-error@+1 {{'M / 2' is not a size}}
intent.func @f(%x: !intent.tensor<["M / 2"], f32>) {
  intent.return
}

// -----

// expected-error@+1 {{unexpected}}
intent.func @f(%x: !intent.tensor<["M ; N"], f32>) {
  intent.return
}

// -----

// expected-error@+1 {{'shape' has 9 axes}}
intent.func @f(%x: !intent.tensor<[1, 1, 1, 1, 1, 1, 1, 1, 1], f32>) {
  intent.return
}

// -----

// expected-error@+1 {{the element type is complex<f32>}}
intent.func @f(%x: !intent.tensor<[M], complex<f32>>) {
  intent.return
}

// -----

// expected-error@+1 {{'layout' is 'blocked'}}
intent.func @f(%x: !intent.tensor<[M], f32, blocked>) {
  intent.return
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>) {
  %0 = intent.matmul %x, %x transpose_rhs epilogue {
  ^bb0(%y: !intent.tensor<[M, M], f32>):
    // expected-error@+1 {{an op of the epilogue: got intent.softmax, expected an elementwise op}}
    %1 = intent.softmax %y axis 0 : !intent.tensor<[M, M], f32> -> !intent.tensor<[M, M], f32>
    intent.yield %1 : !intent.tensor<[M, M], f32>
  } : (!intent.tensor<[M, N], f32>, !intent.tensor<[M, N], f32>) -> !intent.tensor<[M, M], f32>
  intent.return
}
