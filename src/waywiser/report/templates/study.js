// Draws every plot of the report.
"use strict";

const draw = (source) => drawChart(source, "the document of `--json` has its numbers");

drawing = Promise.all([...document.querySelectorAll("script.specification")].map(draw)).then(allDrawn);
