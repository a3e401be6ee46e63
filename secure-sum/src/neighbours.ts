import { sha256 } from "./crypto/hash.js";
import type { SiteId } from "./ids.js";
import { remembering } from "./remembering.js";
import type { SumPlace } from "./transcript.js";

/** Who masks and shares with whom in one sum: the same for every stage and attempt of a roster. */
export interface Neighbourhoods {
  /** H: the site itself and its neighbours, by id. A share's index is a holder's place here, counted from 1. */
  around(site: SiteId): readonly SiteId[];
  /** The share index of `holder` in the neighbourhood of `owner`; 0 when it is outside. */
  indexIn(owner: SiteId, holder: SiteId): number;
}

/**
 * The complete graph, or the circulant graph in which each site's neighbours are the `degree`/2 before and after it on
 * a cycle [BBG20, section 3; a Harary graph]. The order of the cycle spreads the sites of one region or vendor; no
 * guarantee rests on it, so it is a public function of the roster.
 */
export const neighbourhoods = remembering(({ roster, parameters }: SumPlace): Neighbourhoods => {
  const sites = roster.members.map((member) => member.site);
  const { graph } = parameters;
  const near =
    graph.kind === "complete"
      ? new Map(sites.map((site) => [site, sites] as const))
      : onCycle(cycleOrder(sites, roster.hash), graph.degree);
  const around = (site: SiteId) => {
    const sitesAround = near.get(site);
    if (sitesAround === undefined) throw new RangeError(`site ${site} is not on the roster`);
    return sitesAround;
  };
  const places = remembering((all: readonly SiteId[]) => new Map(all.map((site, at) => [site, at + 1])));
  return { around, indexIn: (owner, holder) => places(around(owner)).get(holder) ?? 0 };
});

function onCycle(order: readonly SiteId[], degree: number): ReadonlyMap<SiteId, readonly SiteId[]> {
  const half = degree / 2;
  if (!Number.isInteger(half) || half < 1 || degree >= order.length - 1)
    throw new RangeError(`no circulant graph of degree ${degree} on ${order.length} sites`);
  const cycle = [...order, ...order, ...order];
  return new Map(
    order.map((site, at) => {
      const first = at - half + order.length;
      return [site, cycle.slice(first, first + degree + 1).sort(byId)];
    }),
  );
}

/** A public permutation of the sites: Fisher-Yates over SHA-256 in counter mode, keyed by the roster's hash. */
export function cycleOrder(sites: readonly SiteId[], seed: string): readonly SiteId[] {
  const order = [...sites].sort(byId);
  const below = uniformBelow(seed);
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Uniform integers below a bound, from 32-bit words of which those that would favour small results are passed over. */
function uniformBelow(seed: string): (bound: number) => number {
  let block = new DataView(new ArrayBuffer(0));
  let at = 0;
  let counter = 0;
  const nextWord = (): number => {
    if (at === block.byteLength) {
      const bytes = Buffer.from(sha256(`consilium sum cycle v1\n${seed}\n${counter++}`), "hex");
      block = new DataView(new Uint8Array(bytes).buffer);
      at = 0;
    }
    at += 4;
    return block.getUint32(at - 4);
  };
  return (bound) => {
    const limit = 2 ** 32 - (2 ** 32 % bound);
    let word = nextWord();
    while (word >= limit) word = nextWord();
    return word % bound;
  };
}

/** Ids compare as their bytes do; they are ASCII. */
export function byId(a: SiteId, b: SiteId): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
