/**
 * Sites that lie, stall, flood and come with the wrong papers, against a real aggregator: each is refused with its code
 * and disturbs nobody else's study.
 */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:tls";
import { littleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import { parseSiteId, type SiteId, type StudyId } from "@consilium/core/ids";
import { maxNameBytes, protocolVersions } from "@consilium/core/limits";
import type { SiteView, StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import type { StudyDocument } from "@consilium/core/study/study";
import { readStudyDocument } from "@consilium/methods/testing/studies";
import { sha256Of } from "@consilium/proto/fields";
import type { EnrollRequest } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import type { UploadRequest } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import { rosterOf } from "@consilium/proto/roster";
import { issueLeaf } from "@consilium/runtime/identity/authority";
import { loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { enrol } from "@consilium/runtime/identity/enrol";
import { createInvitation, parseInvitation } from "@consilium/runtime/identity/invitation";
import { createRequest } from "@consilium/runtime/identity/request";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { ed25519Raw, privateKeyToPem } from "@consilium/runtime/identity/x509";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { buildRoster, joinMessage, type Roster } from "@consilium/secure-sum/roster";
import type { SetupDelivery, SetupPost } from "@consilium/secure-sum/setup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliResult, LocalFederation, waitUntil } from "../../scripts/localFederation.js";
import { findMarkers } from "../end-to-end/markers.js";
import { goodRows, studyOf, writeTables } from "../end-to-end/tables.js";
import { osRandom, Peer } from "./peer.js";
import { type Attendance, type Ended, SiteClient } from "./siteClient.js";

const honest = ["hospital-a", "hospital-b", "hospital-c"];

let folder: string;
let federation: LocalFederation;
let address: string;
let rootPem: string;
let pids: (number | undefined)[];
const clients: SiteClient[] = [];

/** A hostile site that has enrolled like any other. */
interface Villain {
  readonly peer: Peer;
  readonly client: SiteClient;
  readonly token: string;
}

function clientOf(identity?: { tlsKeyPem: string; chainPem: string }): SiteClient {
  const client = new SiteClient(address, rootPem, identity);
  clients.push(client);
  return client;
}

async function invite(site: string, ...more: string[]): Promise<string> {
  const { stdout } = await federation.cliOrThrow("invite", site, "--json", ...more);
  return (JSON.parse(stdout) as { token: string }).token;
}

async function villain(site: string): Promise<Villain> {
  const token = await invite(site);
  const identity = await enrol({ token, stateFolder: join(folder, "villains", site), software: "0.1.0" });
  return { peer: new Peer(site, identity), client: clientOf(identity), token };
}

const start = (study: object) => federation.startStudy(study);
const end = (id: string): Promise<StudyView> =>
  waitUntil(
    async () => {
      const view = await federation.study(id);
      return view.endedAt === null ? null : view;
    },
    120_000,
    `study ${id} to end`,
  );

/** A study that the villain is invited to, beside the honest three. */
const withVillain = (name: string, site: string, change: object = {}) =>
  studyOf(name, {
    participation: {
      minimumSites: 4,
      maxRowsPerSite: 100,
      joinDeadline: "2m",
      phaseDeadline: "2m",
      sites: [...honest, site],
      ...change,
    },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-villains-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const { good } = await writeTables(join(folder, "tables"));
  await Promise.all(honest.map((id) => federation.addSite({ id, tables: { visits: good } })));
  await federation.waitForSites();
  address = (await federation.aggregator.addresses()).grpc!;
  rootPem = await readFile(join(federation.site("hospital-a").state, "identity", "root.pem"), "utf8");
  pids = members().map((member) => member.pid);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await federation?.stop();
  await rm(folder, { recursive: true, force: true });
});

function members() {
  return [federation.aggregator, federation.publisher, ...federation.sites.values()];
}

const codeOf = (ended: Ended) => ended.code;
const jsonError = ({ stdout }: CliResult) =>
  (JSON.parse(stdout) as { error: { code: string; message: string; remedy: string } }).error;

async function enrollRequest(
  site: string,
  secret: Uint8Array,
  change: Partial<EnrollRequest> = {},
): Promise<EnrollRequest> {
  const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const signingKey = generateKeyPairSync("ed25519").privateKey;
  const request = await createRequest({ id: unwrap(parseSiteId(site)), tlsKey, signingKey });
  return {
    proof: "tokenSecret",
    tokenSecret: Buffer.from(secret),
    certificateRequest: Buffer.from(request.csrDer),
    signingKey: Buffer.from(request.signingKey),
    signingKeyProof: Buffer.from(request.signature),
    versions: { ...protocolVersions, software: "0.1.0" },
    ...change,
  };
}

const secretOf = (token: string) => unwrap(parseInvitation(token, Date.now())).secret.reveal();

describe("an invitation token", () => {
  const enrollAt = (state: string, token: string) =>
    federation.cli("site", "enroll", "--token", token, "--state", join(folder, state), "--json");

  it("that has expired enrols nobody, whatever the site's own clock says", async () => {
    const token = await invite("hospital-late", "--expires", "1s");
    const secret = secretOf(token);
    await delay(1_100);
    const result = await enrollAt("late", token);
    expect(result.code).toBe(1);
    expect(jsonError(result)).toMatchObject({
      code: "TOKEN_EXPIRED",
      remedy: expect.stringContaining("consilium invite"),
    });
    const answered = await clientOf().enroll(await enrollRequest("hospital-late", secret));
    expect(answered).toMatchObject({
      code: "TOKEN_EXPIRED",
      message: expect.stringContaining("hospital-late"),
    });
  });

  it("works once: from another state folder it is used up", async () => {
    const token = await invite("hospital-once");
    expect((await enrollAt("once", token)).code).toBe(0);
    const again = await enrollAt("twice", token);
    expect(again.code).toBe(1);
    expect(jsonError(again)).toMatchObject({ code: "TOKEN_USED" });
    // The key that used it may present it again, into the folder that it is in.
    expect((await enrollAt("once", token)).code).toBe(0);
    const other = await invite("hospital-other");
    expect(jsonError(await enrollAt("once", other))).toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("that is garbage, or another federation's, is refused", async () => {
    const good = await invite("hospital-new");
    for (const token of [
      "hello",
      "cns1.",
      "cns1.e30",
      good.slice(0, -20),
      `${good.slice(0, 40)}!${good.slice(41)}`,
      "x".repeat(5_000),
    ]) {
      const result = await enrollAt("garbage", token);
      expect(result.code).toBe(1);
      expect(jsonError(result).code).toBe("TOKEN_INVALID");
      expect(result.stdout + result.stderr).not.toContain(good.slice(10, 60));
    }
    const other = await testFederation("elsewhere");
    const expiresAt = Date.now() + 60_000;
    const siteId = unwrap(parseSiteId("hospital-new"));
    const forged = (rootFingerprint: typeof other.root.fingerprint) =>
      createInvitation({ address, rootFingerprint, siteId, expiresAt, random: osRandom }).token;
    const elsewhere = await enrollAt("elsewhere", forged(other.root.fingerprint));
    expect(elsewhere.code).toBe(4);
    expect(jsonError(elsewhere).code).toBe("AUTHORITY_MISMATCH");
    const invented = await enrollAt(
      "invented",
      forged(unwrap(parseInvitation(good, Date.now())).rootFingerprint),
    );
    expect(jsonError(invented).code).toBe("TOKEN_INVALID");
    // None of it has cost the real one.
    expect((await enrollAt("new", good)).code).toBe(0);
  });

  it("is not spent by a request that is malformed", async () => {
    const token = await invite("hospital-odd");
    const client = clientOf();
    const request = await enrollRequest("hospital-odd", secretOf(token));
    const changes: [Partial<EnrollRequest>, string][] = [
      [{ proof: undefined, tokenSecret: undefined }, "FIELD_INVALID"],
      [{ tokenSecret: Buffer.alloc(31) }, "FIELD_INVALID"],
      [{ tokenSecret: Buffer.alloc(32) }, "TOKEN_INVALID"],
      [{ certificateRequest: Buffer.alloc(0) }, "FIELD_INVALID"],
      [{ certificateRequest: Buffer.alloc(100, 0x30) }, "FIELD_INVALID"],
      [{ certificateRequest: Buffer.alloc(9_000) }, "FIELD_INVALID"],
      [{ signingKey: Buffer.alloc(31) }, "FIELD_INVALID"],
      [{ signingKey: Buffer.alloc(32) }, "FIELD_INVALID"],
      [{ signingKeyProof: Buffer.alloc(64) }, "FIELD_INVALID"],
      [{ versions: null }, "FIELD_INVALID"],
      [{ versions: { ...protocolVersions, software: "x".repeat(maxNameBytes + 1) } }, "FIELD_INVALID"],
      [
        { certificateRequest: (await enrollRequest("hospital-a", Buffer.alloc(32))).certificateRequest! },
        "FIELD_INVALID",
      ],
      [{ certificateRequest: Buffer.alloc(5_000_000) }, "MESSAGE_TOO_LARGE"],
    ];
    for (const [change, code] of changes) {
      const answered = await client.enroll({ ...request, ...change });
      expect(answered.code, `${Object.keys(change)}: ${answered.message}`).toBe(code);
    }
    for (const [lowest, highest, side] of [
      [protocolVersions.highest + 1, protocolVersions.highest + 2, "the aggregator"],
      [0, 0, "the site"],
    ] as const) {
      const answered = await client.enroll({ ...request, versions: { lowest, highest, software: "7.0.0" } });
      expect(answered.code).toBe("PROTOCOL_VERSION");
      expect(answered.message).toMatch(
        new RegExp(`version 7\\.0\\.0\\) speaks protocol ${lowest} to ${highest}.*upgrade ${side}$`),
      );
    }
    expect(codeOf(await client.enroll(request))).toBe("OK");
  });
});

describe("a certificate", () => {
  const header: UploadRequest = {
    part: "header",
    header: { studyId: "x-0123456789", step: "moments", attempt: 1, totalBytes: 8, sha256: Buffer.alloc(32) },
  };
  /** Every method that needs one. */
  async function everyMethod(client: SiteClient): Promise<Record<string, Ended>> {
    const renewal = await enrollRequest("hospital-a", Buffer.alloc(32), {
      proof: "renewal",
      renewal: true,
      tokenSecret: undefined,
    });
    return {
      attend: await client.attend().hello().ended,
      renew: await client.enroll(renewal),
      sendVector: await client.upload("sendVector", [header]),
      sendRows: await client.upload("sendRows", [header]),
      fetchVector: await client.fetch({ studyId: "x-0123456789", sha256: Buffer.alloc(32), offset: 0 }),
    };
  }
  const everywhere = async (client: SiteClient, code: string) => {
    const ended = await everyMethod(client);
    expect(Object.fromEntries(Object.entries(ended).map(([method, one]) => [method, one.code]))).toEqual(
      Object.fromEntries(Object.keys(ended).map((method) => [method, code])),
    );
    return ended;
  };
  const identityIn = async (state: string) => ({
    tlsKeyPem: await readFile(join(state, "identity", "tls-key.pem"), "utf8"),
    chainPem: await readFile(join(state, "identity", "chain.pem"), "utf8"),
  });

  it("is needed on every method but enrolment", () => everywhere(clientOf(), "CERTIFICATE_MISSING"));

  it("of another authority, or one that has expired, is refused on every method", async () => {
    const other = await testFederation("harbour");
    await everywhere(clientOf(await other.leaf("site", "hospital-a")), "CERTIFICATE_INVALID");
    const issuer = unwrap(await loadIssuer(join(federation.aggregator.state, "issuing")));
    const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const chainPem = await issueLeaf(issuer, {
      federation: "harbour",
      role: "site",
      id: unwrap(parseSiteId("hospital-old")),
      tlsPublicKey: createPublicKey(tlsKey),
      signingKey: ed25519Raw(generateKeyPairSync("ed25519").privateKey),
      lifetimeMs: 60_000,
      now: Date.now() - 3_600_000,
    });
    const ended = await everywhere(
      clientOf({ tlsKeyPem: privateKeyToPem(tlsKey), chainPem }),
      "CERTIFICATE_INVALID",
    );
    expect(ended.attend!.message).toContain("expired");
  });

  it("of the publisher or the aggregator is not a site's", async () => {
    await everywhere(clientOf(await identityIn(federation.publisher.state)), "NOT_PERMITTED");
    await everywhere(clientOf(await identityIn(federation.aggregator.state)), "NOT_PERMITTED");
  });

  it("does not renew under another signing key, nor speak for a site that has enrolled again", async () => {
    const first = await villain("hospital-moved");
    const renewal = await enrollRequest("hospital-moved", Buffer.alloc(32), {
      proof: "renewal",
      renewal: true,
      tokenSecret: undefined,
    });
    expect(codeOf(await first.client.enroll(renewal))).toBe("NOT_PERMITTED");
    const stream = await first.client.attend().hello().welcomed();
    const token = await invite("hospital-moved", "--replace");
    const second = await enrol({
      token,
      stateFolder: join(folder, "villains", "moved-again"),
      software: "0.1.0",
    });
    // At once, without waiting for its next frame.
    expect(await stream.ended).toMatchObject({
      code: "IDENTITY_REPLACED",
      message: expect.stringContaining("another signing key"),
    });
    await everywhere(first.client, "IDENTITY_REPLACED");
    const attendance = await clientOf(second).attend().hello().welcomed();
    await attendance.leave();
  });

  it("goes over TLS 1.3 or not at all", async () => {
    const [host, port] = address.split(":");
    const offered = (maxVersion: "TLSv1.2" | "TLSv1.3") =>
      new Promise<string>((resolve) => {
        const socket = connect({
          host,
          port: Number(port),
          rejectUnauthorized: false,
          ALPNProtocols: ["h2"],
          minVersion: "TLSv1.2",
          maxVersion,
        });
        socket.once("secureConnect", () => {
          resolve(socket.getProtocol() ?? "none");
          socket.destroy();
        });
        socket.once("error", (cause) => resolve((cause as NodeJS.ErrnoException).code ?? "error"));
      });
    expect(await offered("TLSv1.2")).toMatch(/PROTOCOL_VERSION/);
    expect(await offered("TLSv1.3")).toBe("TLSv1.3");
  });
});

describe("the control stream", () => {
  let mallory: Villain;
  beforeAll(async () => {
    mallory = await villain("hospital-m");
  });
  const attend = () => mallory.client.attend().hello().welcomed();

  it("begins with a hello in a version that both speak, and has one", async () => {
    // Left silent, it is ended after ten seconds; the others do not wait for it.
    const silent = mallory.client.attend();
    silent.send({});
    expect(await silent.ended).toMatchObject({ code: "FIELD_INVALID" });
    const mute = mallory.client.attend();
    const first = mallory.client.attend();
    first.send({ frame: "heartbeat", heartbeat: { sequence: 1 } });
    expect(await first.ended).toMatchObject({
      code: "FIELD_INVALID",
      message: "the first frame must be a hello",
    });
    for (const [lowest, highest, side] of [
      [protocolVersions.highest + 1, 9, "the aggregator"],
      [1, protocolVersions.lowest - 1, "the site"],
      [0, 0, "the site"],
    ] as const) {
      const stream = mallory.client.attend().hello({ versions: { lowest, highest, software: "7.0.0" } });
      expect(await stream.ended).toMatchObject({
        code: "PROTOCOL_VERSION",
        message: expect.stringMatching(new RegExp(`upgrade ${side}$`)),
      });
      expect(stream.frames.map(({ fault }) => fault?.code)).toEqual(["PROTOCOL_VERSION"]);
    }
    const twice = await attend();
    twice.hello();
    expect(await twice.ended).toMatchObject({ code: "MESSAGE_UNEXPECTED" });
    expect(await mute.ended).toMatchObject({
      code: "FIELD_INVALID",
      message: expect.stringContaining("no hello"),
    });
  });

  it("shows the operator two agents with one identity, and a clock that is off, and neither of one that restarts", async () => {
    const shown = async () => {
      const all = await federation.api<SiteView[]>("GET", "/api/sites");
      return all.find(({ id }) => id === "hospital-m")!;
    };
    const as = (instance: number) =>
      mallory.client
        .attend()
        .hello({ instance: Buffer.alloc(16, instance) })
        .welcomed();
    await as(1);
    await as(2);
    expect((await shown()).agentsAlternatedAt).toBeNull();
    const stream = await as(1);
    expect((await shown()).agentsAlternatedAt).not.toBeNull();
    expect(Math.abs((await shown()).clockSkewMs!)).toBeLessThan(30_000);
    stream.send({ frame: "heartbeat", heartbeat: { sequence: 1, nowMs: Date.now() + 90_500 } });
    await waitUntil(
      async () => ((await shown()).clockSkewMs! > 60_000 ? true : null),
      20_000,
      "the clock of the heartbeat",
    );
    const { stdout } = await federation.cli("sites");
    expect(stdout).toMatch(/hospital-m: its clock is 1m(29|30|31)s fast: synchronise it with a time server/);
    expect(stdout).toMatch(/hospital-m: two agents with its identity end each other's connection/);
  });

  it("refuses a malformed message about a study alone, and names no value", async () => {
    const stream = await attend();
    const studyId = "x-0123456789";
    const post = {
      studyId,
      step: "deal",
      attempt: 1,
      publicPart: Buffer.alloc(5_000),
      signature: Buffer.alloc(64),
    };
    const frames: SiteFrame[] = [
      { frame: "decision", decision: { studyId: "../x", decision: "refusalCode", refusalCode: "INTERNAL" } },
      { frame: "stepFault", stepFault: { studyId, step: "deal", attempt: 1, code: "SECRETVALUE" } },
      { frame: "endReceipt", endReceipt: { studyId: "" } },
      { frame: "exchangePost", exchangePost: post },
    ];
    for (const frame of frames) stream.send(frame);
    await stream.settled(1);
    // What is about no study that can be read has nobody to be told of it.
    const faults = stream.frames.flatMap(({ fault }) => fault ?? []);
    expect(faults.map((fault) => [fault.code, fault.studyId])).toEqual([
      ["FIELD_INVALID", studyId],
      ["FIELD_INVALID", studyId],
    ]);
    expect(JSON.stringify(faults)).not.toContain("SECRETVALUE");
    expect(stream.isOpen).toBe(true);
    await stream.leave();
  });

  // aggregator/src/rpc/toDomain.test.ts tries every field.
  it("ends over an invalid frame, and only that stream", async () => {
    const other = await (await villain("hospital-n")).client.attend().hello().welcomed();
    const frames: [SiteFrame, string][] = [
      [{}, "FIELD_INVALID"],
      [
        {
          frame: "exchangePost",
          exchangePost: { studyId: "x-0123456789", publicPart: Buffer.alloc(5_000_000) },
        },
        "MESSAGE_TOO_LARGE",
      ],
    ];
    for (const [frame, code] of frames) {
      const stream = await attend();
      stream.send(frame);
      const ended = await stream.ended;
      expect(ended.code, `${frame.frame}: ${ended.message}`).toBe(code);
    }
    const large = mallory.client
      .attend()
      .hello({ tables: Array.from({ length: 300 }, () => ({ name: "t", columns: [] })) });
    expect(await large.ended).toMatchObject({ code: "FIELD_INVALID" });
    for (const method of ["Attend", "SendVector", "SendRows", "FetchVector", "Enroll"]) {
      expect(codeOf(await mallory.client.garbage(method, Buffer.alloc(200, 0xff))), method).not.toBe("OK");
    }
    await other.settled(99);
    expect(other.isOpen).toBe(true);
    await other.leave();
  });

  it("takes no more than it can stand: a flood is cut off while others are served", async () => {
    const stream = await attend();
    const begun = performance.now();
    for (let i = 0; i < 10_000; i++) stream.send({ frame: "heartbeat", heartbeat: { sequence: i } });
    const served = federation.api<SiteView[]>("GET", "/api/sites").then(() => performance.now() - begun);
    expect(await stream.ended).toMatchObject({ code: "RATE_LIMITED" });
    expect(await served).toBeLessThan(20_000);
    // A new stream is no new allowance.
    const again = mallory.client.attend().hello();
    for (let i = 0; i < 500; i++) again.send({ frame: "heartbeat", heartbeat: { sequence: i } });
    expect(codeOf(await again.ended)).toBe("RATE_LIMITED");
    await delay(1_500);
    await (await attend()).leave();
  });

  it("does not hear what a site says of studies that it was not asked to join", async () => {
    const { id } = await start(
      studyOf("without-mallory", { participation: { minimumSites: 3, maxRowsPerSite: 100, sites: honest } }),
    );
    const stream = await attend();
    const join = { exchangeKey: Buffer.alloc(exchangeKeyBytes, 1), signature: Buffer.alloc(64) };
    const content = Buffer.alloc(8);
    const hash = Buffer.from(sha256(content), "hex");
    const wrongVector = { step: "deal", attempt: 1, totalBytes: 8, content, sha256: hash };
    for (const studyId of [id, "x-0123456789"]) {
      stream.send({ frame: "decision", decision: { studyId, decision: "join", join } });
      stream.send({
        frame: "decision",
        decision: { studyId, decision: "refusalCode", refusalCode: "INTERNAL" },
      });
      stream.send({ frame: "vector", vector: { ...wrongVector, studyId } });
      stream.send({ frame: "stepFault", stepFault: { studyId, step: "deal", attempt: 1, code: "INTERNAL" } });
      stream.send({ frame: "endReceipt", endReceipt: { studyId } });
      stream.send({
        frame: "exchangePost",
        exchangePost: {
          studyId,
          step: "deal",
          attempt: 1,
          publicPart: Buffer.alloc(32),
          signature: Buffer.alloc(64),
          envelopes: [],
        },
      });
    }
    await stream.settled(7);
    const view = await end(id);
    expect(view.status, view.failure?.message).toBe("released");
    expect(view.siteStates.map(({ site }) => site)).toEqual(honest);
    await stream.leave();
  });
});

/** A villain's part in one study, as far as the test lets it be played by the rules. */
class Part {
  readonly villain: Villain;
  readonly stream: Attendance;
  readonly id: StudyId;
  document!: StudyDocument;
  roster!: Roster;

  private constructor(villain: Villain, stream: Attendance, id: StudyId) {
    this.villain = villain;
    this.stream = stream;
    this.id = id;
  }

  static async invited(villain: Villain, study: object): Promise<Part> {
    const stream = await villain.client.attend().hello().welcomed();
    const { id } = await start(study);
    const part = new Part(villain, stream, id as StudyId);
    const { studyText, studyHash } = await stream.invitation(id);
    part.document = unwrap(readStudyDocument(studyText, sha256Of(studyHash, "hash")));
    return part;
  }

  join(): this {
    const { exchangeKey, signature } = this.villain.peer.join(this.id, this.document.hash);
    this.decide(exchangeKey, signature);
    return this;
  }

  decide(exchangeKey: Uint8Array, signature: Uint8Array): void {
    const join = { exchangeKey: Buffer.from(exchangeKey), signature: Buffer.from(signature) };
    this.stream.send({ frame: "decision", decision: { studyId: this.id, decision: "join", join } });
  }

  /** The roster that a task shows, read as a site reads it. */
  read(task: Task__Output): this {
    const options = { rootPem, now: Date.now(), role: "site", purpose: "client" } as const;
    this.roster = unwrap(
      buildRoster(
        { id: this.id, hash: this.document.hash, minimumSites: 3 },
        rosterOf(task.roster).members.map((member) => ({
          site: member.siteId as SiteId,
          signingKey: unwrap(verifyPeer(member.chain, options)).signingKey,
          exchangeKey: new Uint8Array(member.join!.exchangeKey),
          joinSignature: new Uint8Array(member.join!.signature),
        })),
      ),
    );
    return this;
  }

  post(step: string, post: SetupPost, change: object = {}): void {
    this.stream.send({
      frame: "exchangePost",
      exchangePost: {
        studyId: this.id,
        step,
        attempt: 1,
        publicPart: Buffer.from(post.publicPart),
        signature: Buffer.from(post.signature),
        envelopes: post.envelopes.map(({ to, sealed }) => ({
          to: to as string,
          sealed: Buffer.from(sealed),
        })),
        ...change,
      },
    });
  }

  async setup(): Promise<this> {
    this.join();
    this.read(await this.stream.task(this.id, "deal"));
    this.post("deal", this.villain.peer.deal(this.roster, true));
    const reveal = await this.stream.task(this.id, "reveal");
    this.post("reveal", this.villain.peer.goOn(this.roster, true, deliveriesOf(reveal))!);
    const moments = await this.stream.task(this.id, "moments");
    this.villain.peer.goOn(this.roster, true, deliveriesOf(moments));
    return this;
  }

  upload(bytes: Buffer, change: object = {}): UploadRequest {
    const header = {
      studyId: this.id as string,
      step: "moments",
      attempt: 1,
      totalBytes: bytes.length,
      sha256: hashOf(bytes),
      ...change,
    };
    return { part: "header", header };
  }
}

const hashOf = (bytes: Buffer) => Buffer.from(sha256(bytes), "hex");
const chunk = (offset: number, data: Buffer): UploadRequest => ({ part: "chunk", chunk: { offset, data } });

function deliveriesOf(task: Task__Output): SetupDelivery[] {
  return task.deliveries.map(({ from, publicPart, signature, sealed }) => ({
    from: from as SiteId,
    publicPart: new Uint8Array(publicPart),
    signature: new Uint8Array(signature),
    sealed: sealed.length === 0 ? null : new Uint8Array(sealed),
  }));
}

/** What the aggregator has refused alone on a stream. */
const faultsOf = ({ frames }: Attendance) => frames.flatMap(({ fault }) => fault ?? []);

describe("a site's part in a study", () => {
  it("begins with a key that it has signed and that can be used, or the study continues without it", async () => {
    const joiner = await villain("hospital-j");
    const spoilt: ((part: Part) => void)[] = [
      (part) => part.decide(Buffer.alloc(exchangeKeyBytes, 9), Buffer.alloc(64)),
      (part) => {
        const exchangeKey = Buffer.alloc(exchangeKeyBytes);
        const message = joinMessage(part.id, part.document.hash, joiner.peer.site, exchangeKey);
        part.decide(exchangeKey, signMessage(joiner.peer.identity.signingKey, message));
      },
    ];
    for (const [i, spoil] of spoilt.entries()) {
      const part = await Part.invited(joiner, withVillain(`spoilt-${i}`, "hospital-j", { minimumSites: 3 }));
      spoil(part);
      const view = await end(part.id);
      expect(view.status, view.failure?.message).toBe("released");
      expect(view).toMatchObject({ sites: 3, rows: 3 * goodRows });
      expect(view.siteStates.find(({ site }) => site === "hospital-j")).toMatchObject({
        state: "refused",
        code: "FIELD_INVALID",
      });
      // The site learns that it is not in, and stays connected.
      await part.stream.settled(1);
      expect(faultsOf(part.stream)).toEqual([
        { code: "FIELD_INVALID", studyId: part.id, message: expect.stringContaining("exchange key") },
      ]);
      expect(part.stream.frames.flatMap(({ studyEnded }) => studyEnded ?? [])).toMatchObject([
        { studyId: part.id, outcome: "failed", code: "FIELD_INVALID" },
      ]);
      expect(part.stream.frames.filter(({ task }) => task?.studyId === part.id)).toEqual([]);
      expect(part.stream.isOpen).toBe(true);
      await part.stream.leave();
    }
  });

  it("is posted as the step asks: signed, to the others of the roster, to each of them", async () => {
    const poster = await villain("hospital-p");
    const part = await Part.invited(poster, withVillain("posting", "hospital-p"));
    part.join();
    const { stream } = part;
    part.read(await stream.task(part.id, "deal"));
    const dealt = poster.peer.deal(part.roster, true);
    const sealed = Buffer.alloc(60, 1);
    const wrong: object[] = [
      { envelopes: [{ to: "hospital-a", sealed }] },
      { envelopes: [{ to: "hospital-stranger", sealed }] },
      { envelopes: [{ to: "hospital-p", sealed }] },
      { signature: Buffer.alloc(64) },
      { publicPart: Buffer.alloc(32) },
      { envelopes: [{ to: "hospital-a", sealed: Buffer.alloc(0) }] },
    ];
    const asked = () => stream.frames.filter(({ task }) => task?.studyId === part.id && task.step === "deal");
    for (const [i, change] of wrong.entries()) {
      part.post("deal", dealt, change);
      expect((await end(part.id)).failure, JSON.stringify(change)).toMatchObject({
        code: "SITE_FAILED",
        message: expect.stringContaining("hospital-p could not answer step deal (FIELD_INVALID)"),
      });
      await stream.settled(i);
      expect(faultsOf(stream).map(({ code, studyId }) => [code, studyId])).toEqual(
        Array(i + 1).fill(["FIELD_INVALID", part.id]),
      );
      expect(stream.isOpen).toBe(true);
      // It is asked again, for nothing of that was taken.
      await federation.api("POST", `/api/studies/${part.id}/resume`, "{}");
      await waitUntil(async () => (asked().length === i + 2 ? true : null), 60_000, "the task deal again");
    }
    for (const change of [{ step: "reveal" }, { attempt: 2 }, { studyId: "x-0123456789" }])
      part.post("deal", dealt, change);
    await stream.settled(wrong.length);
    expect(faultsOf(stream)).toHaveLength(wrong.length);
    expect(
      (await federation.study(part.id)).siteStates.find(({ site }) => site === "hospital-p"),
    ).toMatchObject({ state: "working" });
    part.post("deal", dealt);
    const reveal = await stream.task(part.id, "reveal");
    const next = poster.peer.goOn(part.roster, true, deliveriesOf(reveal))!;
    part.post("reveal", next, { envelopes: [] });
    expect((await end(part.id)).failure).toMatchObject({
      code: "SITE_FAILED",
      message: expect.stringContaining("hospital-p could not answer step reveal (FIELD_INVALID)"),
    });
    await stream.settled(wrong.length + 1);
    expect(faultsOf(stream).at(-1)).toMatchObject({
      code: "FIELD_INVALID",
      message: expect.stringContaining("one envelope"),
      studyId: part.id,
    });
    expect(stream.isOpen).toBe(true);
    await federation.api("POST", `/api/studies/${part.id}/cancel`, "{}");
    await stream.leave();
  });

  it("is uploaded as the plan says, and whatever else comes is refused and does no harm", async () => {
    const uploader = await villain("hospital-u");
    const part = await (await Part.invited(uploader, withVillain("uploading", "hospital-u"))).setup();
    const { client, peer } = uploader;
    const vector = await peer.moments(part.document.study, part.roster, 10);
    const bytes = Buffer.from(littleEndianBytes(vector));
    const header = part.upload(bytes);
    const put = async (parts: UploadRequest[], method: "sendVector" | "sendRows" = "sendVector") =>
      codeOf(await client.upload(method, parts));

    // Another study, that this site is not in, waits for a site that never comes.
    await invite("hospital-absent").then((token) =>
      enrol({ token, stateFolder: join(folder, "villains", "absent"), software: "0.1.0" }),
    );
    const beside = await start(withVillain("beside", "hospital-absent"));
    expect(await put([part.upload(bytes, { studyId: beside.id })])).toBe("NOT_PERMITTED");
    expect(await put([part.upload(bytes, { studyId: "x-0123456789" })])).toBe("MESSAGE_UNEXPECTED");
    expect(await put([part.upload(bytes, { studyId: "../etc" })])).toBe("FIELD_INVALID");
    for (const step of ["covariance", "subspace", "deal", "constructor"]) {
      expect(await put([part.upload(bytes, { step })]), step).toBe("MESSAGE_UNEXPECTED");
    }
    expect(await put([part.upload(bytes, { attempt: 2 })])).toBe("MESSAGE_UNEXPECTED");
    expect(await put([header], "sendRows")).toBe("MESSAGE_UNEXPECTED");
    expect(await put([])).toBe("UPLOAD_TRUNCATED");
    expect(await put([chunk(0, bytes)])).toBe("FIELD_INVALID");
    expect(await put([part.upload(bytes, { totalBytes: 1e13 })])).toBe("FIELD_INVALID");
    for (const totalBytes of [0, bytes.length - 8, bytes.length + 8]) {
      expect(await put([part.upload(bytes, { totalBytes })]), `${totalBytes}`).toBe("UPLOAD_LENGTH");
    }
    expect(await put([part.upload(bytes, { sha256: Buffer.alloc(31) })])).toBe("FIELD_INVALID");

    // From here on the declaration is taken, and binds.
    expect(await put([header, chunk(8, bytes.subarray(8))])).toBe("UPLOAD_ORDER");
    expect(await put([header, chunk(0, Buffer.alloc(1024 * 1024 + 1))])).toBe("FIELD_INVALID");
    expect(await put([header, chunk(0, Buffer.alloc(5 * 1024 * 1024))])).toBe("MESSAGE_TOO_LARGE");
    expect(await put([header, chunk(0, Buffer.concat([bytes, bytes]))])).toBe("UPLOAD_LENGTH");
    expect(await put([header, chunk(0, Buffer.alloc(0))])).toBe("FIELD_INVALID");
    expect(await put([header, header])).toBe("FIELD_INVALID");
    expect(await put([header, chunk(0, Buffer.alloc(bytes.length, 7))])).toBe("UPLOAD_HASH");
    const other = Buffer.alloc(bytes.length, 8);
    expect(await put([part.upload(other), chunk(0, other)])).toBe("UPLOAD_CHANGED");
    expect(await put([header, chunk(0, bytes.subarray(0, 16))])).toBe("UPLOAD_TRUNCATED");

    // One that stalls holds up its own study and no other.
    const stalled = client.stalledUpload([header]);
    const quick = await start(
      studyOf("quick", { participation: { minimumSites: 3, maxRowsPerSite: 100, sites: honest } }),
    );
    expect((await end(quick.id)).status).toBe("released");
    expect((await federation.study(part.id)).status).toBe("running");

    // Taken up where the truncated one ended, it is whole; the newer connection replaces the stalled one.
    const whole = await client.upload("sendVector", [header, chunk(16, bytes.subarray(16))]);
    expect(whole).toMatchObject({
      code: "OK",
      replies: [
        { received: 16, complete: false },
        { received: bytes.length, complete: true },
      ],
    });
    stalled.hangUp();
    expect(await client.upload("sendVector", [header])).toMatchObject({
      code: "OK",
      replies: [{ complete: true }],
    });
    expect(await put([part.upload(other), chunk(0, other)])).toBe("UPLOAD_CHANGED");

    // The step is closed with the honest sum, and its broadcasts can be had, by those on the roster alone.
    const task = await part.stream.task(part.id, "covariance");
    const mean = task.sum!.broadcasts.find(({ name }) => name === "mean")!;
    const request = { studyId: part.id as string, sha256: mean.sha256, offset: 0 };
    const fetched = await client.fetch(request);
    expect(fetched.code).toBe("OK");
    expect(hashOf(fetched.bytes).equals(mean.sha256)).toBe(true);
    expect((await client.fetch({ ...request, offset: 8 })).bytes.equals(fetched.bytes.subarray(8))).toBe(
      true,
    );
    const fetchCode = async (change: object) => codeOf(await client.fetch({ ...request, ...change }));
    expect(await fetchCode({ sha256: Buffer.alloc(32) })).toBe("FIELD_INVALID");
    expect(await fetchCode({ sha256: Buffer.alloc(5) })).toBe("FIELD_INVALID");
    expect(await fetchCode({ offset: 1_000 })).toBe("FIELD_INVALID");
    expect(await fetchCode({ studyId: beside.id })).toBe("NOT_PERMITTED");
    expect(await fetchCode({ studyId: quick.id })).toBe("MESSAGE_UNEXPECTED");

    // A site that cannot continue says so by a code, which the operator sees with its name.
    part.stream.send({
      frame: "stepFault",
      stepFault: { studyId: part.id, step: "covariance", attempt: 1, code: "TABLE_CHANGED" },
    });
    const failed = await end(part.id);
    expect(failed.failure).toMatchObject({
      code: "SITE_FAILED",
      message: expect.stringContaining("hospital-u could not answer step covariance (TABLE_CHANGED)"),
    });
    for (const id of [part.id, beside.id]) await federation.api("POST", `/api/studies/${id}/cancel`, "{}");
    expect(await fetchCode({})).toBe("MESSAGE_UNEXPECTED");
    await part.stream.leave();
  });

  it("that is noise from end to end spoils that study, and says so", async () => {
    const noisy = await villain("hospital-z");
    const part = await (await Part.invited(noisy, withVillain("noisy", "hospital-z"))).setup();
    const bytes = Buffer.from(osRandom.bytes(5 * 8));
    expect(codeOf(await noisy.client.upload("sendVector", [part.upload(bytes), chunk(0, bytes)]))).toBe("OK");
    const view = await end(part.id);
    expect(view.failure).toMatchObject({ code: "SUM_IMPLAUSIBLE" });
    await part.stream.leave();
  });
});

describe("an expelled site", () => {
  it("is gone at once and for good, and the studies that wait for it end", async () => {
    const eve = await villain("hospital-e");
    const part = await Part.invited(eve, withVillain("with-eve", "hospital-e"));
    part.join();
    part.read(await part.stream.task(part.id, "deal"));
    const waiting = await start(withVillain("waits-for-eve", "hospital-e", { minimumSites: 3 }));
    await part.stream.invitation(waiting.id);

    const begun = performance.now();
    const expelled = await federation.cliOrThrow(
      "expel",
      "hospital-e",
      "--reason",
      "left the consortium",
      "--json",
    );
    expect(JSON.parse(expelled.stdout)).toMatchObject({ site: "hospital-e", added: true });
    expect(await part.stream.ended).toMatchObject({ code: "SITE_EXPELLED" });
    expect(performance.now() - begun).toBeLessThan(30_000);

    expect((await end(part.id)).failure).toMatchObject({
      code: "SITE_EXPELLED",
      message: expect.stringContaining("hospital-e"),
    });
    await federation.api("POST", `/api/studies/${part.id}/resume`, "{}");
    expect((await end(part.id)).failure).toMatchObject({ code: "SITE_EXPELLED" });
    const without = await end(waiting.id);
    expect(without.status, without.failure?.message).toBe("released");
    expect(without.siteStates.find(({ site }) => site === "hospital-e")).toMatchObject({
      presence: "expelled",
      code: "SITE_EXPELLED",
    });

    const { client, peer, token } = eve;
    expect(codeOf(await client.attend().hello().ended)).toBe("SITE_EXPELLED");
    const bytes = Buffer.alloc(40);
    expect(codeOf(await client.upload("sendVector", [part.upload(bytes)]))).toBe("SITE_EXPELLED");
    expect(codeOf(await client.fetch({ studyId: part.id, sha256: Buffer.alloc(32), offset: 0 }))).toBe(
      "SITE_EXPELLED",
    );
    const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const request = await createRequest({ id: peer.site, tlsKey, signingKey: peer.identity.signingKey });
    const wire = {
      certificateRequest: Buffer.from(request.csrDer),
      signingKey: Buffer.from(request.signingKey),
      signingKeyProof: Buffer.from(request.signature),
      versions: { ...protocolVersions, software: "0.1.0" },
    };
    expect(codeOf(await client.enroll({ ...wire, proof: "renewal", renewal: true }))).toBe("SITE_EXPELLED");
    // Nor by its old token, nor by a new one for the same key.
    for (const secret of [secretOf(token), secretOf(await invite("hospital-e"))]) {
      expect(
        codeOf(await clientOf().enroll({ ...wire, proof: "tokenSecret", tokenSecret: Buffer.from(secret) })),
      ).toBe("SITE_EXPELLED");
    }
    const sites = await federation.api<SiteView[]>("GET", "/api/sites");
    expect(sites.find(({ id }) => id === "hospital-e")).toMatchObject({ presence: "expelled" });
    const named = await federation
      .startStudy(withVillain("named", "hospital-e"))
      .catch((error: unknown) => error);
    expect(named).toMatchObject({ code: "STUDY_INVALID", message: expect.stringContaining("hospital-e") });
  });

  it("stays expelled when the aggregator starts again, and an older list is not taken", async () => {
    const eve = clientOf({
      tlsKeyPem: await readFile(join(folder, "villains", "hospital-e", "identity", "tls-key.pem"), "utf8"),
      chainPem: await readFile(join(folder, "villains", "hospital-e", "identity", "chain.pem"), "utf8"),
    });
    const list = await readFile(join(federation.aggregator.state, "revocations"));
    const post = (bytes: Buffer) =>
      federation
        .api("POST", "/api/revocations", JSON.stringify({ list: bytes.toString("base64") }))
        .catch((error: unknown) => error);
    expect(await post(list)).toBeNull();
    await villain("hospital-f");
    await federation.cliOrThrow("expel", "hospital-f");
    expect(await post(list)).toMatchObject({ code: "REVOCATIONS_STALE" });
    const forged = Buffer.from(list);
    forged[20]! ^= 1;
    expect(await post(forged)).toMatchObject({ code: "REVOCATIONS_INVALID" });
    await federation.aggregator.stop("SIGKILL");
    await federation.aggregator.start();
    pids[0] = federation.aggregator.pid;
    expect(codeOf(await eve.attend().hello().ended)).toBe("SITE_EXPELLED");
    await federation.waitForSites();
  });
});

describe("after all of it", () => {
  it("the same processes release the next study, and no record's value is in what was said", async () => {
    const view = await end(
      (
        await start(
          studyOf("normal", { participation: { minimumSites: 3, maxRowsPerSite: 100, sites: honest } }),
        )
      ).id,
    );
    expect(view.status, view.failure?.message).toBe("released");
    expect(view.rows).toBe(3 * goodRows);
    expect(members().map((member) => member.pid)).toEqual(pids);
    const logs = new Map<string, string>();
    for (const member of members()) logs.set(member.logPath, await member.log());
    for (const [name, log] of logs) {
      expect(
        log.split("\n").filter((line) => line.includes('"INTERNAL"')),
        name,
      ).toEqual([]);
    }
    expect(findMarkers(logs)).toEqual([]);
    await writeFile(join(folder, "planted.log"), "SECRETVALUE");
    expect(findMarkers(new Map([["planted", await readFile(join(folder, "planted.log"))]]))).toEqual([
      "planted",
    ]);
  });
});
