import { intervalColumns } from "@consilium/core/release/intervalColumns";
import type { ReleaseView, TablesFile } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import { requestFile } from "../shared/api";
import { DataTable, Loaded } from "../shared/components";
import { rich, Served, served, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";
import { shownNumber } from "./columnIntervals";
import { WithInterval } from "./WithInterval";

const tablesFile = "tables.json";

export const hasTables = ({ files }: ReleaseView) => files.some(({ name }) => name === tablesFile);

/** Validated with the schema that wrote them, loaded together with them: no other part of the page needs it. */
async function tablesOf(folder: string): Promise<TablesFile> {
  const [{ tablesFileSchema }, response] = await Promise.all([
    import("@consilium/core/release/views"),
    requestFile(`${folder}${tablesFile}`),
  ]);
  return tablesFileSchema.parse(await response.json());
}

/** Loaded once for all parts of a page. */
export const tablesQuery = (view: ReleaseView) => ({
  queryKey: ["tables", view.content.id],
  queryFn: () => tablesOf(new URL(view.url).pathname),
  enabled: hasTables(view),
  staleTime: Number.POSITIVE_INFINITY,
});

export function TablesCard({ view }: { readonly view: ReleaseView }) {
  return (
    <AnchoredCard id="results" title={t("Results")}>
      <ResultTables view={view} />
    </AnchoredCard>
  );
}

/** The release's tables of results: those for people as they are, the files of all. */
export function ResultTables({ view }: { readonly view: ReleaseView }) {
  const folder = new URL(view.url).pathname;
  const query = useQuery(tablesQuery(view));
  return (
    <Loaded query={query} what={t("the tables")}>
      {({ tables }) => (
        <>
          {tables
            .filter(({ isShown }) => isShown)
            .map((table) => (
              <Shown key={table.name} table={table} />
            ))}
          <ul>
            {tables.map(({ name, title }) => (
              <li key={name}>
                {served(title)}: <a href={`${folder}${name}.csv`}>{name}.csv</a>,{" "}
                <a href={`${folder}${name}.parquet`}>{name}.parquet</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

type Table = TablesFile["tables"][number];

/** More rows than these are left to the files. */
const rowsMost = 500;

function Shown({ table }: { readonly table: Table }) {
  const rows = table.rows.slice(0, rowsMost).map((cells, index) => ({ cells, index }));
  const intervals = intervalColumns(table);
  const ends = new Set([...intervals.values()].flat());
  const columns = table.columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ index }) => !ends.has(index))
    // One that holds nothing takes the room of those that do; the files have it.
    .filter(({ index }) => table.rows.length === 0 || table.rows.some((cells) => cells[index] !== null));
  const shown = (column: (typeof columns)[number], row: (typeof rows)[number]) => {
    const cell = row.cells[column.index] ?? null;
    if (typeof cell === "number") {
      const [low, high] = (intervals.get(column.index) ?? []).map((end) => row.cells[end]);
      return <WithInterval {...shownNumber(column.name, cell, low, high)} />;
    }
    return cell ?? "";
  };
  return (
    <>
      <DataTable
        caption={served(table.title)}
        columns={columns.map((column) => ({
          title: column.name,
          cell: (row: (typeof rows)[number]) => shown(column, row),
          number: column.type === "number",
        }))}
        rows={rows}
        keyOf={(row) => String(row.index)}
        empty={t("The table has no rows.")}
      />
      <p className="muted">
        <Served text={table.description} />
      </p>
      {table.rows.length > rowsMost ? (
        <p className="muted">
          {rich("{rows} more rows are in the files.", { rows: table.rows.length - rowsMost })}
        </p>
      ) : null}
    </>
  );
}
