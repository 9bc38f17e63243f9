// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers of a split.

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  // expected-error@+1 {{'split' is 1}}
  pto.tiles (%m) in [8] step [4] split %s of 1 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> () {
  // expected-error@+1 {{'pto.tiles' must have a body that takes the index of the part}}
  "pto.tiles"() <{sizes = array<i64>, steps = array<i64>, split = 2 : i64}> ({
  ^bb0:
  }) : () -> ()
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> () {
  // expected-error@+1 {{'in' takes one number for each argument (1), got 2}}
  "pto.tiles"() <{sizes = array<i64: 8, 8>, steps = array<i64: 4>, split = 2 : i64}> ({
  ^bb0(%m: index, %s: index):
  }) : () -> ()
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> () {
  // expected-error@+1 {{'pto.tiles' needs exactly one pto.combine in the body of a split, got 0}}
  pto.tiles (%m) in [8] step [4] split %s of 2 {
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  // expected-error@+1 {{'pto.tiles' needs exactly one pto.combine in the body of a split, got 2}}
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb1(%sum_1: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%y: memref<8xf32> align 16 gmem, %ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    %v = pto.tile.mov.a2v %acc : tile<4xf32, #pto.tile_info<loc=Acc>> -> tile<4xf32>
    // expected-error@+1 {{'pto.tile.store.map' stores a partial sum: with a split, stores belong in the pto.combine}}
    pto.tile.store.map %v, %y[%m] by <"{ [i0] -> [(i0)] }"> in [8] dims [0] : tile<4xf32>, memref<8xf32>
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%y: memref<8xf32> align 16 gmem, %ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] {
    %s = arith.constant 0 : index
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.combine' must name the split of the enclosing pto.tiles}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%y: memref<8xf32> align 16 gmem, %ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.combine' must name the split of the enclosing pto.tiles}}
    pto.combine serial %acc across %m in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'mode' is 'atomic'}}
    pto.combine atomic %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32>
    // expected-error@+1 {{'pto.combine' adds up Acc tiles of f32, f64 or i32, got !pto.tile<4xf32>}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf16> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f16 : tile<4xf16, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.combine' adds up Acc tiles of f32, f64 or i32, got !pto.tile<4xf16, #pto.tile_info<loc=Acc>>}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf16, #pto.tile_info<loc=Acc>>, memref<2x4xf16>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf16, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.combine' must have a body that takes the sum, (!pto.tile<4xf32, #pto.tile_info<loc=Acc>>)}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 gmem, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.combine' must take its workspace from an output of the kernel that is marked 'workspace'}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%count: memref<2xi32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'pto.combine' must take its counters from an output of the kernel that is marked 'counters'}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf64> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'workspace' has element type f64, expected f32}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf64>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi64> align 8 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'counters' has element type i64, expected i32}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi64> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

// Three tiles, two slots.

pto.kernel @k(%x: memref<12xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<3xi32> align 4 counters) {
  pto.tiles (%m) in [12] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'workspace' has shape [2, 4], expected at least [3, 4]: 3 tiles in 2 parts, serial}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<3xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

// In parallel each part has a slot.

pto.kernel @k(%x: memref<12xf32> align 16) -> (%ws: memref<5x4xf32> align 16 workspace, %count: memref<3xi32> align 4 counters) {
  pto.tiles (%m) in [12] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'workspace' has shape [5, 4], expected at least [6, 4]: 3 tiles in 2 parts, parallel}}
    pto.combine parallel %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<5x4xf32>, memref<3xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x8xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'workspace' has shape [2, 8], expected at least [2, 4]}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x8xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<8xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'workspace' has shape [8], expected at least [2, 4]}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<8xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<12xf32> align 16) -> (%ws: memref<3x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [12] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'counters' has shape [2], expected at least [3]}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<3x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
}

// -----

pto.kernel @k(%x: memref<8xf32> align 16) -> (%ws: memref<2x4xf32> align 16 workspace, %count: memref<2xi32> align 4 counters) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
      %v = pto.tile.mov.a2v %sum : tile<4xf32, #pto.tile_info<loc=Acc>> -> tile<4xf32>
      // expected-error@+1 {{'pto.tile.store.map' uses a memref marked 'workspace', which only pto.combine may use}}
      pto.tile.store.map %v, %ws[%m] by <"{ [i0] -> [(0, i0)] }"> in [8] dims [0] : tile<4xf32>, memref<2x4xf32>
    }
  }
}

// -----

// Outside of a kernel, a workspace is any memref.

func.func @f(%ws: memref<2x4xf32>, %count: memref<1xi32>) {
  pto.tiles (%m) in [8] step [4] split %s of 2 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{'counters' has shape [1]}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<1xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
    }
  }
  func.return
}

// -----

func.func @f(%ws: memref<2x4xf32>, %count: memref<2xi32>, %s: index) {
  %acc = pto.tile.expands 1.0 : f32 : tile<4xf32, #pto.tile_info<loc=Acc>>
  // expected-error@+1 {{'pto.combine' must name the split of the enclosing pto.tiles}}
  pto.combine serial %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<2x4xf32>, memref<2xi32> {
  ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
  }
  func.return
}

// -----

// A region knows nothing of it.

// expected-error@+1 {{'materialize' is 'workspace'}}
region.kernel @k() -> (%y: memref<4xf32> align 16 workspace) {
  %0 = tiny.const dense<1.0> : tensor<4xf32>
  region.yield %0 : tensor<4xf32>
}

// -----

// A space without axes is one tile.

pto.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  pto.tiles () in [] step [] {
  }
}
