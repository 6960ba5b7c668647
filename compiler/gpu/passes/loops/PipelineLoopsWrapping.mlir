// Places ahead of a loop's last are computed in its own type: where that may wrap, a place that did is not inside.
// RUN: triton-opt %s --gpu-pipeline-loops=num-stages=3 --canonicalize --cse | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: @anywhere
// CHECK-SAME:  , %[[LOW:[a-z0-9]+]]: i32, %[[HIGH:[a-z0-9]+]]: i32
// CHECK:       %[[SECOND:.*]] = arith.addi %[[LOW]], %c512_i32 : i32
// CHECK:       %[[IS_BELOW:.*]] = arith.cmpi slt, %[[SECOND]], %[[HIGH]] : i32
// CHECK:       %[[WRAPPED:.*]] = arith.cmpi slt, %[[SECOND]], %[[LOW]] : i32
// CHECK:       %[[INSIDE:.*]] = arith.select %[[WRAPPED]], %false, %[[IS_BELOW]] : i1
// CHECK:       tt.splat %[[INSIDE]]
// CHECK:       scf.for %[[I:.*]] = %[[LOW]] to %[[HIGH]]
// CHECK:         %[[LIMIT:.*]] = arith.subi %[[HIGH]], %c1024_i32 : i32
// CHECK:         %[[IS_ABOVE:.*]] = arith.cmpi slt, %[[HIGH]], %[[LIMIT]] : i32
// CHECK:         %[[LEAST:.*]] = arith.select %[[IS_ABOVE]], %c-2147483648_i32, %[[LIMIT]] : i32
// CHECK:         arith.cmpi slt, %[[I]], %[[LEAST]] : i32
tt.func @anywhere(%q: tensor<512x!tt.ptr<f32>, #row> {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}, %low: i32, %high: i32) -> tensor<512xf32, #row> {
  %step = arith.constant 512 : i32
  %c = arith.constant dense<0.0> : tensor<512xf32, #row>
  %r = scf.for %i = %low to %high step %step iter_args(%acc = %c) -> (tensor<512xf32, #row>) : i32 {
    %is = tt.splat %i : i32 -> tensor<512xi32, #row>
    %t = tt.addptr %q, %is : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %a = tt.load %t : tensor<512x!tt.ptr<f32>, #row>
    %d = arith.addf %acc, %a : tensor<512xf32, #row>
    scf.yield %d : tensor<512xf32, #row>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<512xf32, #row>
}

// From a program's own number on: only what comes before the loop is near the largest number.
// CHECK-LABEL: @from_program
// CHECK:       arith.select
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %[[HIGH:.*]] step
// CHECK:         %[[LIMIT:.*]] = arith.subi %[[HIGH]], %c1024_i32 : i32
// CHECK-NEXT:    arith.cmpi slt, %[[I]], %[[LIMIT]] : i32
tt.func @from_program(%q: tensor<512x!tt.ptr<f32>, #row> {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}, %high: i32) -> tensor<512xf32, #row> {
  %low = tt.get_program_id x : i32
  %step = arith.constant 512 : i32
  %c = arith.constant dense<0.0> : tensor<512xf32, #row>
  %r = scf.for %i = %low to %high step %step iter_args(%acc = %c) -> (tensor<512xf32, #row>) : i32 {
    %is = tt.splat %i : i32 -> tensor<512xi32, #row>
    %t = tt.addptr %q, %is : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %a = tt.load %t : tensor<512x!tt.ptr<f32>, #row>
    %d = arith.addf %acc, %a : tensor<512xf32, #row>
    scf.yield %d : tensor<512xf32, #row>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<512xf32, #row>
}

// From 0 on nothing wraps.
// CHECK-LABEL: @from_zero
// CHECK-NOT:   arith.select %{{.*}}, %false
// CHECK:       scf.for
// CHECK-NOT:   -2147483648
// CHECK:       tt.return
tt.func @from_zero(%q: tensor<512x!tt.ptr<f32>, #row> {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}, %high: i32) -> tensor<512xf32, #row> {
  %low = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %c = arith.constant dense<0.0> : tensor<512xf32, #row>
  %r = scf.for %i = %low to %high step %step iter_args(%acc = %c) -> (tensor<512xf32, #row>) : i32 {
    %is = tt.splat %i : i32 -> tensor<512xi32, #row>
    %t = tt.addptr %q, %is : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %a = tt.load %t : tensor<512x!tt.ptr<f32>, #row>
    %d = arith.addf %acc, %a : tensor<512xf32, #row>
    scf.yield %d : tensor<512xf32, #row>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<512xf32, #row>
}

// A multiple of a step that nobody knows may wrap more than once: iterations are counted.
// CHECK-LABEL: @any_step
// CHECK:       arith.divui
// CHECK:       scf.for %{{.*}} = %c0_i32 to %{{.*}} step %c1_i32
tt.func @any_step(%q: tensor<512x!tt.ptr<f32>, #row> {tt.divisibility = 16 : i32, tt.contiguity = 512 : i32}, %high: i32) -> tensor<512xf32, #row> {
  %low = tt.get_program_id x : i32
  %step = tt.get_num_programs x : i32
  %c = arith.constant dense<0.0> : tensor<512xf32, #row>
  %four = arith.constant 4 : i32
  %r = scf.for %i = %low to %high step %step iter_args(%acc = %c) -> (tensor<512xf32, #row>) : i32 {
    %i4 = arith.muli %i, %four : i32
    %is = tt.splat %i4 : i32 -> tensor<512xi32, #row>
    %t = tt.addptr %q, %is : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %a = tt.load %t : tensor<512x!tt.ptr<f32>, #row>
    %d = arith.addf %acc, %a : tensor<512xf32, #row>
    scf.yield %d : tensor<512xf32, #row>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<512xf32, #row>
}
}
