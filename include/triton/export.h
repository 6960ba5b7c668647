// Marks what libtriton.so shows to the outside; everything else is hidden.
#pragma once

#define TRITON_EXPORT __attribute__((visibility("default")))
