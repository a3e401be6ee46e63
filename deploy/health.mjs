// Exit code 0 if every process that keeps its state below CONSILIUM_HOME answers: servers on /healthz, a site's agent on its
// Unix socket. With an argument, if somebody listens on that Unix socket. For HEALTHCHECK, as the images have no curl.
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";

const waitMs = 4_000;
const socket = process.argv[2];
if (socket !== undefined) {
  const call = connect(socket);
  await once(call, "connect").catch((thrown) => fail(`${socket} does not answer: ${thrown.message}`));
  process.exit(0);
}
const home = process.env.CONSILIUM_HOME ?? "/state";
const sites = (existsSync(join(home, "sites")) ? readdirSync(join(home, "sites")) : []).map((site) =>
  join("sites", site),
);
const there = (folders, name) =>
  folders.map((folder) => join(home, folder, name)).filter((path) => existsSync(path));
const servers = there(
  ["aggregator", "publisher", "console", ...sites.map((site) => join(site, "console"))],
  "addresses.json",
);
const agents = there(sites, "agent.sock");
if (servers.length + agents.length === 0) fail(`no process has started below ${home}`);
for (const path of servers) await askServer(path);
for (const path of agents) await askAgent(path);

function askServer(path) {
  const listens = JSON.parse(readFileSync(path, "utf8"));
  const address = String(listens.http ?? listens.console)
    .replace(/^0\.0\.0\.0:/, "127.0.0.1:")
    .replace(/^\[::\]:/, "[::1]:");
  const isTls = listens.scheme === "https";
  // Its certificate is for the names that browsers use, and this asks the process on the same machine.
  const options = isTls ? { rejectUnauthorized: false } : {};
  const url = `${isTls ? "https" : "http"}://${address}/healthz`;
  return new Promise((resolve) => {
    const call = (isTls ? requestTls : request)(url, { ...options, timeout: waitMs }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) fail(`${address} answers ${answer.statusCode}`);
      answer.on("end", resolve);
    });
    call.on("timeout", () => call.destroy(new Error("no answer in time")));
    call.on("error", (thrown) => fail(`${address} does not answer: ${thrown.message}`));
    call.end();
  });
}

function askAgent(socketPath) {
  return new Promise((resolve) => {
    const call = request({ socketPath, path: "/v1/health", method: "POST", timeout: waitMs }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) fail(`${socketPath} answers ${answer.statusCode}`);
      answer.on("end", resolve);
    });
    call.on("timeout", () => call.destroy(new Error("no answer in time")));
    call.on("error", (thrown) => fail(`${socketPath} does not answer: ${thrown.message}`));
    call.end("{}");
  });
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
