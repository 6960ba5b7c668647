"""What hosts need for Gluon kernels on NVIDIA GPUs."""
