import type { ReleaseRows, ReleaseView } from "@consilium/core/release/views";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../shared/api";
import { DataTable, Loaded } from "../shared/components";
import { formatNumber } from "../shared/format";
import { locale, rich, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";

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
                ...found.columns.map((name, index) => ({
                  title: name,
                  cell: (row: Row) => cellText(row.cells[index] ?? null),
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

function captionOf({ total, offset, rows }: ReleaseRows): string {
  const last = offset + rows.length;
  return t("Rows {value} to {value2} of {value3}", {
    value: (offset + 1).toLocaleString(locale()),
    value2: last.toLocaleString(locale()),
    value3: total.toLocaleString(locale()),
  });
}

function cellText(cell: number | string | null): string {
  if (cell === null) return "–";
  if (typeof cell === "number") return formatNumber(cell);
  return cell === "" ? t("(empty)") : cell;
}
