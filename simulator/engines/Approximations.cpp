// Functions that GPUs approximate: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt and div in their `approx` and `full` forms.
//
// The model: the result is the exact one, computed in double precision, rounded to nearest. GPUs differ from it by a few units in the last place (PTX states 2 for ex2, rcp, rsqrt,
// div.full; 2^-20 absolute for sin and cos; 2^-11 relative for tanh). Denormals are kept unless `.ftz` is there, as on GPUs; special values are those of the PTX manual.
#include "simulator/arithmetic/Floats.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <cstring>

namespace triton::simulator {

namespace {

using Kind = Type::Kind;
using Function = double (*)(double);

double exponential(double a) { return std::exp2(a); }
double logarithm(double a) { return std::log2(a); }
double sine(double a) { return std::sin(a); }
double cosine(double a) { return std::cos(a); }
double hyperbolicTangent(double a) { return std::tanh(a); }
double reciprocal(double a) { return 1 / a; }
double root(double a) { return std::sqrt(a); }
double reciprocalRoot(double a) { return 1 / std::sqrt(a); }

struct Form {
  Function function;
  bool flushes;
  Type type;
};

Step approximate(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Form *>(instruction.details);
  if (form.type.bits == 64) {
    double *d = warp.out<double>(instruction.d);
    const double *a = warp.in<double>(instruction.a);
    eachLane(mask, [&](unsigned lane) { d[lane] = form.function(a[lane]); });
  } else if (form.type.bits == 32) {
    float *d = warp.out<float>(instruction.d);
    const float *a = warp.in<float>(instruction.a);
    eachLane(mask, [&](unsigned lane) {
      float result = float(form.function(form.flushes ? flushDenormal(a[lane]) : a[lane]));
      if (result != result)
        result = std::bit_cast<float>(0x7FFFFFFFu);
      d[lane] = form.flushes ? flushDenormal(result) : result;
    });
  } else {
    unsigned count = form.type.isPacked ? 2 : 1;
    bool isBrain = form.type.kind == Kind::Brain;
    uint16_t *d = warp.out<uint16_t>(instruction.d);
    const uint16_t *a = warp.in<uint16_t>(instruction.a);
    eachLane(mask, [&](unsigned lane) {
      for (unsigned index = lane * count; index < (lane + 1) * count; ++index)
        d[index] = uint16_t(encode(form.function(isBrain ? brainToFloat(a[index]) : halfToFloat(a[index])),
                                   isBrain ? formatBrain : formatHalf, Rounding::NearestEven, false));
    });
  }
  return Step::Next;
}

bool decodeApproximation(Decoder &decoder) {
  static const std::pair<std::string_view, Function> functions[] = {
      {"ex2", exponential},        {"lg2", logarithm},  {"sin", sine},  {"cos", cosine},
      {"tanh", hyperbolicTangent}, {"rcp", reciprocal}, {"sqrt", root}, {"rsqrt", reciprocalRoot}};
  // Correctly rounded forms are arithmetic.
  if (!decoder.has("approx") && (decoder.opcode()[0] == "rcp" || decoder.opcode()[0] == "sqrt"))
    return decodeFloat(decoder);
  Type type = decoder.type(0);
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type);
  for (auto [name, function] : functions)
    if (name == decoder.opcode()[0]) {
      Instruction &made = decoder.emit(approximate);
      made.d = d, made.a = a;
      made.details = decoder.keepDetails(Form{function, decoder.has("ftz"), type});
      return true;
    }
  return decoder.unknown();
}

} // namespace

void addApproximations(DecodeTable &table) {
  for (std::string_view name : {"ex2", "lg2", "sin", "cos", "tanh", "rcp", "sqrt", "rsqrt"})
    table[name] = decodeApproximation;
}

} // namespace triton::simulator
