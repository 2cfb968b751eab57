// Lays the plots of a wide window out in two columns that end together.
"use strict";

const IN_COLUMNS = "main > section:not(#provenance, #without-data, :has(> .table, .timeline))";
const UNSEEN_PX = 24;
const MOST_GROWTH = 2;

// The plots between two sections that are as wide as the page.
function runsOfPlots() {
  const runs = [[]];
  for (const part of document.querySelectorAll("main > :not(script)")) {
    if (part.matches(IN_COLUMNS)) runs.at(-1).push(part);
    else runs.push([]);
  }
  return runs;
}

// Puts the plots in this order, which the keyboard and screen readers follow.
function put(plots) {
  [...plots[0].parentNode.children].find((part) => plots.includes(part)).before(...plots);
}

// Each plot comes below the shorter column.
function columnsOf(plots) {
  const columns = ["left", "right"].map((side) => ({ side, plots: [], height: 0 }));
  for (const plot of plots) {
    const shorter = shorterOf(columns);
    shorter.plots.push(plot);
    shorter.height += plot.offsetHeight;
  }
  return columns;
}

const shorterOf = ([left, right]) => (right.height < left.height ? right : left);
const holeOf = ([left, right]) => Math.abs(left.height - right.height);
const elasticOf = ({ plots }) => plots.map((plot) => plot.querySelector(".chart")).filter((chart) => chart?.stretch);
const heightOf = (charts) => charts.reduce((sum, chart) => sum + chart.clientHeight, 0);

// The hole that remains when the plots of the shorter column have grown.
function remainderOf(columns) {
  const filled = (MOST_GROWTH - 1) * heightOf(elasticOf(shorterOf(columns)));
  return Math.max(0, holeOf(columns) - UNSEEN_PX - filled);
}

// The columns before and after the one plot, if any, whose width of a page leaves the smallest holes.
function arranged(run) {
  const sum = (size) => ({ pairs: [before, after] }) => size(before) + size(after);
  const [remainder, hole] = [sum(remainderOf), sum(holeOf)];
  return [run.length, ...run.keys()]
    .map((at) => ({ wide: run[at], pairs: [run.slice(0, at), run.slice(at + 1)].map(columnsOf) }))
    .toSorted((a, b) => remainder(a) - remainder(b) || hole(a) - hole(b))[0];
}

// The plots of the shorter column grow to the end of the other one.
function level(columns) {
  const charts = elasticOf(shorterOf(columns));
  const factor = Math.min(MOST_GROWTH, 1 + holeOf(columns) / heightOf(charts));
  return charts.map((chart) => chart.stretch(factor * chart.clientHeight));
}

const runs = runsOfPlots().filter((run) => run.length);
for (const plot of runs.flat()) plot.className = "left";

layOut = async () => {
  for (const run of runs) {
    put(run);
    for (const plot of run) plot.className = "left";
  }
  await drawChanged();
  const main = document.querySelector("main");
  if (!runs.length || runs[0][0].offsetWidth > main.clientWidth / 2) return;
  const pairs = [];
  for (const run of runs) {
    const { wide, pairs: beside } = arranged(run);
    if (wide) wide.className = "wide";
    for (const { side, plots } of beside.flat()) for (const plot of plots) plot.className = side;
    for (const [left, right] of beside) if (left.plots.length) put([...left.plots, ...right.plots]);
    pairs.push(...beside);
  }
  await drawChanged();
  await Promise.all(pairs.flatMap(level));
};
