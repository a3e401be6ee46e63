import { dirname, join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { openKernels } from "@consilium/kernels/open";
import { loadConfig } from "@consilium/runtime/config";
import { identityFolder } from "@consilium/runtime/identity/enrol";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { type RevocationList, verifyRevocations } from "@consilium/runtime/identity/revocations";
import { createLogger } from "@consilium/runtime/log";
import { createMetrics } from "@consilium/runtime/metrics";
import { osRandom } from "@consilium/runtime/random";
import { createShutdown } from "@consilium/runtime/shutdown";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { lockState } from "@consilium/runtime/store/lock";
import { openStore } from "@consilium/runtime/store/store";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import { siteConfigSchema } from "./config.js";
import { listenForHealth, listenOnSocket } from "./console/api.js";
import { Tables } from "./data/tables.js";
import { Outbox } from "./outbox/outbox.js";
import { Connection } from "./rpc/connection.js";
import { migrations } from "./store/schema.js";
import { SealedStorage } from "./store/sealedStorage.js";
import { Participant } from "./studies/participant.js";
import { SiteRecords } from "./studies/records.js";

const revocationsFact = "revocations";

/** Dials the aggregator and stays there; returns once the hospital's own socket is open. */
export async function startSiteAgent(stateFolder: string): Promise<void> {
  const configPath = join(stateFolder, "config.yaml");
  const config = await loadConfig(configPath, siteConfigSchema);
  const log = createLogger({ service: "site-agent", level: config.logLevel });
  const shutdown = createShutdown({ log });
  const now = Date.now;

  const lock = await lockState(stateFolder);
  shutdown.onStop("lock", () => lock.release());
  const store = openStore(join(stateFolder, "state.db"), migrations);
  shutdown.onStop("store", () => store.close());
  const identity = unwrap(await loadIdentity(identityFolder(stateFolder), now()));
  const sealed = await SealedStorage.open(stateFolder, osRandom);
  const kernels = await openKernels({});
  shutdown.onStop("kernels", () => kernels.close());

  const records = new SiteRecords(store);
  const tables = new Tables(config.tables, dirname(configPath));
  const outbox = new Outbox(records, now);
  let revocations = storedRevocations(records, identity.rootPem);

  const connection: Connection = new Connection({
    address: config.aggregator,
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
      message: (message) => {
        if (message.kind !== "revocations") {
          participant.handle(message);
          return;
        }
        const knownSequence = revocations?.sequence ?? 0;
        revocations = unwrap(verifyRevocations(message.list, { rootPem: identity.rootPem, knownSequence }));
        records.setFact(revocationsFact, message.list);
      },
    },
  });
  const participant = new Participant({
    records,
    outbox,
    tables,
    policy: config,
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

  const metrics = createMetrics({ service: "site-agent", version: softwareVersion });
  metrics.gauge({
    name: "consilium_connected",
    help: "1 while the control stream to the aggregator is open",
    collect() {
      this.set(connection.status.connected ? 1 : 0);
    },
  });
  const consoleContext = { connection, records, tables, metrics };
  const socket = await listenOnSocket(stateFolder, consoleContext);
  shutdown.onStop("socket", () => socket.close());
  const consoleAddress = unwrap(parseAddress(config.console.listen));
  const health = await listenForHealth(consoleAddress, consoleContext);
  shutdown.onStop("console", () => health.close());

  connection.start();
  shutdown.onStop("connection", () => connection.stop());
  const bound = health.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : consoleAddress.port;
  const consoleText = formatAddress({ host: consoleAddress.host, port });
  await writeFileDurable(
    join(stateFolder, "addresses.json"),
    `${JSON.stringify({ console: consoleText })}\n`,
  );
  log.info("ready", { site: identity.id, aggregator: config.aggregator, console: consoleText });
}

function storedRevocations(records: SiteRecords, rootPem: string): RevocationList | undefined {
  const bytes = records.fact(revocationsFact);
  return bytes === null ? undefined : unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
}
