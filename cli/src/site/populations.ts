import { ConsiliumError } from "@consilium/core/errors";
import type { Session } from "../session.js";
import type { TableOption } from "./siteConfig.js";

/** Tables with the same patients: they share one permanent budget. */
export interface Population {
  readonly name: string;
  /** Empty for `default`, which has all tables that no other population names. */
  readonly tables: readonly string[];
}

type Tables = readonly Pick<TableOption, "name" | "unit">[];

/**
 * Populations by what a hospital says of its tables.
 * @param samePatients - groups of tables, each `a,b`
 * @param firstContact - tables, as `a,b`, that each hold the patients of one year of first contact and no patient of another table
 * @returns null where it says nothing: then all tables have the same patients
 * @throws ConsiliumError USAGE for a table that is not given, given twice, or counted in another unit than its population
 */
export function populationsOf(
  tables: Tables,
  {
    samePatients,
    firstContact,
  }: { readonly samePatients: readonly string[]; readonly firstContact: readonly string[] },
): Population[] | null {
  const alone = firstContact.flatMap(namesIn);
  const groups = samePatients.map(namesIn).filter((group) => group.length > 0);
  // A table that stands alone in its group or by its year is a population of its own.
  const own = [...groups, ...alone.map((name) => [name])];
  const named = own.flat();
  for (const [at, name] of named.entries()) {
    if (!tables.some((table) => table.name === name))
      throw new ConsiliumError("USAGE", `there is no table ${name} among those of --table`);
    if (named.indexOf(name) < at)
      throw new ConsiliumError("USAGE", `table ${name} is in two groups: its patients have one budget`);
  }
  const others = tables.map(({ name }) => name).filter((name) => !named.includes(name));
  for (const group of [...own, others]) checkUnits(tables, group);
  if (own.length === 0) return null;
  const populations = own.map((group) => ({ name: group[0]!, tables: group }));
  return others.length === 0 ? populations : [...populations, { name: "default", tables: [] }];
}

const namesIn = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Of tables without a unit each row counts. */
function checkUnits(tables: Tables, group: readonly string[]): void {
  const kindOf = (name: string) => {
    const unit = tables.find((table) => table.name === name)?.unit ?? "rows";
    return unit === "rows" ? "rows" : "patients";
  };
  const [first] = group;
  const other = group.find((name) => kindOf(name) !== kindOf(first!));
  if (first === undefined || other === undefined) return;
  throw new ConsiliumError(
    "USAGE",
    `tables ${first} (by ${kindOf(first)}) and ${other} (by ${kindOf(other)}) would share one budget, and their costs have no sum`,
    {
      remedy: `count both in the same unit (--unit), or say that they have no patient in common: --same-patients ${other}`,
    },
  );
}

/** Answers of a person at a terminal about a new hospital's tables; null without a terminal. */
export async function askedPopulations(session: Session, tables: Tables): Promise<Population[] | null> {
  const unsaid = () => populationsOf(tables, { samePatients: [], firstContact: [] });
  if (session.json || tables.length === 0) return unsaid();
  const names = tables.map(({ name }) => name);
  const groups =
    names.length < 2
      ? ""
      : await session.io.ask(
          `Which of ${names.join(", ")} hold records of the same patients? They share one budget permanently.\nGroups by semicolons, such as ${names.slice(0, 2).join(",")}; others (Enter: all of them): `,
        );
  const years =
    groups === null
      ? null
      : await session.io.ask(
          "Which hold the patients of one year of first contact, each patient in one such table permanently?\nEach has a budget of its own, and next year's table a new one (Enter: none): ",
        );
  if (groups === null || years === null) return unsaid();
  const firstContact = namesIn(years);
  const samePatients = groups.split(";").map((group) =>
    namesIn(group)
      .filter((name) => !firstContact.includes(name))
      .join(","),
  );
  return populationsOf(tables, { samePatients, firstContact });
}
