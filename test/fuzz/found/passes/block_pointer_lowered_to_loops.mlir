// run: passes=cpu-lower-to-loops,gpu-place-partitions{max-registers=32}
// Another program may write what a load reads.
tt.func @load_stays(%p: !tt.ptr<tensor<128xi1>>, %q: !tt.ptr<tensor<128xi1>>, %lo: i32, %hi: i32, %one: i32) {
  scf.for %i = %lo to %hi step %one : i32 {
    %x = tt.load %p : !tt.ptr<tensor<128xi1>>
    tt.store %q, %x : !tt.ptr<tensor<128xi1>>
  }
  tt.return
}

