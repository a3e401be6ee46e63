/**
 * Networks that hospitals really have, with real processes: a web proxy spoken to by TLS that wants credentials, links
 * that are cut, load balancers that forget idle connections, connections that are dead and do not know it.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { foreignAuthority } from "@consilium/runtime/testing/network/certificates";
import { PlayedProxy } from "@consilium/runtime/testing/network/proxy";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SitePlan } from "../../scripts/localFederation.js";
import { FaultFederation, tableText } from "../support/faultFederation.js";
import { Middlebox } from "../support/middlebox.js";

const password = "rose Garten:7";
let federation: FaultFederation;
let proxy: PlayedProxy;
let target: string;
/** Between the aggregator and a site of that name. */
const boxes: Record<"flapping" | "idle" | "halfopen", Middlebox> = {} as never;
const behindBoxes = ["flapping", "idle", "halfopen"] as const;

beforeAll(async () => {
  federation = await FaultFederation.create({});
  const { local } = federation;
  target = (await local.aggregator.addresses()).grpc!;
  const port = Number(target.split(":")[1]);

  const gateway = await foreignAuthority("Hospital proxy CA");
  proxy = await PlayedProxy.start({
    tls: await gateway.leaf("127.0.0.1"),
    credentials: { username: "consilium", password },
  });
  await writeFile(join(federation.home, "ca.pem"), gateway.caPem);
  await writeFile(join(federation.home, "password"), `${password}\n`, { mode: 0o600 });
  for (const id of behindBoxes) boxes[id] = await Middlebox.start(port);
  await Promise.all([
    addSite("proxied", {
      enrolOptions: [
        "--proxy",
        proxy.url,
        "--proxy-user",
        "consilium",
        "--proxy-password-file",
        join(federation.home, "password"),
        "--proxy-ca",
        join(federation.home, "ca.pem"),
      ],
    }),
    ...behindBoxes.map((id) => addSite(id, { dials: boxes[id].address })),
  ]);
  await federation.waitForPresence(["proxied", ...behindBoxes], "online");
});
afterAll(async () => {
  await federation?.remove();
  await proxy?.close();
  for (const box of Object.values(boxes)) await box.close();
});

async function addSite(id: string, plan: Pick<SitePlan, "dials" | "enrolOptions">) {
  const table = federation.tablePath(id);
  await writeFile(table, tableText(40_000, id.length));
  return federation.local.addSite({ id, tables: { records: table }, allowNoPrivacy: true, ...plan });
}

/** Until a site's own status says so. @returns milliseconds it took */
async function untilConnected(site: string, connected: boolean): Promise<number> {
  const startedAt = Date.now();
  await federation.until(`${site} to be ${connected ? "" : "dis"}connected`, async () => {
    const { stdout } = await federation.local.cliOrThrow("site", "status", "--site", site, "--json");
    return (JSON.parse(stdout) as { connected: boolean }).connected === connected || null;
  });
  return Date.now() - startedAt;
}

async function connections(site: string): Promise<number> {
  return (await federation.site(site).log()).split('"msg":"connected to the aggregator"').length - 1;
}

it("enrols, attends and uploads through a proxy with TLS, an authority of its own and credentials", async () => {
  // One tunnel each to look at the certificate, to enrol, and to attend.
  expect(proxy.tunnels).toEqual([target, target, target]);
  const study = await federation.start({ name: "all", sites: ["proxied", ...behindBoxes] });
  await federation.ended(study, "released");
});

// Much of the rest is waiting, each for another site.
it.concurrent("continues with a study when the link to a site flaps, and when it is away for long", async () => {
  const sites = ["proxied", "flapping", "halfopen"];
  const before = await connections("flapping");
  const study = await federation.start({ name: "flaps", sites, phaseDeadline: "90s" });
  for (let flap = 0; flap < 4; flap++) {
    boxes.flapping.down();
    proxy.cut();
    await delay(200);
    boxes.flapping.up();
    await delay(800);
  }
  boxes.flapping.down();
  await delay(12_000);
  boxes.flapping.up();
  const backMs = await untilConnected("flapping", true);
  // The longest pause between two attempts is ten seconds and a quarter; the rest is a busy machine's.
  expect(backMs).toBeLessThan(30_000);
  expect(await connections("flapping")).toBeGreaterThan(before);
  await federation.ended(study, "released");
});

it.concurrent("is kept up by heartbeats through a load balancer that forgets idle connections", async () => {
  const before = await connections("idle");
  boxes.idle.idleMs = 8_000;
  await delay(18_000);
  expect([await connections("idle"), boxes.idle.forgotten]).toEqual([before, 0]);
  // The control: one that is quicker than the heartbeats does forget it.
  boxes.idle.idleMs = 2_000;
  const forgottenBy = Date.now() + 10_000;
  while (boxes.idle.forgotten === 0 && Date.now() < forgottenBy) await delay(50);
  expect(boxes.idle.forgotten).toBeGreaterThan(0);
  boxes.idle.idleMs = Number.POSITIVE_INFINITY;
  const startedAt = Date.now();
  while ((await connections("idle")) === before && Date.now() < startedAt + 60_000) await delay(100);
  const noticedMs = Date.now() - startedAt;
  // Four heartbeats of five seconds without an answer, or gRPC's ping after 20 s and its 10 s; then up to 12.5 s of pause.
  expect(noticedMs).toBeLessThan(50_000);
});

it.concurrent("notices a half-open connection, also in the middle of a study, and continues by another", async () => {
  const before = await connections("halfopen");
  const sites = ["proxied", "flapping", "halfopen"];
  const study = await federation.start({ name: "half-open", sites, phaseDeadline: "90s" });
  await federation.opened(study, "moments");
  boxes.halfopen.forgetAll();
  const startedAt = Date.now();
  while ((await connections("halfopen")) === before && Date.now() < startedAt + 60_000) await delay(100);
  expect(Date.now() - startedAt).toBeLessThan(50_000);
  await federation.ended(study, "released");
});
