// The source, with the line that each goroutine is at.
const sourceBox = $("code-lines"), fileBox = $("file");
let fileShown = -2;
const rowsOfFile = new Map(); // by line number

const keywords = new Set(("break case chan const continue default defer else fallthrough for func go goto if import interface map package " +
  "range return select struct switch type var").split(" "));

// highlight appends the tokens of a line; inside is what a token that goes on from the line before is in:
// "", "`" or "*". It returns what the next line begins in.
function highlight(to, line, inside) {
  const part = (cls, s) => { if (s !== "") to.append(cls ? element("span", { class: cls }, s) : s); };
  let at = 0;
  if (inside !== "") {
    const end = line.indexOf(inside === "`" ? "`" : "*/");
    const stop = end < 0 ? line.length : end + (inside === "`" ? 1 : 2);
    part(inside === "`" ? "s" : "c", line.slice(0, stop));
    if (end < 0) return inside;
    at = stop;
  }
  const token = /\/\/.*|\/\*|`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\p{L}_][\p{L}\p{N}_]*/gu;
  token.lastIndex = at;
  for (let m; (m = token.exec(line)) !== null;) {
    part("", line.slice(at, m.index));
    at = token.lastIndex;
    if (m[0] === "`" || m[0] === "/*") {
      const close = m[0] === "`" ? "`" : "*/";
      const end = line.indexOf(close, at);
      const stop = end < 0 ? line.length : end + close.length;
      part(m[0] === "`" ? "s" : "c", line.slice(m.index, stop));
      if (end < 0) return m[0] === "`" ? "`" : "*";
      at = token.lastIndex = stop;
    } else {
      const c = m[0][0];
      part(m[0].startsWith("//") ? "c" : c === '"' || c === "'" ? "s" : keywords.has(m[0]) ? "k" : "", m[0]);
    }
  }
  part("", line.slice(at));
  return "";
}

function showFile(f) {
  if (f === fileShown) return;
  fileShown = f;
  rowsOfFile.clear();
  fileBox.textContent = f < 0 ? "outside the program" : D.files[f].name;
  if (f < 0 || D.files[f].parts.length === 0) {
    sourceBox.replaceChildren(element("p", { class: "skip" }, f < 0 ? "This operation is not in the code of the program." : "The file did not exist when this page was written."));
    return;
  }
  const all = [];
  D.files[f].parts.forEach((p, n) => {
    if (n > 0 || p.from > 1) all.push(element("div", { class: "skip" }, "⋮"));
    let inside = "";
    p.lines.forEach((line, k) => {
      const who = element("span", { class: "who" }), code = element("span", {});
      inside = highlight(code, line, inside);
      const e = element("div", { class: "src" }, who, element("span", { class: "ln" }, String(p.from + k)), code);
      rowsOfFile.set(p.from + k, e);
      all.push(e);
    });
  });
  sourceBox.replaceChildren(...all);
}

// mostNames is how many goroutines are named beside a line; of more there is the first and their number.
const mostNames = 2;

// showSource shows the file of a line of the schedule, and where every goroutine is.
function showSource(i) {
  const f = D.sites[L.site[i]][3];
  showFile(f);
  for (const e of rowsOfFile.values()) {
    if (e.className !== "src") e.className = "src";
    if (e.firstChild.firstChild) { e.firstChild.replaceChildren(); e.firstChild.removeAttribute("title"); }
  }
  if (f < 0) return;
  const at = new Map(); // by line number: [name, class, what it does]
  const current = D.sites[L.site[i]][4];
  push(at, current, ["▸" + D.lanes[L.lane[i]], "", kindName(i)]);
  const state = L.state[i];
  D.lanes.forEach((name, g) => {
    if (g === L.lane[i] || D.ended && state >= steps) return;
    const site = pendingAt(g, state);
    if (site === null || site < 0 || D.sites[site][3] !== f) return;
    const can = canMove(g, state);
    push(at, D.sites[site][4], [name, can ? "can" : "waitsfor", (can ? "can move: " : "blocked: ") + doing(site)]);
  });
  for (const [line, list] of at) {
    const e = rowsOfFile.get(line);
    if (!e) continue;
    const who = e.firstChild;
    who.title = list.map((x) => x[0] + ": " + x[2]).join("\n");
    const named = list.length > mostNames ? 1 : list.length;
    list.slice(0, named).forEach((x, k) => who.append(k > 0 ? " " : "", element("span", { class: x[1] }, x[0])));
    if (list.length > named) who.append(" +" + (list.length - named));
  }
  const e = rowsOfFile.get(current);
  if (!e) return;
  e.className = "src cur" + (L.wrong[i] ? " bad" : "");
  const y = e.offsetTop - sourceBox.offsetTop;
  if (y < sourceBox.scrollTop + 30 || y + 60 > sourceBox.scrollTop + sourceBox.clientHeight) sourceBox.scrollTop = y - sourceBox.clientHeight / 3;
}
