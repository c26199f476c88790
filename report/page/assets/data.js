"use strict";
// The data of the page, and questions about it. Lines are counted from 0, steps from 1; state s is
// the one after s steps.
const D = JSON.parse(document.getElementById("data").textContent);
const L = D.lines;
const count = L.step.length;

const text = (n) => (n < 0 ? "" : D.texts[n]);
const kindName = (i) => D.kinds[L.kind[i]][0];
const shapeOf = (i) => D.kinds[L.kind[i]][1];

// lineOf[step] is its line.
const lineOf = [];
L.step.forEach((s, i) => { if (s > 0) lineOf[s] = i; });
const steps = lineOf.length > 0 ? lineOf.length - 1 : 0;

// linesOf[lane] are its lines, pendingOf[lane] the operations that it has pending: [state, site].
const linesOf = D.lanes.map(() => []);
L.lane.forEach((g, i) => linesOf[g].push(i));
const pendingOf = D.lanes.map(() => []);
for (const [state, lane, site] of D.pending) pendingOf[lane].push([state, site]);

// edgesTo[step] are the steps that synchronisation orders before it, and edgesFrom those after.
const edgesTo = new Map(), edgesFrom = new Map();
const push = (map, key, value) => { const l = map.get(key); if (l) l.push(value); else map.set(key, [value]); };
for (const [from, to] of D.edges) { push(edgesTo, to, from); push(edgesFrom, from, to); }
const conflictsOf = new Map(D.conflicts.map((c) => [c[0], { from: c[1], steps: c.slice(2) }]));
// movesOf[lane] says from which states on it can move, or not.
const movesOf = D.lanes.map(() => []);
for (const [state, lane, can] of D.enabled) movesOf[lane].push([state, can]);

const observed = D.enabled.length > 0;

// lastAtMost returns the index of the last element of a sorted list for which key is at most x, or -1.
function lastAtMost(list, x, key) {
  let lo = 0, hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (key(list[mid]) <= x) lo = mid + 1; else hi = mid;
  }
  return lo - 1;
}

// pendingAt returns the site of a lane's pending operation in a state; -1 if it has ended, null if it
// has not been started.
function pendingAt(lane, state) {
  const k = lastAtMost(pendingOf[lane], state, (p) => p[0]);
  return k < 0 ? null : pendingOf[lane][k][1];
}

function canMove(lane, state) {
  const k = lastAtMost(movesOf[lane], state, (m) => m[0]);
  return k >= 0 && movesOf[lane][k][1] === 1;
}

// nextStep returns the first step of a lane after a state, or 0.
function nextStep(lane, state) {
  const list = linesOf[lane];
  for (let k = lastAtMost(list, state < 1 ? -1 : lineOf[state], (i) => i) + 1; k < list.length; k++) {
    if (L.step[list[k]] > state) return L.step[list[k]];
  }
  return 0;
}

// held returns the locks that are held in a state: by lane a list of [lock, shared, step].
function held(state) {
  const by = D.lanes.map(() => []);
  for (let s = 1; s <= state; s++) {
    const i = lineOf[s];
    const a = L.acquired[i], r = L.released[i];
    if (a >= 0 && !by[L.lane[i]].some((h) => h[0] === a)) by[L.lane[i]].push([a, L.shared[i], s]);
    if (r >= 0) {
      let of = L.lane[i];
      if (!by[of].some((h) => h[0] === r)) of = by.findIndex((l) => l.some((h) => h[0] === r));
      if (of >= 0) by[of].splice(by[of].findIndex((h) => h[0] === r), 1);
    }
  }
  return by;
}

// knows returns the vector clock of a step: for each lane the last step that happens before, or 0.
function knows(step) {
  const clock = D.lanes.map(() => 0), done = D.lanes.map(() => 0);
  const todo = [];
  const learn = (lane, s) => { if (s > clock[lane]) { clock[lane] = s; todo.push(lane); } };
  learn(L.lane[lineOf[step]], step);
  while (todo.length > 0) {
    const lane = todo.pop(), upto = clock[lane];
    const list = linesOf[lane];
    for (let k = lastAtMost(list, lineOf[upto], (i) => i); k >= 0; k--) {
      const s = L.step[list[k]];
      if (s === 0) continue;
      if (s <= done[lane]) break;
      for (const from of edgesTo.get(s) || []) learn(L.lane[lineOf[from]], from);
    }
    done[lane] = Math.max(done[lane], upto);
  }
  return clock;
}

// place returns "file:line" of a site.
function place(site) {
  const f = D.sites[site][3];
  return f < 0 ? "" : D.files[f].name.replace(/^.*\//, "") + ":" + D.sites[site][4];
}

// doing says what a site's operation is.
function doing(site) {
  const s = D.sites[site];
  return (D.kinds[s[0]][0] + " " + text(s[1])).trim();
}
