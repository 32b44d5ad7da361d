"""The parts of `sidra demo`: texts, the encoder, what is compared, measured and shown."""
