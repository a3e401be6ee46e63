import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId } from "@consilium/core/ids";
import * as limits from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { bytesOf, countOf, exactBytes, present, sha256Of, studyIdOf } from "@consilium/proto/fields";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { CheckReply } from "@consilium/proto/generated/consilium/v1/CheckReply";
import type { CheckRequest__Output } from "@consilium/proto/generated/consilium/v1/CheckRequest";
import type { Chunk } from "@consilium/proto/generated/consilium/v1/Chunk";
import type { EnrollRequest__Output } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import type { EnrollResponse } from "@consilium/proto/generated/consilium/v1/EnrollResponse";
import type { FederationHandlers } from "@consilium/proto/generated/consilium/v1/Federation";
import type { FetchRequest__Output } from "@consilium/proto/generated/consilium/v1/FetchRequest";
import type { SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { UploadReply } from "@consilium/proto/generated/consilium/v1/UploadReply";
import type { UploadRequest__Output } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import type { Welcome } from "@consilium/proto/generated/consilium/v1/Welcome";
import { awaitDrain, nextWithin, stallMs } from "@consilium/proto/streams";
import { type After, afterMs } from "@consilium/runtime/after";
import { english } from "@consilium/runtime/http/spoken";
import type { Logger } from "@consilium/runtime/log";
import type { SampledWarnings } from "@consilium/runtime/sampledLog";
import type { BlobUpload } from "@consilium/runtime/store/blobs";
import { DiskFull } from "@consilium/runtime/store/diskFull";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import type { ServerCall } from "@consilium/runtime/tls/peer";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream, sendUnaryData } from "@grpc/grpc-js";
import type { StudyMeter } from "../metrics.js";
import type { Enrolment } from "../roster/enrolment.js";
import { keepLedgerHead, readLedgerHead } from "../roster/ledgerHeads.js";
import { heartbeatMs, type Presence, type SiteSession } from "../roster/presence.js";
import type { SeenNote, SiteRegistry } from "../roster/registry.js";
import type { ConfirmedList } from "../roster/revocations.js";
import { addressOf, type SitePeer } from "../roster/sitePeer.js";
import { Turns } from "../roster/turns.js";
import type { Studies } from "../rounds/studies.js";
import type { StudyRun } from "../rounds/studyRun.js";
import { FrameBudget, frameLimits } from "./frameBudget.js";
import { spokenAnswer, spokenFrame } from "./spokenAnswer.js";
import {
  type RefusedMessage,
  readSiteFrame,
  readUploadHeader,
  readVersions,
  refusedMessage,
  type SiteMessage,
  type Upload,
  type Versions,
} from "./toDomain.js";

const fault = faults<AggregatorSays>();

/** The service that sites call. Every call except Enroll and Check needs a certificate of the federation. */
interface FederationContext {
  readonly federation: string;
  readonly software: string;
  readonly enrolment: Enrolment;
  readonly registry: SiteRegistry;
  readonly presence: Presence;
  readonly studies: Studies;
  /** The verified calling site. */
  readonly authorise: (call: ServerCall) => SitePeer;
  /** The same for a renewal alone, which a certificate that has expired may still ask for. */
  readonly authoriseRenewal: (call: ServerCall) => SitePeer;
  /** Writes to the store in a group commit. */
  readonly together: <T>(work: () => T) => Promise<T>;
  readonly disk: Pick<DiskSpace, "failure">;
  /** The list of expelled sites with a current confirmation; null without one. */
  readonly revocations: () => ConfirmedList | null;
  readonly now: () => number;
  readonly after?: After;
  readonly log: Logger;
  /** The same log, for events caused by strangers. */
  readonly strangers: SampledWarnings;
  readonly meter?: Pick<StudyMeter, "sent">;
  /** Counts a refused call. */
  readonly refused?: (method: string, code: ErrorCode) => void;
}

/** A site must send its hello within this time. */
const helloMs = 10_000;
/** Uploads that are asked for their bytes at once: each may have a receive window of them under way. */
const receiveAtOnce = { most: 64, patienceMs: 1_000 };
/** A site's last-seen time is stored at most this often, because disk writes delay other work. */
const seenGrainMs = 15_000;
const seenTogetherMs = 1_000;

export function federationHandlers(context: FederationContext): FederationHandlers {
  const receiving = new Turns(receiveAtOnce);
  const budgets = new Map<SiteId, FrameBudget>();
  const budgetOf = (site: SiteId): FrameBudget => {
    const budget = budgets.get(site) ?? new FrameBudget(context.now);
    budgets.set(site, budget);
    return budget;
  };
  const noteSeen = seenNotes(context);
  return {
    Enroll: (call, callback) => void enroll(context, call, callback),
    Check: (call, callback) => check(context, call, callback),
    Attend: (call) => attend(context, call, { budgetOf, noteSeen }),
    SendVector: (call) => void receive(context, call, { kind: "sum", receiving }),
    SendRows: (call) => void receive(context, call, { kind: "rows", receiving }),
    FetchVector: (call) => void fetchVector(context, call),
  };
}

async function enroll(
  context: FederationContext,
  call: ServerUnaryCall<EnrollRequest__Output, EnrollResponse>,
  callback: sendUnaryData<EnrollResponse>,
): Promise<void> {
  try {
    const request = call.request;
    const versions = readVersions(request.versions);
    negotiate(versions, context.software);
    const certificateRequest = {
      csrDer: bytesOf(request.certificateRequest, "certificate_request", {
        min: 1,
        max: limits.maxCertificateRequestBytes,
      }),
      signingKey: exactBytes(request.signingKey, "signing_key", 32),
      signature: exactBytes(request.signingKeyProof, "signing_key_proof", 64),
    };
    const enrolled =
      request.proof === "renewal"
        ? await context.enrolment.renew(context.authoriseRenewal(call), certificateRequest, versions.software)
        : await context.enrolment.enrol(
            exactBytes(present(request.tokenSecret, "token_secret"), "token_secret", 32),
            certificateRequest,
            { software: versions.software, from: addressOf(call) },
          );
    callback(null, {
      federation: context.federation,
      siteId: enrolled.site,
      chain: enrolled.chain.map((der) => Buffer.from(der)),
    });
  } catch (thrown) {
    refuse(context, "Enroll", thrown);
    callback(spokenAnswer(thrown));
  }
}

/** For a site's doctor: changes nothing, and reveals no more to strangers than any connection. */
function check(
  context: FederationContext,
  call: ServerUnaryCall<CheckRequest__Output, CheckReply>,
  callback: sendUnaryData<CheckReply>,
): void {
  try {
    readVersions(call.request.versions);
    const { lowest, highest } = limits.protocolVersions;
    let refusal: ConsiliumError | null = null;
    try {
      context.authorise(call);
    } catch (thrown) {
      refusal = toConsiliumError(thrown);
      if (refusal.code === "INTERNAL") throw thrown;
    }
    callback(null, {
      nowMs: context.now(),
      versions: { lowest, highest, software: refusal === null ? context.software : "" },
      certificateCode: refusal?.code ?? "",
      certificateMessage: english(refusal?.message ?? ""),
    });
  } catch (thrown) {
    refuse(context, "Check", thrown);
    callback(spokenAnswer(thrown));
  }
}

/** The highest common version. */
function negotiate(theirs: Versions, software: string): number {
  const ours = limits.protocolVersions;
  const highest = Math.min(theirs.highest, ours.highest);
  if (highest >= Math.max(theirs.lowest, ours.lowest)) return highest;
  // The message is sent without its remedy, so it names the side to upgrade.
  throw fault(
    "PROTOCOL_VERSION",
    theirs.highest < ours.lowest ? "call.site-older" : "call.aggregator-older",
    {
      site: nameOf(theirs.software),
      siteLow: theirs.lowest,
      siteHigh: theirs.highest,
      software: nameOf(software),
      low: ours.lowest,
      high: ours.highest,
    },
  );
}

const ofMessages: ReadonlySet<ErrorCode> = new Set(["FIELD_INVALID", "LEDGER_HEAD_INVALID"]);

/** Whether a fault is one of the message, and not of this process or of who sends it. */
function isOfMessage(failure: unknown): failure is ConsiliumError {
  return failure instanceof ConsiliumError && ofMessages.has(failure.code);
}

type AttendCall = ServerDuplexStream<SiteFrame__Output, AggregatorFrame>;

/** The control stream. A message about a study that cannot be taken is refused alone; what breaks the stream itself ends it. */
function attend(
  context: FederationContext,
  call: AttendCall,
  {
    budgetOf,
    noteSeen,
  }: { readonly budgetOf: (site: SiteId) => FrameBudget; readonly noteSeen: ReturnType<typeof seenNotes> },
): void {
  let session: SiteSession | null = null;
  let site: SiteId | null = null;
  let ended = false;
  let seenAt = Number.NEGATIVE_INFINITY;
  let flushed = Promise.resolve();
  let stopExpiry = () => {};
  let markOver = () => {};
  /** Of a call that has ended gRPC forgets what is written, and calls nobody back. */
  const over = new Promise<void>((resolve) => {
    markOver = resolve;
  });
  const end = (thrown?: unknown) => {
    if (ended) return;
    ended = true;
    markOver();
    clearTimeout(greeting);
    stopExpiry();
    if (session !== null) context.presence.disconnect(session);
    if (thrown === undefined) {
      call.end();
      return;
    }
    refuse(context, "Attend", thrown);
    const error = toConsiliumError(thrown);
    if (session === null && site !== null) context.presence.turnAway(site, error);
    const message = error.code === "INTERNAL" ? "internal error" : `${error.message}. ${error.remedy}`;
    call.write(spokenFrame({ frame: "fault", fault: { code: error.code, message } }));
    call.emit("error", spokenAnswer(error));
  };
  const greeting = setTimeout(
    () => end(fault("FIELD_INVALID", "call.no-hello", { seconds: helloMs / 1000 })),
    helloMs,
  );
  let peer: SitePeer;
  try {
    peer = context.authorise(call);
    site = peer.site;
  } catch (thrown) {
    end(thrown);
    return;
  }
  // Silent sites are disconnected, too. Renewal opens another stream long before this.
  stopExpiry = atTime(peer.identity.notAfter + 1, context.now, () => {
    try {
      context.authorise(call);
    } catch (thrown) {
      end(thrown);
    }
  });
  call.on("data", (frame: SiteFrame__Output) => {
    if (ended) return;
    try {
      // Checked on every frame: a stream may outlive its certificate, its key and its site's membership.
      context.authorise(call);
      if (!budgetOf(peer.site).take()) {
        const { burst, perSecond } = frameLimits;
        throw fault("RATE_LIMITED", "call.too-often", { site: peer.site, burst, perSecond });
      }
      const message: SiteMessage = readSiteFrame(frame);
      if (session === null) {
        if (message.kind !== "hello") throw fault("FIELD_INVALID", "call.hello-first", {});
        clearTimeout(greeting);
        const protocol = negotiate(message.versions, context.software);
        const revocations = context.revocations();
        const now = context.now();
        const hello = {
          software: message.versions.software,
          speaks: message.speaks,
          admits: message.admits,
          tables: message.tables,
          clockSkewMs: message.nowMs - now,
        };
        // Said again at the next connection: nothing waits for it, and a thousand that connect at once share commits.
        noted(context, () => context.registry.greeted(peer.site, hello, now), end);
        call.write({ frame: "welcome", welcome: welcomeFor(context, peer.site, protocol) });
        if (revocations !== null) call.write(revocationsFrame(revocations));
        session = {
          site: peer.site,
          chain: peer.chain,
          signingKey: peer.signingKey,
          instance: message.instance,
          send: (out) => {
            if (!ended) flushed = new Promise((resolve) => call.write(spokenFrame(out), () => resolve()));
          },
          flushed: () => Promise.race([flushed, over]),
          close: (reason) => end(reason),
        };
        context.presence.connect(session);
        return;
      }
      context.presence.heard(peer.site);
      if (message.kind === "heartbeat") {
        const now = context.now();
        if (!(now - seenAt < seenGrainMs)) {
          noteSeen(peer.site, { at: now, clockSkewMs: message.nowMs - now }, end);
          seenAt = now;
        }
        call.write({ frame: "heartbeat", heartbeat: { sequence: message.sequence } });
      } else if (message.kind === "hello") {
        throw fault("MESSAGE_UNEXPECTED", "call.second-hello", {});
      } else {
        if (message.kind === "countersignature") keepLedgerHead(context.registry, peer, message.ledgerHead);
        const keepHead = message.kind === "vector" ? headOf(context, peer, message.upload) : () => undefined;
        context.studies.handle(session, message, keepHead);
      }
    } catch (thrown) {
      try {
        const failure = context.disk.failure(thrown);
        const about = session === null ? null : refusedMessage(frame);
        if (session === null || about === null) end(failure);
        else if (isOfMessage(failure)) refuseAlone(context, session, about, failure);
        else if (failure instanceof DiskFull && about.studyId !== null) {
          // The site did its part and stays connected: it is asked again once there is disk space.
          refuse(context, "Attend", failure);
          context.studies.outOfRoom(about.studyId, failure);
        } else end(failure);
      } catch (again) {
        end(context.disk.failure(again));
      }
    }
  });
  call.on("end", () => end());
  call.on("error", () => end());
  call.on("cancelled", () => end());
}

/** A message about a study that cannot be taken is refused alone: its site stays connected, and is in its other studies. */
function refuseAlone(
  context: FederationContext,
  session: SiteSession,
  message: RefusedMessage,
  { code, message: reason }: ConsiliumError,
): void {
  const { kind: what, studyId: study } = message;
  context.refused?.("Attend", code);
  context.log.warn("refused a message", { what, site: session.site, study, code, reason });
  if (study === null) return;
  context.studies.refused(session, { ...message, studyId: study }, code);
  session.send({ frame: "fault", fault: { code, message: reason, studyId: study } });
}

/** When sites were last heard, stored together: a thousand of them are heard two hundred times a second. */
function seenNotes(context: FederationContext) {
  const { after = afterMs } = context;
  const waiting = new Map<SiteId, { readonly note: SeenNote; readonly failed: (thrown: unknown) => void }>();
  const store = () => {
    const notes = [...waiting];
    waiting.clear();
    noted(
      context,
      () => {
        for (const [site, { note }] of notes) context.registry.seen(site, note);
      },
      (thrown) => {
        for (const [, { failed }] of notes) failed(thrown);
      },
    );
  };
  return (site: SiteId, note: SeenNote, failed: (thrown: unknown) => void): void => {
    if (waiting.size === 0) after(seenTogetherMs, store);
    waiting.set(site, { note, failed });
  };
}

/** Stores notes about sites that are repeated soon, with others: a full disk must not block sites. */
function noted(context: FederationContext, write: () => void, failed: (thrown: unknown) => void): void {
  context.together(write).catch((thrown) => {
    if (!(context.disk.failure(thrown) instanceof DiskFull)) failed(thrown);
  });
}

/** setTimeout holds 2^31 - 1 ms. */
const timerMaxMs = 2 ** 31 - 1;

/**
 * Calls back once `now` reaches a time, however far away.
 * @param at - milliseconds since 1970
 * @returns cancels it
 */
function atTime(at: number, now: () => number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = at - now();
    if (left <= 0) {
      callback();
      return;
    }
    timer = setTimeout(wait, Math.min(left, timerMaxMs));
    timer.unref();
  };
  timer = setTimeout(wait, Math.min(Math.max(0, at - now()), timerMaxMs));
  timer.unref();
  return () => clearTimeout(timer);
}

function welcomeFor(context: FederationContext, site: SiteId, protocol: number): Welcome {
  const { software, federation, registry } = context;
  const ledger = registry.ledgerHead(site);
  return {
    protocol,
    software,
    federation,
    heartbeatMs,
    ...(ledger === null
      ? {}
      : { ledgerHead: { head: ledger.head, signature: Buffer.from(ledger.signature) } }),
  };
}

export function revocationsFrame({ list, confirmation }: ConfirmedList): AggregatorFrame {
  const revocations = { list: Buffer.from(list), confirmation: Buffer.from(confirmation) };
  return { frame: "revocations", revocations };
}

/** Stores the ledger's head that comes with an answer. @throws FIELD_INVALID at once, for what is no head of the site's */
function headOf(context: FederationContext, peer: SitePeer, { ledgerHead }: Upload): () => void {
  const head = ledgerHead === null ? null : readLedgerHead(peer, ledgerHead);
  return () => {
    if (head !== null) context.registry.keepLedgerHead(peer.site, head);
  };
}

type UploadCall = ServerDuplexStream<UploadRequest__Output, UploadReply>;

async function receive(
  context: FederationContext,
  call: UploadCall,
  { kind, receiving }: { readonly kind: "sum" | "rows"; readonly receiving: Turns },
): Promise<void> {
  let open: BlobUpload | null = null;
  let run: StudyRun | null = null;
  call.on("error", () => undefined);
  try {
    const peer = context.authorise(call);
    const { site } = peer;
    // A finished iterator destroys its stream, and with it the response to an upload that ended early.
    const requests = call.iterator({ destroyOnReturn: false }) as AsyncIterator<UploadRequest__Output>;
    const first = await nextWithin(requests, helloMs, silent(helloMs));
    if (first.done) throw fault("UPLOAD_TRUNCATED", "call.no-header", {});
    const upload: Upload = readUploadHeader(present(first.value.header, "header"));
    const kept = context.together(headOf(context, peer, upload));
    run = context.studies.run(upload.studyId);
    if (run === null) {
      await kept;
      throw fault("MESSAGE_UNEXPECTED", "call.not-running", { study: upload.studyId });
    }
    // Both are durable before the first byte is requested.
    const [begun] = await Promise.all([run.beginUpload(site, upload, kind), kept]);
    if (begun.complete === undefined) {
      const blob = begun.upload;
      const study = run;
      open = blob;
      await receiving.run(async () => {
        call.write({ received: blob.received, complete: false });
        while (blob.received < upload.totalBytes) {
          const next = await nextWithin(requests, stallMs, silent(stallMs));
          if (next.done) break;
          // An upload may take hours: a site expelled meanwhile must not finish it.
          context.authorise(call);
          const chunk = present(next.value.chunk, "chunk");
          const data = bytesOf(chunk.data, "chunk.data", { min: 1, max: limits.maxChunkBytes });
          study.received(site, unwrap(await blob.append(countOf(chunk.offset, "chunk.offset"), data)));
          context.presence.heard(site);
        }
        unwrap(await blob.commit());
      });
      open = null;
    }
    await run.finishUpload(site, upload);
    call.write({ received: upload.totalBytes, complete: true });
    call.end();
  } catch (thrown) {
    // This function is not awaited: an exception would end the process.
    await open?.close().catch((cause) => context.log.error("cannot close an upload", {}, cause));
    const method = kind === "sum" ? "SendVector" : "SendRows";
    if (call.cancelled) {
      refuse(context, method, fault("UPLOAD_TRUNCATED", "call.upload-lost", {}));
      return;
    }
    const failure = faultOf(run, context.disk.failure(thrown));
    refuse(context, method, failure);
    if (run !== null && failure instanceof DiskFull) context.studies.outOfRoom(run.id, failure);
    call.emit("error", spokenAnswer(failure));
  }
}

/** A study may end during a call and remove its files: not an internal error. */
function faultOf(run: StudyRun | null, thrown: unknown): unknown {
  if (thrown instanceof ConsiliumError || !run?.isOver) return thrown;
  return fault("MESSAGE_UNEXPECTED", "call.study-ended", { study: run.id }, { cause: thrown });
}

const silent = (ms: number) => () => fault("UPLOAD_TRUNCATED", "call.stalled", { seconds: ms / 1000 });

async function fetchVector(
  context: FederationContext,
  call: ServerWritableStream<FetchRequest__Output, Chunk>,
): Promise<void> {
  let run: StudyRun | null = null;
  try {
    const { site } = context.authorise(call);
    const request = call.request;
    const studyId = studyIdOf(request.studyId);
    let offset = countOf(request.offset, "offset", limits.maxUploadBytes);
    run = context.studies.run(studyId);
    if (run === null) throw fault("MESSAGE_UNEXPECTED", "call.not-running", { study: studyId });
    for await (const piece of run.broadcastStream(site, sha256Of(request.sha256, "sha256"), offset)) {
      context.authorise(call);
      const data = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      const more = call.write({ offset, data });
      offset += data.length;
      context.meter?.sent(data.length);
      // Ending without an error would signal completion.
      if (call.cancelled || (!more && !(await awaitDrain(call, stallMs)))) throw silent(stallMs)();
    }
    call.end();
  } catch (thrown) {
    const failure = faultOf(run, thrown);
    refuse(context, "FetchVector", failure);
    call.emit("error", spokenAnswer(failure));
  }
}

/** The error codes sent to callers without a valid certificate. */
const strangersCodes: ReadonlySet<ErrorCode> = new Set([
  "CERTIFICATE_MISSING",
  "CERTIFICATE_INVALID",
  "SITE_EXPELLED",
  "NOT_PERMITTED",
]);

/** A refused site is logged; strangers are sampled by the minute; internal errors are logged with their cause. */
function refuse(context: FederationContext, method: string, thrown: unknown): void {
  const error = toConsiliumError(thrown);
  const { code, message: reason } = error;
  context.refused?.(method, code);
  if (code === "INTERNAL") context.log.error("call failed", { method }, thrown);
  else if (method === "Enroll" || method === "Check" || strangersCodes.has(code)) {
    context.strangers.warn("refused a call", { code, method }, { reason });
  } else context.log.warn("refused a call", { code, method, reason });
}
