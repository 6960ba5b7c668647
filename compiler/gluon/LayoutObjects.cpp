#include "compiler/gluon/LayoutObjects.h"

#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/gluon/LayoutClasses.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using frontend::Emitter;
using frontend::Value;

namespace {
/// Reads the fields of one layout object. The first that fails makes the whole fail.
class Fields {
public:
  Fields(Emitter &emitter, const frontend::HostObject &object, StringRef className)
      : emitter(emitter), object(object), className(className) {}

  std::optional<Value> field(StringRef name) {
    llvm::Expected<std::optional<Value>> found = object.host->attribute(object, name);
    if (!found) {
      (void)emitter.fail(found.takeError());
      isFailed = true;
      return std::nullopt;
    }
    if (!*found) {
      (void)(emitter.error("TypeError") << className << " has no " << name);
      isFailed = true;
    }
    return *found;
  }

  int64_t integer(StringRef name) {
    std::optional<Value> value = field(name);
    return value ? take(frontend::readInteger(emitter, *value, describe(name))) : 0;
  }
  bool boolean(StringRef name) {
    std::optional<Value> value = field(name);
    return value && take(frontend::readBoolean(emitter, *value, describe(name)));
  }
  std::vector<int64_t> integers(StringRef name) {
    std::optional<Value> value = field(name);
    return value ? take(frontend::readIntegers(emitter, *value, describe(name))) : std::vector<int64_t>();
  }
  SmallVector<unsigned> dimensions(StringRef name) {
    std::vector<int64_t> list = integers(name);
    return SmallVector<unsigned>(list.begin(), list.end());
  }
  /// A list of lists, flat; `rank` is what each of them must have.
  SmallVector<int64_t> bases(StringRef name, size_t rank) {
    SmallVector<int64_t> flat;
    std::optional<Value> value = field(name);
    if (!value || value->isNone())
      return flat;
    for (const Value &basis : take(frontend::readSequence(emitter, *value, describe(name)))) {
      std::vector<int64_t> numbers = take(frontend::readIntegers(emitter, basis, describe(name)));
      if (!isFailed && numbers.size() != rank) {
        isFailed = true;
        (void)(emitter.error("ValueError") << describe(name) << " needs " << rank << " numbers in each basis, got ["
                                           << llvm::interleaved(numbers) << "]");
      }
      flat.append(numbers.begin(), numbers.end());
    }
    return flat;
  }
  gpu::DistributedAttr parent() {
    std::optional<Value> value = field("parent");
    Attribute read = value ? take(readLayout(emitter, *value, describe("parent"))) : Attribute();
    auto distributed = dyn_cast_or_null<gpu::DistributedAttr>(read);
    if (read && !distributed) {
      isFailed = true;
      (void)(emitter.error("TypeError") << describe("parent") << " must be a layout of registers, got "
                                        << value->str());
    }
    return distributed;
  }

  bool isFailed = false;

private:
  template <typename T> T take(FailureOr<T> result) {
    isFailed |= failed(result);
    return failed(result) ? T() : std::move(*result);
  }
  std::string describe(StringRef name) const { return (name + " of " + className).str(); }

  Emitter &emitter;
  const frontend::HostObject &object;
  StringRef className;
};
} // namespace

/// `layout` with a place for errors, of the class named so; nullopt if there is no such class.
static std::optional<Attribute> readNamed(Emitter &emitter, Fields &fields, StringRef name) {
  MLIRContext *context = emitter.context();
  auto report = frontend::ruleErrors(emitter);
  llvm::function_ref<InFlightDiagnostic()> error = report;
  using List = ArrayRef<int64_t>; // as exact as the overloads of getChecked need their arguments
  using Dims = ArrayRef<unsigned>;
  auto checked = [&](auto make) -> Attribute { return fields.isFailed ? Attribute() : Attribute(make()); };
  if (name == "AutoLayout")
    return AutoEncodingAttr::get(context);
  if (name == "CoalescedLayout")
    return CoalescedEncodingAttr::get(context);
  if (name == "BlockedLayout") {
    std::vector<int64_t> size = fields.integers("size_per_thread"), lanes = fields.integers("threads_per_warp"),
                         warps = fields.integers("warps_per_cta");
    SmallVector<unsigned> order = fields.dimensions("order");
    SmallVector<int64_t> cluster = fields.bases("cga_layout", size.size());
    return checked([&] {
      return gpu::BlockedAttr::getChecked(error, context, List(size), List(lanes), List(warps), Dims(order),
                                          List(cluster));
    });
  }
  if (name == "SliceLayout") {
    unsigned dim = fields.integer("dim");
    gpu::DistributedAttr parent = fields.parent();
    return checked([&] { return gpu::SliceAttr::getChecked(error, dim, parent); });
  }
  if (name == "DistributedLinearLayout") {
    size_t rank = fields.integers("shape").size();
    SmallVector<int64_t> registers = fields.bases("reg_bases", rank), lanes = fields.bases("lane_bases", rank),
                         warps = fields.bases("warp_bases", rank), blocks = fields.bases("block_bases", rank);
    return checked([&] {
      return gpu::LinearAttr::getChecked(error, context, int64_t(rank), List(registers), List(lanes), List(warps),
                                         List(blocks));
    });
  }
  if (name == "DotOperandLayout") {
    unsigned index = fields.integer("operand_index"), width = fields.integer("k_width");
    gpu::DistributedAttr parent = fields.parent();
    return checked([&] { return gpu::DotOperandAttr::getChecked(error, index, parent, width); });
  }
  if (name == "NVMMADistributedLayout") {
    std::vector<int64_t> version = fields.integers("version"), warps = fields.integers("warps_per_cta"),
                         shape = fields.integers("instr_shape");
    version.resize(2);
    SmallVector<int64_t> cluster = fields.bases("cga_layout", warps.size());
    return checked([&] {
      return gpu::MmaAttr::getChecked(error, context, unsigned(version[0]), unsigned(version[1]), List(warps),
                                      List(shape), List(cluster));
    });
  }
  if (name == "AMDMFMALayout") {
    unsigned version = fields.integer("version"), bits = fields.integer("element_bitwidth");
    std::vector<int64_t> warps = fields.integers("warps_per_cta"), shape = fields.integers("instr_shape"),
                         tiles = fields.integers("tiles_per_warp");
    bool isTransposed = fields.boolean("transposed");
    SmallVector<int64_t> cluster = fields.bases("cga_layout", warps.size());
    return checked([&] {
      return gpu::MfmaAttr::getChecked(error, context, version, List(warps), List(shape), isTransposed, List(tiles),
                                       bits, List(cluster));
    });
  }
  if (name == "AMDWMMALayout") {
    unsigned version = fields.integer("version");
    std::vector<int64_t> perCta = fields.integers("warps_per_cta"), shape = fields.integers("instr_shape"),
                         tiles = fields.integers("tiles_per_warp");
    bool isTransposed = fields.boolean("transposed");
    const size_t rank = perCta.size();
    SmallVector<int64_t> cluster = fields.bases("cga_layout", rank), registers, warps;
    tiles.resize(rank, 1);
    // Tiles of a warp side by side, then warps; the last dimension first.
    for (auto [counts, bases, isWarp] : {std::tuple(&tiles, &registers, false), std::tuple(&perCta, &warps, true)})
      for (size_t dim = rank; dim-- > 0;)
        for (int64_t step = 1; step < (*counts)[dim]; step *= 2) {
          bases->resize(bases->size() + rank, 0);
          bases->end()[dim - rank] = step * (isWarp ? tiles[dim] : 1);
        }
    return checked([&] {
      return gpu::WmmaAttr::getChecked(error, context, version, int64_t(rank), List(registers), List(warps),
                                       isTransposed, List(shape), List(cluster));
    });
  }
  if (name == "SwizzledSharedLayout" || name == "MBarrierLayout") {
    int64_t vec = fields.integer("vec"), perPhase = fields.integer("per_phase"), maxPhase = fields.integer("max_phase");
    SmallVector<unsigned> order = fields.dimensions("order");
    SmallVector<int64_t> cluster = fields.bases("cga_layout", order.size());
    return checked([&] {
      return gpu::SwizzledSharedAttr::getChecked(error, context, vec, perPhase, maxPhase, Dims(order), List(cluster));
    });
  }
  if (name == "NVMMASharedLayout") {
    unsigned swizzle = fields.integer("swizzle_byte_width"), bits = fields.integer("element_bitwidth");
    int64_t rank = fields.integer("rank");
    bool transposed = fields.boolean("transposed"), padded = fields.boolean("fp4_padded");
    SmallVector<int64_t> cluster = fields.bases("cga_layout", rank);
    return checked([&] {
      return gpu::NvmmaSharedAttr::getChecked(error, context, swizzle, transposed, bits, padded, rank, List(cluster));
    });
  }
  if (name == "PaddedSharedLayout") {
    size_t rank = fields.integers("shape").size();
    SmallVector<int64_t> pairs = fields.bases("interval_padding_pairs", 2), intervals, paddings;
    for (size_t index = 0; index + 1 < pairs.size(); index += 2) {
      intervals.push_back(pairs[index]);
      paddings.push_back(pairs[index + 1]);
    }
    SmallVector<int64_t> offsets = fields.bases("offset_bases", rank), blocks = fields.bases("block_bases", rank);
    return checked([&] {
      return gpu::PaddedSharedAttr::getChecked(error, context, List(intervals), List(paddings), int64_t(rank),
                                               List(offsets), List(blocks));
    });
  }
  if (name == "SharedLinearLayout") {
    size_t rank = fields.integer("rank");
    SmallVector<int64_t> offsets = fields.bases("offset_bases", rank), blocks = fields.bases("block_bases", rank);
    int64_t alignment = fields.integer("alignment");
    return checked([&] {
      return gpu::SharedLinearAttr::getChecked(error, context, int64_t(rank), List(offsets), List(blocks), alignment);
    });
  }
  if (name == "TensorMemoryLayout") {
    std::vector<int64_t> block = fields.integers("block");
    block.resize(2, 1);
    int64_t stride = fields.integer("col_stride");
    std::optional<Value> given = fields.field("cta_split_num");
    std::vector<int64_t> split = given && !given->isNone() ? fields.integers("cta_split_num") : std::vector<int64_t>();
    split.resize(2, 1);
    bool twoCtas = fields.boolean("two_ctas");
    return checked([&] {
      return gpu::TensorMemoryEncodingAttr::getChecked(error, context, block[0], block[1], stride, split[0], split[1],
                                                       twoCtas);
    });
  }
  if (name == "TensorMemoryScalesLayout") {
    std::optional<Value> given = fields.field("cta_split_num");
    std::vector<int64_t> split = given && !given->isNone() ? fields.integers("cta_split_num") : std::vector<int64_t>();
    split.resize(2, 1);
    return checked([&] { return gpu::TensorMemoryScalesAttr::getChecked(error, context, split[0], split[1]); });
  }
  return std::nullopt;
}

FailureOr<Attribute> readLayout(Emitter &emitter, const Value &value, StringRef what) {
  const auto *object = value.getIf<frontend::HostObject>();
  if (!object || !object->host)
    return emitter.error("TypeError") << what << " must be a layout, got " << value.str();
  std::string name = object->host->className(*object);
  Fields fields(emitter, *object, name);
  if (StringRef(name).starts_with("AMD") && emitter.options().backend == "cuda")
    return emitter.error("ValueError") << value.str()
                                       << " is for AMD GPUs, this is cuda:" << emitter.options().capability;
  std::optional<Attribute> layout = readNamed(emitter, fields, name);
  if (!layout)
    return emitter.error("TypeError") << what << " must be a layout, got " << value.str();
  if (fields.isFailed || !*layout)
    return failure();
  return *layout;
}

FailureOr<Attribute> readTensorLayout(Emitter &emitter, const Value &value, ArrayRef<int64_t> shape) {
  if (value.isNone())
    return Attribute(AutoEncodingAttr::get(emitter.context()));
  if (const auto *object = value.getIf<frontend::HostObject>(); !object || !object->host)
    return emitter.error("AssertionError") << "tensor layout must be a DistributedLayout, got " << value.str();
  FailureOr<Attribute> layout = readLayout(emitter, value);
  if (failed(layout) || isa<AutoEncodingAttr, CoalescedEncodingAttr>(*layout))
    return layout;
  auto distributed = dyn_cast<gpu::DistributedAttr>(*layout);
  if (!distributed)
    return emitter.error("AssertionError") << "tensor layout must be a DistributedLayout, got " << value.str();
  if (distributed.getRank() != static_cast<int64_t>(shape.size()))
    return emitter.error("AssertionError") << "tensor shape and layout rank mismatch: shape=["
                                           << llvm::interleaved(shape) << "], layout=" << value.str();
  if (failed(distributed.checkShape(shape, frontend::ruleErrors(emitter))))
    return failure();
  return layout;
}

// Attributes -> objects.

static Value list(ArrayRef<int64_t> numbers) {
  std::vector<Value> values;
  for (int64_t number : numbers)
    values.push_back(Value::integer(number));
  return Value::tuple(std::move(values));
}

static Value listOfDims(ArrayRef<unsigned> numbers) {
  return list(SmallVector<int64_t>(numbers.begin(), numbers.end()));
}

static Value basesOf(ArrayRef<int64_t> flat, int64_t rank) {
  std::vector<Value> bases;
  for (size_t index = 0; index < flat.size(); index += rank)
    bases.push_back(list(flat.slice(index, rank)));
  return Value::tuple(std::move(bases));
}

FailureOr<Value> makeLayoutObject(Emitter &emitter, Attribute layout, ArrayRef<int64_t> shape) {
  bool isFailed = false;
  auto nested = [&](gpu::DistributedAttr parent, ArrayRef<int64_t> parentShape) {
    FailureOr<Value> object = makeLayoutObject(emitter, parent, parentShape);
    isFailed |= failed(object);
    return failed(object) ? Value() : *object;
  };
  std::string name;
  frontend::CallArguments arguments;
  auto add = [&](auto... values) { (arguments.positional.push_back(Value(values)), ...); };
  auto number = [](int64_t value) { return Value::integer(value); };
  llvm::TypeSwitch<Attribute>(layout)
      .Case([&](AutoEncodingAttr) { name = "AutoLayout"; })
      .Case([&](CoalescedEncodingAttr) { name = "CoalescedLayout"; })
      .Case([&](gpu::BlockedAttr blocked) {
        name = "BlockedLayout";
        add(list(blocked.getSizePerThread()), list(blocked.getThreadsPerWarp()), list(blocked.getWarpsPerCTA()),
            listOfDims(blocked.getOrder()), basesOf(blocked.getCluster(), blocked.getRank()));
      })
      .Case([&](gpu::SliceAttr slice) {
        name = "SliceLayout";
        SmallVector<int64_t> parentShape(shape);
        parentShape.insert(parentShape.begin() + std::min<size_t>(slice.getDim(), shape.size()), 1);
        add(number(slice.getDim()), nested(slice.getParent(), parentShape));
      })
      .Case([&](gpu::MmaAttr mma) {
        name = "NVMMADistributedLayout";
        add(list({int64_t(mma.getVersionMajor()), int64_t(mma.getVersionMinor())}), list(mma.getWarpsPerCTA()),
            list(mma.getInstrShape()), basesOf(mma.getCluster(), mma.getRank()));
      })
      .Case([&](gpu::MfmaAttr mfma) {
        name = "AMDMFMALayout";
        add(number(mfma.getVersion()), list(mfma.getInstrShape()), Value::boolean(mfma.getIsTransposed()),
            list(mfma.getWarpsPerCTA()), number(mfma.getElementBitWidth()), list(mfma.getTilesPerWarp()),
            basesOf(mfma.getCluster(), mfma.getRank()));
      })
      .Case([&](gpu::WmmaAttr wmma) {
        name = "AMDWMMALayout";
        const int64_t rank = wmma.getRank();
        SmallVector<int64_t> tiles(rank, 1), warps(rank, 1);
        for (auto [bases, counts] : {std::pair(wmma.getRegisters(), &tiles), std::pair(wmma.getWarps(), &warps)})
          for (auto [index, step] : llvm::enumerate(bases))
            (*counts)[index % rank] *= step ? 2 : 1;
        add(number(wmma.getVersion()), Value::boolean(wmma.getIsTransposed()), list(warps), list(wmma.getInstrShape()),
            list(tiles), basesOf(wmma.getCluster(), rank));
      })
      .Case([&](gpu::DotOperandAttr operand) {
        name = "DotOperandLayout";
        add(number(operand.getOpIdx()), nested(operand.getParent(), shape), number(operand.getKWidth()));
      })
      .Case([&](gpu::LinearAttr linear) {
        name = "DistributedLinearLayout";
        int64_t rank = linear.getRank();
        add(basesOf(linear.getRegisters(), rank), basesOf(linear.getLanes(), rank), basesOf(linear.getWarps(), rank),
            basesOf(linear.getBlocks(), rank), list(shape));
      })
      .Case([&](gpu::SwizzledSharedAttr swizzled) {
        name = "SwizzledSharedLayout";
        add(number(swizzled.getVec()), number(swizzled.getPerPhase()), number(swizzled.getMaxPhase()),
            listOfDims(swizzled.getOrder()), basesOf(swizzled.getCluster(), swizzled.getRank()));
      })
      .Case([&](gpu::NvmmaSharedAttr nvmma) {
        name = "NVMMASharedLayout";
        add(number(nvmma.getSwizzlingByteWidth()), number(nvmma.getElementBitWidth()), number(nvmma.getRank()),
            Value::boolean(nvmma.getTransposed()), Value::boolean(nvmma.getFp4Padded()),
            basesOf(nvmma.getCluster(), nvmma.getRank()));
      })
      .Case([&](gpu::PaddedSharedAttr padded) {
        name = "PaddedSharedLayout";
        std::vector<Value> pairs;
        for (auto [interval, padding] : llvm::zip(padded.getIntervals(), padded.getPaddings()))
          pairs.push_back(list({interval, padding}));
        add(Value::tuple(std::move(pairs)), basesOf(padded.getOffsets(), padded.getRank()),
            basesOf(padded.getBlocks(), padded.getRank()), list(shape.take_back(padded.getRank())));
      })
      .Case([&](gpu::SharedLinearAttr linear) {
        name = "SharedLinearLayout";
        add(basesOf(linear.getOffsets(), linear.getRank()), basesOf(linear.getBlocks(), linear.getRank()),
            number(linear.getAlignment()));
      })
      .Case([&](gpu::TensorMemoryEncodingAttr memory) {
        name = "TensorMemoryLayout";
        add(list({memory.getBlockM(), memory.getBlockN()}), number(memory.getColStride()),
            memory.getCTASplitM() * memory.getCTASplitN() == 1 ? Value::none()
                                                               : list({memory.getCTASplitM(), memory.getCTASplitN()}),
            Value::boolean(memory.getTwoCTAs()));
      })
      .Case([&](gpu::TensorMemoryScalesAttr scales) {
        name = "TensorMemoryScalesLayout";
        add(scales.getCTASplitM() * scales.getCTASplitN() == 1 ? Value::none()
                                                               : list({scales.getCTASplitM(), scales.getCTASplitN()}));
      })
      .Default([](Attribute) {});
  if (name.empty())
    return emitter.error("TypeError") << "the layout " << [&] {
      std::string text;
      llvm::raw_string_ostream(text) << layout;
      return text;
    }() << " has no name in the language";
  if (isFailed)
    return failure();
  llvm::Expected<Value> made = emitter.host().import(findLayoutClass(name)->module, name);
  if (!made)
    return emitter.fail(made.takeError());
  return emitter.call(*made, arguments);
}

} // namespace triton::gluon
