import { parseDuration } from "@consilium/core/units";
import { proxyConfigSchema } from "@consilium/runtime/network/proxyConfig";
import { diskConfigShape } from "@consilium/runtime/store/diskSpace";
import { parseAddress } from "@consilium/runtime/tls/address";
import { z } from "zod";

/** The aggregator confirms the list every ten minutes; a shorter limit would refuse studies for a lost connection. */
const leastExpelledListAgeMs = 3_600_000;

const addressText = z
  .string()
  .max(300)
  .refine((text) => parseAddress(text).ok, "write host:port, such as aggregator.example.org:7443");

/** What `config.yaml` has for the agent itself. */
export const agentShape = {
  /** `host:port` that the agent dials; nothing listens for the federation. */
  aggregator: addressText,
  /** Addresses of aggregators that may take over from that one; the agent dials them in turn until one is active. */
  standbys: z.array(addressText).max(3).default([]),
  /** The way out: by default what HTTPS_PROXY and NO_PROXY say. */
  proxy: proxyConfigSchema.default("environment"),
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
};

/** The same with what other processes read: the site console, and the process that reads the tables. */
export const agentConfigSchema = z.strictObject({
  ...agentShape,
  tables: z.unknown().optional(),
  engines: z.unknown().optional(),
});

export type AgentConfig = z.output<typeof agentConfigSchema>;
