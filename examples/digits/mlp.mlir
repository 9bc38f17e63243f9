// The digits perceptron: bf16 operands, f32 accumulation, one ReLU, f32 logits.
// Weights and images: train.py in this folder.
builtin.module attributes {ptir.spec_version = "ptir.v0.4"} {
  func.func @mlp(%x: tensor<1797x64xbf16>, %w1: tensor<64x128xbf16>, %b1: tensor<128xf32>,
                 %w2: tensor<128x10xbf16>, %b2: tensor<10xf32>) -> tensor<1797x10xf32> {
    %h0 = ptir.dot_general %x, %w1 contract [1] x [0] accum f32 out f32 : (tensor<1797x64xbf16>, tensor<64x128xbf16>) -> tensor<1797x128xf32>
    %h1 = ptir.broadcast_to %b1 : tensor<128xf32> -> tensor<1797x128xf32>
    %h2 = ptir.add %h0, %h1 : tensor<1797x128xf32>
    %z0 = ptir.constant dense<0.0> : tensor<f32>
    %z1 = ptir.broadcast_to %z0 : tensor<f32> -> tensor<1797x128xf32>
    %h3 = ptir.maximum %h2, %z1 : tensor<1797x128xf32>
    %h = ptir.cast %h3 : tensor<1797x128xf32> -> tensor<1797x128xbf16>
    %y0 = ptir.dot_general %h, %w2 contract [1] x [0] accum f32 out f32 : (tensor<1797x128xbf16>, tensor<128x10xbf16>) -> tensor<1797x10xf32>
    %y1 = ptir.broadcast_to %b2 : tensor<10xf32> -> tensor<1797x10xf32>
    %y = ptir.add %y0, %y1 : tensor<1797x10xf32>
    func.return %y : tensor<1797x10xf32>
  }
}
