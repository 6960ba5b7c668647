// run: passes=gluon-infer-coalesced
tt.func public @kernel(%c: i1, %x: tensor<128xi32>) {
  %a = scf.if %c -> i32 {
    %one = arith.constant 1 : i32
    scf.yield %one : i32
  } else {
    %two = arith.constant 2 : i32
    scf.yield %two : i32
  }
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: i32, %m: i32):
    %s = arith.addi %l, %m : i32
    tt.reduce.return %s : i32
  }) : (tensor<128xi32>) -> i32
  tt.return
}
