"use strict";
// n and p go to the next and previous line that was not reached.
(function () {
  const rows = Array.from(document.querySelectorAll(".src.never, .src.partly"));
  let at = -1;
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !rows.length || (e.key !== "n" && e.key !== "p")) return;
    at = (at + (e.key === "n" ? 1 : -1) + rows.length) % rows.length;
    rows.forEach(function (r) { r.classList.remove("cur"); });
    rows[at].classList.add("cur");
    rows[at].scrollIntoView({ block: "center" });
  });
})();
