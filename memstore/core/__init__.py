"""What every package names: ids, times, findings, errors, keys, a memory as a value; view and transaction."""
