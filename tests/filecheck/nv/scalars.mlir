// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%x: f32, %y: f32, %i: i16, %j: i16) -> (f32, f32, i16, i16, i16, i16, i16, i16) {
  // CHECK-NEXT: nv.erfc %x : f32
  %0 = nv.erfc %x : f32
  // CHECK-NEXT: nv.fmod %x, %y : f32
  %1 = nv.fmod %x, %y : f32
  // CHECK-NEXT: nv.powsi %i, %j : i16
  %2 = nv.powsi %i, %j : i16
  // CHECK-NEXT: nv.powui %i, %j : i16
  %3 = nv.powui %i, %j : i16
  // CHECK-NEXT: nv.divsi %i, %j : i16
  %4 = nv.divsi %i, %j : i16
  // CHECK-NEXT: nv.divui %i, %j : i16
  %5 = nv.divui %i, %j : i16
  // CHECK-NEXT: nv.remsi %i, %j : i16
  %6 = nv.remsi %i, %j : i16
  // CHECK-NEXT: nv.remui %i, %j : i16
  %7 = nv.remui %i, %j : i16
  func.return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, i16, i16, i16, i16, i16, i16
}
