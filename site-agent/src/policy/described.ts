import { countedFor, type Totals } from "@consilium/gate/account";
import type { Admits, TableNames } from "@consilium/gate/frames";
import { describedBytes, describedTable } from "@consilium/proto/described";
import { accountOf, accountsOf } from "../ledger/accounts.js";
import { epsilonOf, shownDown } from "../ledger/epsilon.js";
import type { KnownTables } from "../tables/knownTables.js";
import { takenTables } from "./leftOut.js";
import type { Budget, Policy } from "./policy.js";

/** Of the hospital, what a greeting under `announce: described` is made from; none of it depends on a record. */
interface Told {
  readonly policy: Policy;
  readonly knownTables: KnownTables;
  /** Of the ledger. */
  readonly totals: Totals;
}

/**
 * What a greeting under `announce: described` has of tables: beside what people wrote of the columns, what the policy lets studies
 * ask, and what is left of each table's budget. Loaded only where a policy says so.
 */
export function describedTables(tables: readonly TableNames[], told: Told) {
  const withBudget = tables.map((table) => ({ ...tellable(table), budget: committedLeft(table.name, told) }));
  const { taken, leftOut } = takenTables(withBudget, { take: describedTable, bytesOf: describedBytes });
  return { told: { tables: taken, admits: admittedBy(told.policy) }, leftOut };
}

/** Names and types alone where more is said of a column than a greeting carries, such as more levels than a study may have. */
function tellable(table: TableNames): TableNames {
  try {
    describedTable(table);
    return table;
  } catch {
    return { ...table, columns: table.columns.map(({ name, type }) => ({ name, type })) };
  }
}

/** ε left when what is committed is spent, rounded down to a tenth: what is reserved would tell of studies that people decide on. */
function committedLeft(table: string, { policy, knownTables, totals }: Told): Budget | null {
  const account = accountOf(policy, knownTables, table);
  if (account === null || account.budget === null) return null;
  const { epsilon, delta } = account.budget;
  const { committed } = countedFor(account, accountsOf(policy, knownTables), totals);
  return { epsilon: Math.max(0, shownDown(epsilon - epsilonOf(committed, delta), 1)), delta };
}

function admittedBy(policy: Policy): Admits {
  const { analyses, variants, perStudy, minimumSites, tolerateColluding, figures, requires } = policy;
  return {
    analyses,
    variants,
    maxEpsilon: perStudy.epsilon ?? 0,
    maxDelta: perStudy.delta ?? 0,
    minimumSites,
    tolerateColluding,
    perHospital: figures.perHospital,
    requires,
  };
}
