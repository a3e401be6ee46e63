import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import type { SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import { createLogger } from "@consilium/runtime/log";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { smallStudy as raw } from "../../testing/operator-api/study.js";
import { testIdentity, testRegistry } from "../../testing/roster/registry.js";
import { DisplacedKeys } from "../roster/displacedKeys.js";
import { EventSampler } from "../roster/eventSampler.js";
import { Presence } from "../roster/presence.js";
import { StudyRecords } from "../rounds/records.js";
import { Studies } from "../rounds/studies.js";
import { StudyPlans } from "../rounds/studyPlans.js";
import { OperatorConsole } from "./console.js";
import { bodyMaxBytes, type OperatorContext, routeOperator } from "./server.js";

/** What every route answers is held against its schema here: at run time it is not. */
const now = Date.parse("2026-03-04T05:06:07Z");
const id = "small-0123456789" as StudyId;
const siteIds = ["a-one", "b-two", "c-three"] as SiteId[];
const revoked: Uint8Array[] = [];
const publishedLists: Uint8Array[] = [];
type Invite = Parameters<OperatorContext["invite"]>;
let server: HttpServer;

beforeAll(async () => {
  const log = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });
  const { store, registry, invitations, invite } = testRegistry();
  invite("e-five" as SiteId, "5".repeat(64) as Sha256, now + 1, "refuse", now);
  unwrap(
    invitations.enrol("5".repeat(64) as Sha256, testIdentity("5".repeat(64) as Sha256), { from: "::1", now }),
  );
  const columns = [{ name: "height", type: "number" }];
  const hello = {
    software: "0.1.0",
    speaks: null,
    admits: null,
    tables: [{ name: "people", columns, budget: null }],
    clockSkewMs: 0,
  };
  registry.greeted("e-five" as SiteId, hello, now);
  const presence = new Presence(() => now);
  const records = new StudyRecords(store);
  const studies = new Studies(
    { records, plans: new StudyPlans(allMethods), presence, now: () => now, log } as never,
    registry,
    () => false,
  );
  const sites = () =>
    siteIds.map(
      (site): SiteView => ({
        id: site,
        presence: "gone",
        lastSeenAt: new Date(now).toISOString(),
        software: "0.1.0",
        clockSkewMs: -1.5,
        agentsAlternatedAt: null,
        certificateExpiresAt: null,
        signingKeyFingerprint: null,
        keySince: new Date(now).toISOString(),
        turnedAway: null,
        keyReplaced: { signingKeyFingerprint: "cd", at: new Date(now).toISOString() },
        behind: [],
        admits: null,
        tables: ["people"],
      }),
    );
  const { text, hash } = studyDocument(unwrap(parseStudy(raw)));
  records.create({ id, name: "small", text, hash, software: "0.1.0", createdAt: now, sites: siteIds });
  records.event(now, "opened", { study: id, detail: "join" });
  records.openStep(id, "join" as never, "join", 1, now);
  records.refuse(id, siteIds[1]!, "POLICY_EPSILON", true);
  records.end(id, { status: "failed", at: now + 5_000, code: "ROSTER_TOO_SMALL", message: "too few joined" });
  server = await createHttpServer({
    log,
    access: (_, role) => ({ name: "test", role }),
    bodyMaxBytes,
    verifyAnswers: true,
  });
  const console = new OperatorConsole({
    studies,
    records,
    invitations,
    displaced: new DisplacedKeys(
      new EventSampler(
        () => undefined,
        () => now,
      ),
      () => now,
    ),
    presence,
    sites,
    software: "0.1.0",
    now: () => now,
  });
  routeOperator(server, {
    studies,
    console,
    sites,
    federation: () => ({
      federation: "test",
      rootFingerprint: "ab",
      rootPem: "-----BEGIN CERTIFICATE-----",
      software: "0.1.0",
      grpcAddress: "127.0.0.1:7443",
      publisher: null,
      expelledList: { number: 2, sites: 1, nextUpdate: new Date(now).toISOString() },
    }),
    invite: ({ site, lifetimeMs, existing }: Invite[0], actor: Invite[1]) => {
      const secretHash = `${invitations.list().length}`.padStart(64, "a") as Sha256;
      const expiresAt = now + lifetimeMs;
      const replacesKey = invitations.invite({ site, secretHash, expiresAt, existing }, actor, now);
      return { site, token: "token", expiresAt: new Date(expiresAt).toISOString(), replacesKey };
    },
    revoke: async (list: Uint8Array) => void revoked.push(list),
    publishMembers: async (list: Uint8Array) => void publishedLists.push(list),
    log,
  } as unknown as OperatorContext);
});
afterAll(() => server.close());

const post = (url: string, payload: string, type = "application/json") =>
  server.inject({ method: "POST", url, payload, headers: { "content-type": type } });

it.each([
  "/api/federation",
  "/api/sites",
  "/api/sites/e-five/tables",
  "/api/tables",
  "/api/tables/people",
  "/api/studies",
  `/api/studies/${id}`,
  `/api/studies/${id}/events`,
  "/api/studies/schema",
  "/api/invitations",
])("GET %s answers what it says", async (url) => {
  const answer = await server.inject({ url });
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.body).not.toBe("");
});

it("shows a study that failed, with who refused", async () => {
  const view = (await server.inject({ url: `/api/studies/${id}` })).json();
  expect(view).toMatchObject({
    id,
    status: "failed",
    endedAt: "2026-03-04T05:06:12.000Z",
    failure: { code: "ROSTER_TOO_SMALL", message: "too few joined" },
  });
  const refused = view.siteStates.find(({ site }: { site: string }) => site === "b-two");
  expect(refused).toMatchObject({ state: "refused", code: "POLICY_EPSILON" });
});

it("sends a study that has ended as one event", async () => {
  const { body, headers } = await server.inject({ url: `/api/studies/${id}/events` });
  expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  const [first, ...rest] = body.trimEnd().split("\n\n");
  expect(JSON.parse(first!.replace(/^data: /, ""))).toMatchObject({ id, status: "failed" });
  expect(rest).toEqual([]);
});

it("reads a study as YAML and as JSON alike, and says which line of no YAML", async () => {
  const [text, json] = await Promise.all([
    post("/api/studies/plan", stringify(raw), "application/yaml"),
    post("/api/studies/plan", JSON.stringify(raw)),
  ]);
  expect(text!.statusCode, text!.body).toBe(200);
  expect(json!.json().hash).toBe(text!.json().hash);
  const checked = await post("/api/studies/check", "name: 1", "application/yaml");
  expect([checked.statusCode, checked.json().plan]).toEqual([200, null]);
  const broken = await post("/api/studies/plan", "name: [", "application/yaml");
  expect([broken.statusCode, broken.json().code]).toEqual([400, "STUDY_INVALID"]);
});

it.each([
  ["anchors", "&a ".repeat(50_000), "more than 100 anchors"],
  ["tags", "! ".repeat(75_000), "more than 100 tags"],
  ["lists", "- ".repeat(75_000), "more than 32 levels of nesting"],
  ["brackets", "[".repeat(150_000), "more than 32 levels of nesting"],
  ["keys", Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n"), "more than 1000 keys in one map"],
  ["aliases", "a: &a [1]\nb: *a", "aliases are not allowed"],
])("refuses a study's text of %s wherever one is taken", async (_, text, message) => {
  for (const url of ["/api/studies/check", "/api/studies/plan", "/api/studies"]) {
    const answer = await post(url, text, "application/yaml");
    expect([answer.statusCode, answer.json()], url).toMatchObject([400, { code: "STUDY_INVALID" }]);
    expect(answer.json().message).toContain(message);
  }
});

it("shows the tables and columns that sites share, and plans a study with what they lack", async () => {
  const get = async (url: string) => (await server.inject({ url })).json();
  expect(await get("/api/sites/e-five/tables")).toEqual([
    { name: "people", columns: [{ name: "height", type: "number" }], budget: null },
  ]);
  expect(await get("/api/tables")).toEqual([{ name: "people", sites: ["e-five"] }]);
  expect((await get("/api/tables/people")).columns).toEqual([
    { name: "height", types: ["number"], missingAt: [] },
  ]);
  expect(await get("/api/tables/poeple")).toMatchObject({ code: "TABLE_UNKNOWN" });
  expect(await get("/api/sites/nobody/tables")).toMatchObject({ code: "ADDRESS_UNKNOWN" });
  const warnings: string[] = (await post("/api/studies/plan", JSON.stringify(raw))).json().warnings;
  expect(warnings.filter((one) => one.includes('no column "weight" in table people at e-five'))).toHaveLength(
    1,
  );
});

it("neither begins nor extends a study that waits for nobody, or until no time", async () => {
  for (const [path, body, code] of [
    ["proceed", "{}", "STUDY_STATE"],
    ["extend", '{"until":"2026-04-01T00:00:00Z"}', "STUDY_STATE"],
    ["extend", '{"until":"tomorrow"}', "FIELD_INVALID"],
  ] as const)
    expect((await post(`/api/studies/${id}/${path}`, body)).json().code, path + body).toBe(code);
});

it("checks the largest study, and answers others meanwhile", async () => {
  const features = Array.from({ length: 10_000 }, (_, i) => ({
    name: `f${i}`,
    type: "numeric",
    min: 0,
    max: 1,
  }));
  let done = false;
  const body = stringify({ ...raw, features });
  const check = post("/api/studies/check", body, "application/yaml").finally(() => {
    done = true;
  });
  let answered = 0;
  while (!done) {
    expect((await server.inject({ url: "/api/federation" })).statusCode).toBe(200);
    answered++;
    // An injected request needs no turn of the event loop; the thread's answer does.
    await new Promise(setImmediate);
  }
  const checked = await check;
  expect(checked.statusCode).toBe(200);
  // The one site that shares its columns has none of these.
  expect([checked.json().issues, checked.json().obstacle]).toEqual([[], expect.any(String)]);
  // Read where the request came in, the text would let none through but what came before it.
  expect(answered).toBeGreaterThan(20);
});

it("invites, and takes a list of the expelled", async () => {
  const invited = await post("/api/invitations", JSON.stringify({ site: "d-four" }));
  expect([invited.statusCode, invited.json().site]).toEqual([200, "d-four"]);
  expect((await post("/api/invitations", JSON.stringify({ site: "../x" }))).statusCode).toBe(400);
  const again = await post("/api/invitations", JSON.stringify({ site: "d-four" }));
  expect([again.statusCode, again.json().code]).toEqual([409, "INVITATION_OPEN"]);
  const replacing = await post("/api/invitations", JSON.stringify({ site: "d-four", existing: "replace" }));
  expect([replacing.statusCode, replacing.json().replacesKey]).toEqual([200, null]);
  const listed = (await server.inject({ url: "/api/invitations" })).json();
  expect(listed.map(({ state }: { state: string }) => state).sort()).toEqual(["open", "used", "withdrawn"]);
  const list = Buffer.from("signed").toString("base64");
  const sent = await post("/api/members", JSON.stringify({ list }));
  expect([sent.statusCode, Buffer.from(publishedLists[0]!).toString()]).toEqual([204, "signed"]);
  const taken = await post("/api/revocations", JSON.stringify({ list }));
  expect([taken.statusCode, taken.body]).toEqual([204, ""]);
  expect(Buffer.from(revoked[0]!).toString()).toBe("signed");
});

it.each(["constructor", "x", "small-9876543210"])("knows no study %s", async (text) => {
  for (const url of [`/api/studies/${encodeURIComponent(text)}`, `/api/studies/${text}/events`]) {
    const answer = await server.inject({ url });
    expect([404], `${url} ${answer.body}`).toContain(answer.statusCode);
  }
});
