import { findingsOf } from "@consilium/core/hospital/findings";
import type { LeftOutRows, SeenColumn, TableExamination } from "@consilium/core/hospital/tableExamination";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField } from "../../shared/choices";
import {
  Badge,
  Card,
  CodeBlock,
  DataTable,
  Facts,
  FailureNotice,
  Loaded,
  Notice,
} from "../../shared/components";
import { locale, served, t } from "../../shared/language";
import { hospital } from "../api";

/** A table by itself, before any study reads it. */
export function TableCheck() {
  const query = useQuery({ queryKey: ["status"], queryFn: hospital.status });
  const [chosen, setChosen] = useState<string | null>(null);
  const read = useMutation({ mutationFn: hospital.tableCheck });
  return (
    <Card title={t("The table by itself")}>
      <Loaded query={query} what={t("the tables")}>
        {({ tables: [first, ...others] }) =>
          first === undefined ? (
            <p>{t("No table is configured.")}</p>
          ) : (
            <>
              <SelectField
                label={t("Table")}
                value={chosen ?? first}
                options={[first, ...others].map((name) => [name, name] as const)}
                onChange={setChosen}
              />
              <div className="actions">
                <button type="button" disabled={read.isPending} onClick={() => read.mutate(chosen ?? first)}>
                  {read.isPending ? t("Reading…") : t("Check the table")}
                </button>
              </div>
            </>
          )
        }
      </Loaded>
      {read.isPending ? <p role="status">{t("A large table takes several minutes…")}</p> : null}
      {read.error === null ? null : <FailureNotice error={read.error} />}
      {read.data === undefined ? null : <Checked found={read.data} />}
    </Card>
  );
}

function Checked({ found }: { readonly found: TableExamination }) {
  const { fault, problems, remarks, rows, malformed, written, csv } = found;
  if (fault !== null)
    return (
      <Notice tone="bad" title={t("The table cannot be read.")}>
        <p>{served(fault.message)}</p>
        <p>{served(fault.remedy)}</p>
      </Notice>
    );
  const entries = [...(csv === null ? [] : [{ csv }]), ...remarks.flatMap(({ entry }) => entry ?? [])];
  const isWell = problems.length === 0 && remarks.length === 0;
  return (
    <>
      <Notice
        tone={isWell ? "ok" : "warn"}
        title={isWell ? t("No problem was found.") : t("Check these points.")}
      >
        {findingsOf(found).map((about) => (
          <p key={about}>{served(about)}</p>
        ))}
      </Notice>
      <Facts
        of={[
          [t("Rows"), rows === null ? t("not counted") : counted(rows)],
          [t("Unreadable"), malformed === 0 ? null : counted(malformed)],
          [t("Encoding"), written?.encoding ?? null],
          [
            t("Delimiter"),
            written === null ? null : written.delimiter === "\t" ? t("tab") : written.delimiter,
          ],
        ]}
      />
      {entries.length === 0 ? null : (
        <>
          <p>
            {t("Keys for the table's entry in config.yaml; `consilium site table test --write` writes them:")}
          </p>
          <CodeBlock
            code={entries.map((entry) => JSON.stringify(entry)).join("\n")}
            label={t("Keys of the table's entry")}
          />
        </>
      )}
      <Seen found={found} />
    </>
  );
}

/** Levels and dates as they are written, and rows that are left out beside the others. */
export function Seen({ found: { columns, leftOut } }: { readonly found: TableExamination }) {
  return (
    <>
      {leftOut === null || leftOut.columns.length === 0 ? null : <LeftOut of={leftOut} />}
      <details>
        <summary>{t("Columns|of a table")}</summary>
        <DataTable
          caption={t("Columns|of a table")}
          columns={[
            { title: t("Column"), cell: (column) => column.name },
            { title: t("Type"), cell: (column) => column.type },
            { title: t("Seen|in a column"), cell: seenText },
          ]}
          rows={columns}
          keyOf={(column) => column.name}
        />
      </details>
    </>
  );
}

function seenText({ levels, others, dates }: SeenColumn): string {
  if (dates !== null) return t("{first} to {last}, as {format}", { ...dates, format: dates.format });
  const shown = levels.map(({ text, cells, declared }) =>
    declared === false
      ? t("{text}: {cells} (not declared)", { text, cells: counted(cells) })
      : `${text}: ${counted(cells)}`,
  );
  if (levels.length > 0 && others > 0) shown.push(t("others: {cells}", { cells: counted(others) }));
  return shown.join(", ");
}

function LeftOut({ of: { rows, others, columns } }: { readonly of: LeftOutRows }) {
  const value = (text: string | null, of: number) =>
    text === null
      ? of.toLocaleString(locale(), { maximumSignificantDigits: 4 })
      : of.toLocaleString(locale(), { style: "percent" });
  return (
    <DataTable
      caption={t("{rows} rows with a cell that cannot be read, beside {others} others", {
        rows: counted(rows),
        others: counted(others),
      })}
      columns={[
        {
          title: t("Column"),
          cell: ({ name, text }) =>
            text === null ? t("{name}, mean", { name }) : t("{name}, share of {text}", { name, text }),
        },
        { title: t("These rows"), number: true, cell: ({ text, left }) => value(text, left) },
        { title: t("The others"), number: true, cell: ({ text, others: other }) => value(text, other) },
        {
          title: t("Difference"),
          cell: ({ isApart }) => (isApart ? <Badge tone="warn">{t("more than chance")}</Badge> : null),
        },
      ]}
      rows={columns}
      keyOf={({ name }) => name}
    />
  );
}

const counted = (value: number) => value.toLocaleString(locale());
