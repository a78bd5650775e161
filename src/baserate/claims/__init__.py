"""What is agreed about a model, and whether the data bear it out."""
