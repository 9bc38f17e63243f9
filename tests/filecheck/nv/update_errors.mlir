// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%y: memref<8xsi32>, %m: index, %v: i32) {
  // expected-error@+1 {{belongs in the body of an nv.epilogue}}
  nv.red_global add %v, %y[%m] at <"{ [i0] -> [(i0)] }"> in [8] : i32, memref<8xsi32>
  func.return
}

// -----

func.func @f(%m: index) {
  // expected-error@+1 {{nv.epilogue takes an output, a result, or an update, got none}}
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    nv.yield
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xsi32>, %m: index, %v: i32) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    %row, %column = nv.point
    // expected-error@+1 {{'kind' is 'mul'}}
    nv.red_global mul %v, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : i32, memref<8x8xsi32>
    nv.yield
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xf32>, %m: index, %v: f32) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    %row, %column = nv.point
    // expected-error@+1 {{an element is f32; integers of 32 and 64 bits are updated atomically}}
    nv.red_global add %v, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : f32, memref<8x8xf32>
    nv.yield
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xsi32>, %m: index, %v: i64) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    %row, %column = nv.point
    // expected-error@+1 {{the value is i64; the memref's is i32}}
    nv.red_global add %v, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : i64, memref<8x8xsi32>
    nv.yield
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xsi32, 3>, %m: index, %v: i32) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    %row, %column = nv.point
    // expected-error@+1 {{a memref is memref<8x8xsi32, 3 : i64>; kernels take memrefs in global memory}}
    nv.red_global add %v, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : i32, memref<8x8xsi32, 3>
    nv.yield
  }
  func.return
}

// -----

func.func @f(%y: memref<8x8xsi32>, %m: index, %v: i32) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    %row, %column = nv.point
    // expected-error@+1 {{'in' takes one size for each index (1), got 2}}
    nv.red_global add %v, %y[%row] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : i32, memref<8x8xsi32>
    nv.yield
  }
  func.return
}
