"""Reports: the terminal and one HTML file. They compute no number."""
