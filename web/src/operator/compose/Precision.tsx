import type { PrecisionCase } from "@consilium/core/study/expectedPrecision";
import { type Column, DataTable } from "../../shared/components";
import { locale, served, t, upperFirst } from "../../shared/language";
import { ExpectedRows } from "./ExpectedRows";
import { useForm } from "./fields";
import { isOfPatients, type PrecisionLine, precisionTable, smallestGroup } from "./preview/precision";
import { FaultLink } from "./Steps";
import type { DraftPrecision } from "./usePrecision";

/** Lines that are shown at once. */
const linesShown = 10;
/** Faults that are named. */
const faultsShown = 3;

/** What precision to expect at this ε, and for how many rows; it stays while another column is unfinished. */
export function Precision({ precision }: { readonly precision: DraftPrecision }) {
  const { expected, without, faults } = precision;
  return (
    <section className="precision" aria-live="polite" aria-label={t("Precision to expect")}>
      <h3>{t("Precision to expect")}</h3>
      <ExpectedRows known={precision.knownRows} asksEvents={asksEvents(expected ?? [])} />
      {expected === null ? (
        <p className="muted">
          {faults.length === 0
            ? t("It appears once the file is checked.")
            : t("It appears once these are complete:")}
        </p>
      ) : without.length === 0 ? null : (
        <p>{t("Without {columns}, still incomplete:", { columns: without.join(", ") })}</p>
      )}
      <Missing precision={precision} />
      {expected === null ? null : expected.some(({ lines }) => lines.length > 0) ? (
        <Cases cases={expected} />
      ) : (
        <Remarks cases={expected} />
      )}
    </section>
  );
}

function Missing({ precision: { faults } }: { readonly precision: DraftPrecision }) {
  if (faults.length === 0) return null;
  return (
    <ul>
      {faults.slice(0, faultsShown).map((fault) => (
        <li key={`${fault.path} ${fault.words}`}>
          <FaultLink fault={fault} />
        </li>
      ))}
      {faults.length > faultsShown ? (
        <li>{t("and {count} more", { count: faults.length - faultsShown })}</li>
      ) : null}
    </ul>
  );
}

function Cases({ cases }: { readonly cases: NonNullable<DraftPrecision["expected"]> }) {
  const { value } = useForm();
  const all = cases.flatMap(({ lines }) => lines);
  const smallest = smallestGroup(all);
  const isAssumed = cases.some(({ rowsPerSite }) => rowsPerSite !== null);
  const lines = precisionTable(cases);
  const units = isOfPatients(value) ? "patients" : "rows";
  const columns: readonly Column<PrecisionLine>[] = isAssumed
    ? [
        { title: t("Result, likely within at 95 %"), cell: ({ what }) => what },
        ...cases.map((one, at) => ({
          title: titleOf(one, units),
          cell: ({ likely }: PrecisionLine) => likely[at] ?? "-",
          number: true,
        })),
      ]
    : [
        { title: t("Result"), cell: ({ what }) => what },
        { title: t("Likely within, at 95 %"), cell: ({ likely }) => likely[0], number: true },
        { title: t("At best"), cell: ({ best }) => best[0], number: true },
        { title: t("Rows"), cell: ({ rows }) => rows, number: true },
      ];
  const table = (shown: typeof lines) => (
    <DataTable
      caption={t("Precision to expect")}
      hideCaption
      columns={columns}
      rows={shown}
      keyOf={({ what }) => what}
    />
  );
  const more = lines.slice(linesShown);
  return (
    <>
      {isAssumed ? (
        <p>
          {t(
            "These numbers of rows are assumed, because Expected rows is empty: what the study will tell depends on how many rows there are.",
          )}
        </p>
      ) : null}
      {table(lines.slice(0, linesShown))}
      {more.length === 0 ? null : (
        <details>
          <summary>{t("and {count} more", { count: more.length })}</summary>
          {table(more)}
        </details>
      )}
      <Remarks cases={cases} />
      {smallest === null ? null : (
        <p>
          {t("Smallest group that shows: more than {count}. A smaller one cannot be told from none.", {
            count: smallest,
          })}
        </p>
      )}
      <p className="muted">
        {t(
          "Computed as the release's intervals are, over invented rows. Likely: two thirds of a number's values lie in a third of its bounds, columns correlate, categories are uneven and the outcome depends on them. At best: values fill their bounds, and nothing goes with anything. For one figure in five, and two in five of a regression, the release is more than twice as wide or as narrow as is likely.",
        )}
      </p>
    </>
  );
}

/** What follows for the question; of several numbers of rows what holds for the most. */
function Remarks({ cases }: { readonly cases: NonNullable<DraftPrecision["expected"]> }) {
  const remarks = cases.at(-1)?.remarks ?? [];
  if (remarks.length === 0) return null;
  return (
    <ul>
      {remarks.map((remark) => (
        <li key={remark}>{upperFirst(served(remark))}.</li>
      ))}
    </ul>
  );
}

/** Whether precision depends on a number of events that the study does not say. */
const asksEvents = (cases: NonNullable<DraftPrecision["expected"]>) =>
  cases.some(({ remarks }) => remarks.some((remark) => remark.startsWith("forecast.events-assumed ")));

function titleOf(
  { rows, rowsPerSite }: Pick<PrecisionCase, "rows" | "rowsPerSite">,
  units: "patients" | "rows",
): string {
  const each = (rowsPerSite ?? rows).toLocaleString(locale());
  return units === "patients"
    ? t("{each} patients a hospital", { each })
    : t("{each} rows a hospital", { each });
}
