// A vector of plain values whose first N need no allocation: for lists that nearly always are short.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace triton::python {

template <typename T, size_t N> class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  InlineVector() = default;
  InlineVector(const InlineVector &other) { *this = other; }
  InlineVector &operator=(const InlineVector &other) {
    clear();
    for (const T &value : other)
      push_back(value);
    return *this;
  }

  T *data() { return large.empty() ? reinterpret_cast<T *>(storage) : large.data(); }
  const T *data() const { return large.empty() ? reinterpret_cast<const T *>(storage) : large.data(); }
  size_t size() const { return count; }
  T &operator[](size_t index) { return data()[index]; }
  const T &operator[](size_t index) const { return data()[index]; }
  T *begin() { return data(); }
  T *end() { return data() + count; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }

  void clear() {
    count = 0;
    large.clear();
  }
  void push_back(const T &value) {
    if (count < N && large.empty())
      new (storage + count * sizeof(T)) T(value);
    else {
      if (large.empty())
        large.assign(data(), data() + count);
      large.push_back(value);
    }
    ++count;
  }
  void assign(size_t size, const T &value) {
    clear();
    for (size_t index = 0; index < size; ++index)
      push_back(value);
  }

private:
  alignas(T) std::byte storage[N * sizeof(T)];
  std::vector<T> large; // all of them, once they are more than N
  size_t count = 0;
};

} // namespace triton::python
