// Buffers in tensor memory: each warp moves the 32 rows that it reaches, by the instructions that the layout of its registers fits.
//   Loads are complete when their statement is, so that nothing that uses their results can move ahead of the wait; stores likewise. Between
// threads, barriers order them: in a kernel with tensor memory each comes with the fences that tell tcgen05 of it.
#include "compiler/llvm/nvidia/memory/TensorMemory.h"

#include "compiler/gpu/Buffers.h"
#include "compiler/layout/TensorMemoryAccess.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/gpu/dots/Dot.h"
#include "compiler/llvm/nvidia/Families.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;
using layout::TensorMemoryAccess;

static int64_t encodePlace(int64_t row, int64_t cell) { return row << 16 | cell; }

/// The offset of a place of the layout's, whose columns count elements.
static int64_t offsetOf(gpu::MemDescType type, int64_t row, int64_t column) {
  layout::LinearLayout places = gpu::toLinear(type).pseudoInvert();
  int64_t offset = 0;
  for (auto [output, value] : llvm::zip(places.outputs(), places.apply({{"dim0", row}, {"dim1", column}})))
    offset += output.name == "row" ? value << 16 : value * type.getElementBits() / 32;
  return offset;
}

llvm::Value *nvidia::tensorMemoryAddress(Emitter &emitter, Value buffer, int64_t row, int64_t column) {
  int64_t offset = offsetOf(cast<gpu::MemDescType>(buffer.getType()), row, column);
  return emitter.builder.CreateAdd(emitter.scalar(buffer), emitter.i32(offset));
}

/// An instruction that a whole warp makes, the first of the CTA.
static void emitByFirstWarp(Emitter &emitter, const std::string &text, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::SmallVector<llvm::Value *> arguments{emitter.builder.CreateICmpEQ(emitter.warpId(), emitter.i32(0))};
  llvm::append_range(arguments, operands);
  std::string constraints = "b";
  for (size_t i = 0; i < operands.size(); ++i)
    constraints += ",r";
  emitter.inlineAsm("@$0 " + text, constraints + ",~{memory}", emitter.builder.getVoidTy(), arguments,
                    AsmEffects::Convergent);
}

static std::string columnsOf(Emitter &emitter) {
  return std::to_string(emitter.source->getAttrOfType<IntegerAttr>(gpu::tensorMemoryColumnsName).getInt());
}

llvm::Value *nvidia::acquireTensorMemory(Emitter &emitter) {
  llvm::Value *place = emitter.builder.CreatePtrToInt(emitter.sharedBase(), emitter.builder.getInt32Ty());
  emitByFirstWarp(emitter,
                  "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$1], " + columnsOf(emitter) +
                      ";\n@$0 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
                  {place});
  emitter.barrier();
  llvm::Value *address = emitter.inlineAsm("ld.shared.b32 $0, [$1];", "=r,r,~{memory}", emitter.builder.getInt32Ty(),
                                           {place}, AsmEffects::SideEffect);
  // Behind this one those bytes are anybody's.
  emitter.barrier();
  return address;
}

void nvidia::releaseTensorMemory(Emitter &emitter) {
  emitter.barrier();
  emitByFirstWarp(emitter, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $1, " + columnsOf(emitter) + ";",
                  {emitter.tensorMemory});
}

void nvidia::emitByIssuer(Emitter &emitter, Value predicate, llvm::function_ref<void()> body) {
  llvm::Value *isFirstWarp = emitter.builder.CreateICmpEQ(emitter.warpId(), emitter.i32(0));
  if (predicate && !matchPattern(predicate, m_One()))
    isFirstWarp = emitter.builder.CreateAnd(isFirstWarp, emitter.scalar(predicate));
  emitter.emitIf(isFirstWarp, [&] {
    llvm::Value *elected = emitter.intrinsic(llvm::Intrinsic::nvvm_elect_sync, {emitter.i32(-1)});
    emitter.emitIf(emitter.builder.CreateExtractValue(elected, 1), body);
  });
}

namespace {

/// Moves between the registers of a tensor and a buffer.
struct Move {
  Emitter &emitter;
  RankedTensorType type;
  Value buffer;
  TensorMemoryAccess access;
  llvm::IRBuilder<> &builder = emitter.builder;

  /// The address of this warp's part: rows by its number modulo 4, the rest by the further bits of it.
  llvm::Value *base() {
    std::vector<layout::Coordinates> bases = {{encodePlace(32, 0)}, {encodePlace(64, 0)}};
    for (layout::TensorMemoryPlace place : access.warps)
      bases.push_back({encodePlace(place.row, place.cell)});
    layout::LinearLayout map({{"warp", bases}}, {{"address", int64_t(1) << 24}});
    return builder.CreateAdd(emitter.scalar(buffer), emitter.apply(map, {{"warp", emitter.warpId()}}).front());
  }

  std::string instruction(llvm::StringRef operation, const TensorMemoryAccess::Message &message) {
    return ("tcgen05." + operation + ".sync.aligned." + layout::name(access.shape) + ".x" +
            llvm::Twine(message.repetitions) + ".b32")
        .str();
  }

  /// "[$n+offset]", and for two blocks how far they are apart.
  std::string place(const TensorMemoryAccess::Message &message, unsigned operand) {
    std::string text =
        "[$" + std::to_string(operand) + "+" + std::to_string(encodePlace(message.place.row, message.place.cell)) + "]";
    if (access.shape == layout::TensorMemoryShape::Rows16Bits32Twice)
      text += ", " + std::to_string(access.split);
    return text;
  }

  static std::string operands(unsigned first, size_t count) {
    std::string text = "{";
    for (size_t i = 0; i < count; ++i)
      text += (i ? ",$" : "$") + std::to_string(first + i);
    return text + "}";
  }

  /// Messages that one statement takes: no more words than there are registers for.
  std::vector<llvm::ArrayRef<TensorMemoryAccess::Message>> statements() {
    std::vector<llvm::ArrayRef<TensorMemoryAccess::Message>> result;
    llvm::ArrayRef<TensorMemoryAccess::Message> rest(access.messages);
    while (!rest.empty()) {
      size_t count = 0, words = 0;
      while (count < rest.size() && (count == 0 || words + rest[count].words.size() <= 128))
        words += rest[count++].words.size();
      result.push_back(rest.take_front(count));
      rest = rest.drop_front(count);
    }
    return result;
  }

  Registers load() {
    llvm::Value *address = base();
    Registers registers(emitter.layout(type).inputSize("register"), nullptr);
    for (llvm::ArrayRef<TensorMemoryAccess::Message> messages : statements()) {
      size_t words = 0;
      for (const TensorMemoryAccess::Message &message : messages)
        words += message.words.size();
      std::string text, constraints;
      unsigned next = 0;
      for (const TensorMemoryAccess::Message &message : messages) {
        text += instruction("ld", message) + " " + operands(next, message.words.size()) + ", " + place(message, words) +
                ";\n";
        next += message.words.size();
      }
      for (size_t i = 0; i < words; ++i)
        constraints += i ? ",=&r" : "=&r";
      llvm::Type *word = builder.getInt32Ty();
      llvm::Type *result = words == 1 ? word : resultsType(llvm::SmallVector<llvm::Type *>(words, word));
      llvm::Value *loaded = emitter.inlineAsm(text + "tcgen05.wait::ld.sync.aligned;", constraints + ",r,~{memory}",
                                              result, {address}, AsmEffects::Convergent);
      next = 0;
      for (const TensorMemoryAccess::Message &message : messages)
        for (const auto &held : message.words) {
          llvm::Value *value = words == 1 ? loaded : builder.CreateExtractValue(loaded, next);
          ++next;
          for (auto [part, element] : llvm::enumerate(unpackWord(emitter, value, emitter.type(type))))
            for (unsigned reg : held[part])
              registers[reg] = element;
        }
    }
    return registers;
  }

  void store(llvm::ArrayRef<llvm::Value *> registers, Value predicate) {
    llvm::Value *address = base();
    llvm::Value *unused = llvm::Constant::getNullValue(emitter.type(type));
    bool always = !predicate || matchPattern(predicate, m_One());
    for (llvm::ArrayRef<TensorMemoryAccess::Message> messages : statements()) {
      llvm::SmallVector<llvm::Value *> arguments{address};
      std::string text, constraints = "r", guard;
      if (!always) {
        arguments.push_back(emitter.scalar(predicate));
        constraints += ",b";
        guard = "@$1 ";
      }
      for (const TensorMemoryAccess::Message &message : messages) {
        text += guard + instruction("st", message) + " " + place(message, 0) + ", " +
                operands(arguments.size(), message.words.size()) + ";\n";
        for (const auto &held : message.words) {
          llvm::SmallVector<llvm::Value *> elements;
          for (const auto &copies : held)
            elements.push_back(copies.empty() ? unused : registers[copies.front()]);
          arguments.push_back(packWord(emitter, elements));
          constraints += ",r";
        }
      }
      emitter.inlineAsm(text + "tcgen05.wait::st.sync.aligned;", constraints + ",~{memory}", builder.getVoidTy(),
                        arguments, AsmEffects::Convergent);
    }
  }
};

} // namespace

static FailureOr<Move> planMove(Emitter &emitter, Operation *op, RankedTensorType type, Value buffer) {
  auto memory = cast<gpu::MemDescType>(buffer.getType());
  unsigned bits = memory.getElementBits();
  std::optional<TensorMemoryAccess> access;
  if (bits <= 32 && bits >= 8)
    access = layout::planTensorMemoryAccess(emitter.layout(type), gpu::toLinear(memory), bits);
  if (!access)
    return op->emitError() << "'" << op->getName() << "' cannot move " << type << " to or from " << buffer.getType()
                           << ": no shape of tcgen05.ld and st has its lanes where the tensor's layout wants them";
  return Move{emitter, type, buffer, std::move(*access)};
}

static llvm::LogicalResult emitStore(Emitter &emitter, Operation *op, Value source, Value buffer, Value predicate) {
  FailureOr<Move> move = planMove(emitter, op, cast<RankedTensorType>(source.getType()), buffer);
  if (failed(move))
    return failure();
  move->store(emitter.registers(source), predicate);
  return success();
}

static llvm::LogicalResult emitAlloc(Emitter &emitter, gpu::TMEMAllocOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(gpu::tensorMemoryOffsetName);
  if (!offset || !emitter.tensorMemory)
    return op.emitOpError() << "needs tensor memory, but none was allocated for it";
  emitter.define(op.getResult(), emitter.builder.CreateAdd(emitter.tensorMemory, emitter.i32(offset.getInt())));
  if (op.getToken())
    emitter.define(op.getToken(), Registers{});
  return op.getSrc() ? emitStore(emitter, op, op.getSrc(), op.getResult(), Value()) : success();
}

static llvm::LogicalResult emitLoad(Emitter &emitter, gpu::TMEMLoadOp op) {
  FailureOr<Move> move = planMove(emitter, op, op.getResult().getType(), op.getSrc());
  if (failed(move))
    return failure();
  emitter.define(op.getResult(), move->load());
  if (op.getToken())
    emitter.define(op.getToken(), Registers{});
  return success();
}

static llvm::LogicalResult emitSubslice(Emitter &emitter, gpu::TMEMSubsliceOp op) {
  auto type = cast<gpu::MemDescType>(op.getSrc().getType());
  emitter.define(op.getResult(),
                 emitter.builder.CreateAdd(emitter.scalar(op.getSrc()), emitter.i32(offsetOf(type, 0, op.getN()))));
  return success();
}

Emitted nvidia::emitTensorMemory(Emitter &emitter, Operation *op) {
  if (isa<gpu::TMEMAllocOp, gpu::TMEMLoadOp, gpu::TMEMStoreOp, gpu::TMEMCopyOp, gpu::TCGen5MMAOp,
          gpu::TCGen5MMAScaledOp, gpu::TCGen5CommitOp>(op) &&
      !emitter.target().hasTensorMemory())
    return op->emitError() << "sm_" << emitter.target().capability << " has no tensor memory";
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::TMEMAllocOp op) { return emitAlloc(emitter, op); })
      .Case([&](gpu::TMEMLoadOp op) { return emitLoad(emitter, op); })
      .Case([&](gpu::TMEMStoreOp op) {
        if (op.getToken())
          emitter.define(op.getToken(), Registers{});
        return emitStore(emitter, op, op.getSrc(), op.getDst(), op.getPred());
      })
      .Case([&](gpu::TMEMSubsliceOp op) { return emitSubslice(emitter, op); })
      .Case([&](gpu::MemDescIndexOp op) -> Emitted {
        if (!gpu::isTensorMemory(op.getSrc().getType()))
          return std::nullopt;
        int64_t columns = gpu::getBufferColumns(op.getType());
        emitter.define(
            op.getResult(),
            emitter.builder.CreateAdd(emitter.scalar(op.getSrc()),
                                      emitter.builder.CreateMul(emitter.scalar(op.getIndex()), emitter.i32(columns))));
        return success();
      })
      .Case([&](gpu::MemDescReinterpretOp op) -> Emitted {
        if (!gpu::isTensorMemory(op.getSrc().getType()))
          return std::nullopt;
        emitter.define(op.getResult(), emitter.scalar(op.getSrc()));
        return success();
      })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
