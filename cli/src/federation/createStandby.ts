import { copyFile, readFile, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { issueIssuer } from "@consilium/runtime/identity/authority";
import { loadAuthority, saveIssuer } from "@consilium/runtime/identity/authorityFiles";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { formatAddress, parseAddress } from "@consilium/runtime/tls/address";
import { type Document, isMap, parseDocument } from "yaml";
import { fileFault } from "../failure.js";
import { makeServer, refuseOccupied, revocationsFile } from "./createFederation.js";
import { issuerUnder } from "./renewServers.js";

export interface StandbyPlan {
  /** State folder of the aggregator that there is. */
  readonly aggregator: string;
  readonly authority: string;
  /** State folder to make. */
  readonly folder: string;
  /** Names of the two in the lease. */
  readonly names: { readonly active: string; readonly standby: string };
  /** Host names and IP addresses of the standby's certificate; sites dial the first. */
  readonly hosts: readonly string[];
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly now: number;
}

/**
 * Makes the state folder of an aggregator that takes over from another one, with keys of its own: identity and issuing key.
 * Both configurations then name each other. On the aggregator's side nothing else changes.
 * @returns the address that sites dial
 * @throws ConsiliumError CONFIG_INVALID without a PostgreSQL store or an address for sites, or if the folder is not empty;
 *   AUTHORITY_MISMATCH if the authority is another federation's
 */
export async function createStandby(plan: StandbyPlan): Promise<string> {
  const { aggregator, folder, hosts, names } = plan;
  const configPath = join(aggregator, "config.yaml");
  const config = await readDocument(configPath);
  const own = ownAddress(config, configPath);
  await refuseOccupied(folder);
  const root = unwrap(await loadAuthority(plan.authority));
  await issuerUnder(root, aggregator, plan.authority);
  const issuer = await issueIssuer(root, { now: plan.now });
  const address = formatAddress({ host: hosts[0]!, port: plan.grpcPort });
  const standby = config.clone() as Document;
  const listen = (key: string, port: number) => {
    const { host } = unwrap(parseAddress(String(config.getIn(["listen", key]) ?? "0.0.0.0:1")));
    standby.setIn(["listen", key], formatAddress({ host, port }));
  };
  listen("grpc", plan.grpcPort);
  listen("http", plan.httpPort);
  standby.set("advertise", address);
  standby.set("standby", standby.createNode({ name: names.standby, others: [own] }));
  try {
    await makeServer(folder, "aggregator", { hosts }, { issuer, now: plan.now });
    await saveIssuer(join(folder, "issuing"), issuer);
    for (const file of [revocationsFile, "operator-token", ...relativeFile(config, "storePasswordFile")])
      await copyFile(join(aggregator, file), join(folder, file));
    await writeFileDurable(join(folder, "config.yaml"), standby.toString({ lineWidth: 0 }));
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw cause;
  }
  config.set("standby", config.createNode({ name: names.active, others: [address] }));
  await writeFileDurable(configPath, config.toString({ lineWidth: 0 }));
  return address;
}

async function readDocument(path: string): Promise<Document> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `${path}: ${fileFault(cause)}`, { cause });
  });
  const document = parseDocument(text);
  if (document.errors.length === 0 && isMap(document.contents)) return document as Document;
  throw new ConsiliumError("CONFIG_INVALID", `${path} is not a YAML configuration`);
}

/** The address of the aggregator that there is, as sites dial it. */
function ownAddress(config: Document, path: string): string {
  if (typeof config.get("store") !== "string") {
    throw new ConsiliumError(
      "CONFIG_INVALID",
      `${path} has no \`store\`: a standby needs a PostgreSQL store`,
      {
        remedy:
          "a SQLite file has one process: create the federation with `consilium init --store postgres://…`",
      },
    );
  }
  const address = parseAddress(String(config.get("advertise") ?? config.getIn(["listen", "grpc"]) ?? ""));
  if (address.ok && address.value.port !== 0) return formatAddress(address.value);
  throw new ConsiliumError("CONFIG_INVALID", `${path} has no address that sites could dial`, {
    remedy: "set `advertise`, such as aggregator.example.org:7443",
  });
}

function relativeFile(config: Document, key: string): string[] {
  const file = config.get(key);
  return typeof file === "string" && !isAbsolute(file) ? [file] : [];
}
