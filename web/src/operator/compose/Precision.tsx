import { DataTable } from "../../shared/components";
import { t } from "../../shared/language";
import { isRecord } from "../../shared/yaml/values";
import { useForm } from "./fields";
import { hasBins, precisionLines, smallestGroup } from "./preview/precision";
import { FaultLink } from "./Steps";
import type { DraftPrecision } from "./usePrecision";

/** Lines that are shown at once. */
const linesShown = 10;
/** Faults that are named. */
const faultsShown = 3;

/** What precision to expect at this ε; it stays while another column is unfinished. */
export function Precision({ precision }: { readonly precision: DraftPrecision }) {
  const { expected, without, faults } = precision;
  return (
    <section className="precision" aria-live="polite" aria-label={t("Precision to expect")}>
      <h3>{t("Precision to expect")}</h3>
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
        <Lines expected={expected} />
      )}
    </section>
  );
}

function Missing({ precision: { faults } }: { readonly precision: DraftPrecision }) {
  if (faults.length === 0) return null;
  return (
    <ul>
      {faults.slice(0, faultsShown).map((fault) => (
        <li key={`${fault.path} ${fault.message}`}>
          <FaultLink fault={fault} />
        </li>
      ))}
      {faults.length > faultsShown ? (
        <li>{t("and {count} more", { count: faults.length - faultsShown })}</li>
      ) : null}
    </ul>
  );
}

function Lines({ expected }: { readonly expected: NonNullable<DraftPrecision["expected"]> }) {
  const { value } = useForm();
  const lines = precisionLines(expected);
  const smallest = smallestGroup(expected);
  const participation = isRecord(value.participation) ? value.participation : {};
  const table = (shown: typeof lines) => (
    <DataTable
      caption={t("Precision to expect")}
      hideCaption
      columns={[
        { title: t("Result"), cell: ({ what }) => what },
        { title: t("Within, at 95 %"), cell: ({ within }) => within, number: true },
        { title: t("Rows"), cell: ({ rows }) => rows, number: true },
      ]}
      rows={shown}
      keyOf={({ what }) => what}
    />
  );
  const more = lines.slice(linesShown);
  return (
    <>
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
      {hasBins(expected) ? (
        <p>
          {t(
            "A mean is counted by bins. Where values do not spread evenly in them, it can be off by as much as is said beside it: narrower bins make that less.",
          )}
        </p>
      ) : null}
      <p className="muted">
        {t("Computed as the release's intervals are, for rows whose values spread evenly.")}{" "}
        {participation.expectedRows === undefined
          ? t(
              "The number of rows is half of the most that the sites may have: step 4 takes the number that you expect.",
            )
          : null}
      </p>
    </>
  );
}
