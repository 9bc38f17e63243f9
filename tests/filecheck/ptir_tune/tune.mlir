// The command, its file of plans, and its errors. The model measures; nothing is emulated.

// RUN: rm -f %t.sqlite* %t.json %t.csv %t
// RUN: ptir-tune %s --tuned %t.sqlite --machine a100 --measure model --candidates 2 --jobs 1 --sizes N=6 --csv %t.csv | filecheck %s --check-prefix=REPORT
// RUN: filecheck %s --check-prefix=CSV --input-file %t.csv
// RUN: ptir-tune --tuned %t.sqlite --export %t.json
// RUN: filecheck %s --check-prefix=EXPORT --input-file %t.json
// RUN: ptir-tune --tuned %t.new.sqlite --import %t.json --export - | filecheck %s --check-prefix=EXPORT

// REPORT:      @f_0 on a100, 1x384 tuned for 1x384:
// REPORT-NEXT:   {{[0-9.]+}} µs by the model, 1.00 times as fast as the planner's; 2 candidates
// REPORT-NEXT:   the plan is the one of the planner

// CSV:      kernel,machine,sizes,flops,bytes,occupancy,registers,how,outcome,estimate,actual,plan
// CSV-NEXT: f_0,a100,1x384,384,3072,{{.*}},model,measured,

// EXPORT:      {"tuned": [
// EXPORT-NEXT: {"structure":"{{[0-9a-f]*}}","types":"f32->f32","machine":"a100","representative":[1,384],"low":[1,384],"high":[1,384],"requests":1,"plan":{"arch":"sm80",

// RUN: not ptir-tune 2>>%t
// CHECK: ptir-tune: error[PTIR0612]: there is nothing to do

// RUN: not ptir-tune %s 2>>%t
// CHECK: ptir-tune: error[PTIR0612]: no file of tuned plans is named

// RUN: not ptir-tune --tuned %t.none.sqlite --export - 2>>%t
// CHECK: error[PTIR0310]: {{.*}}none.sqlite: there is no such file
// CHECK: help: ptir-tune makes one

// RUN: not ptir-tune %s --tuned %t.sqlite --measure model --sizes N=6 --executor rays 2>>%t
// CHECK: error[PTIR0311]: --executor=rays: there is no such executor
// CHECK: help: processes, or a cluster: dask://HOST:PORT, ray, ray://HOST:PORT

// RUN: not ptir-tune %s --tuned %t.sqlite --measure model --sizes N=0 2>>%t
// CHECK: {{.*}}tune.mlir:{{.*}}: error[PTIR0312]: nothing to tune: the program has no kernel

// RUN: not ptir-tune %s --tuned %t.sqlite --measure model 2>>%t
// CHECK: {{.*}}tune.mlir:{{.*}}: error[PTIR0218]: sizes of @f: the size N is missing

// RUN: sed 's/"a100"/"z9"/' %t.json > %t.wrong.json
// RUN: not ptir-tune --tuned %t.sqlite --import %t.wrong.json 2>>%t
// CHECK: {{.*}}wrong.json:2:{{[0-9]*}}: error[PTIR0313]: there is no such machine
// CHECK: help: the machines are a100, a40, l40s, rtx4090, h100, h200

// RUN: echo '{"N=6": 0}' > %t.requests.json
// RUN: not ptir-tune %s --tuned %t.sqlite --requests %t.requests.json 2>>%t
// CHECK: {{.*}}requests.json:1:9: error[PTIR0313]: this is no number of calls

// RUN: filecheck %s --input-file %t

func.func @f(%x: tensor<?x64xf32, #ptir.dims<N, _>>) -> tensor<?x64xf32, #ptir.dims<N, _>> {
  %0 = ptir.exp %x : tensor<?x64xf32, #ptir.dims<N, _>>
  func.return %0 : tensor<?x64xf32, #ptir.dims<N, _>>
}
