import { defaultBudget } from "@consilium/core/privacy/defaultBudget";
import type { Plan } from "@consilium/core/study/plan";
import { requestSchema } from "@consilium/core/study/request";
import { soundRegistry } from "@consilium/methods/registry";
import { z } from "zod";
import type { TableUnit } from "../data/tableUnit.js";
import type { JudgedCost } from "./unitCost.js";

/**
 * The hospital's policy: which studies it takes part in, who decides, which other hospitals it knows, and how much
 * privacy its records may ever spend. `policy.yaml` in the agent's state folder; docs/samples/policy.yaml has every key.
 */

/** Those of the proven methods: a published one is of the same analysis as a proven one. */
const knownAnalyses = [...new Set(soundRegistry.map(({ analysis }) => analysis))];
const knownVariants = ["sound", "paper"] as const;
export type Variant = (typeof knownVariants)[number];

/** The population of every table that no other one names, where the policy declares it or no population at all. */
const defaultPopulation = "default";

/** What a population may spend in total: ε at this δ, over all its studies. */
export interface Budget {
  readonly epsilon: number;
  readonly delta: number;
}

const tableName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "a table's name holds letters, digits, _ and -, at most 64 characters");
const columnName = z.string().min(1, "a column needs a name").max(128, "at most 128 characters");
const epsilonCap = z.number().positive("epsilon must be greater than 0");
const deltaCap = z.number().gt(0, "delta must be greater than 0").lt(1, "delta must be less than 1");
const different = (all: readonly string[]) => new Set(all).size === all.length;

const columnRule = z
  .strictObject({
    /** Studies may name these columns of the table and no others. */
    allow: z.array(columnName).max(100_000).optional(),
    /** Studies may name all columns but these; capitals and blanks around a name do not matter. */
    deny: z.array(columnName).max(100_000).optional(),
  })
  .refine((rule) => (rule.allow === undefined) !== (rule.deny === undefined), {
    message: "give either allow or deny",
  });

const variantList = z
  .array(z.enum(knownVariants, { error: `a variant is one of: ${knownVariants.join(", ")}` }))
  .refine(different, "name each variant once");

const approvalRule = z.strictObject({
  automatic: z.strictObject({
    /** Studies that cost more at the δ of their population wait for a person, */
    maxEpsilon: epsilonCap,
    /** and so do those whose own δ is greater. */
    maxDelta: deltaCap,
    /** `sound` alone: whose privacy is proven. */
    variants: variantList.min(1, "name at least one variant").default(["sound"]),
  }),
});

/** A union's own message would not name the key that is misspelt inside. */
const approvalFault = (issue: { readonly errors?: readonly (readonly z.core.$ZodIssue[])[] }): string => {
  const inside = (issue.errors ?? [])
    .flat()
    .find((fault) => fault.path.length > 0 || fault.code === "unrecognized_keys");
  const where = inside?.path.map(String).join(".") ?? "";
  const what =
    inside?.code === "unrecognized_keys"
      ? `${[...inside.path, ...inside.keys].map(String).join(".")} is not a key here; `
      : inside === undefined
        ? ""
        : `${where}: ${inside.message}; `;
  return `${what}write person, automatic, or automatic: {maxEpsilon: 0.5, maxDelta: 1e-6, variants: [sound]}`;
};

const approval = z
  .union([z.enum(["person", "automatic"]), approvalRule], {
    error: (issue) => approvalFault(issue as Parameters<typeof approvalFault>[0]),
  })
  .default("person");

const population = z.strictObject({
  tables: z.array(tableName).refine(different, "name each table once").default([]),
  /** Over all studies together; `unlimited` sets no limit, and says so wherever the budget is shown. */
  epsilon: z.union([epsilonCap, z.literal("unlimited")], {
    error: "a number greater than 0, or unlimited",
  }),
  delta: deltaCap.default(defaultBudget.delta),
});

const fingerprint = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, "a fingerprint is 64 hexadecimal digits, as `consilium site status` shows it")
  .transform((text) => text.toLowerCase());

export const policySchema = z
  .strictObject({
    analyses: z
      .array(z.enum(knownAnalyses, { error: `an analysis is one of: ${knownAnalyses.join(", ")}` }))
      .refine(different, "name each analysis once")
      .default(knownAnalyses),
    /** `sound`: privacy is proven. `paper`: it is claimed by a method's authors. */
    variants: variantList.default(["sound"]),
    /** By table. A table without an entry may be used with all its columns. */
    columns: z.record(tableName, columnRule).default({}),
    /** What the aggregator learns of the tables that studies may use: their columns' names and types, these with what people wrote of them, their names, or nothing. */
    announce: z.enum(["columns", "described", "tables", "nothing"]).default("columns"),
    /** Whether a release may say by which code this hospital did not take part in its study. */
    publishRefusals: z.boolean("true or false").default(false),
    /** The most that one study may cost one patient or record. */
    perStudy: z.strictObject({ epsilon: epsilonCap.optional(), delta: deltaCap.optional() }).default({}),
    /** The fewest sites that a study must bring together. */
    minimumSites: z.int("a whole number of sites").min(3, "at least 3").max(1024, "at most 1024").default(3),
    /** The fewest rows of this hospital that a study must use. */
    minimumRows: z.int("a whole number of rows").min(0).default(0),
    /** Of the rows that a study means to use, the percentage below which people are told. It decides nothing: that would tell of records. */
    minimumUsable: z.int("a whole percentage").min(0, "at least 0").max(100, "at most 100").default(80),
    /** Studies must withstand at least so many sites that work together with the aggregator. */
    tolerateColluding: z.int("a whole number of sites").min(0).max(1024).default(0),
    /** `perHospital`: whether a sound study may show figures of single hospitals, or of too few together. */
    figures: z.strictObject({ perHospital: z.boolean().default(false) }).prefault({}),
    /** What a study must state of who wants it, and on what ground. */
    requires: z.array(requestSchema.keyof()).refine(different, "name each key once").default([]),
    approval,
    /**
     * After so many studies of a population that run without an answer yet, or ended so since a person last decided on one, a person decides
     * on the next. A study has no answer while hospitals are asked whether they join, which takes up to 7 days: with ten places a federation
     * can begin ten studies of a population in a week and have none stopped; what ten ends can say is ten codes.
     */
    maxUnanswered: z
      .int("a whole number of studies")
      .min(1, "at least 1")
      .max(1_000, "at most 1000")
      .default(10),
    /** How many people must approve a study that no rule joins. */
    approvals: z
      .union([z.literal(1), z.literal(2)], { error: "write 1, or 2 for two different people" })
      .default(1),
    /**
     * When answers to a study's steps leave: when they are ready, which tells how long a pass over the table takes, or at
     * whole multiples of so many seconds.
     */
    answerOn: z
      .union([
        z.literal("ready"),
        z.strictObject({ schedule: z.int("a whole number of seconds").min(1).max(3_600) }),
      ])
      .default("ready"),
    /** The signing keys of hospitals that this one knows, by name. Empty: whom the federation has certified. */
    members: z
      .record(z.string().min(1, "a member needs a name").max(64, "at most 64 characters"), fingerprint)
      .default({}),
    populations: z
      .record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "letters, digits, _ and -"), population)
      .default({}),
  })
  .superRefine((policy, context) => {
    const { epsilon, delta } = policy.perStudy;
    if (policy.approval === "automatic" && (epsilon === undefined || delta === undefined)) {
      context.addIssue({
        code: "custom",
        path: ["approval"],
        message:
          "automatic needs limits for one study: write perStudy: {epsilon: 1, delta: 1e-6}, or automatic: {maxEpsilon: 0.5, maxDelta: 1e-6}",
      });
    }
    const claimed = new Map<string, string>();
    for (const [name, { tables }] of Object.entries(policy.populations)) {
      if (tables.length === 0 && name !== defaultPopulation) {
        context.addIssue({
          code: "custom",
          path: ["populations", name],
          message: `names no table; only the population ${defaultPopulation} may, for all tables that no other one names`,
        });
      }
      for (const [index, table] of tables.entries()) {
        const other = claimed.get(table);
        if (other !== undefined) {
          context.addIssue({
            code: "custom",
            path: ["populations", name, "tables", index],
            message: `table ${table} belongs to the population ${other} already: its records have one budget`,
          });
        }
        claimed.set(table, name);
      }
    }
    const pinned = new Map<string, string>();
    for (const [name, key] of Object.entries(policy.members)) {
      const other = pinned.get(key);
      if (other !== undefined) {
        context.addIssue({ code: "custom", path: ["members", name], message: `the same key as ${other}` });
      }
      pinned.set(key, name);
    }
  });

/** A policy as read, defaults filled in. */
export type Policy = z.output<typeof policySchema>;

/** The policy of a hospital that has written none: proven privacy only, and a person approves. */
export const defaultPolicy: Policy = policySchema.parse({});

/** A table's population, and what it may spend. */
export interface PopulationBudget {
  readonly name: string;
  /** At which every ε of the population is judged and shown. */
  readonly delta: number;
  /** Null: the hospital sets no limit. */
  readonly budget: Budget | null;
}

/**
 * A table belongs to the population that names it. One that none names belongs to `default` where the policy declares it,
 * or declares no population at all; otherwise it has none, and no study may use it: a table under a new name has no new
 * budget.
 */
export function populationOf(policy: Policy, table: string): PopulationBudget | null {
  const named = Object.entries(policy.populations).find(([, one]) => one.tables.includes(table));
  if (named !== undefined) return budgetOf(...named);
  return hasDefaultPopulation(policy)
    ? budgetOf(defaultPopulation, policy.populations[defaultPopulation])
    : null;
}

/** All populations of a policy, each with the tables that it names. */
export function populations(policy: Policy): (PopulationBudget & { readonly tables: readonly string[] })[] {
  const names = new Set([
    ...Object.keys(policy.populations),
    ...(hasDefaultPopulation(policy) ? [defaultPopulation] : []),
  ]);
  return [...names].map((name) => {
    const declared = policy.populations[name];
    return { ...budgetOf(name, declared), tables: declared?.tables ?? [] };
  });
}

function hasDefaultPopulation({ populations: declared }: Policy): boolean {
  return declared[defaultPopulation] !== undefined || Object.keys(declared).length === 0;
}

function budgetOf(name: string, declared: Policy["populations"][string] | undefined): PopulationBudget {
  if (declared === undefined) return { name, delta: defaultBudget.delta, budget: defaultBudget };
  const { epsilon, delta } = declared;
  return { name, delta, budget: epsilon === "unlimited" ? null : { epsilon, delta } };
}

/**
 * Whether a study that the policy allows waits for a person. A study without any privacy is never decided by a rule of
 * costs, and a study of a table whose unit or whose columns' names the hospital has not declared by none at all: nobody
 * has said then whom its ε protects, or that the names are no record. Nor is one after too many that ended without an answer, or may
 * still do so: an end may say what no sum does.
 */
export function approvalOf(
  policy: Policy,
  plan: Plan,
  judged: {
    readonly unit: TableUnit;
    readonly cost: JudgedCost;
    readonly hasDeclaredColumns: boolean;
    readonly unanswered: number;
  },
): "person" | "automatic" {
  if (policy.approval === "person" || !judged.unit.declared || !judged.hasDeclaredColumns) return "person";
  if (judged.unanswered >= policy.maxUnanswered) return "person";
  // Refused by itself, a sound study would tell that there are fewer rows.
  if (policy.minimumRows > 0 && variantOf(plan) === "sound") return "person";
  if (policy.approval === "automatic") return "automatic";
  const { maxEpsilon, maxDelta, variants } = policy.approval.automatic;
  const variant = variantOf(plan);
  const { epsilon } = judged.cost;
  const { delta } = plan.claim;
  if (variant === null || epsilon === null || delta === null) return "person";
  const isCheap = epsilon <= maxEpsilon && delta <= maxDelta;
  return variants.includes(variant) && isCheap ? "automatic" : "person";
}

/** `sound` is what is proven, whatever a study calls itself; null where nothing is claimed. */
export function variantOf(plan: Plan): Variant | null {
  switch (plan.claim.verdict) {
    case "proved":
      return "sound";
    case "claimed by the authors, not verified":
      return "paper";
    case "no privacy":
      return null;
  }
}
