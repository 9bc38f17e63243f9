// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' -t cuda --split-input-file | filecheck %s

// Integers are computed in unsigned words: sums wrap, what minds the sign casts, numbers are read as signed where it does.

// CHECK-LABEL: __global__
// CHECK-SAME: f_0(const int* __restrict__ x, const int* __restrict__ y, int* __restrict__ {{[a-z]+}})
// CHECK: __align__(16) u32 x_in[4];
// CHECK-NEXT: *(vec<u32, 4>*)(x_in + 0) = *(const vec<u32, 4>*)(x + (column1));
// CHECK: const u32 [[T1:\w+]] = (int)x_in[v] < 0 ? -x_in[v] : x_in[v];
// CHECK-NEXT: const bool [[T2:\w+]] = (int)[[T1]] < (int)0x80000000u;
// CHECK-NEXT: const u32 [[T3:\w+]] = x_in[v] * y_in[v];
// CHECK-NEXT: const u32 [[T4:\w+]] = [[T3]] + 0xfffffffdu;
// CHECK-NEXT: const u32 [[T5:\w+]] = max((int)[[T4]], -3);
// CHECK-NEXT: const u32 [[T6:\w+]] = [[T2]] ? [[T1]] : [[T5]];
// CHECK-NEXT: {{[a-z]+}}_out[v] = [[T6]];

func.func @f(%x: tensor<4x8xi32>, %y: tensor<4x8xsi32>, %z: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %y1 = ptir.cast %y : tensor<4x8xsi32> -> tensor<4x8xi32>
  %three = ptir.constant dense<-3> : tensor<4x8xi32>
  %least = ptir.constant dense<-2147483648> : tensor<4x8xi32>
  %0 = ptir.mul %x, %y1 : tensor<4x8xi32>
  %1 = ptir.add %0, %three : tensor<4x8xi32>
  %2 = ptir.maximum %1, %three : tensor<4x8xi32>
  %3 = ptir.abs %x : tensor<4x8xi32>
  %4 = ptir.compare lt %3, %least : tensor<4x8xi32> -> tensor<4x8xi1>
  %5 = ptir.select %4, %3, %2 : tensor<4x8xi1>, tensor<4x8xi32>
  func.return %5 : tensor<4x8xi32>
}

// -----

// 16 bits are multiplied in 32: int would overflow. A negative is zero less the number.

// CHECK-LABEL: __global__
// CHECK: const u16 [[T1:\w+]] = (u32)x_in[v] * x_in[v];
// CHECK-NEXT: const u16 [[T2:\w+]] = 0 - [[T1]];
// CHECK-NEXT: const u16 [[T3:\w+]] = min([[T2]], 0xfff0);

func.func @f(%x: tensor<4x8xui16>) -> tensor<4x8xui16> {
  %high = ptir.constant dense<65520> : tensor<4x8xui16>
  %0 = ptir.mul %x, %x : tensor<4x8xui16>
  %1 = ptir.neg %0 : tensor<4x8xui16>
  %2 = ptir.minimum %1, %high : tensor<4x8xui16>
  func.return %2 : tensor<4x8xui16>
}

// -----

// Casts saturate, and NaN is 0; an integer that float does not hold reaches 16 bits through an odd float.

// CHECK: typedef unsigned long long u64;
// CHECK: DEV float odd_float(long long x) {
// CHECK: asm("cvt.rz.f32.s64 %0, %1;" : "=f"(y) : "l"(x));
// CHECK-LABEL: __global__
// CHECK: const u8 [[T1:\w+]] = (signed char)x_in[v];
// CHECK-NEXT: const bool [[T2:\w+]] = x_in[v] >= 128.0f;
// CHECK-NEXT: const u8 [[T3:\w+]] = [[T2]] ? 127 : [[T1]];
// CHECK-NEXT: const bool [[T4:\w+]] = x_in[v] < (-128.0f);
// CHECK-NEXT: const u8 [[T5:\w+]] = [[T4]] ? 0x80 : [[T3]];
// CHECK-NEXT: const bool [[T6:\w+]] = x_in[v] != x_in[v];
// CHECK-NEXT: const u8 [[T7:\w+]] = [[T6]] ? 0 : [[T5]];
// CHECK-NEXT: const u64 [[T8:\w+]] = (signed char)[[T7]];
// CHECK-NEXT: const u64 [[T9:\w+]] = [[T8]] * z_in[v];
// CHECK-NEXT: const float [[T10:\w+]] = odd_float((long long)[[T9]]);
// CHECK-NEXT: {{[a-z]+}}_out[v] = to_bf16([[T10]]);

func.func @f(%x: tensor<4x8xf32>, %z: tensor<4x8xi64>) -> tensor<4x8xbf16> {
  %0 = ptir.cast %x : tensor<4x8xf32> -> tensor<4x8xi8>
  %1 = ptir.cast %0 : tensor<4x8xi8> -> tensor<4x8xi64>
  %2 = ptir.mul %1, %z : tensor<4x8xi64>
  %3 = ptir.cast %2 : tensor<4x8xi64> -> tensor<4x8xbf16>
  func.return %3 : tensor<4x8xbf16>
}

// -----

// f64 is computed in double, two elements at a time.

// CHECK: DEV double max_nan_f64(double a, double b) {
// CHECK-LABEL: __global__
// CHECK-SAME: f_0(const double* __restrict__ x, const float* __restrict__ y, double* __restrict__ {{[a-z]+}})
// CHECK: *(vec<double, 2>*)(x_in + 0) = *(const vec<double, 2>*)(x + (column1));
// CHECK: *(vec<float, 2>*)(y_in + 0) = *(const vec<float, 2>*)(y + (column1));
// CHECK: const double [[T1:\w+]] = x_in[v] * 0.1;
// CHECK-NEXT: const double [[T2:\w+]] = y_in[v];
// CHECK-NEXT: const double [[T3:\w+]] = max_nan_f64([[T1]], [[T2]]);
// CHECK-NEXT: const double [[T4:\w+]] = exp([[T3]]);
// CHECK-NEXT: const double [[T5:\w+]] = 1.0 / sqrt([[T4]]);
// CHECK-NEXT: {{[a-z]+}}_out[v] = [[T5]];

func.func @f(%x: tensor<4x8xf64>, %y: tensor<4x8xf32>) -> tensor<4x8xf64> {
  %tenth = ptir.constant dense<0.1> : tensor<4x8xf64>
  %0 = ptir.cast %y : tensor<4x8xf32> -> tensor<4x8xf64>
  %1 = ptir.mul %x, %tenth : tensor<4x8xf64>
  %2 = ptir.maximum %1, %0 : tensor<4x8xf64>
  %3 = ptir.exp %2 : tensor<4x8xf64>
  %4 = ptir.rsqrt %3 : tensor<4x8xf64>
  func.return %4 : tensor<4x8xf64>
}

// -----

// What an expression calls is no name of an argument.

// CHECK-LABEL: __global__
// CHECK-SAME: f_0(const u32* __restrict__ max1, u32* __restrict__ {{[a-z]+}})
// CHECK: max(max1_in[v], 7u);

func.func @f(%max: tensor<5xui32>) -> tensor<5xui32> {
  %seven = ptir.constant dense<7> : tensor<5xui32>
  %0 = ptir.maximum %max, %seven : tensor<5xui32>
  func.return %0 : tensor<5xui32>
}

// -----

// The sums of mma are signed, and become a word before anything is computed with them.

// CHECK-LABEL: __global__
// CHECK: for (int v = 0; v < 2; ++v) {
// CHECK-NEXT: const u32 [[T1:\w+]] = (u32)acc[i][j][h * 2 + v] * (u32)acc[i][j][h * 2 + v];
// CHECK-NEXT: {{[a-z]+}}_out[v] = [[T1]];

func.func @f(%x: tensor<16x32xi8>, %w: tensor<32x16xi8>) -> tensor<16x16xi32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum i32 out i32 : (tensor<16x32xi8>, tensor<32x16xi8>) -> tensor<16x16xi32>
  %1 = ptir.mul %0, %0 : tensor<16x16xi32>
  func.return %1 : tensor<16x16xi32>
}
