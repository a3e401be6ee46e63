import type { PeopleView } from "@consilium/core/hospital/agentApi";
import { allMethods } from "@consilium/methods-paper/all";
import { protectionFacts } from "@consilium/site-agent/dataProtection/protectionFacts";
import { testFacts } from "@consilium/site-agent/testing/dataProtection/facts";
import { type GivenFacts, type SiteFacts, siteFactsOf } from "@consilium/site-console/dataProtection/facts";

type Given = NonNullable<Parameters<typeof testFacts>[0]> & { readonly people?: PeopleView };

/** A test's facts on their whole way: as the agent has them, as JSON over its socket, with the console's people. */
export function siteFacts({ people, ...given }: Given = {}): SiteFacts {
  const sent = JSON.parse(JSON.stringify(protectionFacts(testFacts(given)))) as GivenFacts;
  return siteFactsOf(
    { ...sent, people: people ?? { administrators: 2, approvers: 1, byProvider: 0, tokens: 0 } },
    allMethods,
  );
}
