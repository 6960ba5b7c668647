"""How matrix products of experts are computed: records, kernels, the choice of tiles, the reference."""
