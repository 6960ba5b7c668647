"""One file for each layout: how data are rearranged on the host, and put back in kernels."""
