// RUN: ptir-opt %s -p tiny-emulate-int4 --dce --split-input-file | filecheck %s
// RUN: ptir-opt %s -p tiny-emulate-int4 --validate-passes --split-input-file -o /dev/null

// An odd number of elements ends in half a byte. A sum wraps.
// CHECK: func.func @signed(%x: tensor<4xui8>) -> tensor<4xui8> attributes {ptir.signature = (tensor<7xsi4>) -> tensor<7xsi4>} {
// CHECK: %[[IS_LOW:.*]] = tiny.binary lt %{{.*}}, %{{.*}} : (tensor<2xi32>, tensor<i32>) -> tensor<2xi1>
// CHECK-NEXT: %[[HIGH:.*]] = tiny.movement reshape %x : tensor<4xui8> -> tensor<4x1xui8>
// CHECK: %[[LOW:.*]] = tiny.binary shift_left %[[HIGH]], %{{.*}} : (tensor<4x1xui8>, tensor<ui8>) -> tensor<4x1xui8>
// CHECK-NEXT: %[[TOP:.*]] = tiny.binary where %[[IS_LOW]], %[[LOW]], %[[HIGH]] : {{.*}} -> tensor<4x2xui8>
// CHECK-NEXT: %[[SIGNED:.*]] = tiny.unary bitcast %[[TOP]] : tensor<4x2xui8> -> tensor<4x2xsi8>
// CHECK: %[[HALVES:.*]] = tiny.binary shift_right_arithmetic %[[SIGNED]], %{{.*}}
// CHECK-NEXT: %[[FLAT:.*]] = tiny.movement reshape %[[HALVES]] : tensor<4x2xsi8> -> tensor<8xsi8>
// CHECK-NEXT: %[[X:.*]] = tiny.movement shrink %[[FLAT]] from [0] : tensor<8xsi8> -> tensor<7xsi8>
// CHECK-NEXT: %[[SUM:.*]] = tiny.binary add %[[X]], %[[X]] : (tensor<7xsi8>, tensor<7xsi8>) -> tensor<7xsi8>
// CHECK: %[[LEFT:.*]] = tiny.binary shift_left %[[SUM]], %{{.*}}
// CHECK: %[[WRAPPED:.*]] = tiny.binary shift_right_arithmetic %[[LEFT]], %{{.*}}
// CHECK-NEXT: %[[BITS:.*]] = tiny.unary bitcast %[[WRAPPED]] : tensor<7xsi8> -> tensor<7xui8>
// CHECK-NEXT: %[[EVEN:.*]] = tiny.movement pad %[[BITS]] low [0] high [1] value 0 : ui8 : tensor<7xui8> -> tensor<8xui8>
// CHECK: %[[EVENS:.*]] = tiny.binary and %{{.*}}, %{{.*}} : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
// CHECK: %[[ODDS:.*]] = tiny.binary shift_left %{{.*}}, %{{.*}} : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
// CHECK-NEXT: %[[Y:.*]] = tiny.binary or %[[EVENS]], %[[ODDS]] : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
// CHECK-NEXT: func.return %[[Y]] : tensor<4xui8>
func.func @signed(%x: tensor<7xsi4>) -> tensor<7xsi4> {
  %0 = tiny.binary add %x, %x : (tensor<7xsi4>, tensor<7xsi4>) -> tensor<7xsi4>
  func.return %0 : tensor<7xsi4>
}

// -----

// The larger of two elements needs no wrapping, and what is returned as it came is not unpacked.
// CHECK: func.func @unsigned(%x: tensor<6xui8>, %y: tensor<6xui8>) -> (tensor<6xui8>, tensor<6xui8>)
// CHECK: %[[LARGER:.*]] = tiny.binary max %{{.*}}, %{{.*}} : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
// CHECK-NEXT: %[[FLAT:.*]] = tiny.movement reshape %[[LARGER]] : tensor<3x4xui8> -> tensor<12xui8>
// CHECK-NOT: movement pad
// CHECK: func.return %{{.*}}, %x : tensor<6xui8>, tensor<6xui8>
func.func @unsigned(%x: tensor<3x4xui4>, %y: tensor<3x4xui4>) -> (tensor<3x4xui4>, tensor<3x4xui4>) {
  %0 = tiny.binary max %x, %y : (tensor<3x4xui4>, tensor<3x4xui4>) -> tensor<3x4xui4>
  func.return %0, %x : tensor<3x4xui4>, tensor<3x4xui4>
}

// -----

// Casts saturate at the ends of 4 bits.
// CHECK: func.func @casts(%x: tensor<4xf32>) -> tensor<2xui8>
// CHECK-NEXT: %[[WIDE:.*]] = tiny.unary cast %x : tensor<4xf32> -> tensor<4xi8>
// CHECK-NEXT: %[[LEAST:.*]] = tiny.const dense<-8> : tensor<i8>
// CHECK-NEXT: %[[LOW:.*]] = tiny.binary max %[[WIDE]], %[[LEAST]]
// CHECK-NEXT: %[[MOST:.*]] = tiny.const dense<7> : tensor<i8>
// CHECK-NEXT: tiny.binary min %[[LOW]], %[[MOST]]
func.func @casts(%x: tensor<4xf32>) -> tensor<4xi4> {
  %0 = tiny.unary cast %x : tensor<4xf32> -> tensor<4xi4>
  func.return %0 : tensor<4xi4>
}

// -----

// Sums wrap, other reductions cast their elements first; leaves and movements are of 8 bits.
// CHECK: func.func @reductions
// CHECK: %[[CONST:.*]] = tiny.const dense<[-8, 7]> : tensor<2xsi8>
// CHECK: tiny.movement pad %[[CONST]] low [1] high [0] value -1 : si8 : tensor<2xsi8> -> tensor<3xsi8>
// CHECK: tiny.reduce sum %x axes [0] accum si8 : tensor<3x3xsi32> -> tensor<3xsi8>
// CHECK: tiny.binary shift_left
// CHECK: %[[CLAMPED:.*]] = tiny.binary min
// CHECK-NEXT: tiny.reduce mul %[[CLAMPED]] axes [0] accum si8 : tensor<3x3xsi8> -> tensor<3xsi8>
// CHECK: tiny.binary shift_left
func.func @reductions(%x: tensor<3x3xsi32>) -> tensor<3xsi4> {
  %c = tiny.const dense<[-8, 7]> : tensor<2xsi4>
  %0 = tiny.movement pad %c low [1] high [0] value -1 : si4 : tensor<2xsi4> -> tensor<3xsi4>
  %1 = tiny.reduce sum %x axes [0] accum si4 : tensor<3x3xsi32> -> tensor<3xsi4>
  %2 = tiny.reduce mul %x axes [0] accum si4 : tensor<3x3xsi32> -> tensor<3xsi4>
  %3 = tiny.reduce max %x axes [1] accum si4 : tensor<3x3xsi32> -> tensor<3xsi4>
  %4 = tiny.binary add %0, %1 : (tensor<3xsi4>, tensor<3xsi4>) -> tensor<3xsi4>
  %5 = tiny.binary sub %4, %2 : (tensor<3xsi4>, tensor<3xsi4>) -> tensor<3xsi4>
  %6 = tiny.binary xor %5, %3 : (tensor<3xsi4>, tensor<3xsi4>) -> tensor<3xsi4>
  func.return %6 : tensor<3xsi4>
}

// -----

// Shifts to the right begin with the highest of 4 bits.
// CHECK: func.func @shifts
// CHECK: %[[LOGICAL:.*]] = tiny.binary and
// CHECK-NEXT: tiny.binary shift_right_logical %[[LOGICAL]]
// CHECK: tiny.binary shift_right_arithmetic
// CHECK: %[[TOP:.*]] = tiny.binary shift_left
// CHECK: %[[SIGN:.*]] = tiny.binary shift_right_arithmetic %[[TOP]]
// CHECK-NEXT: tiny.binary shift_right_arithmetic %[[SIGN]]
func.func @shifts(%x: tensor<8xsi4>, %y: tensor<8xui4>) -> (tensor<8xsi4>, tensor<8xui4>) {
  %0 = tiny.binary shift_right_logical %x, %x : (tensor<8xsi4>, tensor<8xsi4>) -> tensor<8xsi4>
  %1 = tiny.binary shift_right_arithmetic %y, %y : (tensor<8xui4>, tensor<8xui4>) -> tensor<8xui4>
  func.return %0, %1 : tensor<8xsi4>, tensor<8xui4>
}

// -----

// Functions without 4-bit integers, with unknown sizes, or with other ops on 4-bit integers stay.
// CHECK: func.func @others(%x: tensor<4xsi8>) -> tensor<4xsi8> {
// CHECK: func.func @dynamic(%x: tensor<?xsi4>) -> tensor<?xsi4> {
// CHECK: func.func @sorts(%x: tensor<4xsi4>) -> tensor<1xsi4> {
func.func @others(%x: tensor<4xsi8>) -> tensor<4xsi8> {
  func.return %x : tensor<4xsi8>
}
func.func @dynamic(%x: tensor<?xsi4>) -> tensor<?xsi4> {
  %0 = tiny.unary neg %x : tensor<?xsi4> -> tensor<?xsi4>
  func.return %0 : tensor<?xsi4>
}
func.func @sorts(%x: tensor<4xsi4>) -> tensor<1xsi4> {
  %v, %i = ptir.top_k largest %x k 1 axis 0 : tensor<4xsi4> -> tensor<1xsi4>, tensor<1xsi32>
  func.return %v : tensor<1xsi4>
}

// -----

// The maximum of nothing is the least of 4 bits.
// CHECK: func.func @nothing
// CHECK: %[[MAX:.*]] = tiny.reduce max %{{.*}} axes [0] accum si8 : tensor<0x3xsi8> -> tensor<3xsi8>
// CHECK-NEXT: %[[LEAST:.*]] = tiny.const dense<-8> : tensor<si8>
// CHECK-NEXT: tiny.binary max %[[MAX]], %[[LEAST]]
func.func @nothing(%x: tensor<0x3xsi4>) -> tensor<3xsi32> {
  %0 = tiny.reduce max %x axes [0] accum si4 : tensor<0x3xsi4> -> tensor<3xsi4>
  %1 = tiny.unary cast %0 : tensor<3xsi4> -> tensor<3xsi32>
  func.return %1 : tensor<3xsi32>
}
