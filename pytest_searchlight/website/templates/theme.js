"use strict";

// The theme is set before the page is drawn, so that it does not flash.
const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function readTheme() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage may be forbidden; the system's choice is used then
  }
}

function keepTheme(theme) {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // it holds until the page is left
  }
}

const kept = readTheme();
if (kept === "light" || kept === "dark") root.dataset.theme = kept;

function isDark() {
  return (root.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
}

function wireTheme(button) {
  const tell = () => { button.textContent = isDark() ? "Light theme" : "Dark theme"; };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keepTheme(root.dataset.theme);
    tell();
  });
  prefersDark.addEventListener("change", tell);
  button.hidden = false;
  tell();
}

document.addEventListener("DOMContentLoaded", () => wireTheme(document.getElementById("theme")));
