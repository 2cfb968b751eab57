// Draws every plot of the report, and serves the buttons.
"use strict";

const ends = new Map();

// Wheel and drag stop at the ends of the axis, and where two ranks fill it.
function keepInside(spec, chart) {
  const domain = spec.scales?.find((scale) => scale.name === "x")?.domain;
  const [low, high] = Array.isArray(domain) ? domain : [];  // else it is that of the data
  const handlers = (spec.signals ?? []).flatMap((signal) => signal.on ?? []);
  const closest = `${Math.min(FEWEST_RANKS, high - low)} / span(domain("$1"))`;
  for (const handler of handlers) {
    if (!/^(pan|zoom)Linear/.test(handler.update)) continue;
    const zoom = /domain\("(\w)"\)(.*?)(\w+_zoom_delta)/;
    const kept = handler.update.replace(zoom, `domain("$1")$2max($3, ${closest})`);
    handler.update = `clampRange(${kept}, ${low}, ${high})`;
    ends.set(chart, [low, high]);
  }
  return spec;
}

function draw(source) {
  return drawChart(source, "its table has the numbers", (spec) => keepInside(spec, source.dataset.chart));
}

// The domain's signals of a selection that is bound to both axes are named after their fields.
function zoom(chart, factor) {
  const view = views.get(chart);
  const [low, high] = ends.get(chart);
  for (const [signal, scale] of [["zoom_left", "x"], ["zoom_top", "y"]]) {
    const domain = view.scale(scale).domain();
    const span = Math.max((domain[1] - domain[0]) * factor, FEWEST_RANKS);
    const reach = Math.min(span, high - low) / 2;
    const middle = clamp((domain[0] + domain[1]) / 2, low + reach, high - reach);
    view.signal(signal, factor === null ? null : [middle - reach, middle + reach]);
  }
  return view.runAsync();
}

for (const button of document.querySelectorAll("button[data-zoom]")) {
  button.addEventListener("click", () => {
    const chart = button.closest("figure").querySelector(".chart");
    const factor = button.dataset.zoom === "all" ? null : Number(button.dataset.zoom);
    if (views.has(chart.id)) zoom(chart.id, factor);
    explorers.get(chart.id)?.zoom(factor);
  });
}

// Without leave to use the clipboard, the marked text can still be copied by hand.
document.getElementById("copy")?.addEventListener("click", () => {
  const command = document.getElementById("command");
  window.getSelection().selectAllChildren(command);
  navigator.clipboard?.writeText(command.textContent).catch(() => {});
});

drawing = Promise.all([
  ...[...document.querySelectorAll("script.specification")].map(draw),
  ...[...document.querySelectorAll(".explorer")].map(explore),
  ...[...document.querySelectorAll(".timeline")].map(drawTimeline),
]).then(layOut).then(allDrawn);
