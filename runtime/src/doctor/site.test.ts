import { type DoctorFacts, doctorFactsSchema } from "@consilium/core/hospital/doctorFacts";
import { doctorViewSchema } from "@consilium/core/hospital/doctorView";
import { describe, expect, it } from "vitest";
import { spoken } from "../http/spoken.js";
import { judgeSite } from "./site.js";

const mebibyte = 1024 ** 2;
const healthy: DoctorFacts = {
  checkedAt: "2026-03-01T10:00:00.000Z",
  software: "0.1.0",
  machine: "agent-7",
  aggregator: "aggregator.example.org:7443",
  configuration: { path: "/srv/st-mary/config.yaml", fault: null },
  identity: {
    federation: "north-sea",
    role: "site",
    id: "st-mary",
    notAfter: Date.UTC(2026, 5, 1),
    renewAtMs: Date.UTC(2026, 4, 1),
  },
  stateFolder: "/srv/st-mary",
  disk: { mode: 0o700, type: 0xef53, freeBytes: 5 * 1024 ** 3, writeFault: null },
  proxy: null,
  connection: {
    connected: true,
    connectedSince: "2026-03-01T09:00:00.000Z",
    aggregatorSoftware: "0.1.0",
    lastFault: null,
    expelledList: {
      number: 3,
      sites: 1,
      issuedAt: "2026-01-01T00:00:00.000Z",
      nextUpdate: "2027-02-05T00:00:00.000Z",
      confirmedAt: "2026-03-01T09:59:00.000Z",
      fault: null,
    },
  },
  policy: { path: "/srv/st-mary/policy.yaml", isAbsent: false, fault: null, homeless: [], undeclared: [] },
  tablesApart: true,
  tables: [
    {
      name: "visits",
      place: "/data/visits.csv",
      format: "csv",
      files: 1,
      columns: 3,
      empty: 0,
      studies: ["vitals"],
      engine: null,
      findings: [],
      fault: null,
      memory: { needs: null, holds: 512 * mebibyte, memory: 2048 * mebibyte },
    },
  ],
  strangers: [],
};

function judged(changes: Partial<DoctorFacts>) {
  const facts = doctorFactsSchema.parse({ ...healthy, ...changes });
  const view = judgeSite(facts);
  expect(doctorViewSchema.parse(structuredClone(view))).toEqual(view);
  return { view, failing: view.checks.filter(({ status }) => status === "fail").map(({ id }) => id) };
}

/** An agent whose last attempt to connect failed. */
const failed = (lastFault: NonNullable<DoctorFacts["connection"]["lastFault"]>) => ({
  connection: { ...healthy.connection, connected: false, connectedSince: null, lastFault },
});
const route = (stage: string, reason: string, detail: string | null = null) => ({
  ...failed({ code: "UNREACHABLE", message: "it failed", route: { stage, reason, detail, remedy: "look" } }),
});

it("warns of tables that the agent's own user reads, unless Node's permission model binds all that reads them", () => {
  const reader = (changes: Partial<DoctorFacts>) =>
    judged(changes).view.checks.find(({ id }) => id === "reader")!;
  expect(reader({})).toMatchObject({ status: "ok", found: "table.read-apart {}" });
  expect(reader({ tablesApart: false })).toMatchObject({
    status: "warn",
    found: "table.read-by-agents-user {}",
    remedy: "table.separate {}",
  });
  const database = { ...healthy.tables[0]!, format: "postgres" };
  expect(reader({ tablesApart: false, tables: [database] }).status).toBe("ok");
  const withEngine = { ...database, engine: { name: "box", workers: 2 } };
  expect(reader({ tablesApart: false, tables: [database, withEngine] }).status).toBe("warn");
});

it("finds nothing wrong with a healthy site", () => {
  const { view, failing } = judged({});
  expect(failing).toEqual([]);
  expect(view.checks.map(({ status }) => status)).not.toContain("warn");
  expect(view).toMatchObject({ subject: "site", name: "st-mary", aggregator: "aggregator.example.org:7443" });
});

describe("an agent that is not connected", () => {
  it.each([
    ["tcp", "tcp", "ECONNREFUSED", /allow outgoing TCP connections to aggregator\.example\.org:7443/],
    ["dns", "tcp", "ENOTFOUND", /allow outgoing TCP connections/],
    ["tls", "tls", "ECONNRESET", /let TLS 1\.3 to aggregator\.example\.org:7443 pass/],
    ["interception", "tls", "intercepted", /issued by "Hospital Gateway"/],
    ["alpn", "http2", "no-h2", /let HTTP\/2 over TLS/],
  ])("by a fault of stage %s fails %s, with the text for the network team", (stage, id, reason, forIt) => {
    const { view, failing } = judged(route(stage, reason, "Hospital Gateway"));
    expect(failing).toEqual([id, "agent"]);
    const found = view.checks.find((check) => check.id === id)!;
    expect(found.forIt).toMatch(forIt);
    // The agent's, not that of the machine that shows it.
    expect(found.forIt).toContain("machine agent-7");
  });

  it("tells a proxy that wants credentials from one that refuses the tunnel", () => {
    const proxy = { host: "proxy.example.org", port: 3128, source: "HTTPS_PROXY", hasCredentials: false };
    const wanted = judged({ ...route("proxy-credentials", "407", "Negotiate"), proxy });
    expect(wanted.failing).toEqual(["proxy", "agent"]);
    const letter = (view: ReturnType<typeof judgeSite>) =>
      view.checks.find(({ id }) => id === "proxy")!.forIt!;
    expect(letter(wanted.view)).toMatch(/407 .* without credentials\. It offers Negotiate/);
    const refused = judged({ ...route("proxy-answer", "403"), proxy: { ...proxy, hasCredentials: true } });
    expect(letter(refused.view)).toContain("it answers HTTP 403");
  });

  it("says what the aggregator answered, and where to look closer when nothing is known", () => {
    const expelled = judged(
      failed({ code: "SITE_EXPELLED", message: "this site was expelled", route: null }),
    );
    expect(expelled.failing).toEqual(["aggregator", "agent"]);
    expect(expelled.view.checks.find(({ id }) => id === "aggregator")).toMatchObject({
      found: "[SITE_EXPELLED] this site was expelled.",
      forIt: null,
    });
    const silent = judged(failed({ code: "UNREACHABLE", message: "no connection", route: null }));
    expect(silent.failing).toEqual(["tcp", "agent"]);
    const starting = judged({
      connection: { ...healthy.connection, connected: false, connectedSince: null },
    });
    expect(starting.view.checks.find(({ id }) => id === "aggregator")!.remedy).toContain("consilium doctor");
  });
});

it("judges what the agent says of this machine and its tables", () => {
  const fault = { message: "config.yaml line 3: tabels is not a key here", remedy: "correct it" };
  expect(judged({ configuration: { path: "config.yaml", fault }, tables: [] }).failing).toEqual([
    "configuration",
  ]);
  expect(judged({ disk: { absence: "ENOENT" } }).failing).toEqual(["disk"]);
  expect(judged({ policy: { ...healthy.policy, fault } }).failing).toEqual(["policy"]);
  expect(judged({ tables: [{ ...healthy.tables[0]!, fault }] }).failing).toEqual(["tables:visits"]);
  expect(judged({ strangers: [{ table: "labs", studies: ["stays"] }] }).failing).toEqual(["tables"]);
  const late = { ...healthy.identity, notAfter: Date.UTC(2026, 1, 1) };
  expect(judged({ identity: late }).failing).toEqual(["identity"]);
});

describe("what a table's stages read", () => {
  const mib = (count: number) => count * mebibyte;
  const stages = (changes: Partial<DoctorFacts["tables"][number]>) => {
    const { view } = judged({ tables: [{ ...healthy.tables[0]!, ...changes }] });
    const found = view.checks.find(({ id }) => id === "tables:visits-stages");
    return found && (spoken(found) as typeof found);
  };
  const machine = { holds: mib(512), memory: mib(2048) };

  it.each([
    [
      { memory: { ...machine, needs: null } },
      /^No study has read this table .* 512 MiB, a quarter of 2,048 MiB/,
    ],
    [
      { memory: { ...machine, needs: mib(511) + 1 } },
      /read this table from memory\. .* need 512 MiB; .* 512 MiB/,
    ],
    [{ memory: null }, /reads this table anew, because nothing shows/],
    [{ memory: null, engine: { name: "box", workers: 4 } }, /anew, in the processes of its engine/],
  ])("is said without a warning: %j", (changes, found) => {
    expect(stages(changes)).toMatchObject({
      status: "ok",
      title: "Table visits, what stages read",
      found: expect.stringMatching(found),
    });
  });

  it("is said with what to do where the table does not fit", () => {
    expect(stages({ memory: { ...machine, needs: mib(700) } })).toMatchObject({
      status: "warn",
      found: expect.stringMatching(
        /^Every stage .* need 700 MiB; .* may take 512 MiB, a quarter of 2,048 MiB\.$/,
      ),
      remedy: expect.stringContaining("has 2,800 MiB of memory or more"),
    });
  });

  it("is not said of a table that cannot be read", () => {
    expect(stages({ fault: { message: "gone", remedy: "look" } })).toBeUndefined();
  });
});
