// Ranks against time on a canvas: shares of time in cells from afar, calls and messages from near.
"use strict";

const EDGE = { left: 60, top: 6, right: 10, bottom: 44 };
const ROW_PX = 40;
const HIGHEST_PLOT = 416;
const SMALLEST_BAND_PX = 4;
const COLUMN_PX = 1.5;
const SINGLE_PX = 1.2;
const CELL_WIDE_PX = 4;
const ARROW_ROW_PX = 9;
const STACKED_PX = 12;
const MOST_ARROWS = 300;
const FEWEST_CELLS = 8;

// The smallest of 1, 2, 5, 10, 20, … that is no less.
function roundStep(target) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, target)));
  return [1, 2, 5, 10].find((n) => n * power >= target) * power;
}

class TimelineDrawing {
  constructor(chart, data) {
    Object.assign(this, data, { chart });
    this.canvas = chart.querySelector(".plot canvas");
    this.panels = panelsOf(chart, data);
    this.mark = chart.querySelector(".cursor");
    this.tip = chart.querySelector(".tip");
    this.output = chart.querySelector("output");
    this.interval = chart.closest("figure").querySelector(".interval");
    this.whole = chart.querySelector(".whole i");
    this.labels = chart.querySelectorAll(".kinds [data-kind]");
    this.threads = this.head.threads.length;
    this.begin = this.head.begin_ns;
    this.length = this.head.end_ns - this.head.begin_ns;
    // Calls of a thread are those from starts[thread] on.
    this.starts = Array.from({ length: this.threads + 1 }, (_, thread) =>
      first(this.head.calls, (i) => this.calls.thread[i] >= thread));
    this.height = clamp(this.threads * ROW_PX, 2 * ROW_PX, HIGHEST_PLOT);
    this.view = { left: this.begin, span: this.length, top: 0, rows: this.threads };
    this.chosen = null;
  }

  get px() {
    return this.width / this.view.span;
  }

  get rowPx() {
    return this.height / this.view.rows;
  }

  // Threads in a band: one, unless bands would be too thin to tell colours apart.
  get together() {
    let together = this.grids[0].together;
    while (together * this.rowPx < SMALLEST_BAND_PX) together *= 2;
    return together;
  }

  x(ns) {
    return (ns - this.view.left) * this.px;
  }

  // On the border of two pixels of the screen, so that neighbours neither overlap nor leave a gap.
  sharp(px) {
    const density = window.devicePixelRatio || 1;
    return Math.round(px * density) / density;
  }

  bands() {
    const together = this.together;
    const bands = [];
    const last = Math.min(this.threads, this.view.top + this.view.rows);
    for (let from = Math.floor(this.view.top / together) * together; from < last; from += together) {
      const count = Math.min(together, this.threads - from);
      const height = count * this.rowPx;
      const gap = height < STACKED_PX ? 0 : Math.min(4, Math.floor(height / 5));
      const [y, end] = [from, from + count].map((row) => this.sharp((row - this.view.top) * this.rowPx));
      bands.push({ from, count, y, height: end - y - gap });
    }
    return bands;
  }

  gridFor(together) {
    return this.grids.findLast((grid) => grid.together <= together);
  }

  // Calls of a thread that lie in view: [from, to).
  inView(thread) {
    const { left, span } = this.view;
    const [low, high] = [this.starts[thread], this.starts[thread + 1]];
    const from = low + first(high - low, (i) => this.calls.end[low + i] > left);
    return [from, low + first(high - low, (i) => this.calls.begin[low + i] >= left + span)];
  }

  // The narrowest call that stands for itself: any, where all are here and cells are no longer needed.
  narrowest(grid) {
    return this.head.merged === 0 && grid.width * this.px >= CELL_WIDE_PX ? 0 : SINGLE_PX;
  }

  draw(ink = this.ink()) {
    this.width = Math.max(120, this.chart.clientWidth - EDGE.left - EDGE.right);
    const [width, height] = [EDGE.left + this.width + EDGE.right, EDGE.top + this.height + EDGE.bottom];
    const pen = penOf(this.canvas, width, height, this.chart);
    this.colours = [ink.computing, ...this.head.colours.slice(1)];
    this.drawAxes(pen, ink);
    pen.save();
    pen.translate(EDGE.left, EDGE.top);
    pen.beginPath();
    pen.rect(0, 0, this.width, this.height);
    pen.clip();
    for (const band of this.bands()) this.drawBand(pen, band, ink);
    this.shownArrows = this.arrowsInView();
    this.drawArrows(pen, ink);
    pen.restore();
    for (const panel of this.panels) panel.draw(this, ink);
    this.drawMark();
    this.sayView();
  }

  ink() {
    if (document.documentElement.classList.contains("printing")) return PRINTED;
    const style = getComputedStyle(this.chart);
    const [text, rule, strong, page, computing] = ["--muted", "--rule", "--ink", "--page", "--computing"].map((name) => style.getPropertyValue(name));
    return { text, rule, strong, page, computing };
  }

  // The interval in view, its place in the whole, and each kind's share of it.
  sayView() {
    const { left, span } = this.view;
    const share = span / this.length;
    const interval = `${duration(span)} from ${duration(left)} on, ${percent(share)} of the time`;
    this.interval.textContent = share < 1 ? interval : `All of ${duration(span)}`;
    this.whole.style.marginLeft = `${(100 * (left - this.begin)) / this.length}%`;
    this.whole.style.width = `${100 * share}%`;
    const times = this.timesInView();
    const total = times?.reduce((sum, ns) => sum + ns, 0);
    for (const label of this.labels) {
      label.textContent = total > 0 ? percent(times[this.head.kinds.indexOf(label.dataset.kind)] / total) : "";
    }
  }

  // Time of each kind in view; null where so few cells are in view that calls would be needed, which are merged.
  timesInView() {
    const { left, span, top, rows } = this.view;
    const times = new Float64Array(this.head.kinds.length);
    const overlap = (from, to) => Math.max(0, Math.min(to, left + span) - Math.max(from, left));
    if (this.head.merged === 0) {
      for (let row = top; row < top + rows; row += 1) this.addCalls(row, times, overlap);
      return times;
    }
    const grid = this.gridFor(this.together);
    if (span < FEWEST_CELLS * grid.width) return null;
    for (const band of this.bands()) {
      const { low, width, ns } = this.columns(band, grid);
      ns.forEach((part, i) => {
        const from = this.begin + (low + Math.floor(i / times.length)) * width;
        times[i % times.length] += (part * overlap(from, from + width)) / width;
      });
    }
    return times;
  }

  // A thread computes from its first call to its last, outside of calls and in polls that found nothing.
  addCalls(row, times, overlap) {
    const [low, high] = [this.starts[row], this.starts[row + 1]];
    if (low === high) return;
    times[0] += overlap(this.calls.begin[low], this.calls.end[high - 1]);
    const [from, to] = this.inView(row);
    for (let i = from; i < to; i += 1) {
      const [begin, end] = [this.calls.begin[i], this.calls.end[i]];
      const busy = end > begin ? overlap(begin, end) * (1 - this.calls.idle[i] / (end - begin)) : 0;
      times[this.calls.kind[i]] += busy;
      times[0] -= busy;
    }
  }

  // Draws again before the next picture, however many events ask for it.
  redraw() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  // Time by kind in columns of whole bins, which together are at least a column wide.
  columns(band, grid) {
    const { left, span } = this.view;
    const bins = Math.max(1, Math.ceil(COLUMN_PX / (grid.width * this.px)));
    const width = bins * grid.width;
    const low = Math.max(0, Math.floor((left - this.begin) / width));
    const high = Math.min(Math.ceil(grid.bins / bins), Math.ceil((left + span - this.begin) / width));
    const kinds = this.head.kinds.length;
    const ns = new Float64Array(Math.max(0, high - low) * kinds);
    for (let row = band.from / grid.together; row * grid.together < band.from + band.count; row += 1) {
      const end = Math.min(grid.bins, high * bins);
      for (let bin = low * bins; bin < end; bin += 1) {
        const to = (Math.floor(bin / bins) - low) * kinds;
        const from = (row * grid.bins + bin) * kinds;
        for (let kind = 0; kind < kinds; kind += 1) ns[to + kind] += grid.ns[from + kind];
      }
    }
    return { low, high, width, ns, room: new Float64Array(Math.max(0, high - low)) };
  }

  drawBand(pen, band, ink) {
    const grid = this.gridFor(this.together);
    const columns = this.columns(band, grid);
    const { low, high, width, room } = columns;
    const ends = (column) => [this.begin + column * width, Math.min(this.begin + (column + 1) * width, this.begin + this.length)];
    for (let column = low; column < high; column += 1) {
      const [from, to] = ends(column);
      room[column - low] = (to - from) * band.count;
    }
    const singles = band.count === 1 ? this.singles(band.from, grid) : [];
    for (const call of singles) this.takeOut(columns, call);
    for (let column = low; column < high; column += 1) {
      const [from, to] = ends(column).map((ns) => this.sharp(this.x(ns)));
      this.drawShares(pen, columns, column - low, from, to, band);
    }
    for (const call of singles) {
      const [from, to] = [this.x(this.calls.begin[call]), this.x(this.calls.end[call])];
      pen.fillStyle = this.colours[this.calls.kind[call]];
      pen.fillRect(from, band.y, to - from, band.height);
      // Calls that follow at once are still two.
      if (to - from < 4) continue;
      pen.fillStyle = ink.page;
      pen.fillRect(to - 0.6, band.y, 0.6, band.height);
    }
    for (const call of singles) this.drawName(pen, call, band);
  }

  singles(thread, grid) {
    const narrowest = this.narrowest(grid) / this.px;
    const [from, to] = this.inView(thread);
    const calls = [];
    for (let i = from; i < to; i += 1) {
      if (this.calls.end[i] - this.calls.begin[i] >= narrowest) calls.push(i);
    }
    return calls;
  }

  // What is drawn singly is not drawn in its cells.
  takeOut({ low, high, width, ns, room }, call) {
    const [begin, end, kind] = [this.calls.begin[call], this.calls.end[call], this.calls.kind[call]];
    const idle = end > begin ? this.calls.idle[call] / (end - begin) : 0;
    const kinds = this.head.kinds.length;
    const column = (ns) => Math.floor((ns - this.begin) / width);
    for (let at = Math.max(low, column(begin)); at < Math.min(high, column(end) + 1); at += 1) {
      const from = this.begin + at * width;
      const overlap = Math.min(end, from + width) - Math.max(begin, from);
      if (overlap <= 0) continue;
      room[at - low] -= overlap;
      ns[(at - low) * kinds + kind] -= overlap * (1 - idle);
      ns[(at - low) * kinds] -= overlap * idle;
    }
  }

  // Computing stands at the bottom, MPI hangs above it; where a rank is not, nothing is drawn.
  drawShares(pen, { ns, room }, column, from, to, band) {
    if (room[column] < 1) return;
    const kinds = this.head.kinds.length;
    const shares = ns.subarray(column * kinds, (column + 1) * kinds).map((part) => part / room[column]);
    const width = to - from;
    if (band.height < STACKED_PX) return this.drawBlend(pen, shares, from, width, band);
    let bottom = band.y + band.height;
    for (let kind = 0; kind < kinds; kind += 1) {
      const height = band.height * shares[kind];
      if (height < 0.05) continue;
      pen.fillStyle = this.colours[kind];
      pen.fillRect(from, bottom - height, width, height);
      bottom -= height;
    }
  }

  // The kind of MPI call with the most time, as strong as the share of MPI.
  drawBlend(pen, shares, from, width, band) {
    const mpi = shares.subarray(1);
    const share = mpi.reduce((sum, part) => sum + part, 0);
    for (const [kind, strength] of [[0, share + shares[0]], [1 + mpi.indexOf(Math.max(...mpi)), share]]) {
      pen.globalAlpha = clamp(strength, 0, 1);
      pen.fillStyle = this.colours[kind];
      pen.fillRect(from, band.y, width, band.height);
    }
    pen.globalAlpha = 1;
  }

  drawName(pen, call, band) {
    if (band.height < 14) return;
    const from = Math.max(0, this.x(this.calls.begin[call]));
    const to = Math.min(this.width, this.x(this.calls.end[call]));
    const name = this.head.functions[this.calls.function[call]];
    if (to - from < 30 || pen.measureText(name).width > to - from - 8) return;
    pen.fillStyle = "#101418";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(name, (from + to) / 2, band.y + band.height / 2);
  }

  arrowsInView() {
    const { left, span, top, rows } = this.view;
    if (this.rowPx < ARROW_ROW_PX) return [];
    const found = [];
    const end = first(this.head.arrows, (i) => this.arrows.sent[i] >= left + span);
    for (let i = 0; i < end && found.length <= MOST_ARROWS; i += 1) {
      const seen = [this.arrows.from[i], this.arrows.to[i]].some((row) => row >= top && row < top + rows);
      if (seen && this.arrows.received[i] > left && this.arrows.from[i] !== this.arrows.to[i]) found.push(i);
    }
    return found.length > MOST_ARROWS ? [] : found;
  }

  drawArrows(pen, ink) {
    const middle = (row) => (row + 0.5 - this.view.top) * this.rowPx - 2;
    for (const [width, colour] of [[3, ink.page], [1.2, ink.strong]]) {
      pen.lineWidth = width;
      pen.strokeStyle = pen.fillStyle = colour;
      for (const i of this.shownArrows) {
        const [x, y] = [this.x(this.arrows.sent[i]), middle(this.arrows.from[i])];
        const [toX, toY] = [this.x(this.arrows.received[i]), middle(this.arrows.to[i])];
        const angle = Math.atan2(toY - y, toX - x);
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(toX, toY);
        pen.stroke();
        pen.beginPath();
        pen.moveTo(toX, toY);
        for (const side of [-0.38, 0.38]) pen.lineTo(toX - 7 * Math.cos(angle + side), toY - 7 * Math.sin(angle + side));
        pen.fill();
        pen.beginPath();
        pen.arc(x, y, width, 0, 7);
        pen.fill();
      }
    }
  }

  drawAxes(pen, ink) {
    const { left, span, top, rows } = this.view;
    const bottom = EDGE.top + this.height;
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.strokeStyle = ink.rule;
    pen.fillStyle = ink.text;
    pen.lineWidth = 1;
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    pen.beginPath();
    const step = roundStep(span / 8);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9 - 9));
    for (let ns = Math.ceil(left / step) * step; ns <= left + span; ns += step) {
      const x = EDGE.left + this.x(ns);
      pen.moveTo(x, bottom);
      pen.lineTo(x, bottom + 5);
      const label = (ns / 1e9).toFixed(decimals);
      const most = EDGE.left + this.width + EDGE.right - pen.measureText(label).width / 2;
      pen.fillText(label, Math.min(x, most), bottom + 18);
    }
    pen.fillText("Time since the trace began (s)", EDGE.left + this.width / 2, bottom + 38);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const rankStep = Math.max(1, roundStep((16 * rows) / this.height));
    for (let row = Math.ceil(top); row < top + rows; row += 1) {
      const [rank, thread] = this.head.threads[row];
      if (thread ? this.rowPx < 14 : rank % rankStep) continue;
      const y = EDGE.top + (row + 0.5 - top) * this.rowPx - (this.rowPx > 20 ? 2 : 0);
      pen.moveTo(EDGE.left, y);
      pen.lineTo(EDGE.left - 5, y);
      pen.fillText(thread ? `.${thread}` : `${rank}`, EDGE.left - 8, y);
    }
    pen.stroke();
    pen.textAlign = "center";
    pen.save();
    pen.translate(12, EDGE.top + this.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("Rank", 0, 0);
    pen.restore();
  }

  // An element of its own: the pointer moves it, and nothing is drawn again.
  drawMark() {
    const call = this.chosen?.call ?? null;
    const row = this.chosen?.row ?? -1;
    const inside = call !== null && row >= this.view.top && row < this.view.top + this.view.rows;
    const [from, to] = inside ? [this.calls.begin[call], this.calls.end[call]].map((ns) => this.x(ns)) : [-1, -1];
    this.mark.hidden = !inside || to < 0 || from > this.width;
    if (this.mark.hidden) return;
    const gap = Math.min(4, Math.floor(this.rowPx / 5));
    const left = clamp(from, 0, this.width);
    this.mark.style.translate = `${EDGE.left + left - 1}px ${EDGE.top + (row - this.view.top) * this.rowPx - 1}px`;
    this.mark.style.width = `${Math.max(4, clamp(to, 0, this.width) - left) + 2}px`;
    this.mark.style.height = `${this.rowPx - gap + 2}px`;
  }
}
