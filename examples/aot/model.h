/* A model as a library: two linear layers and a softmax, every kernel compiled when the library was built. Nothing of Triton is needed to run it. */
#ifndef MODEL_H
#define MODEL_H

enum { model_inputs = 96, model_hidden = 200, model_outputs = 10 };

typedef struct model_weights {
  const float *weight1, *bias1; /* model_hidden x model_inputs, model_hidden */
  const float *weight2, *bias2; /* model_outputs x model_hidden, model_outputs */
} model_weights;

/* `out` gets `batch` rows of probabilities. `scratch` has room for batch * (model_hidden + model_outputs) numbers. 0 if it went well. */
int model_run(const model_weights *weights, const float *input, float *out, float *scratch, int batch);

#endif
