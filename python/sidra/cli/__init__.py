"""The command `sidra`. Each subcommand is a module of this package, found by its file.

A subcommand has HELP (one line), add_arguments(parser) and run(arguments) -> exit status. What is
slow to import is imported inside run, so that `sidra --help` is quick.
"""
