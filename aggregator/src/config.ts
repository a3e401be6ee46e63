import { operatorRoles } from "@consilium/runtime/http/access/accountRoles";
import { consoleAccessFields, hostNames } from "@consilium/runtime/http/access/config";
import { storeConfigShape } from "@consilium/runtime/store/configuredStore";
import { diskConfigShape } from "@consilium/runtime/store/diskSpace";
import { z } from "zod";

const address = z.string().max(300);

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
  ...storeConfigShape,
  ...diskConfigShape,
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  /** Lifetime of a site's certificate; it is renewed at half of it. */
  siteCertificateLifetime: z.string().max(20).default("30d"),
});
