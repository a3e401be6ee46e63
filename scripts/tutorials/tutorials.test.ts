import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { stepsOf } from "./page.js";
import { imageFolder, pictureNames } from "./pictures.js";
import { pathOf, tutorialPages } from "./story.js";

const steps = tutorialPages.flatMap((page) => stepsOf(page, readFileSync(pathOf(page), "utf8")));

it("have every picture that is taken, each once", () => {
  const shown = steps.flatMap((step) => (step.kind === "picture" ? [step.name] : []));
  expect(shown.sort()).toEqual(pictureNames);
  expect(readdirSync(imageFolder).sort()).toEqual(pictureNames.map((name) => `${name}.png`).sort());
});

it("wait for milestones that somebody reaches", () => {
  const blocks = steps.flatMap((step) => (step.kind === "picture" ? [] : [step.run]));
  const reached = new Set(blocks.flatMap(({ reaches, during }) => [reaches, during?.reaches]));
  for (const { after } of blocks) if (after !== null) expect(reached).toContain(after);
});
