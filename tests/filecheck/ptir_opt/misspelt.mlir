// RUN: ptir-opt %s --verify-diagnostics --split-input-file
// RUN: not ptir-opt %s --cse=foo=1 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not ptir-opt %s -ptir-canonicalize='rules={no-such, nor-that}' --dump-pass-pipeline 2>&1 | filecheck %s --check-prefix=LIST

// FLAG:       <command line>:1:7: error[PTIR0603]: pass 'cse' has no option 'foo'
// FLAG-NEXT:  --cse=foo=1
// LIST:       ptir-canonicalize{rules="no-such","nor-that"}

func.func @every_unknown_op(%x: tensor<4xf32>) {
  // expected-error @+1 {{[PTIR0003] operation 'ptir.ngg' is not registered}}
  %0 = ptir.ngg %x : tensor<4xf32>
  %1 = ptir.neg %x : tensor<4xf32>
  // expected-error @+1 {{[PTIR0003] operation 'ptri.add' is not registered}}
  %2, %3 = "ptri.add"(%x) : (tensor<4xf32>) -> (f32, f32)
  %4 = "test.op"() {
    test.flag,
    test.number = 1 : i32
  } : () -> i32
  // expected-error @+1 {{[PTIR0003] operation 'func.retrun' is not registered}}
  func.retrun
}

// -----

// expected-error @+1 {{'tensr' is not a type}}
func.func @f(%x: tensr<4xf32>)

// -----

// expected-error @+1 {{'float32' is not a type}}
func.func @f(%x: tensor<4x2xfloat32>)

// -----

// expected-note @+1 {{defined here}}
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{%y has type tensor<4xf64> but is used as tensor<4xf32>}}
  %0 = ptir.add %x, %y : tensor<4xf32>
  func.return
}

// -----

// expected-error @+1 {{'F32' is not a type}}
func.func private @f(tensor<4xF32>)
