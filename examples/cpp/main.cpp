// Compiles and launches the kernels of kernels.py from C++: no Python in this process.
#include <triton/triton.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

/// Numbers that look random and are the same everywhere.
static std::vector<float> numbers(size_t count, unsigned seed) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / (1 << 24) - 0.5f;
  }
  return values;
}

static float largestDifference(const std::vector<float> &a, const std::vector<float> &b) {
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

static bool report(const char *name, float difference, float tolerance) {
  bool ok = difference <= tolerance;
  std::printf("%-8s largest difference %.2e  %s\n", name, difference, ok ? "ok" : "WRONG");
  return ok;
}

static bool add(const triton::Module &module) {
  const int n = 98432;
  std::vector<float> x = numbers(n, 1), y = numbers(n, 2), out(n), expected(n);
  module.kernel("add_kernel")(triton::cdiv(n, 1024), x.data(), y.data(), out.data(), n, 1024);
  for (int i = 0; i < n; ++i)
    expected[i] = x[i] + y[i];
  return report("add", largestDifference(out, expected), 0);
}

static bool softmax(const triton::Module &module) {
  const int rows = 1823, columns = 781;
  std::vector<float> in = numbers(rows * columns, 3), out(in.size()), expected(in.size());
  module.kernel("softmax_kernel")(rows, out.data(), in.data(), columns, columns, 1024);
  for (int row = 0; row < rows; ++row) {
    const float *x = &in[row * columns];
    double sum = 0, largest = *std::max_element(x, x + columns);
    for (int i = 0; i < columns; ++i)
      sum += std::exp(x[i] - largest);
    for (int i = 0; i < columns; ++i)
      expected[row * columns + i] = static_cast<float>(std::exp(x[i] - largest) / sum);
  }
  return report("softmax", largestDifference(out, expected), 1e-6f);
}

static bool matmul(const triton::Module &module) {
  const int m = 200, n = 150, k = 100;
  std::vector<float> a = numbers(m * k, 4), b = numbers(k * n, 5), c(m * n), expected(m * n);
  triton::CompiledKernel compiled =
      module.kernel("matmul_kernel")({triton::cdiv(m, 64), triton::cdiv(n, 64)}, a.data(), b.data(), c.data(), m, n, k,
                                     k, n, n, 64, 64, 32, triton::named("ACTIVATION", "relu"));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[l * n + j];
      expected[i * n + j] = std::max(0.0f, static_cast<float>(sum));
    }
  std::printf("         %s: tensor IR has %zu characters, the object %zu bytes\n", std::string(compiled.name()).c_str(),
              compiled.stage("ttir").size(), compiled.stage("obj").size());
  return report("matmul", largestDifference(c, expected), 1e-4f);
}

int main() {
  try {
    triton::Module module = triton::Module::load(KERNELS);
    bool ok = add(module);
    ok = softmax(module) && ok;
    ok = matmul(module) && ok;

    // Errors as values: a kernel with a mistake, and what the compiler says of it.
    triton::Module wrong =
        triton::Module::parse("import triton\nimport triton.language as tl\n\n@triton.jit\ndef wrong(p):\n"
                              "    tl.store(p, blok + 1)\n",
                              "wrong.py");
    float value = 0;
    triton::Expected<triton::CompiledKernel> result = wrong.kernel("wrong").tryLaunch(1, {&value});
    std::printf("\nan error as a value:\n%s", result ? "none?\n" : result.error().what());
    return ok && !result ? 0 : 1;
  } catch (const triton::Error &error) {
    std::fprintf(stderr, "%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
}
