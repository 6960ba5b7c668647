// The mathematical functions of NVIDIA's libdevice, by name and argument types. Other targets give the same symbols their own meaning.
#include "compiler/frontend/Library.h"
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Extern.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/tensor/Tensor.h"

#include <array>

using namespace mlir;

namespace triton::frontend {

namespace {
/// A libdevice function. Each form is written `arguments>result:symbol`, types as letters: f and d floats of 32 and 64 bits, i and l signed
/// integers of 32 and 64 bits, u and m unsigned ones. Forms are separated by spaces.
struct Entry {
  llvm::StringLiteral name;
  llvm::StringLiteral forms;
  bool isPredicate = false; // the int32 result is a truth value
};
} // namespace

// clang-format off
#define PAIR1(name) {name, "f>f:__nv_" name "f d>d:__nv_" name}
#define PAIR2(name) {name, "ff>f:__nv_" name "f dd>d:__nv_" name}
#define PAIR3(name) {name, "fff>f:__nv_" name "f ddd>d:__nv_" name}
#define PAIR4(name) {name, "ffff>f:__nv_" name "f dddd>d:__nv_" name}
#define CONVERT(name, from, to) {name, from ">" to ":__nv_" name}
#define FAST1(name) {name, "f>f:__nv_" name}
// The four rounding directions.
#define ROUNDED(R) \
  {"fma_" R, "fff>f:__nv_fmaf_" R " ddd>d:__nv_fma_" R}, \
  {"div_" R, "ff>f:__nv_fdiv_" R " dd>d:__nv_ddiv_" R}, \
  {"rcp_" R, "f>f:__nv_frcp_" R " d>d:__nv_drcp_" R}, \
  {"sqrt_" R, "f>f:__nv_fsqrt_" R " d>d:__nv_dsqrt_" R}, \
  {"add_" R, "ff>f:__nv_fadd_" R " dd>d:__nv_dadd_" R}, \
  {"sub_" R, "ff>f:__nv_fsub_" R " dd>d:__nv_dsub_" R}, \
  {"mul_" R, "ff>f:__nv_fmul_" R " dd>d:__nv_dmul_" R}, \
  CONVERT("double2float_" R, "d", "f"), CONVERT("double2int_" R, "d", "i"), CONVERT("double2uint_" R, "d", "i"), \
  CONVERT("double2ll_" R, "d", "l"), CONVERT("double2ull_" R, "d", "l"), \
  CONVERT("float2int_" R, "f", "i"), CONVERT("float2uint_" R, "f", "i"), CONVERT("float2ll_" R, "f", "l"), CONVERT("float2ull_" R, "f", "l"), \
  CONVERT("int2float_" R, "i", "f"), CONVERT("uint2float_" R, "u", "f"), CONVERT("ll2float_" R, "l", "f"), CONVERT("ull2float_" R, "m", "f"), \
  CONVERT("ll2double_" R, "l", "d"), CONVERT("ull2double_" R, "m", "d")

static constexpr Entry functions[] = {
    PAIR1("floor"), PAIR1("rsqrt"), PAIR1("ceil"), PAIR1("trunc"), PAIR1("exp2"), PAIR1("sqrt"), PAIR1("rint"), PAIR1("nearbyint"), PAIR1("sin"),
    PAIR1("cos"), PAIR1("sinpi"), PAIR1("cospi"), PAIR1("tan"), PAIR1("log2"), PAIR1("exp"), PAIR1("exp10"), PAIR1("cosh"), PAIR1("sinh"),
    PAIR1("tanh"), PAIR1("atan"), PAIR1("asin"), PAIR1("acos"), PAIR1("log"), PAIR1("log10"), PAIR1("log1p"), PAIR1("acosh"), PAIR1("asinh"),
    PAIR1("atanh"), PAIR1("expm1"), PAIR1("cbrt"), PAIR1("rcbrt"), PAIR1("j0"), PAIR1("j1"), PAIR1("y0"), PAIR1("y1"), PAIR1("cyl_bessel_i0"),
    PAIR1("cyl_bessel_i1"), PAIR1("erf"), PAIR1("erfinv"), PAIR1("erfc"), PAIR1("erfcx"), PAIR1("erfcinv"), PAIR1("normcdfinv"), PAIR1("normcdf"),
    PAIR1("lgamma"), PAIR1("tgamma"), PAIR1("round"), PAIR1("logb"),
    PAIR2("copysign"), PAIR2("nextafter"), PAIR2("atan2"), PAIR2("hypot"), PAIR2("rhypot"), PAIR2("fmod"), PAIR2("remainder"), PAIR2("fdim"),
    PAIR3("norm3d"), PAIR3("rnorm3d"), PAIR3("fma"), PAIR4("norm4d"), PAIR4("rnorm4d"),
    ROUNDED("rn"), ROUNDED("rz"), ROUNDED("rd"), ROUNDED("ru"),
    CONVERT("int2double_rn", "i", "d"), CONVERT("uint2double_rn", "u", "d"), {"rsqrt_rn", "f>f:__nv_frsqrt_rn"},
    {"clz", "i>i:__nv_clz l>i:__nv_clzll"}, {"popc", "i>i:__nv_popc l>i:__nv_popcll"}, {"ffs", "i>i:__nv_ffs l>i:__nv_ffsll"},
    {"brev", "i>i:__nv_brev l>l:__nv_brevll"}, {"byte_perm", "iii>i:__nv_byte_perm"},
    {"mulhi", "ii>i:__nv_mulhi uu>u:__nv_umulhi ll>l:__nv_mul64hi mm>m:__nv_umul64hi"}, {"mul24", "ii>i:__nv_mul24 uu>u:__nv_umul24"},
    {"sad", "iiu>i:__nv_sad uuu>u:__nv_usad"}, {"hadd", "ii>i:__nv_hadd uu>u:__nv_uhadd"}, {"rhadd", "ii>i:__nv_rhadd uu>u:__nv_urhadd"},
    {"abs", "i>i:__nv_abs l>l:__nv_llabs f>f:__nv_fabsf d>d:__nv_fabs"}, {"rcp64h", "d>d:__nv_rcp64h"}, {"saturatef", "f>f:__nv_saturatef"},
    {"fast_dividef", "ff>f:__nv_fast_fdividef"}, {"fast_powf", "ff>f:__nv_fast_powf"},
    FAST1("fast_sinf"), FAST1("fast_cosf"), FAST1("fast_log2f"), FAST1("fast_logf"), FAST1("fast_expf"), FAST1("fast_tanf"), FAST1("fast_exp10f"),
    FAST1("fast_log10f"), FAST1("fast_tanhf"),
    CONVERT("hiloint2double", "ii", "d"), CONVERT("double2loint", "d", "i"), CONVERT("double2hiint", "d", "i"),
    CONVERT("int_as_float", "i", "f"), CONVERT("float_as_int", "f", "i"), CONVERT("uint_as_float", "u", "f"), CONVERT("float_as_uint", "f", "i"),
    CONVERT("longlong_as_double", "l", "d"), CONVERT("double_as_longlong", "d", "l"),
    {"llrint", "f>l:__nv_llrintf d>l:__nv_llrint"}, {"llround", "f>l:__nv_llroundf d>l:__nv_llround"}, {"ilogb", "f>i:__nv_ilogbf d>i:__nv_ilogb"},
    {"signbit", "f>i:__nv_signbitf d>i:__nv_signbitd"}, {"isnan", "f>i:__nv_isnanf d>i:__nv_isnand", true}, {"isinf", "f>i:__nv_isinff d>i:__nv_isinfd", true},
    {"finitef", "f>i:__nv_finitef", true}, {"isfinited", "d>i:__nv_isfinited", true},
    {"yn", "if>f:__nv_ynf id>d:__nv_yn"}, {"jn", "if>f:__nv_jnf id>d:__nv_jn"},
    {"ldexp", "fi>f:__nv_ldexpf di>d:__nv_ldexp"}, {"scalbn", "fi>f:__nv_scalbnf di>d:__nv_scalbn"},
    {"pow", "fi>f:__nv_powif di>d:__nv_powi ff>f:__nv_powf dd>d:__nv_pow"},
};
// clang-format on
static constexpr size_t functionCount = std::size(functions);

static Type typeOfLetter(char letter) {
  switch (letter) {
  case 'f':
    return Type::float32();
  case 'd':
    return Type::scalar(ScalarKind::Float64);
  case 'i':
    return Type::int32();
  case 'l':
    return Type::int64();
  case 'u':
    return Type::scalar(ScalarKind::UInt32);
  default:
    return Type::scalar(ScalarKind::UInt64);
  }
}

static std::vector<ExternForm> formsOf(const Entry &entry) {
  SmallVector<llvm::StringRef> texts;
  entry.forms.split(texts, ' ');
  std::vector<ExternForm> forms;
  for (llvm::StringRef text : texts) {
    auto [types, symbol] = text.split(':');
    auto [parameters, result] = types.split('>');
    ExternForm form{{}, typeOfLetter(result[0]), symbol.str()};
    for (char letter : parameters)
      form.parameters.push_back(typeOfLetter(letter));
    forms.push_back(std::move(form));
  }
  return forms;
}

namespace {
/// A function of the library in the place of one of libdevice, and the rounding it shall do, if it has several.
struct Portable {
  std::shared_ptr<const Function> function;
  std::optional<std::string> rounding;
};
} // namespace

// By the function's name, by its name without the rounding, or by the symbol where one name stands for different functions.
static Portable findPortable(llvm::StringRef name, llvm::StringRef symbol) {
  if (auto function = libraryFunction(portableLibdevice, name))
    return {function, std::nullopt};
  const llvm::StringRef rounding = name.take_back(2);
  if (name.drop_back(std::min<size_t>(name.size(), 2)).ends_with("_") &&
      llvm::is_contained({"rn", "rz", "rd", "ru"}, rounding))
    if (auto function = libraryFunction(portableLibdevice, (name.drop_back(2) + "rounded").str()))
      return {function, rounding.str()};
  symbol.consume_front("__nv_");
  return {libraryFunction(portableLibdevice, symbol), std::nullopt};
}

// Only NVIDIA has libdevice: elsewhere its functions are operations that the target has, or written in the language.
static FailureOr<Value> callEntry(Emitter &emitter, const Entry &entry, ArrayRef<Value> arguments) {
  FailureOr<std::vector<Value>> operands =
      mapValues(arguments, [&](const Value &value) { return toTensor(emitter, value); });
  const std::vector<ExternForm> forms = formsOf(entry);
  FailureOr<ExternForm> form =
      failed(operands) ? FailureOr<ExternForm>() : selectForm(emitter, entry.name, *operands, forms);
  if (failed(form))
    return failure();
  const Portable portable = emitter.options().backend != "cuda" ? findPortable(entry.name, form->symbol) : Portable();
  FailureOr<Value> result = failure();
  if (portable.function) {
    CallArguments call{*operands, {}};
    if (portable.rounding)
      call.positional.push_back(Value::string(*portable.rounding));
    result = emitter.call(Value(Value::Storage(portable.function)), call);
    if (succeeded(result))
      result = cast(emitter, *result, form->result);
  } else {
    result = callExtern(emitter, entry.name, "", "", *operands, forms, /*isPure=*/true);
  }
  return failed(result) || !entry.isPredicate ? result : toBoolean(emitter, *result);
}

template <size_t index> static FailureOr<Value> emitEntry(Emitter &emitter, const BoundArguments &arguments) {
  return callEntry(emitter, functions[index], arguments.values);
}

static constexpr llvm::StringLiteral signatures[] = {"()", "(arg0)", "(arg0, arg1)", "(arg0, arg1, arg2)",
                                                     "(arg0, arg1, arg2, arg3)"};

template <size_t... index> static std::array<Builtin, sizeof...(index)> makeTable(std::index_sequence<index...>) {
  return {Builtin{"triton.language.extra.libdevice", functions[index].name,
                  signatures[functions[index].forms.find('>')],
                  "The libdevice function of this name, on every element. Arguments broadcast; their dtypes must be "
                  "ones it has a form for.",
                  emitEntry<index>}...};
}

llvm::ArrayRef<Builtin> libdeviceBuiltins() {
  static const std::array<Builtin, functionCount> table = makeTable(std::make_index_sequence<functionCount>());
  return table;
}

} // namespace triton::frontend
