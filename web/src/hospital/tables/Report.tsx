import type { LevelProfile, NumericProfile, ProfileReportView } from "@consilium/core/hospital/profileViews";
import { Badge, CodeBlock, DataTable, Facts, Notice } from "../../shared/components";
import { profileVerdict } from "./profileText";

export function NeverLeaves() {
  return (
    <Notice tone="ok" title="This never leaves the hospital.">
      <p>
        The agent reads the table on this machine and shows the result here. It is not sent to the aggregator,
        to other hospitals or to anyone else, and it does not use any budget.
      </p>
    </Notice>
  );
}

export function Report({ report, text }: { readonly report: ProfileReportView; readonly text: string }) {
  const { tone, title, text: about } = profileVerdict(report);
  const { patients } = report;
  const count = (value: number) => value.toLocaleString("en-GB");
  return (
    <>
      <Notice tone={tone} title={title}>
        <p>{about}</p>
      </Notice>
      <Facts
        of={[
          [
            "Rows in the table",
            `${count(report.rows)} in ${count(report.files)} ${report.files === 1 ? "file" : "files"}`,
          ],
          ["Used", count(report.used)],
          ["Rejected", count(report.rejected)],
          [
            "Outside the study's cohort",
            report.outside === null
              ? null
              : `${count(report.outside.rows)} excluded, ${count(report.outside.open)} of them because a value is missing`,
          ],
          ["Maximum allowed", count(report.maxRowsPerSite)],
          [
            "Patients",
            patients === null ? null : `${count(patients.patients)}, by column ${patients.column}`,
          ],
          [
            "Rows over the limit",
            patients === null
              ? null
              : `${count(patients.overBound)} excluded: at most ${patients.maxRows} of each patient are used`,
          ],
          ["Rows without a patient", patients === null ? null : count(patients.withoutPatient)],
        ]}
      />
      <Problems report={report} />
      <Numbers columns={report.columns.filter((column) => column.type === "numeric")} />
      <Levels report={report} />
      <p className="muted">
        This page shows only counts, never a record's value. The owner of the agent's folder can see means and
        extremes with <code>consilium site profile</code>.
      </p>
      <details>
        <summary>Text version</summary>
        <CodeBlock code={text} label="The profile as text" />
      </details>
    </>
  );
}

function Problems({ report }: { readonly report: ProfileReportView }) {
  if (report.problems.length === 0) return null;
  return (
    <DataTable
      caption="Correct these before a study can use the table"
      columns={[
        { title: "Column", cell: (problem) => problem.column },
        { title: "Problem", cell: (problem) => <code>{problem.code}</code> },
        { title: "Cells", number: true, cell: (problem) => problem.count.toLocaleString("en-GB") },
        {
          title: "First at",
          cell: (problem) => `row ${problem.row}${problem.file === null ? "" : ` of ${problem.file}`}`,
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
      caption="Numeric columns: values outside the declared bounds are clamped to them"
      columns={[
        {
          title: "Column",
          cell: (one) => (
            <>
              {one.unit === null ? one.name : `${one.name} [${one.unit}]`}{" "}
              {one.constant ? <Badge tone="warn">one value only</Badge> : null}
            </>
          ),
        },
        { title: "Declared bounds", cell: (one) => `${one.declared.min} to ${one.declared.max}` },
        { title: "Clamped below", number: true, cell: (one) => one.below.toLocaleString("en-GB") },
        { title: "Clamped above", number: true, cell: (one) => one.above.toLocaleString("en-GB") },
        { title: "Missing", number: true, cell: (one) => one.missing.toLocaleString("en-GB") },
        { title: "Rejects rows", number: true, cell: (one) => one.rejectedRows.toLocaleString("en-GB") },
      ]}
      rows={columns}
      keyOf={(one) => one.name}
    />
  );
}

function Levels({ report }: { readonly report: ProfileReportView }) {
  const columns: LevelProfile[] = report.columns.filter((column) => column.type === "categorical");
  if (report.label !== null) columns.push({ ...report.label, name: `${report.label.name} (label)` });
  if (columns.length === 0) return null;
  return (
    <DataTable
      caption="Categories: rows used by level"
      columns={[
        {
          title: "Column",
          cell: (one) => (
            <>
              {one.name} {one.constant ? <Badge tone="warn">one level only</Badge> : null}
            </>
          ),
        },
        {
          title: "Levels",
          cell: (one) =>
            one.levels.map(({ level, rows }) => `${level}: ${rows.toLocaleString("en-GB")}`).join(", "),
        },
        { title: "Undeclared", number: true, cell: (one) => one.undeclared.toLocaleString("en-GB") },
        { title: "Missing", number: true, cell: (one) => one.missing.toLocaleString("en-GB") },
        { title: "Rejects rows", number: true, cell: (one) => one.rejectedRows.toLocaleString("en-GB") },
      ]}
      rows={columns}
      keyOf={(one) => one.name}
    />
  );
}
