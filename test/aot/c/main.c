/* Runs the generated kernels and compares with plain loops. */
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *filled(int count, int seed) {
  float *data = (float *)aligned_alloc(64, ((size_t)count * sizeof(float) + 127) / 64 * 64);
  for (int i = 0; i < count; ++i)
    data[i] = (float)((i * 7 + seed) % 13) - 6.0f;
  return data;
}

static int check_add(int n, int shift) {
  float *x = filled(n + 1, 1), *y = filled(n + 1, 5), *out = filled(n + 1, 0);
  int wrong = 0;
  if (add_default(NULL, x + shift, y + shift, out + shift, n) != TT_SUCCESS)
    return 1;
  for (int i = 0; i < n; ++i)
    wrong += out[i + shift] != x[i + shift] + y[i + shift];
  free(x), free(y), free(out);
  return wrong;
}

static int check_matmul(int m, int n, int k, int transposed, int algorithm) {
  float *a = filled(m * k, 2), *b = filled(k * n, 3), *c = filled(m * n, 0);
  int stride_m = transposed ? 1 : k, stride_k = transposed ? m : 1, wrong = 0;
  if (matmul(NULL, a, b, c, m, n, k, stride_m, stride_k, algorithm) != TT_SUCCESS)
    return -1;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i * stride_m + l * stride_k] * b[l * n + j];
      wrong += fabsf(sum - c[i * n + j]) > 1e-3f * (1 + fabsf(sum));
    }
  free(a), free(b), free(c);
  return wrong;
}

int main(void) {
  int wrong = 0;
  load_add();
  load_matmul();
  wrong += check_add(1024, 0) + check_add(1000, 0) + check_add(1000, 1) + check_add(1, 0) + check_add(0, 0);
  for (int algorithm = 0; algorithm < matmul_get_num_algos(); ++algorithm)
    for (int transposed = 0; transposed < 2; ++transposed) {
      int found = check_matmul(64, 48, 80, transposed, algorithm);
      /* An algorithm that was compiled for `stride_ak == 1` says so when it is not. */
      wrong += found == -1 ? !transposed : found;
      found = check_matmul(33, 17, 5, transposed, algorithm);
      wrong += found == -1 ? !transposed : found;
    }
  wrong += matmul(NULL, NULL, NULL, NULL, 1, 1, 1, 1, 1, 99) != TT_ERROR_INVALID_VALUE;
  wrong += add_default(NULL, NULL, NULL, NULL, -5000) != TT_ERROR_INVALID_VALUE;
  unload_add();
  unload_matmul();
  printf("%d algorithms, %d wrong\n", matmul_get_num_algos(), wrong);
  return wrong != 0;
}
