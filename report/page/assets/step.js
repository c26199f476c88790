// The selected step: what it does, and what else could have happened.
const stepBox = $("step");

// linked appends text in which "step 3" and "steps 3-13" are links.
function linked(to, s) {
  let at = 0;
  for (const m of s.matchAll(/\bsteps? (\d+)(?:-(\d+))?/g)) {
    to.append(s.slice(at, m.index));
    const word = m[0].slice(0, m[0].indexOf(" ") + 1);
    to.append(word, stepLink(Number(m[1])));
    if (m[2]) to.append("-", stepLink(Number(m[2])));
    at = m.index + m[0].length;
  }
  to.append(s.slice(at));
  return to;
}

function stepLink(step) {
  if (lineOf[step] === undefined) return String(step);
  return element("a", { href: "#step=" + step }, String(step));
}

// shellQuote makes a word of a POSIX shell.
const shellQuote = (s) => (/^[\w./@%+=:,-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'");

// command replays the schedule up to a state, from where another goroutine goes first.
const command = (state, lane) => "hbcheck replay --until " + state + " --then " + D.lanes[lane] + " " + shellQuote(D.replay);

// mostOthers is how many other goroutines are listed.
const mostOthers = 40;

// mostCalls is how many calls of a stack are shown without a click.
const mostCalls = 8;

function showStep(i) {
  const step = L.step[i], state = L.state[i], g = L.lane[i], name = D.lanes[g];
  const to = document.createDocumentFragment();
  const heading = (s) => to.append(element("h3", {}, s));
  const title = step > 0 ? `Step ${step} of ${steps}: ` : L.blocked[i] ? "Blocked: " : "";
  to.append(element("h2", {}, title, element("span", { class: L.wrong[i] ? "fail" : "" }, name + " "), element("span", { class: shapeOf(i) }, kindName(i)), " " + text(D.sites[L.site[i]][1])));
  const at = D.sites[L.site[i]];
  const before = text(L.before[i]), after = text(L.effect[i]);
  if (before !== "" && after.startsWith("= ")) {
    to.append(element("p", { class: "value" }, text(at[1]) + ": ", element("b", {}, before), " → ", element("b", {}, after.slice(2))));
  } else if (after !== "") {
    to.append(element("p", { class: "value" }, after));
  } else if (kindName(i) === "fail") {
    to.append(element("p", { class: "value" }, text(L.what[i])));
  }
  to.append(element("p", { class: "small" }, [text(at[2]), at[3] < 0 ? "" : D.files[at[3]].name + ":" + at[4]].filter((s) => s !== "").join(" · ")));
  if (L.note[i] >= 0 && !L.blocked[i]) to.append(linked(element("p", {}), "◂ " + text(L.note[i])));
  const calls = [];
  for (let c = L.call[i]; c >= 0; c = D.calls[c][0]) calls.push(D.calls[c]);
  if (calls.length > 1) {
    const list = element("ol", { class: "calls" });
    for (const [, fn, file, line] of calls) {
      list.append(element("li", {}, element("code", {}, text(fn)), element("span", { class: "small" }, file < 0 ? "" : " " + text(file) + ":" + line)));
    }
    to.append(element("details", calls.length <= mostCalls ? { open: "" } : {}, element("summary", {}, "Call stack"), list));
  }
  if (L.partner[i] >= 0) to.append(element("p", {}, "together with " + D.lanes[L.partner[i]]));
  const pairs = D.pairs.filter((p) => p.includes(step) && step > 0);
  for (const [a, b] of pairs) to.append(element("p", { class: "fail" }, "conflicts with step ", stepLink(a === step ? b : a)));

  if (!observed) {
    stepBox.replaceChildren(to);
    return;
  }
  if (D.ended && state >= steps) {
    to.append(element("p", { class: "small" }, "The program has ended."));
    stepBox.replaceChildren(to);
    return;
  }
  heading("The goroutines" + (step > 0 ? " before this step" : ""));
  const table = element("table", {});
  const rank = (h) => (canMove(h, state) ? 0 : pendingAt(h, state) < 0 ? 2 : 1);
  let others = D.lanes.map((_, h) => h).filter((h) => (h !== g || step === 0) && pendingAt(h, state) !== null);
  const more = others.length - mostOthers;
  if (more > 0) others = others.sort((a, b) => rank(a) - rank(b) || a - b).slice(0, mostOthers);
  for (const h of others) {
    const other = D.lanes[h], site = pendingAt(h, state);
    const cell = element("td", {});
    if (site < 0) cell.append(element("span", { class: "small" }, "has ended"));
    else {
      const can = canMove(h, state);
      cell.append(element("span", { class: can ? "" : "blockedword" }, can ? "could move: " : "blocked: "),
        element("code", {}, doing(site)), element("span", { class: "small" }, " " + place(site)));
      if (can && step > 0) cell.append(element("br", {}), ...otherwise(h, state, g));
    }
    table.append(element("tr", {}, element("th", { scope: "row" }, other), cell));
  }
  if (L.fact[i] >= 0) to.append(element("p", { class: "small" }, `Static facts (${text(L.fact[i])}): no operation that the other goroutines can still do conflicts with this step, so no other order was tried.`));
  if (table.firstChild) to.append(table, ...(more > 0 ? [element("p", { class: "small" }, "and " + more + " more")] : [])); else to.append(element("p", { class: "small" }, "There are no other goroutines."));

  heading(step > 0 ? "Locks held after this step" : "Locks held");
  const locks = held(step > 0 ? step : state);
  const holders = locks.flatMap((list, h) => list.map(([lock, shared, since]) => {
    const p = element("p", {}, element("span", { class: "mono" }, D.lanes[h] + ": " + D.locks[lock]), shared ? " (as a reader)" : "", " since step ", stepLink(since));
    return p;
  }));
  to.append(...(holders.length > 0 ? holders : [element("p", { class: "small" }, "none")]));

  if (step > 0) {
    heading("Vector clock");
    const clock = knows(step);
    const list = element("p", {});
    clock.forEach((s, h) => {
      if (s > 0) list.append(list.firstChild ? ", " : "", element("span", { class: "mono" }, D.lanes[h] + ":"), stepLink(s));
    });
    to.append(list, element("p", { class: "small" }, "The last step of each goroutine that happens before the end of this one in the memory model."));
  }
  stepBox.replaceChildren(to);
}

// otherwise says why the order does not matter, or what it would be, if lane h moved in a state.
function otherwise(h, state, g) {
  const next = nextStep(h, state), list = [];
  const small = (...s) => element("span", { class: "small" }, ...s);
  if (next === 0) list.push(small("it makes no further step in this schedule"));
  else {
    const c = conflictsOf.get(next);
    const first = c ? c.steps.find((s) => s > state) : undefined;
    if (first !== undefined) list.push(small("conflicts with step ", stepLink(first), ", which comes first here: the other order is another schedule. It moves in step ", stepLink(next)));
    else if (c && state < c.from) list.push(small("it moves in step ", stepLink(next)));
    else list.push(small("the order makes no difference until it moves in step ", stepLink(next)));
  }
  if (D.replay !== "") {
    const cmd = command(state, h);
    list.push(element("br", {}), element("button", { type: "button", class: "copy", title: cmd, onclick: () => copy(cmd) }, "replay from here with " + D.lanes[h] + " first"));
  }
  return list;
}

async function copy(s) {
  try {
    await navigator.clipboard.writeText(s);
  } catch {
    const area = element("textarea", {});
    area.value = s;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const toast = $("toast");
  toast.textContent = "copied: " + s;
  toast.classList.add("on");
  setTimeout(() => toast.classList.remove("on"), 2500);
}
