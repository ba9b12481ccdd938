"""Pictures of an answer: what is drawn as typed views, and the drawing itself, loaded last."""
