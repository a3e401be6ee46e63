import type { ReleaseView } from "@consilium/core/release/views";
import { CopyButton, DataTable } from "../shared/components";
import { formatBytes } from "../shared/format";
import { AnchoredCard } from "./Anchor";

type Column = ReleaseView["content"]["columns"][number];

const columnsShown = 200;
const levelsShown = 12;

/** Describes each column of the rows. */
export function DictionaryCard({ columns }: { readonly columns: readonly Column[] }) {
  const shown = columns.slice(0, columnsShown);
  return (
    <AnchoredCard id="dictionary" title="Data dictionary">
      <DataTable
        caption={`${columns.length} column${columns.length === 1 ? "" : "s"}; no missing values`}
        columns={[
          { title: "Column", cell: (column) => <code>{column.name}</code> },
          { title: "Type", cell: (column) => typeOf(column) },
          { title: "Unit", cell: (column) => (column.type === "number" ? (column.unit ?? "–") : "–") },
          { title: "Description", cell: (column) => column.description },
          { title: "Levels", cell: levelsOf },
        ]}
        rows={shown}
        keyOf={(column) => column.name}
      />
      {shown.length === columns.length ? null : (
        <p className="muted">The other {columns.length - shown.length} are in datapackage.json.</p>
      )}
    </AnchoredCard>
  );
}

function typeOf(column: Column): string {
  if (column.type === "level") return "text";
  return column.mayBeMissing === true ? "number (float64), or empty" : "number (float64)";
}

function levelsOf(column: Column): string {
  if (column.type === "number") return "–";
  const shown = column.levels.slice(0, levelsShown).map((level) => (level === "" ? "(empty)" : level));
  const more = column.levels.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

/** Every file with its size and hash. */
export function FilesCard({ view }: { readonly view: ReleaseView }) {
  const folder = new URL(view.url).pathname;
  return (
    <AnchoredCard id="files" title="Files">
      <DataTable
        caption={`${view.files.length} files, ${formatBytes(view.files.reduce((sum, file) => sum + file.bytes, 0))} in all`}
        columns={[
          {
            title: "File",
            cell: (file) => (
              <a href={`${folder}${file.name}`} download={file.name.split("/").at(-1)}>
                {file.name}
              </a>
            ),
          },
          { title: "Description", cell: (file) => file.description },
          { title: "Size", cell: (file) => formatBytes(file.bytes), number: true },
          {
            title: "SHA-256",
            cell: (file) => (
              <span className="row hash">
                <code title={file.sha256}>{file.sha256.slice(0, 12)}…</code>
                <CopyButton text={file.sha256} name={`Copy the SHA-256 of ${file.name}`} />
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
