import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import type { SiteRecords } from "../studies/records.js";

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
  if (protocol < lowest || protocol > highest) {
    return new ConsiliumError(
      "PROTOCOL_VERSION",
      `the aggregator (version ${software}) chose protocol ${protocol}, the site (version ${site.software}) speaks ` +
        `${lowest} to ${highest}: upgrade ${protocol > highest ? "the site" : "the aggregator"}`,
    );
  }
  if (spoken === null || protocol >= spoken) return null;
  return new ConsiliumError(
    "PROTOCOL_DOWNGRADED",
    `the aggregator (version ${software}) chose protocol ${protocol}, and has spoken ${spoken} with this site`,
  );
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
    if (spoken === null || protocol >= spoken || protocol < lowest || protocol > highest) {
      throw new ConsiliumError(
        "USAGE",
        `protocol ${protocol} is not one of ${lowest} to ${highest} that is older than what was spoken, ${spoken ?? "none"}`,
      );
    }
    this.#keep(protocol);
    return spoken;
  }

  #keep(protocol: number): void {
    this.#records.setFact(this.#name, Buffer.from(`${protocol}`));
  }
}
