"""The paper's figures: one module each, with what it draws and what its caption says."""
