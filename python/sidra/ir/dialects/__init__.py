"""The dialects, one package or module each; `registry.lookup` imports one when first asked."""
