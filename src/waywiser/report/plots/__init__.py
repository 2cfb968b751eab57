"""One module per figure: its chart, its table, its caption. `report.figures` lists them."""
