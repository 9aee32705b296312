"""What memories are made of, and what is made of them."""
