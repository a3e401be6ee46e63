import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { installedMethods } from "../methods.js";
import type { Program } from "../program.js";
import { table } from "../terminal/layout.js";

export function addMethods(program: Program, parent: Command): void {
  const command = parent
    .command("methods")
    .summary("list the methods, offline")
    .description(
      "Lists the methods that this version has, a line each. The privacy of `sound` ones is proven; that of `paper` ones is " +
        "claimed by their authors, and a hospital must allow them. docs/METHODS.md describes each.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ consilium methods
  $ consilium study new dp-additive
  $ consilium methods --json | jq -r '.[] | select(.variant == "sound") | .method'`,
    );
  program.list<[]>(command, async (session) => {
    const { analysisOf, namesOf, variantOf } = await import("@consilium/core/method/method");
    const methods = (await installedMethods()).list.flatMap((one) =>
      namesOf(one).map((method) => ({
        method,
        analysis: analysisOf(one),
        variant: variantOf(one),
        summary:
          one.sections.find((section) => namesOf({ sections: [section] }).includes(method))?.method
            .description ?? "",
      })),
    );
    const columns = [
      { title: "METHOD", cell: ({ method }: (typeof methods)[number]) => method },
      { title: "ANALYSIS", cell: ({ analysis }: (typeof methods)[number]) => analysis },
      { title: "VARIANT", cell: ({ variant }: (typeof methods)[number]) => variant },
      { title: "WHAT IT RELEASES", cell: ({ summary }: (typeof methods)[number]) => summary },
    ];
    session.printList(methods, {
      name: ({ method }) => method,
      text: () => table(methods, columns, session.style),
    });
    return exitCodes.ok;
  });
}
