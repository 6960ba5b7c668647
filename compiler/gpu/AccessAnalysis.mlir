// RUN: triton-opt %s --gpu-print-access | FileCheck %s

// The widest a mask allows, too: groups of 16 are inside of n or outside, because both n and the start of each group are multiples of 16.
// CHECK-LABEL: tt.func argument 0

tt.func public @vector_add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  // CHECK-SAME: => contiguity = [1], divisibility = [16], constancy = [1]
  // CHECK-NEXT: tt.func argument 1 => contiguity = [1], divisibility = [16], constancy = [1]
  %c1024 = arith.constant 1024 : i32
  // CHECK: tt.get_program_id {{.*}} => {{.*}} divisibility = [1], {{.*}}non-negative
  %pid = tt.get_program_id x : i32
  // CHECK-NEXT: arith.muli {{.*}} divisibility = [1024]{{.*}} non-negative
  %start = arith.muli %pid, %c1024 : i32
  // CHECK-NEXT: tt.make_range {{.*}} => contiguity = [1024], divisibility = [1073741824], constancy = [1], non-negative
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %start : i32 -> tensor<1024xi32>
  // CHECK: arith.addi {{.*}} => contiguity = [1024], divisibility = [1024]
  %offsets = arith.addi %s, %range : tensor<1024xi32>
  // CHECK-NEXT: tt.splat {{.*}} => contiguity = [1], divisibility = [16], constancy = [1024]
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  // CHECK-NEXT: arith.cmpi {{.*}} constancy = [16]
  %mask = arith.cmpi slt, %offsets, %bound : tensor<1024xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  // CHECK: tt.addptr {{.*}} => contiguity = [1024], divisibility = [16]
  %pointers = tt.addptr %base, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.return
}

// Rows of a matrix: contiguous along the last dimension, aligned because the stride is.
// CHECK-LABEL: tt.func argument 0
tt.func public @tile(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // CHECK: tt.expand_dims {{.*}} => contiguity = [64, 1], divisibility = [1073741824, 1]
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32>
  // CHECK: arith.muli {{.*}} => contiguity = [1, 1], divisibility = [16, 16]
  %m = arith.muli %rows2, %s : tensor<64x1xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
  // CHECK: tt.addptr {{.*}} => contiguity = [1, 1], divisibility = [16, 16]
  %p = tt.addptr %base, %m : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
  %p2 = tt.broadcast %p : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
  %columns = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns2 = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %columns3 = tt.broadcast %columns2 : tensor<1x32xi32> -> tensor<64x32xi32>
  // CHECK: tt.addptr {{.*}} => contiguity = [1, 32], divisibility = [2, 16], constancy = [1, 1]
  %q = tt.addptr %p2, %columns3 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  tt.return
}

// What a loop adds each time round keeps the alignment.
// CHECK-LABEL: tt.func argument 0
tt.func public @loop(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %first = tt.addptr %base, %range : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %move = arith.constant dense<4> : tensor<64xi32>
  // CHECK: scf.for
  // CHECK: scf.for argument 0 => contiguity = [1], divisibility = [64], constancy = [1], non-negative
  // CHECK-NEXT: scf.for argument 1 => contiguity = [64], divisibility = [8]
  %last = scf.for %i = %zero to %n step %step iter_args(%p = %first) -> (tensor<64x!tt.ptr<f16>>) : i32 {
    %next = tt.addptr %p, %move : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f16>>
  }
  tt.return
}

// Counters that start one step early, and are stepped before they are used.
// CHECK-LABEL: tt.func argument 0
tt.func public @stepped_before_use(%n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 132 : i32
  %start = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  // CHECK: arith.subi {{.*}}, at least -132
  %early = arith.subi %start, %step : i32
  // CHECK-NEXT: arith.subi {{.*}} => contiguity = [1], divisibility = [1], constancy = [1]{{$}}
  %one_round_early = arith.subi %start, %programs : i32
  // CHECK: scf.for argument 0 => {{.*}}, non-negative
  // CHECK-NEXT: scf.for argument 1 => {{.*}}, at least -132
  // CHECK-NEXT: scf.for argument 2 => contiguity = [1], divisibility = [1], constancy = [1]{{$}}
  scf.for %i = %start to %n step %step iter_args(%a = %early, %b = %one_round_early) -> (i32, i32) : i32 {
    // CHECK-NEXT: arith.addi {{.*}}, non-negative
    %c = arith.addi %a, %step : i32
    // CHECK-NEXT: arith.addi {{.*}}, non-negative
    %d = arith.addi %programs, %b : i32
    scf.yield %c, %d : i32, i32
  }
  tt.return
}

// Where that does not show: steps that are too small, or could be negative, or are not those of the start; counters that go down, also in
// turns; values that the loop computes otherwise.
// CHECK-LABEL: tt.func argument 0
tt.func public @not_stepped_far_enough(%n: i32, %by: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 132 : i32
  %start = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  %others = tt.get_num_programs y : i32
  %early = arith.subi %start, %step : i32
  %by_argument = arith.subi %start, %by : i32
  %by_programs = arith.subi %start, %programs : i32
  // CHECK: scf.for argument 0
  // CHECK-NEXT: scf.for argument 1 => {{.*}}, at least -132
  // CHECK-NEXT: scf.for argument 2 => {{.*}} constancy = [1]{{$}}
  // CHECK-NEXT: scf.for argument 3 => {{.*}} constancy = [1]{{$}}
  // CHECK-NEXT: scf.for argument 4 => {{.*}} constancy = [1]{{$}}
  // CHECK-NEXT: scf.for argument 5 => {{.*}} constancy = [1]{{$}}
  // CHECK-NEXT: scf.for argument 6 => {{.*}} constancy = [1]{{$}}
  scf.for %i = %zero to %n step %one iter_args(%a = %early, %b = %by_argument, %c = %by_programs, %d = %by_programs, %e = %start, %f = %zero)
      -> (i32, i32, i32, i32, i32, i32) : i32 {
    // CHECK-NEXT: arith.addi {{.*}}, at least -131
    %too_little = arith.addi %a, %one : i32
    // CHECK-NEXT: arith.addi {{.*}} constancy = [1]{{$}}
    %unknown = arith.addi %b, %by : i32
    // CHECK-NEXT: arith.addi {{.*}} constancy = [1]{{$}}
    %another = arith.addi %c, %others : i32
    // CHECK-NEXT: arith.addi {{.*}} constancy = [1]{{$}}
    %used = arith.addi %d, %programs : i32
    // CHECK-NEXT: arith.subi {{.*}} constancy = [1]{{$}}
    %down = arith.subi %e, %one : i32
    // CHECK-NEXT: arith.addi {{.*}} constancy = [1]{{$}}
    %turns = arith.addi %f, %e : i32
    scf.yield %too_little, %unknown, %another, %e, %turns, %down : i32, i32, i32, i32, i32, i32
  }
  tt.return
}

// The larger of two is at least either; the smaller only what both are.
// CHECK-LABEL: tt.func argument 0
tt.func public @clamped(%n: i32) {
  %zero = arith.constant 0 : i32
  %id = tt.get_program_id x : i32
  // CHECK: arith.maxsi {{.*}} non-negative
  %a = arith.maxsi %n, %zero : i32
  // CHECK-NEXT: arith.minsi {{.*}} constancy = [1]{{$}}
  %b = arith.minsi %n, %id : i32
  // CHECK-NEXT: arith.maxui {{.*}} constancy = [1]{{$}}
  %c = arith.maxui %n, %zero : i32
  // CHECK-NEXT: arith.minsi {{.*}} non-negative
  %d = arith.minsi %a, %id : i32
  tt.return
}

// Promises: on arguments, on ops, and assumed.
// CHECK-LABEL: tt.func argument 0
tt.func public @promises(%a: i32, %b: i32) {
  %zero = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %r = arith.remsi %a, %c8 : i32
  %multiple = arith.cmpi eq, %r, %zero : i32
  llvm.intr.assume %multiple : i1
  %positive = arith.cmpi sgt, %b, %zero : i32
  llvm.intr.assume %positive : i1
  // CHECK: arith.divsi {{.*}} non-negative
  %q = arith.divsi %b, %c8 : i32
  // CHECK-NEXT: arith.muli {{.*}} divisibility = [8]
  %m = arith.muli %a, %b : i32
  %s = tt.splat %m : i32 -> tensor<64xi32>
  // CHECK: arith.xori {{.*}} => contiguity = [16], divisibility = [32]
  %hinted = arith.xori %s, %s {tt.contiguity = dense<16> : tensor<1xi32>, tt.divisibility = dense<32> : tensor<1xi32>} : tensor<64xi32>
  tt.return
}

// Wrapping around at a multiple of 16, a run of 16 stays together; dividing by 4, four of a run fall together.
// CHECK-LABEL: tt.func argument 0
tt.func public @wrapped(%n: i32 {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  // CHECK: arith.remsi {{.*}} => contiguity = [16], divisibility = [16]
  %w = arith.remsi %range, %s : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  // CHECK: arith.divsi {{.*}} => contiguity = [1], divisibility = [1], constancy = [4]
  %d = arith.divsi %range, %four : tensor<64xi32>
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %low = arith.subi %range, %c16 : tensor<64xi32>
  // Of negative numbers division towards zero parts -4 from -3.
  // CHECK: arith.divsi {{.*}} constancy = [1]
  %e = arith.divsi %low, %four : tensor<64xi32>
  // What fills a dimension is taken to be offsets, which are not negative; runs of 16 among others are not.
  // CHECK: arith.remsi {{.*}} => contiguity = [16], divisibility = [16]
  %v = arith.remsi %low, %s : tensor<64xi32>
  %turned = arith.xori %low, %c16 : tensor<64xi32>
  // CHECK: arith.remsi {{.*}} => contiguity = [1], divisibility = [1]
  %u = arith.remsi %turned, %s : tensor<64xi32>
  tt.return
}

// Program ids dealt out among rows and columns are not negative, whatever sizes are: the columns of a tile stay together where they wrap.
// CHECK-LABEL: tt.func argument 0
tt.func public @tiles(%n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %column = arith.divsi %pid, %m : i32
  %start = arith.muli %column, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %start : i32 -> tensor<64xi32>
  %columns = arith.addi %s, %range : tensor<64xi32>
  %size = tt.splat %n : i32 -> tensor<64xi32>
  // CHECK: arith.remsi {{.*}} => contiguity = [16], divisibility = [16]
  %wrapped = arith.remsi %columns, %size : tensor<64xi32>
  tt.return
}
