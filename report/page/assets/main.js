// Selection, filters, keys.
let selected = 0;
const hiddenLanes = new Set();
const objectBox = $("object"), onlyBox = $("only"), slider = $("slider");
const bugLine = count === 0 ? -1 : L.wrong.lastIndexOf(1) >= 0 ? L.wrong.lastIndexOf(1) : count - 1;
const matters = L.left.some((x) => x >= 0);

function filter() {
  const object = Number(objectBox.value), list = [];
  for (let i = 0; i < count; i++) {
    if (hiddenLanes.has(L.lane[i]) || onlyBox.checked && L.left[i] >= 0 && i !== selected) continue;
    if (object >= 0 && L.object[i] !== object && !L.wrong[i]) continue;
    list.push(i);
  }
  setShown(list);
  slider.max = Math.max(0, shown.length - 1);
  if (shown.length > 0 && indexOf[selected] < 0) select(shown[nearest(selected)]);
  else refresh();
}

function refresh() {
  const k = Math.max(0, indexOf[selected]);
  slider.value = k;
  slider.setAttribute("aria-valuetext", count > 0 ? describe(selected) : "");
  $("at").textContent = L.step[selected] > 0 ? `step ${L.step[selected]} of ${steps}` : "";
  scrollTo(selected);
  drawView();
}

// select selects a line.
function select(i, quiet) {
  if (i === undefined || i < 0 || i >= count) return;
  selected = i;
  if (indexOf[i] < 0) { if (one) hiddenLanes.clear(); else hiddenLanes.delete(L.lane[i]); objectBox.value = "-1"; chips(); filter(); }
  refresh();
  showSource(i);
  showStep(i);
  if (!quiet) {
    const hash = L.step[i] > 0 ? "#step=" + L.step[i] : "#line=" + i;
    try { history.replaceState(null, "", hash); } catch { /* a page without an address */ }
  }
}

function fromHash() {
  const m = /^#(step|line)=(\d+)$/.exec(location.hash);
  if (!m) return false;
  const i = m[1] === "step" ? lineOf[Number(m[2])] : Number(m[2]);
  if (i === undefined || i >= count) return false;
  select(i, true);
  return true;
}

// move selects the line that is d lines after the selected one, of those shown.
const move = (d) => { if (shown.length > 0) select(shown[Math.max(0, Math.min(shown.length - 1, nearest(selected) + d))]); };

// sameLane selects the next line of the goroutine in direction d.
function sameLane(d) {
  for (let k = indexOf[selected] + d; k >= 0 && k < shown.length; k += d) {
    if (L.lane[shown[k]] === L.lane[selected]) return select(shown[k]);
  }
}

// conflict selects the next line that has to do with the bug.
function conflict() {
  const of = new Set(D.pairs.flat().map((s) => lineOf[s]));
  L.wrong.forEach((w, i) => { if (w) of.add(i); });
  const list = [...of].sort((a, b) => a - b);
  if (list.length > 0) select(list.find((i) => i > selected) ?? list[0]);
}

function chips() {
  if (one) { // too many for buttons
    const only = D.lanes.findIndex((_, g) => hiddenLanes.size > 0 && !hiddenLanes.has(g));
    const box = element("select", { "aria-label": "goroutine" }, element("option", { value: -1 }, "all goroutines"), ...D.lanes.map((name, g) => element("option", { value: g }, name)));
    box.value = only;
    box.addEventListener("change", () => {
      hiddenLanes.clear();
      if (box.value !== "-1") D.lanes.forEach((_, g) => { if (g !== Number(box.value)) hiddenLanes.add(g); });
      filter();
    });
    $("goroutines").replaceChildren(box);
    return;
  }
  $("goroutines").replaceChildren(...D.lanes.map((name, g) => element("button", { type: "button", class: "chip", "aria-pressed": String(!hiddenLanes.has(g)),
    title: "show " + name + ", or not (with Shift: only it)", onclick: (e) => {
      if (e.shiftKey) D.lanes.forEach((_, h) => { if (h === g) hiddenLanes.delete(h); else hiddenLanes.add(h); });
      else if (!hiddenLanes.delete(g)) hiddenLanes.add(g);
      chips();
      filter();
    } }, name)));
}

function help() {
  const keys = $("keys");
  keys.hidden = !keys.hidden;
  $("help").setAttribute("aria-expanded", String(!keys.hidden));
  refresh();
}

const keyOf = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  l: () => sameLane(1), ArrowRight: () => sameLane(1), h: () => sameLane(-1), ArrowLeft: () => sameLane(-1),
  PageDown: () => move(20), PageUp: () => move(-20), Home: () => move(-count), End: () => move(count),
  c: conflict, f: () => select(bugLine), "?": help,
};

function legend() {
  const words = { read: "read", write: "write", atomic: "atomic write", "atomic-read": "atomic read", lock: "lock", unlock: "unlock", send: "send",
    recv: "receive", select: "select", close: "close", sync: "WaitGroup, Once, Cond and others", time: "timers and the clock", go: "go statement", end: "end", other: "other", fail: "here is the bug" };
  const used = new Set(L.kind.map((k) => D.kinds[k][1]));
  if (L.wrong.includes(1)) used.add("fail");
  const list = [];
  for (const shape of Object.keys(words)) {
    if (!used.has(shape)) continue;
    const svg = drawing("svg", { width: 18, height: 18, "aria-hidden": "true" });
    svg.append(mark(shape, 9, 9, false, false));
    list.push(svg, element("span", {}, words[shape]));
  }
  const line = (cls, word) => {
    const svg = drawing("svg", { width: 18, height: 18, "aria-hidden": "true" });
    svg.append(drawing("line", { x1: 9, x2: 9, y1: 0, y2: 18, class: cls }));
    list.push(svg, element("span", {}, word));
  };
  line("stuck", "blocked");
  line("edge", "happens before");
  if (D.loop > 0) {
    const svg = drawing("svg", { width: 18, height: 18, "aria-hidden": "true" });
    svg.append(drawing("rect", { x: 7, y: 0, width: 4, height: 18, class: "loop" }));
    list.push(svg, element("span", {}, "repeats forever"));
  }
  if (D.pairs.length > 0) line("pair", "conflict");
  $("legend").replaceChildren(...list);
}

function begin() {
  $("text").open = false;
  const why = $("why").textContent;
  $("why").replaceChildren();
  linked($("why"), why);
  D.objects.forEach((name, n) => objectBox.append(element("option", { value: n }, name)));
  onlyBox.checked = matters;
  $("onlyLabel").hidden = !matters;
  chips();
  legend();
  drawHead();
  headBox.style.minWidth = numberWidth + lanesWidth + "px";
  if (count === 0) return;
  selected = bugLine;
  filter();
  if (!fromHash()) select(bugLine, true);

  let waiting = false;
  lanesBox.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawView(); });
  });
  addEventListener("resize", drawView);
  addEventListener("hashchange", fromHash);
  addEventListener("beforeprint", () => { printing = true; drawView(); });
  addEventListener("afterprint", () => { printing = false; filter(); });
  slider.addEventListener("input", () => select(shown[Number(slider.value)]));
  objectBox.addEventListener("change", filter);
  onlyBox.addEventListener("change", filter);
  $("first").addEventListener("click", () => move(-count));
  $("prev").addEventListener("click", () => move(-1));
  $("next").addEventListener("click", () => move(1));
  $("bug").addEventListener("click", () => select(bugLine));
  $("help").addEventListener("click", help);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLSelectElement) return;
    if (e.target === slider && e.key.length > 1) return;
    if (e.target === sourceBox && /^(Arrow|Page|Home|End)/.test(e.key)) return;
    const f = keyOf[e.key];
    if (f) { e.preventDefault(); f(); }
  });
}
begin();
