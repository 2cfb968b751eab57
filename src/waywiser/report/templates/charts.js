// Draws a plot from the description beside it.
"use strict";

// The colours of a light page, whatever the screen has.
const PRINTED = { text: "#57606a", rule: "#d8dee4", strong: "#1f2328", page: "#ffffff", computing: "#cfe2ef" };

// A narrower place has its legends above the plots, and plots below each other.
const NARROW_PX = 500;
const NARROW_LETTERS = 24;
const SYMBOL_PX = 40;
// Pictures keep their shape; no larger ones are needed.
const LARGEST_IMAGE = 1.2;
// Of the bars; their axis and legend keep their size, so that the plot grows less.
const MOST_STRETCHED = 4;

const views = new Map();
window.waywiserViews = views;

const charts = [];

// `elsewhere` says where its numbers are, should it not be drawn; `patch` changes what Vega is told.
function drawChart(source, elsewhere, patch = (spec) => spec) {
  const chart = document.getElementById(source.dataset.chart);
  const draw = () => {
    chart.room = chart.clientWidth;
    const sizes = [];
    const options = {
      actions: false, ast: true, renderer: "svg",
      patch: (spec) => patch(resizable(spec, sizes, chart.room)),
    };
    return vegaEmbed(chart, placed(JSON.parse(source.textContent), chart.room), options)
      .then(async ({ view, finalize }) => {
        chart.finalize?.();
        chart.finalize = finalize;
        view.description(source.dataset.title);
        await fit(chart, view, sizes);
        chart.stretch = sizes.heights && ((room) => scale(chart, view, sizes.heights, "height", room, MOST_STRETCHED));
        views.set(chart.id, view);
        chart.dataset.drawn = "yes";
      })
      .catch((error) => {
        chart.textContent = `This plot could not be drawn; ${elsewhere}.`;
        console.error(error);
      });
  };
  charts.push({ chart, draw });
  return draw();
}

// The description for a place of `room` pixels.
function placed(spec, room) {
  if (spec.autosize) spec.width = room;
  if (room >= NARROW_PX) return spec;
  spec.config.legend.orient = "top";
  for (const param of spec.params ?? []) if (param.name === "letters") param.value = NARROW_LETTERS;
  if (spec.hconcat) {
    spec.vconcat = spec.hconcat.map((plot) => ({ ...named(plot), width: spec.hconcat[0].width }));
    delete spec.hconcat;
  }
  for (const part of [spec, ...(spec.vconcat ?? [])]) if (part.columns) part.columns = 1;
  return spec;
}

// A plot that took its names from its neighbour has them itself.
function named(plot) {
  for (const part of plot.layer ?? [plot]) if (part.encoding?.y?.axis === null) delete part.encoding.y.axis;
  return plot;
}

// Puts the sizes that its plots may change into `sizes`, and lets the columns of legends change.
function resizable(spec, sizes, room) {
  const found = [...(spec.signals ?? [])];
  for (const name of ["width", "height"]) if (typeof spec[name] === "number") found.push({ name, value: spec[name] });
  const isImage = JSON.stringify(spec.marks).includes('"type":"image"');
  const changes = isImage ? /(width|height)$/i : /width$/i;
  if (!spec.autosize?.contains) {
    sizes.push(...found.filter(({ name, value }) => changes.test(name) && typeof value === "number"));
  }
  sizes.most = isImage ? LARGEST_IMAGE : Infinity;
  if (!isImage) sizes.heights = found.filter(({ name, value }) => /(height|y_step)$/i.test(name) && typeof value === "number");
  if (room < NARROW_PX) {
    spec.signals = [...(spec.signals ?? []), { name: "legendColumns", value: 1 }];
    for (const legend of legendsOf(spec)) if (legend.orient === "top") legend.columns = { signal: "legendColumns" };
  }
  return spec;
}

function legendsOf(group) {
  return [...(group.legends ?? []), ...(group.marks ?? []).flatMap(legendsOf)];
}

async function fit(chart, view, sizes) {
  if (chart.room < NARROW_PX) await fitLegends(chart, view);
  if (sizes.length) await scale(chart, view, sizes, "width", chart.room, sizes.most);
}

// Scales `sizes` until the drawing is `room` pixels wide or high, or `sizes` are `most` times as large. What
// is beside the plots keeps its size, so that each two tries tell how large the plots may be.
async function scale(chart, view, sizes, side, room, most) {
  const drawn = async (factor) => {
    for (const { name, value } of sizes) view.signal(name, value * factor);
    await view.resize().runAsync();
    return chart.querySelector("svg")[side].baseVal.value;
  };
  let [factor, length] = [1, await drawn(1)];
  let next = room / length;
  for (let tries = 0; tries < 4 && next !== factor; tries++) {
    next = Math.min(most, Math.max(0.1, next));
    const found = await drawn(next);
    const slope = (found - length) / (next - factor);
    [factor, length] = [next, found];
    if (!(slope > 0) || (length <= room && length > room - 2)) return;
    next = factor + (room - 1 - length) / slope;
  }
}

// As many columns as have room from the place of the first label on; a drawing too wide is scaled.
async function fitLegends(chart, view) {
  const labels = [...chart.querySelectorAll(".role-legend-label text")];
  if (!labels.length) return;
  const svg = chart.querySelector("svg");
  const scale = svg.getBoundingClientRect().width / svg.width.baseVal.value;
  const edges = labels.map((label) => label.getBoundingClientRect().left);
  const left = (Math.min(...edges) - chart.getBoundingClientRect().left) / scale - SYMBOL_PX / 2;
  const widest = Math.max(...labels.map((label) => label.getBBox().width));
  view.signal("legendColumns", Math.max(1, Math.floor((chart.room - left) / (widest + SYMBOL_PX))));
  await view.resize().runAsync();
}

// A page may lay its plots out by their heights.
let layOut = async () => {};

const drawChanged = () => Promise.all(charts.filter(({ chart }) => chart.clientWidth !== chart.room).map(({ draw }) => draw()));
const redraw = () => drawChanged().then(layOut);

let pause, drawing = Promise.resolve();
window.addEventListener("resize", () => {
  delete document.documentElement.dataset.drawn;
  clearTimeout(pause);
  pause = setTimeout(() => { drawing = drawing.then(redraw).then(allDrawn); }, 150);
});

function allDrawn() {
  document.documentElement.dataset.drawn = "yes";
}

// Paper is narrower than most windows. A closed table is not printed, and paper cannot open it.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("main section details")) details.open = true;
  document.documentElement.classList.add("printing");
  redraw();
});
window.addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  redraw();
});
