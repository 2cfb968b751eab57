// A matrix of any size on a canvas: blocks of ranks from afar, single pairs from near.
"use strict";

const FEWEST_RANKS = 2;
const SMALLEST_BLOCK_PX = 2;
const LABELLED_PX = 52;
const MARGIN = { left: 64, top: 46, right: 92, bottom: 4 };
const WIDEST_PLOT = 590;
const LEGEND_PX = 220;
const SWATCH_PX = 14;

const explorers = new Map();
window.waywiserExplorers = explorers;

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
const exact = (number) => number.toLocaleString("en");

function decimal(number, unit) {
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let power = 0;
  while (number >= 999.5 && power < prefixes.length - 1) {
    number /= 1000;
    power += 1;
  }
  const digits = Number.isInteger(number) ? `${number}` : number.toPrecision(3);
  return `${digits} ${prefixes[power]}${unit}`.trim();
}

async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The inverse of matrix_data.py.
async function unpack(source) {
  const bytes = await inflated(source.textContent);
  const ranks = Number(source.dataset.ranks);
  // The last group of a number has its high bit clear.
  const pairs = bytes.reduce((ends, byte) => ends + (byte < 128), 0) / 3;
  let at = 0;
  const column = () => {
    const out = new Float64Array(pairs);
    for (let i = 0; i < pairs; i += 1) {
      let scale = 1;
      for (; bytes[at] >= 128; at += 1, scale *= 128) out[i] += (bytes[at] - 128) * scale;
      out[i] += bytes[at++] * scale;
    }
    return out;
  };
  const keys = column();
  for (let i = 1; i < pairs; i += 1) keys[i] += keys[i - 1];
  const rows = new Uint32Array(ranks + 1);
  const columns = new Uint32Array(pairs);
  for (let i = 0; i < pairs; i += 1) {
    rows[Math.floor(keys[i] / ranks) + 1] += 1;
    columns[i] = keys[i] % ranks;
  }
  for (let rank = 0; rank < ranks; rank += 1) rows[rank + 1] += rows[rank];
  return { ranks, rows, columns, bytes: column(), messages: column() };
}

class Explorer {
  constructor(chart, matrix) {
    Object.assign(this, matrix, { chart, amounts: matrix[chart.dataset.amount] });
    this.palette = JSON.parse(chart.dataset.palette);
    this.canvas = chart.querySelector("canvas");
    this.mark = chart.querySelector(".cursor");
    this.output = chart.querySelector("output");
    const sent = this.amounts.filter((amount) => amount > 0);
    this.low = sent.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = sent.reduce((a, b) => Math.max(a, b), 0);
    this.view = { left: 0, top: 0, span: this.ranks };
    this.cursor = null;
    this.listen();
    this.draw();
  }

  get block() {
    let block = 1;
    while ((this.side * block) / this.view.span < SMALLEST_BLOCK_PX) block *= 2;
    return block;
  }

  colour(amount) {
    const range = Math.log(this.high / this.low);
    const place = range > 0 ? Math.log(amount / this.low) / range : 1;
    return Math.round(place * (this.palette.length - 1));
  }

  // Visits the pairs from `height` ranks at `top` to `width` ranks at `left`.
  each(left, top, width, height, visit) {
    const end = Math.min(this.ranks, top + height);
    for (let row = top; row < end; row += 1) {
      for (let i = this.rows[row]; i < this.rows[row + 1]; i += 1) {
        const to = this.columns[i];
        if (to >= left && to < left + width) visit(row, to, i);
      }
    }
  }

  // The largest amount of each block in view, `count` rows of `count` blocks from rank (y, x) on.
  blocks() {
    const { left, top, span } = this.view;
    const block = this.block;
    const [x, y] = [left, top].map((rank) => Math.floor(rank / block) * block);
    const count = Math.ceil(span / block) + 1;
    const largest = new Float64Array(count * count);
    this.each(x, y, count * block, count * block, (from, to, i) => {
      const at = Math.floor((from - y) / block) * count + Math.floor((to - x) / block);
      if (this.amounts[i] > largest[at]) largest[at] = this.amounts[i];
    });
    return { x, y, count, largest };
  }

  draw(ink = this.ink()) {
    const shown = this.chart.clientWidth;
    this.side = Math.max(120, Math.min(WIDEST_PLOT, shown - MARGIN.left - MARGIN.right));
    const width = MARGIN.left + this.side + MARGIN.right;
    const height = MARGIN.top + this.side + MARGIN.bottom;
    const density = window.devicePixelRatio || 1;
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.canvas.style.width = `${width}px`;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.font = `12px ${getComputedStyle(this.chart).fontFamily}`;
    pen.clearRect(0, 0, width, height);
    pen.save();
    pen.translate(MARGIN.left, MARGIN.top);
    this.drawBlocks(pen);
    pen.restore();
    this.drawAxes(pen, ink);
    this.drawLegend(pen, ink);
    this.drawCursor();
  }

  ink() {
    if (document.documentElement.classList.contains("printing")) return PRINTED;
    const style = getComputedStyle(this.chart);
    return { text: style.getPropertyValue("--muted"), rule: style.getPropertyValue("--rule") };
  }

  drawBlocks(pen) {
    const { left, top, span } = this.view;
    const block = this.block;
    const px = this.side / span;
    const size = block * px;
    pen.beginPath();
    pen.rect(0, 0, this.side, this.side);
    pen.clip();
    pen.fillStyle = "#eceff2";
    pen.fillRect(0, 0, this.side, this.side);
    const { x: first, y: upper, count, largest } = this.blocks();
    for (let at = 0; at < largest.length; at += 1) {
      const amount = largest[at];
      if (amount === 0) continue;
      const x = (first + (at % count) * block - left) * px;
      const y = (upper + Math.floor(at / count) * block - top) * px;
      const colour = this.colour(amount);
      pen.fillStyle = this.palette[colour];
      // Neighbours overlap by a hair, so that the ground does not shine through.
      pen.fillRect(x, y, size + 0.3, size + 0.3);
      if (block === 1 && size >= LABELLED_PX) {
        pen.fillStyle = colour > this.palette.length / 2 ? "#ffffff" : "#101418";
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(decimal(amount, this.unit()), x + size / 2, y + size / 2);
      }
    }
  }

  unit() {
    return this.chart.dataset.amount === "bytes" ? "B" : "";
  }

  ticks(start) {
    const target = this.view.span / 6;
    const power = 10 ** Math.floor(Math.log10(Math.max(1, target)));
    const step = Math.max(1, [1, 2, 5, 10].find((n) => n * power >= target) * power);
    const ticks = [];
    const end = Math.min(this.ranks, start + this.view.span);
    for (let rank = Math.ceil((start - 0.5) / step) * step; rank + 0.5 < end; rank += step) ticks.push(rank);
    return ticks;
  }

  drawAxes(pen, ink) {
    const { left, top, span } = this.view;
    const px = this.side / span;
    pen.strokeStyle = ink.rule;
    pen.fillStyle = ink.text;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    for (const rank of this.ticks(left)) {
      const x = MARGIN.left + (rank + 0.5 - left) * px;
      pen.moveTo(x, MARGIN.top);
      pen.lineTo(x, MARGIN.top - 5);
      pen.fillText(`${rank}`, x, MARGIN.top - 9);
    }
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const rank of this.ticks(top)) {
      const y = MARGIN.top + (rank + 0.5 - top) * px;
      pen.moveTo(MARGIN.left, y);
      pen.lineTo(MARGIN.left - 5, y);
      pen.fillText(`${rank}`, MARGIN.left - 8, y);
    }
    pen.stroke();
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    pen.fillText("Receiving rank", MARGIN.left + this.side / 2, 14);
    pen.save();
    pen.translate(12, MARGIN.top + this.side / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("Sending rank", 0, 0);
    pen.restore();
  }

  drawLegend(pen, ink) {
    const x = MARGIN.left + this.side + 16;
    const y = MARGIN.top + 24;
    const alike = this.low === this.high;
    const colours = alike ? this.palette.slice(-1) : this.palette;
    const length = alike ? SWATCH_PX : Math.min(LEGEND_PX, this.side - 36);
    const step = length / colours.length;
    pen.fillStyle = ink.text;
    pen.textAlign = "left";
    pen.textBaseline = "alphabetic";
    pen.fillText(this.chart.dataset.legend, x, MARGIN.top + 10);
    colours.forEach((colour, i) => {
      pen.fillStyle = colour;
      pen.fillRect(x, y + length - (i + 1) * step, SWATCH_PX, step + 0.5);
    });
    pen.fillStyle = ink.text;
    pen.textBaseline = "middle";
    const marks = alike ? [0.5] : [0, 0.25, 0.5, 0.75, 1];
    for (const place of marks) {
      const amount = this.low * (this.high / this.low) ** place;
      pen.fillText(decimal(Math.round(amount), this.unit()), x + 19, y + length * (1 - place));
    }
  }

  // An element of its own: the pointer moves it, and a million pairs are not drawn again.
  drawCursor() {
    const px = this.side / this.view.span;
    const size = Math.max(4, this.block * px);
    const { from, to } = this.cursor ?? { from: -Infinity, to: -Infinity };
    const [x, y] = [(to - this.view.left) * px, (from - this.view.top) * px];
    this.mark.hidden = !(x > -1 && y > -1 && x + size < this.side + 4 && y + size < this.side + 4);
    if (this.mark.hidden) return;
    this.mark.style.translate = `${MARGIN.left + x}px ${MARGIN.top + y}px`;
    this.mark.style.width = this.mark.style.height = `${size}px`;
  }

  // Puts the cursor on the block of a pair and says what was sent there.
  point(from, to) {
    const block = this.block;
    const [row, column] = [from, to].map((rank) => Math.floor(clamp(rank, 0, this.ranks - 1) / block) * block);
    this.cursor = { from: row, to: column };
    this.output.textContent = this.sentence(row, column, block);
    this.drawCursor();
  }

  sentence(row, column, block) {
    const total = { bytes: 0, messages: 0, pairs: 0, most: 0, text: "" };
    this.each(column, row, block, block, (from, to, i) => {
      total.bytes += this.bytes[i];
      total.messages += this.messages[i];
      total.pairs += 1;
      if (this.amounts[i] <= total.most) return;
      total.most = this.amounts[i];
      total.text = `rank ${from} to rank ${to}`;
    });
    const sent = `${exact(total.bytes)} B in ${exact(total.messages)} ${total.messages === 1 ? "message" : "messages"}`;
    if (block === 1) return `Rank ${row} to rank ${column}: ${total.pairs ? sent : "nothing"}`;
    const group = (first) => `${first}–${Math.min(this.ranks, first + block) - 1}`;
    const ends = `Ranks ${group(row)} to ranks ${group(column)}`;
    if (!total.pairs) return `${ends}: nothing`;
    const most = total.text && `; most by ${total.text} (${decimal(total.most, this.unit())})`;
    return `${ends}: ${sent} between ${exact(total.pairs)} ${total.pairs === 1 ? "pair" : "pairs"}${most}`;
  }

  // Shows `span` ranks, so that the place at the fractions (x, y) of the plot keeps what it shows.
  zoomTo(span, x = 0.5, y = 0.5) {
    const target = clamp(span, Math.min(FEWEST_RANKS, this.ranks), this.ranks);
    const { left, top, span: before } = this.view;
    this.view.span = target;
    this.moveTo(left + x * (before - target), top + y * (before - target));
  }

  moveTo(left, top) {
    const most = this.ranks - this.view.span;
    this.view.left = clamp(left, 0, most);
    this.view.top = clamp(top, 0, most);
    this.draw();
  }

  // Factor of the ranks in view; null shows all.
  zoom(factor) {
    if (factor === null) return this.zoomTo(this.ranks);
    if (this.cursor === null) return this.zoomTo(this.view.span * factor);
    this.zoomTo(this.view.span * factor, ...this.fractions(this.cursor));
    return this.point(this.cursor.from, this.cursor.to);
  }

  // Where a pair lies in the plot; its middle, if it is out of sight.
  fractions({ from, to }) {
    const { left, top, span } = this.view;
    const places = [(to - left + 0.5) / span, (from - top + 0.5) / span];
    return places.every((place) => place >= 0 && place <= 1) ? places : [0.5, 0.5];
  }

  // One pair in the middle, near enough for its number.
  show(from, to) {
    this.view.span = Math.min(8, this.ranks);
    this.moveTo(to + 0.5 - this.view.span / 2, from + 0.5 - this.view.span / 2);
    this.point(from, to);
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left - MARGIN.left, event.clientY - box.top - MARGIN.top].map(
      (px) => px / this.side,
    );
  }

  inside(place) {
    return place.every((part) => part >= 0 && part < 1);
  }

  listen() {
    this.canvas.addEventListener("wheel", (event) => {
      const place = this.place(event);
      if (!this.inside(place)) return;
      event.preventDefault();
      this.zoomTo(this.view.span * 2 ** (clamp(event.deltaY, -800, 800) / 400), ...place);
      this.pointAt(place);
    }, { passive: false });
    let drag = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      drag = { at: this.place(event), left: this.view.left, top: this.view.top };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", () => { drag = null; });
    this.canvas.addEventListener("pointercancel", () => { drag = null; });
    this.canvas.addEventListener("pointermove", (event) => {
      const place = this.place(event);
      if (drag !== null) {
        const [dx, dy] = place.map((part, axis) => (part - drag.at[axis]) * this.view.span);
        this.moveTo(drag.left - dx, drag.top - dy);
      } else if (this.inside(place)) {
        this.pointAt(place);
      }
    });
    this.canvas.addEventListener("dblclick", () => this.zoom(null));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.chart);
    window.addEventListener("beforeprint", () => this.draw(PRINTED));
    window.addEventListener("afterprint", () => this.draw());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    const [from, to, button] = this.chart.querySelectorAll("input, button");
    const go = () => this.show(...[from, to].map((input) => Math.trunc(clamp(input.valueAsNumber || 0, 0, this.ranks - 1))));
    button.addEventListener("click", go);
    for (const input of [from, to]) {
      input.addEventListener("keydown", (event) => event.key === "Enter" && go());
    }
  }

  pointAt([x, y]) {
    const { left, top, span } = this.view;
    this.point(Math.floor(top + y * span), Math.floor(left + x * span));
  }

  key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const factors = { "+": 0.5, "=": 0.5, "-": 2, 0: null, Home: null };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in factors) this.zoom(factors[event.key]);
    else if (event.key in steps) this.step(...steps[event.key]);
    else return;
    event.preventDefault();
  }

  // Moves the cursor by blocks; the view follows.
  step(rows, columns) {
    const { left, top, span } = this.view;
    const start = this.cursor ?? { from: Math.floor(top), to: Math.floor(left) };
    const at = { from: start.from + rows * this.block, to: start.to + columns * this.block };
    const follow = (rank, low) => clamp(low, rank + this.block - span, rank);
    this.moveTo(follow(at.to, left), follow(at.from, top));
    this.point(at.from, at.to);
  }
}

const unpacked = new Map();

function explore(chart) {
  const name = chart.dataset.pairs;
  if (!unpacked.has(name)) unpacked.set(name, unpack(document.getElementById(name)));
  return unpacked.get(name)
    .then((matrix) => {
      explorers.set(chart.id, new Explorer(chart, matrix));
      chart.dataset.drawn = "yes";
    })
    .catch((error) => {
      chart.textContent = "This matrix could not be drawn; its table has the largest numbers.";
      console.error(error);
    });
}
