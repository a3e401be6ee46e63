import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { parseSiteId, parseStudyId } from "@consilium/core/ids";
import type { Methods } from "@consilium/core/method/methods";
import type { InvitationView, SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { parseDuration } from "@consilium/core/units";
import { softwareBuild, softwareVersion } from "@consilium/core/version";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { allMethods } from "@consilium/methods-paper/all";
import type { FederationHandlers } from "@consilium/proto/generated/consilium/v1/Federation";
import { Federation } from "@consilium/proto/load";
import { loadConfig } from "@consilium/runtime/config";
import { createConsoleAccess } from "@consilium/runtime/http/access/access";
import { operatorRoles } from "@consilium/runtime/http/access/accountRoles";
import { servePages } from "@consilium/runtime/http/pages";
import { loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { rootFingerprint } from "@consilium/runtime/identity/certificates";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import { statedFederation } from "@consilium/runtime/identity/rootKey";
import { logAudited } from "@consilium/runtime/logging/audited";
import { exitOnceSent, openProcessLog } from "@consilium/runtime/logging/send/processLog";
import { channelsOf } from "@consilium/runtime/notify/channels";
import { Notifications } from "@consilium/runtime/notify/notifications";
import { measureCertificate, measureStore } from "@consilium/runtime/processMetrics";
import { osRandom } from "@consilium/runtime/random";
import { retentionEveryMs } from "@consilium/runtime/retention/settings";
import { SampledWarnings } from "@consilium/runtime/sampledLog";
import { createShutdown } from "@consilium/runtime/shutdown";
import { openConfiguredStore, watchConfiguredLease } from "@consilium/runtime/store/configuredStore";
import { DiskSpace, measureDisk } from "@consilium/runtime/store/diskSpace";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { Lease } from "@consilium/runtime/store/lease";
import { lockState } from "@consilium/runtime/store/lock";
import {
  formatAddress,
  isLoopbackAddress,
  parseAddress,
  reachableAddress,
} from "@consilium/runtime/tls/address";
import { closeGrpc, createGrpcServer, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { z } from "zod";
import { aggregatorConfigSchema } from "./config.js";
import { aggregatorMetrics } from "./metrics.js";
import { OperatorConsole } from "./operator-api/console.js";
import { operatorLook } from "./operator-api/notices.js";
import { operatorServer } from "./operator-api/server.js";
import { depositor, publishedReleases } from "./release/publish.js";
import { Withdrawals } from "./release/withdrawals.js";
import { DisplacedKeys } from "./roster/displacedKeys.js";
import { Enrolment } from "./roster/enrolment.js";
import { EventSampler } from "./roster/eventSampler.js";
import { Invitations, type RecordEvent, short } from "./roster/invitations.js";
import { Presence, turnedAwayView } from "./roster/presence.js";
import { identityReplaced, SiteRegistry, type SiteStanding } from "./roster/registry.js";
import { Revocations } from "./roster/revocations.js";
import { authoriseRenewal, authoriseSite } from "./roster/sitePeer.js";
import { behindOf, ownSpeaks } from "./roster/spoken.js";
import { FileCopies } from "./rounds/fileCopies.js";
import { StudyRecords } from "./rounds/records.js";
import { Retention } from "./rounds/retention.js";
import { Studies } from "./rounds/studies.js";
import { StudyPlans } from "./rounds/studyPlans.js";
import { federationHandlers, revocationsFrame } from "./rpc/federation.js";
import { measureLease, standbyHandlers, standbyServer, switchedHandlers } from "./standby/standingBy.js";
import { migrations } from "./store/schema.js";

const fault = faults<AggregatorSays>();

/** How often connected sites receive a confirmation of the list of expelled sites. */
const confirmEveryMs = 10 * 60_000;
/** How often sites and studies are looked at, where the operator is told by mail or webhook. */
const notifyEveryMs = 15_000;
/** More studies than there are. */
const allStudies = 1_000_000_000;
/** How often withdrawals are sent that the publisher has yet to take. */
const deliverEveryMs = 30_000;
/** The maximum delay of the audit event of an expired invitation. */
const expiryEveryMs = 30_000;

/** Starts listening and resumes running studies; returns once ready. */
export async function startAggregator(stateFolder: string, methods: Methods = allMethods): Promise<void> {
  const configPath = join(stateFolder, "config.yaml");
  const config = await loadConfig(configPath, aggregatorConfigSchema);
  const processLog = await openProcessLog({
    service: "aggregator",
    level: config.logLevel,
    settings: config.logs,
    configPath,
    node: config.standby?.name,
  });
  const { log } = processLog;
  const shutdown = createShutdown({ log, exit: exitOnceSent(processLog) });
  const now = Date.now;

  const lock = await lockState(stateFolder);
  shutdown.onStop("lock", () => lock.release());
  const disk = new DiskSpace({ folder: stateFolder, reserveMiB: config.diskReserveMiB });
  const metrics = aggregatorMetrics();
  measureDisk(metrics.all, disk);
  const identity = unwrap(await loadIdentity(join(stateFolder, "identity"), now()));
  const issuer = unwrap(await loadIssuer(join(stateFolder, "issuing")));
  const token = await operatorToken(stateFolder);
  const revocations = await Revocations.open(stateFolder, identity.rootPem);
  const kernels = await openSystemKernels({});
  shutdown.onStop("kernels", () => kernels.close());
  const trust = { rootPem: identity.rootPem, now, revocations: () => revocations.list };
  const rpcLog = log.child("rpc");
  const strangers = new SampledWarnings(rpcLog);
  const grpc = createGrpcServer({
    trust,
    onClosed: () => strangers.warn("closed a connection to make room for others", {}),
  });
  let handlers: FederationHandlers | null = null;
  grpc.addService(
    Federation.service,
    switchedHandlers(() => handlers!),
  );
  let grpcPort: number | null = null;
  const grpcAddress = unwrap(parseAddress(config.listen.grpc));
  const listenForSites = async () => {
    grpcPort ??= await listenGrpc(grpc, grpcAddress, new MutualTlsServerCredentials(identity));
    return formatAddress({ host: grpcAddress.host, port: grpcPort });
  };
  const publishAddresses = (addresses: { readonly grpc: string; readonly http: string }) =>
    writeFileDurable(join(stateFolder, "addresses.json"), `${JSON.stringify(addresses)}\n`);

  const onLost = (error: ConsiliumError) => shutdown.abort("lost the store", error);
  const lease = watchLease(config, { stateFolder, onLost });
  let listenHttpOn = config.listen.http;
  let held: { readonly epoch: number; readonly leaseMs: number } | undefined;
  if (lease !== null) {
    shutdown.onStop("lease", () => lease.release());
    measureLease(metrics.all, lease);
    handlers = standbyHandlers(lease);
    const waiting = await standbyServer({ lease, disk, metrics: metrics.all, log: log.child("standby") });
    const [sites, pages] = [await listenForSites(), await listenHttp(waiting, config.listen.http)];
    shutdown.onStop("standby", () => waiting.close());
    shutdown.onStop("standby grpc", () => closeGrpc(grpc, 1_000));
    await publishAddresses({ grpc: sites, http: pages });
    log.info("ready", { grpc: sites, http: pages, software: softwareVersion, standby: true });
    held = { epoch: await lease.taken, leaseMs: config.standby!.lease };
    await waiting.close();
    listenHttpOn = pages;
    const { epoch, takenFrom } = lease.view;
    log.info("took the lease on the store", { takeovers: epoch, takenFrom });
  }
  const store = openConfiguredStore(config, {
    stateFolder,
    role: "aggregator",
    migrations,
    onLost,
    ...(held !== undefined && { lease: held }),
  });
  shutdown.onStop("store", () => store.close());
  disk.watch(store);
  measureStore(metrics.all, store);
  await revocations.keepIn(store);

  const registry = new SiteRegistry(store);
  const presence = new Presence(now);
  const records = new StudyRecords(store, undefined, logAudited(log.child("audit")));
  const isExpelled = ({ fingerprint }: SiteStanding) =>
    fingerprint !== null && revocations.includes(fingerprint);
  const publisher = { publisher: config.publisher?.grpc ?? null, identity: () => identity };
  const studies = new Studies(
    {
      federation: statedFederation(identity),
      records,
      plans: new StudyPlans(methods),
      presence,
      kernels,
      random: osRandom,
      now,
      isExpelled: (signingKey) => revocations.includes(signingKeyFingerprint(signingKey)),
      isSiteExpelled: (site) => {
        const standing = registry.standing(site);
        return standing !== null && isExpelled(standing);
      },
      software: softwareBuild,
      stateFolder,
      ...(lease !== null && { copies: new FileCopies(store) }),
      disk,
      log: log.child("studies"),
      meter: metrics.meter,
      publish: depositor({
        ...publisher,
      }),
    },
    registry,
    isExpelled,
  );
  const published = publishedReleases(publisher);
  const withdrawals = new Withdrawals({
    store,
    publisher: published,
    identity: () => identity,
    now,
    log: log.child("withdrawals"),
    published: (study) => studies.releaseChanged(study),
  });
  const record: RecordEvent = (at, kind, about) => records.event(at, kind, about);
  const sampled = (kind: string) => new EventSampler((about) => records.event(now(), kind, about), now);
  const displaced = new DisplacedKeys(sampled("displaced key refused"), now);
  const invitations = new Invitations({
    store,
    registry,
    isExpelled: (fingerprint) => revocations.includes(fingerprint),
    record,
  });
  const enrolment = new Enrolment({
    issuer,
    registry,
    invitations,
    refusals: sampled("enrolment refused"),
    replaced: (site) => presence.session(site)?.close(identityReplaced(site)),
    isExpelled: (fingerprint) => revocations.includes(fingerprint),
    record,
    now,
    lifetimeMs: unwrap(parseDuration(config.siteCertificateLifetime)),
  });
  handlers = federationHandlers({
    federation: config.federation,
    software: softwareVersion,
    enrolment,
    registry,
    presence,
    studies,
    authorise: (call) => authoriseSite(call, trust, { registry, displaced }),
    authoriseRenewal: (call) => authoriseRenewal(call, trust, { registry, displaced }),
    together: (work) => records.together(work),
    disk,
    revocations: () => revocations.confirmed(issuer, now()),
    now,
    log: rpcLog,
    strangers,
    meter: metrics.meter,
    refused: metrics.refused,
  });
  const boundGrpc = await listenForSites();
  shutdown.onStop("grpc", () => closeGrpc(grpc, 1_000));
  presence.start();
  const confirm = () => {
    const confirmed = revocations.confirmed(issuer, now());
    if (confirmed === null) return;
    for (const session of presence.sessions()) session.send(revocationsFrame(confirmed));
  };
  const confirming = setInterval(confirm, confirmEveryMs);
  shutdown.onStop("confirmations", () => clearInterval(confirming));
  const noteExpired = () => {
    try {
      invitations.expireUnused(now());
    } catch (thrown) {
      // For example a full disk: the events are recorded the next time.
      log.error("cannot record expired invitations", {}, thrown);
    }
  };
  noteExpired();
  const expiring = setInterval(noteExpired, expiryEveryMs);
  shutdown.onStop("expiry of invitations", () => clearInterval(expiring));
  shutdown.onStop("presence", () => presence.stop());

  const advertised = config.advertise ?? boundGrpc;
  const access = await createConsoleAccess({
    store,
    roles: operatorRoles,
    configuration: { ...config.console, hosts: hostsOf(config) },
    configPath,
    stateFolder,
    rootToken: { token, name: "operator-token" },
    random: osRandom,
    now,
    log: log.child("access"),
    record: ({ actor, kind, detail, study, site }) =>
      records.event(now(), kind, {
        actor,
        detail,
        ...(study !== undefined && { study: unwrap(parseStudyId(study)) }),
        ...(site !== undefined && { site: unwrap(parseSiteId(site)) }),
      }),
  });
  const spoken = ownSpeaks(methods.list);
  const sites = () =>
    registry.sites().map(
      (site): SiteView => ({
        id: site.id,
        presence: studies.presenceOf(site.id, site),
        lastSeenAt: isoOrNull(site.lastSeenAt),
        software: site.software,
        clockSkewMs: site.clockSkewMs,
        agentsAlternatedAt: isoOrNull(presence.alternatedAt(site.id)),
        certificateExpiresAt: isoOrNull(site.certificateExpiresAt),
        signingKeyFingerprint: site.fingerprint,
        keySince: isoOrNull(site.keySince),
        keyReplaced:
          site.replacedFingerprint === null
            ? null
            : {
                signingKeyFingerprint: site.replacedFingerprint,
                at: new Date(site.replacedAt!).toISOString(),
              },
        behind: site.lastSeenAt === null ? [] : behindOf(site.speaks, spoken),
        admits: site.admits,
        tables: site.tables,
        turnedAway: turnedAwayView(presence.turnedAway(site.id)),
      }),
    );
  metrics.watch({ sites, studies: () => records.counts() });
  measureCertificate(metrics.all, () => identity.notAfter);
  const notifying = config.notifications;
  const notifications = new Notifications({
    store,
    channels:
      notifying === undefined ? [] : await channelsOf(notifying, { configPath, key: "notifications" }),
    pages: access.pagesUrl,
    random: osRandom,
    now,
    log: log.child("notifications"),
  });
  const operatorConsole = new OperatorConsole({
    studies,
    records,
    invitations,
    displaced,
    presence,
    sites,
    software: softwareVersion,
    now,
  });
  const retention = new Retention({ store, records, studies, settings: config.retention, now, log });
  const http = await operatorServer({
    studies,
    withdrawals,
    retention,
    console: operatorConsole,
    federation: () => ({
      federation: config.federation,
      rootFingerprint: rootFingerprint(identity.rootPem),
      rootPem: identity.rootPem,
      software: softwareVersion,
      grpcAddress: advertised,
      publisher: config.publisher?.grpc ?? null,
      expelledList:
        revocations.list === undefined
          ? null
          : {
              number: revocations.list.sequence,
              sites: revocations.list.revocations.length,
              nextUpdate: isoOrNull(revocations.list.dates?.nextUpdate ?? null),
            },
    }),
    sites,
    invite: ({ site, lifetimeMs, existing }, actor): InvitationView => {
      const expiresAt = now() + lifetimeMs;
      const { token, secretHash } = createInvitation({
        address: advertised,
        standbys: config.standby?.others ?? [],
        rootFingerprint: rootFingerprint(identity.rootPem),
        siteId: site,
        expiresAt,
        random: osRandom,
      });
      const replacesKey = invitations.invite({ site, secretHash, expiresAt, existing }, actor, now());
      operatorConsole.emit("changed");
      return { site, token, expiresAt: new Date(expiresAt).toISOString(), replacesKey };
    },
    publishMembers: (list) => published.publishMembers(list),
    revoke: async (list, actor) => {
      for (const { siteId, signingKeyFingerprint } of await revocations.replace(list))
        record(now(), "expelled", { site: siteId, detail: `key ${short(signingKeyFingerprint)}`, actor });
      studies.revocationsChanged();
      confirm();
      for (const session of presence.sessions()) {
        if (revocations.includes(signingKeyFingerprint(session.signingKey))) {
          session.close(fault("SITE_EXPELLED", "roster.expelled", { site: session.site }));
        }
      }
    },
    access,
    trustedProxies: config.console.trustedProxies,
    trail: (page) => records.trail(page),
    disk,
    lease,
    notifications,
    metrics: metrics.all,
    log: log.child("operator-api"),
  });
  await servePages(http, { entry: "operator" });
  const httpAddress = await listenHttp(http, listenHttpOn);
  shutdown.onStop("http", () => http.close());
  await access.announce(`http://${formatAddress(reachableAddress(unwrap(parseAddress(httpAddress))))}`);

  studies.resumeAll();
  retention.run();
  const removing = setInterval(() => retention.run(), retentionEveryMs);
  shutdown.onStop("retention", () => clearInterval(removing));
  // The publisher may have been restored from a copy that lacks some of them.
  if (publisher.publisher !== null) void withdrawals.deliver(true);
  const delivering = setInterval(() => void withdrawals.deliver(), deliverEveryMs);
  shutdown.onStop("withdrawals", () => clearInterval(delivering));
  if (notifying !== undefined) {
    const look = operatorLook(notifications, {
      sites,
      endedSince: (endedSince) => studies.list({ endedSince, order: "ended", limit: allStudies }).studies,
      askedSince: (askedSince) =>
        records.questions.askedSince(askedSince).map(({ id, study, askedAt }) => ({
          id,
          study,
          askedAt,
          name: records.study(study)?.name ?? study,
        })),
      now,
      startedAt: now(),
      silentAfterMs: notifying.silentAfter,
    });
    const lookNow = () =>
      look().catch((thrown: unknown) => log.warn("cannot look for events to report", {}, thrown));
    const looking = setInterval(() => void lookNow(), notifyEveryMs);
    shutdown.onStop("notifications", () => clearInterval(looking));
  }
  await publishAddresses({ grpc: boundGrpc, http: httpAddress });
  log.info("ready", { grpc: boundGrpc, http: httpAddress, software: softwareVersion });
}

type AggregatorConfig = z.output<typeof aggregatorConfigSchema>;

/** Null where no other aggregator shares the store. @throws ConsiliumError CONFIG_INVALID with a SQLite store */
function watchLease(
  config: AggregatorConfig,
  options: { readonly stateFolder: string; readonly onLost: (error: ConsiliumError) => void },
): Lease | null {
  if (config.standby === undefined) return null;
  return watchConfiguredLease(config, {
    ...options,
    role: "aggregator",
    holder: config.standby.name,
    leaseMs: config.standby.lease,
  });
}

/** While only this machine can reach the pages, only loopback and configured host names are valid. */
function hostsOf({ console, listen }: AggregatorConfig): readonly string[] | undefined {
  const { host } = unwrap(parseAddress(listen.http));
  return console.hosts ?? (host === "localhost" || isLoopbackAddress(host) ? [] : undefined);
}

async function operatorToken(stateFolder: string): Promise<string> {
  const path = join(stateFolder, "operator-token");
  const text = await readFile(path, "utf8").catch(() => null);
  if (text !== null && text.trim().length >= 32) return text.trim();
  throw fault("STATE_MISSING", "start.no-operator-token", { path: nameOf(path) });
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

async function listenHttp(
  server: Awaited<ReturnType<typeof operatorServer>>,
  configured: string,
): Promise<string> {
  const address = unwrap(parseAddress(configured));
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw fault("PORT_IN_USE", "start.http", { address: nameOf(configured) }, { cause });
  }
  const bound = server.server.address();
  return formatAddress({
    host: address.host,
    port: typeof bound === "object" && bound !== null ? bound.port : address.port,
  });
}
