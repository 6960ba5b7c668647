// Which registers an instruction moves to and from a buffer in tensor memory.
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/layout/TensorMemoryAccess.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

static std::optional<layout::TensorMemoryShape> shapeNamed(StringRef name) {
  using layout::TensorMemoryShape;
  return llvm::StringSwitch<std::optional<TensorMemoryShape>>(name)
      .Cases({"32x32b", "32x32b_splitn"}, TensorMemoryShape::Rows32Bits32)
      .Case("16x64b", TensorMemoryShape::Rows16Bits64)
      .Case("16x128b", TensorMemoryShape::Rows16Bits128)
      .Case("16x256b", TensorMemoryShape::Rows16Bits256)
      .Default(std::nullopt);
}

/// The map with the step over half of the columns as that of the last register bit, so that halves are whole registers; null if none takes it.
static gpu::LinearAttr splitColumns(gpu::LinearAttr map, int64_t columns) {
  SmallVector<int64_t> lists[] = {SmallVector<int64_t>(map.getRegisters()), SmallVector<int64_t>(map.getLanes()),
                                  SmallVector<int64_t>(map.getWarps())};
  auto &[registers, lanes, warps] = lists;
  const int64_t half = columns / 2;
  auto isHalf = [&](ArrayRef<int64_t> list, size_t at) { return list[at] == 0 && list[at + 1] == half && half > 0; };
  auto made = [&] {
    return gpu::LinearAttr::get(map.getContext(), map.getRank(), ArrayRef<int64_t>(registers), ArrayRef<int64_t>(lanes),
                                ArrayRef<int64_t>(warps), map.getBlocks());
  };
  if (registers.empty()) { // one register becomes two, of which the other half's comes from another lane
    if (lanes.size() < 2 || !isHalf(lanes, lanes.size() - 2))
      return {};
    registers = {0, half};
    lanes[lanes.size() - 1] = 0;
    return made();
  }
  const size_t last = registers.size() - 2;
  for (SmallVector<int64_t> &list : lists)
    for (size_t at = 0; at + 1 < list.size(); at += 2)
      if (isHalf(list, at)) {
        std::swap(list[at], registers[last]);
        std::swap(list[at + 1], registers[last + 1]);
        return made();
      }
  return {};
}

/// The part of a matrix that one CTA of a cluster holds, and where the others' begin.
static FailureOr<SmallVector<int64_t>> readCluster(Emitter &emitter, const Value &value, std::vector<int64_t> &shape) {
  FailureOr<std::vector<Value>> list = readSequence(emitter, value, "cga_layout");
  if (failed(list))
    return failure();
  std::vector<std::vector<int64_t>> bases;
  int64_t ctas[2] = {1, 1};
  for (const Value &each : *list) {
    FailureOr<std::vector<int64_t>> basis = readIntegers(emitter, each, "cga_layout");
    if (failed(basis))
      return failure();
    if (basis->size() != 2)
      return emitter.error("ValueError") << "cga_layout needs 2 numbers in each basis, got ["
                                         << llvm::interleaved(*basis) << "]";
    for (int dim : {0, 1})
      ctas[dim] *= (*basis)[dim] ? 2 : 1;
    bases.push_back(*basis);
  }
  SmallVector<int64_t> blocks;
  for (int dim : {0, 1})
    shape[dim] /= ctas[dim];
  for (const std::vector<int64_t> &basis : bases)
    for (int dim : {0, 1})
      blocks.push_back(basis[dim] * shape[dim]);
  return blocks;
}

static FailureOr<Value> registerLayout(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // the host asks too, outside of any kernel
  FailureOr<Type> element = readType(emitter, arguments[0], "element_ty");
  FailureOr<std::vector<int64_t>> shape = readIntegers(emitter, arguments[1], "shape");
  FailureOr<int64_t> warps = readInteger(emitter, arguments[3], "num_warps");
  FailureOr<std::string> variant = readString(emitter, arguments[4], "instr_variant");
  if (failed(element) || failed(shape) || failed(warps) || failed(variant))
    return failure();
  if (*variant == "16x32bx2")
    return emitter.error("ValueError") << "instr_variant 16x32bx2 follows from the buffer and cannot be asked for";
  std::optional<layout::TensorMemoryShape> instruction = shapeNamed(*variant);
  if (!instruction)
    return emitter.error("ValueError") << "unknown instr_variant: " << *variant;
  if (*warps < 4 || !llvm::isPowerOf2_64(*warps))
    return emitter.error("ValueError") << "num_warps must be a power of two and >= 4, got " << *warps;
  if (shape->size() != 2)
    return emitter.error("ValueError") << "expected a 2D tensor, got shape [" << llvm::interleaved(*shape) << "]";
  FailureOr<gpu::MemDescType> whole = tensorMemoryType(emitter, *element, *shape, arguments[2]);
  std::vector<int64_t> part = *shape;
  FailureOr<SmallVector<int64_t>> blocks =
      failed(whole) ? FailureOr<SmallVector<int64_t>>() : readCluster(emitter, arguments[5], part);
  if (failed(blocks))
    return failure();
  auto type = *whole;
  if (auto layout = dyn_cast<gpu::TensorMemoryEncodingAttr>(type.getEncoding()))
    type = gpu::MemDescType::get(part, type.getElementType(),
                                 gpu::TensorMemoryEncodingAttr::get(emitter.context(), layout.getBlockM(),
                                                                    layout.getBlockN(), layout.getColStride(), 1, 1,
                                                                    layout.getTwoCTAs()),
                                 type.getMemorySpace(), true, part);
  else
    type = gpu::MemDescType::get(part, type.getElementType(), gpu::TensorMemoryScalesAttr::get(emitter.context(), 1, 1),
                                 type.getMemorySpace(), true, part);
  if (failed(llvm::cast<gpu::LayoutAttr>(type.getEncoding()).checkShape(part, ruleErrors(emitter))))
    return failure();
  std::optional<layout::LinearLayout> map =
      layout::tensorMemoryRegisters(*instruction, gpu::toLinear(type), type.getElementBits(), *warps);
  if (!map)
    return emitter.error("ValueError") << "TMEM layout '" << *variant << "' unsupported for shape ["
                                       << llvm::interleaved(*shape) << "] and num_warps " << *warps;
  auto linear = gpu::LinearAttr::get(emitter.context(), *map);
  if (StringRef(*variant).ends_with("splitn")) {
    gpu::LinearAttr split = splitColumns(linear, part[1]);
    FailureOr<Value> object = split ? FailureOr<Value>(Value()) : makeLayoutObject(emitter, linear, part);
    if (failed(object))
      return failure();
    if (!split)
      return emitter.error("ValueError") << "splitn with 1 register requires the last lane basis to be [0, N / 2]. Got "
                                         << object->str();
    linear = split;
  }
  linear = gpu::LinearAttr::get(emitter.context(), linear.getRank(), linear.getRegisters(), linear.getLanes(),
                                linear.getWarps(), ArrayRef<int64_t>(*blocks));
  return makeLayoutObject(emitter, linear, *shape);
}

FailureOr<Value> registerLayoutOf(Emitter &emitter, const Value &buffer, const Value &warps, const Value &variant) {
  const Type type = buffer.type();
  FailureOr<Value> layout = makeLayoutObject(emitter, type.layout(), type.shape());
  if (failed(layout))
    return failure();
  std::vector<Value> shape;
  for (int64_t size : type.shape())
    shape.push_back(Value::integer(size));
  const int running = emitter.partitionWarps() ? emitter.partitionWarps() : emitter.options().numWarps;
  BoundArguments arguments;
  arguments.values = {Value::dtype(type.element()),
                      Value::tuple(std::move(shape)),
                      *layout,
                      warps.isNone() ? Value::integer(int64_t(running)) : warps,
                      variant,
                      Value::tuple({})};
  return registerLayout(emitter, arguments);
}

static FailureOr<Value> ownRegisterLayout(Emitter &emitter, const BoundArguments &arguments) {
  return registerLayoutOf(emitter, arguments[0], arguments[1], arguments[2]);
}

llvm::ArrayRef<Builtin> tensorMemoryRegisterBuiltins() {
  static const Builtin table[] = {
      {"triton.experimental.gluon.language.nvidia.blackwell", "get_tmem_reg_layout",
       "(element_ty, shape, layout, num_warps, instr_variant=\"32x32b\", cga_layout=())",
       "The layout of registers that an instruction moves to and from a buffer.", registerLayout},
      {"triton.experimental.gluon.language.nvidia.blackwell.tensor_memory_descriptor", "get_reg_layout",
       "(self, num_warps=None, instr_variant=\"32x32b\")",
       "The layout of registers that an instruction moves to and from this buffer, with the warps that run this.",
       ownRegisterLayout},
  };
  return table;
}

} // namespace triton::gluon
