// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' | filecheck %s

// The weight of the largest score of a row, by the program's own ops, multiplies the result. Besides the maximum and the sum, the loop carries
// whether dropout keeps a score of the row; what it drops is summed, but not multiplied by values.
// CHECK: pto.kernel @f_0(%q: {{.*}}, %k: {{.*}}, %drop: {{.*}}, %v: {{.*}}) -> (%o:
// CHECK: scf.for {{.*}} iter_args(%max{{.*}}, %sum{{.*}}, %kept{{.*}}, %acc
// CHECK: [[P:%.+]] = pto.tile.exp2 %{{.*}} : tile<{{[0-9]+x[0-9][0-9]+}}xf32>
// CHECK: pto.tile.load.map %drop
// CHECK: [[W:%.+]] = pto.tile.mul [[P]]
// CHECK: pto.tile.rowsum [[P]]
// CHECK: pto.tile.cvt [[W]]
// CHECK: scf.yield
// CHECK: pto.tile.exp %
// CHECK: pto.tile.div
// CHECK: pto.tile.store.map
// CHECK-NOT: pto.kernel
builtin.module attributes {ptir.extensions} {
func.func @f(%q: tensor<2x40x16xbf16>, %k: tensor<2x52x16xbf16>, %v: tensor<2x52x16xbf16>, %drop: tensor<2x40x52xi1>) -> tensor<2x40x16xf32> {
  %s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x40x16xbf16>, tensor<2x52x16xbf16>) -> tensor<2x40x52xf32>
  %scale = ptir.constant dense<0.25> : tensor<2x40x52xf32>
  %s1 = ptir.mul %s, %scale : tensor<2x40x52xf32>
  %i = ptir.iota axis 0 : tensor<40x52xsi32>
  %j = ptir.iota axis 1 : tensor<40x52xsi32>
  %before = ptir.constant dense<7> : tensor<40x52xsi32>
  %jb = ptir.add %j, %before : tensor<40x52xsi32>
  %le = ptir.compare le %jb, %i : tensor<40x52xsi32> -> tensor<40x52xi1>
  %keep = ptir.broadcast_to %le : tensor<40x52xi1> -> tensor<2x40x52xi1>
  %none = ptir.constant dense<0xFF800000> : tensor<2x40x52xf32>
  %zero = ptir.constant dense<0.0> : tensor<2x40x52xf32>
  %zeros = ptir.constant dense<0.0> : tensor<2x40x1xf32>
  %x = ptir.select %keep, %s1, %none : tensor<2x40x52xi1>, tensor<2x40x52xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x40x52xf32> -> tensor<2x40x1xf32>
  %f = ptir.is_finite %max : tensor<2x40x1xf32> -> tensor<2x40x1xi1>
  %m = ptir.select %f, %max, %zeros : tensor<2x40x1xi1>, tensor<2x40x1xf32>
  %shift = ptir.broadcast_to %m : tensor<2x40x1xf32> -> tensor<2x40x52xf32>
  %d = ptir.sub %x, %shift : tensor<2x40x52xf32>
  %e = ptir.exp %d : tensor<2x40x52xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x40x52xf32> -> tensor<2x40x1xf32>
  %one = ptir.constant dense<1.0> : tensor<2x40x1xf32>
  %z = ptir.compare eq %sum, %zeros : tensor<2x40x1xf32> -> tensor<2x40x1xi1>
  %sum2 = ptir.select %z, %one, %sum : tensor<2x40x1xi1>, tensor<2x40x1xf32>
  %divisor = ptir.broadcast_to %sum2 : tensor<2x40x1xf32> -> tensor<2x40x52xf32>
  %w = ptir.div %e, %divisor : tensor<2x40x52xf32>
  %inverse = ptir.constant dense<1.25> : tensor<2x40x52xf32>
  %w2 = ptir.mul %w, %inverse : tensor<2x40x52xf32>
  %p = ptir.select %drop, %w2, %zero : tensor<2x40x52xi1>, tensor<2x40x52xf32>
  %pb = ptir.cast %p : tensor<2x40x52xf32> -> tensor<2x40x52xbf16>
  %o = ptir.dot_general %pb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x40x52xbf16>, tensor<2x52x16xbf16>) -> tensor<2x40x16xf32>
  func.return %o : tensor<2x40x16xf32>
}
}
