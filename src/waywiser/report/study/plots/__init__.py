"""The report's plots: one module each, with its chart and caption."""
