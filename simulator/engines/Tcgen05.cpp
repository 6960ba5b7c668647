#include "simulator/machine/Decoder.h"

namespace triton::simulator {

void addTcgen05(DecodeTable &) {}

} // namespace triton::simulator
