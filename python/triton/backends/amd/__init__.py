"""AMD's GPUs. No kernel of this package has run on one yet: docs/how-to/compile-for-amd.md says what is checked instead."""
