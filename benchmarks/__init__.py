"""Speed and memory against what people use otherwise, as ratios within one run."""
