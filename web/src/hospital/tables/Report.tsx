import type {
  LevelProfile,
  NumericProfile,
  ProfileReportView,
  ProfileView,
} from "@consilium/core/hospital/profileViews";
import { Badge, CodeBlock, DataTable, Facts, Notice } from "../../shared/components";
import { locale, plural, rich, served, t } from "../../shared/language";
import { profileVerdict } from "./profileText";
import { Seen } from "./TableCheck";

export function NeverLeaves() {
  return (
    <Notice tone="ok" title={t("This never leaves the hospital.")}>
      <p>
        {t(
          "The agent reads the table on this machine and shows the result here. It is not sent to the aggregator, to other hospitals or to anyone else, and it does not use any budget.",
        )}
      </p>
    </Notice>
  );
}

export function Report({ profile }: { readonly profile: ProfileView }) {
  const { report, text, flow } = profile;
  const { tone, title, texts } = profileVerdict(profile);
  const { patients } = report;
  const count = (value: number) => value.toLocaleString(locale());
  return (
    <>
      <Notice tone={tone} title={title}>
        {texts.map((about) => (
          <p key={about}>{about}</p>
        ))}
      </Notice>
      <Facts
        of={[
          [
            t("Rows in the table"),
            plural(report.files, "{rows} in {count} file", "{rows} in {count} files", {
              rows: count(report.rows + report.malformed),
            }),
          ],
          [t("Used"), count(report.used)],
          [t("Rejected"), count(report.rejected)],
          [t("Unreadable"), report.malformed === 0 ? null : count(report.malformed)],
          [
            t("Outside the study's cohort"),
            report.outside === null
              ? null
              : t("{rows} excluded, {open} of them because a value is missing", {
                  rows: count(report.outside.rows),
                  open: count(report.outside.open),
                }),
          ],
          [t("Maximum allowed"), count(report.maxRowsPerSite)],
          [
            t("Patients"),
            patients === null
              ? null
              : t("{patients}, by column {column}", {
                  patients: count(patients.patients),
                  column: patients.column,
                }),
          ],
          [
            t("Rows over the limit"),
            patients === null
              ? null
              : t("{overBound} excluded: at most {maxRows} of each patient are used", {
                  overBound: count(patients.overBound),
                  maxRows: patients.maxRows,
                }),
          ],
          [t("Rows without a patient"), patients === null ? null : count(patients.withoutPatient)],
        ]}
      />
      {flow.length === 0 ? null : (
        <>
          <p>
            {t(
              "Counted exactly as the study's first step will count them, before noise is added. The release shows the sum of all hospitals with noise.",
            )}
          </p>
          <ul>
            {flow.map((line) => (
              <li key={line}>{served(line)}</li>
            ))}
          </ul>
        </>
      )}
      <Problems report={report} />
      <Numbers columns={report.columns.filter((column) => column.type === "numeric")} />
      <Levels report={report} />
      <Seen found={report.check} />
      <p className="muted">
        {rich(
          "This page shows no record's value: counts, texts of at least five cells, and means of at least twenty rows that are left out. The owner of the agent's folder can see all means and extremes with {code}.",
          { code: <code>consilium site profile</code> },
        )}
      </p>
      <details>
        <summary>{t("Text version")}</summary>
        <CodeBlock code={text} label={t("The profile as text")} />
      </details>
    </>
  );
}

function Problems({ report }: { readonly report: ProfileReportView }) {
  if (report.problems.length === 0) return null;
  return (
    <DataTable
      caption={t("Correct these before a study can use the table")}
      columns={[
        { title: t("Column"), cell: (problem) => problem.column },
        { title: t("Problem"), cell: (problem) => <code>{problem.code}</code> },
        { title: t("Cells"), number: true, cell: (problem) => problem.count.toLocaleString(locale()) },
        {
          title: t("First at"),
          cell: (problem) =>
            t("row {row}{more}", {
              row: problem.row,
              more: problem.file === null ? "" : t(" of {file}", { file: problem.file }),
            }),
        },
      ]}
      rows={report.problems}
      keyOf={(problem) => `${problem.code} ${problem.column} ${problem.file}`}
    />
  );
}

function Numbers({ columns }: { readonly columns: readonly NumericProfile[] }) {
  if (columns.length === 0) return null;
  return (
    <DataTable
      caption={t("Numeric columns: values outside the declared bounds are clamped to them")}
      columns={[
        {
          title: t("Column"),
          cell: (one) => (
            <>
              {one.unit === null ? one.name : `${one.name} [${one.unit}]`}{" "}
              {one.constant ? <Badge tone="warn">{t("one value only")}</Badge> : null}
            </>
          ),
        },
        {
          title: t("Declared bounds"),
          cell: (one) => t("{min} to {max}", { min: one.declared.min, max: one.declared.max }),
        },
        { title: t("Clamped below"), number: true, cell: (one) => one.below.toLocaleString(locale()) },
        { title: t("Clamped above"), number: true, cell: (one) => one.above.toLocaleString(locale()) },
        { title: t("Missing"), number: true, cell: (one) => one.missing.toLocaleString(locale()) },
        { title: t("Rejects rows"), number: true, cell: (one) => one.rejectedRows.toLocaleString(locale()) },
      ]}
      rows={columns}
      keyOf={(one) => one.name}
    />
  );
}

function Levels({ report }: { readonly report: ProfileReportView }) {
  const columns: LevelProfile[] = report.columns.filter((column) => column.type === "categorical");
  if (report.label !== null)
    columns.push({ ...report.label, name: t("{name} (label)", { name: report.label.name }) });
  if (columns.length === 0) return null;
  return (
    <DataTable
      caption={t("Categories: rows used by level")}
      columns={[
        {
          title: t("Column"),
          cell: (one) => (
            <>
              {one.name} {one.constant ? <Badge tone="warn">{t("one level only")}</Badge> : null}
            </>
          ),
        },
        {
          title: t("Levels"),
          cell: (one) =>
            one.levels.map(({ level, rows }) => `${level}: ${rows.toLocaleString(locale())}`).join(", "),
        },
        { title: t("Undeclared"), number: true, cell: (one) => one.undeclared.toLocaleString(locale()) },
        { title: t("Missing"), number: true, cell: (one) => one.missing.toLocaleString(locale()) },
        { title: t("Rejects rows"), number: true, cell: (one) => one.rejectedRows.toLocaleString(locale()) },
      ]}
      rows={columns}
      keyOf={(one) => one.name}
    />
  );
}
