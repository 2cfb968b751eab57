// Draws every figure from the description beside it, and serves the buttons.
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
      chart.textContent = "This figure could not be drawn; its table has the numbers.";
      console.error(error);
    });
}

// The domain's signals of a selection that is bound to both axes are named after their fields.
function zoom(view, factor) {
  for (const [signal, scale] of [["zoom_left", "x"], ["zoom_top", "y"]]) {
    const domain = view.scale(scale).domain();
    const middle = (domain[0] + domain[1]) / 2;
    const reach = ((domain[1] - domain[0]) / 2) * factor;
    view.signal(signal, factor === null ? null : [middle - reach, middle + reach]);
  }
  return view.runAsync();
}

for (const button of document.querySelectorAll("button[data-zoom]")) {
  button.addEventListener("click", () => {
    const chart = button.closest("figure").querySelector(".chart");
    const factor = button.dataset.zoom === "all" ? null : Number(button.dataset.zoom);
    if (views.has(chart.id)) zoom(views.get(chart.id), factor);
  });
}

// Without leave to use the clipboard, the marked text can still be copied by hand.
document.getElementById("copy").addEventListener("click", () => {
  const command = document.getElementById("command");
  window.getSelection().selectAllChildren(command);
  navigator.clipboard?.writeText(command.textContent).catch(() => {});
});

// A closed table is not printed, and paper cannot open it.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

Promise.all([...document.querySelectorAll("script.specification")].map(draw)).then(() => {
  document.documentElement.dataset.drawn = "yes";
});
