"""From a module of the graph dialect to what is run: the pipeline, memory, the executable."""
