const field = document.getElementById("search");
const count = document.getElementById("count");
const rows = [...document.querySelectorAll("[data-words]")];
function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const row of rows) {
    row.hidden = !words.every((word) => row.dataset.words.includes(word));
    found += row.hidden ? 0 : 1;
  }
  count.textContent = found + " of " + rows.length + (rows.length === 1 ? " rule" : " rules");
}
field.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
search();
