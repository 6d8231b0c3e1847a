"""Independent answers: the definitions written once more, slowly and exactly."""
