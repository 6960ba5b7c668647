// run: passes=tensor-unroll-loops
tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {
  %one = arith.constant 1 : i32
  %z = arith.constant 0 : i32
  %r = scf.for %i = %n to %n step %one iter_args(%a = %z) -> i32 : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  } {tt.loop_unroll_factor = 4 : i32}
  %q = scf.for %i = %one to %one step %one iter_args(%a = %r) -> i32 : i32 {
    %q = scf.for %j = %one to %one step %one iter_args(%c = %a) -> i32 : i32 {
      %b = arith.addi %c, %i : i32
      scf.yield %b : i32
    } {tt.loop_unroll_factor = 2 : i32}
    scf.yield %q : i32
  } {tt.loop_unroll_factor = 4 : i32}
    tt.store %p, %q : !tt.ptr<i32>
  tt.return
}
