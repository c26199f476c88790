// The schedule: a lane for each goroutine. Only the lines in view are in the document.
const rowHeight = 24, numberWidth = 58;
const laneCount = D.lanes.length;
// Of many goroutines all are in one lane, with their names.
const mostLanes = 40, one = laneCount > mostLanes;
const laneWidth = one ? 20 : Math.max(14, Math.min(54, Math.floor(400 / Math.max(1, laneCount))));
const lanesWidth = one ? 110 : laneCount * laneWidth + 10;
const laneX = (g) => numberWidth + (one ? 0 : g * laneWidth) + laneWidth / 2;

const $ = (id) => document.getElementById(id);
const lanesBox = $("lanes"), headBox = $("head"), bodyBox = $("body");

// element makes an element with attributes and children; texts are texts.
function element(name, attrs, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (k === "class") e.className = v; else if (k === "onclick") e.addEventListener("click", v); else e.setAttribute(k, v);
  }
  e.append(...children);
  return e;
}
function drawing(name, attrs) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  return e;
}

// mark draws an operation at (x, y).
function mark(shape, x, y, blocked, wrong) {
  const r = 5.5;
  const poly = (...p) => ["polygon", { points: p.map(([a, b]) => (x + a) + "," + (y + b)).join(" ") }];
  if (blocked && !wrong) return drawing("circle", { cx: x, cy: y, r, class: "waits" });
  let hollow = false, d;
  if (wrong) shape = "fail";
  switch (shape) {
    case "read": hollow = true; // falls through
    case "write": d = ["circle", { cx: x, cy: y, r }]; break;
    case "atomic-read": hollow = true; // falls through
    case "atomic": d = poly([0, -r - 1], [r + 1, 0], [0, r + 1], [-r - 1, 0]); break;
    case "unlock": hollow = true; // falls through
    case "lock": d = ["rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r }]; break;
    case "recv": hollow = true; // falls through
    case "send": d = poly([-r, -r], [r + 1, 0], [-r, r]); break;
    case "close": d = poly([-r, -r], [r, -r], [r, r], [-r, r], [0, 0]); break;
    case "select": d = poly([-r, 0], [-r / 2, -r], [r / 2, -r], [r, 0], [r / 2, r], [-r / 2, r]); break;
    case "sync": d = poly([0, -r - 1], [r + 1, r], [-r - 1, r]); break;
    case "time": hollow = true; d = poly([-r, -r], [r, -r], [-r, r], [r, r]); break;
    case "go": d = poly([-2, -r], [2, -r], [2, -2], [r, -2], [r, 2], [2, 2], [2, r], [-2, r], [-2, 2], [-r, 2], [-r, -2], [-2, -2]); break;
    case "end": d = ["rect", { x: x - r, y: y - 2, width: 2 * r, height: 4 }]; break;
    case "fail": d = ["path", { d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`, "stroke-width": 3 }]; break;
    default: d = ["circle", { cx: x, cy: y, r: 3.5 }];
  }
  d[1].class = "mark " + shape + (hollow ? " hollow" : "");
  return drawing(d[0], d[1]);
}

// The lines that the filters leave, and where each is among them (-1: nowhere).
let shown = [], indexOf = new Int32Array(count);
const spans = D.lanes.map(() => [0, -1]); // of a lane, in shown

function setShown(list) {
  shown = list;
  indexOf.fill(-1);
  shown.forEach((i, k) => { indexOf[i] = k; });
  // A lane begins where its goroutine is started and ends with its last line, or where it has ended.
  D.lanes.forEach((_, g) => {
    const own = linesOf[g];
    const began = pendingOf[g].length > 0 ? pendingOf[g][0][0] : (own.length > 0 ? L.state[own[0]] : steps);
    const last = pendingOf[g].at(-1);
    let end = own.length > 0 ? L.state[own.at(-1)] + (L.step[own.at(-1)] > 0 ? 1 : 0) : began;
    if (last) end = Math.max(end, last[1] < 0 ? last[0] : steps + 1);
    spans[g] = [lowest((i) => L.state[i] >= began), lowest((i) => L.state[i] >= end) - 1];
  });
  bodyBox.style.height = shown.length * rowHeight + "px";
}

// lowest returns the first index of shown at which f, which stays true, is.
function lowest(f) {
  let lo = 0, hi = shown.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (f(shown[mid])) hi = mid; else lo = mid + 1; }
  return lo;
}

// nearest returns the index in shown of a line, or of the next one that is shown.
const nearest = (line) => Math.min(shown.length - 1, lowest((i) => i >= line));

function drawHead() {
  document.documentElement.style.setProperty("--kind", 1.5 + D.kinds.reduce((n, k) => Math.max(n, k[0].length), 4) + "ch");
  if (one) return;
  headBox.replaceChildren(...D.lanes.map((name, g) => {
    const e = element("span", { title: name }, laneWidth < 22 && name.length > 3 ? name.slice(-3) : name);
    e.style.left = numberWidth + g * laneWidth + "px";
    e.style.width = laneWidth + "px";
    return e;
  }));
}

// describe says in words what a line is.
function describe(i) {
  const parts = [L.step[i] > 0 ? "step " + L.step[i] : "", D.lanes[L.lane[i]], kindName(i), text(L.what[i]), place(L.site[i]), text(L.note[i])];
  if (L.wrong[i]) parts.push("here is the bug");
  return parts.filter((p) => p !== "").join(", ");
}

function row(k) {
  const i = shown[k];
  const unseen = (s) => element("span", { class: "hidden" }, s); // the lanes say it to those who see
  const name = " " + D.lanes[L.lane[i]] + " ";
  const gap = element("span", { class: one ? "gap name" : "gap" }, one ? name : unseen(name));
  gap.style.width = lanesWidth + "px";
  const e = element("div", { class: "row" + (i === selected ? " sel" : "") + (L.wrong[i] ? " wrong" : "") + (L.blocked[i] ? " blocked" : ""),
      role: "option", id: "line" + i, "aria-selected": String(i === selected), "aria-posinset": k + 1, "aria-setsize": shown.length, onclick: () => select(i) },
    unseen(L.step[i] > 0 ? "step " : ""),
    element("span", { class: "n" }, L.step[i] > 0 ? String(L.step[i]) : ""),
    gap,
    element("span", { class: "kind", title: kindName(i) }, kindName(i) + " "),
    element("span", { class: "what", title: text(L.what[i]) }, text(L.what[i])),
    element("span", { class: "note", title: text(L.note[i]) }, L.note[i] < 0 ? "" : " ◂ " + text(L.note[i])),
    element("span", { class: "at" }, " " + place(L.site[i])),
    unseen(L.wrong[i] ? " here is the bug" : ""));
  e.style.top = k * rowHeight + "px";
  return e;
}

// draw puts lines first to last of shown into the document.
function draw(first, last) {
  const y = (k) => k * rowHeight + rowHeight / 2;
  const svg = drawing("svg", { width: numberWidth + lanesWidth, height: Math.max(1, shown.length * rowHeight), "aria-hidden": "true" });
  svg.style.top = "0";
  const back = [], front = [];
  // Lanes, and where they are blocked.
  if (!one) D.lanes.forEach((_, g) => {
    const a = Math.max(first, spans[g][0]), b = Math.min(last, spans[g][1]);
    if (a > b) return;
    const x = laneX(g);
    back.push(drawing("line", { x1: x, x2: x, y1: a * rowHeight, y2: (b + 1) * rowHeight, class: "lane" }));
    if (!observed) return;
    for (let k = a; k <= b; k++) {
      const from = k, waits = (n) => {
        const i = shown[n], s = L.state[i] + (L.lane[i] === g && L.step[i] > 0 ? 1 : 0);
        return L.lane[i] !== g && !canMove(g, L.state[i]) && (pendingAt(g, s) ?? -1) >= 0;
      };
      while (k <= b && waits(k)) k++;
      if (k > from) back.push(drawing("line", { x1: x, x2: x, y1: from * rowHeight, y2: k * rowHeight, class: "stuck" }));
    }
  });
  // The loop of a livelock.
  if (D.loop > 0) {
    const a = Math.max(first, lowest((i) => i >= lineOf[D.loop])), b = Math.min(last, shown.length - 1);
    if (a <= b) back.push(drawing("rect", { x: 4, y: a * rowHeight + 3, width: 4, height: (b - a + 1) * rowHeight - 6, rx: 2, class: "loop" }));
  }
  // Edges with an end in view.
  const seen = new Set();
  const edge = (from, to, cls) => {
    const a = lineOf[from], b = lineOf[to];
    if (one || a === undefined || b === undefined || indexOf[a] < 0 || indexOf[b] < 0 || seen.has(cls + from + ">" + to)) return;
    seen.add(cls + from + ">" + to);
    const x1 = laneX(L.lane[a]), x2 = laneX(L.lane[b]), y1 = y(indexOf[a]), y2 = y(indexOf[b]);
    if (cls === "pair") {
      const out = Math.max(x1, x2) + laneWidth * 0.45;
      back.push(drawing("path", { d: `M${x1} ${y1}C${out} ${y1} ${out} ${y2} ${x2} ${y2}`, class: "pair" }));
      return;
    }
    const bend = Math.min(30, (y2 - y1) / 2);
    const near = from === L.step[selected] || to === L.step[selected];
    back.push(drawing("path", { d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, class: "edge" + (near ? " near" : "") }));
  };
  for (let k = first; k <= last; k++) {
    const s = L.step[shown[k]];
    if (s > 0) {
      for (const from of edgesTo.get(s) || []) edge(from, s, "edge");
      for (const to of edgesFrom.get(s) || []) edge(s, to, "edge");
    }
  }
  for (const [a, b] of D.pairs) {
    if (lineOf[a] <= shown[last] && lineOf[b] >= shown[first]) edge(a, b, "pair");
  }
  for (let k = first; k <= last; k++) {
    const i = shown[k], x = laneX(L.lane[i]);
    if (L.partner[i] >= 0 && !one) back.push(drawing("line", { x1: x, x2: laneX(L.partner[i]), y1: y(k), y2: y(k), class: "meet" }));
    if (k > first && L.step[i] > 0 && L.lane[shown[k - 1]] !== L.lane[i] && laneWidth >= 22 && !one) {
      front.push(drawing("polygon", { points: `${x - 15},${y(k) - 3} ${x - 10},${y(k)} ${x - 15},${y(k) + 3}`, class: "mark other" }));
    }
    front.push(mark(shapeOf(i), x, y(k), L.blocked[i], L.wrong[i]));
  }
  svg.append(...back, ...front);
  const rows = [];
  for (let k = first; k <= last; k++) rows.push(row(k));
  bodyBox.replaceChildren(...rows, svg);
}

let printing = false;
const mostPrinted = 2000;

function drawView() {
  if (shown.length === 0) { bodyBox.replaceChildren(); return; }
  let first = 0, last = Math.min(shown.length, mostPrinted) - 1;
  if (!printing) {
    const top = lanesBox.scrollTop;
    first = Math.max(0, Math.floor(top / rowHeight) - 10);
    last = Math.min(shown.length - 1, Math.ceil((top + lanesBox.clientHeight) / rowHeight) + 10);
  } else {
    bodyBox.style.height = (last + 1) * rowHeight + "px";
  }
  draw(first, last);
  const at = $("line" + selected);
  if (at) lanesBox.setAttribute("aria-activedescendant", at.id); else lanesBox.removeAttribute("aria-activedescendant");
}

function scrollTo(line) {
  const k = indexOf[line];
  if (k < 0) return;
  const y = k * rowHeight, head = 26;
  if (y < lanesBox.scrollTop + rowHeight) lanesBox.scrollTop = Math.max(0, y - 3 * rowHeight);
  else if (y + 3 * rowHeight + head > lanesBox.scrollTop + lanesBox.clientHeight) lanesBox.scrollTop = y + 4 * rowHeight + head - lanesBox.clientHeight;
}
