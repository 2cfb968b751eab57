// Panels above the timeline: what all ranks do together, on the same axis of time.
"use strict";

const PANEL_PX = 64;

// As `percent_text` of units.py.
function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value.toFixed(value > 0 && value < 9.95 ? 1 : 0)} %`;
}

class TimePanel {
  // `bins` of equal `width` from `begin` on, the last one up to `end`, each with its ns by kind; `all` is
  // the height of a full bin in threads, null where the highest one fills the panel.
  constructor(element, end, { begin, width, bins, ns, kinds, colours, all, unit }) {
    Object.assign(this, { end, begin, width, bins, ns, kinds, colours, all, unit });
    this.element = element;
    this.canvas = element.querySelector("canvas");
  }

  // Columns of whole bins, at least a column wide, that have a part in view: mean threads by kind.
  columns({ left, span }, px) {
    const together = Math.max(1, Math.ceil(COLUMN_PX / (this.width * px)));
    const width = together * this.width;
    const low = Math.max(0, Math.floor((left - this.begin) / width));
    const high = Math.min(Math.ceil(this.bins / together), Math.ceil((left + span - this.begin) / width));
    return Array.from({ length: Math.max(0, high - low) }, (_, i) => this.column(low + i, together));
  }

  column(number, together) {
    const first = number * together;
    const last = Math.min(this.bins, first + together);
    const count = this.kinds.length;
    const parts = new Float64Array(count);
    for (let at = first * count; at < last * count; at += 1) parts[at % count] += this.ns[at];
    const from = this.begin + first * this.width;
    const to = Math.min(this.begin + last * this.width, this.end);
    return { from, to, parts: parts.map((ns) => ns / (to - from)) };
  }

  draw(timeline, ink) {
    const [width, height] = [EDGE.left + timeline.width + EDGE.right, PANEL_PX + 2 * EDGE.top];
    const pen = penOf(this.canvas, width, height, timeline.chart);
    const columns = this.columns(timeline.view, timeline.px);
    const sums = columns.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
    const top = this.all ?? Math.max(...sums, 0);
    this.drawAxis(pen, ink, timeline.width, top);
    if (top === 0) return;
    pen.save();
    pen.translate(EDGE.left, EDGE.top);
    pen.beginPath();
    pen.rect(0, 0, timeline.width, PANEL_PX);
    pen.clip();
    for (const { from, to, parts } of columns) {
      const [x, end] = [from, to].map((ns) => timeline.sharp(timeline.x(ns)));
      let bottom = PANEL_PX;
      parts.forEach((part, kind) => {
        const high = (part / top) * PANEL_PX;
        pen.fillStyle = this.colours[kind] ?? ink.computing;
        pen.fillRect(x, bottom - high, end - x, high);
        bottom -= high;
      });
    }
    pen.restore();
  }

  drawAxis(pen, ink, width, top) {
    pen.strokeStyle = ink.rule;
    pen.lineWidth = 1;
    pen.strokeRect(EDGE.left - 0.5, EDGE.top - 0.5, width + 1, PANEL_PX + 1);
    pen.fillStyle = ink.text;
    pen.textAlign = "right";
    pen.textBaseline = "top";
    pen.fillText(this.amount(top), EDGE.left - 8, EDGE.top);
    pen.textBaseline = "bottom";
    pen.fillText("0", EDGE.left - 8, EDGE.top + PANEL_PX);
  }

  amount(threads) {
    if (this.unit === "%") return `${((100 * threads) / this.all).toPrecision(3).replace(/\.0+$/, "")} %`;
    return `${Number(threads.toPrecision(3))}`;
  }

  // What there is at a time, as facts.
  facts(timeline, ns) {
    const found = this.columns(timeline.view, timeline.px).find(({ from, to }) => from <= ns && ns < to);
    const title = this.element.dataset.title;
    if (!found) return [["", `${title}: nothing is recorded here`]];
    const when = `${duration(found.to - found.from)} from ${timeline.moment(found.from)}`;
    const parts = this.kinds.map((kind, i) => [kind, found.parts[i]]).filter(([, part]) => part > 0);
    return [["", `${title}, ${when}`], ...parts.map(([kind, part]) => [kind, this.amount(part)])];
  }
}

// A pen for a canvas of that size on a screen of any density.
function penOf(canvas, width, height, chart) {
  const density = window.devicePixelRatio || 1;
  canvas.width = width * density;
  canvas.height = height * density;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.font = `12px ${getComputedStyle(chart).fontFamily}`;
  return pen;
}

// The time of all threads by kind, from the cells of each of them.
function sharesOf({ head, grids }) {
  const grid = grids.reduce((finest, other) => (other.bins > finest.bins ? other : finest));
  const ns = new Float64Array(grid.bins * head.kinds.length);
  grid.ns.forEach((part, i) => { ns[i % ns.length] += part; });
  return {
    begin: head.begin_ns, width: grid.width, bins: grid.bins, ns,
    kinds: head.kinds, colours: [null, ...head.colours.slice(1)], all: head.threads.length, unit: "%",
  };
}

function panelsOf(chart, data) {
  const columns = { shares: () => sharesOf(data), waits: () => data.waits };
  const panels = [...chart.querySelectorAll(".panel")];
  return panels.map((panel) => new TimePanel(panel, data.head.end_ns, columns[panel.dataset.panel]()));
}
