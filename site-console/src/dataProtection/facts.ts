import type { PeopleView } from "@consilium/core/hospital/agentApi";
import type { ProtectionFacts } from "@consilium/core/hospital/protectionFacts";
import { unwrap } from "@consilium/core/result";
import { isLoopbackAddress, parseAddress } from "@consilium/runtime/tls/address";

/** Everything that the data-protection document is made from. Nothing of it is a value of a table. */
export interface SiteFacts extends ProtectionFacts {
  /** Who may use the console; counts alone. */
  readonly people: PeopleView;
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
