"""The words that reach what the written guides print, claim and branch on."""
