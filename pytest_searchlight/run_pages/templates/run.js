// A run's page: long texts unfold when asked, paths are copied, all calls open at once.
"use strict";

(() => {
  const CHUNK_CHARS = 20000;

  /** Pieces of a text that end with a line where possible, so that the browser lays out only what is seen. */
  function* splitText(text) {
    for (let start = 0; start < text.length; ) {
      let end = Math.min(start + CHUNK_CHARS, text.length);
      const line = text.lastIndexOf("\n", end - 1);
      if (end < text.length && line >= start) end = line + 1;
      yield text.slice(start, end);
      start = end;
    }
  }

  function showAll(box) {
    const beginning = box.querySelector("pre");
    const whole = beginning.textContent + box.querySelector("template").content.textContent;
    const pieces = document.createDocumentFragment();
    for (const piece of splitText(whole)) {
      const part = document.createElement("pre");
      part.className = "piece";
      part.dir = "auto";
      part.textContent = piece;
      pieces.append(part);
    }
    box.replaceChildren(pieces);
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
  }

  async function copy(button) {
    const code = button.parentElement.querySelector("code");
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected";
    }
  }

  function unfoldAll() {
    for (const details of document.querySelectorAll(".steps details")) details.open = true;
  }

  for (const button of document.querySelectorAll("main button[hidden]")) button.hidden = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.classList.contains("unfold")) showAll(button.parentElement);
    else if (button.classList.contains("copy")) copy(button);
    else if (button.id === "unfold-all") unfoldAll();
  });
})();
