import { dirname, join } from "node:path";
import { sha256 } from "@consilium/core/crypto/hash";
import { toConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { openKernels } from "@consilium/kernels/open";
import { loadConfig } from "@consilium/runtime/config";
import { createConsoleAccess, siteRoles } from "@consilium/runtime/http/access/access";
import type { AuditPage } from "@consilium/runtime/http/access/audit";
import { identityFolder } from "@consilium/runtime/identity/enrol";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { type RevocationList, verifyRevocations } from "@consilium/runtime/identity/revocations";
import { createLogger, type Logger } from "@consilium/runtime/log";
import { proxyFor } from "@consilium/runtime/network/proxy";
import { measureCertificate, measureStore } from "@consilium/runtime/processMetrics";
import { osRandom } from "@consilium/runtime/random";
import { createShutdown } from "@consilium/runtime/shutdown";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { lockState } from "@consilium/runtime/store/lock";
import { openStore } from "@consilium/runtime/store/store";
import { formatAddress, parseAddress, reachableAddress } from "@consilium/runtime/tls/address";
import { type SiteConfig, siteConfigSchema } from "./config.js";
import { listenOnConsole, listenOnSocket } from "./console/api.js";
import { Changes } from "./console/changes.js";
import { Trail } from "./console/trail.js";
import { resolveTableConfig } from "./data/tableConfig.js";
import { type ResolvedTables, TableSources } from "./data/tableSources.js";
import { ConfiguredTables, type Tables } from "./data/tables.js";
import { folderFacts, gatherFacts } from "./dataProtection/gather.js";
import { runningDoctor } from "./doctor/running.js";
import { Anchors } from "./ledger/anchors.js";
import { ledgerCharges } from "./ledger/charges.js";
import { Ledger } from "./ledger/ledger.js";
import { populationViews } from "./ledger/views.js";
import { siteMetrics } from "./metrics.js";
import { Outbox } from "./outbox/outbox.js";
import { PolicyEditor, policyHistoryFolder } from "./policy/policyEditor.js";
import { PolicyFile, type PolicyStatus, policyFileName } from "./policy/policyFile.js";
import { Connection } from "./rpc/connection.js";
import type { WireLedgerHead } from "./rpc/toDomain.js";
import { leaveRestoredStudies } from "./store/restoredCopy.js";
import { migrations } from "./store/schema.js";
import { SealedStorage } from "./store/sealedStorage.js";
import { sourceKey } from "./store/sourceKey.js";
import { Approvals } from "./studies/approvals.js";
import { Participant } from "./studies/participant.js";
import { SiteRecords } from "./studies/records.js";

/** A state folder may be enrolled into another federation later: each one's list is kept under its own root key. */
const revocationsFact = (rootPem: string) => `revocations ${sha256(rootPem).slice(0, 16)}`;
/** Of earlier versions, which knew one federation. */
const earlierRevocationsFact = "revocations";

/**
 * Dials the aggregator and stays there; returns once the hospital's own socket is open.
 * @param tables - what rows come from in place of the tables that the configuration names: for benches
 */
export async function startSiteAgent(
  stateFolder: string,
  { tables: given }: { readonly tables?: Tables } = {},
): Promise<void> {
  const configPath = join(stateFolder, "config.yaml");
  const config = await loadConfig(configPath, siteConfigSchema);
  const log = createLogger({ service: "site-agent", level: config.logLevel });
  const shutdown = createShutdown({ log });
  const now = Date.now;

  const lock = await lockState(stateFolder);
  shutdown.onStop("lock", () => lock.release());
  const store = openStore(join(stateFolder, "state.db"), migrations);
  shutdown.onStop("store", () => store.close());
  const metrics = siteMetrics();
  measureStore(metrics.all, store);
  const identity = unwrap(await loadIdentity(identityFolder(stateFolder), now()));
  const sealed = await SealedStorage.open(stateFolder, osRandom);
  const kernels = await openKernels({});
  shutdown.onStop("kernels", () => kernels.close());

  const records = new SiteRecords(store);
  const approvals = new Approvals(store);
  const tables = given ?? new ConfiguredTables(config.tables, dirname(configPath));
  const knownTables = await knownTablesOf(config, dirname(configPath), { records, given });
  const policy = new PolicyFile(join(stateFolder, policyFileName), {
    tables: knownTables,
    onChange: (status) => logPolicy(log, status),
  });
  policy.read();
  const outbox = new Outbox(({ charge, ...entry }) => {
    records.recordEgress({ ...entry, charge: charge?.entry ?? null });
    metrics.egress(entry.what, entry.bytes);
  }, now);
  let revocations = storedRevocations(records, identity.rootPem);

  const connection: Connection = new Connection({
    address: config.aggregator,
    proxy: proxyFor(unwrap(parseAddress(config.aggregator)), {
      config: config.proxy,
      configPath,
      environment: process.env,
    }),
    identity,
    stateFolder,
    software: softwareVersion,
    revocations: () => revocations,
    now,
    log: log.child("connection"),
    handlers: {
      hello: async () => {
        const described = await tables.describe();
        return outbox.hello(
          softwareVersion,
          described.map((table) => ({
            name: table.name,
            columns: table.columns.map((column) => ({ ...column })),
          })),
        );
      },
      heartbeat: (sequence) => outbox.heartbeat(sequence),
      welcomed: (head) => {
        if (head !== null) holdAgainst(ledger, head, log);
      },
      message: (message) => {
        if (message.kind !== "revocations") {
          participant.handle(message);
          return;
        }
        const knownSequence = revocations?.sequence ?? 0;
        revocations = unwrap(verifyRevocations(message.list, { rootPem: identity.rootPem, knownSequence }));
        records.setFact(revocationsFact(identity.rootPem), message.list);
      },
    },
  });
  const ledger = Ledger.open(store, () => ({ ...connection.identity, site: connection.identity.id }), now);
  const anchors = new Anchors(stateFolder);
  if (!anchors.check(ledger)) warnBehind(ledger, log);
  await leaveRestoredStudies(stateFolder, { records, ledger, now, log });
  const charges = ledgerCharges({
    ledger,
    anchors,
    policy: () => unwrap(policy.read()),
    tables: knownTables,
  });
  const participant = new Participant({
    records,
    outbox,
    tables,
    approvals,
    policy,
    knownTables,
    allowNoPrivacy: config.allowNoPrivacy,
    charges,
    sealed,
    kernels,
    random: osRandom,
    identity: () => connection.identity,
    revocations: () => revocations,
    stateFolder,
    now,
    log: log.child("studies"),
    send: (message) => connection.send(message),
    upload: (upload) => connection.upload(upload),
    fetch: (studyId, item) => connection.fetch(studyId, item),
  });

  measureCertificate(metrics.all, () => connection.identity.notAfter);
  metrics.watch({
    connected: () => connection.status.connected,
    studies: () => records.standing(),
    policyHolds: () => policy.read().ok,
    populations: () => {
      const read = policy.read();
      return read.ok ? populationViews(ledger, read.value, knownTables) : null;
    },
    ledgerEntries: () => ledger.head().sequence,
    ledgerBehind: () => ledger.behind !== null,
  });
  const trail = new Trail(store, now);
  const access = await createConsoleAccess({
    store,
    roles: siteRoles,
    configuration: config.console,
    configPath,
    stateFolder,
    random: osRandom,
    now,
    log: log.child("access"),
    record: (event) => trail.record(event),
  });
  const { joining } = participant;
  const { allowNoPrivacy } = config;
  const editor = new PolicyEditor({
    path: policy.path,
    historyFolder: join(stateFolder, policyHistoryFolder),
    now,
    tables: knownTables,
  });
  const facts = async () => {
    const { id, federation, fingerprint, rootPem, chainPem } = connection.identity;
    const { connected, aggregatorSoftware } = connection.status;
    return gatherFacts({
      stateFolder,
      config,
      identity: { site: id, federation, signingKeyFingerprint: fingerprint, rootPem, chainPem },
      policy,
      store,
      ledger,
      descriptions: await tables.describe(),
      knownTables,
      agent: { aggregatorSoftware: connected ? aggregatorSoftware : null },
      folder: await folderFacts(stateFolder),
      environment: process.env,
      now: now(),
    });
  };
  const consoleContext = {
    aggregator: config.aggregator,
    startedAt: now(),
    changes: new Changes({ records, ledger, policy, connection }),
    editor,
    connection,
    records,
    approvals,
    tables,
    knownTables,
    policy,
    allowNoPrivacy,
    joining,
    metrics: metrics.all,
    ledgerMetrics: metrics.ledger,
    doctor: runningDoctor({ stateFolder, connection, records, now }),
    facts,
    ledger,
    anchors,
    stateFolder,
    fingerprint: () => connection.identity.fingerprint,
    now,
    access,
    trustedProxies: config.console.trustedProxies,
    trail: (page: AuditPage) => trail.page(page),
    log: log.child("ledger"),
  };
  const socket = await listenOnSocket(stateFolder, consoleContext);
  shutdown.onStop("socket", () => socket.close());
  const consoleAddress = unwrap(parseAddress(config.console.listen));
  const consoleServer = await listenOnConsole(consoleAddress, consoleContext);
  shutdown.onStop("console", () => consoleServer.close());

  connection.start();
  shutdown.onStop("connection", () => connection.stop());
  const bound = consoleServer.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : consoleAddress.port;
  const consoleText = formatAddress({ host: consoleAddress.host, port });
  await access.announce(`http://${formatAddress(reachableAddress({ host: consoleAddress.host, port }))}`);
  await writeFileDurable(
    join(stateFolder, "addresses.json"),
    `${JSON.stringify({ console: consoleText })}\n`,
  );
  log.info("ready", { site: identity.id, aggregator: config.aggregator, console: consoleText });
}

/** The tables' units and sources; rows of a bench's own tables have no source, and their unit is the row. */
async function knownTablesOf(
  config: SiteConfig,
  folder: string,
  of: { readonly records: SiteRecords; readonly given: Tables | undefined },
): Promise<ResolvedTables> {
  const key = sourceKey(of.records, osRandom);
  const sources = new TableSources(
    config.tables.map((table) => resolveTableConfig(table, folder)),
    key,
  );
  await sources.resolve();
  if (of.given === undefined) return sources;
  const { names } = of.given;
  return {
    names,
    unit: () => ({ kind: "row", declared: true }),
    source: () => null,
    overlaps: [],
    resolve: async () => undefined,
  };
}

/** What stands in the policy is not for the log; that it changed, and which one it is now, is. */
function logPolicy(log: Logger, { state, sha256, fault }: PolicyStatus): void {
  if (state === "invalid") log.error("the policy is invalid: every study is refused", { reason: fault });
  else if (state === "absent") log.info("there is no policy file: a person approves every study");
  else log.info("the policy was read", { sha256 });
}

/** The aggregator returns the newest head that it has seen: where this ledger does not hold it, it is an old copy. */
function holdAgainst(ledger: Ledger, head: WireLedgerHead, log: Logger): void {
  try {
    if (!ledger.accept(head)) warnBehind(ledger, log);
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    log.error("the aggregator showed a head of the ledger that is none", { code: error.code }, thrown);
  }
}

function warnBehind(ledger: Ledger, log: Logger): void {
  log.error("the ledger is behind its anchor; nothing is spent until it is reconciled", {
    code: "LEDGER_BEHIND",
    ownSequence: ledger.head().sequence,
    anchorSequence: ledger.behind?.sequence ?? null,
  });
}

function storedRevocations(records: SiteRecords, rootPem: string): RevocationList | undefined {
  const bytes = records.fact(revocationsFact(rootPem));
  if (bytes !== null) return unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
  const earlier = records.fact(earlierRevocationsFact);
  if (earlier === null) return undefined;
  const verified = verifyRevocations(earlier, { rootPem, knownSequence: 0 });
  return verified.ok ? verified.value : undefined;
}
