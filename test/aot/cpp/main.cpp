// Runs the generated kernels from C++ on sizes that occupy several threads.
#include "kernels.h"

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int n = 100001, m = 200;
  std::vector<float> x(n), y(n), out(n), a(m * m), b(m * m), c(m * m);
  for (int i = 0; i < n; ++i)
    x[i] = float(i % 101), y[i] = float(i % 7);
  for (int i = 0; i < m * m; ++i)
    a[i] = float(i % 5) - 2, b[i] = float(i % 3) - 1;
  int wrong = add_default(nullptr, x.data(), y.data(), out.data(), n) != TT_SUCCESS;
  for (int i = 0; i < n; ++i)
    wrong += out[i] != x[i] + y[i];
  wrong += matmul_default(nullptr, a.data(), b.data(), c.data(), m, m, m, m, 1) != TT_SUCCESS;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < m; ++k)
        sum += a[i * m + k] * b[k * m + j];
      wrong += std::abs(sum - c[i * m + j]) > 1e-3f;
    }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
