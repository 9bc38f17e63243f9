// RUN: ptir-opt %s --view-op-graph -o /dev/null 2>&1 | filecheck %s
// RUN: ptir-opt %s --view-op-graph='print-data-flow-edges=false print-control-flow-edges=true print-attrs=false print-result-types=false' -o /dev/null 2>&1 | filecheck %s --check-prefix=CFG
// RUN: ptir-opt %s --view-op-graph=max-label-len=4 -o /dev/null 2>&1 | filecheck %s --check-prefix=SHORT

// CHECK:      digraph G {
// CHECK-NEXT:   compound = true;
// CHECK-NEXT:   subgraph cluster_1 {
// CHECK-NEXT:     v2 [label = " ", shape = plain];
// CHECK-NEXT:     label = "builtin.module : ()\n";
// CHECK-NEXT:     subgraph cluster_3 {
// CHECK-NEXT:       v4 [label = " ", shape = plain];
// CHECK-NEXT:       label = "";
// CHECK-NEXT:       subgraph cluster_5 {
// CHECK-NEXT:         v6 [label = " ", shape = plain];
// CHECK-NEXT:         label = "func.func : ()\n\nfunction_type: (tensor<i1>, tensor<...\nsym_name: \"f\"";
// CHECK:                v9 [label = "arg0", shape = ellipse];
// CHECK-NEXT:           v10 [label = "arg1", shape = ellipse];
// CHECK-NEXT:           v11 [fillcolor = "{{0.[0-9]+}} 0.3 0.95", label = "ptir.constant : (tensor<20xf32>)\n\nvalue: [...] : tensor<20xf32>", shape = ellipse, style = filled];
// CHECK-NEXT:           v12 [fillcolor = "{{0.[0-9]+}} 0.3 0.95", label = "ptir.constant : (tensor<99xi32>)\n\nvalue: dense<7> : tensor<99xi32>", shape = ellipse, style = filled];
// CHECK-NEXT:           subgraph cluster_13 {
// CHECK-NEXT:             v14 [label = " ", shape = plain];
// CHECK-NEXT:             label = "ptir.cond : (tensor<20xf32>)\n";
// CHECK:            v9 -> v14 [lhead = cluster_13, style = solid];
// CHECK:            v14 -> v{{[0-9]+}} [ltail = cluster_13, style = solid];

// CFG:       label = "builtin.module";
// CFG:       v{{[0-9]+}} [fillcolor = {{.*}}, label = "ptir.constant", shape = ellipse, style = filled];
// CFG-NOT:   solid
// CFG:       v11 -> v12 [label = "", style = dashed];
// CFG-NEXT:  v12 -> v14 [lhead = cluster_13, style = dashed];

// SHORT:     label = "func.func : ()\n\nfunction_type: (ten...\nsym_name: \"f\"";
func.func @f(%p: tensor<i1>, %x: tensor<20xf32>) -> tensor<20xf32> {
  %c = ptir.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0]> : tensor<20xf32>
  %s = ptir.constant dense<7> : tensor<99xi32>
  %r = ptir.cond %p (%x) : (tensor<20xf32>) -> tensor<20xf32> then (%a) {
    %e = ptir.exp %a : tensor<20xf32>
    ptir.yield %e : tensor<20xf32>
  } else (%b) {
    ptir.yield %b : tensor<20xf32>
  }
  func.return %r : tensor<20xf32>
}
