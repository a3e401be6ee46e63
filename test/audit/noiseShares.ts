import { unwrap } from "@consilium/core/result";
import { noiseShares, studyOnRoster } from "@consilium/core/study/onRoster";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { awaited, openSum, requestFor, stepAggregator } from "@consilium/secure-sum/aggregator";
import type { SurvivorProof } from "@consilium/secure-sum/messages";
import { messageOf, noBroadcasts, testPlace, testSites } from "../../secure-sum/testing/sum.js";
import type { Finding } from "./runAudit.js";

/**
 * What the sizing of noise rests on: an honest site reveals nothing of a sum over fewer sites than the noise is sized for
 * and the colluding ones together. An aggregator that lies names ever fewer survivors to a site's own machine.
 */
export interface Sizing {
  readonly sites: number;
  readonly minimumSites: number;
  readonly tolerateColluding: number;
}

export const sizings: readonly Sizing[] = [
  { sites: 3, minimumSites: 3, tolerateColluding: 1 },
  { sites: 5, minimumSites: 3, tolerateColluding: 1 },
  { sites: 6, minimumSites: 5, tolerateColluding: 3 },
  { sites: 10, minimumSites: 4, tolerateColluding: 2 },
  { sites: 12, minimumSites: 9, tolerateColluding: 7 },
  // Above 32 sites masks and shares stay within neighbourhoods.
  { sites: 34, minimumSites: 3, tolerateColluding: 1 },
];

/** The shortest list of survivors, the site itself among them, that a site signs. */
export function fewestSigned({ sites, minimumSites, tolerateColluding }: Sizing): number {
  const place = testPlace({ sites, minimumSites, tolerateColluding });
  const machines = testSites(place, { tolerateColluding });
  const context = { place, broadcastsHash: noBroadcasts };
  const proofs: SurvivorProof[] = [];
  let state = openSum(place);
  while (state.phase === "keys" || state.phase === "shares" || state.phase === "masked") {
    for (const name of awaited(context, state)) {
      const site = machines.find((one) => one.site === name)!;
      const message = messageOf(requestFor(context, state, name));
      const event = message === null ? site.advertise() : site.answer(message);
      if (event.kind === "masked")
        proofs.push({ site: name, transcriptSignature: event.transcriptSignature });
      state = unwrap(stepAggregator(context, state, event));
    }
    state = unwrap(stepAggregator(context, state, { kind: "close" }));
  }
  const [site] = machines;
  const masked = site!.state;
  for (let survivors = 1; survivors < sites; survivors++) {
    // A refusal ends a site's part; here it is as if it had not been asked yet.
    site!.state = masked;
    if (site!.step({ kind: "survivors", survivors: proofs.slice(0, survivors) }).ok) return survivors;
  }
  return sites;
}

function studyOf({ minimumSites, tolerateColluding }: Sizing): Study {
  return unwrap(
    parseStudy({
      name: "audit",
      table: "records",
      analysis: "pca",
      features: ["a", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { minimumSites, tolerateColluding, maxRowsPerSite: 1000 },
      parameters: { components: 1 },
    }),
  );
}

/** For every sizing a line, and one for noise that counts on all sites of the roster, which must be caught. */
export function* noiseShareLines(): Generator<Omit<Finding, "seconds">> {
  for (const sizing of sizings) {
    const { sites, minimumSites, tolerateColluding } = sizing;
    const certain = fewestSigned(sizing) - tolerateColluding;
    const line = (variant: "sound" | "control", shares: number): Omit<Finding, "seconds"> => {
      const holds = certain >= shares;
      return {
        method: "noise-shares",
        variant,
        check: "what leaves",
        subject: `${sites} sites, minimumSites ${minimumSites}, ${tolerateColluding} colluding`,
        what: variant === "sound" ? "the fewest survivors that a site signs" : "noise sized for all sites",
        claimed: `${shares} shares of noise are certain`,
        measured: `${certain}`,
        verdict: holds ? "proved: holds" : "caught",
        asExpected: holds === (variant === "sound"),
        falsePositiveRate: 0,
      };
    };
    yield line("sound", noiseShares(studyOnRoster(studyOf(sizing), sites)));
    const all = sites - tolerateColluding;
    if (all > certain) yield line("control", all);
  }
}
