// Compiles the kernels of a Python file and launches them on an NVIDIA GPU: no Python and no CUDA toolkit in this process.
//   usage: cuda_example [kernels.py]
#include <triton/cuda.h>

#include <algorithm>
#include <chrono>
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

static bool report(const char *name, const std::vector<float> &result, const std::vector<float> &expected,
                   float tolerance) {
  float difference = 0;
  for (size_t i = 0; i < result.size(); ++i)
    difference = std::max(difference, std::abs(result[i] - expected[i]));
  bool ok = difference <= tolerance;
  std::printf("%-8s largest difference %.2e  %s\n", name, difference, ok ? "ok" : "WRONG");
  return ok;
}

static bool add(const triton::Module &module) {
  const int n = 1 << 24;
  std::vector<float> x = numbers(n, 1), y = numbers(n, 2), expected(n);
  std::transform(x.begin(), x.end(), y.begin(), expected.begin(), std::plus<>());
  triton::cuda::Buffer<float> deviceX(x), deviceY(y), out(n);
  triton::Kernel kernel = module.kernel("add_kernel");
  triton::Options options{.target = "cuda"};
  std::vector<triton::Argument> arguments = {deviceX, deviceY, out, n, 1024};
  kernel.launch(triton::cdiv(n, 1024), arguments, options); // compiles
  bool ok = report("add", out.toHost(), expected, 0);

  // What a launch costs this thread once the kernel is compiled.
  const int launches = 500;
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i)
    kernel.launch(1, arguments, options);
  double microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  triton::cuda::synchronize();
  std::printf("         a launch takes %.2f us\n", microseconds / launches);
  return ok;
}

static bool softmax(const triton::Module &module) {
  const int rows = 1823, columns = 781;
  std::vector<float> in = numbers(rows * columns, 3), expected(in.size());
  for (int row = 0; row < rows; ++row) {
    const float *x = &in[row * columns];
    double sum = 0, largest = *std::max_element(x, x + columns);
    for (int i = 0; i < columns; ++i)
      sum += std::exp(x[i] - largest);
    for (int i = 0; i < columns; ++i)
      expected[row * columns + i] = static_cast<float>(std::exp(x[i] - largest) / sum);
  }
  triton::cuda::Buffer<float> deviceIn(in), out(in.size());
  triton::cuda::Stream stream = triton::cuda::Stream::create();
  module.kernel("softmax_kernel")
      .launch(rows, {out, deviceIn, columns, columns, 1024}, {.target = "cuda", .stream = stream.handle()});
  stream.synchronize();
  return report("softmax", out.toHost(), expected, 1e-6f);
}

static bool matmul(const triton::Module &module) {
  const int m = 512, n = 384, k = 256;
  std::vector<float> a = numbers(m * k, 4), b = numbers(k * n, 5), expected(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(a[i * k + l]) * b[l * n + j];
      expected[i * n + j] = std::max(0.0f, static_cast<float>(sum));
    }
  triton::cuda::Buffer<float> deviceA(a), deviceB(b), c(expected.size());
  triton::CompiledKernel compiled =
      module.kernel("matmul_kernel")
          .launch({triton::cdiv(m, 64), triton::cdiv(n, 64)},
                  {deviceA, deviceB, c, m, n, k, k, n, n, 64, 64, 32, triton::named("ACTIVATION", "relu")},
                  {.target = "cuda"});
  std::printf("         %s: %zu characters of PTX, %zu bytes of cubin\n", std::string(compiled.name()).c_str(),
              compiled.stage("ptx").size(), compiled.stage("cubin").size());
  return report("matmul", c.toHost(), expected, 2e-2f); // tf32 keeps 10 bits of each factor
}

int main(int argc, char **argv) {
  try {
    std::printf("%d device(s), the first is %s\n", triton::cuda::deviceCount(), triton::cuda::architecture().c_str());
    triton::Module module = triton::Module::load(argc > 1 ? argv[1] : KERNELS);
    bool ok = add(module);
    ok = softmax(module) && ok;
    ok = matmul(module) && ok;
    return ok ? 0 : 1;
  } catch (const triton::Error &error) {
    std::fprintf(stderr, "%s: %s\n", error.kind().c_str(), error.what());
    return 1;
  }
}
