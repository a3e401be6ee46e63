import { intervalColumns } from "@consilium/core/release/intervalColumns";
import type { ReleaseRows, ReleaseView } from "@consilium/core/release/views";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../shared/api";
import { DataTable, Loaded } from "../shared/components";
import { locale, rich, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";
import { shownNumber } from "./columnIntervals";
import { WithInterval } from "./WithInterval";

const pageRows = 20;

/** The first rows; further ones on request. */
export function RowsCard({ view }: { readonly view: ReleaseView }) {
  const { id } = view.content;
  const [offset, setOffset] = useState(0);
  const query = useQuery({
    queryKey: ["rows", id, offset],
    queryFn: () => request<ReleaseRows>("GET", `/api/releases/${id}/rows?limit=${pageRows}&offset=${offset}`),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <AnchoredCard id="rows" title={t("Rows")}>
      <Loaded query={query} what={t("the rows")}>
        {(found) => (
          <>
            <DataTable
              caption={captionOf(found)}
              columns={[
                { title: t("Row"), cell: (row) => row.number, number: true },
                ...shownColumns(found.columns).map(({ name, index, cell }) => ({
                  title: name,
                  cell,
                  number: view.content.columns[index]?.type === "number",
                })),
              ]}
              rows={found.rows.map((cells, index) => ({ cells, number: found.offset + index + 1 }))}
              keyOf={(row) => String(row.number)}
              empty={t("The release has columns, but no rows.")}
            />
            {found.columnsLeftOut === 0 ? null : (
              <p className="muted">
                {rich("{columnsLeftOut} more columns are in the files.", {
                  columnsLeftOut: found.columnsLeftOut,
                })}
              </p>
            )}
            <div className="row">
              <button
                type="button"
                disabled={offset === 0}
                onClick={() => setOffset(Math.max(0, offset - pageRows))}
              >
                {t("Previous rows")}
              </button>
              <button
                type="button"
                disabled={offset + pageRows >= found.total}
                onClick={() => setOffset(offset + pageRows)}
              >
                {t("Next rows")}
              </button>
            </div>
          </>
        )}
      </Loaded>
    </AnchoredCard>
  );
}

interface Row {
  readonly number: number;
  readonly cells: readonly (number | string | null)[];
}

/** Numbers have their intervals below them, as in tables of results. */
function shownColumns(names: readonly string[]) {
  const intervals = intervalColumns({ columns: names.map((name) => ({ name })) });
  const ends = new Set([...intervals.values()].flat());
  return names
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => !ends.has(index))
    .map(({ name, index }) => ({
      name,
      index,
      cell: ({ cells }: Row) => {
        const cell = cells[index] ?? null;
        const [low, high] = (intervals.get(index) ?? []).map((end) => cells[end]);
        return typeof cell === "number" ? (
          <WithInterval {...shownNumber(name, cell, low, high)} />
        ) : (
          textOf(cell)
        );
      },
    }));
}

function captionOf({ total, offset, rows }: ReleaseRows): string {
  const last = offset + rows.length;
  return t("Rows {value} to {value2} of {value3}", {
    value: (offset + 1).toLocaleString(locale()),
    value2: last.toLocaleString(locale()),
    value3: total.toLocaleString(locale()),
  });
}

function textOf(cell: string | null): string {
  if (cell === null) return "–";
  return cell === "" ? t("(empty)") : cell;
}
