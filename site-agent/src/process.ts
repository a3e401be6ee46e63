import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { instanceBytes, protocolVersions } from "@consilium/core/limits";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { unwrap } from "@consilium/core/result";
import { retired } from "@consilium/core/study/retired";
import { parseDuration } from "@consilium/core/units";
import { softwareVersion } from "@consilium/core/version";
import { Door } from "@consilium/gate/door";
import { outboundBytes } from "@consilium/proto/frames";
import { configText, loadConfig, parseConfig } from "@consilium/runtime/config";
import { sayReady } from "@consilium/runtime/executable";
import { loadIdentityWhenever } from "@consilium/runtime/identity/certificateSpan";
import { rootFingerprint } from "@consilium/runtime/identity/certificates";
import { identityFolder } from "@consilium/runtime/identity/files";
import { createLogger, type Logger } from "@consilium/runtime/log";
import { namesProxy } from "@consilium/runtime/network/proxyConfig";
import { measureCertificate, measureStore } from "@consilium/runtime/processMetrics";
import { osRandom } from "@consilium/runtime/random";
import { createShutdown } from "@consilium/runtime/shutdown";
import { enrolmentSentFile, restoredFile } from "@consilium/runtime/stateFiles";
import { DiskSpace, measureDisk } from "@consilium/runtime/store/diskSpace";
import { lockState } from "@consilium/runtime/store/lock";
import { openStore } from "@consilium/runtime/store/store";
import { parseAddress } from "@consilium/runtime/tls/address";
import { agentConfigSchema } from "./agentConfig.js";
import type { runningDoctor } from "./doctor/running.js";
import { Anchors } from "./ledger/anchors.js";
import { ledgerCharges } from "./ledger/charges.js";
import { EgressLog } from "./ledger/egressLog.js";
import { Ledger } from "./ledger/ledger.js";
import { populationViews } from "./ledger/views.js";
import { siteMetrics } from "./metrics.js";
import type { PolicyEditor } from "./policy/policyEditor.js";
import { PolicyFile, type PolicyStatus, policyFileName } from "./policy/policyFile.js";
import { outliveRejections } from "./rejections.js";
import { type AggregatorRoute, Connection } from "./rpc/connection.js";
import { Greeting } from "./rpc/greeting.js";
import { protocolFault, SpokenProtocol } from "./rpc/spokenProtocol.js";
import type { WireLedgerHead } from "./rpc/toDomain.js";
import { siteAgent, withoutValues } from "./socket/agent.js";
import { AuditLog } from "./socket/auditLog.js";
import { listenOnSocket } from "./socket/server.js";
import { reclaimSpace } from "./store/reclaim.js";
import { migrations } from "./store/schema.js";
import { SealedStorage } from "./store/sealedStorage.js";
import { sourceKey } from "./store/sourceKey.js";
import { Approvals } from "./studies/approvals.js";
import { ExpelledList } from "./studies/expelledList.js";
import { Participant } from "./studies/participant.js";
import type { Questions } from "./studies/questions.js";
import { SiteRecords } from "./studies/records.js";
import { SiteMethods } from "./studies/siteMethods.js";
import type { ResolvedTables } from "./tables/knownTables.js";
import { TableProcess } from "./tables/tableProcess.js";
import type { Tables } from "./tables/tables.js";

/** Of versions whose agent served the pages itself; the console has its own. */
const formerConsoleFiles = ["addresses.json", "setup-link"];

/** How often what was said of the tables is compared with what holds. */
const greetAgainMs = 5 * 60_000;

/** How often config.yaml is looked at for other tables. */
const followTablesMs = 5_000;

/** Tables that another process than the usual one reads. */
interface GivenTables {
  readonly tables: Tables;
  readonly known: ResolvedTables;
  /** Left out where they are not those of config.yaml. */
  readonly following?: TableProcess;
}

interface SiteAgentOptions {
  /** A further socket, for a console in a container of its own; null, or left out: that in the state folder alone. */
  readonly consoleSocket?: string | null;
  /** Socket of the door of another user, who reads the tables; null, or left out: the agent's own user does. */
  readonly tablesDoor?: string | null;
  /** In place of those that the process as it was built reads: for benches and tests. */
  readonly tables?: GivenTables;
  /** Which methods the site has. */
  readonly methods?: SiteMethods;
}

/** Dials the aggregator and stays there; returns once the hospital's own socket is open. */
export async function startSiteAgent(
  stateFolder: string,
  {
    tables: given,
    consoleSocket = null,
    tablesDoor = null,
    methods = new SiteMethods(),
  }: SiteAgentOptions = {},
): Promise<void> {
  const configPath = join(stateFolder, "config.yaml");
  const text = await configText(configPath);
  let seen = { text, served: text };
  const config = parseConfig(text, configPath, agentConfigSchema);
  const output =
    config.logs === undefined
      ? undefined
      : await (await import("@consilium/runtime/logging/agentOutput")).agentOutput(config.logs, stateFolder);
  const log = createLogger({ service: "site-agent", level: config.logLevel, stream: output?.stream });
  outliveRejections(() => log.error("a promise was rejected; why is not shown: it may tell of a record"));
  const shutdown = createShutdown({ log });
  const now = Date.now;

  const lock = await lockState(stateFolder);
  shutdown.onStop("lock", () => lock.release());
  for (const file of formerConsoleFiles) await rm(join(stateFolder, file), { force: true });
  const store = openStore(join(stateFolder, "state.db"), migrations);
  shutdown.onStop("store", () => store.close());
  const disk = new DiskSpace({ folder: stateFolder, reserveMiB: config.diskReserveMiB });
  disk.watch(store);
  if (reclaimSpace(store)) log.info("unused room in the store was given back to the disk");
  const metrics = siteMetrics();
  measureStore(metrics.all, store);
  measureDisk(metrics.all, disk);
  const identity = unwrap(await loadIdentityWhenever(identityFolder(stateFolder), now()));
  const sealed = await SealedStorage.open(stateFolder, osRandom);
  let opened: Promise<NumericKernels> | null = null;
  const kernels = () => {
    opened ??= import("@consilium/kernels/open").then(({ openKernels }) => openKernels({}));
    return opened;
  };
  shutdown.onStop("kernels", async () => (await opened)?.close());

  const { allowNoPrivacy } = config;
  const records = new SiteRecords(store);
  const approvals = new Approvals(store);
  const { tables, known: knownTables, following } = given ?? (await startTables());
  async function startTables(): Promise<GivenTables> {
    const started = await TableProcess.start({
      opening: {
        configPath,
        configText: text,
        secret: sealed.derive("table hashes"),
        sourceKey: sourceKey(records, osRandom),
      },
      log: log.child("tables"),
      start:
        tablesDoor === null
          ? (await import("./tables/startProcess.js")).startTables
          : (await import("./tables/throughDoor.js")).throughDoor(tablesDoor),
    });
    shutdown.onStop("tables", () => started.close());
    return { tables: started, known: started, following: started };
  }
  const policy = new PolicyFile(join(stateFolder, policyFileName), {
    tables: knownTables,
    onChange: (status) => {
      logPolicy(log, status);
      void methods
        .follow(policy.read(), allowNoPrivacy)
        .catch((thrown) => log.error("methods could not be loaded", {}, thrown));
      void greetAgainIfStale();
    },
  });
  const egress = new EgressLog(store);
  const door = new Door({
    log: (entry) => {
      egress.record(entry);
      metrics.egress(entry.what, entry.bytes);
    },
    charged: (study, step, attempt) => charges.noteOf(study, step, attempt),
    bytesOf: outboundBytes,
    now,
  });
  const expelledList = new ExpelledList({
    records,
    rootPem: identity.rootPem,
    maxAgeMs: unwrap(parseDuration(config.expelledListMaxAge)),
    now,
  });
  if (existsSync(join(stateFolder, enrolmentSentFile)))
    await (await import("./ledger/enrolment.js")).logEnrolment(stateFolder, egress);
  const greeting = new Greeting({
    tables,
    knownTables,
    policy,
    allowNoPrivacy,
    methods,
    totals: () => ledger.totals,
    door,
    instance: osRandom.bytes(instanceBytes),
    log: log.child("greeting"),
  });
  const greetAgainIfStale = async () => {
    if (await greeting.isStale()) connection.greetAgain();
  };
  // A table's columns change with no notice: until this, the aggregator holds studies against those of before.
  const greetings = setInterval(() => void greetAgainIfStale(), greetAgainMs);
  shutdown.onStop("greetings", () => clearInterval(greetings));

  let isLooking = false;
  const lookAtConfig = async (served: TableProcess) => {
    const now = await configText(configPath).catch(() => seen.text);
    if (isLooking || now === seen.text) return;
    isLooking = true;
    try {
      const { serveChanged } = await import("./tables/changedTables.js");
      const of = { path: configPath, served: seen.served, tables: served, log: log.child("tables") };
      seen = (await serveChanged(now, of)) ?? seen;
      policy.read();
      await greetAgainIfStale();
    } finally {
      isLooking = false;
    }
  };
  if (following !== undefined) {
    const looks = setInterval(() => void lookAtConfig(following), followTablesMs);
    shutdown.onStop("configuration", () => clearInterval(looks));
  }

  const auditLog = new AuditLog(store, now);
  let questioning: Promise<Questions> | null = null;
  const asking = () => {
    const context = { store, records, auditLog, door, random: osRandom, now, log: log.child("questions") };
    questioning ??= import("./studies/questions.js").then(
      (made) => new made.Questions({ ...context, send: (message) => connection.send(message) }),
    );
    return questioning;
  };
  const questions = () => (records.hasQuestions() ? asking() : null);

  const proxies = namesProxy(config.proxy, process.env)
    ? await import("@consilium/runtime/network/proxy")
    : null;
  const routeTo = (address: string): AggregatorRoute => ({
    address,
    proxy:
      proxies?.proxyFor(unwrap(parseAddress(address)), {
        config: config.proxy,
        configPath,
        environment: process.env,
      }) ?? null,
  });
  const spokenProtocol = new SpokenProtocol(records, rootFingerprint(identity.rootPem));
  const route = routeTo(config.aggregator);
  const connection: Connection = new Connection({
    routes: [route, ...config.standbys.map(routeTo)],
    identity,
    stateFolder,
    software: softwareVersion,
    revocations: () => expelledList.list,
    now,
    log: log.child("connection"),
    handlers: {
      hello: () => greeting.hello(),
      heartbeat: (sequence) => {
        // Looks at the policy: what was announced under the one before may no longer hold.
        policy.read();
        return door.heartbeat(sequence);
      },
      renewing: (request) => door.certificateRequest(request),
      welcomed: ({ protocol, software, ledgerHead }) => {
        const own = { ...protocolVersions, software: softwareVersion, spoken: spokenProtocol.highest };
        const fault = protocolFault({ protocol, software }, own);
        if (fault !== null) throw fault;
        spokenProtocol.spoke(protocol);
        if (ledgerHead !== null) holdAgainst(ledger, ledgerHead, log);
        void questions()?.then((asked) => asked.sendAgain());
      },
      message: (message) => {
        if (message.kind === "revocations") expelledList.take(message.list, message.confirmation);
        else if (message.kind === "answer") void asking().then((asked) => asked.answered(message));
        else participant.handle(message);
      },
      refused: (message, fault) => participant.refuse(message, fault),
      refusedThere: (study, fault) => participant.refusedThere(study, fault),
    },
  });
  const ledger = Ledger.open(store, () => ({ ...connection.identity, site: connection.identity.id }), now);
  await methods.follow(policy.read(), allowNoPrivacy);
  const anchors = new Anchors(stateFolder);
  shutdown.onStop("anchor", () => anchors.close());
  if (!anchors.check(ledger)) warnBehind(ledger, log);
  if (existsSync(join(stateFolder, restoredFile))) {
    const { leaveRestoredStudies } = await import("./store/restoredCopy.js");
    await leaveRestoredStudies(stateFolder, { records, ledger, now, log });
  }
  const charges = ledgerCharges({
    ledger,
    anchors,
    policy: () => unwrap(policy.read()),
    methods,
    tables: knownTables,
    isApproved: (study) => approvals.of(study)?.decision === "approved",
  });
  const participant = new Participant({
    records,
    door,
    tables,
    approvals,
    policy,
    methods,
    retired,
    knownTables,
    allowNoPrivacy,
    offers: config.offers,
    charges,
    sealed,
    kernels,
    demandExpelledList: () => expelledList.demandInDate(),
    random: osRandom,
    identity: () => connection.identity,
    revocations: () => expelledList.list,
    stateFolder,
    disk,
    now,
    log: log.child("studies"),
    send: (message) => connection.send(message),
    upload: (upload) => connection.upload(upload),
    fetch: (studyId, { sha256, bytes }) => connection.fetch(door.fetch(studyId, sha256), bytes),
  });

  if (config.retention !== undefined) {
    const { keepRetention } = await import("./retention/retention.js");
    shutdown.onStop("retention", keepRetention(config.retention, { store, records, participant, now, log }));
  }
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
  const { joining } = participant;
  let editing: Promise<PolicyEditor> | null = null;
  const editor = () => {
    const about = { path: policy.path, stateFolder, now, tables: knownTables };
    editing ??= import("./policy/policyEditor.js").then((made) => new made.PolicyEditor(about));
    return editing;
  };
  const facts = async () => {
    const { id, federation, fingerprint, rootPem, chainPem } = connection.identity;
    const { connected, aggregatorSoftware } = connection.status;
    const { folderFacts, gatherFacts, loadMethods, wholeConfig } = await import("./dataProtection/gather.js");
    await loadMethods(store, methods);
    const { tables: present, engines } = wholeConfig(seen.served, configPath);
    return gatherFacts({
      stateFolder,
      config: { ...wholeConfig(text, configPath), tables: present, engines },
      identity: { site: id, federation, signingKeyFingerprint: fingerprint, rootPem, chainPem },
      policy,
      store,
      methods,
      ledger,
      descriptions: await tables.describe(),
      knownTables,
      agent: { aggregatorSoftware: connected ? aggregatorSoftware : null },
      folder: await folderFacts(stateFolder),
      environment: process.env,
      now: now(),
    });
  };
  let examining: Promise<ReturnType<typeof runningDoctor>> | null = null;
  const doctor = () => {
    examining ??= import("./doctor/running.js").then(({ runningDoctor }) =>
      runningDoctor({
        stateFolder,
        tables,
        aggregator: config.aggregator,
        proxy: route.proxy,
        connection,
        expelledList,
        records,
        methods,
        policy,
        greeting,
        knownTables,
        tablesDoor,
        now,
      }),
    );
    return examining;
  };
  const agent = siteAgent({
    aggregator: config.aggregator,
    console: async () => {
      const { console: settings, logs, logLevel } = await loadConfig(configPath, agentConfigSchema);
      return { settings, logs, logLevel };
    },
    configPath,
    logLines: async (asked) => output?.lines(asked) ?? { run: "", next: 0, lines: [], dropped: 0 },
    startedAt: now(),
    auditLog,
    asking,
    questions,
    store,
    editor,
    connection,
    expelledList,
    spokenProtocol,
    greeting,
    records,
    egress,
    approvals,
    tables,
    tablesDoor,
    knownTables,
    policy,
    methods,
    allowNoPrivacy,
    joining,
    disk,
    metrics: metrics.all,
    ledgerMetrics: metrics.ledger,
    doctor: async () => (await doctor())(),
    facts,
    ledger,
    anchors,
    stateFolder,
    fingerprint: () => connection.identity.fingerprint,
    now,
    log: log.child("ledger"),
  });
  const socketLog = log.child("socket");
  const socket = await listenOnSocket(agent, { path: join(stateFolder, agentSocketName), log: socketLog });
  shutdown.onStop("socket", () => socket.close());
  if (consoleSocket !== null) {
    const shared = await listenOnSocket(withoutValues(agent), { path: consoleSocket, log: socketLog });
    shutdown.onStop("console's socket", () => shared.close());
  }

  connection.start();
  shutdown.onStop("connection", () => connection.stop());
  log.info("ready", { site: identity.id, aggregator: config.aggregator, tablesDoor });
  sayReady();
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
    log.error("invalid ledger head from the aggregator", { code: error.code }, thrown);
  }
}

function warnBehind(ledger: Ledger, log: Logger): void {
  log.error("the ledger is behind its anchor; nothing is spent until it is reconciled", {
    code: "LEDGER_BEHIND",
    ownSequence: ledger.head().sequence,
    anchorSequence: ledger.behind?.sequence ?? null,
  });
}
