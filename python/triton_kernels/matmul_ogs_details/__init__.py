"""What `triton_kernels.matmul_details` holds, under the names of Triton 3.4 to 3.6."""
