import { pcaEpsilons, pcaReports, type Report } from "../pca-utility.js";
import { pcaTables } from "../pcaTables.js";
import { comparison, type Figure, type FigureSeries, type FiguresOptions } from "./figure.js";

/**
 * Captured energy of ELFedPCA [ZY22] and of what it compares itself with [IS18]. The result tables of [ZY22] are not to be had; of
 * [IS18] the authors' own results are, for rows prepared as their program does.
 */
export async function elfedPcaFigures({ seeds, quick }: FiguresOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const names = Object.keys(pcaTables);
  const asked = { names: quick ? names.slice(0, 1) : names, svm: null, repetitions: seeds, delta: 0.01 };
  for await (const report of pcaReports(asked)) figures.push(figureOf(report, seeds));
  return figures;
}

const published = ", published";

function figureOf(report: Report, seeds: number): Figure {
  const series = report.results.map(({ method, energy }): FigureSeries => {
    const values = energy.length === 1 ? pcaEpsilons.map(() => energy[0]!) : energy;
    const points = values.flatMap((y, i) => (y === null ? [] : [{ x: pcaEpsilons[i]!, y }]));
    return method.endsWith(published)
      ? { name: method.slice(0, -published.length), points, published: true }
      : { name: method, points };
  });
  const pairs = series
    .filter((one) => one.published)
    .map((one) => ({ published: one, measured: series.find(({ name }) => name === one.name)! }));
  const prepared = report.preparation.split(",")[0]!;
  return {
    id: `elfed-pca-${`${report.data} ${prepared}`.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`,
    title: `Captured energy on ${report.data}, ${prepared}`,
    source:
      pairs.length > 0
        ? "[IS18], its authors' result files"
        : "[ZY22], whose result tables are not to be had",
    xLabel: "ε at δ = 0.01",
    yLabel: "captured energy, relative to no noise",
    series,
    verdict:
      pairs.length > 0
        ? comparison(pairs, { seeds, why: sentence(report.note) })
        : "Not compared: its result tables are not to be had. With the article's own scaling the noise is s times too small for its claim (docs/methods/pca.md).",
  };
}

function sentence(note: string | null): string {
  if (note === null) return "of no reason that is known";
  return `${note[0]!.toLowerCase()}${note.slice(1)}`.replace(/\.$/, "");
}
