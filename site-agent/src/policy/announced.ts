import { maxColumnNameLength, maxColumnsPerTable, maxTables } from "@consilium/core/limits";
import type { TableNames } from "@consilium/gate/frames";
import type { DeclaredTable } from "../data/schema.js";
import { columnRuleOf, type Permissions } from "./judge.js";
import { populationOf } from "./policy.js";

/**
 * What the greeting says of this hospital's tables: those that some study could use under the policy, with those of
 * their declared columns that it could name, as far as `announce` of the policy lets it. It depends on policy,
 * configuration and schemas, never on a record.
 * @param declared - `Tables.declared()`
 * @param permissions - null while the policy cannot be read: then every study is refused, and nothing is announced
 */
export function announcedTables(
  declared: readonly DeclaredTable[],
  permissions: Pick<Permissions, "policy" | "allowNoPrivacy"> | null,
): TableNames[] {
  if (permissions === null) return [];
  const { policy, allowNoPrivacy } = permissions;
  if (policy.announce === "nothing") return [];
  if (policy.analyses.length === 0 || (policy.variants.length === 0 && !allowNoPrivacy)) return [];
  return declared.slice(0, maxTables).flatMap(({ name, columns }) => {
    if (populationOf(policy, name) === null) return [];
    const isAllowed = columnRuleOf(policy, name);
    const usable = columns.filter(
      (column) => column.name.length <= maxColumnNameLength && isAllowed(column.name),
    );
    const rule = Object.hasOwn(policy.columns, name) ? policy.columns[name] : undefined;
    if (rule?.allow?.length === 0 || (columns.length > 0 && usable.length === 0)) return [];
    if (policy.announce === "tables") return [{ name, columns: [] }];
    const told = usable.slice(0, maxColumnsPerTable);
    if (policy.announce === "described") return [{ name, columns: [...told] }];
    return [{ name, columns: told.map((column) => ({ name: column.name, type: column.type })) }];
  });
}
