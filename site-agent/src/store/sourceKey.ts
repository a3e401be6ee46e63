import type { RandomSource } from "@consilium/core/random";
import type { SiteRecords } from "../studies/records.js";

const fact = "table-source-key";

/**
 * The key of the hashes that stand for tables' sources in the ledger: made once, it stays in the state folder. It keeps
 * paths from anyone who is shown a ledger; to anyone who has the state folder they are no secret.
 */
export function sourceKey(records: Pick<SiteRecords, "fact" | "setFact">, random: RandomSource): Uint8Array {
  const present = records.fact(fact);
  if (present !== null) return present;
  const key = random.bytes(32);
  records.setFact(fact, key);
  return key;
}

/** The same without making one; null where no entry names a source yet. */
export function storedSourceKey(records: Pick<SiteRecords, "fact">): Uint8Array | null {
  return records.fact(fact);
}
