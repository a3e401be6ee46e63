/** What the console's logs have in common. */

const instant = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A moment to the second, in the reader's own time zone. */
export function Instant({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{instant.format(new Date(iso))}</time>;
}

/** A hash by its first digits; the whole of it on demand. */
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
