// What a kernel may ask about its target, at compile time.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> isCuda(Emitter &emitter, const BoundArguments &) {
  return Value::boolean(emitter.options().backend == "cuda");
}
static FailureOr<Value> isFpsan(Emitter &emitter, const BoundArguments &) {
  return Value::boolean(emitter.options().sanitizesFloats);
}
static FailureOr<Value> isHip(Emitter &emitter, const BoundArguments &) {
  return Value::boolean(emitter.options().backend == "hip");
}
template <unsigned number> static FailureOr<Value> isAmd(Emitter &emitter, const BoundArguments &) {
  return Value::boolean(emitter.options().backend == "hip" && emitter.options().capability == int(number));
}

static FailureOr<Value> capabilityAtLeast(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> major = readInteger(emitter, arguments[0], "major"),
                     minor = readInteger(emitter, arguments[1], "minor");
  if (failed(major) || failed(minor))
    return failure();
  const LanguageOptions &options = emitter.options();
  return Value::boolean(options.backend == "cuda" && options.capability >= *major * 10 + *minor);
}

static FailureOr<Value> numWarps(Emitter &emitter, const BoundArguments &) {
  return Value::integer(emitter.options().numWarps);
}
static FailureOr<Value> numThreads(Emitter &emitter, const BoundArguments &) {
  return Value::integer(emitter.options().numWarps * emitter.options().warpSize);
}

// One instruction that reads or changes the machine's state. It exists on NVIDIA GPUs only.
static FailureOr<Value> cudaInstruction(Emitter &emitter, llvm::StringRef name, llvm::StringRef text,
                                        llvm::StringRef constraints, Type type, bool isPure) {
  if (emitter.options().backend != "cuda")
    return emitter.error("RuntimeError") << "tl.extra.cuda." << name
                                         << " exists on NVIDIA GPUs only; this kernel is compiled for "
                                         << emitter.options().backend;
  auto op = tensor::ElementwiseInlineAsmOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()),
                                                   text, constraints, isPure,
                                                   /*packed_element=*/1, ValueRange());
  return Value::tensor(op.getResult()[0], type);
}

static FailureOr<Value> globalTimer(Emitter &emitter, const BoundArguments &) {
  return cudaInstruction(emitter, "globaltimer", "mov.u64 $0, %globaltimer;", "=l", Type::int64(), /*isPure=*/false);
}
static FailureOr<Value> multiprocessor(Emitter &emitter, const BoundArguments &) {
  return cudaInstruction(emitter, "smid", "mov.u32 $0, %smid;", "=r", Type::int32(), /*isPure=*/true);
}
// Orders this grid with its neighbours on the stream. Assembly needs a result, which these have none for.
static FailureOr<Value> gridControl(Emitter &emitter, llvm::StringRef name, llvm::StringRef text) {
  int capability = emitter.options().capability;
  if (emitter.options().backend == "cuda" && capability < 90)
    return emitter.error("RuntimeError") << "tl.extra.cuda." << name
                                         << " needs compute capability 9.0 or newer; this kernel is compiled for "
                                         << capability / 10 << "." << capability % 10;
  FailureOr<Value> done = cudaInstruction(emitter, name, text, "=r", Type::int32(), /*isPure=*/false);
  return failed(done) ? done : Value::none();
}
static FailureOr<Value> gridWait(Emitter &emitter, const BoundArguments &) {
  return gridControl(emitter, "gdc_wait", "griddepcontrol.wait; // dummy $0");
}
static FailureOr<Value> gridLaunch(Emitter &emitter, const BoundArguments &) {
  return gridControl(emitter, "gdc_launch_dependents", "griddepcontrol.launch_dependents; // dummy $0");
}

/// The counter that all of AMD's GPUs have; LLVM knows the instruction of each.
static FailureOr<Value> realTime(Emitter &emitter, const BoundArguments &) {
  if (emitter.options().backend != "hip")
    return emitter.error("RuntimeError")
           << "tl.extra.hip.memrealtime exists on AMD GPUs only; this kernel is compiled for "
           << emitter.options().backend;
  auto op =
      tensor::ExternElementwiseOp::create(emitter.builder(), emitter.location(), Type::int64().toIr(emitter.context()),
                                          ValueRange(), "", "", "llvm.readsteadycounter", /*pure=*/false);
  return Value::tensor(op, Type::int64());
}

static FailureOr<Value> convertFloat8(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> type = readType(emitter, arguments[1], "dst_ty");
  return failed(type) ? FailureOr<Value>() : cast(emitter, arguments[0], *type);
}

llvm::ArrayRef<Builtin> targetBuiltins() {
  static const Builtin table[] = {
      {"triton.language.target_info", "is_cuda", "()", "Whether the kernel is compiled for an NVIDIA GPU.", isCuda},
      {"triton.language.target_info", "cuda_capability_geq", "(major, minor=0)",
       "Whether the target is an NVIDIA GPU of at least this compute capability.", capabilityAtLeast},
      {"triton.language.target_info", "is_fpsan", "()",
       "Whether the kernel is compiled with the floating-point sanitizer: `instrumentation_mode` names `fpsan`.",
       isFpsan},
      {"triton.language.target_info", "is_hip", "()", "Whether the kernel is compiled for an AMD GPU.", isHip},
      {"triton.language.target_info", "is_hip_cdna3", "()", "Whether the target is an AMD GPU of the CDNA 3 family.",
       isAmd<0x942>},
      {"triton.language.target_info", "is_hip_cdna4", "()", "Whether the target is an AMD GPU of the CDNA 4 family.",
       isAmd<0x950>},
      {"triton.language.target_info", "is_hip_gfx1250", "()", "Whether the target is an AMD GPU of the gfx1250 family.",
       isAmd<0x1250>},
      {"triton.language.extra.cuda", "globaltimer", "()", "The GPU's clock in nanoseconds, int64. Every call is kept.",
       globalTimer},
      {"triton.language.extra.cuda", "smid", "()", "The multiprocessor that runs the program, int32.", multiprocessor},
      {"triton.language.extra.cuda", "gdc_wait", "()",
       "Waits until the grid this launch depends on is complete and its writes are visible.", gridWait},
      {"triton.language.extra.cuda", "gdc_launch_dependents", "()", "Allows grids that depend on this one to start.",
       gridLaunch},
      {"triton.language.extra.cuda", "convert_custom_float8_sm80", "(arg, dst_ty, fp_downcast_rounding=None)",
       "Converts to or from float8e4b15.", convertFloat8},
      {"triton.language.extra.cuda", "convert_custom_float8_sm70", "(arg, dst_ty, fp_downcast_rounding=None)",
       "Converts to or from float8e4b15.", convertFloat8},
      {"triton.language.extra.cuda", "num_warps", "()", "How many warps run a program.", numWarps},
      {"triton.language.extra.cuda", "num_threads", "()", "How many threads run a program.", numThreads},
      {"triton.language.extra.hip", "memrealtime", "()",
       "The GPU's clock that does not change its rate (100 MHz), int64. Every call is kept.", realTime},
  };
  return table;
}

} // namespace triton::frontend
