func.func @f() {
  /* not a comment
  func.return
}
