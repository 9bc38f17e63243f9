// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: i32) -> i32 {
  // expected-error@+1 {{Unexpected attribute i32}}
  %0 = "nv.erfc"(%x) : (i32) -> i32
  func.return %0 : i32
}

// -----

func.func @f(%x: f32, %y: f64) -> f32 {
  // expected-error@+1 {{attribute f32 expected from variable 'Float', but got f64}}
  %0 = "nv.fmod"(%x, %y) : (f32, f64) -> f32
  func.return %0 : f32
}

// -----

func.func @f(%x: ui32) -> ui32 {
  // expected-error@+1 {{Expected attribute #builtin.signedness<signless>}}
  %0 = "nv.powui"(%x, %x) : (ui32, ui32) -> ui32
  func.return %0 : ui32
}
