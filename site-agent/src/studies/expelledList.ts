import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { ExpelledListView } from "@consilium/core/hospital/statusViews";
import { unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import { formatDuration } from "@consilium/core/units";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import { verifyConfirmation } from "@consilium/runtime/identity/revocationsConfirmation";
import type { RevocationList } from "@consilium/runtime/identity/revoked";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { SiteRecords } from "./records.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

/** A state folder may be enrolled into another federation later: each one's list is kept under its own root key. */
const factsOf = (rootPem: string) => {
  const root = sha256(rootPem).slice(0, 16);
  return { list: `revocations ${root}`, confirmation: `revocations confirmation ${root}` };
};
/** Of earlier versions, which knew one federation. */
const earlierListFact = "revocations";

interface ExpelledListContext {
  readonly records: Pick<SiteRecords, "fact" | "setFact" | "transaction">;
  readonly rootPem: string;
  /** A list that was not confirmed for so long stops new studies. */
  readonly maxAgeMs: number;
  readonly now: () => number;
}

/**
 * The list of expelled sites that this site knows, and when the aggregator confirmed last that it is the newest. Both are
 * signed: the list and its dates by the root key, the confirmation by the issuing key. Anyone who keeps a newer list back
 * must stop confirming, or sign a false statement.
 */
export class ExpelledList {
  readonly #context: ExpelledListContext;
  #bytes: Uint8Array | null = null;
  #list: RevocationList | undefined;
  #confirmedAt: number | null = null;

  /** @throws ConsiliumError REVOCATIONS_INVALID when the stored list was tampered with */
  constructor(context: ExpelledListContext) {
    this.#context = context;
    const { records, rootPem, now } = context;
    const facts = factsOf(rootPem);
    const own = records.fact(facts.list);
    const bytes = own ?? records.fact(earlierListFact);
    if (bytes === null) return;
    const verified = verifyRevocations(bytes, { rootPem, knownSequence: 0 });
    // The one list of an earlier version may be that of another federation.
    if (own === null && !verified.ok) return;
    this.#bytes = bytes;
    this.#list = unwrap(verified);
    const confirmation = records.fact(facts.confirmation);
    if (confirmation === null) return;
    const { sequence } = this.#list;
    // One of the list before this one confirms nothing.
    const confirmed = verifyConfirmation(
      confirmation,
      { bytes: this.#bytes, sequence },
      { rootPem, now: now() },
    );
    if (confirmed.ok) this.#confirmedAt = confirmed.value;
  }

  get list(): RevocationList | undefined {
    return this.#list;
  }

  /**
   * Takes what the aggregator sent: durable when this returns.
   * @throws ConsiliumError REVOCATIONS_INVALID or REVOCATIONS_STALE; what was known stays then
   */
  take(bytes: Uint8Array, confirmation: Uint8Array): void {
    const { records, rootPem, now } = this.#context;
    const knownSequence = this.#list?.sequence ?? 0;
    const list = unwrap(verifyRevocations(bytes, { rootPem, knownSequence }));
    const isSame = this.#bytes !== null && Buffer.from(this.#bytes).equals(bytes);
    if (!isSame && list.sequence === knownSequence)
      throw fault("REVOCATIONS_INVALID", "work.lists-differ", { number: knownSequence });
    const confirmedAt = unwrap(
      verifyConfirmation(confirmation, { bytes, sequence: list.sequence }, { rootPem, now: now() }),
    );
    if (isSame && this.#confirmedAt !== null && confirmedAt <= this.#confirmedAt) return;
    records.transaction(() => {
      const facts = factsOf(rootPem);
      if (!isSame) records.setFact(facts.list, bytes);
      records.setFact(facts.confirmation, confirmation);
    });
    this.#bytes = bytes;
    this.#list = list;
    this.#confirmedAt = confirmedAt;
  }

  /** Why no new study may begin under this list; null where nothing is wrong with it. */
  fault(): ConsiliumError | null {
    const { maxAgeMs, now } = this.#context;
    const list = this.#list
      ? said("work.list-number", { number: this.#list.sequence })
      : said("work.list-none", {});
    const confirmedAt = this.#confirmedAt;
    if (confirmedAt === null) return fault("REVOCATIONS_UNCONFIRMED", "work.list-unconfirmed", { list });
    const ageMs = now() - confirmedAt;
    if (ageMs > maxAgeMs) {
      const [age, max] = [nameOf(formatDuration(ageMs)), nameOf(formatDuration(maxAgeMs))];
      return fault("REVOCATIONS_UNCONFIRMED", "work.list-stale", { list, age, max });
    }
    const nextUpdate = this.#list?.dates?.nextUpdate ?? null;
    if (nextUpdate !== null && now() > nextUpdate) {
      const until = nameOf(new Date(nextUpdate).toISOString());
      return fault("REVOCATIONS_EXPIRED", "work.list-expired", { list, until });
    }
    return null;
  }

  /** @throws ConsiliumError REVOCATIONS_UNCONFIRMED or REVOCATIONS_EXPIRED */
  demandInDate(): void {
    const fault = this.fault();
    if (fault !== null) throw fault;
  }

  view(): ExpelledListView {
    const iso = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
    const fault = this.fault();
    return {
      number: this.#list?.sequence ?? null,
      sites: this.#list?.revocations.length ?? 0,
      issuedAt: iso(this.#list?.dates?.issuedAt),
      nextUpdate: iso(this.#list?.dates?.nextUpdate),
      confirmedAt: iso(this.#confirmedAt),
      fault: fault === null ? null : { code: fault.code, message: fault.message, remedy: fault.remedy },
    };
  }
}
