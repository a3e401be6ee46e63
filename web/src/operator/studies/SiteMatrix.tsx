import type { StudyView } from "@consilium/core/operator/views";
import { useEffect, useRef } from "react";
import { Badge } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { locale, rich, t } from "../../shared/language";
import { presenceTones, presenceWords } from "../federation/siteHealth";
import { bytesOf, type MatrixCell, type MatrixColumn, matrixOf } from "./matrix";
import { secondsText } from "./timesText";
import { stateTones, stateWords } from "./wording";

/** Sites by groups of stages: one row a site, one mark a group; the open group stays in sight. */
export function SiteMatrix({ study }: { readonly study: StudyView }) {
  const matrix = matrixOf(study);
  const isOver = study.endedAt !== null;
  const frame = useRef<HTMLElement>(null);
  const open = matrix.columns.find(({ status }) => status === "open")?.id;
  useEffect(() => {
    const head =
      open === undefined ? null : frame.current?.querySelector<HTMLElement>('th[data-status="open"]');
    if (head == null || frame.current === null) return;
    // Between the first column, which stays, and the right edge; the page itself does not move.
    frame.current.scrollLeft = head.offsetLeft - frame.current.clientWidth / 2;
  }, [open]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
      <section ref={frame} className="table-frame" tabIndex={0} aria-label={t("Sites by stages")}>
        <table className="matrix cards">
          <caption className="visually-hidden">
            {t("Sites by stages: state of each site in each stage")}
          </caption>
          <thead>
            <tr>
              <th scope="col">{t("Site")}</th>
              {matrix.columns.map((column) => (
                <th key={column.id} scope="col" data-status={column.status}>
                  <ColumnHead column={column} isOver={isOver} />
                </th>
              ))}
              <th scope="col" className="number">
                {t("Received")}
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
                {row.cells.map((cell, index) => {
                  const column = matrix.columns[index]!;
                  return (
                    <td key={column.id} data-status={column.status} data-title={column.title}>
                      <Cell cell={cell} code={row.site.code} isOver={isOver} />
                    </td>
                  );
                })}
                <td className="number" data-title={t("Received")}>
                  {formatBytes(bytesOf(row))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {matrix.closing === null ? null : (
        <p className="muted">
          {rich("Publishing: {closing}", { closing: closingText(matrix.closing, study) })}
        </p>
      )}
    </>
  );
}

function closingText(column: MatrixColumn, { status }: StudyView): string {
  if (column.status === "done") return t("released.");
  if (column.status === "open" && status === "publishing") return t("sending the release to the publisher…");
  return t("not started.");
}

function ColumnHead({ column, isOver }: { readonly column: MatrixColumn; readonly isOver: boolean }) {
  const again = column.attempt > 1 ? t(", attempt {attempt}", { attempt: column.attempt }) : "";
  const time = column.seconds === null ? "" : secondsText(column.seconds);
  return (
    <>
      {column.title}
      <small>
        {column.place === null ? null : (
          <>
            {column.place}
            <br />
          </>
        )}
        {column.phase ?? (column.status === "done" ? time : isOver ? t("not run") : t("pending"))}
        {again}
      </small>
    </>
  );
}

function Cell(props: {
  readonly cell: MatrixCell;
  /** Why the site refused or failed. */
  readonly code: string | null;
  readonly isOver: boolean;
}) {
  const { cell, code, isOver } = props;
  if (cell.state === "waiting") return <span className="muted">{isOver ? t("not run") : t("pending")}</span>;
  return (
    <>
      <Badge tone={stateTones[cell.state]}>{stateWords(cell.state, code)}</Badge>
      {cell.fraction === null || isOver ? null : (
        <progress
          value={cell.fraction}
          aria-label={t("{value} % of the upload", { value: Math.round(100 * cell.fraction) })}
        />
      )}
      {cell.workingSince === null || isOver ? null : (
        <small>
          {rich("since {time}", {
            time: (
              <time dateTime={cell.workingSince}>
                {new Date(cell.workingSince).toLocaleTimeString(locale())}
              </time>
            ),
          })}
        </small>
      )}
      {cell.bytes === 0 ? null : <small>{formatBytes(cell.bytes)}</small>}
    </>
  );
}
