import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { differences } from "@consilium/core/study/differences";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { exampleView } from "../../testing/study/view.js";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const source = {
  name: "vitals",
  table: "stays",
  analysis: "pca",
  privacy: { epsilon: 1, delta: 1e-5 },
  parameters: { components: 1 },
  participation: { maxRowsPerSite: 100, phaseDeadline: "1h", joinDeadline: "7d" },
  features: ["age", "weight"].map((name) => ({ name, type: "numeric", min: 0, max: 300 })),
};
const study: unknown = JSON.parse(studyDocument(unwrap(parseStudy(source))).text);
const one = exampleView({ id: "vitals-1111111111", name: "vitals", study });
const other = exampleView({
  id: "other-2222222222",
  name: "other",
  status: "failed",
  method: "dp-pca",
  study,
});
const event = (id: number, at: string, kind: string, more: object = {}) => ({
  id,
  at,
  actor: null,
  kind,
  study: one.id,
  site: null,
  detail: "",
  ...more,
});

let home: string;
let server: Server;
let asked: { method: string; url: string; body: string }[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-verbs-"));
  await mkdir(join(home, "aggregator"));
  await writeFile(join(home, "aggregator", "operator-token"), "token\n");
  asked = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      asked.push({ method, url, body: Buffer.concat(chunks).toString() });
      response.setHeader("content-type", "application/json").end(JSON.stringify(answerTo(url)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

function studiesOf(query: URLSearchParams): unknown[] {
  const status = query.getAll("status");
  return [one, other].filter(
    (study) =>
      (status.length === 0 || status.includes(study.status)) &&
      study.method === (query.get("method") ?? study.method) &&
      study.name.includes(query.get("name") ?? "") &&
      study.id.startsWith(query.get("id") ?? ""),
  );
}

function answerTo(url: string): unknown {
  if (url.startsWith("/api/studies?")) return studiesOf(new URL(url, "http://any").searchParams);
  if (url.startsWith("/api/audit")) {
    const isSecond = url.includes("before=");
    return isSecond
      ? { events: [event(1, "2026-01-02T03:00:00.000Z", "opened", { detail: "join" })], next: null }
      : {
          events: [
            event(3, "2026-01-02T03:02:00.000Z", "refused", { site: "st-mary", detail: "POLICY_EPSILON" }),
            event(2, "2026-01-02T03:01:00.000Z", "joined", { site: "mercy" }),
          ],
          next: 2,
        };
  }
  if (url === "/api/tables") return [{ name: "stays", sites: ["mercy", "st-mary"] }];
  if (url === "/api/tables/stays")
    return {
      name: "stays",
      sites: ["mercy", "st-mary"],
      withoutColumns: [],
      columns: [
        { name: "age", types: ["number"], missingAt: [] },
        { name: "weight\u001b[31m", types: ["any", "text"], missingAt: ["mercy"] },
      ],
    };
  if (url === "/api/sites")
    return [
      {
        id: "mercy",
        presence: "online",
        tables: ["stays"],
        lastSeenAt: null,
        certificateExpiresAt: null,
        software: null,
        signingKeyFingerprint: null,
      },
      {
        id: "st-mary",
        presence: "online",
        tables: ["stays"],
        lastSeenAt: null,
        certificateExpiresAt: null,
        software: "0.1.0",
        signingKeyFingerprint: null,
        clockSkewMs: 0,
        agentsAlternatedAt: null,
        behind: [{ what: "counts", speaks: 1, newest: 2 }],
        admits: {
          analyses: ["describe", "pca"],
          variants: ["sound"],
          maxEpsilon: 0.5,
          maxDelta: null,
          minimumSites: 3,
          tolerateColluding: 1,
          perHospital: false,
          requires: [],
        },
      },
    ];
  if (url === "/api/sites/st-mary/tables")
    return [
      {
        name: "stays",
        columns: [
          { name: "age", type: "number", unit: "years", bounds: { min: 0, max: 120 } },
          { name: "sex", type: "text", levels: ["f", "m\u001b[31m"] },
        ],
        budget: { epsilon: 2.5, delta: 1e-6 },
      },
    ];
  if (url === "/api/sites/mercy/tables")
    return [
      { name: "stays", columns: [{ name: "age", type: "number" }] },
      { name: "labs", columns: [] },
    ];
  return url.includes("other") ? other : one;
}

async function run(...argv: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: home }, workingFolder: home });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const isOffline = argv[0] === "methods";
  const code = await runCli([...argv, ...(isOffline ? [] : ["--aggregator", url])], io);
  return { code, out: io.out(), err: io.err() };
}

const changes = () => asked.filter(({ method }) => method !== "GET");

describe("study proceed and extend", () => {
  it("ask the aggregator for the study that is meant", async () => {
    const { code, out } = await run("study", "proceed", "vit");
    expect([code, out]).toEqual([0, expect.stringContaining("begins with the sites that have joined")]);
    expect(changes()).toMatchObject([{ method: "POST", url: `/api/studies/${one.id}/proceed` }]);
  });

  it("move the deadline from the one there is, or to a time", async () => {
    await run("study", "extend", "vit", "--by", "7d");
    await run("study", "extend", "vit", "--until", "2026-02-01T17:00:00+01:00");
    expect(changes().map(({ body }) => JSON.parse(body))).toEqual([
      { until: "2026-01-09T03:14:05.000Z" },
      { until: "2026-02-01T16:00:00.000Z" },
    ]);
  });

  it.each([
    [[], "give --by <duration> or --until <time>"],
    [["--by", "soon"], "A duration is"],
    [["--until", "next week"], "A time is a date"],
    [["--by", "1d", "--until", "2026-02-01"], "cannot be used with"],
  ])("%j is refused, and nothing sent", async (more, fault) => {
    const { code, err } = await run("study", "extend", "vit", ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(fault)]);
    expect(changes()).toEqual([]);
  });
});

describe("study clone", () => {
  it("writes a study that validates, with its durations as people write them", async () => {
    const { code } = await run("study", "clone", "vit", "--name", "again");
    expect(code).toBe(0);
    const text = await readFile(join(home, "again.yaml"), "utf8");
    expect(text).toContain(`# Like ${one.id}.`);
    expect(parse(text).participation).toMatchObject({ phaseDeadline: "1h", joinDeadline: "7d" });
    const again = unwrap(parseStudy(parse(text)));
    expect(studyDocument({ ...again, name: "vitals" }).text).toBe(JSON.stringify(study));
    expect((await run("study", "clone", "vit", "--name", "again")).err).toContain("it already exists");
    expect((await run("study", "clone", "vit", "--name", "Not A Name")).code).toBe(2);
    expect((await run("study", "clone", "vit", "--to", "-")).out.split("\n")[0]).toBe(`# Like ${one.id}.`);
  });
});

describe("study diff", () => {
  it("names what differs between a file and a study, columns by their names", async () => {
    const [age, weight] = source.features;
    const changed = {
      ...source,
      privacy: { epsilon: 2, delta: 1e-5 },
      features: [weight, { ...age, name: "height" }],
    };
    await writeFile(join(home, "b.yaml"), JSON.stringify(changed));
    const { code, out } = await run("study", "diff", "vit", "b.yaml", "--json");
    expect(code).toBe(0);
    const paths: string[] = JSON.parse(out).map(({ path }: { path: string }) => path);
    expect(paths).toContain("privacy.epsilon");
    expect(paths.filter((path) => path.startsWith("features"))).toEqual(
      expect.arrayContaining(["features[age].min", "features[height].min"]),
    );
    expect(paths.filter((path) => path.includes("weight"))).toEqual([]);
    const text = (await run("study", "diff", "vit", "b.yaml")).out;
    expect(text).toContain("- privacy.epsilon: 1\n+ privacy.epsilon: 2");
  });

  it("says so where nothing does", async () => {
    expect((await run("study", "diff", "vit", "oth")).out).toBe("The studies do not differ.\n");
    expect(differences({ list: [1, 2] }, { list: [2, 1] })).toEqual([
      { path: "list", before: [1, 2], after: [2, 1] },
    ]);
    expect(differences({ a: undefined }, {})).toEqual([]);
  });
});

describe("study logs", () => {
  it("prints all pages, oldest first", async () => {
    const { out } = await run("study", "logs", "vit");
    expect(out.trimEnd().split("\n")).toEqual([
      "2026-01-02 03:00:00  opened        join",
      "2026-01-02 03:01:00  joined        mercy",
      "2026-01-02 03:02:00  refused       st-mary  POLICY_EPSILON",
    ]);
  });

  it("asks for what is meant, and prints one JSON value a line", async () => {
    const { out } = await run("study", "logs", "vit", "--kind", "refused", "--site", "st-mary", "--json");
    const { url } = asked.find((request) => request.url.startsWith("/api/audit"))!;
    const query = new URL(url, "http://x").searchParams;
    expect([query.get("study"), query.get("kind"), query.get("site")]).toEqual([
      one.id,
      "refused",
      "st-mary",
    ]);
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 2, 3]);
    // All of these are older.
    expect((await run("study", "logs", "vit", "--since", "1h")).out).toBe("");
  });
});

describe("study list", () => {
  it("lists those that the options leave", async () => {
    const ids = async (...more: string[]) =>
      JSON.parse((await run("study", "list", "--json", ...more)).out).map(({ id }: { id: string }) => id);
    expect(await ids()).toHaveLength(2);
    expect(await ids("--status", "failed,cancelled")).toEqual([other.id]);
    expect(await ids("--status", "failed", "running")).toHaveLength(2);
    expect(await ids("--method", "dp-pca")).toEqual([other.id]);
    expect(await ids("--name", "vital")).toEqual([one.id]);
    expect((await run("study", "list", "--name", "none")).out).toBe("No study matches.\n");
    const unknown = await run("study", "list", "--status", "done");
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("A status is one of: inviting")]);
  });
});

describe("tables and columns", () => {
  it("are listed over all sites, and of one", async () => {
    expect((await run("tables")).out).toMatch(/TABLE +SITES\nstays +mercy, st-mary/);
    const { out } = await run("tables", "stays");
    expect(out).toMatch(/age +number +-\n/);
    expect(out).toMatch(/any, text +mercy/);
    // A site names its columns as it likes.
    expect(out).not.toContain("\u001b");
    const site = await run("sites", "mercy");
    expect(site.out).toMatch(/stays\n {2}age {2}number\n/);
    expect(site.out).toContain("labs  shares no columns");
    expect(JSON.parse((await run("sites", "mercy", "--json")).out).tables).toHaveLength(2);
    const described = (await run("sites", "st-mary")).out;
    expect(described).toContain("st-mary: its software is older: it speaks edition 1 of counts, not 2");
    expect(described).toMatch(/ {2}analyses +describe, pca\n/);
    expect(described).toMatch(/ {2}one study +at most epsilon 0.5\n/);
    expect(described).not.toContain("request");
    expect(described).toContain("stays  epsilon 2.5 left at delta 0.000001\n");
    expect(described).toMatch(/ {2}age {2}number {2}years {2}0 to 120\n {2}sex {2}text {2}f, m/);
    expect(described).not.toContain("\u001b");
    expect((await run("sites", "mercey")).err).toContain("no site mercey");
  });
});

describe("methods", () => {
  it("has a line for each method, with what it releases", async () => {
    const { out } = await run("methods");
    expect(out).toMatch(/dp-pca +pca +sound +Principal components/);
    const listed: { method: string; summary: string }[] = JSON.parse((await run("methods", "--json")).out);
    expect(listed.length).toBeGreaterThan(15);
    expect(listed.filter(({ summary }) => summary === "")).toEqual([]);
  });
});
