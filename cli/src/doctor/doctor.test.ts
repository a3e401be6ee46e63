import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { osRandom } from "@consilium/runtime/random";
import { type PlayedAggregator, playAggregator } from "@consilium/runtime/testing/doctor/servers";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { PlayedProxy } from "@consilium/runtime/testing/network/proxy";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";
import { plainStyle } from "../terminal/style.js";
import { doctorText } from "./doctorText.js";

let federation: TestFederation;
let aggregator: PlayedAggregator;
let home: string;
beforeAll(async () => {
  federation = await testFederation();
  const leaf = await federation.leaf("aggregator", "aggregator");
  aggregator = await playAggregator(leaf, federation.root.certificatePem);
});
afterAll(() => aggregator.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-doctor-"));
});
afterEach(() => rm(home, { recursive: true }));

function token(expiresAt = Date.now() + 3_600_000, port = aggregator.port): string {
  return createInvitation({
    address: `127.0.0.1:${port}`,
    rootFingerprint: federation.root.fingerprint,
    siteId: unwrap(parseSiteId("st-mary")),
    expiresAt,
    random: osRandom,
  }).token;
}

async function doctor(...args: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home }, workingFolder: home });
  const code = await runCli(["doctor", "--timeout", "1s", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe("before a site is enrolled", () => {
  it("checks the path with only the token, and never shows it", async () => {
    const given = token();
    const { code, out } = await doctor(given, "--json");
    const view = JSON.parse(out) as DoctorView;
    expect(view).toMatchObject({ subject: "invitation", name: "st-mary" });
    expect(view.checks.filter(({ status }) => status === "fail")).toEqual([]);
    expect(view.checks.find(({ id }) => id === "certificate")).toMatchObject({ status: "skipped" });
    expect(code).toBe(0);
    expect(out).not.toContain(given.slice(10, 40));
  });

  it("uses the given proxy, and fails with the text for the network team", async () => {
    const proxy = await PlayedProxy.start({ refuse: 403 });
    const open = await PlayedProxy.start();
    try {
      await writeFile(join(home, "t.token"), token());
      const refused = await doctor("--token-file", "t.token", "--proxy", proxy.url);
      expect(refused.code).toBe(1);
      expect(refused.out).toContain("FAIL  Web proxy");
      expect(refused.out.split("To send to the network team:")[1]).toContain("allow the method CONNECT");
      expect((await doctor("--token-file", "t.token", "--proxy", open.url)).code).toBe(0);
      expect(open.tunnels).toHaveLength(1);
    } finally {
      await proxy.close();
      await open.close();
    }
  });

  it("reports an expired token, and still checks the path", async () => {
    const { code, out } = await doctor(token(Date.now() - 1), "--json");
    const view = JSON.parse(out) as DoctorView;
    expect(view.checks.filter(({ status }) => status === "fail").map(({ id }) => id)).toEqual(["identity"]);
    expect(view.checks.find(({ id }) => id === "tls")).toMatchObject({ status: "ok" });
    expect(code).toBe(1);
  });

  it("refuses an invalid token, and says what to give without one", async () => {
    expect((await doctor("nonsense")).err).toContain("[TOKEN_INVALID]");
    const nothing = await doctor();
    expect(nothing.err).toContain("[STATE_MISSING]");
    expect(nothing.err).toContain("Give the invitation token");
  });
});

it("checks the operator's machine with --operator, and reports missing folders", async () => {
  const { code, out } = await doctor("--operator", "--json");
  expect(code).toBe(1);
  const view = JSON.parse(out) as DoctorView;
  expect(view).toMatchObject({ subject: "operator", aggregator: null });
  expect(view.checks.map(({ id }) => id)).toEqual([
    "identity:aggregator",
    "disk:aggregator",
    "tcp",
    "console",
  ]);
});

it("prints every check, its remedy, and the text to forward, wrapped and escaped", () => {
  const text = doctorText(
    {
      checkedAt: "2026-03-01T10:00:00.000Z",
      software: "0.1.0",
      subject: "site",
      name: "st-mary",
      aggregator: "a.example.org:7443",
      checks: [
        { id: "dns", title: "Name", status: "ok", found: "It is known.", remedy: null, forIt: null },
        {
          id: "tcp",
          title: "Way",
          status: "fail",
          found: "Bad\u001b[2J.",
          remedy: "Ask.",
          forIt: "Please allow it.",
        },
        { id: "tls", title: "TLS", status: "skipped", found: "Not looked at.", remedy: null, forIt: null },
        { id: "disk", title: "Disk", status: "warn", found: "Small.", remedy: "Make room.", forIt: null },
      ],
    },
    plainStyle,
    80,
  );
  expect(text).toBe(`Site st-mary, aggregator a.example.org:7443

ok    Name
      It is known.
FAIL  Way
      Bad [2J.
      To do: Ask.
-     TLS
      Not looked at.
warn  Disk
      Small.
      To do: Make room.

1 of 4 checks failed, 1 warning.

To send to the network team:

  Please allow it.`);
});
