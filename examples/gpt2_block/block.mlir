// Written by make.py.
builtin.module attributes {ptir.spec_version = "ptir.v0.4"} {
func.func @block(
    %x: tensor<1x128x768xf32>,
    %ln1_g: tensor<768xf32>,
    %ln1_b: tensor<768xf32>,
    %qkv_w: tensor<768x2304xf32>,
    %qkv_b: tensor<2304xf32>,
    %out_w: tensor<768x768xf32>,
    %out_b: tensor<768xf32>,
    %ln2_g: tensor<768xf32>,
    %ln2_b: tensor<768xf32>,
    %up_w: tensor<768x3072xf32>,
    %up_b: tensor<3072xf32>,
    %down_w: tensor<3072x768xf32>,
    %down_b: tensor<768xf32>) -> tensor<1x128x768xf32> {
  %normed = ptir.layer_norm %x, %ln1_g, %ln1_b axis -1 epsilon 1.000000e-05 : tensor<1x128x768xf32>, tensor<768xf32>
  %qkv_xw = ptir.dot_general %normed, %qkv_w contract [2] x [0] accum f32 out f32
     : (tensor<1x128x768xf32>, tensor<768x2304xf32>) -> tensor<1x128x2304xf32>
  %qkv_bias = ptir.broadcast_to %qkv_b : tensor<2304xf32> -> tensor<1x128x2304xf32>
  %qkv = ptir.add %qkv_xw, %qkv_bias : tensor<1x128x2304xf32>
  %q_f = ptir.slice %qkv [0, 0, 0] : tensor<1x128x2304xf32> -> tensor<1x128x768xf32>
  %q_s = ptir.reshape %q_f : tensor<1x128x768xf32> -> tensor<1x128x12x64xf32>
  %q = ptir.transpose %q_s [0, 2, 1, 3] : tensor<1x128x12x64xf32> -> tensor<1x12x128x64xf32>
  %k_f = ptir.slice %qkv [0, 0, 768] : tensor<1x128x2304xf32> -> tensor<1x128x768xf32>
  %k_s = ptir.reshape %k_f : tensor<1x128x768xf32> -> tensor<1x128x12x64xf32>
  %k = ptir.transpose %k_s [0, 2, 1, 3] : tensor<1x128x12x64xf32> -> tensor<1x12x128x64xf32>
  %v_f = ptir.slice %qkv [0, 0, 1536] : tensor<1x128x2304xf32> -> tensor<1x128x768xf32>
  %v_s = ptir.reshape %v_f : tensor<1x128x768xf32> -> tensor<1x128x12x64xf32>
  %v = ptir.transpose %v_s [0, 2, 1, 3] : tensor<1x128x12x64xf32> -> tensor<1x12x128x64xf32>
  %kt = ptir.transpose %k [0, 1, 3, 2] : tensor<1x12x128x64xf32> -> tensor<1x12x64x128xf32>
  %raw = ptir.dot_general %q, %kt batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32
     : (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>) -> tensor<1x12x128x128xf32>
  %scale_0 = ptir.constant dense<0.125> : tensor<f32>
  %scale = ptir.broadcast_to %scale_0 : tensor<f32> -> tensor<1x12x128x128xf32>
  %scaled = ptir.mul %raw, %scale : tensor<1x12x128x128xf32>
  %query = ptir.iota axis 0 : tensor<128x128xsi32>
  %key = ptir.iota axis 1 : tensor<128x128xsi32>
  %seen = ptir.compare ge %query, %key : tensor<128x128xsi32> -> tensor<128x128xi1>
  %zero_0 = ptir.constant dense<0.0> : tensor<f32>
  %zero = ptir.broadcast_to %zero_0 : tensor<f32> -> tensor<128x128xf32>
  %never_0 = ptir.constant dense<"0x000080FF"> : tensor<f32>
  %never = ptir.broadcast_to %never_0 : tensor<f32> -> tensor<128x128xf32>
  %mask_0 = ptir.select %seen, %zero, %never : tensor<128x128xi1>, tensor<128x128xf32>
  %mask = ptir.broadcast_to %mask_0 : tensor<128x128xf32> -> tensor<1x12x128x128xf32>
  %z = ptir.add %scaled, %mask : tensor<1x12x128x128xf32>
  %m_0 = ptir.reduce max %z axes [3] keepdims accum f32 out f32 : tensor<1x12x128x128xf32> -> tensor<1x12x128x1xf32>
  %m = ptir.broadcast_to %m_0 : tensor<1x12x128x1xf32> -> tensor<1x12x128x128xf32>
  %d = ptir.sub %z, %m : tensor<1x12x128x128xf32>
  %e = ptir.exp %d : tensor<1x12x128x128xf32>
  %s_0 = ptir.reduce sum %e axes [3] keepdims accum f32 out f32 : tensor<1x12x128x128xf32> -> tensor<1x12x128x1xf32>
  %s = ptir.broadcast_to %s_0 : tensor<1x12x128x1xf32> -> tensor<1x12x128x128xf32>
  %p = ptir.div %e, %s : tensor<1x12x128x128xf32>
  %mixed = ptir.dot_general %p, %v batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32
     : (tensor<1x12x128x128xf32>, tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32>
  %mixed_t = ptir.transpose %mixed [0, 2, 1, 3] : tensor<1x12x128x64xf32> -> tensor<1x128x12x64xf32>
  %joined = ptir.reshape %mixed_t : tensor<1x128x12x64xf32> -> tensor<1x128x768xf32>
  %attended_xw = ptir.dot_general %joined, %out_w contract [2] x [0] accum f32 out f32
     : (tensor<1x128x768xf32>, tensor<768x768xf32>) -> tensor<1x128x768xf32>
  %attended_bias = ptir.broadcast_to %out_b : tensor<768xf32> -> tensor<1x128x768xf32>
  %attended = ptir.add %attended_xw, %attended_bias : tensor<1x128x768xf32>
  %middle = ptir.add %x, %attended : tensor<1x128x768xf32>
  %normed2 = ptir.layer_norm %middle, %ln2_g, %ln2_b axis -1 epsilon 1.000000e-05 : tensor<1x128x768xf32>, tensor<768xf32>
  %up_xw = ptir.dot_general %normed2, %up_w contract [2] x [0] accum f32 out f32
     : (tensor<1x128x768xf32>, tensor<768x3072xf32>) -> tensor<1x128x3072xf32>
  %up_bias = ptir.broadcast_to %up_b : tensor<3072xf32> -> tensor<1x128x3072xf32>
  %up = ptir.add %up_xw, %up_bias : tensor<1x128x3072xf32>
  %x2 = ptir.mul %up, %up : tensor<1x128x3072xf32>
  %x3 = ptir.mul %x2, %up : tensor<1x128x3072xf32>
  %c3_0 = ptir.constant dense<0.044715> : tensor<f32>
  %c3 = ptir.broadcast_to %c3_0 : tensor<f32> -> tensor<1x128x3072xf32>
  %cubic = ptir.mul %x3, %c3 : tensor<1x128x3072xf32>
  %inner = ptir.add %up, %cubic : tensor<1x128x3072xf32>
  %c1_0 = ptir.constant dense<0.7978845608028654> : tensor<f32>
  %c1 = ptir.broadcast_to %c1_0 : tensor<f32> -> tensor<1x128x3072xf32>
  %argument = ptir.mul %inner, %c1 : tensor<1x128x3072xf32>
  %bend = ptir.tanh %argument : tensor<1x128x3072xf32>
  %one_0 = ptir.constant dense<1.0> : tensor<f32>
  %one = ptir.broadcast_to %one_0 : tensor<f32> -> tensor<1x128x3072xf32>
  %gate = ptir.add %bend, %one : tensor<1x128x3072xf32>
  %half_0 = ptir.constant dense<0.5> : tensor<f32>
  %half = ptir.broadcast_to %half_0 : tensor<f32> -> tensor<1x128x3072xf32>
  %halved = ptir.mul %up, %half : tensor<1x128x3072xf32>
  %active = ptir.mul %halved, %gate : tensor<1x128x3072xf32>
  %down_xw = ptir.dot_general %active, %down_w contract [2] x [0] accum f32 out f32
     : (tensor<1x128x3072xf32>, tensor<3072x768xf32>) -> tensor<1x128x768xf32>
  %down_bias = ptir.broadcast_to %down_b : tensor<768xf32> -> tensor<1x128x768xf32>
  %down = ptir.add %down_xw, %down_bias : tensor<1x128x768xf32>
  %y = ptir.add %middle, %down : tensor<1x128x768xf32>
  func.return %y : tensor<1x128x768xf32>
}
}
