// RUN: triton-opt %s --tensor-rewrite-tensor-pointers --canonicalize --cse --split-input-file | FileCheck %s --implicit-check-not="!tt.ptr<tensor"

// CHECK-LABEL: @checked_load
// CHECK-SAME:    %[[BASE:[^:]*]]: !tt.ptr<f32>, %[[ROWS:[^:]*]]: i64, %[[STRIDE:[^:]*]]: i64, %[[OFFSET:[^:]*]]: i32
// CHECK-DAG:   %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-DAG:   %[[WIDE:.*]] = arith.extsi %[[OFFSET]] : i32 to i64
// CHECK:       %[[DISTANCE:.*]] = arith.muli %[[WIDE]], %[[STRIDE]] : i64
// CHECK:       %[[CORNER:.*]] = tt.addptr %[[BASE]], %[[DISTANCE]] : !tt.ptr<f32>, i64
// CHECK:       %[[RANGE:.*]] = tt.make_range
// CHECK:       %[[POINTERS:.*]] = tt.addptr
// CHECK:       %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[WIDE]]
// CHECK:       arith.cmpi sge, %[[RANGE]]
// CHECK:       arith.cmpi slt, %[[RANGE]]
// CHECK:       %[[MASK:.*]] = arith.andi
// CHECK:       tt.load %[[POINTERS]], %[[MASK]], %[[ZEROS]] : tensor<64x!tt.ptr<f32>>
tt.func @checked_load(%base: !tt.ptr<f32>, %rows: i64, %stride: i64, %offset: i32) -> tensor<64xf32> {
  %p = tt.make_tensor_ptr %base, [%rows], [%stride], [%offset] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// -----

// A loop that steps along rows: the offset starts at a program id and only grows, so the mask has no lower bound.
// CHECK-LABEL: @carried
// CHECK:       scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) -> (i64)
// CHECK-NOT:     arith.cmpi sge
// CHECK:         arith.cmpi slt
// CHECK:         tt.store
tt.func @carried(%base: !tt.ptr<f32>, %m: i64, %n: i64, %x: tensor<16x32xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %step = arith.constant 32 : i32
  %unit = arith.constant 1 : i64
  %pid = tt.get_program_id x : i32
  %p = tt.make_tensor_ptr %base, [%m, %n], [%n, %unit], [%pid, %zero] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  %r = scf.for %i = %zero to %ten step %one iter_args(%q = %p) -> (!tt.ptr<tensor<16x32xf32>>) : i32 {
    tt.store %q, %x {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x32xf32>>
    %next = tt.advance %q, [%zero, %step] : <tensor<16x32xf32>>
    scf.yield %next : !tt.ptr<tensor<16x32xf32>>
  }
  tt.return
}

// -----

// CHECK-LABEL: @chosen
// CHECK:       scf.if
// CHECK:       tt.load %{{[^,]*}} : tensor<64x!tt.ptr<f32>>
tt.func @chosen(%c: i1, %base: !tt.ptr<f32>, %other: !tt.ptr<f32>, %n: i64) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %base, [%n], [%unit], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
  %q = tt.make_tensor_ptr %other, [%n], [%unit], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
  %r = scf.if %c -> (!tt.ptr<tensor<64xf32>>) {
    tt.print "first" {hex = false, isSigned = array<i32>}
    scf.yield %p : !tt.ptr<tensor<64xf32>>
  } else {
    scf.yield %q : !tt.ptr<tensor<64xf32>>
  }
  %s = arith.select %c, %r, %q : !tt.ptr<tensor<64xf32>>
  %x = tt.load %s : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: @through_a_call
// CHECK:       tt.call @loads(%{{.*}}) : (!tt.ptr<f32>, i64, i64, i64, i32) -> tensor<64xf32>
tt.func @through_a_call(%base: !tt.ptr<f32>, %n: i64, %k: i32) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %base, [%n], [%unit], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.call @loads(%p, %k) : (!tt.ptr<tensor<64xf32>>, i32) -> tensor<64xf32>
  tt.return %x : tensor<64xf32>
}
// CHECK: tt.func private @loads(%{{[^:]*}}: !tt.ptr<f32>, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i32 {tt.divisibility = 16 : i32})
tt.func private @loads(%p: !tt.ptr<tensor<64xf32>>, %k: i32 {tt.divisibility = 16 : i32}) -> tensor<64xf32> attributes {noinline = true} {
  %x = tt.load %p : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: @ordinary_pointers
// CHECK-NEXT:  tt.load
// CHECK-NEXT:  tt.return
tt.func @ordinary_pointers(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64xf32> {
  %x = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.return %x : tensor<64xf32>
}

// -----

// Offsets of 64 bits are taken as they are.
// CHECK-LABEL: @far_away
// CHECK-SAME:    %[[OFFSET:[^:]*]]: i64)
// CHECK-NOT:   arith.trunci
// CHECK:       arith.addi %[[OFFSET]], %{{.*}} : i64
// CHECK:       tt.load
tt.func @far_away(%base: !tt.ptr<f32>, %rows: i64, %stride: i64, %offset: i64) -> tensor<64xf32> {
  %p = tt.make_tensor_ptr %base, [%rows], [%stride], [%offset : i64] {order = array<i32: 0>} : <tensor<64xf32>>
  %step = arith.constant 8589934592 : i64
  %q = tt.advance %p, [%step : i64] : <tensor<64xf32>>
  %x = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}
