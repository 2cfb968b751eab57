"""The file formats as frozen models: what a run is, and what is known of it."""
