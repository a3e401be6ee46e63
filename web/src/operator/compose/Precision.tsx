import { type Column, DataTable } from "../../shared/components";
import { locale, t } from "../../shared/language";
import { ExpectedRows } from "./ExpectedRows";
import { useForm } from "./fields";
import {
  isOfPatients,
  type PrecisionLine,
  type PrecisionOfCase,
  precisionTable,
  smallestGroup,
} from "./preview/precision";
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
      <ExpectedRows known={precision.knownRows} />
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
      {expected === null ? null : expected.length === 0 ? (
        <p className="muted">
          {t(
            "The plan states no figure for this question: see its warnings, and the intervals of the release.",
          )}
        </p>
      ) : (
        <Cases cases={expected} />
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
        { title: t("Result, within at 95 %"), cell: ({ what }) => what },
        ...cases.map((one, at) => ({
          title: titleOf(one, units),
          cell: ({ within }: PrecisionLine) => within[at] ?? "-",
          number: true,
        })),
      ]
    : [
        { title: t("Result"), cell: ({ what }) => what },
        { title: t("Within, at 95 %"), cell: ({ within }) => within[0], number: true },
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
      {smallest === null ? null : (
        <p>
          {t("Smallest group that shows: more than {count}. A smaller one cannot be told from none.", {
            count: smallest,
          })}
        </p>
      )}
      <p className="muted">
        {t("Computed as the release's intervals are, for rows whose values spread evenly.")}
      </p>
    </>
  );
}

function titleOf({ rows, rowsPerSite }: PrecisionOfCase, units: "patients" | "rows"): string {
  const each = (rowsPerSite ?? rows).toLocaleString(locale());
  return units === "patients"
    ? t("{each} patients a hospital", { each })
    : t("{each} rows a hospital", { each });
}
