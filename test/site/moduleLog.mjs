/**
 * Loaded before a site agent (`node --import`): writes the address of each module that the process loads, and when, to
 * `modules.log` in its state folder.
 */
import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

let path = null;

export function initialize(data) {
  path = data;
}

export function load(url, context, next) {
  appendFileSync(path, `${url}\n`);
  return next(url, context);
}

if (isMainThread) {
  const state = process.argv[process.argv.indexOf("--state") + 1];
  register(import.meta.url, { data: join(state, "modules.log") });
}
