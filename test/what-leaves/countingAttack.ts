import { setTimeout as delay } from "node:timers/promises";
import { type ObservedHospital, observed, sites } from "./observedHospital.js";
import { type Config, csvTable } from "./tables.js";

/**
 * An operator who has nothing but valid studies, and wants to know how many patients of a kind one hospital has: each
 * question is a study that is offered, and cancelled as soon as the hospital has said whether it takes part.
 *
 * A study that declares the levels of that kind alone, and one row fewer than there are, was refused with another code
 * than one that declares one more: bisection gave the number, and the difference of two numbers one patient.
 */

const columns = ["age", "zip", "sex", "dx"] as const;
type Patient = Readonly<Record<(typeof columns)[number], string>>;

const spread = (i: number, levels: readonly string[], prime: number) => levels[(i * prime) % levels.length]!;
const ages = Array.from({ length: 50 }, (_, i) => String(30 + i));
const zips = ["10115", "10117", "10119", "10178", "10179"];

/** 400 patients; John alone is male, 47 and of 10115. */
export function patients(options: { readonly john: "HIV" | "flu" }): Patient[] {
  const others = Array.from({ length: 399 }, (_, i) => {
    const [age, zip, sex] = [spread(i, ages, 7), spread(i, zips, 3), i % 2 === 0 ? "m" : "f"];
    const isLikeJohn = age === "47" && zip === "10115" && sex === "m";
    return { age, zip: isLikeJohn ? "10117" : zip, sex, dx: i % 7 === 0 ? "HIV" : "flu" };
  });
  return [
    ...others.slice(0, 200),
    { age: "47", zip: "10115", sex: "m", dx: options.john },
    ...others.slice(200),
  ];
}

export const countWith = (table: readonly Patient[], kind: Partial<Patient>) =>
  table.filter((one) => columns.every((name) => kind[name] === undefined || one[name] === kind[name])).length;

export const patientsTable = (folder: string, name: string, table: readonly Patient[]): Promise<Config> =>
  csvTable(folder, name, columns, table);

/** What the operator came to know, and what it cost the hospital. */
export interface Attacked {
  /** The least number that the answers allow. */
  readonly count: number;
  readonly studies: number;
  /** How the hospital stood in each study when it had decided: all that the operator sees of an answer. */
  readonly answers: readonly string[];
}

/**
 * @param table - its name at the hospital
 * @param kind - the levels that are counted; a column that it leaves out may have any
 */
export async function countByAsking(
  hospital: ObservedHospital,
  table: string,
  kind: Partial<Patient>,
): Promise<Attacked> {
  const levels: Readonly<Record<keyof Patient, readonly string[]>> = {
    age: ages,
    zip: zips,
    sex: ["f", "m"],
    dx: ["HIV", "flu"],
  };
  const answers: string[] = [];
  const isMoreThan = async (most: number): Promise<boolean> => {
    const answer = await answerTo(hospital, {
      name: "question",
      table,
      analysis: "pca",
      method: "dp-pca",
      variant: "sound",
      parameters: { components: 1 },
      privacy: { epsilon: 0.1, delta: 1e-6 },
      features: columns.map((name) => ({
        name,
        type: "categorical",
        levels: kind[name] === undefined ? levels[name] : [kind[name], "nobody"],
      })),
      participation: { sites, minimumSites: 3, maxRowsPerSite: most, phaseDeadline: "10m" },
    });
    answers.push(answer);
    return answer.includes("PREFLIGHT_FAILED");
  };
  let [least, most] = [2, 400];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (await isMoreThan(middle)) least = middle + 1;
    else most = middle;
  }
  return { count: least, studies: answers.length, answers };
}

/** How the hospital stands once it has decided; then the study is cancelled. */
async function answerTo(hospital: ObservedHospital, study: object): Promise<string> {
  const { federation } = hospital;
  const { id } = await federation.startStudy(study);
  try {
    for (;;) {
      const view = await federation.study(id);
      const own = view.siteStates.find(({ site }) => site === observed)!;
      if (own.state !== "invited") return own.code === null ? "decided" : `refused ${own.code}`;
      await delay(20);
    }
  } finally {
    await federation.cli("study", "cancel", id);
  }
}
