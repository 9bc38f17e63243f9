// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// A concatenation: each operand is loaded where it is chosen, and nothing is left of the pads.
// CHECK: pto.kernel @concat
// CHECK: pto.tiles
// CHECK-NEXT: %[[MASK:.*]] = pto.tile.mask[%m, %n] in [4, 12] dims [0, 1] where <"{ [i0, i1] : i1 <= 3 }">
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 12] dims [0, 1] where <"{ [i0, i1] : i1 <= 3 }">
// CHECK-NEXT: %[[Y:.*]] = pto.tile.load.map %y[%m, %n] by <"{ [i0, i1] -> [(i0), (-4 + i1)] }"> in [4, 12] dims [0, 1] where <"{ [i0, i1] : i1 >= 4 }">
// CHECK-NEXT: %[[C:.*]] = pto.tile.sel %[[MASK]], %[[X]], %[[Y]]
// CHECK-NEXT: pto.tile.store.map %[[C]]
region.kernel @concat(%x: memref<4x4xf32> align 16, %y: memref<4x8xf32> align 16) -> (%z: memref<4x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 16], vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["n.i.i"], epilogue = ["lt", "where"]}> {
  %0 = region.load %x : memref<4x4xf32> -> tensor<4x4xf32>
  %1 = region.load %y : memref<4x8xf32> -> tensor<4x8xf32>
  %2 = tiny.movement pad %0 low [0, 0] high [0, 8] value 0.0 : f32 : tensor<4x4xf32> -> tensor<4x12xf32>
  %3 = tiny.movement pad %1 low [0, 4] high [0, 0] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x12xf32>
  %4 = tiny.iota axis 1 : tensor<1x12xsi64>
  %5 = tiny.const dense<4> : tensor<si64>
  %6 = tiny.binary lt %4, %5 : (tensor<1x12xsi64>, tensor<si64>) -> tensor<1x12xi1>
  %7 = tiny.binary where %6, %2, %3 : (tensor<1x12xi1>, tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
  region.yield %7 : tensor<4x12xf32>
}

// Logic of positions is one mask. An operand that is inside the memref everywhere is loaded without a set.
// CHECK: pto.kernel @triangle
// CHECK: pto.tiles
// CHECK-NEXT: pto.tile.mask[%m, %n] in [8, 8] dims [0, 1] where <"{ [i0, i1] : i0 > 0 and i1 >= i0 }">
// CHECK-NEXT: pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : memref
// CHECK-NEXT: pto.tile.expands
// CHECK-NEXT: pto.tile.sel
region.kernel @triangle(%x: memref<8x8xf32> align 16) -> (%z: memref<8x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 8], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["add", "cast", "gt", "mul", "eq", "not", "and", "where"]}> {
  %0 = region.load %x : memref<8x8xf32> -> tensor<8x8xf32>
  %1 = tiny.iota axis 0 : tensor<8x1xsi32>
  %2 = tiny.iota axis 1 : tensor<1x8xui8>
  %3 = tiny.const dense<1> : tensor<ui8>
  %4 = tiny.binary add %2, %3 : (tensor<1x8xui8>, tensor<ui8>) -> tensor<1x8xui8>
  %5 = tiny.unary cast %4 : tensor<1x8xui8> -> tensor<1x8xsi32>
  %6 = tiny.binary gt %5, %1 : (tensor<1x8xsi32>, tensor<8x1xsi32>) -> tensor<8x8xi1>
  %7 = tiny.const dense<7> : tensor<si32>
  %8 = tiny.const dense<0> : tensor<si32>
  %9 = tiny.binary mul %7, %1 : (tensor<si32>, tensor<8x1xsi32>) -> tensor<8x1xsi32>
  %10 = tiny.binary eq %9, %8 : (tensor<8x1xsi32>, tensor<si32>) -> tensor<8x1xi1>
  %11 = tiny.unary not %10 : tensor<8x1xi1> -> tensor<8x1xi1>
  %12 = tiny.binary and %6, %11 : (tensor<8x8xi1>, tensor<8x1xi1>) -> tensor<8x8xi1>
  %13 = tiny.const dense<0.0> : tensor<f32>
  %14 = tiny.binary where %12, %0, %13 : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  region.yield %14 : tensor<8x8xf32>
}

// An integer that wraps is no function of the position.
// CHECK: pto.kernel @wraps
// CHECK: pto.tile.iota
// CHECK: pto.tile.add
// CHECK: #pto.cmp<LT>
// CHECK: pto.tile.sel
region.kernel @wraps(%x: memref<8xf32> align 16) -> (%z: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["add", "lt", "where"]}> {
  %0 = region.load %x : memref<8xf32> -> tensor<8xf32>
  %1 = tiny.iota axis 0 : tensor<8xsi8>
  %2 = tiny.const dense<122> : tensor<si8>
  %3 = tiny.binary add %1, %2 : (tensor<8xsi8>, tensor<si8>) -> tensor<8xsi8>
  %4 = tiny.binary lt %3, %2 : (tensor<8xsi8>, tensor<si8>) -> tensor<8xi1>
  %5 = tiny.const dense<0.0> : tensor<f32>
  %6 = tiny.binary where %4, %0, %5 : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  region.yield %6 : tensor<8xf32>
}

// Zeros around a loaded array are those of the load; of what is computed from it they are not.
// CHECK: pto.kernel @zeros
// CHECK: %[[X:.*]] = pto.tile.load.map %x[%m, %n] {{.*}} where <"{ [i0, i1] : 0 < i1 <= 6 }">
// CHECK-NEXT: %[[E:.*]] = pto.tile.exp %[[X]]
// CHECK-NEXT: pto.tile.mask
// CHECK-NEXT: pto.tile.expands 0.000000e+00
// CHECK-NEXT: %[[P:.*]] = pto.tile.sel %{{.*}}, %[[E]]
// CHECK-NEXT: pto.tile.add %[[X]], %[[P]]
region.kernel @zeros(%x: memref<6xf32> align 16) -> (%z: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["exp", "add"]}> {
  %0 = region.load %x : memref<6xf32> -> tensor<6xf32>
  %1 = tiny.movement pad %0 low [1] high [1] value 0.0 : f32 : tensor<6xf32> -> tensor<8xf32>
  %2 = tiny.unary exp %0 : tensor<6xf32> -> tensor<6xf32>
  %3 = tiny.movement pad %2 low [1] high [1] value 0.0 : f32 : tensor<6xf32> -> tensor<8xf32>
  %4 = tiny.binary add %1, %3 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  region.yield %4 : tensor<8xf32>
}

// Pieces of equal length are outputs of one space: each point computes an element of each, and nothing is chosen.
// CHECK: pto.kernel @pieces
// CHECK: pto.tiles (%m, %n) in [4, 8] step [4, 8] {
// CHECK-NEXT: %[[A:.*]] = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 8] dims [0, 1] : memref<4x8xf32>
// CHECK-NEXT: pto.tile.store.map %[[A]], %z[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 8]
// CHECK-NEXT: %[[B:.*]] = pto.tile.exp %[[A]]
// CHECK-NEXT: pto.tile.store.map %[[B]], %z[%m, %n] by <"{ [i0, i1] -> [(i0), (8 + i1)] }"> in [4, 8]
// CHECK-NEXT: }
region.kernel @pieces(%x: memref<4x8xf32> align 16) -> (%z: memref<4x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 8], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["exp", "ge", "where"]}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tiny.movement pad %1 low [0, 8] high [0, 0] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x16xf32>
  %3 = tiny.movement pad %0 low [0, 0] high [0, 8] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x16xf32>
  %4 = tiny.iota axis 1 : tensor<1x16xsi64>
  %5 = tiny.const dense<8> : tensor<si64>
  %6 = tiny.binary ge %4, %5 : (tensor<1x16xsi64>, tensor<si64>) -> tensor<1x16xi1>
  %7 = tiny.binary where %6, %2, %3 : (tensor<1x16xi1>, tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  region.yield %7 : tensor<4x16xf32>
}

// Two outputs of one shape.
// CHECK: pto.kernel @two
// CHECK: %[[X:.*]] = pto.tile.load.map
// CHECK-NEXT: %[[E:.*]] = pto.tile.exp %[[X]]
// CHECK-NEXT: pto.tile.store.map %[[E]], %y
// CHECK-NEXT: %[[T:.*]] = pto.tile.tanh %[[E]]
// CHECK-NEXT: pto.tile.store.map %[[T]], %z
region.kernel @two(%x: memref<8xf32> align 16) -> (%y: memref<8xf32> align 256 gmem, %z: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["exp", "tanh"]}> {
  %0 = region.load %x : memref<8xf32> -> tensor<8xf32>
  %1 = tiny.unary exp %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = tiny.unary tanh %1 : tensor<8xf32> -> tensor<8xf32>
  region.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
}
