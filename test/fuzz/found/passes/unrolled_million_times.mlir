// run: passes=tensor-pipeline,gpu-print-access,gpu-pipeline{target=cuda:80},cse,gpu-legalize-dots


tt.func @far_too_often(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1000000 : i32}
  tt.return
}

