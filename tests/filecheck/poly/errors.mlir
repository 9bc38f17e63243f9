// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers.

poly.view @f {
  // expected-error@+1 {{'kind' is 'loop'}}
  poly.block @v0 loop <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'domain' is not a set in isl's syntax: nonsense}}
  poly.block @v0 ewise <"nonsense"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'domain' is not a set in isl's syntax: { [i0] -> [i0] }}}
  poly.block @v0 ewise <"{ [i0] -> [i0] }"> reads [] by []
}

// -----

// A set of a named space, of a parameter alone, and from no axes to one.

poly.view @f {
  // expected-error@+1 {{'domain' is not a set in isl's syntax: { S[i0] }}}
  poly.block @v0 ewise <"{ S[i0] }"> reads [] by []
  // expected-error@+1 {{'domain' is not a set in isl's syntax: [N] -> { : N > 0 }}}
  poly.block @v1 ewise <"[N] -> { : N > 0 }"> reads [] by []
  // expected-error@+1 {{'domain' is not a set in isl's syntax: { [] -> [i0] }}}
  poly.block @v2 ewise <"{ [] -> [i0] }"> reads [] by []
  // expected-error@+1 {{'domain' names its axes i0, an expression}}
  poly.block @v3 ewise <"{ [i0, 2*i0] }"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'domain' names its axes i1}}
  poly.block @v0 ewise <"{ [i1] : 0 <= i1 <= 3 }"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' must have 'reduces' if its kind is reduce or contraction_pattern, and only then}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reduces ["i0"] reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' must have 'reduces' if its kind is reduce or contraction_pattern, and only then}}
  poly.block @v0 reduce <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'reduces' is ["i0"]}}
  poly.block @v0 reduce <"{ [i0, i1] }"> reduces ["i0"] reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'reduces' is ["i0"]}}
  poly.block @v0 reduce <"{ [] }"> reduces ["i0"] reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' has 1 element}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0", "arg1"] by [#poly.map<"{ [i0] -> [i0] }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{'guards' has 1 element}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0", "arg1"] by [#poly.map<"{ [i0] -> [i0] }">, #poly.map<"{ [i0] -> [i0] }">] guards [unit]
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' is not a map in isl's syntax: { [(1)] }}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [(1)] }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' is not a map in isl's syntax: { [i0] -> [i0] : i0 > 1 }}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [i0] : i0 > 1 }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' has rank 2, expected 1}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [i0] }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' names its axes j}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [j] -> [j] }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{'guards' is not a set in isl's syntax: { i0 }}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [i0] }">] guards [#poly.guard<"{ i0 }" else 0 : i32>]
}

// -----

poly.view @f {
  // expected-error@+1 {{'guards' has rank 2, expected 1}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [i0] }">] guards [#poly.guard<"{ [i0, i1] }" else 0 : i32>]
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  // expected-error@+1 {{the map to 'v0' has rank 2, expected 1}}
  poly.block @v1 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["v0"] by [#poly.map<"{ [i0] -> [i0, 0] }">]
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  // expected-error@+1 {{'poly.block' redefines block 'v0'}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' must have a pattern if its kind is contraction_pattern, and only then}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' must have a pattern if its kind is contraction_pattern, and only then}}
  poly.block @v0 contraction_pattern <"{ [i0] : 0 <= i0 <= 3 }"> reduces [] reads [] by []
}

// -----

poly.view @f {
  // expected-error@+1 {{'pattern' is "fft"}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "fft", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'pattern' is missing}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'color' is not an entry of a pattern}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], color = "red"}
}

// -----

poly.view @f {
  // expected-error@+1 {{'lhs_idx' is missing}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'rhs_idx' is 1 : i64}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = 1, out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'rhs_idx' names the unknown axis 'i3'}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i3"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' must have each of i0, i1, i2 once in out_idx and reduce_idx}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'digits' is 1 : i64}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], digits = 1}
}

// -----

poly.view @f {
  // expected-error@+1 {{'digits' has rank 1, expected 3}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], digits = #poly.map<"{ [i0] -> [i0] }">}
}

// -----

poly.view @f {
  // expected-error@+1 {{'lhs_idx' names the unknown axis 'i0'}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], digits = #poly.map<"{ [i0, i1, i2] -> [i0, i1, i2] }">}
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' may have 'groups' in the pattern of a conv only}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], groups = 1}
}

// -----

poly.view @f {
  // expected-error@+1 {{'poly.block' may have 'affine_offsets' in the pattern of a conv only}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = [], rhs = []}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' is missing}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' is {lhs = []}}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = []}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' has lhs 1 : i64}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = 1, rhs = []}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' has the entry {axis = 0 : i64}}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = [{axis = 0}], rhs = []}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' has the entry {axis = 0 : i64, out = "i0", window = "i2", stride = "one"}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = [{axis = 0, out = "i0", window = "i2", stride = "one", dilation = 1, offset = 0}], rhs = []}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' has window "i1", which is not among i2}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = [], rhs = [{axis = 0, out = "i0", window = "i1", stride = 1, dilation = 1, offset = 0}]}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'affine_offsets' has out "i2", which is not among i0, i1}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], affine_offsets = {lhs = [], rhs = [{axis = 0, out = "i2", window = "i2", stride = 1, dilation = 1, offset = 0}]}}
}

// -----

poly.view @f {
  // expected-error@+1 {{'groups' is "two"}}
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads [] by [] pattern {pattern = "conv", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"], groups = "two", affine_offsets = {lhs = [{axis = 0, out = "i0", window = "i2", stride = 1, dilation = 1, offset = 0}], rhs = []}}
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  // expected-error@+1 {{'poly.edge' needs a block 'v1' before it}}
  poly.edge "v0" to "v1" true [#poly.map<"{ [i0] -> [i0] }">]
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  // expected-error@+1 {{'poly.edge' needs at least one dependence}}
  poly.edge "v0" to "v0"
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  // expected-error@+1 {{'dependence' is not a relation in isl's syntax: { [i0] }}}
  poly.edge "v0" to "v0" true [#poly.map<"{ [i0] }">]
  // expected-error@+1 {{'dependence' is not a relation in isl's syntax: { S[i0] -> [i0] }}}
  poly.edge "v0" to "v0" true [#poly.map<"{ S[i0] -> [i0] }">]
  // expected-error@+1 {{'dependence' is not a relation in isl's syntax: { [i0] -> S[i0] }}}
  poly.edge "v0" to "v0" anti [#poly.map<"{ [i0] -> S[i0] }">]
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  poly.block @v1 reduce <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reduces ["i1"] reads [] by []
  // expected-error@+1 {{the target of 'true' has rank 1, expected 2}}
  poly.edge "v0" to "v1" true [#poly.map<"{ [i0] -> [i0] }">]
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  poly.block @v1 reduce <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reduces ["i1"] reads [] by []
  // expected-error@+1 {{the source of 'anti' has rank 1, expected 2}}
  poly.edge "v1" to "v0" anti [#poly.map<"{ [i0] -> [i0] }">]
}

// -----

poly.view @f {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads [] by []
  poly.block @v1 reduce <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reduces ["i1"] reads [] by []
  // expected-error@+1 {{the source of 'output' has rank 2, expected 1}}
  poly.edge "v1" to "v0" output [#poly.map<"{ [i0] -> [i0, i0] }">]
}

// -----

poly.view @f {
  // expected-error@+1 {{'arith.constant' does not belong in a poly.view}}
  %0 = arith.constant 0 : index
}

// -----

// expected-error@+1 {{string literal expected}}
"test.op"() {map = #poly.map<1>} : () -> ()

// -----

// expected-error@+1 {{expected a single block}}
poly.view @f {
}

// -----

poly.view @f {
  // expected-error@+1 {{'by' has fractions: { [i0] -> [i0/2] }}}
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 < 4 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [i0/2] }">]
}
