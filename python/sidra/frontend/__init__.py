"""Where PyTorch's compiler meets the device."""
