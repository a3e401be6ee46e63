/**
 * Everything that people get wrong, against one federation of real processes: each fault has its code, says what to do,
 * and leaves every process serving; at the end a study is released by the same processes, and no record's value is to
 * be found anywhere outside the hospitals' own tables.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorTable, isErrorCode } from "@consilium/core/errors";
import type { StudySummary, StudyView } from "@consilium/core/operator/views";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import {
  type CliResult,
  editConfig,
  LocalFederation,
  type Member,
  waitUntil,
} from "../../scripts/localFederation.js";
import { siteAgent } from "../support/siteAgent.js";
import { filesBelow, findMarkers, markerNumbers, markerTexts } from "./markers.js";
import { badTables, goodRows, studyOf, writeTables } from "./tables.js";

const sites = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];
const strict = "hospital-strict";

let folder: string;
let federation: LocalFederation;
let pids: Map<string, number | undefined>;
/** Everything that a command or the API answered, for the search at the end. */
const said = new Map<string, string>();

async function cli(...args: string[]): Promise<CliResult> {
  const result = await federation.cli(...args);
  said.set(`${said.size} consilium ${args.join(" ")}`, result.stdout + result.stderr);
  return result;
}

/** What `--json` prints. */
async function cliJson<T>(...args: string[]): Promise<{ code: number; json: T }> {
  const result = await cli(...args, "--json");
  return { code: result.code, json: JSON.parse(result.stdout) as T };
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> | null;
  readonly text: string;
}

/** One request of the operator API; the path is sent as it is written, dots and all. */
async function http(
  method: string,
  path: string,
  options: { token?: string | null; body?: string; type?: string } = {},
): Promise<Answer> {
  const { http: address } = await federation.aggregator.addresses();
  const [host, port] = address!.split(":");
  const token = options.token === undefined ? await operatorToken() : options.token;
  const headers: Record<string, string> = {};
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (options.body !== undefined) {
    headers["content-type"] = options.type ?? "application/yaml";
    headers["content-length"] = String(Buffer.byteLength(options.body));
  }
  const answer = await new Promise<Answer>((resolve, reject) => {
    const outgoing = request({ host, port, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = String(incoming.headers["content-type"]).includes("json") && text !== "";
        const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : null;
        resolve({ status: incoming.statusCode ?? 0, body, text });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(options.body);
  });
  said.set(`${said.size} ${method} ${path}`, answer.text);
  return answer;
}

async function operatorToken(): Promise<string> {
  return (await readFile(join(federation.aggregator.state, "operator-token"), "utf8")).trim();
}

const startStudy = (study: object) => http("POST", "/api/studies", { body: stringify(study) });

/** Starts a study that is in order. */
async function started(study: object): Promise<string> {
  const { status, body, text } = await startStudy(study);
  expect(status, text).toBe(201);
  return String(body!.id);
}

async function ended(id: string, timeoutMs = 60_000): Promise<StudyView> {
  return waitUntil(
    async () => {
      const { body } = await http("GET", `/api/studies/${id}`);
      const view = body as unknown as StudyView;
      return view.endedAt === null ? null : view;
    },
    timeoutMs,
    `study ${id} to end`,
  );
}

interface SiteStatus {
  readonly connected: boolean;
  readonly studies: readonly { id: string; status: string; code: string | null; reason: string | null }[];
}

async function siteStatus(site: string): Promise<SiteStatus> {
  const { code, json } = await cliJson<SiteStatus>("site", "status", "--state", federation.site(site).state);
  expect(code).toBe(0);
  return json;
}

function members(): [string, Member][] {
  return [["aggregator", federation.aggregator], ["publisher", federation.publisher], ...federation.sites];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-bad-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const tables = await writeTables(join(folder, "tables"));
  const everyTable = {
    visits: tables.good,
    ...Object.fromEntries(badTables.map((t) => [t.name, tables.good])),
  };
  const add = (id: string, more: object = {}) =>
    federation.addSite({ id, tables: everyTable, allowNoPrivacy: true, ...more });
  await Promise.all(sites.slice(0, 2).map((id) => add(id)));
  await federation.waitForSites();

  // While there are two sites only, a study cannot be started.
  const early = await startStudy(studyOf("early"));
  expect(early.status, early.text).toBe(409);
  expect(early.body).toMatchObject({
    code: "ROSTER_TOO_SMALL",
    message: "study early: 2 sites are enrolled, participation.minimumSites is 3",
  });

  await Promise.all([
    add("hospital-c"),
    // Its tables are unknown to the aggregator, so that what is wrong with them shows at the hospital alone.
    add("hospital-d", { allowNoPrivacy: false, policy: { announce: "nothing" } }),
    add(strict, { allowNoPrivacy: false, allowPaperVariants: false }),
  ]);
  // The last hospital's tables are the bad ones. A path that does not exist is refused when enrolling, so they come later.
  const last = federation.site("hospital-d");
  const entry = (path: string) => ({
    path,
    unit: "rows",
    ...(path.endsWith(".parquet") ? {} : { csv: { header: true } }),
  });
  await last.stop();
  await editConfig(last.state, (config) => {
    config.tables = Object.fromEntries([
      ["visits", entry(tables.good)],
      ...Object.entries(tables.bad).map(([name, path]) => [name, entry(path)]),
    ]);
  });
  await last.start();
  await federation.waitForSites();
  pids = new Map(members().map(([name, member]) => [name, member.pid]));
});

afterAll(async () => {
  await federation?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("a study that is not one", () => {
  const feature = (change: object) => [{ name: "a", type: "numeric", min: 0, max: 1, ...change }];
  const participation = (change: object) => ({ minimumSites: 3, maxRowsPerSite: 100, ...change });
  const cases: [what: string, change: object, path: string, message: RegExp][] = [
    [
      "an unknown variant",
      { variant: "loud" },
      "variant",
      /dp-pca is `sound`; the methods of `variant: paper`/,
    ],
    [
      "a published method that is not called one",
      { variant: undefined, method: "elfed-pca" },
      "variant",
      /are of `variant: paper`, their privacy is not proven/,
    ],
    [
      "an unknown analysis",
      { analysis: "kmeans" },
      "analysis",
      /must be one of: describe, regression, survival, synthetic-table, pca/,
    ],
    [
      "more components than columns",
      { parameters: { components: 5 } },
      "parameters.components",
      /5 components asked of 4 columns; ask at most 4/,
    ],
    ["no components", { parameters: { components: 0 } }, "parameters.components", /at least 1/],
    ["epsilon 0", { privacy: { epsilon: 0, delta: 1e-5 } }, "privacy.epsilon", /greater than 0/],
    ["a negative epsilon", { privacy: { epsilon: -1, delta: 1e-5 } }, "privacy.epsilon", /greater than 0/],
    [
      "an infinite epsilon",
      { privacy: { epsilon: Number.POSITIVE_INFINITY, delta: 1e-5 } },
      "privacy.epsilon",
      /./,
    ],
    ["delta 0", { privacy: { epsilon: 1, delta: 0 } }, "privacy.delta", /greater than 0/],
    ["delta 1", { privacy: { epsilon: 1, delta: 1 } }, "privacy.delta", /less than 1/],
    ["no delta", { privacy: { epsilon: 1 } }, "privacy.delta", /missing/],
    ["privacy in words", { privacy: "some" }, "privacy", /either `none` or/],
    [
      "two sites at least",
      { participation: participation({ minimumSites: 2 }) },
      "participation.minimumSites",
      /at least 3/,
    ],
    [
      "colluders all but one",
      { participation: participation({ tolerateColluding: 2 }) },
      "participation.tolerateColluding",
      /minimumSites - 2/,
    ],
    ["no bound on rows", { participation: { minimumSites: 3 } }, "participation.maxRowsPerSite", /missing/],
    ["an unknown key", { epsilon: 1 }, "epsilon", /no such key/],
    ["an unknown key within", { parameters: { components: 2, k: 2 } }, "parameters.k", /no such key/],
    [
      "a column twice",
      { features: [...feature({}), ...feature({})] },
      "features[1].name",
      /"a" is declared already at features\[0\]/,
    ],
    [
      "the label among the features",
      { label: { name: "a", levels: ["x", "y"] } },
      "label.name",
      /is a feature too/,
    ],
    ["min above max", { features: feature({ min: 2 }) }, "features[0].max", /max must be greater than min/],
    [
      "min equal to max",
      { features: feature({ min: 1 }) },
      "features[0].max",
      /max must be greater than min/,
    ],
    [
      "bounds that are no numbers",
      { features: feature({ min: "low" }) },
      "features[0].min",
      /expected a number, got text/,
    ],
    ["one level", { label: { name: "outcome", levels: ["good"] } }, "label.levels", /at least two levels/],
    ["a level twice", { label: { name: "outcome", levels: ["good", "good"] } }, "label.levels", /differ/],
    ["a name with capitals", { name: "Study 1" }, "name", /a-z, 0-9/],
    [
      "a deadline of a second",
      { participation: participation({ phaseDeadline: "1s" }) },
      "participation.phaseDeadline",
      /2s/,
    ],
  ];

  it.each(cases)(
    "%s: the API names the key and the fix, and so does the command",
    async (_, change, path, message) => {
      const study = studyOf("faulty", change as Record<string, unknown>);
      const { status, body, text } = await startStudy(study);
      expect(status, text).toBe(400);
      expect(body).toMatchObject({ code: "STUDY_INVALID", remedy: expect.stringMatching(/correct/) });
      expect(body!.message).toMatch(new RegExp(`(^|; )${path.replace(/[[\].]/g, "\\$&")}: `));
      expect(body!.message).toMatch(message);
      const planned = await http("POST", "/api/studies/plan", { body: stringify(study) });
      expect(planned.body).toEqual(body);
    },
  );

  it("is told offline too, every fault with its line", async () => {
    const file = join(folder, "faulty.yaml");
    await writeFile(file, stringify(studyOf("Faulty", { privacy: { epsilon: 0, delta: 2 }, extra: 1 })));
    const { code, json } = await cliJson<{
      error: { code: string; faults: { path: string; line: number }[] };
    }>("study", "validate", file);
    expect(code).toBe(1);
    expect(json.error.code).toBe("STUDY_INVALID");
    const { faults } = json.error;
    expect(faults.map((fault) => fault.path).sort()).toEqual([
      "extra",
      "name",
      "privacy.delta",
      "privacy.epsilon",
    ]);
    expect(faults.every((fault) => fault.line > 0)).toBe(true);
    const text = await cli("study", "start", file);
    expect(text.code).toBe(1);
    expect(text.stderr).toMatch(/\[STUDY_INVALID\] .*privacy\.epsilon|\[STUDY_INVALID\]/);
    expect(text.stdout).toBe("");
  });

  it("names a site that is not enrolled, and those that are", async () => {
    const named = { minimumSites: 3, maxRowsPerSite: 100, sites: ["hospital-a", "hospital-b", "hospital-x"] };
    const { status, body } = await startStudy(studyOf("faulty", { participation: named }));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "STUDY_INVALID" });
    expect(body!.message).toContain("participation.sites: hospital-x");
    expect(body!.remedy).toContain("hospital-a, hospital-b, hospital-c, hospital-d");
  });

  it.each([
    ["a broken flow", "name: [unclosed\n  x: }", /invalid study YAML/],
    ["a key twice", "name: x\nname: y\n", /invalid study YAML/],
    ["an alias", "a: &x [1]\nb: *x\n", /invalid study YAML/],
    ["nothing", "", /study/],
    ["a list", "- 1\n- 2\n", /study|analysis/],
    ["binary", "\u0001\u0002", /./],
    ["ten thousand brackets", "[".repeat(10_000), /./],
  ])("is not YAML, or not a map: %s", async (_, body, message) => {
    const answer = await http("POST", "/api/studies", { body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code: "STUDY_INVALID", message: expect.stringMatching(message) });
  });

  it("is too large, as a body and as what the sites would be sent", async () => {
    const body = `# ${"x".repeat(3 * 1024 * 1024)}\n`;
    const tooLong = await http("POST", "/api/studies", { body });
    expect(tooLong.status).toBe(413);
    expect(tooLong.body).toMatchObject({ code: "MESSAGE_TOO_LARGE" });
    const features = Array.from({ length: 1_800 }, (_, i) => ({
      name: `c${i}`,
      type: "numeric",
      min: 0,
      max: 1,
      description: "d".repeat(900),
    }));
    const wide = await startStudy(studyOf("wide", { features }));
    expect(wide.status, wide.text.slice(0, 300)).toBe(400);
    expect(wide.body).toMatchObject({
      code: "STUDY_INVALID",
      remedy: expect.stringMatching(/fewer columns/),
    });
    expect(wide.body!.message).toMatch(/exceed the limit of 1500000/);
  });

  it("has left nothing behind", async () => {
    expect((await http("GET", "/api/studies")).body).toEqual([]);
  });
});

describe("a table that will not do", () => {
  const ids = new Map<string, string>();
  const views = new Map<string, StudyView>();
  const four = { minimumSites: 4, maxRowsPerSite: 100, joinDeadline: "1m", phaseDeadline: "1m", sites };

  beforeAll(async () => {
    for (const { name } of badTables) {
      ids.set(name, await started(studyOf(name, { table: name, participation: four })));
    }
    await Promise.all([...ids].map(async ([name, id]) => views.set(name, await ended(id))));
  });

  it.each(badTables.map((table) => [table.name, table] as const))(
    "%s: the operator sees a code, the hospital the reason",
    async (name, table) => {
      const view = views.get(name)!;
      expect(view.status).toBe("failed");
      expect(view.failure).toMatchObject({ code: "ROSTER_TOO_SMALL" });
      expect(view.failure!.message).toContain(
        "of 4 invited sites at most 3 can take part, and the study needs 4",
      );
      expect(view.failure!.message).toContain(`refused by hospital-d (${table.outward})`);
      expect(view.siteStates.map(({ site, code }) => [site, code])).toEqual(
        sites.map((site) => [site, site === "hospital-d" ? table.outward : null]),
      );
      const local = (await siteStatus("hospital-d")).studies.find((study) => study.id === view.id);
      expect(local).toMatchObject({ status: "refused", code: table.inner });
      expect(local!.reason).toMatch(table.reason);
      expect(local!.reason).toContain(`[${table.inner}]`);
      const line = (await federation.site("hospital-d").log())
        .split("\n")
        .find((text) => text.includes(view.id) && text.includes("does not take part"));
      const logged = JSON.parse(line!) as { code: string; reason: string };
      expect(logged.code).toBe(table.inner);
      expect(inEnglish(logged.reason)).toMatch(table.reason);
    },
  );

  it("keeps what tells something of the records from everyone else", async () => {
    const outside = [
      await federation.aggregator.log(),
      await federation.publisher.log(),
      ...[...said].filter(([what]) => / (GET|POST) \/api/.test(what)).map(([, text]) => text),
      (await filesBelow(federation.aggregator.state))
        .get(join(federation.aggregator.state, "state.db"))!
        .toString("latin1"),
    ].join("\n");
    const ofRecords = [
      "ROWS_TOO_FEW",
      "ROWS_TOO_MANY",
      "COLUMN_CONSTANT",
      "LEVEL_UNDECLARED",
      "VALUE_NOT_FINITE",
    ];
    for (const code of ofRecords) expect(outside).not.toContain(code);
    // The control: what does travel is found there.
    expect(outside).toContain("PREFLIGHT_FAILED");
    expect(outside).toContain("COLUMN_AMBIGUOUS");
  });

  it("is unknown at the sites, or a column of it: the study never starts, and those that said so are named", async () => {
    const table = await startStudy(studyOf("unknown-table", { table: "visit", participation: four }));
    expect(table.body).toMatchObject({ code: "STUDY_INVALID" });
    expect(table.body!.message).toContain(
      'table: no table "visit" at hospital-a, hospital-b, hospital-c (nearest: "visits")',
    );
    const features = ["aa", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 }));
    const column = await startStudy(studyOf("unknown-column", { features, participation: four }));
    expect(column.body).toMatchObject({ code: "STUDY_INVALID" });
    expect(column.body!.message).toMatch(/features\[0\]\.name: no column "aa" .*\(nearest: "a"/);
  });

  it("does not keep the others from their study when enough are left", async () => {
    const three = { ...four, minimumSites: 3 };
    const id = await started(studyOf("without-one", { table: "one-row", participation: three }));
    const view = await ended(id);
    expect(view.status, view.failure?.message).toBe("released");
    expect(view).toMatchObject({ sites: 3, rows: 3 * goodRows });
    expect(view.siteStates.find(({ site }) => site === "hospital-d")).toMatchObject({
      state: "refused",
      code: "PREFLIGHT_FAILED",
    });
  });
});

describe("a hospital's policy", () => {
  it("refuses a study without privacy, and a claim that nobody proved", async () => {
    const participation = { minimumSites: 5, maxRowsPerSite: 100, sites: [...sites, strict] };
    const [open, paper] = await Promise.all(
      [
        // Two refuse: the second refusal ends it.
        studyOf("open", { participation: { ...participation, minimumSites: 4 }, privacy: "none" }),
        studyOf("claimed", { participation }),
      ].map(async (study) => ended(await started(study))),
    );
    expect(open!.failure!.message).toContain(
      "of 5 invited sites at most 3 can take part, and the study needs 4",
    );
    expect(open!.failure!.message).toContain(
      `refused by hospital-d (POLICY_NO_PRIVACY) and ${strict} (POLICY_NO_PRIVACY)`,
    );
    expect(paper!.failure!.message).toContain(
      "of 5 invited sites at most 4 can take part, and the study needs 5",
    );
    expect(paper!.failure!.message).toContain(`refused by ${strict} (POLICY_VARIANT)`);
    const { studies } = await siteStatus(strict);
    expect(studies.find(({ id }) => id === paper!.id)!.reason).toContain(
      "Add paper to variants in policy.yaml",
    );
    expect(studies.find(({ id }) => id === open!.id)!.reason).toContain("allowNoPrivacy: true");
  });
});

describe("the operator's API", () => {
  const routes: [method: string, path: string][] = [
    ["GET", "/api/federation"],
    ["GET", "/api/sites"],
    ["POST", "/api/invitations"],
    ["POST", "/api/revocations"],
    ["POST", "/api/studies/plan"],
    ["POST", "/api/studies"],
    ["GET", "/api/studies"],
    ["HEAD", "/api/studies"],
    ["GET", "/api/studies/x-0123456789"],
    ["GET", "/api/studies/x-0123456789/events"],
    ["POST", "/api/studies/x-0123456789/cancel"],
    ["POST", "/api/studies/x-0123456789/resume"],
  ];

  it("is closed without the token, on every route", async () => {
    const token = await operatorToken();
    const wrong = [null, "", "x", `${token}x`, token.slice(0, -1), token.toUpperCase(), "a".repeat(600)];
    for (const [method, path] of routes) {
      for (const given of wrong) {
        const body = method === "POST" ? "{}" : undefined;
        const answer = await http(method, path, {
          token: given,
          ...(body ? { body, type: "application/json" } : {}),
        });
        expect(answer.status, `${method} ${path} with ${given?.slice(0, 3)}`).toBe(401);
        if (method !== "HEAD") expect(answer.body).toMatchObject({ code: "UNAUTHENTICATED" });
      }
    }
  });

  it("has no other routes, methods or ids", async () => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/api"],
      ["GET", "/api/nothing"],
      ["DELETE", "/api/studies"],
      ["PUT", "/api/studies"],
      ["PATCH", "/api/sites"],
      ["POST", "/api/federation"],
      ["GET", "/api/../state.db"],
      ["GET", `/api/studies/${"x".repeat(500)}`],
    ] as const) {
      const answer = await http(method, path);
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(404);
      expect(answer.body).toMatchObject({ code: "ADDRESS_UNKNOWN" });
    }
    for (const malformed of [
      "/api/%zz",
      "/api/studies/x-0123456789%00",
      "/api/studies/x-0123456789%00/events",
    ]) {
      const refused = { status: 400, body: { code: "FIELD_INVALID" } };
      expect(await http("GET", malformed), malformed).toMatchObject(refused);
    }
    for (const id of [
      "..%2f..%2fstate.db",
      "%2e%2e",
      "..",
      "x-012345678G",
      "constructor",
      "x-0123456789",
      encodeURIComponent("'; DROP TABLE studies; --"),
    ]) {
      for (const suffix of ["", "/events"]) {
        const { status, body, text } = await http("GET", `/api/studies/${id}${suffix}`);
        expect([404], `${id}${suffix}: ${text}`).toContain(status);
        expect(["STUDY_UNKNOWN", "ADDRESS_UNKNOWN"], text).toContain(body!.code);
      }
      const cancelled = await http("POST", `/api/studies/${id}/cancel`, {
        body: "{}",
        type: "application/json",
      });
      expect(cancelled.status).toBe(404);
    }
  });

  it("refuses bodies that it does not understand", async () => {
    for (const [path, body, type] of [
      ["/api/invitations", '{"site":"../x"}', "application/json"],
      ["/api/invitations", '{"site":"x","expiresInMs":1}', "application/json"],
      ["/api/invitations", '{"site":"x","admin":true}', "application/json"],
      ["/api/invitations", "{", "application/json"],
      ["/api/invitations", '{"__proto__":{"site":"x"}}', "application/json"],
      ["/api/revocations", '{"list":"!!"}', "application/json"],
      ["/api/revocations", `{"list":"${Buffer.from("nonsense").toString("base64")}"}`, "application/json"],
      ["/api/studies", "<study/>", "application/xml"],
    ] as const) {
      const answer = await http("POST", path, { body, type });
      expect([400, 415], `${path} ${body}: ${answer.text}`).toContain(answer.status);
      const { code, message, remedy } = answer.body!;
      expect(isErrorCode(String(code)), String(code)).toBe(true);
      expect(code).not.toBe("INTERNAL");
      expect(message).not.toBe("");
      expect(remedy).not.toBe("");
    }
  });
});

describe("the command against the running network", () => {
  it("starts and watches a study, line by line and as JSON", async () => {
    const file = join(folder, "study.yaml");
    await writeFile(
      file,
      stringify(studyOf("by-command", { participation: { minimumSites: 4, maxRowsPerSite: 100 } })),
    );
    const planned = await cliJson<{ name: string; hash: string; stages: unknown[] }>("study", "plan", file);
    expect(planned).toMatchObject({ code: 0, json: { name: "by-command" } });
    const run = await cli("study", "start", file, "--watch", "--json");
    expect(run.code, run.stderr).toBe(0);
    const views = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as StudyView);
    expect(views.at(-1)).toMatchObject({ status: "released", hash: planned.json.hash, rows: 4 * goodRows });
    expect(views.at(-1)!.steps.every((step) => step.status === "done")).toBe(true);
    const { id } = views.at(-1)!;
    const again = await cli("study", "watch", id);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("released");

    const list = await cliJson<StudySummary[]>("study", "list");
    expect(list.code).toBe(0);
    const summary = list.json.find((study) => study.id === id);
    expect(summary).toMatchObject({
      name: "by-command",
      analysis: "pca",
      variant: "paper",
      status: "released",
      sites: 4,
    });
    expect(list.json.map((study) => study.createdAt)).toEqual(
      [...list.json.map((s) => s.createdAt)].sort().reverse(),
    );
    const shown = await cliJson<StudyView>("study", "show", "by-command");
    expect(shown).toMatchObject({ code: 0, json: { id, release: { id } } });
    expect((await cli("study", "show", id)).stdout).toContain(id);
  });

  it("says in its exit code how a study ended", async () => {
    const file = join(folder, "failing.yaml");
    const participation = { minimumSites: 4, maxRowsPerSite: 100, sites };
    await writeFile(file, stringify(studyOf("failing", { table: "constant", participation })));
    const failing = await cli("study", "start", file, "--watch");
    expect(failing.code).toBe(1);
    expect(failing.stdout).toContain("ROSTER_TOO_SMALL");
    expect(failing.stdout).toContain("hospital-d");
    const id = /failing-[0-9a-f]{10}/.exec(failing.stdout)![0];
    expect((await cli("study", "watch", id)).code).toBe(1);
    const cancelled = await cliJson<StudyView>("study", "cancel", id);
    expect(cancelled).toMatchObject({
      code: 0,
      json: { status: "cancelled", failure: { code: "STUDY_CANCELLED" } },
    });
    for (const verb of ["cancel", "resume"]) {
      const late = await cliJson<{ error: { code: string } }>("study", verb, id);
      expect(late).toMatchObject({ code: 1, json: { error: { code: "STUDY_STATE" } } });
    }
  });

  it("cancels a study that waits, and tells its watcher", async () => {
    // A site that is away is waited for.
    await federation.site("hospital-c").stop();
    const participation = { minimumSites: 4, maxRowsPerSite: 100, sites };
    const id = await started(studyOf("waiting", { participation }));
    const watching = cli("study", "watch", id);
    await waitUntil(
      async () => ((await http("GET", `/api/studies/${id}`)).body!.deadlineAt === null ? null : true),
      60_000,
      "the study to wait",
    );
    const shown = await cli("study", "show", id);
    expect(shown.stdout).toContain("hospital-c");
    expect((await cli("study", "cancel", id)).code).toBe(0);
    const watched = await watching;
    expect(watched.code).toBe(1);
    expect(watched.stdout).toContain("cancelled");
    await federation.site("hospital-c").start();
    await federation.waitForSites();
    pids.set("hospital-c", federation.site("hospital-c").pid);
  });

  it("knows its errors by their exit codes", async () => {
    const codes = async (...args: string[]) => {
      const { code, json } = await cliJson<{ error: { code: string; message: string; remedy: string } }>(
        ...args,
      );
      expect(json.error.remedy).not.toBe("");
      return [code, json.error.code];
    };
    expect(await codes("study", "show", "nothing-like-it")).toEqual([1, "STUDY_UNKNOWN"]);
    expect(await codes("study", "list", "--aggregator", "http://127.0.0.1:1")).toEqual([3, "UNREACHABLE"]);
    expect(await codes("study", "fly")).toEqual([2, "USAGE"]);
    expect(await codes("study", "start", join(folder, "none.yaml"))).toEqual([1, "CONFIG_INVALID"]);
    expect(await codes("site", "status", "--state", join(folder, "none"))).toEqual([3, "UNREACHABLE"]);
    const token = join(folder, "wrong-token");
    await writeFile(token, "a".repeat(43));
    expect(await codes("study", "list", "--token-file", token)).toEqual([1, "UNAUTHENTICATED"]);
  });
});

describe("a flood of requests", () => {
  it("limits those who try tokens, and never the operator who watches", async () => {
    const codes = await Promise.all(
      Array.from({ length: 800 }, () => http("GET", "/api/sites", { token: "guess" })),
    );
    expect(codes.filter(({ status }) => status === 429).length).toBeGreaterThan(50);
    expect(codes.find(({ status }) => status === 429)!.body).toMatchObject({ code: "RATE_LIMITED" });
    const id = await started(studyOf("watched"));
    const watched = await cli("study", "watch", id);
    expect(watched.code, watched.stderr).toBe(0);
    const answers = await Promise.all(Array.from({ length: 700 }, () => http("GET", "/api/federation")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("the hospital's socket", () => {
  it("answers malformed requests with a code", async () => {
    const socketPath = join(federation.site("hospital-a").state, "agent.sock");
    const ask = (method: string, path: string, body = "") =>
      new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
        const headers = body === "" ? {} : { "content-type": "application/json" };
        const outgoing = request({ socketPath, method, path, headers }, (incoming) => {
          let text = "";
          incoming.on("data", (chunk) => {
            text += chunk;
          });
          incoming.on("end", () => {
            said.set(`${said.size} socket ${method} ${path}`, text);
            resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> });
          });
        });
        outgoing.on("error", reject);
        outgoing.end(body);
      });
    for (const [method, path] of [
      ["GET", "/nothing"],
      ["GET", "/v1/status"],
      ["POST", "/v1/toString"],
    ] as const)
      expect(await ask(method, path)).toMatchObject({ status: 404, body: { code: "ADDRESS_UNKNOWN" } });
    expect(await ask("POST", "/v1/profile", "{")).toMatchObject({
      status: 400,
      body: { code: "FIELD_INVALID" },
    });
    expect(await ask("POST", "/v1/profile", "{}")).toMatchObject({
      status: 400,
      body: { code: "FIELD_INVALID" },
    });
    const unread = JSON.stringify({ study: "a: [", values: false });
    expect(await ask("POST", "/v1/profile", unread)).toMatchObject({
      status: 400,
      body: { code: "STUDY_INVALID" },
    });
  });
});

describe("after all of it", () => {
  it("the same processes release the next study", async () => {
    const view = await ended(
      await started(studyOf("normal", { participation: { minimumSites: 4, maxRowsPerSite: 100, sites } })),
    );
    expect(view.status, view.failure?.message).toBe("released");
    expect(view).toMatchObject({ sites: 4, rows: 4 * goodRows });
    expect(new Map(members().map(([name, member]) => [name, member.pid]))).toEqual(pids);
    const target = join(folder, "got");
    const { http: publisher } = await federation.publisher.addresses();
    const got = await cli("release", "get", view.id, "--publisher", `http://${publisher}`, "--to", target);
    expect(got.code, got.stderr + got.stdout).toBe(0);
    for (const [name, content] of await filesBelow(target)) said.set(name, content.toString("latin1"));
    for (const [name, member] of members()) {
      const log = await member.log();
      expect(log, name).not.toContain('"level":"fatal"');
      const faults = log.split("\n").filter((line) => line.includes('"INTERNAL"'));
      expect(faults, name).toEqual([]);
    }
  });

  it("every code that travelled is in the table of codes", () => {
    const codes = new Set(
      [...said.values()].flatMap((text) => [...text.matchAll(/"code":"([A-Z_]+)"/g)].map((m) => m[1]!)),
    );
    expect([...codes].filter((code) => !Object.hasOwn(errorTable, code))).toEqual([]);
    expect(codes.size).toBeGreaterThan(8);
  });

  it("no record's value is anywhere but in the hospitals' own tables", async () => {
    const { http: operator } = await federation.aggregator.addresses();
    const metrics = await fetch(`http://${operator}/metrics`);
    expect(metrics.ok).toBe(true);
    said.set("metrics of the aggregator", await metrics.text());
    for (const [name, member] of federation.sites)
      said.set(`metrics of ${name}`, JSON.stringify(await siteAgent(member).metrics({})));
    const places = new Map<string, Buffer | string>(said);
    for (const [path, content] of await filesBelow(join(folder, "home"))) {
      // What lies in a hospital's own state is the hospital's: it may hold what it computed from its records.
      if (path.includes("/sites/") && !path.endsWith(".log")) continue;
      places.set(path, content);
    }
    const searched = [...places.keys()];
    for (const [name, member] of members()) expect(searched, name).toContain(member.logPath);
    expect(searched).toContain(join(federation.aggregator.state, "state.db"));
    expect(findMarkers(places)).toEqual([]);
  });

  it("the search finds a marker that was planted, in any of its forms", async () => {
    const number = Buffer.alloc(100);
    number.writeDoubleLE(markerNumbers[0], 13);
    const planted = new Map<string, Buffer | string>([
      ["a log", `{"level":"warn","reason":"row 7: ${markerTexts[0]}7"}`],
      ["digits", "…987654.3…"],
      ["bytes", number],
      ["base64", Buffer.from(`..${markerTexts[1]}..`).toString("base64")],
      ["a table", readFileSync(join(folder, "tables", "good.csv"))],
    ]);
    expect(findMarkers(planted)).toEqual([...planted.keys()]);
    // The tables were read: a hospital's own look at one does show values, and stays at the hospital.
    const file = join(folder, "study.yaml");
    const profile = await federation.cliOrThrow(
      "site",
      "profile",
      "--json",
      file,
      "--state",
      federation.site("hospital-a").state,
    );
    expect(findMarkers(new Map([["profile", profile.stdout]]))).toEqual(["profile"]);
  });

  it("the processes end in order when they are told to", async () => {
    await federation.stop();
    for (const [name, member] of members()) {
      expect(member.running).toBe(false);
      expect((await member.log()).trim().split("\n").at(-1), name).toContain('"msg":"stopped"');
    }
  });
});
