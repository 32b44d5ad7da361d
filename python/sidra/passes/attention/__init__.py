"""The parts of `fuse-attention`."""
