// Draws a figure from the description beside it.
"use strict";

// The colours of a light page, whatever the screen has.
const PRINTED = { text: "#57606a", rule: "#d8dee4", strong: "#1f2328", page: "#ffffff", computing: "#cfe2ef" };

const views = new Map();
window.waywiserViews = views;

// `elsewhere` says where its numbers are, should it not be drawn; `patch` changes what Vega is told.
function drawChart(source, elsewhere, patch = (spec) => spec) {
  const chart = document.getElementById(source.dataset.chart);
  const options = { actions: false, ast: true, renderer: "svg", patch };
  return vegaEmbed(chart, JSON.parse(source.textContent), options)
    .then(({ view }) => {
      view.description(source.dataset.title);
      views.set(chart.id, view);
      chart.dataset.drawn = "yes";
    })
    .catch((error) => {
      chart.textContent = `This figure could not be drawn; ${elsewhere}.`;
      console.error(error);
    });
}

// A closed table is not printed, and paper cannot open it.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("main section details")) details.open = true;
});
