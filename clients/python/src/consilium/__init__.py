"""What readers of Consilium's releases use in Python."""
