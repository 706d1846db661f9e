// Loaded by node before a provider's server, when asked for: notes what the provider's API says a request cost.
//
// Some servers drop that before the agent, and so the metering proxy, could see it. The answer itself is left alone:
// a copy of it is read beside the server, and the server never waits for the copy. Only the spend is written down,
// one JSON object a line, never the request, the answer or a key.
"use strict";

const fs = require("node:fs");

const file = process.env.SEARCHLIGHT_TAP_FILE;
const fetch = globalThis.fetch;

// Where APIs put what a request cost, by the unit it is counted in.
const PLACES = [
  ["usd", ["costDollars", "total"]],
  ["usd", ["usage", "cost", "total_cost"]],
  ["credits", ["usage", "credits"]],
  ["credits", ["creditsUsed"]],
];

function findSpend(answer) {
  const spend = {};
  for (const [unit, path] of PLACES) {
    const amount = path.reduce((value, key) => value?.[key], answer);
    if (typeof amount === "number" && !(unit in spend)) {
      spend[unit] = amount;
    }
  }
  return spend;
}

// The JSON documents of an answer: its body, or the data of each event of a stream.
function* readDocuments(text) {
  const parts = text.startsWith("{") ? [text] : text.split("\n").filter((line) => line.startsWith("data:"));
  for (const part of parts) {
    try {
      yield JSON.parse(part.replace(/^data:/, ""));
    } catch {
      // An answer that is no JSON reports no spend.
    }
  }
}

// The last report counts: a stream repeats it as it grows.
async function noteSpend(response) {
  const { host, pathname } = new URL(response.url);
  let last = {};
  for (const document of readDocuments(await response.text())) {
    const spend = findSpend(document.response ?? document);
    last = Object.keys(spend).length > 0 ? spend : last;
  }
  if (Object.keys(last).length > 0) {
    fs.appendFileSync(file, `${JSON.stringify({ host, path: pathname, spend: last })}\n`);
  }
}

if (file) {
  globalThis.fetch = async function (...args) {
    const response = await fetch.apply(this, args);
    noteSpend(response.clone()).catch(() => {});
    return response;
  };
}
