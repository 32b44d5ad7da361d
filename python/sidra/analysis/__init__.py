"""What passes and code generation ask about IR, without changing it."""
