// A linear layer: the specification's example of a plan.
func.func @bias_relu(%A: tensor<256x128xf16>, %B: tensor<128x192xf16>, %b: tensor<192xf32>) -> tensor<256x192xf32> {
  %0 = ptir.dot_general %A, %B contract [1] x [0] accum f32 out f32 : (tensor<256x128xf16>, tensor<128x192xf16>) -> tensor<256x192xf32>
  %1 = ptir.broadcast_to %b : tensor<192xf32> -> tensor<256x192xf32>
  %2 = ptir.add %0, %1 : tensor<256x192xf32>
  %zero = ptir.constant dense<0.0> : tensor<f32>
  %zeros = ptir.broadcast_to %zero : tensor<f32> -> tensor<256x192xf32>
  %3 = ptir.maximum %2, %zeros : tensor<256x192xf32>
  func.return %3 : tensor<256x192xf32>
}
