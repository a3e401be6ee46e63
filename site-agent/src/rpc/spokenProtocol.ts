import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256 } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import { nameOf } from "@consilium/core/said";
import type { SiteSays } from "@consilium/words/says/site";
import type { SiteRecords } from "../studies/records.js";

const fault = faults<SiteSays>();

/**
 * Why a site does not speak the protocol that an aggregator chose; null where it does.
 * @param spoken - the highest that it spoke with an aggregator of this federation, null before the first
 * @returns PROTOCOL_VERSION for one that it does not speak, PROTOCOL_DOWNGRADED for a lower one than `spoken`
 */
export function protocolFault(
  { protocol, software }: { readonly protocol: number; readonly software: string },
  site: {
    readonly lowest: number;
    readonly highest: number;
    readonly software: string;
    readonly spoken: number | null;
  },
): ConsiliumError | null {
  const { lowest, highest, spoken } = site;
  const chosen = { software: nameOf(software), protocol };
  if (protocol < lowest || protocol > highest) {
    const own = { site: nameOf(site.software), low: lowest, high: highest };
    const older = protocol > highest ? "line.site-older" : "line.aggregator-older";
    return fault("PROTOCOL_VERSION", older, { ...chosen, ...own });
  }
  if (spoken === null || protocol >= spoken) return null;
  return fault("PROTOCOL_DOWNGRADED", "line.downgraded", { ...chosen, spoken });
}

/**
 * The highest protocol that this site spoke under a federation's root, kept in its store: an aggregator, or anyone between,
 * cannot lead it back to a protocol that protects less. Only a person at the hospital can.
 */
export class SpokenProtocol {
  readonly #records: Pick<SiteRecords, "fact" | "setFact">;
  readonly #name: string;

  /** @param root - fingerprint of the pinned root certificate */
  constructor(records: Pick<SiteRecords, "fact" | "setFact">, root: Sha256) {
    this.#records = records;
    this.#name = `protocol ${root}`;
  }

  get highest(): number | null {
    const kept = this.#records.fact(this.#name);
    return kept === null ? null : Number(Buffer.from(kept).toString());
  }

  /** Durable before anything is done in this protocol. @param protocol - one without a `protocolFault` */
  spoke(protocol: number): void {
    if (protocol !== this.highest) this.#keep(protocol);
  }

  /**
   * A person accepts that the federation's aggregator speaks an older protocol.
   * @returns the protocol that was kept
   * @throws ConsiliumError USAGE for one that is not older, or that this software does not speak
   */
  accept(protocol: number): number {
    const { lowest, highest } = protocolVersions;
    const spoken = this.highest;
    if (spoken === null || protocol >= spoken || protocol < lowest || protocol > highest)
      throw fault("USAGE", "line.not-older", { protocol, low: lowest, high: highest, spoken });
    this.#keep(protocol);
    return spoken;
  }

  #keep(protocol: number): void {
    this.#records.setFact(this.#name, Buffer.from(`${protocol}`));
  }
}
