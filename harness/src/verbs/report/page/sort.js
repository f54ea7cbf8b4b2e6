// A button in each column's title sorts its table: by number where all values are numbers, empty ones last.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "ascending";
      for (const other of titles) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => ({ row, text: row.cells[column].textContent.trim() }));
      for (const entry of rows) entry.number = Number(entry.text.replace(/,| %$/g, ""));
      const numeric = rows.every((entry) => !Number.isNaN(entry.number));
      rows.sort((a, b) => {
        if (a.text === "" || b.text === "") return (a.text === "") - (b.text === "");
        const order = numeric ? a.number - b.number : a.text.localeCompare(b.text, "en", { numeric: true });
        return down ? -order : order;
      });
      body.append(...rows.map((entry) => entry.row));
    });
  });
}
// What is folded is printed, too.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
