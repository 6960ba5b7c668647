"""The profiler's lower interface, under the name by which programs know it."""
