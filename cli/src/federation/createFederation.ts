import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { createAuthority, type Issuer, issueIssuer } from "@consilium/runtime/identity/authority";
import { saveAuthority, saveIssuer } from "@consilium/runtime/identity/authorityFiles";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { osRandom } from "@consilium/runtime/random";
import { makePrivateFolder, writeFileDurable } from "@consilium/runtime/store/durableFile";
import { formatAddress } from "@consilium/runtime/tls/address";
import { systemCode } from "../failure.js";
import { isLoopback } from "../http/reach.js";
import { certifyServer, type ServerRole } from "./certifyServer.js";

/** The addresses that a server listens on, and the names that its peers use. */
interface ServerPlan {
  /** Host names and IP addresses of the certificate; peers are given the first. */
  readonly hosts: readonly string[];
  readonly grpcPort: number;
  readonly httpPort: number;
  /** Interface for gRPC; null: only this machine, unless a host is another machine. */
  readonly listen: string | null;
  /** Interface for HTTP; null: the default below. */
  readonly httpListen: string | null;
}

export interface FederationPlan {
  readonly name: string;
  readonly folders: { readonly authority: string; readonly aggregator: string; readonly publisher: string };
  readonly aggregator: ServerPlan;
  readonly publisher: ServerPlan;
  /** The catalogue's public address; null: the publisher's first host and HTTP port, if known. */
  readonly publicUrl: string | null;
  /** Whom readers of releases ask about the federation; null: the catalogue does not say. */
  readonly contact: string | null;
  /** The servers' database, with one schema each; null: SQLite files. The password file has an absolute path. */
  readonly store: { readonly url: string; readonly passwordFile: string | null } | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface MadeFederation {
  readonly rootFingerprint: string;
}

/** The list of expelled sites, signed by the root key, in the authority's and the aggregator's folder. */
export const revocationsFile = "revocations";

/** Every server certificate is also valid for connections on its own machine. */
const localHosts = ["localhost", "127.0.0.1", "::1"];

/**
 * Creates a federation's folders: the authority with the root key, and aggregator and publisher ready to run. Existing
 * files are not replaced; on failure, created ones are removed.
 * @throws ConsiliumError CONFIG_INVALID if a folder is not empty
 */
export async function createFederation(plan: FederationPlan): Promise<MadeFederation> {
  const folders = Object.values(plan.folders);
  for (const folder of folders) await refuseOccupied(folder);
  try {
    const root = await createAuthority({ federation: plan.name, now: plan.now });
    const issuer = await issueIssuer(root, { now: plan.now });
    const nobody = issueRevocations(root, undefined, []);
    const { authority, aggregator, publisher } = plan.folders;

    await makeServer(aggregator, "aggregator", plan.aggregator, { issuer, now: plan.now });
    await saveIssuer(join(aggregator, "issuing"), issuer);
    await writeFileDurable(join(aggregator, revocationsFile), nobody);
    const token = Buffer.from(osRandom.bytes(32)).toString("base64url");
    await writeFileDurable(join(aggregator, "operator-token"), `${token}\n`, { mode: 0o600 });
    await writeFileDurable(join(aggregator, "config.yaml"), aggregatorConfig(plan));

    await makeServer(publisher, "publisher", plan.publisher, { issuer, now: plan.now });
    await writeFileDurable(join(publisher, "config.yaml"), publisherConfig(plan));

    await makePrivateFolder(authority);
    await writeFileDurable(join(authority, revocationsFile), nobody);
    await saveAuthority(authority, root);
    return { rootFingerprint: root.fingerprint };
  } catch (cause) {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    throw cause;
  }
}

export async function refuseOccupied(folder: string): Promise<void> {
  let entries: string[];
  try {
    entries = await readdir(folder);
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return;
    throw cause;
  }
  if (entries.length === 0) return;
  throw new ConsiliumError("CONFIG_INVALID", `${folder} is not empty`, {
    remedy: "choose another folder with --home, or move this one away",
  });
}

export async function makeServer(
  folder: string,
  role: ServerRole,
  server: Pick<ServerPlan, "hosts">,
  by: { issuer: Issuer; now: number },
): Promise<void> {
  await makePrivateFolder(folder);
  const hosts = [...new Set([...server.hosts, ...localHosts])];
  await certifyServer(join(folder, "identity"), { role, hosts }, by);
}

/** The interface to listen on: as requested, otherwise only this machine if every host is this machine. */
function listenHost(server: ServerPlan): string {
  return server.listen ?? (server.hosts.every(isLoopback) ? "127.0.0.1" : "0.0.0.0");
}

/** The catalogue is for readers on other machines; the operator's API stays on this machine by default. */
function publisherHttpHost(plan: FederationPlan): string {
  return plan.publisher.httpListen ?? listenHost(plan.publisher);
}

function aggregatorConfig(plan: FederationPlan): string {
  const { aggregator, publisher } = plan;
  const grpc = formatAddress({ host: listenHost(aggregator), port: aggregator.grpcPort });
  const http = formatAddress({ host: aggregator.httpListen ?? "127.0.0.1", port: aggregator.httpPort });
  const advertise =
    aggregator.grpcPort === 0
      ? ""
      : `# The address that invitations give to sites. It must be a name or address of the certificate.
advertise: "${formatAddress({ host: aggregator.hosts[0]!, port: aggregator.grpcPort })}"
`;
  const releases =
    publisher.grpcPort === 0
      ? ""
      : `# Where releases are deposited.
publisher:
  grpc: "${formatAddress({ host: publisher.hosts[0]!, port: publisher.grpcPort })}"
`;
  return `# The aggregator of the federation "${plan.name}". Changes take effect after a restart.
federation: ${JSON.stringify(plan.name)}
listen:
  # Sites connect to this address with mutual TLS.
  grpc: "${grpc}"
  # The operator's API, with the token. Not encrypted: keep it on this machine, or behind a proxy with TLS.
  http: "${http}"
${advertise}${releases}${storeConfig(plan.store)}# debug, info, warn or error
logLevel: info
`;
}

function storeConfig(store: FederationPlan["store"]): string {
  if (store === null) return "";
  const password =
    store.passwordFile === null ? "" : `storePasswordFile: ${JSON.stringify(store.passwordFile)}\n`;
  return `# The database for records; large values and files stay in this folder.
store: ${JSON.stringify(store.url)}
${password}`;
}

function publisherConfig(plan: FederationPlan): string {
  const { publisher } = plan;
  const grpc = formatAddress({ host: listenHost(publisher), port: publisher.grpcPort });
  const http = formatAddress({ host: publisherHttpHost(plan), port: publisher.httpPort });
  const publicUrl =
    plan.publicUrl ??
    (publisher.httpPort === 0
      ? null
      : `http://${formatAddress({ host: publisher.hosts[0]!, port: publisher.httpPort })}`);
  const url =
    publicUrl === null
      ? ""
      : `# The catalogue's public address, written into every release.
publicUrl: ${JSON.stringify(publicUrl)}
`;
  const contact =
    plan.contact === null
      ? ""
      : `# Whom readers ask about the federation and its root certificate.
contact: ${JSON.stringify(plan.contact)}
`;
  return `# The publisher of the federation "${plan.name}". Changes take effect after a restart.
listen:
  # The aggregator deposits releases here, with mutual TLS.
  grpc: "${grpc}"
  # The catalogue, for readers of releases.
  http: "${http}"
${url}${contact}${storeConfig(plan.store)}# debug, info, warn or error
logLevel: info
`;
}
