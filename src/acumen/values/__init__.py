"""What is measured: a value with its interval, a difference of two, and why one is missing."""
