// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm80},region-to-pto' | filecheck %s

// Each operand has tiles of its own type.

// CHECK: pto.channel : !pto.channel<{{[0-9]+}}, [!pto.tile<[[A:.*]]xui8, Mat>, !pto.tile<[[B:.*]]xsi8, Mat, DN>]>
// CHECK: pto.tile.load %u[{{.*}} : memref<64x128xui8> -> !pto.tile<[[A]]xui8, Mat>
// CHECK: pto.tile.load %s[{{.*}} : memref<64x128xsi8> -> !pto.tile<[[B]]xsi8, Mat, DN>
// CHECK: pto.tile.expands 0 : i32 : !pto.tile<[[C:.*]]xi32, Acc>
// CHECK: pto.tile.matmul.acc {{.*}} : !pto.tile<[[C]]xi32, Acc>, !pto.tile<[[A]]xui8, Left>, !pto.tile<[[B]]xsi8, Right>

func.func @f(%u: tensor<64x128xui8>, %s: tensor<64x128xsi8>) -> tensor<64x64xi32> {
  %0 = ptir.dot_general %u, %s contract [1] x [1] accum i32 out i32 : (tensor<64x128xui8>, tensor<64x128xsi8>) -> tensor<64x64xi32>
  func.return %0 : tensor<64x64xi32>
}
