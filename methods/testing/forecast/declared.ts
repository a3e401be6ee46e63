import type { TableName, TableRow } from "./tables.js";

/** A public table as an operator declares it before anybody has read it: bounds of what is plausible. */
export interface DeclaredTable {
  readonly data: TableName;
  /** Whether nothing of the forecast was chosen by it. */
  readonly isHeldOut: boolean;
  readonly features: readonly DeclaredFeature[];
  readonly label?: { readonly name: string; readonly levels: readonly string[] };
  /** Follow-up to the label's level `event`. */
  readonly followUp?: { readonly time: string; readonly horizon: number; readonly event: string };
  /** A number among the features that the others explain. */
  readonly outcome?: string;
  /** A count that they explain, and the largest that is taken as it is. */
  readonly counts?: { readonly name: string; readonly most: number };
  /** What the columns are made of, where the table's cells are not what the study declares. */
  readonly recode?: (row: TableRow) => TableRow;
}

export interface DeclaredFeature {
  readonly name: string;
  readonly type: "numeric" | "categorical";
  readonly min?: number;
  readonly max?: number;
  readonly levels?: readonly string[];
}

const number = (name: string, min: number, max: number): DeclaredFeature => ({
  name,
  type: "numeric",
  min,
  max,
});
const category = (name: string, ...levels: readonly string[]): DeclaredFeature => ({
  name,
  type: "categorical",
  levels,
});
const label = (name: string, ...levels: readonly string[]) => ({ name, levels });

const chosenBy: readonly Omit<DeclaredTable, "isHeldOut">[] = [
  {
    data: "wdbc",
    label: label("diagnosis", "benign", "malignant"),
    features: [
      number("radius_mean", 6, 24),
      number("texture_mean", 10, 32),
      number("smoothness_mean", 0.06, 0.14),
    ],
  },
  {
    data: "adult",
    label: label("income", "<=50K", ">50K"),
    outcome: "hours",
    features: [
      number("age", 17, 90),
      number("educationnum", 1, 16),
      number("hours", 0, 100),
      category("sex", "Female", "Male"),
      category("race", "White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"),
    ],
  },
  {
    data: "heart",
    label: label("num", "0", "1"),
    outcome: "thalach",
    features: [
      number("age", 20, 90),
      category("sex", "0.0", "1.0"),
      category("cp", "4.0", "1.0", "2.0", "3.0"),
      number("trestbps", 60, 220),
      number("thalach", 50, 220),
      category("exang", "0.0", "1.0"),
      number("oldpeak", -2, 6),
    ],
    recode: (row) => ({ ...row, num: row.num === "0" ? "0" : "1" }),
  },
  {
    data: "nafld",
    label: label("death", "0", "1"),
    followUp: { time: "days", horizon: 7_500, event: "1" },
    outcome: "bmi",
    features: [number("age", 18, 100), category("male", "0", "1"), number("bmi", 15, 60)],
  },
  {
    data: "covertype",
    label: label("type", "other", "2"),
    outcome: "noon",
    features: [
      number("elevation", 1_500, 4_000),
      number("slope", 0, 60),
      number("water", 0, 1_400),
      number("roads", 0, 7_000),
      number("noon", 0, 255),
      number("fire", 0, 7_000),
    ],
    recode: (row) => ({ ...row, type: row.type === "2" ? "2" : "other" }),
  },
  {
    data: "relapse",
    label: label("relapse", "0", "1"),
    followUp: { time: "years", horizon: 20, event: "1" },
    counts: { name: "nodes", most: 40 },
    features: [
      number("age", 20, 90),
      category("size", "<=20", "20-50", ">50"),
      category("hormon", "no", "yes"),
    ],
  },
  {
    data: "colon",
    label: label("death", "0", "1"),
    followUp: { time: "death_days", horizon: 3_650, event: "1" },
    counts: { name: "nodes", most: 30 },
    features: [
      category("arm", "Obs", "Lev", "Lev+5FU"),
      category("sex", "female", "male"),
      number("age", 18, 90),
    ],
  },
  {
    data: "pbc",
    label: label("status", "censored", "transplant", "death"),
    followUp: { time: "days", horizon: 5_000, event: "death" },
    features: [
      category("sex", "f", "m"),
      number("age", 20, 80),
      number("bili", 0, 30),
      number("albumin", 1.5, 5),
    ],
  },
  {
    data: "trial",
    label: label("status", "alive", "dead", "lost to follow-up"),
    followUp: { time: "months", horizon: 60, event: "dead" },
    features: [category("arm", "standard", "new")],
  },
];

/** Declared by what columns are called and mean, before a forecast or a release of any was made. */
const heldOut: readonly Omit<DeclaredTable, "isHeldOut">[] = [
  {
    data: "survival/flchain",
    label: label("death", "0", "1"),
    followUp: { time: "futime", horizon: 5_000, event: "1" },
    outcome: "creatinine",
    features: [
      number("age", 50, 100),
      category("sex", "F", "M"),
      number("kappa", 0, 10),
      number("lambda", 0, 10),
      number("creatinine", 0, 5),
    ],
  },
  {
    data: "survival/nwtco",
    label: label("rel", "0", "1"),
    followUp: { time: "edrel", horizon: 6_000, event: "1" },
    features: [
      category("histol", "1", "2"),
      category("stage", "1", "2", "3", "4"),
      category("study", "3", "4"),
      number("age", 0, 200),
    ],
  },
  {
    data: "survival/mgus2",
    label: label("death", "0", "1"),
    followUp: { time: "futime", horizon: 360, event: "1" },
    outcome: "hgb",
    features: [
      category("sex", "F", "M"),
      number("age", 20, 100),
      number("hgb", 5, 20),
      number("creat", 0, 10),
    ],
  },
  {
    data: "survival/myeloid",
    label: label("death", "0", "1"),
    followUp: { time: "futime", horizon: 2_500, event: "1" },
    features: [category("trt", "A", "B"), category("sex", "f", "m"), category("flt3", "A", "B", "C")],
  },
  {
    data: "asaur/prostateSurvival",
    label: label("status", "0", "1", "2"),
    followUp: { time: "survTime", horizon: 120, event: "2" },
    features: [
      category("grade", "mode", "poor"),
      category("stage", "T1c", "T1ab", "T2"),
      category("ageGroup", "66-69", "70-74", "75-79", "80+"),
    ],
  },
  {
    data: "AER/NMES1988",
    label: label("insurance", "no", "yes"),
    counts: { name: "visits", most: 60 },
    features: [
      category("health", "average", "poor", "excellent"),
      category("gender", "female", "male"),
      number("chronic", 0, 10),
      number("school", 0, 20),
    ],
  },
  {
    data: "AER/DoctorVisits",
    label: label("private", "no", "yes"),
    counts: { name: "visits", most: 10 },
    features: [category("gender", "female", "male"), number("illness", 0, 5), number("health", 0, 12)],
  },
  {
    data: "AER/HealthInsurance",
    label: label("insurance", "no", "yes"),
    outcome: "age",
    features: [
      number("age", 18, 65),
      category("gender", "female", "male"),
      category("health", "yes", "no"),
      category("selfemp", "no", "yes"),
      number("family", 1, 15),
      category("ethnicity", "cauc", "afam", "other"),
    ],
  },
  {
    data: "AER/CPS1988",
    label: label("parttime", "no", "yes"),
    outcome: "wage",
    features: [
      number("wage", 0, 3_000),
      number("education", 0, 20),
      number("experience", 0, 60),
      category("ethnicity", "cauc", "afam"),
      category("region", "northeast", "midwest", "south", "west"),
    ],
  },
  {
    data: "COUNT/rwm",
    counts: { name: "docvis", most: 50 },
    outcome: "hhninc",
    features: [number("age", 18, 70), number("educ", 6, 20), number("hhninc", 0, 20)],
  },
  {
    data: "COUNT/azpro",
    label: label("admit", "0", "1"),
    counts: { name: "los", most: 50 },
    features: [category("procedure", "0", "1"), category("sex", "0", "1")],
  },
  {
    data: "mlmRev/Contraception",
    label: label("use", "N", "Y"),
    features: [category("livch", "0", "1", "2", "3+"), category("urban", "N", "Y"), number("age", -20, 20)],
  },
  {
    data: "mosaicData/Whickham",
    label: label("outcome", "Alive", "Dead"),
    features: [category("smoker", "No", "Yes"), number("age", 18, 90)],
  },
  {
    data: "openintro/yrbss",
    label: label("gender", "female", "male"),
    outcome: "weight",
    features: [
      number("age", 12, 18),
      number("height", 1.2, 2.2),
      number("weight", 30, 180),
      number("physically_active_7d", 0, 7),
    ],
  },
  {
    data: "carData/Arrests",
    label: label("released", "No", "Yes"),
    counts: { name: "checks", most: 6 },
    features: [
      category("colour", "White", "Black"),
      number("age", 10, 70),
      category("employed", "Yes", "No"),
      category("sex", "Male", "Female"),
    ],
  },
];

export const declaredTables: readonly DeclaredTable[] = [
  ...chosenBy.map((one) => ({ ...one, isHeldOut: false })),
  ...heldOut.map((one) => ({ ...one, isHeldOut: true })),
];
