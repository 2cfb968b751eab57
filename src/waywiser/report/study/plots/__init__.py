"""The report's plots: one module each, with what it draws and what its caption says."""
