/**
 * Common clinical variables, with bounds to propose: plausible values of adults in hospital care with room on both sides, never
 * the extremes of a table. They are public knowledge and a start: a person checks each, and its unit above all.
 */

export interface ClinicalUnit {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  /** Customary cut-offs, where there are any. */
  readonly edges?: readonly number[];
}

export interface ClinicalVariable {
  /** The first is what it is called; all are compared without case, blanks and signs. */
  readonly names: readonly string[];
  /** The commonest first; of a category none. */
  readonly units?: readonly ClinicalUnit[];
  readonly levels?: readonly string[];
}

const number = (names: string, ...units: readonly ClinicalUnit[]): ClinicalVariable => ({
  names: names.split(", "),
  units,
});
const category = (names: string, levels: string): ClinicalVariable => ({
  names: names.split(", "),
  levels: levels.split(", "),
});
const of = (unit: string, min: number, max: number, edges?: readonly number[]): ClinicalUnit => ({
  unit,
  min,
  max,
  ...(edges === undefined ? {} : { edges }),
});

export const clinicalVariables: readonly ClinicalVariable[] = [
  number(
    "age, age years, age at admission, age at diagnosis, age at index, alter, patient age",
    of("years", 18, 100, [30, 40, 50, 60, 70, 80]),
  ),
  category("sex, gender, geschlecht", "female, male"),
  category("smoking, smoking status, smoker, tobacco, raucherstatus", "never, former, current"),
  category("diabetes, diabetic, dm, diabetes mellitus, hypertension, copd, stroke, ckd, dementia", "no, yes"),
  category(
    "heart failure, atrial fibrillation, myocardial infarction, cancer, dialysis, ventilation, icu, died, death",
    "no, yes",
  ),
  category(
    "in hospital death, mortality 30d, readmitted, readmission, readmitted 30d, sepsis, aki",
    "no, yes",
  ),
  category("treatment, arm, study arm, treatment arm", "standard, new"),
  category("asa, asa class, asa score", "1, 2, 3, 4, 5"),
  category("nyha, nyha class", "1, 2, 3, 4"),
  category("ecog, ecog status, performance status", "0, 1, 2, 3, 4"),
  category("blood group, blood type, abo", "A, B, AB, O"),
  category("admission type, type of admission", "elective, emergency"),
  // Body
  number(
    "height, body height, groesse, körpergröße",
    of("cm", 120, 220, [150, 160, 170, 180, 190]),
    of("m", 1.2, 2.2),
  ),
  number("weight, body weight, gewicht", of("kg", 30, 200, [50, 60, 70, 80, 90, 100, 120])),
  number("bmi, body mass index", of("kg/m2", 10, 60, [18.5, 25, 30, 35, 40])),
  number("waist, waist circumference", of("cm", 50, 180, [80, 88, 94, 102])),
  // Vital signs
  number(
    "systolic blood pressure, systolic, systolic bp, systolic pressure, sbp, sysbp, bp systolic",
    of("mmHg", 60, 260, [90, 120, 130, 140, 160, 180]),
  ),
  number(
    "diastolic blood pressure, diastolic, diastolic bp, diastolic pressure, dbp, diabp, bp diastolic",
    of("mmHg", 30, 160, [60, 80, 90, 100, 110]),
  ),
  number("mean arterial pressure, map, mean bp", of("mmHg", 30, 180, [65, 80, 100])),
  number("heart rate, hr, pulse, pulse rate, puls", of("1/min", 30, 220, [50, 60, 80, 100, 120, 140])),
  number("respiratory rate, rr, resp rate, atemfrequenz", of("1/min", 4, 60, [12, 20, 25, 30])),
  number(
    "temperature, temp, body temperature, temperatur",
    of("°C", 32, 43, [36, 37.5, 38, 39]),
    of("°F", 90, 109, [96.8, 99.5, 100.4, 102.2]),
  ),
  number("spo2, oxygen saturation, o2 sat, sao2, saturation", of("%", 50, 100, [88, 92, 94, 96])),
  number("gcs, glasgow coma scale, glasgow coma score", of("points", 3, 15, [9, 13])),
  // Chemistry
  number(
    "creatinine, serum creatinine, crea, kreatinin",
    of("mg/dL", 0.2, 15, [0.7, 1.2, 2, 3.5, 5]),
    of("µmol/L", 20, 1300, [60, 110, 170, 300, 440]),
  ),
  number("egfr, gfr, estimated gfr", of("mL/min/1.73m2", 0, 150, [15, 30, 45, 60, 90])),
  number(
    "urea, serum urea, harnstoff",
    of("mmol/L", 1, 60, [3, 7, 10, 20]),
    of("mg/dL", 6, 360, [18, 42, 60, 120]),
  ),
  number("bun, blood urea nitrogen", of("mg/dL", 2, 170, [8, 20, 30, 60])),
  number("sodium, na, natrium", of("mmol/L", 110, 170, [130, 135, 145, 150])),
  number("potassium, k, kalium", of("mmol/L", 2, 8, [3, 3.5, 5, 5.5, 6])),
  number("chloride, cl, chlorid", of("mmol/L", 70, 140, [98, 107])),
  number("bicarbonate, hco3, bikarbonat", of("mmol/L", 5, 50, [18, 22, 28])),
  number("calcium, ca", of("mmol/L", 1, 4, [2.1, 2.6]), of("mg/dL", 4, 16, [8.5, 10.5])),
  number("magnesium, mg", of("mmol/L", 0.2, 3, [0.7, 1]), of("mg/dL", 0.5, 7, [1.7, 2.4])),
  number("phosphate, phosphat", of("mmol/L", 0.2, 4, [0.8, 1.5]), of("mg/dL", 0.6, 12, [2.5, 4.5])),
  number(
    "glucose, blood glucose, fasting glucose, glukose",
    of("mmol/L", 1, 40, [4, 5.6, 7, 11.1, 20]),
    of("mg/dL", 20, 720, [70, 100, 126, 200, 360]),
  ),
  number("hba1c, a1c", of("%", 3, 18, [5.7, 6.5, 7, 8, 9]), of("mmol/mol", 10, 175, [39, 48, 53, 64, 75])),
  number(
    "total cholesterol, cholesterol, cholesterol total, chol",
    of("mmol/L", 1, 15, [4, 5.2, 6.2]),
    of("mg/dL", 40, 580, [155, 200, 240]),
  ),
  number(
    "ldl, ldl cholesterol, ldl c",
    of("mmol/L", 0.2, 10, [1.8, 2.6, 3.4, 4.1]),
    of("mg/dL", 10, 390, [70, 100, 130, 160]),
  ),
  number(
    "hdl, hdl cholesterol, hdl c",
    of("mmol/L", 0.2, 4, [1, 1.3, 1.6]),
    of("mg/dL", 8, 155, [40, 50, 60]),
  ),
  number(
    "triglycerides, tg, triglyceride",
    of("mmol/L", 0.2, 20, [1.7, 2.3, 5.6]),
    of("mg/dL", 20, 1800, [150, 200, 500]),
  ),
  number(
    "bilirubin, total bilirubin, bilirubin total",
    of("mg/dL", 0, 40, [1.2, 2, 6, 12]),
    of("µmol/L", 0, 680, [20, 33, 102, 204]),
  ),
  number("alt, alat, gpt", of("U/L", 0, 2000, [40, 80, 200, 1000])),
  number("ast, asat, got", of("U/L", 0, 2000, [40, 80, 200, 1000])),
  number("ggt, gamma gt", of("U/L", 0, 2000, [60, 120, 300])),
  number("alkaline phosphatase, alp, ap", of("U/L", 0, 1500, [40, 130, 260])),
  number("ldh, lactate dehydrogenase", of("U/L", 50, 3000, [250, 500, 1000])),
  number("lipase", of("U/L", 0, 3000, [60, 180])),
  number("ck, creatine kinase", of("U/L", 0, 10000, [200, 1000, 5000])),
  number("albumin, serum albumin", of("g/L", 5, 60, [25, 30, 35, 50]), of("g/dL", 0.5, 6, [2.5, 3, 3.5, 5])),
  number("total protein, protein", of("g/L", 20, 120, [60, 80])),
  number("lactate, laktat", of("mmol/L", 0, 25, [1, 2, 4, 8])),
  number("crp, c reactive protein", of("mg/L", 0, 500, [5, 10, 50, 100, 200])),
  number("procalcitonin, pct", of("ng/mL", 0, 200, [0.1, 0.25, 0.5, 2, 10])),
  number("ferritin", of("ng/mL", 0, 5000, [30, 300, 1000])),
  number("troponin, troponin t, hs troponin, hs troponin t, tnt", of("ng/L", 0, 10000, [14, 52, 100, 1000])),
  number("nt pro bnp", of("pg/mL", 0, 35000, [125, 300, 900, 1800, 5000])),
  number("bnp", of("pg/mL", 0, 5000, [35, 100, 400, 1000])),
  number("tsh", of("mU/L", 0, 100, [0.4, 4, 10])),
  number("psa", of("ng/mL", 0, 500, [4, 10, 20])),
  number("uric acid, urate", of("mg/dL", 0, 20, [3.5, 7]), of("µmol/L", 0, 1200, [200, 420])),
  // Blood
  number(
    "haemoglobin, hemoglobin, hb, hgb",
    of("g/dL", 3, 22, [7, 8, 10, 12, 14, 16]),
    of("g/L", 30, 220, [70, 80, 100, 120, 140, 160]),
    of("mmol/L", 2, 14, [4.3, 5, 6.2, 7.5, 8.7]),
  ),
  number("haematocrit, hematocrit, hct", of("%", 10, 65, [25, 30, 36, 42, 50])),
  number("white cell count, wbc, leucocytes, leukocytes, leukozyten", of("10^9/L", 0, 100, [4, 10, 15, 25])),
  number("neutrophils, neutrophil count", of("10^9/L", 0, 60, [1.5, 2, 7.5, 15])),
  number("lymphocytes, lymphocyte count", of("10^9/L", 0, 50, [1, 4])),
  number(
    "platelets, platelet count, plt, thrombocytes, thrombozyten",
    of("10^9/L", 0, 1500, [50, 100, 150, 400]),
  ),
  number("mcv", of("fL", 50, 140, [80, 96])),
  number("inr", of("ratio", 0.5, 15, [1.2, 2, 3, 4.5])),
  number("aptt, ptt", of("s", 10, 200, [25, 40, 60])),
  number("d dimer", of("mg/L", 0, 40, [0.5, 1, 4])),
  number("ph, blood ph, arterial ph", of("pH", 6.8, 7.8, [7.2, 7.35, 7.45])),
  number("pao2, po2", of("mmHg", 20, 600, [60, 80, 100])),
  number("paco2, pco2", of("mmHg", 10, 150, [35, 45, 60])),
  // Scores and stays
  number("lvef, ejection fraction, ef", of("%", 5, 85, [30, 40, 50])),
  number("fev1", of("L", 0.2, 6, [1, 2, 3])),
  number("apache, apache ii", of("points", 0, 71, [10, 15, 20, 25, 35])),
  number("sofa, sofa score", of("points", 0, 24, [2, 5, 8, 11])),
  number("saps ii, saps2", of("points", 0, 163, [29, 40, 52, 65])),
  number("charlson, charlson index, cci", of("points", 0, 20, [1, 2, 3, 5])),
  number("nihss", of("points", 0, 42, [5, 15, 21])),
  number("news, news2", of("points", 0, 20, [5, 7])),
  number("length of stay, los, stay days, verweildauer", of("days", 0, 90, [1, 3, 7, 14, 30])),
  number("icu days, icu length of stay", of("days", 0, 60, [1, 3, 7, 14])),
  number("admissions, number of admissions, previous admissions, stays", of("stays", 0, 20, [1, 2, 3, 5])),
  number("medications, number of medications", of("drugs", 0, 40, [1, 5, 10])),
  number("pack years", of("pack-years", 0, 150, [10, 20, 40])),
];

/** Without case, blanks and signs. */
const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/[µμ]/g, "u")
    .replace(/[^\p{L}\p{N}]+/gu, "");

const byName = new Map(
  clinicalVariables.flatMap((one) => one.names.map((name) => [plain(name), one] as const)),
);

/** What tables add to a variable's name: when it was taken, or which of several values it is. */
const additions =
  /(?:^|[\s._-])(?:first|last|mean|avg|median|min|max|lowest|highest|worst|baseline|bl|admission|adm|at admission|discharge|value|val|result|serum|plasma|blood|lab|vital|level)(?=$|[\s._-])/giu;

/** What is proposed for a column of this name. */
export interface Proposal {
  /** What the variable is called. */
  readonly name: string;
  /** The one that the column's name says, else the commonest, comes first; none of a category. */
  readonly units: readonly ClinicalUnit[];
  readonly levels: readonly string[];
}

/** @returns null for a name that says no common variable */
export function proposalFor(column: string): Proposal | null {
  const spaced = column.replace(/([a-z])([A-Z])/g, "$1 $2");
  const shortened = spaced.replace(additions, " ").trim();
  for (const name of [spaced, shortened]) {
    const whole = byName.get(plain(name));
    if (whole !== undefined) return asProposal(whole, null);
    // `creatinine_mg_dl`: what follows the name is a unit.
    for (const { cut, rest } of cutsOf(name)) {
      const found = byName.get(plain(cut));
      const unit = found?.units?.find((one) => plain(one.unit) === plain(rest));
      if (found !== undefined && unit !== undefined) return asProposal(found, unit);
    }
  }
  return null;
}

/** Each way to divide a name at a sign: the longest first part first. */
function cutsOf(name: string): { readonly cut: string; readonly rest: string }[] {
  const cuts = [...name.matchAll(/[\s._([-]+/g)].map(({ index }) => index);
  return cuts.reverse().map((at) => ({ cut: name.slice(0, at), rest: name.slice(at) }));
}

function asProposal(
  { names, units = [], levels = [] }: ClinicalVariable,
  first: ClinicalUnit | null,
): Proposal {
  const others = units.filter((one) => one !== first);
  return { name: names[0]!, units: first === null ? units : [first, ...others], levels };
}
