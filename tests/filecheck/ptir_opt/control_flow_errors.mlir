// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @too_few(%p: i1, %x: index) -> index {
  // expected-error@+1 {{returns index, index, but its first branch yields index}}
  %a, %b = scf.if %p -> (index, index) {
    scf.yield %x : index
  } else {
    scf.yield %x, %x : index, index
  }
  func.return %a : index
}

// -----

func.func @no_else(%p: i1, %x: index) -> index {
  // expected-error@+1 {{returns index, but its else branch yields nothing}}
  %a = scf.if %p -> (index) {
    scf.yield %x : index
  }
  func.return %a : index
}

// -----

func.func @too_many(%p: i1, %x: index) {
  // expected-error@+1 {{returns nothing, but its else branch yields index}}
  scf.if %p {
  } else {
    scf.yield %x : index
  }
  func.return
}

// -----

func.func @first_region(%p: i1, %x: index) {
  // expected-error@+1 {{passes index to its first region, whose arguments are i32}}
  "scf.while"(%x) ({
  ^bb0(%b: i32):
    scf.condition(%p)
  }, {
  ^bb0:
    scf.yield %x : index
  }) : (index) -> ()
  func.return
}

// -----

func.func @results(%p: i1, %x: index) -> index {
  // expected-error@+1 {{returns index, but scf.condition passes on index, index}}
  %a = scf.while (%b = %x) : (index) -> index {
    scf.condition(%p) %x, %x : index, index
  } do {
  ^bb0(%c: index):
    scf.yield %c : index
  }
  func.return %a : index
}

// -----

func.func @second_region(%p: i1, %x: index) -> index {
  // expected-error@+1 {{passes index to its second region, whose arguments are nothing}}
  %a = "scf.while"(%x) ({
  ^bb0(%b: index):
    scf.condition(%p) %x : index
  }, {
    scf.yield %x : index
  }) : (index) -> index
  func.return %a : index
}

// -----

func.func @next_round(%p: i1, %x: index) -> index {
  // expected-error@+1 {{yields nothing to its first region, whose arguments are index}}
  %a = scf.while (%b = %x) : (index) -> index {
    scf.condition(%p) %x : index
  } do {
  ^bb0(%c: index):
    scf.yield
  }
  func.return %a : index
}
