"use strict";

// Tables are sorted on request only; a third click brings back the order in which nobody comes first.
function readKey(row, place, isNumber) {
  const cell = row.cells[place];
  const text = cell.textContent;
  const key = cell.dataset.sort ?? (text === "\u2013" ? "" : text);
  if (key === "") return null;
  if (!isNumber) return key;
  const ratio = cell.dataset.sort === undefined && /^(\d+)\/(\d+)/.exec(text);
  return ratio ? ratio[1] / ratio[2] : Number(key);
}

function compareRows(place, isNumber, sign) {
  return (one, other) => {
    const [a, b] = [readKey(one, place, isNumber), readKey(other, place, isNumber)];
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (isNumber ? a - b : a.localeCompare(b, "en"));
  };
}

function wireTable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  if (original.length < 2) return;
  const note = document.getElementById(table.dataset.note);
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const isNumber = !heading.classList.contains("text");
      const orders = isNumber ? ["descending", "ascending", null] : ["ascending", "descending", null];
      const order = orders[(orders.indexOf(heading.getAttribute("aria-sort")) + 1) % 3];
      for (const each of headings) each.removeAttribute("aria-sort");
      if (order) heading.setAttribute("aria-sort", order);
      const sign = order === "descending" ? -1 : 1;
      body.append(...(order ? original.toSorted(compareRows(place, isNumber, sign)) : original));
      const told = `Sorted by “${button.textContent}”, ${order}.`;
      note.textContent = order ? told + (isNumber ? " Where intervals overlap, this order may be chance." : "") : "";
    });
  });
}

// The keyboard stops at a table or drawing only where there is something to scroll to.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
});

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".scroll").forEach((region) => sizes.observe(region));
  document.querySelectorAll("table[data-note]").forEach(wireTable);
});

addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
});
