#include "bindings/Submodules.h"

#include <nanobind/stl/string.h>

#include <bit>
#include <cstring>
#include <string>

namespace nb = nanobind;

namespace triton::python {

namespace {

enum class Ordering { AcquireRelease, Acquire, Release, Relaxed };
enum class Operation { Add, FloatAdd, And, Or, Xor, Exchange, Max, Min, UnsignedMin, UnsignedMax };

/// A numpy array's elements, one after the other, for as long as this lives.
class Elements {
public:
  explicit Elements(nb::handle array) {
    object = nb::module_::import_("numpy").attr("ascontiguousarray")(array);
    if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_ANY_CONTIGUOUS) != 0)
      throw nb::python_error();
  }
  ~Elements() { PyBuffer_Release(&buffer); }
  Elements(const Elements &) = delete;

  size_t itemBytes() const { return size_t(buffer.itemsize); }
  size_t size() const { return size_t(buffer.len / buffer.itemsize); }
  char kind() const { return nb::cast<std::string>(object.attr("dtype").attr("kind"))[0]; }
  std::byte *at(size_t index) const { return static_cast<std::byte *>(buffer.buf) + index * itemBytes(); }
  std::byte *address(size_t index) const {
    uint64_t value;
    std::memcpy(&value, at(index), sizeof(value));
    return reinterpret_cast<std::byte *>(value);
  }
  bool isSet(size_t index) const { return *reinterpret_cast<const uint8_t *>(at(index)) != 0; }

private:
  nb::object object;
  Py_buffer buffer;
};

} // namespace

static nb::object emptyLike(nb::handle array, nb::handle dtype) {
  nb::module_ numpy = nb::module_::import_("numpy");
  return numpy.attr("empty")(nb::object(array.attr("shape")), dtype);
}

static void checkAddresses(const Elements &addresses) {
  if (addresses.itemBytes() != 8)
    throw nb::type_error("addresses must be an array of 64-bit integers");
}
static void checkSize(const Elements &addresses, const Elements &other, const char *what) {
  if (addresses.size() != other.size())
    throw nb::value_error((std::string("as many ") + what + " as addresses are needed, got " +
                           std::to_string(other.size()) + " and " + std::to_string(addresses.size()))
                              .c_str());
}

static nb::object load(nb::handle pointers, nb::handle masks, nb::handle others, nb::handle dtype) {
  nb::object result = emptyLike(pointers, dtype);
  Elements addresses(pointers), mask(masks), other(others.attr("astype")(dtype)), out(result);
  checkAddresses(addresses);
  checkSize(addresses, mask, "masks");
  checkSize(addresses, other, "values");
  for (size_t i = 0; i < addresses.size(); ++i)
    std::memcpy(out.at(i), mask.isSet(i) ? addresses.address(i) : other.at(i), out.itemBytes());
  return result;
}

static void store(nb::handle pointers, nb::handle values, nb::handle masks) {
  Elements addresses(pointers), value(values), mask(masks);
  checkAddresses(addresses);
  checkSize(addresses, mask, "masks");
  checkSize(addresses, value, "values");
  for (size_t i = 0; i < addresses.size(); ++i)
    if (mask.isSet(i))
      std::memcpy(addresses.address(i), value.at(i), value.itemBytes());
}

template <typename T> static T combine(Operation operation, T old, T value) {
  using Integer = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  auto bits = [](T number) { return std::bit_cast<Integer>(number); };
  switch (operation) {
  case Operation::Add:
  case Operation::FloatAdd:
    return old + value;
  case Operation::And:
    return std::bit_cast<T>(Integer(bits(old) & bits(value)));
  case Operation::Or:
    return std::bit_cast<T>(Integer(bits(old) | bits(value)));
  case Operation::Xor:
    return std::bit_cast<T>(Integer(bits(old) ^ bits(value)));
  case Operation::Exchange:
    return value;
  case Operation::Max:
    return old < value ? value : old;
  case Operation::Min:
    return value < old ? value : old;
  case Operation::UnsignedMax:
    return bits(old) < bits(value) ? value : old;
  case Operation::UnsignedMin:
    return bits(value) < bits(old) ? value : old;
  }
  return value;
}

/// Replaces what is at `address` as one step, also for other threads; gives what was there.
template <typename T> static T update(std::byte *address, Operation operation, T value) {
  auto *place = reinterpret_cast<T *>(address);
  T old;
  __atomic_load(place, &old, __ATOMIC_SEQ_CST);
  for (T made = combine(operation, old, value);
       !__atomic_compare_exchange(place, &old, &made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);)
    made = combine(operation, old, value);
  return old;
}

template <typename T>
static void updateAll(Operation operation, const Elements &addresses, const Elements &values, const Elements &mask,
                      const Elements &out) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (!mask.isSet(i)) {
      std::memset(out.at(i), 0, sizeof(T));
      continue;
    }
    T value;
    std::memcpy(&value, values.at(i), sizeof(T));
    T old = update<T>(addresses.address(i), operation, value);
    std::memcpy(out.at(i), &old, sizeof(T));
  }
}

static nb::object atomicUpdate(Operation operation, nb::handle pointers, nb::handle values, nb::handle masks,
                               Ordering) {
  nb::object result = emptyLike(pointers, values.attr("dtype"));
  Elements addresses(pointers), value(values), mask(masks), out(result);
  checkAddresses(addresses);
  checkSize(addresses, mask, "masks");
  checkSize(addresses, value, "values");
  char kind = value.kind();
  size_t bytes = value.itemBytes();
  auto run = [&]<typename T>(T) { updateAll<T>(operation, addresses, value, mask, out); };
  if (kind == 'f' && bytes == 2)
    run(_Float16());
  else if (kind == 'f' && bytes == 4)
    run(float());
  else if (kind == 'f' && bytes == 8)
    run(double());
  else if (bytes == 4)
    kind == 'u' ? run(uint32_t()) : run(int32_t());
  else if (bytes == 8)
    kind == 'u' ? run(uint64_t()) : run(int64_t());
  else if (bytes == 2)
    kind == 'u' ? run(uint16_t()) : run(int16_t());
  else
    throw nb::type_error("atomics are for elements of 2, 4 and 8 bytes");
  return result;
}

template <typename T>
static void exchangeAll(const Elements &addresses, const Elements &expected, const Elements &values,
                        const Elements &out) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    T old, wanted;
    std::memcpy(&old, expected.at(i), sizeof(T));
    std::memcpy(&wanted, values.at(i), sizeof(T));
    __atomic_compare_exchange(reinterpret_cast<T *>(addresses.address(i)), &old, &wanted, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
    std::memcpy(out.at(i), &old, sizeof(T));
  }
}

static nb::object atomicExchange(nb::handle pointers, nb::handle compared, nb::handle values, Ordering) {
  nb::object result = emptyLike(pointers, values.attr("dtype"));
  Elements addresses(pointers), expected(compared), value(values), out(result);
  checkAddresses(addresses);
  checkSize(addresses, expected, "values to compare with");
  checkSize(addresses, value, "values");
  if (expected.itemBytes() != value.itemBytes())
    throw nb::type_error("what is compared and what is stored must have one size");
  switch (value.itemBytes()) {
  case 1:
    exchangeAll<uint8_t>(addresses, expected, value, out);
    break;
  case 2:
    exchangeAll<uint16_t>(addresses, expected, value, out);
    break;
  case 4:
    exchangeAll<uint32_t>(addresses, expected, value, out);
    break;
  default:
    exchangeAll<uint64_t>(addresses, expected, value, out);
  }
  return result;
}

void addInterpreterMemory(nb::module_ &interpreter) {
  nb::enum_<Ordering>(interpreter, "MEM_SEMANTIC")
      .value("ACQUIRE_RELEASE", Ordering::AcquireRelease)
      .value("ACQUIRE", Ordering::Acquire)
      .value("RELEASE", Ordering::Release)
      .value("RELAXED", Ordering::Relaxed);
  nb::enum_<Operation>(interpreter, "RMW_OP")
      .value("ADD", Operation::Add)
      .value("FADD", Operation::FloatAdd)
      .value("AND", Operation::And)
      .value("OR", Operation::Or)
      .value("XOR", Operation::Xor)
      .value("XCHG", Operation::Exchange)
      .value("MAX", Operation::Max)
      .value("MIN", Operation::Min)
      .value("UMIN", Operation::UnsignedMin)
      .value("UMAX", Operation::UnsignedMax);
  interpreter.def("load", &load, nb::arg("ptr"), nb::arg("mask"), nb::arg("other"), nb::arg("dtype"),
                  "What is at the addresses; where the mask is false, `other`.");
  interpreter.def("store", &store, nb::arg("ptr"), nb::arg("value"), nb::arg("mask"));
  interpreter.def("atomic_rmw", &atomicUpdate, nb::arg("rmw_op"), nb::arg("ptr"), nb::arg("val"), nb::arg("mask"),
                  nb::arg("sem"), "Gives what was there before.");
  interpreter.def("atomic_cas", &atomicExchange, nb::arg("ptr"), nb::arg("cmp"), nb::arg("val"), nb::arg("sem"),
                  "Gives what was there before.");
}

} // namespace triton::python
