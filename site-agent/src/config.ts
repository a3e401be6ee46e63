import { parseDuration } from "@consilium/core/units";
import { proxyConfigSchema } from "@consilium/runtime/network/proxy";
import { diskConfigShape } from "@consilium/runtime/store/diskSpace";
import { parseAddress } from "@consilium/runtime/tls/address";
import { z } from "zod";
import { placeOnSpark, type TableConfig, tableConfigSchema } from "./data/tableConfig.js";
import { type EnginesConfig, enginesConfig, noEngine } from "./engines/engineConfig.js";

/** The aggregator confirms the list every ten minutes; a shorter limit would refuse studies for a lost connection. */
const leastExpelledListAgeMs = 3_600_000;

/** `tables:` is a map from a table's name to where it is. */
function namedEntries(raw: unknown, context: z.RefinementCtx): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  return Object.entries(raw).map(([name, entry], at) => {
    if (entry?.name !== undefined && entry.name !== name)
      context.addIssue({
        code: "custom",
        path: [at, "name"],
        message: `the table's name is its key, ${name}`,
      });
    return { ...entry, name };
  });
}

const addressText = z
  .string()
  .max(300)
  .refine((text) => parseAddress(text).ok, "write host:port, such as aggregator.example.org:7443");

/** The hospital's own configuration, `config.yaml` in the agent's state folder. */
export const siteConfigSchema = z
  .strictObject({
    /** `host:port` that the agent dials; nothing listens for the federation. */
    aggregator: addressText,
    /** Addresses of aggregators that may take over from that one; the agent dials them in turn until one is active. */
    standbys: z.array(addressText).max(3).default([]),
    /** The way out: by default what HTTPS_PROXY and NO_PROXY say. */
    proxy: proxyConfigSchema.default("environment"),
    /** The tables that studies may name. */
    tables: z.preprocess(namedEntries, z.array(tableConfigSchema)).default([]),
    /** What computes the stages over tables that name one of these, and over large ones. */
    engines: enginesConfig,
    /** Earlier configurations had this. */
    allowPaperVariants: z
      .never({
        error: "this has moved to policy.yaml, beside this file: write `variants: [sound, paper]` there",
      })
      .optional(),
    /** Take part in studies that ask for no privacy: for public data only. */
    allowNoPrivacy: z.boolean().default(false),
    /** The site takes part in no new study when its list of expelled sites was not confirmed as the newest for so long. */
    expelledListMaxAge: z
      .string()
      .max(20)
      .default("24h")
      .refine((text) => {
        const parsed = parseDuration(text);
        return parsed.ok && parsed.value >= leastExpelledListAgeMs;
      }, "a duration of 1h or more, such as 24h"),
    /** How many studies may take room here. Offers beyond that are refused with OFFERS_TOO_MANY and not stored. */
    offers: z
      .strictObject({
        /** That wait for a person. */
        waiting: z.int().min(1).max(10_000).default(50),
        /** That are new, within a day. */
        perDay: z.int().min(1).max(100_000).default(200),
        /** That this site is in and that have not ended. */
        joined: z.int().min(1).max(10_000).default(200),
      })
      .prefault({}),
    /** Of the site console, which serves the hospital's pages and reads this itself. */
    console: z.unknown().default({}),
    /** Form and receivers of the log, and how long old studies are kept: what reads these is loaded where they are given. */
    logs: z.unknown().optional(),
    retention: z.unknown().optional(),
    ...diskConfigShape,
    logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  })
  .superRefine(({ tables, engines }, context) => {
    for (const { name, engine = noEngine, ...table } of tables) {
      const isOnSpark = placeOnSpark(table) !== null;
      const issue = (message: string) =>
        context.addIssue({ code: "custom", path: ["tables", name, "engine"], message });
      if (engine !== noEngine && !(engine in engines))
        issue(`no such entry under engines; there are: ${[...Object.keys(engines), noEngine].join(", ")}`);
      else if (isOnSpark && engines[engine]?.kind !== "spark")
        issue("missing: a table with `spark:` names the engine of kind spark whose cluster has it");
      else if (!isOnSpark && engines[engine]?.kind === "spark")
        issue("computes tables of its own cluster: write `spark:` in place of the table's other source");
    }
  })
  .transform((config) => ({
    ...config,
    tables: config.tables.map((table) => onCluster(table, config.engines)),
  }));

/** The table with its engine's cluster, where it is on one. */
function onCluster(table: TableConfig, engines: EnginesConfig): TableConfig {
  const engine = engines[table.engine ?? noEngine];
  return engine?.kind === "spark" ? { ...table, cluster: engine } : table;
}

export type SiteConfig = z.output<typeof siteConfigSchema>;
