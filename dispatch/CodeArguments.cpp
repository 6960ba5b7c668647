#include "dispatch/CodeArguments.h"

#include "dispatch/ArgumentLayout.h"

using namespace triton;

uint32_t dispatch::layOutArguments(std::vector<artifact::Argument> &arguments) {
  uint32_t end = 0;
  for (artifact::Argument &argument : arguments) {
    std::tie(argument.offset, argument.size) = placeArgument(argument.type, end);
    end = argument.offset + argument.size;
  }
  return end;
}
