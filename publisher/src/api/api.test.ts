import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReleaseContent } from "@consilium/core/release/content";
import {
  releaseListSchema,
  releaseRowsSchema,
  releaseSampleSchema,
  releaseViewSchema,
} from "@consilium/core/release/views";
import { createLogger } from "@consilium/runtime/log";
import { addReaderToken } from "@consilium/runtime/release/readerTokens";
import { openStore } from "@consilium/runtime/store/store";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testReaders } from "../../testing/access/readers.js";
import { certifierFor, rowBytesOf, sampleContent, sampleRows, testSigner } from "../../testing/release.js";
import { Catalogue, type Damaged } from "../catalogue/catalogue.js";
import { ReleaseIndex } from "../catalogue/releaseIndex.js";
import { ReleaseStore } from "../catalogue/store.js";
import { WithdrawalLog } from "../catalogue/withdrawalLog.js";
import { renderRelease } from "../formats/render.js";
import { publisherMetrics } from "../metrics.js";
import { migrations } from "../store/schema.js";
import { createApi } from "./api.js";

const state = await mkdtemp(join(tmpdir(), "consilium-api-"));
const federation = await testFederation();
const aggregator = await testSigner(federation);
const rootPem = federation.root.certificatePem;
const open = "sample-0123456789";
const closed = "closed-0123456789";
const damaged = "damaged-0123456789";
const store = await ReleaseStore.open(state);
const urlOf = (id: string) => `https://x.example/releases/${id}/`;
const hostile = `<script>alert("1")</script>`;

async function publish(content: ReleaseContent): Promise<void> {
  const staged = await store.stage(content.id);
  await writeFile(staged.dataPath, rowBytesOf(content, sampleRows));
  const files = await renderRelease({
    content,
    dataPath: staged.dataPath,
    folder: staged.releaseFolder,
    scratch: staged.scratch,
    baseUrl: urlOf(content.id),
  });
  await store.certify(staged, certifierFor(content, aggregator)(files));
  await store.commit(staged);
}

await publish(
  sampleContent({
    title: `Reduced ${hostile} data`,
    figures: [
      {
        kind: "bars",
        name: "importance",
        title: "Importance",
        valueLabel: "gain",
        bars: [{ label: hostile, value: 1, low: null, high: null }],
      },
    ],
  }),
);
await publish(
  sampleContent({ id: closed, access: "token", createdAt: "2026-05-01T00:00:00Z", title: "Closed" }),
);
await publish(sampleContent({ id: damaged }));
await writeFile(join(state, "releases", damaged, "data.csv"), "changed");
const { token } = await addReaderToken(state, { release: closed, label: "", now: Date.now() });

const readers = await testReaders(state);
const withdrawals = await WithdrawalLog.open(state, rootPem);
const leftOut: Damaged[] = [];
const catalogue = await Catalogue.load({
  store,
  index: new ReleaseIndex(openStore(":memory:", migrations), rootPem),
  rootPem,
  withdrawals,
  onDamaged: (one) => void leftOut.push(one),
});
const lines: string[] = [];
let members: Uint8Array | null = null;
const api = await createApi({
  catalogue,
  readers,
  members: {
    get bytes() {
      return members;
    },
  },
  urlOf,
  log: createLogger({ service: "test", stream: { write: (line) => void lines.push(line) } }),
  disk: testDisk(),
  metrics: publisherMetrics("0.0.0").all,
  ready: () => true,
  pagesFolder: null,
  requestsPerMinute: 100_000,
  verifyAnswers: true,
});
beforeAll(() => api.ready());
afterAll(async () => {
  await api.close();
  await rm(state, { recursive: true, force: true });
});

const get = (url: string, headers: Record<string, string> = {}) => api.inject({ url, headers });
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

describe("the catalogue", () => {
  it("leaves out a release that is not what its certificate says", () => {
    expect(leftOut.map(({ id, error }) => [id, error.code])).toEqual([[damaged, "RELEASE_CORRUPT"]]);
  });

  it("lists open releases to everybody, and others to who has their token", async () => {
    const anybody = releaseListSchema.parse((await get("/api/releases")).json());
    expect(anybody.releases.map((one) => one.id)).toEqual([open]);
    expect(anybody.releases[0]).toMatchObject({
      verdict: "claimed by the authors, not verified",
      columns: 3,
    });
    const reader = releaseListSchema.parse((await get("/api/releases", bearer(token))).json());
    expect(reader.releases.map((one) => one.id)).toEqual([closed, open]);
    expect((await get("/api/releases", bearer("wrong"))).json().total).toBe(1);
  });

  it("finds by every word, and pages", async () => {
    const ids = async (query: string) =>
      ((await get(`/api/releases?${query}`, bearer(token))).json().releases as { id: string }[]).map(
        (one) => one.id,
      );
    expect(await ids("q=REDUCED%20elfed-pca")).toEqual([open]);
    expect(await ids("q=diagnosis")).toEqual([closed, open]);
    expect(await ids("q=nothing")).toEqual([]);
    expect(await ids("limit=1")).toEqual([closed]);
    expect(await ids("limit=1&offset=1")).toEqual([open]);
  });

  it.each(["limit=0", "limit=1000", "offset=-1", `q=${"x".repeat(201)}`, "limit=x"])(
    "refuses %s",
    async (query) => {
      const answer = await get(`/api/releases?${query}`);
      expect([answer.statusCode, answer.json().code]).toEqual([400, "FIELD_INVALID"]);
    },
  );

  it("shows a release with its files and its certificate in short", async () => {
    const answer = await get(`/api/releases/${open}`);
    const view = releaseViewSchema.parse(answer.json());
    expect(view.files.map((file) => file.name)).toContain("certificate.jws");
    expect(view.certificate).toMatchObject({
      federation: "test-federation",
      verdict: "claimed by the authors, not verified",
      epsilon: 1,
      countersigned: { by: 3, of: 3 },
      missing: [],
    });
    expect(view.certificate.attempts.map(({ stage, dropped }) => [stage, dropped])).toEqual([
      ["moments", []],
      ["covariance", []],
      ["projection", []],
    ]);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe("some rows of a release", () => {
  it("come in their order, as many as asked, and never more", async () => {
    const answer = await get(`/api/releases/${open}/rows?limit=2&offset=1`);
    expect(releaseRowsSchema.parse(answer.json())).toEqual({
      total: 3,
      offset: 1,
      columns: ["pc1", "pc2", "diagnosis"],
      columnsLeftOut: 0,
      rows: [
        [1e21, 0, "malignant"],
        [5e-324, 1.7976931348623157e308, "benign"],
      ],
    });
    expect(answer.headers["cache-control"]).toMatch(/^public/);
    expect((await get(`/api/releases/${open}/rows?offset=3`)).json().rows).toEqual([]);
    for (const query of ["limit=101", "limit=0", "offset=-1"]) {
      expect((await get(`/api/releases/${open}/rows?${query}`)).statusCode).toBe(400);
    }
  });

  it("are drawn from at even distances, with the label's index", async () => {
    const sample = async (query: string) => get(`/api/releases/${open}/sample?${query}`);
    const all = await sample("x=pc1&y=pc2&colour=diagnosis");
    expect(releaseSampleSchema.parse(all.json())).toEqual({
      total: 3,
      levels: ["benign", "malignant"],
      x: [0.1, 1e21, 5e-324],
      y: [-2.5e-7, 0, 1.7976931348623157e308],
      level: [0, 1, 0],
    });
    expect((await sample("x=pc1&y=pc1&limit=2")).json()).toMatchObject({ x: [0.1, 5e-324], levels: [] });
    for (const query of ["x=pc1&y=none", "x=pc1&y=diagnosis", "x=pc1&y=pc2&colour=pc1", 'x=pc1&y="']) {
      const answer = await sample(query);
      expect([query, answer.statusCode, answer.json().code]).toEqual([query, 400, "FIELD_INVALID"]);
    }
  });

  it("of a release that needs a token need it too, and stay in the reader's own cache", async () => {
    for (const path of ["rows", "sample?x=pc1&y=pc2"]) {
      expect((await get(`/api/releases/${closed}/${path}`)).statusCode).toBe(401);
      const answer = await get(`/api/releases/${closed}/${path}`, bearer(token));
      expect(answer.statusCode).toBe(200);
      expect(answer.headers["cache-control"]).toMatch(/^private/);
    }
  });
});

describe("a release that needs a token", () => {
  const paths = [
    `/api/releases/${closed}`,
    `/releases/${closed}/`,
    `/releases/${closed}`,
    `/releases/${closed}/data.csv`,
  ];

  it.each(paths)("%s asks for it", async (path) => {
    for (const headers of [{}, bearer("wrong"), { authorization: "Basic eDp5" }]) {
      const answer = await get(path, headers as Record<string, string>);
      expect([answer.statusCode, answer.json().code]).toEqual([401, "UNAUTHENTICATED"]);
      expect(answer.headers["www-authenticate"]).toContain("Bearer");
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
    const answer = await get(path, bearer(token));
    expect(answer.statusCode).toBe(path.endsWith(closed) && path.startsWith("/releases") ? 308 : 200);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is never kept by a shared cache", async () => {
    const answer = await get(`/releases/${closed}/data.csv`, bearer(token));
    expect(answer.headers["cache-control"]).toMatch(/^private/);
    expect(answer.headers.vary).toContain("Authorization");
  });
});

describe("a file", () => {
  const path = `/releases/${open}/data.csv`;

  it("has its type, its hash as strong tag, and may be kept permanently", async () => {
    const content = await readFile(join(state, "releases", open, "data.csv"));
    const answer = await get(path);
    expect(answer.rawPayload).toEqual(content);
    expect(answer.headers).toMatchObject({
      etag: `"${sha256(content)}"`,
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-length": String(content.length),
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
  });

  it.each([
    ["unknown file", `/releases/${open}/none.csv`],
    ["unknown release", "/releases/none-0123456789/data.csv"],
    ["a damaged release", `/releases/${damaged}/data.csv`],
    ["a path up", `/releases/${open}/..%2f..%2ftokens.json`],
    ["a path up from the plots", `/releases/${open}/plots/..%2f..%2f..%2ftokens.json`],
    ["no file, but the folder", `/releases/${open}/plots`],
    ["a path up, twice encoded", `/releases/${open}/%252e%252e%252ftokens.json`],
    ["a path up by the release", "/releases/..%2f../tokens.json"],
    ["an inherited name", `/releases/${open}/constructor`],
    ["an inherited release", "/releases/__proto__/data.csv"],
    ["a backslash", `/releases/${open}/..%5c..%5ctokens.json`],
  ])("does not exist: %s", async (_what, url) => {
    const answer = await get(url);
    expect([answer.statusCode, answer.json().code]).toEqual([404, "RELEASE_UNKNOWN"]);
  });

  it("is not one with a zero byte in its name", async () => {
    const answer = await get(`/releases/${open}/data.csv%00.png`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, "FIELD_INVALID"]);
  });

  it("is not below the staging folder's name either", async () => {
    const answer = await get("/staging/x");
    expect([answer.statusCode, answer.json().code]).toEqual([404, "ADDRESS_UNKNOWN"]);
  });

  it("of the folder of plots has its own address", async () => {
    const answer = await get(`/releases/${open}/plots/importance.svg`);
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
      200,
      "image/svg+xml; charset=utf-8",
    ]);
    expect(answer.payload).not.toContain("<script");
    expect((await get(`/releases/${open}/`)).payload).toContain('href="plots/importance.svg"');
  });

  it("answers a malformed address as one", async () => {
    expect((await get(`/releases/${open}/%zz`)).statusCode).toBe(400);
  });

  it("may be asked for by pages of other origins", async () => {
    const answer = await api.inject({
      method: "OPTIONS",
      url: path,
      headers: { origin: "https://y.example" },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers["access-control-allow-headers"]).toContain("Range");
    const other = await api.inject({ method: "OPTIONS", url: `/releases/${closed}/data.csv` });
    expect(other.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("the page of a release", () => {
  it("shows text as text and lets nothing be loaded or run", async () => {
    const answer = await get(`/releases/${open}/`);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    // Data alone, which no browser runs.
    const [data, ...others] = [...answer.body.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
    expect([data?.[1], others]).toEqual([' type="application/ld+json"', []]);
    expect(data?.[2]).not.toContain("<");
    expect(JSON.parse(data?.[2] ?? "")).toMatchObject({
      "@type": "Dataset",
      "@id": urlOf(open),
      name: `Reduced ${hostile} data`,
      includedInDataCatalog: { url: "https://x.example/" },
    });
    expect(answer.body.match(/<script/g)).toHaveLength(1);
    expect(answer.body).toContain("Reduced &lt;script&gt;");
    expect(answer.body.indexOf("claim epsilon 1")).toBeLessThan(answer.body.indexOf("data.parquet"));
    const policy = String(answer.headers["content-security-policy"]);
    const style = /<style>([\s\S]*?)<\/style>/.exec(answer.body)?.[1] ?? "";
    const hash = Buffer.from(sha256(style), "hex").toString("base64");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  });

  it("is where its name without the slash leads", async () => {
    const answer = await get(`/releases/${open}`);
    expect([answer.statusCode, answer.headers.location]).toEqual([308, `${open}/`]);
  });
});

describe("the first page", () => {
  it("lists what anybody may read, text as text, and links to it", async () => {
    const answer = await get("/");
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(String(answer.headers["content-security-policy"])).toContain("default-src 'none'");
    expect(answer.body).toContain(`<a href="releases/${open}/">Reduced &lt;script&gt;`);
    expect(answer.body).not.toContain("<script");
    expect(answer.body).not.toContain(closed);
    expect(answer.body).not.toContain(damaged);
  });
});

describe("what others harvest", () => {
  it("is a feed of the open releases, text as text, even for a reader with a token", async () => {
    const answer = await get("/feed.atom", bearer(token));
    expect(answer.headers["content-type"]).toBe("application/atom+xml; charset=utf-8");
    expect(answer.body).toContain("<title>Reduced &lt;script&gt;");
    expect(answer.body).toContain(`<id>${urlOf(open)}</id>`);
    expect(answer.body).toContain(
      '<link rel="self" type="application/atom+xml" href="https://x.example/feed.atom"/>',
    );
    expect(answer.body.match(/<entry>/g)).toHaveLength(1);
    expect(answer.body).not.toContain(closed);
  });

  it("is a DCAT catalogue of the open releases with their files and hashes", async () => {
    const answer = await get("/catalogue.jsonld", bearer(token));
    expect(answer.headers["content-type"]).toBe("application/ld+json; charset=utf-8");
    const catalogue = answer.json();
    expect(catalogue["dcat:dataset"]).toHaveLength(1);
    const [dataset] = catalogue["dcat:dataset"];
    expect(dataset).toMatchObject({ "@id": urlOf(open), "@type": "dcat:Dataset", "dct:identifier": open });
    const rows = dataset["dcat:distribution"].find(
      (one: { "dct:title": string }) => one["dct:title"] === "data.csv",
    );
    const bytes = (await get(`/releases/${open}/data.csv`)).rawPayload;
    expect(rows["spdx:checksum"]["spdx:checksumValue"]["@value"]).toBe(sha256(bytes));
    expect(rows["dcat:byteSize"]["@value"]).toBe(String(bytes.length));
    expect(JSON.stringify(catalogue)).not.toContain(closed);
    expect((await get("/catalogue.jsonld?offset=1")).json()["dcat:dataset"]).toEqual([]);
    expect((await get("/catalogue.jsonld?limit=0")).statusCode).toBe(400);
  });

  it("is found from the first page", async () => {
    const answer = await get("/");
    expect(answer.headers.link).toContain('<feed.atom>; rel="alternate"; type="application/atom+xml"');
    expect(answer.body).toContain(
      '<link rel="alternate" type="application/ld+json" href="catalogue.jsonld">',
    );
  });
});

describe("the built pages", () => {
  it("hold title, verdict and files for a browser without JavaScript, as text", async () => {
    const folder = await mkdtemp(join(tmpdir(), "consilium-pages-"));
    await writeFile(
      join(folder, "catalogue.html"),
      '<!doctype html><title>Releases</title><div id="root"></div><noscript>Needs it.</noscript>',
    );
    const built = await createApi({
      catalogue,
      readers,
      members: { bytes: null },
      urlOf,
      log: createLogger({ service: "test", stream: { write: () => undefined } }),
      disk: testDisk(),
      metrics: publisherMetrics("0").all,
      ready: () => true,
      pagesFolder: folder,
    });
    const page = await built.inject({ url: `/releases/${open}/`, headers: { accept: "text/html" } });
    expect(page.body).toContain("<title>Reduced &lt;script&gt;");
    expect(page.body).toMatch(
      /<noscript><main><h1>Reduced &lt;script&gt;[\s\S]*data\.parquet[\s\S]*<\/noscript>/,
    );
    expect(page.body).toContain("claimed by the authors, not verified");
    expect(page.body).not.toContain("<script");
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(page.headers.link).toContain('<ro-crate-metadata.json>; rel="describedby"');
    const refused = await built.inject({ url: `/releases/${closed}/`, headers: { accept: "text/html" } });
    expect([refused.statusCode, refused.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
    expect(refused.body).toContain("needs a token");
    expect(refused.body).not.toContain("Closed");
    const unknown = await built.inject({
      url: "/releases/none-0123456789/",
      headers: { accept: "text/html" },
    });
    expect([unknown.statusCode, unknown.body.includes('id="root"')]).toEqual([404, true]);
    const first = await built.inject({ url: "/?q=x", headers: { accept: "text/html" } });
    expect(first.body).toContain(`<a href="releases/${open}/">`);
    await built.close();
    await rm(folder, { recursive: true, force: true });
  });
});

describe("for its operator", () => {
  it("describes itself in OpenAPI, from the schemas that it validates with", async () => {
    const document = (await get("/openapi.json")).json();
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(["/api/releases", "/api/releases/{id}", "/releases/{id}/{file}"]),
    );
    const list = document.paths["/api/releases"].get;
    expect(list.parameters.find((one: { name: string }) => one.name === "limit").schema).toMatchObject({
      maximum: 200,
    });
    const { $ref } = list.responses["200"].content["application/json"].schema;
    expect($ref).toBe("#/components/schemas/ReleaseList");
    const { ReleaseList, ReleaseSummary } = document.components.schemas;
    expect(ReleaseList.properties.releases.items.$ref).toBe("#/components/schemas/ReleaseSummary");
    expect(ReleaseSummary.properties).toHaveProperty("privacyStatement");
  });

  it("says that it lives, is ready, and what it counts", async () => {
    expect((await get("/healthz")).json()).toEqual({ ok: true });
    expect((await get("/readyz")).json()).toEqual({ ok: true });
    expect((await get("/metrics")).body).toContain("consilium_http_request_duration_seconds_count");
  });

  it("limits what one address may ask in a minute, but not the health checks", async () => {
    const strict = await createApi({
      catalogue,
      readers,
      members: { bytes: null },
      urlOf,
      log: createLogger({ service: "test", stream: { write: () => undefined } }),
      disk: testDisk(),
      metrics: publisherMetrics("0").all,
      ready: () => true,
      pagesFolder: null,
      requestsPerMinute: 2,
    });
    const codes = [];
    for (let count = 0; count < 3; count++)
      codes.push((await strict.inject({ url: "/api/releases" })).statusCode);
    expect(codes).toEqual([200, 200, 429]);
    expect((await strict.inject({ url: "/healthz" })).statusCode).toBe(200);
    await strict.close();
  });

  it("tells a reader nothing of an internal error", async () => {
    await rm(join(state, "tokens.json"));
    await writeFile(join(state, "tokens.json"), "{ secret");
    const answer = await get(`/api/releases/${closed}`, bearer(token));
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toMatch(/tokens\.json|secret/);
    expect(lines.join("")).toContain("CONFIG_INVALID");
  });
});

it("serves the list of members byte by byte, to everybody, once there is one", async () => {
  expect((await api.inject({ url: "/members.json" })).statusCode).toBe(404);
  members = Uint8Array.from(Buffer.from('{"signed":"as it came"}'));
  const answer = await api.inject({ url: "/members.json" });
  expect([answer.statusCode, answer.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
  expect(answer.rawPayload).toEqual(Buffer.from(members));
  const page = await api.inject({ url: "/", headers: { accept: "text/html" } });
  expect(page.body).toContain('href="members.json"');
});
