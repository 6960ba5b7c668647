; run: arch=gfx942; watch=1
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@shared = external addrspace(3) global [0 x i8], align 16
@table = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32 immarg, i32 immarg, i32 immarg)
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8), i32, i32, i32 immarg)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.ctpop.i32(i32)

define float @helper(float %x) {
  %y = fmul float %x, 2.0
  ret float %y
}

define amdgpu_kernel void @kernel(ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %isFirst = icmp eq i32 %thread, 0
  br i1 %isFirst, label %first, label %loop
first:
  store i32 7, ptr addrspace(3) @shared, align 4294967296
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ 0, %first ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ 1, %first ], [ %more, %loop ]
  %more = add i32 %sum, %round
  %next = add i32 %round, 1
  %goes = icmp ult i32 %next, %thread
  br i1 %goes, label %loop, label %done
done:
  call void @llvm.amdgcn.s.barrier()
  %seven = load i32, ptr addrspace(3) @shared, align 4
  %lane = call i32 @llvm.amdgcn.ds.bpermute(i32 4, i32 %more)
  %bits = call i32 @llvm.ctpop.i32(i32 %lane)
  %f = sitofp i32 %bits to float
  %g = call float @llvm.fma.f32(float %f, float 2.0, float %f)
  %h = call float @helper(float %g)
  %half = fptrunc float %h to half
  %v0 = insertelement <4 x half> zeroinitializer, half %half, i32 1
  %m = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %v0, <4 x half> %v0, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %e = extractelement <4 x float> %m, i32 2
  %buffer = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, i64 4096, i32 159744)
  %b = call float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8) %buffer, i32 16, i32 0, i32 0)
  %s = fadd float %e, %b
  %i = fptosi float %s to i32
  %t = getelementptr [4 x i32], ptr addrspace(1) @table, i32 0, i32 2
  %l = load <2 x i32>, ptr addrspace(1) %t, align 8
  %l0 = extractelement <2 x i32> %l, i32 0
  %old = atomicrmw add ptr addrspace(1) %out, i32 %i syncscope("agent") monotonic
  %pair = insertvalue { i32, i64 } poison, i32 %old, 0
  %part = extractvalue { i32, i64 } %pair, 0
  %odd = trunc i32 %part to i7
  %wide = sext i7 %odd to i32
  %chosen = select i1 %isFirst, i32 %wide, i32 %l0
  %value = xor i32 %chosen, %seven
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  store i32 %value, ptr addrspace(1) %place, align 4
  switch i32 %value, label %end [ i32 0, label %end
                                  i32 1, label %other ]
other:
  fence syncscope("workgroup") release
  br label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
