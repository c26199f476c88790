// Checkboxes named after analyses show and hide their facts; the others are classes of the body.
for (const box of document.querySelectorAll("header input")) {
  const apply = () => document.body.classList.toggle(box.dataset.hide || box.dataset.show, box.dataset.hide ? !box.checked : box.checked);
  box.addEventListener("change", apply);
  apply();
}
