import type { TableExamination } from "@consilium/core/hospital/tableExamination";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField } from "../../shared/choices";
import { Card, CodeBlock, DataTable, Facts, FailureNotice, Loaded, Notice } from "../../shared/components";
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
  const { fault, problems, remarks, rows, malformed, written, columns, csv } = found;
  if (fault !== null)
    return (
      <Notice tone="bad" title={t("The table cannot be read.")}>
        <p>{served(fault.message)}</p>
        <p>{served(fault.remedy)}</p>
      </Notice>
    );
  const count = (value: number) => value.toLocaleString(locale());
  const entries = [...(csv === null ? [] : [{ csv }]), ...remarks.flatMap(({ entry }) => entry ?? [])];
  const isWell = problems.length === 0 && remarks.length === 0;
  return (
    <>
      <Notice
        tone={isWell ? "ok" : "warn"}
        title={isWell ? t("No problem was found.") : t("Check these points.")}
      >
        {[...problems, ...remarks.map(({ line }) => served(line))].map((about) => (
          <p key={about}>{about}</p>
        ))}
      </Notice>
      <Facts
        of={[
          [t("Rows"), rows === null ? t("not counted") : count(rows)],
          [t("Unreadable"), malformed === 0 ? null : count(malformed)],
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
      <details>
        <summary>{t("Columns|of a table")}</summary>
        <DataTable
          caption={t("Columns|of a table")}
          columns={[
            { title: t("Column"), cell: (column) => column.name },
            { title: t("Type"), cell: (column) => column.type },
          ]}
          rows={columns}
          keyOf={(column) => column.name}
        />
      </details>
    </>
  );
}
