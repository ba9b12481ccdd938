"""The terminal: commands of the contract, one module each."""
