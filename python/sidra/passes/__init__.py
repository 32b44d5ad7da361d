"""The passes: one file, one class, one name each. `sidra.ir.pass_manager` runs them."""
