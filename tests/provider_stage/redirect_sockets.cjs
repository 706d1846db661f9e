// Sends every TCP connection that would leave this machine to a port on loopback.
//
// Loaded into a provider's server before its own code. The socket is the level where all HTTP stacks meet
// (built-in fetch, bundled undici, axios, http2, workers). Host names, SNI and certificate checks stay as they are,
// so a host that the fake API has no certificate for fails instead of being reached.
"use strict";

const net = require("node:net");

const LOOPBACK = new Set([undefined, "localhost", "127.0.0.1", "::1"]);

// `connect` takes (options, done), (port, host, done), (path, done), or one array that node has normalised already.
function readArguments(args) {
  const [first, ...rest] = Array.isArray(args[0]) ? args[0] : args;
  const done = rest.find((argument) => typeof argument === "function");
  if (typeof first === "object" && first !== null) {
    return { options: first, done };
  }
  const host = typeof rest[0] === "string" ? rest[0] : undefined;
  return { options: Number(first) >= 0 ? { port: first, host } : { path: first }, done };
}

module.exports = function redirectSockets(port) {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...args) {
    const { options, done } = readArguments(args);
    if (options.path || LOOPBACK.has(options.host)) {
      return connect.apply(this, args);
    }
    // Spread, not Object.create: some HTTP stacks pass options without a prototype.
    const moved = { ...options, host: "127.0.0.1", port, lookup: undefined };
    return done ? connect.call(this, moved, done) : connect.call(this, moved);
  };
};
