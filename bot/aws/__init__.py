"""The little of AWS that a cold start can afford: signed JSON calls over the standard library."""
