"""Chips by name: each module of this folder is a preset and holds its `SPEC`."""
