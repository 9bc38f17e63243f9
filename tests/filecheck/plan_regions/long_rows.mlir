// RUN: ptir-opt %s -p 'plan-regions{arch=sm80}' | filecheck %s --check-prefix=SM80
// RUN: ptir-opt %s -p 'plan-regions{arch=sm90}' | filecheck %s --check-prefix=SM90

// Rows that no block holds. A cluster reads them once; without clusters, each pass reads them again.
// SM80: region.kernel @centered({{.*}}tile = [1, 4096], warp_tile = "1x512", bind
// SM90: region.kernel @centered({{.*}}tile = [1, 16384], warp_tile = "1x1024", cluster = [1, 2]
region.kernel @centered(%x: memref<512x32768xf32> align 16) -> (%y: memref<512x32768xf32> align 256 gmem) {
  %0 = region.load %x : memref<512x32768xf32> -> tensor<512x32768xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<512x32768xf32> -> tensor<512xf32>
  %2 = tiny.movement reshape %1 : tensor<512xf32> -> tensor<512x1xf32>
  %3 = tiny.movement expand %2 : tensor<512x1xf32> -> tensor<512x32768xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<512x32768xf32>, tensor<512x32768xf32>) -> tensor<512x32768xf32>
  region.yield %4 : tensor<512x32768xf32>
}

// One pass reads as much as a cluster, which has to exchange more.
// SM80: region.kernel @maximum({{.*}}tile = [1, 4096], warp_tile = "1x512", bind
// SM90: region.kernel @maximum({{.*}}tile = [1, 4096], warp_tile = "1x512", bind
region.kernel @maximum(%x: memref<512x32768xf32> align 16) -> (%y: memref<512xf32> align 256 gmem) {
  %0 = region.load %x : memref<512x32768xf32> -> tensor<512x32768xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<512x32768xf32> -> tensor<512xf32>
  region.yield %1 : tensor<512xf32>
}

// Few rows: the blocks of a cluster load more at a time.
// SM90: region.kernel @few({{.*}}tile = [1, 5120], warp_tile = "1x640", cluster = [1, 8]
region.kernel @few(%x: memref<8x300000xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) {
  %0 = region.load %x : memref<8x300000xf32> -> tensor<8x300000xf32>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<8x300000xf32> -> tensor<8xf32>
  region.yield %1 : tensor<8xf32>
}
