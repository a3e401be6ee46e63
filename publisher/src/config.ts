import { defaultPorts } from "@consilium/runtime/home";
import { readersOidcSchema, trustedProxies } from "@consilium/runtime/http/access/config";
import { logsConfigShape } from "@consilium/runtime/logging/settings";
import { storeConfigShape } from "@consilium/runtime/store/configuredStore";
import { diskConfigShape } from "@consilium/runtime/store/diskSpace";
import { type Address, parseAddress } from "@consilium/runtime/tls/address";
import { z } from "zod";

const address = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, context): Address => {
      const parsed = parseAddress(text);
      if (parsed.ok) return parsed.value;
      context.addIssue({ code: "custom", message: parsed.error.remedy });
      return z.NEVER;
    });

/** Of the catalogue, without a slash at the end; it may have a path, behind a proxy. */
const publicUrl = z
  .string()
  .max(500)
  .regex(
    /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~-]+)*\/?$/,
    "write an address such as https://releases.example.org",
  )
  .refine((text) => URL.canParse(text), "write an address such as https://releases.example.org")
  .transform((text) => text.replace(/\/$/, ""));

const grpcDefault = `127.0.0.1:${defaultPorts.publisherGrpc}`;
const httpDefault = `127.0.0.1:${defaultPorts.publisherHttp}`;

/** `config.yaml` in a publisher's state folder. Every key may be left out; an unknown one is refused. */
export const publisherConfigSchema = z.strictObject({
  /** If given, the identity in the state folder must be of this federation. */
  federation: z.string().max(40).optional(),
  listen: z
    .strictObject({
      /** Where the aggregator deposits releases, with mutual TLS; port 0 picks a free one. */
      grpc: address(grpcDefault),
      /** The catalogue and the files; port 0 picks a free one. */
      http: address(httpDefault),
    })
    .prefault({}),
  /** What releases call themselves by; left out, the address that HTTP listens on. */
  publicUrl: publicUrl.optional(),
  /** Whom readers ask about the federation and its root certificate, such as a mail address: stands on every release's page. */
  contact: z.string().trim().min(1).max(200).optional(),
  /** How readers sign in to the catalogue, besides by a token. */
  signIn: z
    .strictObject({
      oidc: readersOidcSchema.optional(),
      /** Proxies in front, by address or network, whose X-Forwarded-For is believed. */
      trustedProxies: trustedProxies,
    })
    .prefault({}),
  ...storeConfigShape,
  ...diskConfigShape,
  /** Form of the log, and where it is sent besides the process's own stream. */
  ...logsConfigShape,
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
});

export type PublisherConfig = z.output<typeof publisherConfigSchema>;
