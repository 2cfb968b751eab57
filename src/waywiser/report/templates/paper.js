// Draws every figure of the paper from the description beside it.
"use strict";

const views = new Map();
window.waywiserViews = views;

function draw(source) {
  const chart = document.getElementById(source.dataset.chart);
  const options = { actions: false, ast: true, renderer: "svg" };
  return vegaEmbed(chart, JSON.parse(source.textContent), options)
    .then(({ view }) => {
      view.description(source.dataset.title);
      views.set(source.dataset.chart, view);
      chart.dataset.drawn = "yes";
    })
    .catch((error) => {
      chart.textContent = "This figure could not be drawn; the document of `--json` has its numbers.";
      console.error(error);
    });
}

// A closed table is not printed, and paper cannot open it.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

Promise.all([...document.querySelectorAll("script.specification")].map(draw)).then(() => {
  document.documentElement.dataset.drawn = "yes";
});
