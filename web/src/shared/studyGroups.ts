/** Lines of a log that belong to one study, or to none. */
export interface StudyGroup<Row> {
  readonly study: string | null;
  /** In the order of the log. */
  readonly rows: readonly Row[];
}

/** By study, in the order in which the log first names each; what belongs to none comes last. */
export function groupByStudy<Row extends { readonly study: string | null }>(
  rows: readonly Row[],
): StudyGroup<Row>[] {
  const groups = new Map<string | null, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.study);
    if (group === undefined) groups.set(row.study, [row]);
    else group.push(row);
  }
  return [...groups]
    .map(([study, own]) => ({ study, rows: own }))
    .sort((a, b) => Number(a.study === null) - Number(b.study === null));
}
