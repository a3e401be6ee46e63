import { said, t } from "../../../shared/language";
import { methodName, variantWords } from "../../studies/wording";
import { type FieldSpec, type MethodSpec, methodOf } from "../schemaFields";

/** What a clinician may ask, and the method that answers it: read from the schema, so that a method which is not there is not offered. */

/** Which small picture stands for a release. */
export type PictureKind =
  | "table-one"
  | "counts"
  | "forest"
  | "survival"
  | "rows"
  | "scatter"
  | "tree"
  | "ranking"
  | "curves"
  | "groups";

/** What a choice does with the draft's outcome column (the study's `label`). */
export type LabelUse = "needed" | "possible" | "none";

/** One way to answer a question: a method, with the parameters that the choice sets. */
export interface Choice {
  /** Unique among all questions. */
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly method: MethodSpec;
  readonly sets: Readonly<Record<string, string>>;
  readonly label: LabelUse;
  /** Parameters that name a numeric column or a level of the label and must be there: they are filled in from the columns. */
  readonly needs: readonly string[];
  /** Parameters that this choice has and another of the same question may not have. */
  readonly uses: readonly string[];
}

export interface Question {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly picture: PictureKind;
  /** What its choices are called together; null for a question with one choice. */
  readonly asks: string | null;
  readonly choices: readonly Choice[];
}

interface Asked {
  readonly title: string;
  readonly about: string;
  readonly picture: PictureKind;
  readonly label: LabelUse;
  readonly needs?: readonly string[];
}

/** Of each proven method. Methods of one title are choices of one question. */
const askedOf: Readonly<Record<string, Asked>> = {
  describe: {
    get title() {
      return t("Who are the patients?");
    },
    get about() {
      return t("A table one: counts, shares, means and medians of every column, by group, with histograms.");
    },
    picture: "table-one",
    label: "possible",
  },
  counts: {
    get title() {
      return t("How many patients meet these conditions?");
    },
    get about() {
      return t("A feasibility count with its interval for each condition, at a small privacy cost.");
    },
    picture: "counts",
    label: "none",
  },
  regression: {
    get title() {
      return t("What goes with an outcome?");
    },
    get about() {
      return t(
        "Odds, rate or hazard ratios, or differences in means, of each column, adjusted for the others.",
      );
    },
    picture: "forest",
    label: "needed",
  },
  survival: {
    get title() {
      return t("How long until an event?");
    },
    get about() {
      return t("Survival curves with bands, by treatment or another group, and the log-rank test.");
    },
    picture: "survival",
    label: "needed",
    needs: ["event"],
  },
  "synthetic-table": {
    get title() {
      return t("Can others work on rows like ours?");
    },
    get about() {
      return t("A table of made-up patients that has the same counts, to write and try analyses on.");
    },
    picture: "rows",
    label: "none",
  },
  "dp-additive": {
    get title() {
      return t("How does the risk change with each variable?");
    },
    get about() {
      return t("A risk model of one curve for each column, which people can read and check.");
    },
    picture: "curves",
    label: "needed",
  },
  "dp-histboost": {
    get title() {
      return t("Can a model predict the outcome?");
    },
    get about() {
      return t("Boosted trees to run on new patients, with their accuracy on held-out rows.");
    },
    picture: "ranking",
    label: "needed",
  },
  "dp-pcc": {
    get title() {
      return t("Which few questions tell patients apart?");
    },
    get about() {
      return t("One small decision tree that a person can follow from top to bottom.");
    },
    picture: "tree",
    label: "needed",
  },
  "dp-pcc-s": {
    get title() {
      return t("Which few questions tell patients apart?");
    },
    about: "",
    picture: "tree",
    label: "needed",
  },
  "felp-a": {
    get title() {
      return t("Which variables matter most?");
    },
    get about() {
      return t("A ranking of many columns by what each tells of the outcome, and the best of them.");
    },
    picture: "ranking",
    label: "needed",
  },
  "felp-s": {
    get title() {
      return t("Which variables matter most?");
    },
    about: "",
    picture: "ranking",
    label: "needed",
  },
  "dp-ka": {
    get title() {
      return t("Which columns can be published in groups of at least K patients?");
    },
    get about() {
      return t("Coarse rows of the most telling columns, every combination held by K patients or more.");
    },
    picture: "groups",
    label: "needed",
  },
  "dp-pca": {
    get title() {
      return t("Which patterns do many measurements share?");
    },
    get about() {
      return t("Principal components, their loadings, and synthetic rows reduced to them.");
    },
    picture: "scatter",
    label: "possible",
  },
};

/** Where one question has several methods: what tells them apart. */
const methodHints: Readonly<Record<string, string>> = said({
  "dp-pcc": "Noisy counts at every node: the usual choice.",
  "dp-pcc-s": "Correlations of blocks of rows: for few rows and many columns.",
  "felp-a": "Distances to noisy prototypes: the usual choice.",
  "felp-s": "Weights found by blocks of rows at each site, then averaged.",
});

interface Family {
  readonly title: string;
  readonly hint: string;
  readonly label: LabelUse;
  readonly needs: readonly string[];
  readonly uses: readonly string[];
}

/** Kinds of outcome of a regression, by its parameter `family`. */
const families: Readonly<Record<string, Family>> = {
  logistic: {
    get title() {
      return t("Yes or no");
    },
    get hint() {
      return t("Such as readmitted: odds ratios (logistic regression).");
    },
    label: "needed",
    needs: [],
    uses: ["steps", "evaluation"],
  },
  linear: {
    get title() {
      return t("A number");
    },
    get hint() {
      return t("Such as blood pressure: differences in the mean (linear regression).");
    },
    label: "none",
    needs: ["outcome"],
    uses: ["outcome"],
  },
  poisson: {
    get title() {
      return t("A count");
    },
    get hint() {
      return t("Such as admissions in a year: rate ratios (Poisson regression).");
    },
    label: "none",
    needs: ["outcome"],
    uses: ["outcome", "exposure", "steps"],
  },
  cox: {
    get title() {
      return t("Time until an event");
    },
    get hint() {
      return t("Such as months to relapse: hazard ratios (Cox regression).");
    },
    label: "needed",
    needs: ["time", "event"],
    uses: ["time", "event", "intervals", "steps"],
  },
};

/** Questions with a proven answer, in the order of their methods. */
export function provenQuestions(methods: readonly MethodSpec[]): Question[] {
  const questions = new Map<string, Question>();
  for (const method of methods.filter(({ variant }) => variant === "sound")) {
    const asked = askedOf[method.method] ?? askedByName(method);
    const before = questions.get(asked.title);
    if (before === undefined)
      questions.set(asked.title, {
        id: method.method,
        title: asked.title,
        about: asked.about,
        picture: asked.picture,
        asks: method.method === "regression" ? t("What kind of outcome?") : t("By which method?"),
        choices: choicesOf(method, asked),
      });
    else questions.set(asked.title, { ...before, choices: [...before.choices, ...choicesOf(method, asked)] });
  }
  return [...questions.values()].map((one) => (one.choices.length > 1 ? one : { ...one, asks: null }));
}

/** Methods as their authors published them: no question of a clinician, but a figure to compare with. */
export function publishedQuestions(methods: readonly MethodSpec[]): Question[] {
  return methods
    .filter(({ variant }) => variant !== "sound")
    .map((method) => ({
      id: method.method,
      title: methodName(method.method),
      about: t("{methods} ({variant}): the privacy claim is not proven.", {
        methods: analysisOfProven(methods, method),
        variant: variantWords(method.variant),
      }),
      picture: pictureOf(methods, method),
      asks: null,
      choices: [choiceOf(method, { label: method.analysis === "pca" ? "possible" : "needed" })],
    }));
}

/** A method that these pages know no question for: it is offered by its name. */
function askedByName({ method }: MethodSpec): Asked {
  return { title: methodName(method), about: "", picture: "ranking", label: "possible" };
}

const provenOf = (methods: readonly MethodSpec[], { analysis }: MethodSpec) =>
  methods.find((one) => one.analysis === analysis && one.variant === "sound" && one.method in askedOf);

function analysisOfProven(methods: readonly MethodSpec[], method: MethodSpec): string {
  const proven = provenOf(methods, method);
  return proven === undefined ? method.analysis : askedOf[proven.method]!.title;
}

function pictureOf(methods: readonly MethodSpec[], method: MethodSpec): PictureKind {
  const proven = provenOf(methods, method);
  return proven === undefined ? "ranking" : askedOf[proven.method]!.picture;
}

function choicesOf(method: MethodSpec, asked: Asked): Choice[] {
  const family = method.method === "regression" ? fieldOf(method, "family")?.field : undefined;
  if (family?.kind !== "choice") return [choiceOf(method, asked)];
  return family.options.map((option): Choice => {
    const known = families[option] ?? { title: option, hint: "", label: "possible", needs: [], uses: [] };
    return { id: `${method.method}-${option}`, method, sets: { family: option }, ...known };
  });
}

function choiceOf(method: MethodSpec, { label, needs = [] }: Pick<Asked, "label" | "needs">): Choice {
  return {
    id: method.method,
    title: method.method,
    hint: methodHints[method.method] ?? "",
    method,
    sets: {},
    label,
    needs,
    uses: [],
  };
}

const fieldOf = (method: MethodSpec, key: string): FieldSpec | undefined =>
  method.parameters.find((field) => field.key === key);

/** A question, and which of its choices. */
export interface Chosen {
  readonly question: Question;
  readonly choice: Choice;
}

/** What a study's file asks; null while its method is unknown. */
export function chosenOf(
  questions: readonly Question[],
  methods: readonly MethodSpec[],
  study: Readonly<Record<string, unknown>>,
): Chosen | null {
  const method = methodOf(methods, study);
  if (method === null) return null;
  const parameters = (study.parameters ?? {}) as Readonly<Record<string, unknown>>;
  const isSet = ([key, value]: readonly [string, string]) =>
    (parameters[key] ?? fieldOf(method, key)?.usual) === value;
  for (const question of questions) {
    const own = question.choices.filter((choice) => choice.method === method);
    const choice = own.find(({ sets }) => Object.entries(sets).every(isSet)) ?? own[0];
    if (choice !== undefined) return { question, choice };
  }
  return null;
}
