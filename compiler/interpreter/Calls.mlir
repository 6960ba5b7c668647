// RUN: not triton-interpret %s --kernel forever 2>&1 | FileCheck %s
// CHECK: 'tt.func' op is called 1000 calls deep
tt.func public @forever() {
  tt.call @again() : () -> ()
  tt.return
}
tt.func private @again() attributes {noinline = true} {
  tt.call @again() : () -> ()
  tt.return
}
