import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type UndeclaredValues, undeclaredValuesSchema } from "@consilium/core/hospital/undeclaredValues";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { doctorFault, runSiteDoctor } from "../doctor/siteDoctor.js";
import type { Session } from "../session.js";
import { printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

/**
 * Values that a study does not declare, read by a process of the person at the terminal.
 * @throws ConsiliumError of the table's configuration or file
 */
export async function readUndeclared(
  session: Session,
  { state, study, timeoutMs }: { readonly state: string; readonly study: Study; readonly timeoutMs: number },
): Promise<UndeclaredValues> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-values-"));
  try {
    const path = join(folder, "study.json");
    await writeFile(path, studyDocument(study).text);
    const args = ["--state", state, "--study", path, "--values"];
    const answer = await runSiteDoctor(session, args, timeoutMs);
    const read = undeclaredValuesSchema.safeParse(answer);
    if (!read.success) throw doctorFault(answer);
    return read.data;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function undeclaredText({ columns }: UndeclaredValues, style: Style): string {
  if (columns.length === 0) return "No column has an undeclared value.";
  const lines = columns.flatMap(({ name, values, others }) => [
    ...values.map(({ text, rows }) => ({ name, value: printable(text), rows })),
    ...(others === 0 ? [] : [{ name, value: "(other values)", rows: others }]),
  ]);
  const found = table(
    lines,
    [
      { title: "COLUMN", cell: ({ name }) => printable(name) },
      { title: "VALUE", cell: ({ value }) => value },
      { title: "ROWS", cell: ({ rows }) => rows.toLocaleString("en-US"), alignRight: true },
    ],
    style,
  );
  return `Undeclared values, of all rows; shown on this terminal only:\n\n${found}`;
}
