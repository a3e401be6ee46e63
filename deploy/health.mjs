// Exit code 0 if the process that keeps its state below CONSILIUM_HOME answers on /healthz: for HEALTHCHECK, as the
// images have no curl.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const home = process.env.CONSILIUM_HOME ?? "/state";
const sites = existsSync(join(home, "sites")) ? readdirSync(join(home, "sites")) : [];
const states = ["aggregator", "publisher", ...sites.map((site) => join("sites", site))];
const path = states.map((state) => join(home, state, "addresses.json")).find((file) => existsSync(file));
if (path === undefined) fail(`no process has started below ${home}`);

const listens = JSON.parse(readFileSync(path, "utf8"));
const address = String(listens.http ?? listens.console)
  .replace(/^0\.0\.0\.0:/, "127.0.0.1:")
  .replace(/^\[::\]:/, "[::1]:");
try {
  const answer = await fetch(`http://${address}/healthz`, { signal: AbortSignal.timeout(4_000) });
  if (!answer.ok) fail(`${address} answers ${answer.status}`);
} catch (thrown) {
  fail(`${address} does not answer: ${thrown.cause?.message ?? thrown.message}`);
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
