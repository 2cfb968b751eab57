"""The file formats as frozen models: runs, and the documents about them."""
