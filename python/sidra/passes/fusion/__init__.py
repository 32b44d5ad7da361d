"""How `fuse-kernels` decides: which copies there are, which groups merge, and what they become."""
