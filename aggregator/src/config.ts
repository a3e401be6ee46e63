import { durationSchema } from "@consilium/core/unitSchemas";
import { operatorRoles } from "@consilium/runtime/http/access/accountRoles";
import { consoleAccessFields, hostNames } from "@consilium/runtime/http/access/config";
import { logsConfigShape } from "@consilium/runtime/logging/settings";
import { operatorNotifications } from "@consilium/runtime/notify/settings";
import { retentionConfigShape } from "@consilium/runtime/retention/settings";
import { storeConfigShape } from "@consilium/runtime/store/configuredStore";
import { diskConfigShape } from "@consilium/runtime/store/diskSpace";
import { parseAddress } from "@consilium/runtime/tls/address";
import { z } from "zod";

const address = z.string().max(300);

/** At most: with a second until the standby looks, and the time until it serves and sites find it, below 30 s. */
const leaseLimitsMs = { least: 1_000, most: 20_000 };

/** `config.yaml` in the aggregator's state folder; `consilium init` writes it. */
export const aggregatorConfigSchema = z.strictObject({
  federation: z.string().max(40),
  listen: z.strictObject({
    /** Sites connect here with mutual TLS. */
    grpc: address.default("127.0.0.1:7443"),
    /** The operator's API, with a token. */
    http: address.default("127.0.0.1:7080"),
  }),
  /** The operator's pages: sign-in and host names. */
  console: z
    .strictObject({
      ...consoleAccessFields(operatorRoles),
      /** Host names of the pages besides loopback; default: none when listening on loopback, otherwise any. */
      hosts: hostNames.optional(),
    })
    .prefault({}),
  /** The address that invitations give to sites; default: the listening address. */
  advertise: address.optional(),
  publisher: z.strictObject({ grpc: address }).optional(),
  /** This aggregator shares its PostgreSQL store with another one: one is active, the other takes over from it. */
  standby: z
    .strictObject({
      /** Of this aggregator, in the lease, the logs and `/leasez`. */
      name: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, "a-z, 0-9 and hyphens, at most 40"),
      /** The addresses that sites dial of the others; invitations give them beside this one's own. */
      others: z
        .array(address.refine((text) => parseAddress(text).ok, "host:port, such as second.example.org:7443"))
        .min(1)
        .max(3),
      /** An active aggregator that does not renew its lease for so long is taken over from. */
      lease: z
        .string()
        .max(20)
        .pipe(durationSchema)
        .refine(
          (ms) => ms >= leaseLimitsMs.least && ms <= leaseLimitsMs.most,
          "a duration from 1s to 20s, such as 10s",
        )
        .prefault("10s"),
    })
    .optional(),
  /** Messages to the operator; left out: none. */
  notifications: operatorNotifications.optional(),
  ...storeConfigShape,
  ...diskConfigShape,
  /** How long data of old studies are kept; left out: permanently, or as long as a study says. */
  ...retentionConfigShape,
  /** Form of the log, and where it is sent besides the process's own stream. */
  ...logsConfigShape,
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  /** Lifetime of a site's certificate; it is renewed at half of it. */
  siteCertificateLifetime: z.string().max(20).default("30d"),
});
