/** A cell with its interval below it. */
export function WithInterval({
  text,
  interval,
}: {
  readonly text: string;
  readonly interval: string | null;
}) {
  if (interval === null) return text;
  return (
    <>
      {text} <span className="interval">({interval})</span>
    </>
  );
}
