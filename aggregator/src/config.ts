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
    /** Sites dial this one, with mutual TLS. */
    grpc: address.default("127.0.0.1:7443"),
    /** The operator's API, with a token. */
    http: address.default("127.0.0.1:7080"),
  }),
  /** The operator's pages: who may sign in to them, and by which names they are reached. */
  console: z
    .strictObject({
      ...consoleAccessFields(operatorRoles),
      /** Names that the pages may be asked for by, besides the loopback ones; left out, none on loopback, else any. */
      hosts: hostNames.optional(),
    })
    .prefault({}),
  /** What invitations tell the sites to dial; left out, the address that is listened on. */
  advertise: address.optional(),
  publisher: z.strictObject({ grpc: address }).optional(),
  ...storeConfigShape,
  ...diskConfigShape,
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  /** A site's certificate lives so long, and renews at half of it. */
  siteCertificateLifetime: z.string().max(20).default("30d"),
});
