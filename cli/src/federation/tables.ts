import type { TableView } from "@consilium/core/operator/tableViews";
import type { Command } from "commander";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "./operatorTarget.js";

export function addTables(program: Program, parent: Command): void {
  const command = addOperatorOptions(
    parent
      .command("tables")
      .summary("list the sites' tables, or the columns of one")
      .description(
        "Lists the tables that enrolled sites share, or the columns of one with their types: what each site said when it " +
          "last connected. A hospital's policy may withhold columns or tables; contents and numbers of rows never come here.",
      )
      .argument("[table]", "list the columns of this table"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium tables
  $ consilium tables stays
  $ consilium tables stays --json | jq -r '.columns[] | select(.missingAt == []) | .name'`,
  );
  program.list<[string | undefined, OperatorOptions]>(command, tables);
}

async function tables(
  session: Session,
  name: string | undefined,
  options: OperatorOptions,
): Promise<undefined> {
  const operator = await openOperator(session, options);
  if (name !== undefined) {
    const shown = await operator.table(name);
    session.printList(shown.columns, {
      name: (column) => column.name,
      text: () => tableText(shown, session.style),
      value: shown,
    });
    return;
  }
  const all = await operator.tables();
  const columns = [
    { title: "TABLE", cell: (one: (typeof all)[number]) => printable(one.name) },
    { title: "SITES", cell: (one: (typeof all)[number]) => printable(one.sites.join(", ")) },
  ];
  session.printList(all, {
    name: (one) => one.name,
    text: () => (all.length === 0 ? "No site shares a table." : table(all, columns, session.style)),
  });
  return;
}

function tableText({ sites, withoutColumns, columns }: TableView, style: Style): string {
  const lines = [`sites: ${printable(sites.join(", "))}`];
  if (withoutColumns.length > 0) lines.push(`share no columns: ${printable(withoutColumns.join(", "))}`);
  if (columns.length > 0) {
    lines.push(
      table(
        columns,
        [
          { title: "COLUMN", cell: ({ name }) => printable(name) },
          { title: "TYPE", cell: ({ types }) => printable(types.join(", ")) },
          { title: "MISSING AT", cell: ({ missingAt }) => printable(missingAt.join(", ") || "-") },
        ],
        style,
      ),
    );
  }
  return lines.join("\n");
}
