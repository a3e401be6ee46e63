import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure, FiguresOptions } from "./figures/figure.js";
import { markdownOf } from "./figures/markdown.js";
import { svgOf } from "./figures/svg.js";

/**
 * What the five sources show, measured again beside what they print: each figure as SVG, all of them with their values and a
 * verdict in one Markdown file.
 */

type Figures = (options: FiguresOptions) => AsyncIterable<Figure> | Promise<Iterable<Figure>>;

const sources: Readonly<Record<string, () => Promise<Figures>>> = {
  "cart-dps-adaboost": async () => (await import("./figures/cartAdaboost.js")).cartAdaboostFigures,
  "elfed-pca": async () => (await import("./figures/elfedPca.js")).elfedPcaFigures,
  felp: async () => (await import("./figures/felp.js")).felpFigures,
  "xgb-ka": async () => (await import("./figures/xgbKa.js")).xgbKaFigures,
};

const usage = `Usage: npm run bench -- figures [--source name,name] [--data Adult] [--seeds 5] [--to figures] [--quick]
  --source  ${Object.keys(sources).join(", ")}; all by default
  --data    one table of felp or cart-dps-adaboost; all by default
  --seeds   runs of each point
  --to      the folder that the files are written to
  --quick   few points and rows: shows that it runs, and means nothing else
The Pearson tree's source prints no figures of accuracy. Data come from CONSILIUM_DATASETS, classifiers from CONSILIUM_PYTHON.`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      source: { type: "string", default: Object.keys(sources).join() },
      data: { type: "string", default: "" },
      seeds: { type: "string", default: "5" },
      to: { type: "string", default: "figures" },
      quick: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1) throw new RangeError(`--seeds: a whole number from 1\n${usage}`);
  const names = values.source.split(",");
  const unknown = names.find((name) => !Object.hasOwn(sources, name));
  if (unknown !== undefined) throw new RangeError(`--source: no source "${unknown}"\n${usage}`);

  await mkdir(values.to, { recursive: true });
  const parts: string[] = [];
  for (const name of names) {
    const figuresOf = await sources[name]!();
    for await (const figure of await figuresOf({ seeds, quick: values.quick, data: values.data })) {
      const picture = `${figure.id}.svg`;
      await writeFile(join(values.to, picture), svgOf(figure));
      parts.push(markdownOf(figure, picture));
      // What took hours is not lost with the next figure.
      await writeFile(join(values.to, "README.md"), `${title(seeds, values.quick)}\n${parts.join("\n")}`);
      console.log(`${figure.title}: ${figure.verdict}`);
    }
  }
  console.log(`${join(values.to, "README.md")}: ${parts.length} figures`);
}

function title(seeds: number, quick: boolean): string {
  const runs = seeds === 1 ? "one run" : `${seeds} runs`;
  const warning = quick
    ? "\nQuick: few points and rows. The figures show that it runs, and mean nothing else.\n"
    : "";
  return `# What the sources show, measured again\n\nEach point is the mean of ${runs}.\n${warning}`;
}
