import { z } from "zod";
import { checkedConfig } from "../config.js";
import { parseAddress } from "../tls/address.js";

const file = z.string().min(1).max(1_000);

const syslogFacilities = {
  daemon: 3,
  auth: 4,
  authpriv: 10,
  local0: 16,
  local1: 17,
  local2: 18,
  local3: 19,
  local4: 20,
  local5: 21,
  local6: 22,
  local7: 23,
} as const;
type Facility = keyof typeof syslogFacilities;

const syslog = z
  .strictObject({
    /** `host:port` of a receiver with TLS, RFC 5425; its port is usually 6514. */
    tls: z
      .string()
      .max(300)
      .refine((text) => parseAddress(text).ok, "host:port, such as siem.example.org:6514")
      .optional(),
    /** A stream socket of this machine, in place of `tls`. */
    socket: file.optional(),
    /** The authorities that the receiver's certificate is checked against; left out: the system's. */
    caFile: file.optional(),
    /** This process's own certificate and key, where the receiver asks for them. */
    certFile: file.optional(),
    keyFile: file.optional(),
    facility: z
      .enum(Object.keys(syslogFacilities) as [Facility, ...Facility[]])
      .default("local0")
      .transform((name) => syslogFacilities[name]),
  })
  .refine(({ tls, socket }) => (tls === undefined) !== (socket === undefined), "give either tls or socket")
  .refine(
    ({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined),
    "give certFile and keyFile together",
  );

/** Without TLS only within this machine: a log has names of accounts, studies and tables. */
function isSafe(url: string): boolean {
  const { protocol, hostname, username, hash } = new URL(url);
  if (username !== "" || hash !== "") return false;
  return (
    protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname))
  );
}

const otlp = z.strictObject({
  /** Of the logs, such as https://otel.example.org:4318/v1/logs; http: only on this machine. */
  url: z
    .string()
    .max(500)
    .refine(
      (text) => URL.canParse(text) && isSafe(text),
      "an https: address such as https://otel.example.org:4318/v1/logs; http: only on this machine",
    ),
  caFile: file.optional(),
  /** A file with the value of the header Authorization, such as `Bearer …`. */
  authorizationFile: file.optional(),
});

/** `logs:` of a service's config.yaml. */
const logsSchema = z.strictObject({
  /** Of the lines on `stream`. What is sent is in ECS fields in any case. */
  format: z.enum(["json", "ecs", "text"]).default("json"),
  /** Where lines are written, besides being sent. */
  stream: z.enum(["stderr", "stdout"]).default("stderr"),
  syslog: syslog.optional(),
  otlp: otlp.optional(),
  /** Lines that wait for a receiver; beyond it the newest are dropped and counted. */
  bufferLines: z.int().min(100).max(1_000_000).default(10_000),
});

export type LogsSettings = z.output<typeof logsSchema>;

/**
 * @param raw - `logs:` as the configuration has it; undefined: nothing is configured
 * @throws ConsiliumError CONFIG_INVALID that names every wrong key
 */
export function logsSettings(raw: unknown): LogsSettings {
  return checkedConfig({ logs: raw ?? {} }, "config.yaml", z.object({ logs: logsSchema })).logs;
}

/** Where lines are sent, in words. */
export function logReceivers({ syslog, otlp }: LogsSettings): string[] {
  return [
    ...(syslog === undefined ? [] : [`${syslog.tls ?? syslog.socket} by syslog`]),
    ...(otlp === undefined ? [] : [`${new URL(otlp.url).host} by OTLP`]),
  ];
}

/** In the schema of a service's configuration; `logsSettings` reads it. */
export const logsConfigShape = { logs: logsSchema.prefault({}) };
