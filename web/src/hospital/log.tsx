import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { rich } from "../shared/language";

/** Shared parts of the console's logs. */

const instant = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A moment to the second, in the reader's own time zone. */
export function Instant({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{instant.format(new Date(iso))}</time>;
}

/** A study's id in one line of a table. */
export function StudyId({ of }: { readonly of: string }) {
  return (
    <Link className="cut" href={`/studies/${of}`} title={of}>
      {of}
    </Link>
  );
}

/** The first digits of a hash; the full hash on demand. */
export function Hash({ of }: { readonly of: string }) {
  return (
    <details className="hash">
      <summary>
        <code>{of.slice(0, 12)}</code>
      </summary>
      <code>{of}</code>
    </details>
  );
}

const pageLength = 100;

/**
 * The newest rows of a log, and a control that shows older ones.
 * @param rows - newest first
 */
export function useNewest<Row>(rows: readonly Row[]): {
  readonly newest: readonly Row[];
  readonly older: ReactNode;
} {
  const [pages, setPages] = useState(1);
  const left = rows.length - pages * pageLength;
  const older =
    left <= 0 ? null : (
      <p>
        <button type="button" onClick={() => setPages(pages + 1)}>
          {rich("Show {pageLength} older ones", { pageLength: Math.min(pageLength, left) })}
        </button>
      </p>
    );
  return { newest: rows.slice(0, pages * pageLength), older };
}
