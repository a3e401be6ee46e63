import type { StudyView } from "@consilium/core/operator/views";
import { Badge } from "../../shared/components";
import { formatBytes, formatDuration } from "../../shared/format";
import { presenceTones, presenceWords } from "../federation/siteHealth";
import { bytesOf, type MatrixCell, type MatrixColumn, matrixOf } from "./matrix";
import { stateTones, stateWords } from "./wording";

/** Sites by stages: progress, and what is awaited. */
export function SiteMatrix({ study }: { readonly study: StudyView }) {
  const matrix = matrixOf(study);
  const isOver = study.endedAt !== null;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
      <section className="table-frame" tabIndex={0} aria-label="Sites by stages">
        <table className="matrix">
          <caption className="visually-hidden">Sites by stages: state of each site in each stage</caption>
          <thead>
            <tr>
              <th scope="col">Site</th>
              {matrix.columns.map((column) => (
                <th key={column.id} scope="col" data-status={column.status}>
                  <ColumnHead column={column} />
                </th>
              ))}
              <th scope="col" className="number">
                Received
              </th>
            </tr>
          </thead>
          <tbody>
            {matrix.rows.map((row) => (
              <tr key={row.site.site}>
                <th scope="row">
                  {row.site.site}
                  {isOver ? null : (
                    <>
                      {" "}
                      <Badge tone={presenceTones[row.site.presence]}>
                        {presenceWords[row.site.presence]}
                      </Badge>
                    </>
                  )}
                  {row.site.code === null ? null : (
                    <>
                      {" "}
                      <code>{row.site.code}</code>
                    </>
                  )}
                </th>
                {row.cells.map((cell, index) => (
                  <td key={matrix.columns[index]!.id} data-status={matrix.columns[index]!.status}>
                    <Cell cell={cell} isOver={isOver} />
                  </td>
                ))}
                <td className="number">{formatBytes(bytesOf(row))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {matrix.closing === null ? null : (
        <p className="muted">Publishing: {closingText(matrix.closing, study)}</p>
      )}
    </>
  );
}

function closingText(column: MatrixColumn, { status }: StudyView): string {
  if (column.status === "done") return "released.";
  if (column.status === "open" && status === "publishing") return "sending the release to the publisher…";
  return "not started.";
}

function ColumnHead({ column }: { readonly column: MatrixColumn }) {
  const again = column.attempt > 1 ? `, attempt ${column.attempt}` : "";
  const time = column.seconds === null ? "" : formatSeconds(column.seconds);
  return (
    <>
      {column.title}
      <small>
        {column.phase ?? (column.status === "done" ? time : "pending")}
        {again}
      </small>
    </>
  );
}

function formatSeconds(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(1)} s` : formatDuration(seconds * 1000);
}

function Cell({ cell, isOver }: { readonly cell: MatrixCell; readonly isOver: boolean }) {
  if (cell.state === "waiting") return <span className="muted">{isOver ? "not run" : "pending"}</span>;
  return (
    <>
      <Badge tone={stateTones[cell.state]}>{stateWords(cell.state)}</Badge>
      {cell.fraction === null || isOver ? null : (
        <progress value={cell.fraction} aria-label={`${Math.round(100 * cell.fraction)} % of the upload`} />
      )}
      {cell.workingSince === null || isOver ? null : (
        <small>
          since <time dateTime={cell.workingSince}>{new Date(cell.workingSince).toLocaleTimeString()}</time>
        </small>
      )}
      {cell.bytes === 0 ? null : <small>{formatBytes(cell.bytes)}</small>}
    </>
  );
}
