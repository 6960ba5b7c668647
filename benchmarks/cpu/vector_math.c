// SLEEF's functions over arrays, and exact ones to measure errors by. Built and called by vector_math.py.
#include <immintrin.h>
#include <math.h>
#include <sleef.h>

#ifdef __AVX512F__
#define NARROW(name) Sleef_##name##f16_u10avx512f
#define WIDE(name) Sleef_##name##d8_u10avx512f
typedef __m512 narrow;
typedef __m512d wide;
#define LOAD_NARROW _mm512_loadu_ps
#define STORE_NARROW _mm512_storeu_ps
#define LOAD_WIDE _mm512_loadu_pd
#define STORE_WIDE _mm512_storeu_pd
#else
#define NARROW(name) Sleef_##name##f8_u10avx2
#define WIDE(name) Sleef_##name##d4_u10avx2
typedef __m256 narrow;
typedef __m256d wide;
#define LOAD_NARROW _mm256_loadu_ps
#define STORE_NARROW _mm256_storeu_ps
#define LOAD_WIDE _mm256_loadu_pd
#define STORE_WIDE _mm256_storeu_pd
#endif

#define LOOPS(name, Element, Vector, LOAD, STORE, suffix, CALL)                                                         \
  void sleef_##name##_##suffix(const Element *x, const Element *y, Element *out, long count) {                         \
    for (long i = 0; i < count; i += sizeof(Vector) / sizeof(Element)) {                                               \
      Vector a = LOAD(x + i), b = LOAD(y + i);                                                                         \
      (void)b;                                                                                                         \
      STORE(out + i, CALL);                                                                                            \
    }                                                                                                                  \
  }
#define BOTH(name, ...)                                                                                                \
  LOOPS(name, float, narrow, LOAD_NARROW, STORE_NARROW, f32, NARROW(name)(__VA_ARGS__))                                \
  LOOPS(name, double, wide, LOAD_WIDE, STORE_WIDE, f64, WIDE(name)(__VA_ARGS__))

BOTH(exp, a)
BOTH(log, a)
BOTH(sin, a)
BOTH(cos, a)
BOTH(tanh, a)
BOTH(erf, a)
BOTH(pow, a, b)
LOOPS(copy, float, narrow, LOAD_NARROW, STORE_NARROW, f32, a)
LOOPS(copy, double, wide, LOAD_WIDE, STORE_WIDE, f64, a)

// In units of the last place of the exact result: how far `result` is off at worst.
#define WORST(name, Element, suffix, fraction, least, CALL)                                                            \
  double worst_##name##_##suffix(const Element *xs, const Element *ys, const Element *result, long count) {            \
    long double worst = 0;                                                                                             \
    for (long i = 0; i < count; ++i) {                                                                                 \
      long double x = xs[i], y = ys[i], exact = CALL;                                                                  \
      (void)y;                                                                                                         \
      int exponent;                                                                                                    \
      frexpl(exact, &exponent);                                                                                        \
      int last = exponent - fraction < least ? least : exponent - fraction;                                            \
      long double error = fabsl(result[i] - exact) / ldexpl(1, last);                                                  \
      if (isfinite((Element)exact) && !(error <= worst))                                                               \
        worst = error;                                                                                                 \
    }                                                                                                                  \
    return worst;                                                                                                      \
  }
#define WORSTS(name, CALL)                                                                                             \
  WORST(name, float, f32, 24, -149, CALL)                                                                              \
  WORST(name, double, f64, 53, -1074, CALL)

WORSTS(exp, expl(x))
WORSTS(log, logl(x))
WORSTS(sin, sinl(x))
WORSTS(cos, cosl(x))
WORSTS(tanh, tanhl(x))
WORSTS(erf, erfl(x))
WORSTS(pow, powl(x, y))
