"""One module per kind of turn: how an understood request becomes a reply."""
