// What the timeline draws: the inverse of timeline_data.py.
"use strict";

const unfold = (number) => (number % 2 ? -(number + 1) / 2 : number / 2);

// The first index from which on `after` holds.
function first(count, after) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (after(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function unpackTimeline(source) {
  const head = JSON.parse(source.dataset.head);
  const bytes = await inflated(source.textContent);
  let at = 0;
  const column = (count, map = (number) => number) => {
    const out = new Float64Array(count);
    for (let i = 0; i < count; i += 1) {
      let [number, scale] = [0, 1];
      for (; bytes[at] >= 128; at += 1, scale *= 128) number += (bytes[at] - 128) * scale;
      out[i] = map(number + bytes[at++] * scale);
    }
    return out;
  };
  const summed = (steps, start = 0) => steps.map((step) => (start += step));
  const grids = head.grids.map(({ together, bin_ns: width, shape: [rows, bins, kinds] }) => {
    return { together, width, rows, bins, ns: column(rows * bins * kinds) };
  });
  const calls = { thread: summed(column(head.calls)), begin: summed(column(head.calls, unfold), head.begin_ns) };
  calls.end = column(head.calls).map((length, i) => calls.begin[i] + length);
  for (const name of ["peer", "source", "tag"]) calls[name] = column(head.calls, unfold);
  for (const name of ["kind", "function", "site", "object", "bytes", "posted", "requests", "times", "idle"]) {
    calls[name] = column(head.calls);
  }
  const arrows = { sent: summed(column(head.arrows)) };
  arrows.received = column(head.arrows).map((length, i) => arrows.sent[i] + length);
  for (const name of ["from", "to", "bytes"]) arrows[name] = column(head.arrows);
  const waits = head.waits && { ...head.waits, ns: column(head.waits.bins * head.waits.kinds.length) };
  return { head, grids, calls, arrows, waits };
}
