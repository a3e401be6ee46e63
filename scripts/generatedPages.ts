import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type GeneratedPage, generatedPages, projectRoot } from "./repository.js";

/**
 * Writes the pages that are made from the sources into `docs/`, where git ignores them: all, or those that are named, such as
 * `ERRORS STUDY`. `npm run build` makes those that the consoles show, `npm run docs` all.
 */
const renderers: Readonly<Record<GeneratedPage, () => Promise<string>>> = {
  "docs/API.md": async () => {
    const { committedApis, renderApi } = await import("./apiDoc.js");
    return renderApi(committedApis());
  },
  "docs/CLI.md": async () => (await import("./cliDoc.js")).renderCli(),
  "docs/ERRORS.md": async () => (await import("./errorsDoc.js")).renderErrors(),
  "docs/EVENTS.md": async () => (await import("./eventsDoc.js")).renderEvents(),
  "docs/SOURCES.md": async () => (await import("./sourcesDoc.js")).renderSources(),
  "docs/STUDY.md": async () => (await import("./studyDoc.js")).renderStudy(),
};

const rendered = new Map<GeneratedPage, Promise<string>>();

/** The page's text, rendered once. */
export function generatedPage(page: GeneratedPage): Promise<string> {
  const text = rendered.get(page) ?? renderers[page]();
  rendered.set(page, text);
  return text;
}

async function write(page: GeneratedPage): Promise<void> {
  const text = await generatedPage(page);
  const file = join(projectRoot, page);
  // An unchanged page keeps its time.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !generatedPages.some((page) => page === `docs/${name}.md`));
  if (unknown !== undefined)
    throw new RangeError(`${unknown}: no such page; there are ${generatedPages.join(", ")}`);
  for (const page of generatedPages)
    if (names.length === 0 || names.some((name) => page === `docs/${name}.md`)) await write(page);
}
