import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { Releases } from "@consilium/proto/load";
import { builtFolder } from "@consilium/runtime/http/pages";
import { loadIdentity } from "@consilium/runtime/identity/files";
import type { Logger } from "@consilium/runtime/log";
import { measureCertificate, measureStore } from "@consilium/runtime/processMetrics";
import { osRandom } from "@consilium/runtime/random";
import { depositMessageMaxBytes } from "@consilium/runtime/release/limits";
import { openConfiguredStore } from "@consilium/runtime/store/configuredStore";
import { DiskSpace, measureDisk } from "@consilium/runtime/store/diskSpace";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { type Address, formatAddress, reachableAddress } from "@consilium/runtime/tls/address";
import { limitConnections } from "@consilium/runtime/tls/connectionLimits";
import { widenServerFlowControl } from "@consilium/runtime/tls/flowControl";
import { grpcServerOptions } from "@consilium/runtime/tls/grpcOptions";
import { closeGrpc, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { peerOf } from "@consilium/runtime/tls/peer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import { Server } from "@grpc/grpc-js";
import type { FastifyInstance } from "fastify";
import { createReaders } from "./access/readers.js";
import { createApi } from "./api/api.js";
import { Catalogue } from "./catalogue/catalogue.js";
import { MembersOnFile } from "./catalogue/publishedMembers.js";
import { ReleaseIndex } from "./catalogue/releaseIndex.js";
import { ReleaseStore } from "./catalogue/store.js";
import { Tokens } from "./catalogue/tokens.js";
import { WithdrawalLog } from "./catalogue/withdrawalLog.js";
import type { PublisherConfig } from "./config.js";
import { depositService } from "./deposit/service.js";
import { Withdrawing } from "./deposit/withdraw.js";
import { publisherMetrics } from "./metrics.js";
import { migrations } from "./store/schema.js";

export interface PublisherOptions {
  /** The state folder, which nobody else uses. */
  readonly state: string;
  readonly config: PublisherConfig;
  readonly log: Logger;
  readonly software: string;
  /** By which a release's study is planned anew when it is deposited: a remark in the log. */
  readonly methods: Methods;
  /** A store in PostgreSQL can be used no longer: the process is to end at once. */
  readonly onStoreLost: (error: ConsiliumError) => void;
}

interface RunningPublisher {
  readonly grpc: Address;
  readonly http: Address;
  /** Ends both servers: no new calls, running ones get some seconds. */
  close(): Promise<void>;
}

const idleTimeoutMs = 10 * 60_000;
const closeGraceMs = 5_000;

/**
 * Starts a publisher: loads its identity and releases, listens, and says in `addresses.json` where.
 * @throws ConsiliumError STATE_MISSING, CERTIFICATE_INVALID, CONFIG_INVALID, PORT_IN_USE, DISK_FULL
 */
export async function startPublisher(options: PublisherOptions): Promise<RunningPublisher> {
  const { state, config, log } = options;
  const identity = unwrap(await loadIdentity(join(state, "identity"), Date.now()));
  if (identity.role !== "publisher") {
    throw new ConsiliumError("CONFIG_INVALID", `${state} contains the identity of a ${identity.role}`, {
      remedy: "give a publisher's folder with --state",
    });
  }
  if (config.federation !== undefined && config.federation !== identity.federation) {
    throw new ConsiliumError(
      "CONFIG_INVALID",
      `config.yaml: federation is ${config.federation}, but the identity is of ${identity.federation}`,
    );
  }

  // Anyone who waits for this file must not find the last run's.
  const addressesPath = join(state, "addresses.json");
  await rm(addressesPath, { force: true });
  const metrics = publisherMetrics(options.software);
  const store = await ReleaseStore.open(state);
  const withdrawals = await WithdrawalLog.open(state, identity.rootPem);
  const members = await MembersOnFile.open(state, identity);
  const disk = new DiskSpace({ folder: state, reserveMiB: config.diskReserveMiB });
  measureDisk(metrics.all, disk);
  measureCertificate(metrics.all, () => identity.notAfter);

  const sessions = openConfiguredStore(config, {
    stateFolder: state,
    role: "publisher",
    migrations,
    onLost: options.onStoreLost,
  });
  disk.watch(sessions);
  measureStore(metrics.all, sessions);
  const damaged = new Set<string>();
  const catalogue = await Catalogue.load({
    store,
    index: new ReleaseIndex(sessions, identity.rootPem),
    rootPem: identity.rootPem,
    withdrawals,
    onDamaged: ({ id, error }, served) => {
      log.error("a damaged release is not served", { release: id }, error);
      metrics.damaged.set(damaged.add(id).size);
      metrics.releases.set(served);
    },
  });
  metrics.releases.set(catalogue.size);
  let publicUrl = config.publicUrl ?? "";
  const urlOf = (id: string) => `${publicUrl}/releases/${id}/`;
  let ready = false;
  const readers = await createReaders({
    tokens: new Tokens(state),
    store: sessions,
    rules: { publicUrl: config.publicUrl },
    oidc: config.signIn.oidc,
    configPath: join(state, "config.yaml"),
    pagesUrl: () => publicUrl,
    random: osRandom,
    now: Date.now,
    log,
  });
  const api = await createApi({
    catalogue,
    readers,
    trustedProxies: config.signIn.trustedProxies,
    urlOf,
    contact: config.contact,
    members,
    log,
    ready: () => ready,
    disk,
    metrics: metrics.all,
    pagesFolder: builtFolder(),
  });
  api.addHook("onClose", async () => sessions.close());
  const server = new Server({
    ...grpcServerOptions,
    // A release's content with its model is one message, larger than any other of the wire.
    "grpc.max_receive_message_length": depositMessageMaxBytes,
  });
  widenServerFlowControl(server);
  const trust = { rootPem: identity.rootPem, now: Date.now, revocations: () => undefined };
  limitConnections(server, { trust });
  server.addService(
    Releases.service,
    depositService({
      store,
      rootPem: identity.rootPem,
      methods: options.methods,
      urlOf,
      disk,
      idleTimeoutMs,
      withdrawing: new Withdrawing({
        store,
        withdrawals,
        rootPem: identity.rootPem,
        onWithdrawn: (withdrawal) => {
          catalogue.withdrawn(withdrawal);
          const { release, status, supersededBy } = withdrawal;
          log.info("a release was withdrawn or superseded", {
            release,
            status,
            ...(supersededBy !== null && { supersededBy }),
          });
        },
      }),
      members: {
        replace: async (bytes) => {
          await members.replace(bytes);
          log.info("the list of members was published");
        },
      },
      authorise: (call) => peerOf(call, trust, { role: "aggregator" }),
      onPlannedOtherwise: (release, place) =>
        log.warn("a release is planned otherwise by this version", { release, place }),
      onCommitted: async (id) => {
        await catalogue.add(id);
        metrics.releases.set(catalogue.size);
        log.info("a release was published", { release: id });
      },
      onEnded: (error) => {
        metrics.deposits.inc({ outcome: error?.code ?? "committed" });
        if (error?.family === "internal") log.error("a deposit failed", {}, error);
        else if (error !== undefined) log.warn("a deposit was refused", {}, error);
      },
    }),
  );

  try {
    const httpPort = await listenHttp(api, config.listen.http);
    const http = { host: config.listen.http.host, port: httpPort };
    if (config.publicUrl === undefined) publicUrl = `http://${formatAddress(reachableAddress(http))}`;
    const credentials = new MutualTlsServerCredentials(identity);
    const grpc = {
      host: config.listen.grpc.host,
      port: await listenGrpc(server, config.listen.grpc, credentials),
    };
    ready = true;
    await writeFileDurable(
      addressesPath,
      `${JSON.stringify({ grpc: formatAddress(grpc), http: formatAddress(http) })}\n`,
    );
    log.info("ready", { grpc: formatAddress(grpc), http: formatAddress(http), releases: catalogue.size });
    const stopping = new AbortController();
    const checking = catalogue.checkAll(stopping.signal).catch((thrown: unknown) => {
      log.error("cannot check the releases' files", {}, thrown);
    });
    return {
      grpc,
      http,
      close: async () => {
        ready = false;
        stopping.abort();
        await checking;
        await rm(addressesPath, { force: true });
        await Promise.all([closeGrpc(server, closeGraceMs), api.close()]);
      },
    };
  } catch (thrown) {
    server.forceShutdown();
    await api.close();
    throw thrown;
  }
}

async function listenHttp(api: FastifyInstance, address: Address): Promise<number> {
  try {
    await api.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw new ConsiliumError("PORT_IN_USE", `HTTP cannot listen on ${formatAddress(address)}`, { cause });
  }
  const bound = api.server.address();
  if (bound === null || typeof bound === "string") throw new RangeError("HTTP is not listening");
  return bound.port;
}
