// Kernels, the functions they call, the program's place in the grid, and what a program says to the outside.
#ifndef TRITON_TENSOR_FUNCTION_OPS
#define TRITON_TENSOR_FUNCTION_OPS

include "compiler/tensor/dialect/OpBase.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def TT_FuncOp : TT_Op<"func", [AffineScope, AutomaticAllocationScope, CallableOpInterface, FunctionOpInterface,
                               IsolatedFromAbove]> {
  let summary = "a kernel, or a function that kernels call";
  let description = [{
    A public function is a kernel: it returns nothing and takes scalars, pointers and descriptors. A private one is called by
    `tt.call`; `noinline = true` keeps it a function. `tt.divisibility` on an argument promises that it is a multiple of that
    number (in bytes, for a pointer). For example:

    ```mlir
    tt.func public @fill(%out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %value: f32) attributes {noinline = false} {
      tt.store %out, %value : !tt.ptr<f32>
      tt.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
    CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs,
    CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// Whether calls of this function must stay calls.
    bool isNoInline();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_CallOp : TT_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a private function";
  let description = [{
    ```mlir
    tt.func private @twice(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      tt.return %0 : i32
    }
    tt.func @four_times(%x: i32) -> i32 {
      %0 = tt.call @twice(%x) : (i32) -> i32
      %1 = tt.call @twice(%0) : (i32) -> i32
      tt.return %1 : i32
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let builders = [OpBuilder<(ins "FuncOp":$callee, CArg<"::mlir::ValueRange", "{}">:$operands)>];
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() { return (*this)->getAttrOfType<::mlir::SymbolRefAttr>("callee"); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      (*this)->setAttr("callee", ::llvm::cast<::mlir::SymbolRefAttr>(callee));
    }
  }];
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
}

def TT_ReturnOp : TT_Op<"return", [HasParent<"FuncOp">, Pure, ReturnLike, Terminator]> {
  let summary = "leaves a function with its results";
  let description = [{
    ```mlir
    tt.func @identity(%x: tensor<128xf32>) -> tensor<128xf32> {
      tt.return %x : tensor<128xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$srcs);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

def TT_GetProgramIdOp : TT_Op<"get_program_id", [Pure]> {
  let summary = "which program of the grid this is";
  let description = [{
    Along `axis`, from 0 to `tt.get_num_programs` - 1.

    ```mlir
    %pid = tt.get_program_id x : i32
    ```
  }];
  let arguments = (ins TT_ProgramDimAttr:$axis);
  let results = (outs I32:$result);
  let builders = [OpBuilder<(ins "int":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(),
          ProgramIDDimAttr::get($_builder.getContext(), static_cast<ProgramIDDim>(axis)));
  }]>];
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [Pure]> {
  let summary = "how many programs the grid has";
  let description = [{
    Along `axis`.

    ```mlir
    %n = tt.get_num_programs y : i32
    ```
  }];
  let arguments = (ins TT_ProgramDimAttr:$axis);
  let results = (outs I32:$result);
  let builders = [OpBuilder<(ins "int":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(),
          ProgramIDDimAttr::get($_builder.getContext(), static_cast<ProgramIDDim>(axis)));
  }]>];
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_PrintOp : TT_Op<"print", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "prints values while the kernel runs";
  let description = [{
    One line per element and operand, after `prefix`. `isSigned` says for each operand whether an integer prints with a sign;
    `hex` prints bit patterns instead.

    ```mlir
    %pid = tt.get_program_id x : i32
    tt.print " pid: " {hex = false, isSigned = array<i32: 1>} : %pid : i32
    ```
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Any>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "stops the kernel unless every element holds";
  let description = [{
    ```mlir
    %true = arith.constant true
    tt.assert %true, "n is positive" : i1
    ```
  }];
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def TT_DebugBarrierOp : TT_Op<"debug_barrier", [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "waits for all threads of the program";
  let description = [{
    Accesses before it are complete for every thread of the same program before any access after it starts.

    ```mlir
    tt.debug_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
