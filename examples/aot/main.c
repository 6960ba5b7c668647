/* Runs the model and compares with plain loops. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *numbers(int count, unsigned seed) {
  float *values = malloc(sizeof(float) * (size_t)count);
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / (1 << 24) - 0.5f;
  }
  return values;
}

static void linear(double *out, const double *x, const float *weight, const float *bias, int columns, int depth, int relu) {
  for (int i = 0; i < columns; ++i) {
    out[i] = bias[i];
    for (int k = 0; k < depth; ++k)
      out[i] += x[k] * weight[i * depth + k];
    if (relu && out[i] < 0)
      out[i] = 0;
  }
}

static double difference(const model_weights *weights, const float *input, const float *result) {
  double x[model_inputs], hidden[model_hidden], logits[model_outputs], sum = 0, worst = 0;
  for (int i = 0; i < model_inputs; ++i)
    x[i] = input[i];
  linear(hidden, x, weights->weight1, weights->bias1, model_hidden, model_inputs, 1);
  linear(logits, hidden, weights->weight2, weights->bias2, model_outputs, model_hidden, 0);
  for (int i = 0; i < model_outputs; ++i)
    sum += exp(logits[i]);
  for (int i = 0; i < model_outputs; ++i)
    worst = fmax(worst, fabs(exp(logits[i]) / sum - result[i]));
  return worst;
}

int main(void) {
  const int batch = 33;
  model_weights weights = {numbers(model_hidden * model_inputs, 1), numbers(model_hidden, 2),
                           numbers(model_outputs * model_hidden, 3), numbers(model_outputs, 4)};
  float *input = numbers(batch * model_inputs, 5), *out = numbers(batch * model_outputs, 6);
  float *scratch = numbers(batch * (model_hidden + model_outputs), 7);
  if (model_run(&weights, input, out, scratch, batch) != 0) {
    fprintf(stderr, "the model did not run\n");
    return 1;
  }
  double worst = 0;
  for (int row = 0; row < batch; ++row)
    worst = fmax(worst, difference(&weights, input + row * model_inputs, out + row * model_outputs));
  printf("largest difference %.1e: %s\n", worst, worst < 1e-5 ? "ok" : "WRONG");
  return worst < 1e-5 ? 0 : 1;
}
