/* What a compiler of models would generate: buffers planned, kernels in order. */
#include "model.h"

#include "linear.h"
#include "linear_relu.h"
#include "softmax.h"

#include <stddef.h>

int model_run(const model_weights *weights, const float *input, float *out, float *scratch, int batch) {
  float *hidden = scratch, *logits = scratch + (long)batch * model_hidden;
  if (linear_relu(NULL, hidden, (float *)input, (float *)weights->weight1, (float *)weights->bias1, batch, model_hidden,
                  model_inputs) != TT_SUCCESS)
    return 1;
  if (linear(NULL, logits, hidden, (float *)weights->weight2, (float *)weights->bias2, batch, model_outputs,
             model_hidden) != TT_SUCCESS)
    return 1;
  return softmax(NULL, out, logits, batch, model_outputs) != TT_SUCCESS;
}
