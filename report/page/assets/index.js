"use strict";
const rows = [...document.querySelectorAll("tbody tr")];
const verdict = document.getElementById("verdict"), find = document.getElementById("find"), found = document.getElementById("found");
function filter() {
  const words = find.value.toLowerCase();
  let n = 0;
  for (const r of rows) {
    r.hidden = verdict.value !== "" && !r.classList.contains(verdict.value) || !r.textContent.toLowerCase().includes(words);
    if (!r.hidden) n++;
  }
  found.textContent = n === rows.length ? "" : n + " of " + rows.length;
}
verdict.addEventListener("change", filter);
find.addEventListener("input", filter);
