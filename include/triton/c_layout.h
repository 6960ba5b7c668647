/* Linear layouts: <triton/layout.h> for C programs. The rules are those of <triton/c.h>. */
#ifndef TRITON_C_LAYOUT_H
#define TRITON_C_LAYOUT_H

#include <triton/c.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct triton_layout triton_layout;

/* The name of an input or output with its size, or an index of it. */
typedef struct triton_layout_size {
  const char *name;
  int64_t size;
} triton_layout_size;

/* Where one bit of an input goes: a part for each output. */
typedef struct triton_layout_basis {
  const int64_t *parts;
  size_t part_count;
} triton_layout_basis;

typedef struct triton_layout_input {
  const char *name;
  const triton_layout_basis *bases; /* one per bit, lowest first */
  size_t basis_count;
} triton_layout_input;

/* The input's values 0, 1, … go to 0, 1, …, to 0, `stride`, …, or all to 0. */
TRITON_EXPORT triton_layout *triton_layout_identity(int64_t size, const char *input, const char *output,
                                                    triton_error **error);
TRITON_EXPORT triton_layout *triton_layout_strided(int64_t size, int64_t stride, const char *input, const char *output,
                                                   triton_error **error);
TRITON_EXPORT triton_layout *triton_layout_zeros(int64_t size, const char *input, const char *output,
                                                 int64_t output_size, triton_error **error);
/* Sizes left out (0) are the smallest that hold the bases. */
TRITON_EXPORT triton_layout *triton_layout_from_bases(const triton_layout_input *inputs, size_t input_count,
                                                      const triton_layout_size *outputs, size_t output_count,
                                                      triton_error **error);

TRITON_EXPORT size_t triton_layout_input_count(const triton_layout *layout);
TRITON_EXPORT size_t triton_layout_output_count(const triton_layout *layout);
/* No name past the last. The size of an input is two to the power of its bits. */
TRITON_EXPORT triton_layout_size triton_layout_input_at(const triton_layout *layout, size_t index);
TRITON_EXPORT triton_layout_size triton_layout_output_at(const triton_layout *layout, size_t index);
/* The part of a basis for one output; 0 past the last. */
TRITON_EXPORT int64_t triton_layout_basis_part(const triton_layout *layout, size_t input, size_t bit, size_t output);
/* Bits of the flattened output that a bit of the flattened input changes; 0 past the last. */
TRITON_EXPORT uint64_t triton_layout_column(const triton_layout *layout, size_t bit);

/* Where an index goes: `values` receives one number for each output. Inputs left out are 0. */
TRITON_EXPORT int triton_layout_apply(const triton_layout *layout, const triton_layout_size *indices,
                                      size_t index_count, int64_t *values, triton_error **error);
TRITON_EXPORT triton_layout *triton_layout_multiply(const triton_layout *layout, const triton_layout *other,
                                                    triton_error **error);
/* x -> outer(layout(x)) */
TRITON_EXPORT triton_layout *triton_layout_compose(const triton_layout *layout, const triton_layout *outer,
                                                   triton_error **error);
TRITON_EXPORT triton_layout *triton_layout_invert(const triton_layout *layout, triton_error **error);
TRITON_EXPORT triton_layout *triton_layout_pseudo_invert(const triton_layout *layout, triton_error **error);
/* From the inputs of the first to those of `outer` that have the same output. */
TRITON_EXPORT triton_layout *triton_layout_invert_and_compose(const triton_layout *layout, const triton_layout *outer,
                                                              triton_error **error);
TRITON_EXPORT int triton_layout_is_surjective(const triton_layout *layout);
TRITON_EXPORT int triton_layout_is_injective(const triton_layout *layout);
TRITON_EXPORT int triton_layout_is_equal(const triton_layout *layout, const triton_layout *other);
TRITON_EXPORT triton_bytes *triton_layout_to_text(const triton_layout *layout, triton_error **error);
TRITON_EXPORT triton_layout *triton_layout_retain(const triton_layout *layout);
TRITON_EXPORT void triton_layout_free(triton_layout *layout);

#ifdef __cplusplus
}
#endif
#endif
