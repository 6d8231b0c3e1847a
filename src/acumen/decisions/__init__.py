"""From numbers to decisions: a threshold with a promise, its cost, a gate, a plan."""
