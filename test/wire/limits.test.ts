/**
 * Every limit of core/src/limits.ts over the wire: the most that is allowed is taken, one more is refused with a code, and
 * alone. Messages of a site go to a real aggregator with three real hospitals, messages of an aggregator to a real agent.
 */

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { SiteId } from "@consilium/core/ids";
import * as limits from "@consilium/core/limits";
import type { SiteView, StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import type { Welcome } from "@consilium/proto/generated/consilium/v1/Welcome";
import { rosterBytes } from "@consilium/proto/roster";
import { enrol } from "@consilium/runtime/identity/enrol";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { createRequest } from "@consilium/runtime/identity/request";
import { exchangeKeyBytes } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation, Member, waitUntil } from "../../scripts/localFederation.js";
import { HostileAggregator, Play } from "../adversary/hostileAggregator.js";
import { osRandom, Peer } from "../adversary/peer.js";
import { featuresOfRows, PlayedSite } from "../adversary/playedSite.js";
import { type Attendance, SiteClient } from "../adversary/siteClient.js";
import { goodTable, studyOf } from "../end-to-end/tables.js";
import { siteAgent } from "../support/siteAgent.js";

type Limit = Extract<keyof typeof limits, `max${string}` | `min${string}`>;

/** A limit at one place where it is met. */
interface Place {
  readonly at: string;
  /** The code with which a value of this size is refused; null where it is taken. */
  readonly codeFor: (size: number) => Promise<string | null>;
  /** What is no refusal by the limit: a message whose size is allowed, and whose content is of no use. */
  readonly otherwise?: readonly string[];
  readonly refusal?: string;
}

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const far = "hospital-h" as SiteId;

let folder: string;
let federation: LocalFederation;
let played: PlayedSite;
let client: SiteClient;
let stream: Attendance;
let hostile: HostileAggregator;
let agent: Member;
let joined: Play;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-limits-"));
  const table = join(folder, "visits.csv");
  await writeFile(table, goodTable);
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  // What sites do not share no study is held against: each study here reaches the sites.
  const policy = { announce: "nothing" };
  await Promise.all(hospitals.map((id) => federation.addSite({ id, tables: { visits: table }, policy })));
  await federation.waitForSites();
  const { grpc } = await federation.aggregator.addresses();
  const own = async (id: string) => {
    const { stdout } = await federation.cliOrThrow("invite", id, "--json");
    const { token } = JSON.parse(stdout) as { token: string };
    const stateFolder = join(folder, "own", id);
    const identity = await enrol({ token, stateFolder, software: "0.1.0" });
    const rootPem = await readFile(join(stateFolder, "identity", "root.pem"), "utf8");
    return { peer: new Peer(id, identity), client: new SiteClient(grpc!, rootPem, identity), rootPem };
  };
  const sender = await own("hospital-s");
  client = sender.client;
  signer = sender.peer;
  stream = await client.attend().hello().welcomed();
  // A site that says nothing for long is gone to the aggregator.
  beating = setInterval(() => {
    if (stream.isOpen) stream.send({ frame: "heartbeat", heartbeat: { sequence: 0 } });
  }, 5_000);
  const player = await own("hospital-p");
  played = new PlayedSite(player.peer, player.client, { index: 0, rootPem: player.rootPem });
  await played.attend();

  hostile = await HostileAggregator.start();
  // Only what it is sent ends the agent's stream, not a busy machine on which an answer is seconds late.
  hostile.heartbeatMs = limits.maxHeartbeatMs;
  const { token } = createInvitation({
    address: hostile.address,
    rootFingerprint: hostile.federation.root.fingerprint,
    siteId: far,
    expiresAt: Date.now() + 600_000,
    random: osRandom,
  });
  const state = join(folder, "far");
  const options = [
    "--csv-header",
    "--unit",
    "visits=rows",
    "--allow-paper-variants",
    "--approval",
    "automatic",
  ];
  await federation.cliOrThrow(
    "site",
    "enroll",
    "--token",
    token,
    "--state",
    state,
    "--table",
    `visits=${table}`,
    ...options,
  );
  agent = new Member("site-agent", state, federation.environment);
  await agent.start();
  await hostile.connected();
  joined = await new Play(hostile, {
    study: studyOf("joined"),
    peers: [await hostile.peer("hospital-x"), await hostile.peer("hospital-y")],
    site: far,
  }).join();
});

let signer: Peer;
let beating: NodeJS.Timeout;

afterAll(async () => {
  clearInterval(beating);
  await stream?.leave();
  await played?.leave();
  played?.client.close();
  client?.close();
  await agent?.stop();
  await hostile?.stop();
  await federation?.stop();
  await rm(folder, { recursive: true, force: true });
});

// ---- what a site sends ------------------------------------------------------------------------------------------

let studies = 0;
const newStudy = () => `wire-${(++studies).toString(16).padStart(10, "0")}`;
let beats = 0;
const zeros = (size: number) => Buffer.alloc(size, 1);
const letter = (at: number) => String.fromCharCode((at < 26 ? 65 : 97 - 26) + at);
const letters = (size: number) => "x".repeat(size);

/** Sends a message on the one stream, which stays: what is refused is refused alone. */
const sent =
  (make: (size: number, studyId: string) => SiteFrame) =>
  async (size: number): Promise<string | null> => {
    const studyId = newStudy();
    stream.send(make(size, studyId));
    await stream.settled(++beats);
    return stream.frames.find(({ fault }) => fault?.studyId === studyId)?.fault?.code ?? null;
  };

/** A greeting on a stream of its own, as a site's that begins anew; what the operator sees of it is its code. */
const greeted =
  (make: (size: number) => NonNullable<SiteFrame["hello"]>) =>
  async (size: number): Promise<string | null> => {
    const next = client.attend().hello(make(size));
    const code = await Promise.race([
      next.welcomed().then(() => null),
      next.ended.then((ended) => ended.code),
    ]);
    const site = (await federation.api<SiteView[]>("GET", "/api/sites")).find(
      ({ id }) => id === "hospital-s",
    )!;
    expect(site.presence).toBe(code === null ? "online" : "refused");
    expect(site.turnedAway?.code ?? null).toBe(code);
    if (code !== null) return code;
    stream = next;
    return null;
  };

const post = (size: number, studyId: string) => ({
  studyId,
  step: "deal",
  attempt: 1,
  publicPart: zeros(32),
  signature: zeros(64),
  envelopes: [],
  size,
});
const envelope = { to: "hospital-a", sealed: zeros(60) };
const shares = { selfMaskCommitment: zeros(32), ciphertexts: zeros(0), signature: zeros(64), envelopes: [] };
const sumShares = (change: object, studyId: string): SiteFrame => ({
  frame: "sumPost",
  sumPost: { studyId, step: "moments", attempt: 1, post: "shares", shares: { ...shares, ...change } },
});
const vectorOf = (size: number, studyId: string) => {
  const content = zeros(size);
  return { studyId, step: "moments", attempt: 1, totalBytes: size, sha256: hashOf(content), content };
};
const hashOf = (bytes: Uint8Array) => Buffer.from(sha256(bytes), "hex");
const countersigned = (change: object, studyId: string): SiteFrame => ({
  frame: "countersignature",
  countersignature: {
    studyId,
    signature: zeros(64),
    ledgerHead: headOf(100),
    ledgerEntries: [],
    software: "0.1.0",
    ...change,
  },
});
function headOf(size: number) {
  const headWith = (pad: string) => canonicalJson({ sequence: 1, hash: "0".repeat(64), pad });
  const text = headWith(letters(Math.max(0, size - headWith("").length)));
  const message = Buffer.from(`consilium ledger head v1\n${text}`);
  return { head: text, signature: Buffer.from(signMessage(signer.identity.signingKey, message)) };
}

/** An upload of a study that takes it as far as its size goes. */
async function uploadCode(size: number): Promise<string> {
  const { code } = await client.upload("sendVector", [
    {
      part: "header",
      header: { studyId: newStudy(), step: "moments", attempt: 1, totalBytes: size, sha256: zeros(32) },
    },
  ]);
  return code;
}

/** The code of one chunk too much for its vector, in a study that the test plays a part in. */
async function chunkCode(size: number): Promise<string> {
  const name = `chunk-${size}`;
  const code = new Promise<string>((resolve) => {
    played.plays(name, {
      upload: async (honest) => {
        resolve((await honest.send(honest.header, zeros(size))).code);
        await honest.send();
      },
    });
  });
  const { id } = await federation.startStudy({
    name,
    table: "visits",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    parameters: { components: 2, form: "one-round" },
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: {
      minimumSites: 3,
      maxRowsPerSite: 100,
      phaseDeadline: "2m",
      sites: [...hospitals, "hospital-p"],
    },
    ...featuresOfRows,
  });
  const found = await code;
  await federation.api("POST", `/api/studies/${id}/cancel`).catch(() => undefined);
  return found;
}

async function requestCode(size: number): Promise<string> {
  const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const signingKey = generateKeyPairSync("ed25519").privateKey;
  const request = await createRequest({ id: "hospital-s" as SiteId, tlsKey, signingKey });
  const { message } = await client.enroll({
    proof: "tokenSecret",
    tokenSecret: zeros(32),
    certificateRequest: zeros(size),
    signingKey: Buffer.from(request.signingKey),
    signingKeyProof: Buffer.from(request.signature),
    versions: { ...limits.protocolVersions, software: "0.1.0" },
  });
  return message.includes(`${size} bytes, expected`) ? "FIELD_INVALID" : "no request";
}

// ---- what an aggregator sends -----------------------------------------------------------------------------------

/** What the agent logs once it has read a message, from now on. */
async function loggedCode(send: () => void, pattern: RegExp): Promise<string | null> {
  const before = (await agent.log()).length;
  send();
  const line = await waitUntil(
    async () =>
      (await agent.log())
        .slice(before)
        .split("\n")
        .find((one) => pattern.test(one)) ?? null,
    60_000,
    String(pattern),
  );
  const { code } = JSON.parse(line) as { code?: string };
  return /message of the aggregator's was refused|malformed message/.test(line) ? (code ?? "") : null;
}

/** An invitation to a made-up study, refused or answered; the connection stays. */
const invited =
  (make: (size: number) => Partial<NonNullable<AggregatorFrame["invitation"]>>) =>
  async (size: number): Promise<string | null> => {
    const studyId = newStudy();
    const given = {
      studyId,
      studyText: "{}",
      studyHash: zeros(32),
      plan: "{}",
      deadlineInMs: 60_000,
    };
    hostile.send({ frame: "invitation", invitation: { ...given, ...make(size) } });
    const decision = await hostile.frame(
      "decision",
      (one) => one.studyId === studyId,
      `a decision on ${studyId}`,
    );
    return decision.refusalCode ?? null;
  };

let attempts = 1;
/** A task of a study that the site is in: each as an attempt of its own. */
const asked =
  (make: (size: number) => Partial<Task>) =>
  async (size: number): Promise<string | null> => {
    const attempt = ++attempts;
    const task = joined.task("moments", "sum", { attempt, deliveries: [], ...make(size) });
    const code = await loggedCode(
      () => hostile.send(task),
      /a step was refused|message of the aggregator's was refused/,
    );
    const fault = await hostile.frame(
      "stepFault",
      (one) => one.attempt === attempt,
      `an answer to attempt ${attempt}`,
    );
    if (code !== null) expect(fault.code).toBe(code);
    return code;
  };
const member = () => ({
  siteId: "hospital-x",
  chain: [zeros(700)],
  join: { exchangeKey: zeros(exchangeKeyBytes), signature: zeros(64) },
});
const delivery = {
  step: "deal",
  from: "hospital-x",
  publicPart: zeros(32),
  signature: zeros(64),
  sealed: zeros(60),
};
const item = { stage: "moments", name: "m", length: 4, sha256: zeros(32) };

/** A greeting of the aggregator's: over its limit the stream ends, for what follows rests on it. */
const welcomed =
  (make: (size: number) => Welcome, after: (size: number) => AggregatorFrame[] = () => []) =>
  async (size: number): Promise<string | null> => {
    const welcome = {
      protocol: limits.protocolVersions.highest,
      software: "0.0.0",
      federation: "harbour",
      heartbeatMs: 1_000,
      ...make(size),
    };
    hostile.greeting = [{ frame: "welcome", welcome }, ...after(size)];
    await agent.stop();
    const { hellos } = hostile;
    await agent.start();
    await waitUntil(async () => (hostile.hellos > hellos ? true : null), 120_000, "the site to dial");
    const view = await waitUntil(
      async () => {
        const { connected, lastFault } = await siteAgent(agent).status({});
        return connected || lastFault !== null ? { connected, lastFault } : null;
      },
      60_000,
      "an end of the greeting",
    );
    const { hellos: now } = hostile;
    hostile.greeting = null;
    await agent.stop();
    await agent.start();
    await hostile.connected(now + 1);
    return view.connected ? null : view.lastFault!.code;
  };

const listed = (change: (size: number) => object) => async (size: number) => {
  const { hellos } = hostile;
  const revocations = { ...hostile.revocations().revocations!, ...change(size) };
  const code = await loggedCode(
    () => hostile.send({ frame: "revocations", revocations }),
    /malformed message/,
  );
  await hostile.connected(hellos + 1);
  return code;
};

// ---- what an operator starts ------------------------------------------------------------------------------------

type Change = Record<string, unknown>;
const base = {
  table: "visits",
  analysis: "describe",
  method: "counts",
  privacy: { epsilon: 0.1, delta: 1e-6 },
  label: { name: "outcome", levels: ["good", "poor"] },
  features: [{ name: "a", type: "numeric", min: 0, max: 10 }],
};
const participation = { minimumSites: 3, maxRowsPerSite: 100, phaseDeadline: "1m" };

/** Codes that would say that a site cannot take the study. */
const untaken = ["INVITATION_INVALID", "STUDY_INVALID", "STUDY_HASH", "PLAN_DIFFERS", "FIELD_INVALID"];

/** Starts a study, and waits until each hospital has answered it in some way. */
async function startedCode(study: Change): Promise<string | null> {
  let view: StudyView;
  try {
    view = await federation.startStudy({ ...base, name: `at-${++studies}`, participation, ...study });
  } catch (thrown) {
    return (thrown as { code?: string }).code ?? String(thrown);
  }
  const decided = await waitUntil(
    async () => {
      const { siteStates, endedAt } = await federation.study(view.id);
      const open = siteStates.filter(({ site, state }) => hospitals.includes(site) && state === "invited");
      return endedAt !== null || open.length === 0 ? siteStates : null;
    },
    180_000,
    `decisions on ${view.id}`,
  );
  await federation.api("POST", `/api/studies/${view.id}/cancel`).catch(() => undefined);
  expect(decided.filter(({ code }) => code !== null && untaken.includes(code))).toEqual([]);
  return null;
}

/** The same study's text, sent to an agent by an aggregator that would take anything. */
async function offeredCode(study: Change): Promise<string | null> {
  const valid = joined.document.text;
  const text = canonicalJson({ ...(JSON.parse(valid) as object), ...study });
  const code = await invited(() => ({ studyText: text, studyHash: hashOf(Buffer.from(text)) }))(0);
  return code !== null && untaken.includes(code) && code !== "PLAN_DIFFERS" ? code : null;
}

/** A bound of the study's schema, at the operator's desk and at a hospital's door. */
function ofStudies(
  make: (size: number) => Change,
  at: { hospitalsToo?: (size: number) => Change } = {},
): Place[] {
  const offered = at.hospitalsToo;
  return [
    { at: "a study that is started", codeFor: (size) => startedCode(make(size)), refusal: "STUDY_INVALID" },
    ...(offered === undefined
      ? []
      : [
          {
            at: "a study that is offered",
            codeFor: (size: number) => offeredCode(offered(size)),
            refusal: "STUDY_INVALID",
          },
        ]),
  ];
}
const within = (change: Change): Change => ({ participation: { ...participation, ...change } });
const offeredWithin = (change: Change): Change => ({
  participation: {
    ...(JSON.parse(joined?.document.text ?? "{}") as { participation: object }).participation,
    ...change,
  },
});
const both = (change: (size: number) => Change) =>
  ofStudies((size) => within(change(size)), { hospitalsToo: (size) => offeredWithin(change(size)) });
const numeric = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });
const named = (count: number) => Array.from({ length: count }, (_, i) => i.toString(36));

/** A study whose text has so many bytes. */
function textOfBytes(size: number): Change {
  const description = letters(1_000);
  const study = (features: number, more: number): Change => ({
    name: "long-text",
    features: named(features).map((name) => ({ ...numeric(`f${name}`), description })),
    release: { access: "open", description: letters(more) },
  });
  const bytesOf = (change: Change) =>
    Buffer.byteLength(
      studyDocument(unwrap(parseStudy({ ...base, participation, flow: true, ...change }))).text,
    );
  const each = bytesOf(study(200, 0)) - bytesOf(study(199, 0));
  const features = Math.floor((size - bytesOf(study(1, 0))) / each) - 1;
  return study(features, size - bytesOf(study(features, 0)));
}

// ---- the limits --------------------------------------------------------------------------------------------------

const ofTask = (at: string, make: (size: number) => Partial<Task>): Place => ({
  at,
  codeFor: asked(make),
});
const inRoster = (at: string, make: (size: number) => object): Place =>
  ofTask(at, (size) => ({ roster: rosterBytes({ members: [{ ...member(), ...make(size) }] }) }));

const speaks = { ...limits.spokenFormats, editions: {} };

const places: Readonly<Record<Limit, readonly Place[]>> = {
  maxMessageBytes: [
    {
      // Over it gRPC itself ends the call, and with it what the call was for.
      at: "a message",
      codeFor: async (size) => {
        const next = await client.attend().hello().welcomed();
        const overhead = 10;
        next.send({ frame: "exchangePost", exchangePost: { publicPart: zeros(size - overhead) } });
        const code = await Promise.race([
          next.settled(++beats).then(() => null),
          next.ended.then((ended) => ended.code),
        ]);
        await next.leave();
        stream = await client.attend().hello().welcomed();
        return code;
      },
      refusal: "MESSAGE_TOO_LARGE",
    },
  ],
  maxChunkBytes: [{ at: "a chunk", codeFor: chunkCode, otherwise: ["UPLOAD_LENGTH"] }],
  maxInlineVectorBytes: [
    {
      at: "a vector in a frame",
      codeFor: sent((size, id) => ({ frame: "vector", vector: vectorOf(size, id) })),
    },
  ],
  maxUploadBytes: [
    { at: "an upload", codeFor: uploadCode, otherwise: ["MESSAGE_UNEXPECTED"] },
    {
      at: "a fetch",
      codeFor: async (offset) => {
        // The aggregator looks for the study first: one that runs is not needed to read the offset.
        const { code } = await client.fetch({ studyId: newStudy(), sha256: zeros(32), offset });
        return code;
      },
      otherwise: ["MESSAGE_UNEXPECTED"],
    },
  ],
  maxBroadcastBytes: [
    ofTask("a broadcast", (size) => ({ sum: { broadcasts: [{ ...item, length: Math.ceil(size / 8) }] } })),
  ],
  maxProtocolVersion: [
    {
      at: "a greeting",
      codeFor: greeted((highest) => ({ versions: { lowest: 3, highest, software: "0.1.0" } })),
    },
    { at: "a welcome", codeFor: welcomed((protocol) => ({ protocol })), otherwise: ["PROTOCOL_VERSION"] },
  ],
  maxEdition: [
    {
      at: "a greeting",
      codeFor: greeted((edition) => ({ speaks: { ...speaks, editions: { counts: edition } } })),
    },
  ],
  maxAdmitted: [
    {
      at: "a greeting",
      codeFor: greeted((size) => ({ admits: { analyses: named(size), variants: [], requires: [] } })),
    },
  ],
  maxSpokenMethods: [
    {
      at: "a greeting",
      codeFor: greeted((size) => ({
        speaks: { ...speaks, editions: Object.fromEntries(named(size).map((name) => [name, 1])) },
      })),
    },
  ],
  maxHeartbeatMs: [{ at: "a welcome", codeFor: welcomed((heartbeatMs) => ({ heartbeatMs })) }],
  maxCodeBytes: [
    {
      at: "a greeting",
      codeFor: greeted((size) => ({
        tables: [{ name: "t", columns: [{ name: "c", type: letters(size) }] }],
      })),
    },
    {
      at: "a study's end",
      codeFor: (size) => {
        const studyEnded = { studyId: newStudy(), outcome: "failed", code: letters(size) };
        const done = {
          frame: "studyEnded",
          studyEnded: { studyId: newStudy(), outcome: "burnt", code: "" },
        } as const;
        return firstOf({ frame: "studyEnded", studyEnded }, done);
      },
    },
  ],
  maxFaultTextBytes: [
    {
      at: "a fault",
      codeFor: (size) =>
        loggedCode(() => {
          const fault = { code: "FIELD_INVALID", message: letters(size), studyId: newStudy() };
          hostile.send({ frame: "fault", fault });
        }, /refused a message about a study|message of the aggregator's was refused/),
    },
  ],
  maxColumnNameLength: ofStudies((size) => ({ features: [numeric(letters(size))] }), {
    hospitalsToo: (size) => ({
      features: [{ ...numeric(letters(size)), missing: "reject-row" }, ...paddedFeatures()],
    }),
  }),
  maxTableNameLength: ofStudies((size) => ({ table: letters(size) }), {
    hospitalsToo: (size) => ({ table: letters(size) }),
  }),
  maxNameBytes: [
    { at: "a table", codeFor: greeted((size) => ({ tables: [{ name: letters(size), columns: [] }] })) },
    {
      at: "a column",
      codeFor: greeted((size) => ({
        tables: [{ name: "t", columns: [{ name: letters(size), type: "any" }] }],
      })),
    },
    {
      at: "a column's unit",
      codeFor: greeted((size) => ({
        tables: [{ name: "t", columns: [{ name: "c", type: "any", unit: letters(size) }] }],
      })),
    },
    {
      at: "a column's level",
      codeFor: greeted((size) => ({
        tables: [{ name: "t", columns: [{ name: "c", type: "any", levels: [letters(size)] }] }],
      })),
    },
    ofTask("a broadcast", (size) => ({ sum: { broadcasts: [{ ...item, name: letters(size) }] } })),
    ofTask("a delivery", (size) => ({ deliveries: [{ ...delivery, step: letters(size) }] })),
  ],
  maxTables: [
    {
      at: "a greeting",
      codeFor: greeted((size) => ({ tables: named(size).map((name) => ({ name, columns: [] })) })),
    },
  ],
  maxColumnsPerTable: [
    {
      at: "a greeting",
      codeFor: greeted((size) => ({
        tables: [{ name: "t", columns: named(size).map((name) => ({ name, type: "any" })) }],
      })),
    },
  ],
  maxCertificateBytes: [inRoster("a roster", (size) => ({ chain: [zeros(size)] }))],
  maxChainLength: [inRoster("a roster", (size) => ({ chain: Array(size).fill(zeros(10)) }))],
  maxCertificateRequestBytes: [{ at: "an enrolment", codeFor: requestCode, otherwise: ["no request"] }],
  maxRevocationsBytes: [
    {
      at: "the list of expelled sites",
      codeFor: listed((size) => ({ list: zeros(size) })),
      otherwise: ["REVOCATIONS_INVALID"],
    },
  ],
  maxConfirmationBytes: [
    {
      at: "its confirmation",
      codeFor: listed((size) => ({ confirmation: zeros(size) })),
      otherwise: ["REVOCATIONS_INVALID", "REVOCATIONS_UNCONFIRMED"],
    },
  ],
  maxLedgerHeadBytes: [
    {
      at: "a countersignature",
      codeFor: sent((size, id) => countersigned({ ledgerHead: headOf(size) }, id)),
    },
    {
      at: "a welcome",
      codeFor: welcomed((size) => ({ ledgerHead: { head: letters(size), signature: zeros(64) } })),
    },
  ],
  maxSites: [
    {
      at: "a study that is offered",
      codeFor: (size) =>
        offeredCode(offeredWithin({ sites: [far, ...named(size - 1).map((name) => `s${name}`)] })),
      refusal: "STUDY_INVALID",
    },
    {
      at: "envelopes",
      codeFor: sent((size, id) => ({
        frame: "exchangePost",
        exchangePost: { ...post(size, id), envelopes: Array(size).fill(envelope) },
      })),
    },
    ofTask("deliveries", (size) => ({ deliveries: Array(size).fill(delivery) })),
    ofTask("a roster", (size) => ({ roster: rosterBytes({ members: Array(size).fill(member()) }) })),
  ],
  maxStudyNameLength: ofStudies((size) => ({ name: letters(size) }), {
    hospitalsToo: (size) => ({ name: letters(size) }),
  }),
  maxPlanBytes: [
    {
      at: "an invitation",
      codeFor: invited((size) => ({ plan: letters(size) })),
      otherwise: ["STUDY_HASH"],
      refusal: "INVITATION_INVALID",
    },
  ],
  maxStudyTextBytes: [
    {
      at: "an invitation",
      codeFor: invited((size) => ({ studyText: letters(size) })),
      otherwise: ["STUDY_HASH"],
      refusal: "INVITATION_INVALID",
    },
    {
      at: "a study that is started",
      codeFor: (size) => startedCode(textOfBytes(size)),
      refusal: "STUDY_INVALID",
    },
  ],
  maxFeatures: ofStudies((size) => ({
    label: undefined,
    features: named(size).map((name) => numeric(`f${name}`)),
  })),
  maxReadColumns: ofStudies((size) => {
    const names = Array.from({ length: size }, (_, i) => `c${letter(i % 40)}${letter(Math.floor(i / 40))}`);
    const where = names.map((name) => `${name}>0`).join(" or ");
    return { columns: names.map((name) => ({ name, type: "numeric" })), where };
  }),
  maxLevels: [
    ...ofStudies((size) => ({ label: { name: "outcome", levels: named(size) } })),
    {
      at: "a greeting",
      codeFor: greeted((size) => ({
        tables: [{ name: "t", columns: [{ name: "c", type: "any", levels: named(size) }] }],
      })),
    },
  ],
  maxConditionLength: ofStudies((size) => ({ where: `a >= 0${" ".repeat(size - 6)}` })),
  maxRowsOfSite: both((maxRowsPerSite) => ({ maxRowsPerSite })),
  maxRowsOfPatient: ofStudies((maxRows) => ({ patient: { column: "patient", maxRows } })),
  maxExpectedRows: both((expectedRows) => ({ maxRowsPerSite: limits.maxRowsOfSite, expectedRows })),
  minPhaseMs: both((size) => ({ phaseDeadline: `${size}ms` })),
  maxPhaseMs: both((size) => ({ phaseDeadline: `${size}ms` })),
  minJoinMs: both((size) => ({ joinDeadline: `${size}ms` })),
  maxJoinMs: [
    ...both((size) => ({ joinDeadline: `${size}ms` })),
    {
      at: "an invitation",
      codeFor: invited((deadlineInMs) => ({ deadlineInMs })),
      otherwise: ["STUDY_HASH"],
      refusal: "INVITATION_INVALID",
    },
  ],
  minResumableMs: both((size) => ({ resumableFor: `${size}ms` })),
  maxResumableMs: both((size) => ({ resumableFor: `${size}ms` })),
  maxAttempt: [
    {
      at: "a step's fault",
      codeFor: sent((attempt, studyId) => ({
        frame: "stepFault",
        stepFault: { studyId, step: "moments", attempt, code: "INTERNAL" },
      })),
    },
    {
      at: "a task",
      codeFor: (attempt) =>
        loggedCode(
          () => hostile.send(joined.task("moments", "sum", { attempt, deliveries: [] })),
          /a step was refused|message of the aggregator's was refused/,
        ),
    },
  ],
  maxPublicPartBytes: [
    {
      at: "a post",
      codeFor: sent((size, id) => ({
        frame: "exchangePost",
        exchangePost: { ...post(size, id), publicPart: zeros(size) },
      })),
    },
    ofTask("a delivery", (size) => ({ deliveries: [{ ...delivery, publicPart: zeros(size) }] })),
  ],
  maxSealedBytes: [
    {
      at: "an envelope",
      codeFor: sent((size, id) => ({
        frame: "exchangePost",
        exchangePost: { ...post(size, id), envelopes: [{ to: "hospital-a", sealed: zeros(size) }] },
      })),
    },
    {
      at: "shares",
      codeFor: sent((size, id) => sumShares({ envelopes: [{ to: "hospital-a", sealed: zeros(size) }] }, id)),
    },
    ofTask("a delivery", (size) => ({ deliveries: [{ ...delivery, sealed: zeros(size) }] })),
  ],
  maxDigestsBytes: [
    { at: "shares", codeFor: sent((size, id) => sumShares({ ciphertexts: zeros(size) }, id)) },
  ],
  maxBroadcastItems: [ofTask("a task", (size) => ({ sum: { broadcasts: Array(size).fill(item) } }))],
  maxStatementBytes: [
    ofTask("a statement", (size) => ({
      kind: "countersign",
      step: "countersign",
      countersign: { statement: letters(size) },
    })),
  ],
  maxLedgerEntries: [
    {
      at: "a countersignature",
      codeFor: sent((size, id) => countersigned({ ledgerEntries: Array(size).fill(zeros(32)) }, id)),
    },
  ],
  maxPersonTextBytes: [
    {
      at: "a question",
      codeFor: sent((size, studyId) => ({
        frame: "question",
        question: { studyId, questionId: "0a".repeat(16), text: letters(size) },
      })),
    },
    {
      at: "an answer",
      codeFor: (size) =>
        loggedCode(() => {
          const answer = { studyId: newStudy(), questionId: "0a".repeat(16), text: letters(size) };
          hostile.send({ frame: "answer", answer });
        }, /an answer was ignored|message of the aggregator's was refused/),
    },
  ],
  maxQuestions: [{ at: "one study", codeFor: questionCode, refusal: "RATE_LIMITED" }],
};

const paddedFeatures = () => (JSON.parse(joined.document.text) as { features: object[] }).features.slice(1);
/** Which of two messages is refused first: the second one always is. */
async function firstOf(frame: AggregatorFrame, refused: AggregatorFrame): Promise<string | null> {
  const before = (await agent.log()).length;
  hostile.send(frame);
  hostile.send(refused);
  const { studyId } = refused.studyEnded!;
  const lines = await waitUntil(
    async () => {
      const all = (await agent.log())
        .slice(before)
        .split("\n")
        .filter((line) => line.includes("was refused"));
      return all.some((line) => line.includes(studyId!)) ? all : null;
    },
    60_000,
    "the second one's refusal",
  );
  return lines.length === 1 ? null : (JSON.parse(lines[0]!) as { code: string }).code;
}

async function questionCode(count: number): Promise<string | null> {
  const { id } = await federation.startStudy({
    ...base,
    name: `questions-${++studies}`,
    participation: { ...participation, joinDeadline: "1h", sites: [...hospitals, "hospital-s"] },
  });
  for (let i = 0; i < count; i++) {
    const questionId = i.toString(16).padStart(32, "0");
    stream.send({ frame: "question", question: { studyId: id, questionId, text: "How long?" } });
  }
  await stream.settled(++beats);
  await federation.api("POST", `/api/studies/${id}/cancel`);
  return stream.frames.find(({ fault }) => fault?.studyId === id)?.fault?.code ?? null;
}

const known = Object.fromEntries(
  Object.entries(limits).filter(([name]) => /^(max|min)[A-Z]/.test(name)),
) as Readonly<Record<Limit, number>>;

it("has a test for every limit, and no other", () => {
  expect(Object.keys(places).sort()).toEqual(Object.keys(known).sort());
});

describe.each(Object.entries(places) as [Limit, readonly Place[]][])("%s", (name, all) => {
  const limit = known[name];
  const beyond = name.startsWith("min") ? limit - 1 : limit + 1;
  it.each(all)(
    "holds in $at, at both ends",
    async ({ codeFor, otherwise = [], refusal = "FIELD_INVALID" }) => {
      const { hellos } = hostile;
      const pids = members().map(({ pid }) => pid);
      expect([null, ...otherwise]).toContain(await codeFor(limit));
      expect(await codeFor(beyond)).toBe(refusal);
      expect(members().map(({ pid }) => pid)).toEqual(pids);
      if (!endsStreams.has(name)) expect(hostile.hellos).toBe(hellos);
    },
  );
});

/** What the rest of a stream rests on: its versions, its rhythm, who is expelled. */
const endsStreams: ReadonlySet<Limit> = new Set([
  "maxProtocolVersion",
  "maxHeartbeatMs",
  "maxLedgerHeadBytes",
  "maxRevocationsBytes",
  "maxConfirmationBytes",
]);

function members(): Member[] {
  return [federation.aggregator, ...federation.sites.values()];
}

it("leaves everybody in the federation, and the next study is released", async () => {
  const sites = await federation.api<SiteView[]>("GET", "/api/sites");
  const presences = sites.filter(({ id }) => hospitals.includes(id)).map(({ presence }) => presence);
  expect(presences).toEqual(["online", "online", "online"]);
  for (const id of hospitals)
    expect(await federation.site(id).log()).not.toContain("not connected to the aggregator");
  const { id } = await federation.startStudy({
    ...base,
    name: "after-all",
    participation: { ...participation, sites: hospitals },
    features: [{ name: "b", type: "numeric", min: -10, max: 10 }],
  });
  const view = await waitUntil(
    async () => {
      const now = await federation.study(id);
      return now.endedAt === null ? null : now;
    },
    180_000,
    "the last study",
  );
  expect(view.failure).toBeNull();
  expect(view.status).toBe("released");
});
