import type { StudyQuery } from "@consilium/core/operator/views";
import type { SqlValue } from "@consilium/runtime/store/store";
import type { StudyPage } from "./records.js";

/** Later than any end: a study that runs. The index `studies_by_end` has the same number. */
const notEnded = 9_007_199_254_740_991;
const endedAt = `coalesce(ended_at, ${notEnded})`;

/** By what studies are ordered, then by id. */
export const studyOrders: Readonly<
  Record<StudyQuery["order"], { readonly key: string; readonly direction: "ASC" | "DESC" }>
> = {
  newest: { key: "created_at", direction: "DESC" },
  oldest: { key: "created_at", direction: "ASC" },
  ended: { key: endedAt, direction: "DESC" },
  name: { key: "id", direction: "ASC" },
  longest: { key: `(${endedAt} - created_at)`, direction: "DESC" },
};

/** Of a text, which is canonical JSON: 1 of a study without privacy. A text in it has no bare quotes. */
export const withoutPrivacy = `CASE WHEN text LIKE '%"privacy":"none"%' THEN 1 ELSE 0 END AS withoutPrivacy`;

/** What a list shows, from the table `studies`. */
export const listedColumns = `id, name, analysis, method, variant, status, created_at AS createdAt, ended_at AS endedAt,
  release_url AS releaseUrl, ${withoutPrivacy},
  (SELECT CASE WHEN sum(on_roster) > 0 THEN sum(on_roster) ELSE count(*) END
   FROM participants WHERE participants.study = studies.id) AS sites`;

/** What a page asks for as SQL: a condition, with the values of its question marks. */
export function pageCondition(page: StudyPage): {
  readonly sql: string;
  readonly values: readonly SqlValue[];
} {
  const conditions: string[] = ["1 = 1"];
  const values: SqlValue[] = [];
  const only = (sql: string, ...given: readonly SqlValue[]) => {
    conditions.push(sql);
    values.push(...given);
  };
  const { status, q, name, id, endedSince } = page;
  if (status !== undefined) only(`status IN (${status.map(() => "?").join(", ")})`, ...status);
  for (const column of ["analysis", "method", "variant"] as const)
    if (page[column] !== undefined) only(`${column} = ?`, page[column]);
  const contains = (column: string, text: string) =>
    only(`lower(${column}) LIKE ? ESCAPE '!'`, `%${asWritten(text)}%`);
  for (const word of (q ?? "").split(/\s+/).filter(Boolean))
    contains("id || ' ' || analysis || ' ' || method", word);
  if (name !== undefined) contains("name", name);
  if (id !== undefined) only("id LIKE ? ESCAPE '!'", `${asWritten(id)}%`);
  if (endedSince !== undefined) only(`ended_at >= ?`, endedSince);
  return { sql: conditions.join(" AND "), values };
}

/** A text for LIKE that means itself. Ids and names are in lower case. */
function asWritten(text: string): string {
  return text.toLowerCase().replace(/[!%_]/g, "!$&");
}
