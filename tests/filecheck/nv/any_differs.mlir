// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @factors
// GENERIC: %moved = "nv.any_differs"(%f) <{number = 1.000000e+00 : f32}> : (!nv.frag<32x1xf32, lane(4: 0, 8: i) reg(2: 8i, 2: 16i)>) -> i1
func.func @factors(%f: !nv.frag<32x1xf32, lane(4: 0, 8: i) reg(2: 8i, 2: 16i)>) {
  // CHECK: %moved = nv.any_differs %f from 1.000000e+00 : f32 : !nv.frag<32x1xf32, lane(4: 0, 8: i) reg(2: 8i, 2: 16i)>
  %moved = nv.any_differs %f from 1.0 : f32 : !nv.frag<32x1xf32, lane(4: 0, 8: i) reg(2: 8i, 2: 16i)>
  func.return
}
