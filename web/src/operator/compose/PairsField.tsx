import { rich, t } from "../../shared/language";
import { isRecord } from "../../shared/yaml/values";
import { fieldId, textOf, useForm } from "./fields";

type Pair = readonly [first: string, second: string];

/** Two-way tables to count: pairs of columns, in the file's order. */
export function PairsField() {
  const { value, change, faultAt } = useForm();
  const path = ["parameters", "tables"];
  const columns = (Array.isArray(value.features) ? value.features : []).flatMap((one: unknown) =>
    isRecord(one) && typeof one.name === "string" ? [one.name] : [],
  );
  const pairs = pairsOf(isRecord(value.parameters) ? value.parameters.tables : undefined);
  const put = (next: readonly Pair[]) => change(path, next.length === 0 ? undefined : next);
  const fault = faultAt(path);
  return (
    <fieldset id={fieldId(path)} tabIndex={-1}>
      <legend>{t("Two-way tables")}</legend>
      <p className="hint">{t("Each counts all combinations of two columns, such as age by sex.")}</p>
      {fault === null ? null : <p className="fault">{fault}</p>}
      {pairs.map((pair, index) => {
        const about = t("two-way table {index}", { index: index + 1 });
        const own = faultAt([...path, index]);
        const side = (at: 0 | 1, what: string) => (
          <select
            {...(at === 0 ? { id: fieldId([...path, index]) } : {})}
            aria-label={t("{what} column of {about}", { what, about })}
            aria-invalid={own !== null}
            value={pair[at]}
            onChange={({ target }) =>
              put(pairs.map((one, i) => (i === index ? replaced(one, at, target.value) : one)))
            }
          >
            {columns.includes(pair[at]) ? null : (
              <option value={pair[at]}>{rich("{pair} (not declared)", { pair: pair[at] })}</option>
            )}
            {[...new Set(columns)].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        );
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pair is its place in the file
          <div className="pair" key={index}>
            {side(0, t("First"))}
            <span>{t("by")}</span>
            {side(1, t("Second"))}
            <button
              type="button"
              data-kind="quiet"
              aria-label={t("Remove {about}", { about })}
              onClick={() => put(pairs.filter((_, i) => i !== index))}
            >
              ✕
            </button>
            {own === null ? null : <span className="fault">{own}</span>}
          </div>
        );
      })}
      <button
        type="button"
        disabled={columns.length < 2}
        onClick={() => put([...pairs, nextPair(columns, pairs)])}
      >
        {t("Add two-way table")}
      </button>
    </fieldset>
  );
}

function pairsOf(value: unknown): Pair[] {
  return (Array.isArray(value) ? value : []).map((one: unknown): Pair => {
    const [first, second] = Array.isArray(one) ? one : [];
    return [textOf(first), textOf(second)];
  });
}

const replaced = ([first, second]: Pair, at: 0 | 1, name: string): Pair =>
  at === 0 ? [name, second] : [first, name];

/** The first two columns that are no pair yet; the first two at all where every pair is there. */
function nextPair(columns: readonly string[], pairs: readonly Pair[]): Pair {
  const keyOf = (pair: Pair) => [...pair].sort().join("\n");
  const there = new Set(pairs.map(keyOf));
  for (const [i, second] of columns.entries())
    for (const first of columns.slice(0, i)) if (!there.has(keyOf([first, second]))) return [first, second];
  return [columns[0]!, columns[1]!];
}
