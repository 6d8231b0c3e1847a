"""A sample of small faults put into the source, to see whether the tests notice each of them."""
