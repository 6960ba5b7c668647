// What this machine can do at best, in plain C compiled for it: the yardsticks of the benchmark.
//   copy          memcpy from one array to another
//   add           a hand-written vector loop, out[i] = x[i] + y[i]
//   multiplyAdd   independent fused multiply-adds that touch no memory; gives the number of operations it did
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

void copy(float *to, const float *from, int64_t count) { memcpy(to, from, count * sizeof(float)); }

#if defined(__AVX512F__)
typedef __m512 Vector;
enum { lanes = 16 };
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define ADD _mm512_add_ps
#define SPLAT _mm512_set1_ps
#define FMA _mm512_fmadd_ps
#elif defined(__AVX2__) && defined(__FMA__)
typedef __m256 Vector;
enum { lanes = 8 };
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define ADD _mm256_add_ps
#define SPLAT _mm256_set1_ps
#define FMA _mm256_fmadd_ps
#else
typedef __m128 Vector;
enum { lanes = 4 };
#define LOAD _mm_loadu_ps
#define STORE _mm_storeu_ps
#define ADD _mm_add_ps
#define SPLAT _mm_set1_ps
#define FMA(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#endif

void add(float *out, const float *x, const float *y, int64_t count) {
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes)
    for (int u = 0; u < 4; ++u)
      STORE(out + i + u * lanes, ADD(LOAD(x + i + u * lanes), LOAD(y + i + u * lanes)));
  for (; i < count; ++i)
    out[i] = x[i] + y[i];
}

// 12 chains hide a latency of 4 cycles on 2 units with room to spare.
double multiplyAdd(int64_t rounds, float *sink) {
  enum { chains = 12 };
  Vector sums[chains], factor = SPLAT(0.999f), summand = SPLAT(0.001f);
  for (int c = 0; c < chains; ++c)
    sums[c] = SPLAT((float)c);
  for (int64_t r = 0; r < rounds; ++r)
    for (int c = 0; c < chains; ++c)
      sums[c] = FMA(sums[c], factor, summand);
  for (int c = 1; c < chains; ++c)
    sums[0] = ADD(sums[0], sums[c]);
  STORE(sink, sums[0]);
  return 2.0 * lanes * chains * (double)rounds;
}
