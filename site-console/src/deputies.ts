import { ConsiliumError } from "@consilium/core/errors";
import type { DeputyView } from "@consilium/core/hospital/deputyViews";
import type { RandomSource } from "@consilium/core/random";
import { AccessRecords } from "@consilium/runtime/store/accessRecords";
import type { Store } from "@consilium/runtime/store/store";
import type { AuditLog } from "./auditLog.js";

interface DeputiesContext {
  readonly store: Store;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly auditLog: Pick<AuditLog, "record">;
}

interface DeputyRecord {
  readonly id: string;
  readonly principal: string;
  readonly deputy: string;
  readonly fromAt: number;
  readonly untilAt: number;
  readonly namedBy: string;
}

const longestMs = 366 * 86_400_000;
const mostDeputies = 200;
const columns = "id, principal, deputy, from_at AS fromAt, until_at AS untilAt, named_by AS namedBy";

/** Who may approve in whose place, and when. It goes with either account. */
export class Deputies {
  readonly #context: DeputiesContext;
  readonly #accounts: AccessRecords;

  constructor(context: DeputiesContext) {
    this.#context = context;
    this.#accounts = new AccessRecords(context.store);
  }

  /** Those of now and of later, the next to end first. */
  list(): DeputyView[] {
    return this.#current().map(viewOf);
  }

  /** @throws ConsiliumError ACCOUNT_UNKNOWN, FIELD_INVALID */
  name(
    given: {
      readonly principal: string;
      readonly deputy: string;
      readonly from: string;
      readonly until: string;
    },
    actor: string,
  ): DeputyView {
    const { store, random, now, auditLog } = this.#context;
    const { principal, deputy } = given;
    for (const name of [principal, deputy])
      if (this.#accounts.account(name) === null)
        throw new ConsiliumError("ACCOUNT_UNKNOWN", `this console has no account ${name}`);
    const made = {
      id: Buffer.from(random.bytes(6)).toString("hex"),
      principal,
      deputy,
      fromAt: Date.parse(given.from),
      untilAt: Date.parse(given.until),
      namedBy: actor,
    };
    const fault = faultOf(made, now(), this.#current().length);
    if (fault !== null) throw new ConsiliumError("FIELD_INVALID", fault);
    store.transaction(() => {
      store.run(
        "INSERT INTO deputies (id, principal, deputy, from_at, until_at, named_by) VALUES (?, ?, ?, ?, ?, ?)",
        made.id,
        principal,
        deputy,
        made.fromAt,
        made.untilAt,
        actor,
      );
      auditLog.record({ actor, kind: "named a deputy", detail: inWords(made) });
    });
    return viewOf(made);
  }

  /**
   * @param isOwn - whether only the actor's own may be removed
   * @throws ConsiliumError ADDRESS_UNKNOWN, NOT_PERMITTED
   */
  remove(id: string, actor: string, isOwn: boolean): void {
    const { store, auditLog } = this.#context;
    const found = this.#current().find((one) => one.id === id);
    if (found === undefined) throw new ConsiliumError("ADDRESS_UNKNOWN", "there is no such deputy");
    if (isOwn && found.principal !== actor) throw notTheirs();
    store.transaction(() => {
      store.run("DELETE FROM deputies WHERE id = ?", id);
      auditLog.record({ actor, kind: "removed a deputy", detail: inWords(found) });
    });
  }

  /** @throws ConsiliumError NOT_PERMITTED unless the account may approve in the other's place now */
  demand(deputy: string, principal: string): void {
    const now = this.#context.now();
    const isOne = this.#current().some(
      (one) => one.deputy === deputy && one.principal === principal && one.fromAt <= now,
    );
    if (isOne) return;
    throw new ConsiliumError("NOT_PERMITTED", `${deputy} is not a deputy of ${principal} now`, {
      remedy: `let ${principal} or an administrator name them, or approve in your own name`,
    });
  }

  #current(): DeputyRecord[] {
    return this.#context.store.all(
      `SELECT ${columns} FROM deputies WHERE until_at > ? ORDER BY until_at, id`,
      this.#context.now(),
    ) as unknown as DeputyRecord[];
  }
}

export function notTheirs(): ConsiliumError {
  return new ConsiliumError("NOT_PERMITTED", "an approver names and removes their own deputies alone", {
    remedy: "ask an administrator",
  });
}

function faultOf({ principal, deputy, fromAt, untilAt }: DeputyRecord, now: number, held: number) {
  if (principal === deputy) return "deputy: nobody is their own deputy";
  if (untilAt <= Math.max(fromAt, now)) return "until: must be later than from, and than now";
  if (untilAt - fromAt > longestMs) return "until: a deputy is named for a year at most";
  return held >= mostDeputies ? `deputy: there are ${mostDeputies} already` : null;
}

const iso = (at: number) => new Date(at).toISOString();
const inWords = ({ principal, deputy, fromAt, untilAt }: DeputyRecord) =>
  `${deputy} for ${principal}, ${iso(fromAt)} to ${iso(untilAt)}`;

function viewOf({ fromAt, untilAt, ...record }: DeputyRecord): DeputyView {
  return { ...record, from: iso(fromAt), until: iso(untilAt) };
}
