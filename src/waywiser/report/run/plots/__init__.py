"""One module per plot: its chart, its table, its caption. `run.run_plots` lists them."""
