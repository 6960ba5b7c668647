/* Runs the generated kernels on the first GPU and compares with plain loops. */
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    CUresult result = call;                                                                                            \
    if (result != CUDA_SUCCESS) {                                                                                      \
      printf("line %d: error %d\n", __LINE__, (int)result);                                                            \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

static int check_add(int n) {
  float *x = malloc((size_t)n * 4), *out = malloc((size_t)n * 4);
  CUdeviceptr dx, dout;
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    x[i] = (float)i;
  CHECK(cuMemAlloc(&dx, (size_t)n * 4));
  CHECK(cuMemAlloc(&dout, (size_t)n * 4));
  CHECK(cuMemcpyHtoD(dx, x, (size_t)n * 4));
  CHECK(add_default(NULL, dx, dx, dout, n));
  CHECK(cuMemcpyDtoH(out, dout, (size_t)n * 4));
  for (int i = 0; i < n; ++i)
    wrong += out[i] != 2 * x[i];
  CHECK(cuMemFree(dx));
  CHECK(cuMemFree(dout));
  free(x), free(out);
  return wrong;
}

static int check_matmul(int m, int n, int k, int algorithm) {
  float *a = malloc((size_t)m * k * 4), *b = malloc((size_t)k * n * 4), *c = malloc((size_t)m * n * 4);
  CUdeviceptr da, db, dc;
  int wrong = 0;
  for (int i = 0; i < m * k; ++i)
    a[i] = (float)(i % 7) - 3;
  for (int i = 0; i < k * n; ++i)
    b[i] = (float)(i % 5) - 2;
  CHECK(cuMemAlloc(&da, (size_t)m * k * 4));
  CHECK(cuMemAlloc(&db, (size_t)k * n * 4));
  CHECK(cuMemAlloc(&dc, (size_t)m * n * 4));
  CHECK(cuMemcpyHtoD(da, a, (size_t)m * k * 4));
  CHECK(cuMemcpyHtoD(db, b, (size_t)k * n * 4));
  CHECK(matmul(NULL, da, db, dc, m, n, k, k, 1, algorithm));
  CHECK(cuMemcpyDtoH(c, dc, (size_t)m * n * 4));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i * k + l] * b[l * n + j];
      wrong += fabsf(sum - c[i * n + j]) > 1e-2f * (1 + fabsf(sum));
    }
  CHECK(cuMemFree(da));
  CHECK(cuMemFree(db));
  CHECK(cuMemFree(dc));
  free(a), free(b), free(c);
  return wrong;
}

int main(void) {
  CUdevice device;
  CUcontext context;
  int wrong = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  wrong += check_add(1024) + check_add(1000) + check_add(1);
  for (int algorithm = 0; algorithm < matmul_get_num_algos(); ++algorithm)
    wrong += check_matmul(64, 48, 80, algorithm) + check_matmul(33, 17, 5, algorithm);
  unload_add();
  unload_matmul();
  printf("%d algorithms, %d wrong\n", matmul_get_num_algos(), wrong);
  return wrong != 0;
}
