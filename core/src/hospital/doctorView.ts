import { z } from "zod";

/**
 * What `consilium doctor` found, as JSON: the command line prints it, the site's console shows it, and the running agent
 * answers with it on its socket (`doctor`).
 */

/** What each check looks at, in the order in which they are made; each rests on the ones before it. */
const doctorCheckIds = [
  "configuration",
  "identity",
  "disk",
  "proxy",
  "dns",
  "tcp",
  "tls",
  "http2",
  "aggregator",
  "clock",
  "certificate",
  "version",
  "agent",
  "expelled",
  "policy",
  "budget",
  "reader",
  "tables",
  "console",
  "notifications",
  "publisher",
] as const;

export type DoctorCheckId = (typeof doctorCheckIds)[number];

/**
 * `warn`: works now, and will not always. `skipped`: could not be looked at, because of a failure above or because it
 * does not apply here; `found` says which.
 */
const doctorStatuses = ["ok", "warn", "fail", "skipped"] as const;

export type DoctorStatus = (typeof doctorStatuses)[number];

const sentence = z.string().min(1).max(2_000);

export const doctorCheckSchema = z.strictObject({
  /** Of several checks of one kind, such as one per table, the id has a name after a colon: `tables:patients`. */
  id: z
    .string()
    .regex(/^[a-z0-9]+(?::[A-Za-z0-9._-]{1,128})?$/)
    .refine((id) => doctorCheckIds.some((known) => known === id.split(":")[0]), "a check that is known"),
  /** For people, such as `Name of the aggregator (DNS)`. */
  title: z.string().min(1).max(200),
  status: z.enum(doctorStatuses),
  /** What was seen: one or a few sentences. Never a record's value, a password or a token. */
  found: sentence,
  /** The remedy, for the agent's operator; null where there is nothing to do. */
  remedy: sentence.nullable(),
  /**
   * The text to send to the hospital's network team, word for word: host, port, protocol, direction, what to allow.
   * Null where they have nothing to do with it.
   */
  forIt: sentence.nullable(),
});

export type DoctorCheck = z.output<typeof doctorCheckSchema>;

export const doctorViewSchema = z.strictObject({
  /** ISO 8601, by this machine's clock. */
  checkedAt: z.iso.datetime(),
  /** Of the software that checked. */
  software: z.string().max(64),
  /** Whose way was looked at: an enrolled site, a site before it enrols, or the operator's machine. */
  subject: z.enum(["site", "invitation", "operator"]),
  /** The site's id, or the federation's name; null where that is not known. */
  name: z.string().max(128).nullable(),
  /** `host:port` that sites dial. */
  aggregator: z.string().max(300).nullable(),
  checks: z.array(doctorCheckSchema).max(1_000),
});

export type DoctorView = z.output<typeof doctorViewSchema>;

/** Whether no check fails: warnings and skipped checks do not count. */
export function isHealthy(view: DoctorView): boolean {
  return view.checks.every((check) => check.status !== "fail");
}
