// The timeline under the pointer and the keyboard: moved, zoomed, and asked what it shows.
"use strict";

const SHORTEST_NS = 20;
const NAMELESS = { "-2": "any", "-3": "none (MPI_PROC_NULL)", "-4": "this one (MPI_ROOT)" };

function duration(ns) {
  const [scale, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([least]) => ns >= least) ?? [1, "ns"];
  const value = ns / scale;
  return `${Number.isInteger(value) ? value : value.toPrecision(Math.max(3, `${Math.trunc(value)}`.length))} ${unit}`;
}

class Timeline extends TimelineDrawing {
  constructor(chart, data) {
    super(chart, data);
    this.now = chart.querySelector(".now");
    this.listen();
    this.draw();
  }

  // What lies at a place of the plot: a call that is drawn singly, or else the cell.
  choose(row, ns) {
    const band = this.bands().find(({ from, count }) => row >= from && row < from + count);
    if (!band) return this.forget();
    const grid = this.gridFor(this.together);
    if (band.count === 1) {
      const [from, to] = this.inView(row);
      const reach = 1.5 / this.px;
      const call = from + first(to - from, (i) => this.calls.end[from + i] > ns - reach);
      const wide = call < to && this.calls.end[call] - this.calls.begin[call] >= this.narrowest(grid) / this.px;
      if (wide && this.calls.begin[call] <= ns + reach) return this.chooseCall(row, call);
      if (this.narrowest(grid) === 0) return this.chooseGap(row, call, ns);
    }
    this.chosen = { row, ns, call: null };
    return this.say(this.cellFacts(band, grid, ns));
  }

  chooseCall(row, call) {
    this.chosen = { row, call, ns: (this.calls.begin[call] + this.calls.end[call]) / 2 };
    this.say(this.callFacts(row, call));
  }

  // The time before a call.
  chooseGap(row, call, ns) {
    this.chosen = { row, ns, call: null };
    const [low, high] = [this.starts[row], this.starts[row + 1]];
    if (call <= low || call >= high) return this.say([["", `${this.named(row)}: nothing is recorded here`]]);
    const [before, after] = [call - 1, call].map((i) => this.head.functions[this.calls.function[i]]);
    const [begin, end] = [this.calls.end[call - 1], this.calls.begin[call]];
    return this.say([
      ["", `${this.named(row)}: computation`],
      ["between", `${before} and ${after}`],
      ["begins", this.moment(begin)],
      ["takes", duration(end - begin)],
    ]);
  }

  forget() {
    this.chosen = null;
    this.hideTip();
    this.drawMark();
  }

  // Facts as [name, text]; the first one is the title.
  say(facts) {
    this.facts = facts;
    this.tip.replaceChildren(...facts.map(([name, text]) => {
      const line = document.createElement("div");
      const label = document.createElement("span");
      label.textContent = name;
      line.append(label, name ? " " : "", text);
      return line;
    }));
    this.drawMark();
  }

  named(row) {
    const [rank, thread] = this.head.threads[row];
    return thread ? `Rank ${rank}, thread ${thread}` : `Rank ${rank}`;
  }

  moment(ns) {
    return `${(ns / 1e9).toFixed(9).replace(/(\.\d{3})(\d{3})(\d{3})/, "$1\u202f$2\u202f$3")} s`;
  }

  callFacts(row, call) {
    const of = (name) => this.calls[name][call];
    const [begin, end] = [of("begin"), of("end")];
    const facts = [["", `${this.named(row)}: ${this.head.functions[of("function")]}`]];
    if (of("site")) facts.push(["from", this.head.sites[of("site") - 1]]);
    facts.push(["begins", this.moment(begin)], ["takes", duration(end - begin)]);
    if (of("times") > 1) facts.push(["polls", `${exact(of("times"))} that found nothing, ${duration(end - begin - of("idle"))} in them`]);
    const peer = (rank) => NAMELESS[rank] ?? `rank ${rank}`;
    const collective = this.head.kinds[of("kind")] === "Collectives";
    if (of("peer") !== -1) facts.push([collective ? "root" : "to", peer(of("peer"))]);
    if (of("source") !== -1) facts.push(["source", peer(of("source"))]);
    if (of("tag") !== -1) facts.push(["tag", NAMELESS[of("tag")] ?? `${of("tag")}`]);
    if (of("bytes")) facts.push(["sends", `${exact(of("bytes"))} B`]);
    if (of("posted")) facts.push(["room for", `${exact(of("posted"))} B`]);
    if (of("requests")) facts.push(["requests", exact(of("requests"))]);
    if (of("object")) facts.push(["over", this.head.objects[of("object") - 1]]);
    return [...facts, ...this.messageFacts(row, begin, end)];
  }

  // Messages that the call sends or completes, and for which of them it waited.
  messageFacts(row, begin, end) {
    const facts = [];
    let latest = null;
    let messages = 0;
    for (let i = 0; i < this.head.arrows; i += 1) {
      if (this.arrows.to[i] !== row || this.arrows.received[i] !== end) continue;
      messages += 1;
      if (latest === null || this.arrows.sent[i] > this.arrows.sent[latest]) latest = i;
    }
    if (latest === null) return facts;
    const [from, bytes] = [this.named(this.arrows.from[latest]).toLowerCase(), exact(this.arrows.bytes[latest])];
    facts.push(messages === 1 ? ["receives", `${bytes} B from ${from}`] : ["receives", `${messages} messages, the last sent by ${from}`]);
    const waited = Math.min(this.arrows.sent[latest], end) - begin;
    if (waited > 0) facts.push(["waits", `${duration(waited)} until ${from} sends`]);
    return facts;
  }

  cellFacts(band, grid, ns) {
    const columns = this.columns(band, grid);
    const column = Math.floor((ns - this.begin) / columns.width);
    if (column < columns.low || column >= columns.high) return [["", "Nothing is recorded here"]];
    const kinds = this.head.kinds.length;
    const parts = Array.from(columns.ns.subarray((column - columns.low) * kinds, (column - columns.low + 1) * kinds));
    const total = parts.reduce((sum, part) => sum + part, 0);
    const last = band.from + band.count - 1;
    const who = band.count === 1 ? this.named(band.from) : `${this.named(band.from)} to ${this.named(last).toLowerCase()}`;
    const facts = [["", `${who}, ${duration(columns.width)} from ${this.moment(this.begin + column * columns.width)}`]];
    parts.forEach((part, kind) => {
      if (part > 0) facts.push([this.head.kinds[kind], `${((100 * part) / total).toPrecision(3)} %`]);
    });
    return total > 0 ? facts : [...facts, ["", "nothing is recorded"]];
  }

  // Shows `span` ns, so that the place at the fraction `x` of the plot keeps what it shows.
  zoomTo(span, x = 0.5) {
    const { left, span: before } = this.view;
    this.view.span = clamp(span, Math.min(SHORTEST_NS, this.length), this.length);
    this.moveTo(left + x * (before - this.view.span), this.view.top);
  }

  zoomRows(rows, y = 0.5) {
    const { top, rows: before } = this.view;
    this.view.rows = Math.round(clamp(rows, 1, this.threads));
    this.moveTo(this.view.left, Math.round(top + y * (before - this.view.rows)));
  }

  moveTo(left, top) {
    this.view.left = clamp(left, this.begin, this.begin + this.length - this.view.span);
    this.view.top = Math.round(clamp(top, 0, this.threads - this.view.rows));
    this.redraw();
  }

  // Factor of the time in view; null shows everything.
  zoom(factor) {
    if (factor === null) {
      this.view.rows = this.threads;
      return this.zoomTo(this.length);
    }
    const at = this.chosen ? (this.chosen.ns - this.view.left) / this.view.span : 0.5;
    return this.zoomTo(this.view.span * factor, at > 0 && at < 1 ? at : 0.5);
  }

  // Moves by a part of what is in view.
  pan(part) {
    this.moveTo(this.view.left + part * this.view.span, this.view.top);
  }

  // The rows of ranks `from` to `to`.
  showRanks(from, to) {
    const rows = this.head.threads.map(([rank], row) => [rank, row]).filter(([rank]) => rank >= from && rank <= to);
    if (!rows.length) return;
    this.view.rows = rows.length;
    this.moveTo(this.view.left, rows[0][1]);
  }

  // Fractions of the plot, or of the panel, that the pointer is over.
  place(event, height) {
    const box = event.currentTarget.getBoundingClientRect();
    return [(event.clientX - box.left - EDGE.left) / this.width, (event.clientY - box.top - EDGE.top) / height];
  }

  inside(place) {
    return place.every((part) => part >= 0 && part < 1);
  }

  pointAt([x, y]) {
    this.choose(Math.floor(this.view.top + y * this.view.rows), this.view.left + x * this.view.span);
    this.showTip(x * this.width, y * this.height);
  }

  pointAtPanel(panel, [x, y]) {
    this.chosen = { row: this.view.top, ns: this.view.left + x * this.view.span, call: null };
    this.say(panel.facts(this, this.chosen.ns));
    const below = this.canvas.getBoundingClientRect().top - panel.canvas.getBoundingClientRect().top;
    this.showTip(x * this.width, y * PANEL_PX - below);
  }

  showTip(x, y) {
    this.tip.hidden = this.chosen === null;
    const room = this.chart.clientWidth - this.tip.offsetWidth;
    this.tip.style.translate = `${clamp(EDGE.left + x + 14, 0, room)}px ${EDGE.top + y + 18}px`;
    this.now.hidden = this.tip.hidden;
    this.now.style.translate = `${EDGE.left + clamp(x, 0, this.width)}px`;
  }

  hideTip() {
    this.tip.hidden = this.now.hidden = true;
  }

  listen() {
    this.listenOn(this.canvas, this.height, (place) => this.pointAt(place));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    for (const panel of this.panels) {
      this.listenOn(panel.canvas, PANEL_PX, (place) => this.pointAtPanel(panel, place));
      panel.canvas.addEventListener("keydown", (event) => this.panelKey(panel, event));
    }
    for (const button of this.chart.closest("figure").querySelectorAll("button[data-pan]")) {
      button.addEventListener("click", () => this.pan(Number(button.dataset.pan)));
    }
    this.listenForRanks();
    new ResizeObserver(() => this.redraw()).observe(this.chart);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    window.addEventListener("beforeprint", () => {
      this.view = { left: this.begin, span: this.length, top: 0, rows: this.threads };
      this.draw(PRINTED);
    });
    window.addEventListener("afterprint", () => this.redraw());
  }

  // One zoom: wheel, hand and double click over any of the panels move all of them.
  listenOn(canvas, height, point) {
    canvas.addEventListener("wheel", (event) => this.wheel(event, this.place(event, height), point), { passive: false });
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { at: this.place(event, height), left: this.view.left, top: this.view.top };
      canvas.setPointerCapture(event.pointerId);
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { drag = null; });
    canvas.addEventListener("pointermove", (event) => {
      const place = this.place(event, height);
      if (drag !== null) {
        const [dx, dy] = place.map((part, axis) => part - drag.at[axis]);
        this.hideTip();
        this.moveTo(drag.left - dx * this.view.span, drag.top - (canvas === this.canvas ? dy * this.view.rows : 0));
      } else if (this.inside(place)) {
        point(place);
      } else {
        this.hideTip();
      }
    });
    canvas.addEventListener("pointerleave", () => this.hideTip());
    canvas.addEventListener("dblclick", () => this.zoom(null));
  }

  listenForRanks() {
    const [from, to, button] = this.chart.querySelectorAll("input, button");
    const go = () => this.showRanks(...[from, to].map((input) => input.valueAsNumber || 0).sort((a, b) => a - b));
    button.addEventListener("click", go);
    for (const input of [from, to]) input.addEventListener("keydown", (event) => event.key === "Enter" && go());
  }

  // Where nothing more is to be seen, the wheel scrolls the page.
  wheel(event, place, point) {
    if (!this.inside(place)) return;
    const before = { ...this.view };
    const turned = event.deltaY || event.deltaX;
    const factor = 2 ** (clamp(turned, -800, 800) / 300);
    if (event.shiftKey) this.zoomRows(this.view.rows * factor, place[1]);
    else if (event.deltaX && !event.deltaY) this.pan(event.deltaX / this.width);
    else this.zoomTo(this.view.span * factor, place[0]);
    if (Object.keys(before).some((name) => before[name] !== this.view[name])) event.preventDefault();
    point(place);
  }

  // Arrow keys move the pointer of a panel to the next column.
  panelKey(panel, event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (!(event.key in steps)) return this.key(event);
    event.preventDefault();
    const { left, span } = this.view;
    const column = Math.max(panel.width, COLUMN_PX / this.px);
    const ns = (this.chosen?.ns ?? left + span / 2) + steps[event.key] * column;
    if (ns < left || ns >= left + span) this.moveTo(ns - span / 2, this.view.top);
    this.pointAtPanel(panel, [clamp((ns - this.view.left) / span, 0, 1), 0.5]);
    this.speak();
  }

  key(event) {
    const factors = { "+": 0.5, "=": 0.5, "-": 2, 0: null, Home: null };
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.hideTip();
    if (event.key in factors) this.zoom(factors[event.key]);
    else if (event.key in steps) this.step(...steps[event.key]);
    else return;
    event.preventDefault();
  }

  // To the next call of the row, or to another row; the view follows.
  step(calls, rows) {
    const middle = this.view.left + this.view.span / 2;
    const start = this.chosen ?? { row: this.view.top, ns: middle, call: null };
    const row = clamp(start.row + rows * this.together, 0, this.threads - 1);
    const [low, high] = [this.starts[row], this.starts[row + 1]];
    const at = start.call !== null && rows === 0 ? start.call + calls : low + first(high - low, (i) => this.calls.end[low + i] > start.ns);
    const call = low < high ? clamp(at, low, high - 1) : null;
    const { top, rows: shown, left, span } = this.view;
    const ns = call === null ? start.ns : this.calls.begin[call];
    const follow = ns >= left && ns < left + span ? left : ns - span / 2;
    this.moveTo(follow, clamp(top, row + 1 - shown, row));
    if (call === null || this.together > 1) this.choose(row, start.ns);
    else this.chooseCall(row, call);
    this.showTip(clamp(this.x(this.chosen.ns), 0, this.width), (row + 0.5 - this.view.top) * this.rowPx);
    this.speak();
  }

  speak() {
    this.output.textContent = this.facts.map(([name, text]) => (name ? `${name} ${text}` : text)).join("; ");
  }
}

function drawTimeline(chart) {
  return unpackTimeline(document.getElementById(chart.dataset.source))
    .then((data) => {
      explorers.set(chart.id, new Timeline(chart, data));
      chart.dataset.drawn = "yes";
    })
    .catch((error) => {
      chart.textContent = "The timeline could not be drawn; its table has the times of each rank.";
      console.error(error);
    });
}
