"""What every package names: the protocols of what a use case is given."""
