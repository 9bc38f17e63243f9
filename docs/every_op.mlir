// Examples for the reference pages, for ops whose docstring has none (generate.py).
// @every_ptir and @every_multiplication go through the whole pipeline, @every_tiny, @every_row and @every_column start one level down.
func.func @every_ptir(%x: tensor<70x40xbf16>, %w: tensor<40x24xbf16>, %b: tensor<24xf32>) -> tensor<70x24xbf16> {
  %product = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<70x40xbf16>, tensor<40x24xbf16>) -> tensor<70x24xf32>
  %bias = ptir.broadcast_to %b : tensor<24xf32> -> tensor<70x24xf32>
  %sum = ptir.add %product, %bias : tensor<70x24xf32>
  %difference = ptir.sub %sum, %bias : tensor<70x24xf32>
  %scaled = ptir.mul %difference, %bias : tensor<70x24xf32>
  %quotient = ptir.div %scaled, %sum : tensor<70x24xf32>
  %negated = ptir.neg %quotient : tensor<70x24xf32>
  %size = ptir.abs %negated : tensor<70x24xf32>
  %e = ptir.exp %size : tensor<70x24xf32>
  %l = ptir.log %e : tensor<70x24xf32>
  %t = ptir.tanh %l : tensor<70x24xf32>
  %f = ptir.erf %t : tensor<70x24xf32>
  %root = ptir.rsqrt %e : tensor<70x24xf32>
  %inverse = ptir.reciprocal %e : tensor<70x24xf32>
  %large = ptir.maximum %root, %inverse : tensor<70x24xf32>
  %small = ptir.minimum %large, %f : tensor<70x24xf32>
  %inside = ptir.clamp %small, %root, %large : tensor<70x24xf32>
  %less = ptir.compare lt %inside, %f : tensor<70x24xf32> -> tensor<70x24xi1>
  %chosen = ptir.select %less, %inside, %f : tensor<70x24xi1>, tensor<70x24xf32>
  %y = ptir.cast %chosen : tensor<70x24xf32> -> tensor<70x24xbf16>
  func.return %y : tensor<70x24xbf16>
}

func.func @every_tiny(%x: tensor<70x24xf32>) -> tensor<70x24xf32> {
  %c = tiny.const dense<2.000000e+00> : tensor<f32>
  %e = tiny.movement expand %c : tensor<f32> -> tensor<70x24xf32>
  %d = tiny.binary mul %x, %e : (tensor<70x24xf32>, tensor<70x24xf32>) -> tensor<70x24xf32>
  %y = tiny.unary sqrt %d : tensor<70x24xf32> -> tensor<70x24xf32>
  func.return %y : tensor<70x24xf32>
}

func.func @every_multiplication(%x: tensor<64x64xf32>, %w: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %exact = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %rounded = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 precision tf32 : (tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  func.return %exact, %rounded : tensor<64x128xf32>, tensor<64x128xf32>
}

func.func @every_row(%x: tensor<70x64xf32>) -> tensor<70x64xf32> {
  %large = tiny.reduce max %x axes [1] accum f32 : tensor<70x64xf32> -> tensor<70xf32>
  %small = tiny.reduce min %x axes [1] accum f32 : tensor<70x64xf32> -> tensor<70xf32>
  %sum = tiny.reduce sum %x axes [1] accum f32 : tensor<70x64xf32> -> tensor<70xf32>
  %product = tiny.reduce mul %x axes [1] accum f32 : tensor<70x64xf32> -> tensor<70xf32>
  %range = tiny.binary sub %large, %small : (tensor<70xf32>, tensor<70xf32>) -> tensor<70xf32>
  %both = tiny.binary add %sum, %product : (tensor<70xf32>, tensor<70xf32>) -> tensor<70xf32>
  %one = tiny.binary mul %range, %both : (tensor<70xf32>, tensor<70xf32>) -> tensor<70xf32>
  %column = tiny.movement reshape %one : tensor<70xf32> -> tensor<70x1xf32>
  %y = tiny.binary sub %x, %column : (tensor<70x64xf32>, tensor<70x1xf32>) -> tensor<70x64xf32>
  func.return %y : tensor<70x64xf32>
}

func.func @every_column(%x: tensor<70x64xf32>) -> tensor<64xf32> {
  %large = tiny.reduce max %x axes [0] accum f32 : tensor<70x64xf32> -> tensor<64xf32>
  %small = tiny.reduce min %x axes [0] accum f32 : tensor<70x64xf32> -> tensor<64xf32>
  %sum = tiny.reduce sum %x axes [0] accum f32 : tensor<70x64xf32> -> tensor<64xf32>
  %product = tiny.reduce mul %x axes [0] accum f32 : tensor<70x64xf32> -> tensor<64xf32>
  %range = tiny.binary sub %large, %small : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %both = tiny.binary add %sum, %product : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %y = tiny.binary mul %range, %both : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}

func.func @every_prologue(%x: tensor<64x64xi8>, %w: tensor<64x128xi8>) -> tensor<64x128xf32> {
  %left = ptir.cast %x : tensor<64x64xi8> -> tensor<64x64xbf16>
  %right = ptir.cast %w : tensor<64x128xi8> -> tensor<64x128xbf16>
  %y = ptir.dot_general %left, %right contract [1] x [0] accum f32 out f32 : (tensor<64x64xbf16>, tensor<64x128xbf16>) -> tensor<64x128xf32>
  func.return %y : tensor<64x128xf32>
}
