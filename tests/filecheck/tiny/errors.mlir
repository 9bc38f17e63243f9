// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the dialect's verifiers.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kind' is 'slide'}}
  %0 = tiny.movement slide %x : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type bf16, expected f32}}
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<6xbf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x by [0, 1] : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' is missing from permute}}
  %0 = tiny.movement permute %x : tensor<2x3xf32> -> tensor<3x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the number of elements of the result is 5, expected 6}}
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{perm has rank 1, expected 2}}
  %0 = tiny.movement permute %x by [1] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 1 is given twice in perm}}
  %0 = tiny.movement permute %x by [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = tiny.movement permute %x by [1, 2] : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 3], expected [3, 2]}}
  %0 = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shape [2, 3] does not broadcast to [4, 3]}}
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shape [2, 3] does not broadcast to [1, 3]: sizes 2 and 1 differ}}
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'fn' is 'swish'}}
  %0 = tiny.unary swish %x : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [6], expected [2, 3]}}
  %0 = tiny.unary exp %x : tensor<2x3xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f64, expected f32}}
  %0 = tiny.unary exp %x : tensor<2x3xf32> -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; exp is defined on floats and complex numbers}}
  %0 = tiny.unary exp %x : tensor<2xi32> -> tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; neg is defined on numbers}}
  %0 = tiny.unary neg %x : tensor<2xi1> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf64>) {
  // expected-error@+1 {{the element type is f64; tf32 is defined on f32}}
  %0 = tiny.unary tf32 %x : tensor<2xf64> -> tensor<2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2xbf16>) {
  // expected-error@+1 {{the element type is bf16; tf32 is defined on f32}}
  %0 = tiny.unary tf32 %x : tensor<2xbf16> -> tensor<2xbf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'fn' is 'hypot'}}
  %0 = tiny.binary hypot %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{add takes 2 operands, got 1}}
  %0 = tiny.binary add %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{where takes 3 operands, got 2}}
  %0 = tiny.binary where %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{sizes 3 and 2 differ and neither is 1}}
  %0 = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{the result has shape [3], expected [2, 3]}}
  %0 = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error@+1 {{an operand of add has element type f32, expected f64}}
  %0 = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the predicate has element type f32, expected i1}}
  %0 = tiny.binary where %x, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; mul is defined on numbers}}
  %0 = tiny.binary mul %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f32, expected i1}}
  %0 = tiny.binary lt %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'fn' is 'mean'}}
  %0 = tiny.reduce mean %x axes [0] accum f32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = tiny.reduce sum %x axes [2] accum f32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 0 is given twice in axes}}
  %0 = tiny.reduce sum %x axes [0, 0] accum f32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2], expected [3]}}
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f32, expected f64}}
  %0 = tiny.reduce sum %x axes [0] accum f64 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'low' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x low [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'high' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x high [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'value' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x from [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'offset' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x offset 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'strides' is not a parameter of reshape}}
  %0 = tiny.movement reshape %x strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'low' is not a parameter of permute}}
  %0 = tiny.movement permute %x by [0, 1] low [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'strides' is not a parameter of permute}}
  %0 = tiny.movement permute %x by [0, 1] strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' is not a parameter of expand}}
  %0 = tiny.movement expand %x by [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' is not a parameter of expand}}
  %0 = tiny.movement expand %x from [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'offset' is not a parameter of expand}}
  %0 = tiny.movement expand %x offset 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' is not a parameter of pad}}
  %0 = tiny.movement pad %x by [0, 1] low [0, 0] high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' is not a parameter of pad}}
  %0 = tiny.movement pad %x low [0, 0] high [0, 0] value 0.0 : f32 from [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'offset' is not a parameter of pad}}
  %0 = tiny.movement pad %x low [0, 0] high [0, 0] value 0.0 : f32 offset 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' is not a parameter of shrink}}
  %0 = tiny.movement shrink %x by [0, 1] from [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'offset' is not a parameter of shrink}}
  %0 = tiny.movement shrink %x from [0, 0] offset 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'perm' is not a parameter of view}}
  %0 = tiny.movement view %x by [0, 1] offset 0 strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' is not a parameter of view}}
  %0 = tiny.movement view %x from [0, 0] offset 0 strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'low' is missing from pad}}
  %0 = tiny.movement pad %x high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'high' is missing from pad}}
  %0 = tiny.movement pad %x low [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'value' is missing from pad}}
  %0 = tiny.movement pad %x low [0, 0] high [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' is missing from shrink}}
  %0 = tiny.movement shrink %x : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'offset' is missing from view}}
  %0 = tiny.movement view %x strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'strides' is missing from view}}
  %0 = tiny.movement view %x offset 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 1: only one size can be inferred}}
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<0x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: a size beside an extent of 0 cannot be inferred}}
  %0 = tiny.movement reshape %x : tensor<0x3xf32> -> tensor<?x0xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the number of elements of the result is 7·B, expected 3·B}}
  %0 = tiny.movement reshape %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<7x?xf32, #ptir.dims<_, B>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the number of elements of the result is 4·?, expected 6}}
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<4x?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x?xf32, #ptir.dims<B, C>>) {
  // expected-error@+1 {{the result has shape [B, C], expected [C, B]}}
  %0 = tiny.movement permute %x by [1, 0] : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<?x?xf32, #ptir.dims<B, C>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shape [2, 3] does not broadcast to [3]}}
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: the operand lacks this axis}}
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<?x2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: the operand lacks this axis}}
  %0 = tiny.movement expand %x : tensor<1x3xf32> -> tensor<?x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{shape [B, 3] does not broadcast to [C, 3]: sizes B and C differ}}
  %0 = tiny.movement expand %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xf32, #ptir.dims<C, _>>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-note@+1 {{B is 4 here}}
  %0 = tiny.movement expand %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<4x3xf32>
  // expected-error@+1 {{the result: 5 and B = 4 are known to differ}}
  %1 = tiny.movement expand %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<5x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'low' has rank 1, expected 2}}
  %0 = tiny.movement pad %x low [1] high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'high' has rank 3, expected 2}}
  %0 = tiny.movement pad %x low [1, 0] high [0, 0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{[PTIR0124] 'low' is -1 on axis 0: a pad cannot remove elements}}
  %0 = tiny.movement pad %x low [-1, 0] high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{[PTIR0124] 'high' is -2 on axis 1: a pad cannot remove elements}}
  %0 = tiny.movement pad %x low [0, 0] high [0, -2] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the value has element type f64, expected f32}}
  %0 = tiny.movement pad %x low [1, 0] high [0, 0] value 0.0 : f64 : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the value has element type i32, expected f32}}
  %0 = tiny.movement pad %x low [1, 0] high [0, 0] value 0 : i32 : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 3], expected [3, 3]}}
  %0 = tiny.movement pad %x low [1, 0] high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [3, 3], expected [3, 5]}}
  %0 = tiny.movement pad %x low [1, 0] high [0, 2] value 0.0 : f32 : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the result has shape [B, 3], expected [B, 4]}}
  %0 = tiny.movement pad %x low [0, 1] high [0, 0] value 0.0 : f32 : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xf32, #ptir.dims<B, _>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' has rank 1, expected 2}}
  %0 = tiny.movement shrink %x from [0] : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'start' holds -1}}
  %0 = tiny.movement shrink %x from [-1, 0] : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has rank 1, expected 2}}
  %0 = tiny.movement shrink %x from [0, 0] : tensor<2x3xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 1: a window of size 3 at offset 1 exceeds the extent of 3}}
  %0 = tiny.movement shrink %x from [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 0: a window of size 0 at offset 3 exceeds the extent of 2}}
  %0 = tiny.movement shrink %x from [3, 0] : tensor<2x3xf32> -> tensor<0x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{axis 0: a window of size B at offset 1 exceeds the extent of B}}
  %0 = tiny.movement shrink %x from [1, 0] : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xf32, #ptir.dims<B, _>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'strides' has rank 1, expected 2}}
  %0 = tiny.movement view %x offset 0 strides [1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{[PTIR0123] the stride of axis 1 is -1, which is negative}}
  %0 = tiny.movement view %x offset 2 strides [3, -1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'offset' is -1}}
  %0 = tiny.movement view %x offset -1 strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: a view has the sizes of its type}}
  %0 = tiny.movement view %x offset 0 strides [3, 1] : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{[PTIR0125] a view of shape [2, 3] reads element 6 of an operand with 6 elements}}
  %0 = tiny.movement view %x offset 1 strides [3, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{a view of shape [2, 2] reads element 8 of an operand with 6 elements}}
  %0 = tiny.movement view %x offset 0 strides [7, 1] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{a view of shape [] reads element 6 of an operand with 6 elements}}
  %0 = tiny.movement view %x offset 6 strides [] : tensor<2x3xf32> -> tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<0x3xf32>) {
  // expected-error@+1 {{a view of shape [1] reads element 0 of an operand with 0 elements}}
  %0 = tiny.movement view %x offset 0 strides [0] : tensor<0x3xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = tiny.iota axis 2 : tensor<2x3xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the element type is i1; tiny.iota is defined on numbers}}
  %0 = tiny.iota axis 0 : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 1: no operand determines it}}
  %0 = tiny.iota axis 0 : tensor<2x?xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape tensor<3xf32>, expected tensor<2xf32>}}
  %0 = "tiny.const"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; abs is defined on real numbers}}
  %0 = tiny.unary abs %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; erf is defined on floats}}
  %0 = tiny.unary erf %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f64>>) {
  // expected-error@+1 {{the element type is complex<f64>; erfc is defined on floats}}
  %0 = tiny.unary erfc %x : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi8>) {
  // expected-error@+1 {{the element type is si8; floor is defined on floats}}
  %0 = tiny.unary floor %x : tensor<2xsi8> -> tensor<2xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi8>) {
  // expected-error@+1 {{the element type is si8; ceil is defined on floats}}
  %0 = tiny.unary ceil %x : tensor<2xsi8> -> tensor<2xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; round is defined on floats}}
  %0 = tiny.unary round %x : tensor<2xi1> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; sign is defined on numbers}}
  %0 = tiny.unary sign %x : tensor<2xi1> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the element type is f32; not is defined on integers and i1}}
  %0 = tiny.unary not %x : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; relu is defined on real numbers}}
  %0 = tiny.unary relu %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi32>) {
  // expected-error@+1 {{the element type is si32; gelu is defined on floats}}
  %0 = tiny.unary gelu %x : tensor<2xsi32> -> tensor<2xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi32>) {
  // expected-error@+1 {{the element type is si32; silu is defined on floats}}
  %0 = tiny.unary silu %x : tensor<2xsi32> -> tensor<2xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi32>) {
  // expected-error@+1 {{the element type is si32; sigmoid is defined on floats and complex numbers}}
  %0 = tiny.unary sigmoid %x : tensor<2xsi32> -> tensor<2xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi32>) {
  // expected-error@+1 {{the element type is si32; is_finite is defined on floats}}
  %0 = tiny.unary is_finite %x : tensor<2xsi32> -> tensor<2xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; bitcast is defined on real numbers}}
  %0 = tiny.unary bitcast %x : tensor<2xi1> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xui8>) {
  // expected-error@+1 {{the element type is ui8; sqrt is defined on floats and complex numbers}}
  %0 = tiny.unary sqrt %x : tensor<2xui8> -> tensor<2xui8>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi8>) {
  // expected-error@+1 {{the element type is si8; log1p is defined on floats and complex numbers}}
  %0 = tiny.unary log1p %x : tensor<2xsi8> -> tensor<2xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the result has element type f32, expected i1}}
  %0 = tiny.unary is_finite %x : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xsi8>) {
  // expected-error@+1 {{the result has element type ui8, expected si8}}
  %0 = tiny.unary not %x : tensor<2xsi8> -> tensor<2xui8>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the cast is f32 to complex<f32>; complex numbers are cast to complex numbers only}}
  %0 = tiny.unary cast %x : tensor<2xf32> -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the result has shape [3], expected [2]}}
  %0 = tiny.unary cast %x : tensor<2xf32> -> tensor<3xbf16>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the result has shape [C, 3], expected [B, 3]}}
  %0 = tiny.unary cast %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xbf16, #ptir.dims<C, _>>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the element type is i1; bitcast is defined on real numbers}}
  %0 = tiny.unary bitcast %x : tensor<2xf32> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the result's element type is ui16; it must have the 32 bits of f32}}
  %0 = tiny.unary bitcast %x : tensor<2xf32> -> tensor<2xui16>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; remainder is defined on real numbers}}
  %0 = tiny.binary remainder %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; max is defined on real numbers}}
  %0 = tiny.binary max %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; min is defined on real numbers}}
  %0 = tiny.binary min %x, %y : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; add is defined on numbers}}
  %0 = tiny.binary add %x, %y : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; pow is defined on numbers}}
  %0 = tiny.binary pow %x, %y : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{the element type is f32; and is defined on integers and i1}}
  %0 = tiny.binary and %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{the element type is f32; or is defined on integers and i1}}
  %0 = tiny.binary or %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{the element type is f32; xor is defined on integers and i1}}
  %0 = tiny.binary xor %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; shift_left is defined on integers}}
  %0 = tiny.binary shift_left %x, %y : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{the element type is f32; shift_right_arithmetic is defined on integers}}
  %0 = tiny.binary shift_right_arithmetic %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{the element type is f32; shift_right_logical is defined on integers}}
  %0 = tiny.binary shift_right_logical %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; lt is defined on real numbers}}
  %0 = tiny.binary lt %x, %y : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>, %y: tensor<?x3xf32, #ptir.dims<C, _>>) {
  // expected-error@+1 {{shape [B, 3] does not broadcast to [C, 3]: sizes B and C differ}}
  %0 = tiny.binary add %x, %y : (tensor<?x3xf32, #ptir.dims<B, _>>, tensor<?x3xf32, #ptir.dims<C, _>>) -> tensor<?x3xf32, #ptir.dims<B, _>>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{the result has shape [5, 3], expected [4, 3]}}
  %0 = tiny.binary add %x, %y : (tensor<?x3xf32, #ptir.dims<B, _>>, tensor<4x3xf32>) -> tensor<5x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>, %y: tensor<4x3xf32>, %z: tensor<5x3xf32>) {
  // expected-note@+1 {{B is 4 here}}
  %0 = tiny.binary add %x, %y : (tensor<?x3xf32, #ptir.dims<B, _>>, tensor<4x3xf32>) -> tensor<?x3xf32, #ptir.dims<B, _>>
  // expected-error@+1 {{an operand's axis: B = 4 and 5 are known to differ}}
  %1 = tiny.binary add %x, %z : (tensor<?x3xf32, #ptir.dims<B, _>>, tensor<5x3xf32>) -> tensor<?x3xf32, #ptir.dims<B, _>>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; sum is defined on numbers}}
  %0 = tiny.reduce sum %x axes [0] accum i1 : tensor<2xi1> -> tensor<i1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; mul is defined on numbers}}
  %0 = tiny.reduce mul %x axes [0] accum i1 : tensor<2xi1> -> tensor<i1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; complex numbers have no order}}
  %0 = tiny.reduce max %x axes [0] accum complex<f32> : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{accum is si32; it must be of the same kind as f32}}
  %0 = tiny.reduce sum %x axes [0] accum si32 : tensor<2xf32> -> tensor<si32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{accum is f32; it must be of the same kind as i32}}
  %0 = tiny.reduce mul %x axes [0] accum f32 : tensor<2xi32> -> tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{accum is si8; it must be of the same kind as i1}}
  %0 = tiny.reduce max %x axes [0] accum si8 : tensor<2xi1> -> tensor<si8>
  func.return
}

// -----

func.func @f(%x: tensor<2x?xf32, #ptir.dims<_, C>>) {
  // expected-error@+1 {{the result has shape [B], expected [C]}}
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<2x?xf32, #ptir.dims<_, C>> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'value' has the byte 0x10, which is not a value of ui4}}
  %0 = tiny.const dense<"0x0F10"> : tensor<2xui4>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'report' is on div of f32}}
  %0 = tiny.binary div %x, %x report 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{'report' is on add of i32}}
  %0 = tiny.binary add %x, %x report 1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{'number' is 0}}
  %0 = tiny.binary div %x, %x report 0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{'number' is 2147483648}}
  %0 = tiny.binary div %x, %x report 2147483648 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{the predicate has element type i32, expected i1}}
  %0 = tiny.binary require_index %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

func.func @f(%p: tensor<4xi1>, %x: tensor<4xi32>) {
  // expected-error@+1 {{the result has element type i1, expected i32}}
  %0 = tiny.binary require_sorted %p, %x : (tensor<4xi1>, tensor<4xi32>) -> tensor<4xi1>
  func.return
}
