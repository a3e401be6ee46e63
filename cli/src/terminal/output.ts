/** How a command prints its result: for people, for programs, or of a list the names alone. */
export const outputFormats = ["table", "json", "yaml", "name"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Writes one value for a program, on lines of its own. */
export type ValueText = (value: unknown) => string;

/** Loads what a format needs. */
export async function valueText(format: OutputFormat): Promise<ValueText> {
  if (format !== "yaml") return (value) => `${JSON.stringify(value)}\n`;
  const { stringify } = await import("yaml");
  // Commands that follow something print one document after another.
  return (value) => `---\n${stringify(value)}`;
}

/**
 * The format that a command line asks for. It may not have been understood, so its words themselves are looked at; what
 * follows `--` is no option.
 */
export function writtenFormat(argv: readonly string[]): OutputFormat {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const written = own.flatMap((word, at): string[] => {
    if (word === "--json") return ["json"];
    if (word === "-o" || word === "--output") return [own[at + 1] ?? ""];
    return word.startsWith("--output=") ? [word.slice("--output=".length)] : [];
  });
  return outputFormats.find((format) => format === written.at(-1)) ?? "table";
}
