"""How large a model is: one Shape, which memory, times, derivations and files read alike."""
