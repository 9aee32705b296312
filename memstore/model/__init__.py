"""What a memory is: frozen values, no behaviour beyond their own form."""
