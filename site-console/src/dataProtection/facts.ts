import type { PeopleView } from "@consilium/core/hospital/agentApi";
import type { ProtectionStudy } from "@consilium/core/hospital/dataProtectionViews";
import type { ProtectionFacts } from "@consilium/core/hospital/protectionFacts";
import type { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { siteConsoleSettings } from "@consilium/runtime/http/access/siteConsole";
import { isLoopbackAddress, parseAddress } from "@consilium/runtime/tls/address";
import { protectionStudy } from "./purposes.js";

/** As the agent gives it, or a state folder without one, with who may use the console. */
export interface GivenFacts extends ProtectionFacts {
  /** Counts alone. */
  readonly people: PeopleView;
}

/** Everything that the data-protection document is made from. Nothing of it is a value of a table. */
export interface SiteFacts extends Omit<GivenFacts, "config" | "studies"> {
  readonly config: Omit<ProtectionFacts["config"], "console"> & { readonly console: PagesFacts };
  readonly studies: ProtectionStudy[];
}

/** How the pages are reached. */
interface PagesFacts {
  readonly listen: string;
  readonly publicUrl: string | null;
  /** Whether the console itself speaks TLS. */
  readonly tls: boolean;
  readonly hosts: readonly string[];
  readonly oidcIssuer: string | null;
  /** Where messages to approvers go: addresses, or a receiver's host; empty where none are configured. */
  readonly notified: readonly string[];
}

/** Reads the console's own settings, and the plan of each study. */
export function siteFactsOf(given: GivenFacts, methods: Pick<Methods, "read">): SiteFacts {
  const { listen, publicUrl, hosts, tls, oidc, notifications } = siteConsoleSettings(given.config.console);
  const webhook = notifications?.webhook;
  const notified = [
    ...(notifications?.mail === undefined
      ? []
      : [`${notifications.mail.to.join(", ")} by ${notifications.mail.host}`]),
    ...(webhook === undefined ? [] : [`the webhook at ${new URL(webhook.url).host}`]),
  ];
  const oidcIssuer = oidc?.issuer ?? null;
  const pages = { listen, publicUrl: publicUrl ?? null, tls: tls !== undefined, hosts };
  const console = { ...pages, oidcIssuer, notified };
  return {
    ...given,
    config: { ...given.config, console },
    studies: given.studies.map((asked) => protectionStudy(asked, methods)),
  };
}

/** Whether a study of this site's policy and configuration may send what no proof covers. */
export function allowsUnproved({ policy, config }: Pick<SiteFacts, "policy" | "config">): boolean {
  return policy.variants.includes("paper") || config.allowNoPrivacy;
}

/** Whether nothing but this machine reaches the console. */
export function consoleIsLocal({ config }: Pick<SiteFacts, "config">): boolean {
  const { host } = unwrap(parseAddress(config.console.listen));
  return host === "localhost" || isLoopbackAddress(host);
}
