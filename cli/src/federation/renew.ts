import { access } from "node:fs/promises";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import type { Issuer } from "@consilium/runtime/identity/authority";
import { loadIssuer } from "@consilium/runtime/identity/authorityFiles";
import { Argument, type Command } from "commander";
import { collect } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import type { ServerRole } from "./certifyServer.js";
import { certificateHosts } from "./init.js";
import { renewIssuer, renewServer } from "./renewServers.js";

interface RenewOptions {
  readonly authority?: string;
  readonly aggregator?: string;
  readonly publisher?: string;
  readonly host?: readonly string[];
}

interface Renewed {
  readonly what: ServerRole;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

export function addRenew(program: Program, parent: Command): void {
  const command = parent
    .command("renew")
    .summary("renew the servers' certificates")
    .description(
      "Renews certificates that are not renewed automatically: a server's, with a new TLS key, or the issuing key and with it " +
        "both servers' certificates. Sites renew their own while their agents run.\n\n" +
        "A server's certificate is issued by the key in the aggregator's folder. Only the issuing key needs the root key: " +
        "connect the authority folder, run this, and disconnect it again. The processes use the new certificates after a " +
        "restart; old certificates stay valid.",
    )
    .addArgument(
      new Argument("<what>", "the certificate to renew").choices(["issuing", "aggregator", "publisher"]),
    )
    .option(
      "--authority <folder>",
      "for the issuing key: the folder with root-key.pem (default: <home>/authority)",
    )
    .option("--aggregator <folder>", "the aggregator's state folder (default: <home>/aggregator)")
    .option("--publisher <folder>", "the publisher's state folder (default: <home>/publisher)")
    .option(
      "--host <host>",
      "for a server: names and addresses that replace the current ones; repeatable",
      collect,
    )
    .addHelpText(
      "after",
      `
Examples:
  $ consilium renew aggregator
  $ consilium renew publisher --host publisher.example.org --host releases.example.org
  $ consilium renew issuing --authority /media/usb/north-sea`,
    );
  program.verb<["issuing" | ServerRole, RenewOptions]>(command, renew);
}

async function renew(
  session: Session,
  what: "issuing" | ServerRole,
  options: RenewOptions,
): Promise<undefined> {
  const folders = {
    aggregator: options.aggregator === undefined ? session.home.aggregator : session.path(options.aggregator),
    publisher: options.publisher === undefined ? session.home.publisher : session.path(options.publisher),
  };
  const now = Date.now();
  const hosts = options.host === undefined ? null : certificateHosts(options.host, "--host");
  const renewed: Renewed[] = [];
  const server = async (role: ServerRole, issuer: Issuer) => {
    const { notAfter } = await renewServer(folders[role], role, { issuer, hosts, now });
    renewed.push({ what: role, notAfter });
  };
  if (what === "issuing") {
    const authority =
      options.authority === undefined ? session.home.authority : session.path(options.authority);
    const issuer = await renewIssuer(folders.aggregator, authority, now);
    await server("aggregator", issuer);
    if (await isThere(join(folders.publisher, "identity"))) await server("publisher", issuer);
    else session.note(`No publisher in ${folders.publisher}: run this on the machine with its folder.`);
  } else {
    await server(what, unwrap(await loadIssuer(join(folders.aggregator, "issuing"))));
  }
  const told = renewed.map((one) => ({ ...one, notAfter: new Date(one.notAfter).toISOString() }));
  if (session.json) {
    session.printJson({ issuing: what === "issuing", servers: told });
    return;
  }
  if (what === "issuing") session.print(`${session.style.good("Renewed")} the issuing key.`);
  for (const one of told)
    session.print(`${session.style.good("Renewed")} ${one.what}, until ${one.notAfter}.`);
  session.print("Restart the processes to use them.");
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
