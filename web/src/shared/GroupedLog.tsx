import { type ReactNode, useState } from "react";
import { Moment } from "./components";
import { csvOf, exportName, jsonLinesOf, type Line } from "./exporting";
import { plural, rich, t } from "./language";
import { saveFile } from "./saveFile";
import { groupByStudy, type StudyGroup } from "./studyGroups";

interface Logged {
  readonly at: string;
  readonly study: string | null;
}

/** A log by study: each folded, with how many lines it has and from when to when; what belongs to no study last. */
export function GroupedLog<Row extends Logged>(props: {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** The link to a study. */
  readonly link: (study: string) => ReactNode;
  /** What stands above a study's lines. */
  readonly head?: (study: string) => ReactNode;
  /** What to say of a group beside its lines and times, such as its cost. */
  readonly about?: (rows: readonly Row[]) => ReactNode;
  /** Of rows without a study. */
  readonly others: string;
  readonly table: (rows: readonly Row[]) => ReactNode;
  /** Rows of a study that stand before its others; left out: none. */
  readonly isFirst?: (row: Row) => boolean;
  readonly empty: string;
}) {
  const groups = groupByStudy(props.rows);
  if (groups.length === 0) return <p className="muted">{props.empty}</p>;
  return groups.map((group) => (
    <Group key={group.study ?? ""} {...props} group={group} isAlone={groups.length === 1} />
  ));
}

/** Lines of a study that are shown at once. */
const pageLength = 100;

function Group<Row extends Logged>(
  props: Omit<Parameters<typeof GroupedLog<Row>>[0], "rows" | "empty"> & {
    readonly group: StudyGroup<Row>;
    readonly isAlone: boolean;
  },
) {
  const { study, rows } = props.group;
  const { isFirst = () => false } = props;
  const [isOpen, setOpen] = useState(props.isAlone);
  const [pages, setPages] = useState(1);
  const left = rows.length - pages * pageLength;
  const [first, last] = [rows.at(-1)!.at, rows[0]!.at];
  const ordered = [...rows].sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  return (
    <details className="group" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{study === null ? props.others : study}</strong>
        <span className="muted">
          {plural(rows.length, "{count} line", "{count} lines")} · <Moment iso={first} seconds />
          {first === last ? null : (
            <>
              {" – "}
              <Moment iso={last} seconds />
            </>
          )}
        </span>
        {props.about === undefined ? null : <span>{props.about(rows)}</span>}
      </summary>
      {isOpen ? (
        <>
          {study === null ? null : props.head?.(study)}
          {study === null ? null : <p>{props.link(study)}</p>}
          {props.table(ordered.slice(0, pages * pageLength))}
          {left <= 0 ? null : (
            <button type="button" onClick={() => setPages(pages + 1)}>
              {rich("Show {pageLength} older ones", { pageLength: Math.min(pageLength, left) })}
            </button>
          )}
        </>
      ) : null}
    </details>
  );
}

/** What is shown as files, made when they are asked for. */
export function ExportButtons({
  name,
  lines,
}: {
  /** What the files hold; their names begin with the study, where all lines are of one, and end with the day. */
  readonly name: string;
  readonly lines: () => readonly (Line & { readonly study: string | null })[];
}) {
  const save = (ending: string, type: string, textOf: (lines: readonly Line[]) => string) => {
    const all = lines();
    saveFile(`${exportName(name, all)}.${ending}`, textOf(all), `${type};charset=utf-8`);
  };
  return (
    <>
      <button type="button" onClick={() => save("csv", "text/csv", csvOf)}>
        {t("Export as CSV")}
      </button>
      <button type="button" onClick={() => save("jsonl", "application/jsonl", jsonLinesOf)}>
        {t("Export as JSON lines")}
      </button>
    </>
  );
}
