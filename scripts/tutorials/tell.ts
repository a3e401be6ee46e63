import { writeFile } from "node:fs/promises";
import { Photographer } from "./pictures.js";
import { pathOf, tellStory } from "./story.js";

/** Tells the story once, in the network where it is started; `--write`: and puts what was printed into the pages. */
const isWriting = process.argv[2] === "--write";
const photographer = isWriting ? await Photographer.hire() : null;
try {
  const { faults, pages } = await tellStory({
    python: process.env.CONSILIUM_PYTHON ?? null,
    take: photographer === null ? null : (picture) => photographer.take(picture),
    report: (text) => process.stderr.write(`${text}\n`),
  });
  if (isWriting) for (const [page, text] of pages) await writeFile(pathOf(page), text);
  else for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.exitCode = faults.length === 0 || isWriting ? 0 : 1;
} finally {
  await photographer?.dismiss();
}
