"""AMD's GPUs, as far as programs ask about them by name: kernels are not compiled for them."""
