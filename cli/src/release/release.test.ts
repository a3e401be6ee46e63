import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WithdrawalSummary } from "@consilium/core/release/views";
import { signedWithdrawal, type Withdrawal } from "@consilium/core/release/withdrawal";
import { bareResult, testCertificate, testRun, testStudy } from "@consilium/core/testing/release/statement";
import type { Member } from "@consilium/release/members";
import { issueMembers } from "@consilium/runtime/identity/issueMembers";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { signCertificate } from "@consilium/runtime/release/signCertificate";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { testHospitals } from "@consilium/runtime/testing/release/hospitals";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import type { Sha256, SiteId } from "@consilium/secure-sum/ids";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const id = "vitals-0123456789";
const federation = await testFederation("test-federation", Date.parse("2026-01-01T00:00:00Z"));
const leaf = await federation.leaf("aggregator", "aggregator");
const rows = randomBytes(300_000);
const files = new Map<string, Buffer>([
  ["data.parquet", rows],
  ["result.json", Buffer.from(bareResult)],
  ["model.json", Buffer.from("{}\n")],
  ["empty.txt", Buffer.alloc(0)],
  ["plots/roc.svg", Buffer.from("<svg/>")],
]);

const hospitals = await testHospitals(federation);
const study = testStudy({ name: "vitals" });

const certificate = testCertificate(
  testRun({ document: study, id, sites: hospitals.sites, federation: hospitals.federation }),
  {
    issuedAt: new Date("2026-01-01T01:00:00Z"),
    chains: hospitals.chains,
    files: [...files].map(([name, content]) => ({ name, bytes: content.length, sha256: sha256(content) })),
  },
);

const signed = signCertificate(certificate, {
  signingKey: leaf.signingKey,
  chainDer: pemChainToDer(leaf.chainPem),
});
const summary = {
  id,
  title: "Vital signs",
  description: "",
  license: null,
  creator: null,
  createdAt: "2026-01-01T01:00:00.000Z",
  access: "open",
  study: { id, name: "vitals", hash: "0".repeat(64), analysis: "pca", method: "elfed-pca", variant: "paper" },
  privacyStatement: "claimed",
  rows: 569,
  columns: 4,
  verdict: "claimed by the authors, not verified",
  epsilon: 1,
  delta: 1e-5,
  url: `http://publisher.example/releases/${id}/`,
  federation: "north-sea",
};

type Answer = (request: IncomingMessage, response: ServerResponse, content: Buffer, from: number) => void;
const whole: Answer = (_, response, content, from) => {
  if (from > 0)
    response.writeHead(206, { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` });
  response.end(content.subarray(from));
};

/** A publisher as an analyst sees it; `answer` serves the files and may misbehave. */
class Publisher {
  readonly requests: string[] = [];
  answer: Answer = whole;
  listed: unknown[] = [summary];
  withdrawal: WithdrawalSummary | undefined;
  members: Uint8Array | null = null;
  readonly #server = createServer((request, response) => this.#serve(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${request.url} ${request.headers.range ?? ""}`.trim());
    const url = new URL(request.url ?? "", "http://x");
    if (url.pathname === "/api/releases") {
      const offset = Number(url.searchParams.get("offset"));
      // One to a page, so that paging is what is tested.
      const releases = this.listed.slice(offset, offset + 1);
      response.end(JSON.stringify({ total: this.listed.length, offset, limit: 1, releases }));
      return;
    }
    if (url.pathname === `/api/releases/${id}`) {
      response.end(JSON.stringify(this.withdrawal === undefined ? {} : { withdrawal: this.withdrawal }));
      return;
    }
    if (url.pathname === "/members.json" && this.members !== null) {
      response.end(this.members);
      return;
    }
    const name = url.pathname.replace(`/releases/${id}/`, "");
    const small = new Map([
      ["certificate.json", signed.bytes],
      ["certificate.jws", signed.jws],
    ]).get(name);
    const content = files.get(name);
    if (small !== undefined) response.end(small);
    else if (content === undefined) {
      response.writeHead(404);
      response.end(
        JSON.stringify({ code: "RELEASE_UNKNOWN", message: "no such release", remedy: "list them" }),
      );
    } else {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      this.answer(request, response, content, from);
    }
  }
}

let folder: string;
let publisher: Publisher;
let url: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-release-"));
  await writeFile(join(folder, "root.pem"), federation.root.certificatePem);
  publisher = new Publisher();
  url = await publisher.listen();
});
afterEach(async () => {
  await publisher.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(...argv: string[]) {
  const io = capturedIo({ workingFolder: folder, environment: { CONSILIUM_HOME: folder } });
  const exitCode = await runCli(["release", ...argv], io);
  return { exitCode, out: io.out(), err: io.err() };
}

const get = (...more: string[]) => run("get", id, "--publisher", url, "--authority", "root.pem", ...more);

/** What a publisher shows of a withdrawn release. */
const withdrawn: WithdrawalSummary = {
  status: "withdrawn",
  reason: "dates were wrong\u001b[2J",
  issuedAt: "2026-02-03T04:05:06.000Z",
  supersededBy: null,
  url: `${summary.url}withdrawal.jws`,
};
const superseded: WithdrawalSummary = {
  ...withdrawn,
  status: "superseded",
  reason: "longer follow-up",
  supersededBy: { id: "vitals-aaaaaaaaaa", url: "http://publisher.example/releases/vitals-aaaaaaaaaa/" },
};

describe("consilium release list", () => {
  it("shows which are withdrawn or superseded, filters, and prints names alone", async () => {
    publisher.listed = [
      summary,
      { ...summary, id: "vitals-aaaaaaaaaa", withdrawal: withdrawn },
      { ...summary, id: "vitals-bbbbbbbbbb", withdrawal: superseded },
    ];
    const { out } = await run("list", "--publisher", url);
    expect(out.split("\n").map((line) => /in force|withdrawn|superseded/.exec(line)?.[0])).toEqual([
      undefined,
      "in force",
      "withdrawn",
      "superseded",
      undefined,
    ]);
    const names = (...more: string[]) => run("list", "--publisher", url, "-o", "name", ...more);
    expect((await names()).out).toBe(`${id}\nvitals-aaaaaaaaaa\nvitals-bbbbbbbbbb\n`);
    expect((await names("--status", "superseded")).out).toBe("vitals-bbbbbbbbbb\n");
    await names("--method", "dp-pca", "--from", "2026-01-01");
    expect(publisher.requests.at(-1)).toMatch(/method=dp-pca.*from=2026-01-01/);
    const yaml = await run("list", "--publisher", url, "--status", "in-force", "--output", "yaml");
    expect(parse(yaml.out)).toEqual([summary]);
  });

  it("lists every page", async () => {
    publisher.listed = [summary, { ...summary, id: "vitals-aaaaaaaaaa", title: "Older\u001b[2J" }];
    const { exitCode, out } = await run("list", "--publisher", url);
    expect(exitCode).toBe(0);
    expect(out.split("\n")).toHaveLength(4);
    expect(out).toContain("vitals-aaaaaaaaaa  elfed-pca paper  -        569 rows, 4 columns  open");
    expect(out).not.toContain("\u001b");
    expect(JSON.parse((await run("list", "--publisher", url, "--json")).out)).toHaveLength(2);
  });

  it("asks for all words", async () => {
    await run("list", "--publisher", url, "heart", "rate");
    expect(publisher.requests[0]).toContain("q=heart%20rate");
  });
});

describe("consilium release get", () => {
  it("downloads, verifies and prints the certificate's statements", async () => {
    const { exitCode, out, err } = await get();
    expect(exitCode, err).toBe(0);
    const got = await readdir(join(folder, id), { recursive: true });
    expect(got.filter((name) => name !== "plots").sort()).toEqual(
      ["certificate.json", "certificate.jws", ...files.keys()].sort(),
    );
    expect(rows.equals(await readFile(join(folder, id, "data.parquet")))).toBe(true);
    expect(out).toContain("Verified: epsilon 1, delta 0.01: claimed by the authors, not verified");
    expect(err).toContain("data.parquet  293 KiB");
  });

  it("accepts the start of an id, and a target folder", async () => {
    const got = await run("get", "vit", "--publisher", url, "--to", "here", "--json");
    expect(JSON.parse(got.out)).toMatchObject({ release: id, folder: join(folder, "here"), verified: false });
    publisher.listed = [summary, { ...summary, id: "vitals-aaaaaaaaaa" }];
    expect((await run("get", "vit", "--publisher", url)).exitCode).toBe(2);
    expect((await run("get", "xyz", "--publisher", url)).exitCode).toBe(1);
  });

  it("keeps downloaded plots, and removes foreign files", async () => {
    const partial = join(folder, `${id}.partial`);
    await mkdir(join(partial, "plots", "deep"), { recursive: true });
    await writeFile(join(partial, "plots", "roc.svg"), "<svg/>");
    await writeFile(join(partial, "plots", "other.svg"), "<svg/>");
    await writeFile(join(partial, "plots", "deep", "roc.svg"), "<svg/>");
    const { exitCode, err } = await get();
    expect(exitCode, err).toBe(0);
    expect(await readdir(join(folder, id, "plots"))).toEqual(["roc.svg"]);
    expect(publisher.requests.filter((request) => request.includes("plots"))).toEqual([]);
  });

  it("says when the signer was not verified", async () => {
    const { exitCode, err } = await run("get", id, "--publisher", url);
    expect(exitCode).toBe(0);
    expect(err).toContain("Not verified");
  });

  it("resumes broken connections repeatedly", async () => {
    publisher.answer = (request, response, content, from) => {
      if (content.length - from <= 100_000) return whole(request, response, content, from);
      const part = content.subarray(from, from + 100_000);
      response.writeHead(from > 0 ? 206 : 200, { "content-length": content.length - from });
      response.write(part, () => setTimeout(() => response.destroy(), 20));
    };
    const { exitCode, err } = await get();
    expect(exitCode, err).toBe(0);
    const ranges = publisher.requests.filter((request) => request.includes("data.parquet "));
    expect(ranges).toHaveLength(2);
    expect(ranges.every((request) => Number(/bytes=(\d+)-/.exec(request)?.[1]) > 0)).toBe(true);
  });

  it("resumes an earlier run, and downloads damaged files again", async () => {
    const partial = join(folder, `${id}.partial`);
    await mkdir(partial);
    await writeFile(join(partial, "data.parquet"), rows.subarray(0, 250_000));
    await writeFile(join(partial, "model.json"), "{x");
    await writeFile(join(partial, "leftover"), "of another");
    const { exitCode, err } = await get();
    expect(exitCode, err).toBe(0);
    expect(publisher.requests).toContain(`/releases/${id}/data.parquet bytes=250000-`);
    expect(publisher.requests).toContain(`/releases/${id}/model.json bytes=2-`);
    expect(publisher.requests).toContain(`/releases/${id}/model.json`);
    expect(await readFile(join(folder, id, "model.json"), "utf8")).toBe("{}\n");
  });

  it("starts over if the publisher does not support ranges", async () => {
    await mkdir(join(folder, `${id}.partial`));
    await writeFile(join(folder, `${id}.partial`, "data.parquet"), rows.subarray(0, 250_000));
    publisher.answer = (_, response, content) => void response.end(content);
    expect((await get()).exitCode).toBe(0);
    expect(rows.equals(await readFile(join(folder, id, "data.parquet")))).toBe(true);
  });

  it("creates no folder for changed, oversized or missing files", async () => {
    const changed = Buffer.from(rows);
    changed[7]! ^= 1;
    const bad: [Answer, number, RegExp][] = [
      [
        (_, response) => void response.end(changed),
        4,
        /RELEASE_CORRUPT\] (?:SHA-256 mismatch for data\.parquet|result\.json: longer than)/,
      ],
      [
        (_, response) => void response.end(Buffer.concat([rows, rows])),
        4,
        /(?:data\.parquet|result\.json): longer than/,
      ],
      [(_, response) => void response.writeHead(404).end(), 3, /status 404/],
    ];
    for (const [answer, exitCode, message] of bad) {
      publisher.answer = answer;
      const got = await get();
      expect(got.exitCode).toBe(exitCode);
      expect(got.err).toMatch(message);
      expect(await readdir(folder)).not.toContain(id);
    }
  });

  it("downloads no large file for a certificate of another federation", async () => {
    const other = await testFederation("test-federation", Date.parse("2026-01-01T00:00:00Z"));
    await writeFile(join(folder, "root.pem"), other.root.certificatePem);
    const { exitCode, err } = await get();
    expect(exitCode).toBe(4);
    expect(err).toContain("[RELEASE_CORRUPT] certificate.jws");
    expect(err).toMatch(/heck that the root certificate is that of the release's federation/);
    expect(publisher.requests.some((request) => request.includes("data.parquet"))).toBe(false);
  });

  it("overwrites no folder, and refuses an invalid root", async () => {
    await mkdir(join(folder, id));
    expect((await get()).err).toContain("already exists");
    await writeFile(join(folder, "root.pem"), "hello");
    expect((await get()).err).toContain("is not a PEM certificate");
    expect((await run("get", id, "--publisher", url, "--authority", "none.pem")).exitCode).toBe(1);
  });

  it("reports a publisher that does not answer", async () => {
    await publisher.close();
    const { exitCode, err } = await get();
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^\[PUBLISHER_UNREACHABLE\]/);
  });
});

describe("consilium release get of a release that is not in force", () => {
  it("downloads nothing of a withdrawn one, and names the successor of a superseded one", async () => {
    publisher.withdrawal = withdrawn;
    const refused = await get();
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toMatch(
      /^\[RELEASE_WITHDRAWN\] release vitals-0123456789 was withdrawn on 2026-02-03/,
    );
    expect(refused.err).not.toContain("\u001b");
    expect(await readdir(folder)).toEqual(["root.pem"]);
    expect(publisher.requests.filter((request) => request.includes("data.parquet"))).toEqual([]);
    publisher.withdrawal = superseded;
    const got = await get();
    expect(got.exitCode, got.err).toBe(0);
    expect(got.err).toContain("Superseded on 2026-02-03. Use release vitals-aaaaaaaaaa instead.");
  });
});

describe("consilium release verify --statement", () => {
  const said = (over: Partial<Withdrawal> = {}, by = leaf) =>
    signedWithdrawal(
      {
        format: "consilium-withdrawal/1",
        federation: "test-federation",
        release: id,
        certificateSha256: sha256(signed.bytes),
        status: "withdrawn",
        reason: "dates were wrong",
        issuedAt: "2026-01-01T02:00:00.000Z",
        supersededBy: null,
        ...over,
      },
      pemChainToDer(by.chainPem).slice(0, 2),
      (message) => signMessage(by.signingKey, message),
    );
  const verify = async (file: Uint8Array) => {
    await writeFile(join(folder, "withdrawal.jws"), file);
    return run("verify", id, "--authority", "root.pem", "--statement", "withdrawal.jws", "--json");
  };

  it("fails for a withdrawn release, and names what supersedes another", async () => {
    await get();
    const bad = await verify(said());
    expect(bad.exitCode).toBe(1);
    expect(JSON.parse(bad.out).error).toMatchObject({
      code: "RELEASE_WITHDRAWN",
      message: expect.stringContaining("dates were wrong"),
    });
    const good = await verify(said({ status: "superseded", supersededBy: "vitals-aaaaaaaaaa" }));
    expect(good.exitCode).toBe(0);
    expect(JSON.parse(good.out)).toMatchObject({ verified: true, supersededBy: "vitals-aaaaaaaaaa" });
  });

  it("gives 4 for one that is forged, changed or of another release", async () => {
    await get();
    const site = await federation.leaf("site", "north");
    const other = await testFederation("test-federation", Date.parse("2026-01-01T00:00:00Z"));
    const changed = said();
    changed[changed.length >> 1]! ^= 1;
    for (const file of [
      said({}, site),
      said({}, await other.leaf("aggregator", "aggregator")),
      said({ release: "vitals-aaaaaaaaaa" }),
      said({ certificateSha256: "0".repeat(64) }),
      said({ federation: "another" }),
      changed,
      new Uint8Array(),
      signed.jws,
    ]) {
      const bad = await verify(file);
      expect([bad.exitCode, JSON.parse(bad.out).error.code]).toEqual([4, "RELEASE_CORRUPT"]);
    }
    const missing = await run("verify", id, "--authority", "root.pem", "--statement", "none");
    expect([missing.exitCode, missing.err]).toEqual([1, expect.stringContaining("[STATE_MISSING]")]);
  });
});

describe("consilium release verify", () => {
  it("needs no connection, and gives 4 for any changed byte", async () => {
    await get();
    await publisher.close();
    const verify = () => run("verify", id, "--authority", "root.pem", "--json");
    const good = await verify();
    expect(good.exitCode).toBe(0);
    expect(JSON.parse(good.out)).toMatchObject({
      verified: true,
      release: id,
      sites: ["north", "south", "west"],
      countersigned: { by: 3, of: 3, needed: 3 },
      epsilonRecomputed: null,
      missing: [],
    });
    const all = await readdir(join(folder, id), { recursive: true });
    for (const name of all.filter((one) => one !== "plots")) {
      const path = join(folder, id, name);
      const content = await readFile(path);
      const changed = content.length === 0 ? Buffer.from("x") : Buffer.from(content);
      if (content.length > 0) changed[content.length >> 1]! ^= 1;
      await writeFile(path, changed);
      const bad = await verify();
      expect(bad.exitCode, name).toBe(4);
      expect(JSON.parse(bad.out).error.code).toBe("RELEASE_CORRUPT");
      await writeFile(path, content);
    }
    expect((await verify()).exitCode).toBe(0);
  });

  it("asks the published list, which the root has to have signed, who the hospitals are", async () => {
    await get();
    const { statement } = JSON.parse(Buffer.from(signed.bytes).toString()) as { readonly statement: string };
    const { roster } = JSON.parse(statement) as { readonly roster: readonly Member[] };
    const listOf = (keys: readonly string[], by = federation.root) =>
      issueMembers(
        by,
        keys.map((key, index) => ({
          name: `Hospital ${index}`,
          signingKeyFingerprint: key as Sha256,
          from: "2020-01-01T00:00:00.000Z",
          until: null,
        })),
        "2026-06-01T00:00:00.000Z",
      );
    const keys = roster.map(({ signingKeyFingerprint }) => signingKeyFingerprint);
    const asked = async (members: Uint8Array | null, given = "published") => {
      publisher.members = members;
      return run("verify", id, "--authority", "root.pem", "--members", given, "--publisher", url);
    };
    const says =
      "sites: 3 members signed, by the federation's list of 2026-06-01: Hospital 0, Hospital 1, Hospital 2";
    expect((await asked(listOf(keys))).out).toContain(says);
    expect((await asked(listOf(keys), `${url}/members.json`)).out).toContain(says);
    await rm(join(folder, id), { recursive: true });
    expect((await get("--members", "published")).out).toContain(says);
    expect((await asked(null)).err).toContain("has no list of members");
    const minted = await asked(listOf(["a", "b", "c"].map((name) => sha256(name))));
    expect([minted.exitCode, minted.err]).toEqual([4, expect.stringContaining("COUNTERSIGNATURE_INVALID")]);
    const { privateKey } = federation.issuer;
    expect((await asked(listOf(keys, { ...federation.root, privateKey }))).err).toContain(
      "is not the root's",
    );
    // What a file may be, the reader's own word, a publisher may not.
    const unsigned = Buffer.from(listOf(keys))
      .toString()
      .replace(/,"signature":"[^"]*"/, "");
    await writeFile(join(folder, "mine.json"), unsigned);
    expect((await asked(null, "mine.json")).out).toContain("3 members signed, by your list");
    expect((await asked(Buffer.from(unsigned))).err).toContain("nobody signed it");
    expect((await run("get", id, "--publisher", url, "--members", "published")).exitCode).toBe(2);
  });

  it("names who of those that signed was expelled", async () => {
    await get();
    const { statement } = JSON.parse(Buffer.from(signed.bytes).toString()) as { readonly statement: string };
    const { roster } = JSON.parse(statement) as { readonly roster: readonly (Member & { id: SiteId })[] };
    const [, { id: siteId, signingKeyFingerprint }] = roster as [unknown, Member & { id: SiteId }];
    const entry = { siteId, signingKeyFingerprint: signingKeyFingerprint as Sha256, reason: "left" };
    const revokedAt = Date.parse("2026-02-03T04:05:06.789Z");
    const asked = async (list: Uint8Array, ...args: string[]) => {
      await writeFile(join(folder, "revocations"), list);
      return run("verify", id, "--authority", "root.pem", "--revocations", "revocations", ...args);
    };
    const list = issueRevocations(federation.root, undefined, [{ ...entry, revokedAt }]);
    const found = await asked(list);
    expect([found.exitCode, found.out]).toEqual([0, expect.stringContaining(`${siteId} on 2026-02-03`)]);
    expect(JSON.parse((await asked(list, "--json")).out)).toMatchObject({
      expelled: [{ site: siteId, at: "2026-02-03T04:05:06.789Z" }],
    });
    const none = await asked(issueRevocations(federation.root, undefined, []));
    expect(none.out).toContain("none of those who signed");
    const { privateKey } = federation.issuer;
    const forged = await asked(issueRevocations({ ...federation.root, privateKey }, undefined, []));
    expect([forged.exitCode, forged.err]).toEqual([4, expect.stringContaining("REVOCATIONS_INVALID")]);
  });

  it("says that a timestamp is unchecked without its authority, and checks it with one", async () => {
    await get();
    const verify = (...args: string[]) => run("verify", id, "--authority", "root.pem", ...args);
    const checked = () => verify("--timestamp-authority", "root.pem");
    expect([(await checked()).exitCode, (await checked()).err]).toEqual([
      4,
      expect.stringContaining("certificate.tsr: the file is missing"),
    ]);
    await writeFile(join(folder, id, "certificate.tsr"), "no timestamp");
    const [without, against] = [await verify(), await checked()];
    expect([without.exitCode, without.out]).toEqual([0, expect.stringContaining("is not checked")]);
    expect([against.exitCode, against.err]).toEqual([
      4,
      expect.stringContaining("not an answer with a timestamp"),
    ]);
    expect(JSON.parse((await verify("--json")).out)).toMatchObject({ timestamp: "unchecked" });
    await writeFile(join(folder, id, "certificate.tsr"), Buffer.alloc(65_537));
    expect((await checked()).err).toContain("exceeds its limit");
  });

  it("distinguishes a missing folder from an invalid one", async () => {
    expect((await run("verify", "nowhere", "--authority", "root.pem")).exitCode).toBe(1);
    expect((await run("verify", ".", "--authority", "root.pem")).exitCode).toBe(4);
    expect((await run("verify", ".")).exitCode).toBe(2);
  });
});
