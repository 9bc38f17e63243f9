// RUN: ptir-opt %s -p 'plan-regions{arch=sm80}' | filecheck %s

// Vectors have 16 bytes. A thread computes several if there are enough for every multiprocessor.
// CHECK: region.kernel @negated
// CHECK-SAME: tile = [1, 4096], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 8}
region.kernel @negated(%x: memref<4096x4096xbf16> align 16) -> (%y: memref<4096x4096xbf16> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %1 = tiny.unary neg %0 : tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  region.yield %1 : tensor<4096x4096xbf16>
}

// Of two types, those of the wider one: two stores for each vector would touch every sector twice.
// CHECK: region.kernel @mixed
// CHECK-SAME: tile = [1, 2048], {{.*}} width = 4}
region.kernel @mixed(%x: memref<4096x4096xbf16> align 16) -> (%y: memref<4096x4096xf32> align 256 gmem) {
  %0 = region.load %x : memref<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %1 = tiny.unary cast %0 : tensor<4096x4096xbf16> -> tensor<4096x4096xf32>
  region.yield %1 : tensor<4096x4096xf32>
}

// A tile has whole rows if they are short, equal parts of one otherwise.
// CHECK: region.kernel @short
// CHECK-SAME: tile = [2, 192], {{.*}} width = 4}
region.kernel @short(%x: memref<64x256xf32> align 16) -> (%y: memref<64x192xf32> align 256 gmem) {
  %0 = region.load %x : memref<64x256xf32> -> tensor<64x256xf32>
  %1 = tiny.movement shrink %0 from [0, 0] : tensor<64x256xf32> -> tensor<64x192xf32>
  region.yield %1 : tensor<64x192xf32>
}
// CHECK: region.kernel @long
// CHECK-SAME: tile = [1, 384], {{.*}} width = 4}, predicate_tail = ["n.i.i"]
region.kernel @long(%x: memref<4x1600xf32> align 16) -> (%y: memref<4x1100xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x1600xf32> -> tensor<4x1600xf32>
  %1 = tiny.movement shrink %0 from [0, 0] : tensor<4x1600xf32> -> tensor<4x1100xf32>
  region.yield %1 : tensor<4x1100xf32>
}

// Loads that are not aligned, or not contiguous, take a sector for each lane: narrower vectors read fewer of them at a time.
// CHECK: region.kernel @moved
// CHECK-SAME: width = 2}
region.kernel @moved(%x: memref<64x63xf32> align 16) -> (%y: memref<64x64xf32> align 256 gmem) {
  %0 = region.load %x : memref<64x63xf32> -> tensor<64x63xf32>
  %1 = tiny.movement pad %0 low [0, 1] high [0, 0] value 0.0 : f32 : tensor<64x63xf32> -> tensor<64x64xf32>
  region.yield %1 : tensor<64x64xf32>
}
