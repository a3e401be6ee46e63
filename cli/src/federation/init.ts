import { isIP } from "node:net";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { defaultPorts } from "@consilium/runtime/home";
import { parseFederation } from "@consilium/runtime/identity/names";
import { parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { type Command, Option } from "commander";
import { parseHttpUrl } from "../http/reach.js";
import { collect, portOption } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { createFederation, type FederationPlan } from "./createFederation.js";

interface InitOptions {
  readonly name: string;
  readonly authority?: string;
  readonly aggregatorHost?: readonly string[];
  readonly publisherHost?: readonly string[];
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly publisherGrpcPort: number;
  readonly publisherHttpPort: number;
  readonly listen?: string;
  readonly httpListen?: string;
  readonly publicUrl?: string;
  readonly contact?: string;
  readonly store?: string;
  readonly storePasswordFile?: string;
}

export function addInit(program: Program, parent: Command): void {
  const command = parent
    .command("init")
    .summary("create a federation")
    .description(
      "Creates a federation: its root key, and an aggregator and a publisher ready to run.\n\n" +
        "The root key certifies the aggregator's issuing key once, and later only signs the lists of members and of expelled " +
        "sites. No server needs it: move the authority folder to offline storage. Existing files are " +
        "not overwritten.",
    )
    .option("--name <federation>", "the federation's name: a-z, 0-9 and single hyphens", "consilium")
    .option("--authority <folder>", "the folder for the root key (default: <home>/authority)")
    .option(
      "--aggregator-host <host>",
      "a name or address that sites use to reach the aggregator; repeatable",
      collect,
    )
    .option("--publisher-host <host>", "a name or address of the publisher; repeatable", collect)
    .addOption(port("--grpc-port <port>", "the aggregator's port for sites", defaultPorts.aggregatorGrpc))
    .addOption(
      port("--http-port <port>", "the aggregator's port for the operator", defaultPorts.aggregatorHttp),
    )
    .addOption(
      port("--publisher-grpc-port <port>", "the publisher's port for deposits", defaultPorts.publisherGrpc),
    )
    .addOption(
      port("--publisher-http-port <port>", "the publisher's port for readers", defaultPorts.publisherHttp),
    )
    .option(
      "--listen <address>",
      "interface of both servers (default: 127.0.0.1, or all if a host is another machine)",
    )
    .option("--http-listen <address>", "interface of the operator's API (default: 127.0.0.1)")
    .option(
      "--public-url <url>",
      "the catalogue's public address, written into every release (default: the publisher's " +
        "first host and HTTP port)",
    )
    .option(
      "--contact <text>",
      "whom readers of releases ask about the federation and its root certificate, such as a mail address; " +
        "public on every release's page",
    )
    .option(
      "--store <url>",
      "PostgreSQL database for aggregator and publisher, such as postgres://consilium@db.example.org/consilium " +
        "(default: a SQLite file in each folder)",
    )
    .option(
      "--store-password-file <file>",
      "a file with the database's password on its first line (default: PGPASSFILE)",
    )
    .addHelpText(
      "after",
      `
Peers are given the first host of each; the certificate contains all hosts and localhost.

Examples:
  Everything on this machine, for a trial:
    $ consilium init --name trial

  A federation whose aggregator and publisher have host names:
    $ consilium init --name north-sea --aggregator-host aggregator.example.org \\
        --publisher-host releases.example.org --authority /media/usb/north-sea

  With the servers' records in PostgreSQL:
    $ consilium init --store postgres://consilium@db.example.org/consilium --store-password-file db-password

Then:
    $ consilium serve aggregator
    $ consilium serve publisher
    $ consilium invite st-mary`,
    );
  program.verb<[InitOptions]>(command, init);
}

function port(flags: string, description: string, fallback: number): Option {
  return new Option(flags, description).argParser(portOption).default(fallback);
}

async function init(session: Session, options: InitOptions): Promise<undefined> {
  const plan: FederationPlan = {
    name: unwrap(parseFederation(options.name)),
    folders: {
      authority: options.authority === undefined ? session.home.authority : session.path(options.authority),
      aggregator: session.home.aggregator,
      publisher: session.home.publisher,
    },
    aggregator: {
      hosts: hosts(options.aggregatorHost, "--aggregator-host"),
      grpcPort: options.grpcPort,
      httpPort: options.httpPort,
      listen: listen(options.listen, "--listen"),
      httpListen: listen(options.httpListen, "--http-listen"),
    },
    publisher: {
      hosts: hosts(options.publisherHost, "--publisher-host"),
      grpcPort: options.publisherGrpcPort,
      httpPort: options.publisherHttpPort,
      listen: listen(options.listen, "--listen"),
      httpListen: listen(options.listen, "--listen"),
    },
    publicUrl: options.publicUrl === undefined ? null : parseHttpUrl(options.publicUrl, "--public-url"),
    contact: options.contact ?? null,
    store: storePlan(session, options),
    now: Date.now(),
  };
  const made = await createFederation(plan);
  const { folders } = plan;
  const tokenFile = join(folders.aggregator, "operator-token");
  if (session.json) {
    session.printJson({
      federation: plan.name,
      rootFingerprint: made.rootFingerprint,
      authority: folders.authority,
      aggregator: folders.aggregator,
      publisher: folders.publisher,
      operatorTokenFile: tokenFile,
    });
    return;
  }
  const { strong, caution, accent, good } = session.style;
  session.print(`${good("Created")} the federation ${strong(plan.name)}.

  authority    ${folders.authority}
  aggregator   ${folders.aggregator}
  publisher    ${folders.publisher}
  root         SHA-256 ${made.rootFingerprint}

${caution("Move the authority folder away now")} to offline storage, and keep a second copy:
anyone with its root-key.pem can certify sites. Only \`consilium expel\`, \`consilium expelled renew\`,
\`consilium renew issuing\` and \`consilium standby\` need it again.
Analysts verify releases with its root.pem, which is public.

Next:
  ${accent("consilium serve aggregator")}
  ${accent("consilium serve publisher")}
  ${accent("consilium invite <site>")}      for each hospital`);
  return;
}

function storePlan(session: Session, options: InitOptions): FederationPlan["store"] {
  const { store, storePasswordFile } = options;
  if (store === undefined) {
    if (storePasswordFile === undefined) return null;
    throw new ConsiliumError("USAGE", "--store-password-file requires --store");
  }
  unwrap(parsePostgresUrl(store));
  return {
    url: store,
    passwordFile: storePasswordFile === undefined ? null : session.path(storePasswordFile),
  };
}

const hostName = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}))*$/;

function hosts(given: readonly string[] | undefined, option: string): readonly string[] {
  return given === undefined ? ["localhost"] : certificateHosts(given, option);
}

/** @throws ConsiliumError USAGE if one is not a host name or IP address */
export function certificateHosts(given: readonly string[], option: string): readonly string[] {
  for (const host of given) {
    if (isIP(host) === 0 && !hostName.test(host)) {
      throw new ConsiliumError("USAGE", `${option} ${host} is not a host name or IP address`, {
        remedy: "give it without scheme and port, such as aggregator.example.org",
      });
    }
  }
  return given;
}

function listen(given: string | undefined, option: string): string | null {
  if (given === undefined) return null;
  if (isIP(given) !== 0) return given;
  throw new ConsiliumError("USAGE", `${option} ${given} is not an IP address`, {
    remedy: "give the address of an interface, such as 127.0.0.1, or 0.0.0.0 for all",
  });
}
