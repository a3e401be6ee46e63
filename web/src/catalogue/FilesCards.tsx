import type { ReleaseView } from "@consilium/core/release/views";
import { CopyButton, DataTable } from "../shared/components";
import { formatBytes } from "../shared/format";
import { plural, rich, Served, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";

type Column = ReleaseView["content"]["columns"][number];

const columnsShown = 200;
const levelsShown = 12;

/** Describes each column of the rows. */
export function DictionaryCard({ columns }: { readonly columns: readonly Column[] }) {
  const shown = columns.slice(0, columnsShown);
  return (
    <AnchoredCard id="dictionary" title={t("Data dictionary")}>
      <DataTable
        caption={plural(
          columns.length,
          "{count} column; no missing values",
          "{count} columns; no missing values",
        )}
        columns={[
          { title: t("Column"), cell: (column) => <code>{column.name}</code> },
          { title: t("Type"), cell: (column) => typeOf(column) },
          { title: t("Unit"), cell: (column) => (column.type === "number" ? (column.unit ?? "–") : "–") },
          { title: t("Description"), cell: (column) => <Served text={column.description} /> },
          { title: t("Levels"), cell: levelsOf },
        ]}
        rows={shown}
        keyOf={(column) => column.name}
      />
      {shown.length === columns.length ? null : (
        <p className="muted">
          {rich("The other {columns} are in datapackage.json.", { columns: columns.length - shown.length })}
        </p>
      )}
    </AnchoredCard>
  );
}

function typeOf(column: Column): string {
  if (column.type === "level") return t("text");
  return column.mayBeMissing === true ? t("number (float64), or empty") : t("number (float64)");
}

function levelsOf(column: Column): string {
  if (column.type === "number") return "–";
  const shown = column.levels.slice(0, levelsShown).map((level) => (level === "" ? t("(empty)") : level));
  const more = column.levels.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? t(", and {more} more", { more }) : ""}`;
}

/** Every file with its size and hash. */
export function FilesCard({ view }: { readonly view: ReleaseView }) {
  const folder = new URL(view.url).pathname;
  return (
    <AnchoredCard id="files" title={t("Files")}>
      <DataTable
        caption={t("{files} files, {value} in all", {
          files: view.files.length,
          value: formatBytes(view.files.reduce((sum, file) => sum + file.bytes, 0)),
        })}
        columns={[
          {
            title: t("File"),
            cell: (file) => (
              <a href={`${folder}${file.name}`} download={file.name.split("/").at(-1)}>
                {file.name}
              </a>
            ),
          },
          { title: t("Description"), cell: (file) => <Served text={file.description} /> },
          { title: t("Size"), cell: (file) => formatBytes(file.bytes), number: true },
          {
            title: "SHA-256",
            cell: (file) => (
              <span className="row hash">
                <code title={file.sha256}>{file.sha256.slice(0, 12)}…</code>
                <CopyButton text={file.sha256} name={t("Copy the SHA-256 of {name}", { name: file.name })} />
              </span>
            ),
          },
        ]}
        rows={view.files}
        keyOf={(file) => file.name}
      />
    </AnchoredCard>
  );
}
