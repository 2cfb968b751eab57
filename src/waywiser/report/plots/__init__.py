"""One module per plot: its chart, its table, its caption. `report.run_plots` lists them."""
