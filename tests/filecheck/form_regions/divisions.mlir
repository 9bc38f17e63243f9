// RUN: ptir-opt %s -p form-regions | filecheck %s

// Integer divisions get numbers in descending order, over all kernels and functions of the module.

// CHECK-LABEL: region.kernel @two_0
// CHECK: tiny.binary remainder %a_1, %b_1 report 4 :
// CHECK-LABEL: region.kernel @two_1
// CHECK: tiny.binary div %a_1, %b_1 report 5 :
func.func @two(%a: tensor<4096x8xsi32>, %b: tensor<4096x8xsi32>) -> tensor<4096x8xsi32> {
  %p = tiny.binary div %a, %b : (tensor<4096x8xsi32>, tensor<4096x8xsi32>) -> tensor<4096x8xsi32>
  %q = tiny.binary remainder %a, %b : (tensor<4096x8xsi32>, tensor<4096x8xsi32>) -> tensor<4096x8xsi32>
  %s = tiny.reduce sum %q axes [0] accum si32 : tensor<4096x8xsi32> -> tensor<8xsi32>
  %y = tiny.binary add %p, %s : (tensor<4096x8xsi32>, tensor<8xsi32>) -> tensor<4096x8xsi32>
  func.return %y : tensor<4096x8xsi32>
}

// Divisors that may be zero: one element of a constant, the value of a pad, and what a kernel computes.

// CHECK-LABEL: region.kernel @zeros_0
// CHECK: tiny.binary div %x_1, %{{.*}} report 3 :
// CHECK: tiny.binary div %{{.*}}, %{{.*}} report 2 :
// CHECK: tiny.binary div %{{.*}}, %{{.*}} report 1 :
func.func @zeros(%x: tensor<2xi8>) -> tensor<2xi8> {
  %c = tiny.const dense<[1, 0]> : tensor<2xi8>
  %0 = tiny.binary div %x, %c : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %d = tiny.const dense<3> : tensor<1xi8>
  %e = tiny.movement pad %d low [0] high [1] value 0 : i8 : tensor<1xi8> -> tensor<2xi8>
  %1 = tiny.binary div %0, %e : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %n = tiny.unary neg %e : tensor<2xi8> -> tensor<2xi8>
  %2 = tiny.binary div %1, %n : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  func.return %2 : tensor<2xi8>
}

// Divisions of floats, and by constants without a zero, have no number.

// CHECK-LABEL: region.kernel @none_0
// CHECK-NOT: report
func.func @none(%x: tensor<2xi8>, %f: tensor<2xf32>) -> (tensor<2xi8>, tensor<2xf32>) {
  %c = tiny.const dense<[1, -1]> : tensor<2xi8>
  %0 = tiny.binary div %x, %c : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %s = tiny.const dense<3> : tensor<1xi8>
  %t = tiny.movement expand %s : tensor<1xi8> -> tensor<2xi8>
  %1 = tiny.binary remainder %0, %t : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %d = tiny.const dense<3> : tensor<1xi8>
  %e = tiny.movement pad %d low [0] high [1] value 7 : i8 : tensor<1xi8> -> tensor<2xi8>
  %2 = tiny.binary div %1, %e : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %3 = tiny.binary div %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %2, %3 : tensor<2xi8>, tensor<2xf32>
}
