import { z } from "zod";

/** `proxy:` of a configuration: the environment's (the default), `none` whatever the environment says, or one. */
export const proxyConfigSchema = z.union(
  [
    z.enum(["environment", "none"]),
    z.strictObject({
      /** `http://host:port`; `https://` where the proxy itself is spoken to by TLS. */
      url: z.string().min(1).max(500),
      username: z.string().min(1).max(256).optional(),
      /** A file with the password, relative to the configuration. */
      passwordFile: z.string().min(1).max(4_096).optional(),
      /** A file of PEM certificates that the proxy's own must come from, relative to the configuration. */
      ca: z.string().min(1).max(4_096).optional(),
      /** Hosts that are dialled directly: as in NO_PROXY. */
      noProxy: z.array(z.string().min(1).max(300)).max(100).default([]),
    }),
  ],
  { error: "environment, none, or url with username, passwordFile, ca and noProxy" },
);

export type ProxyConfig = z.output<typeof proxyConfigSchema>;

/** In this order; the first that is set counts. `http_proxy` is not among them: it is for plain HTTP. */
export const proxyVariables = [
  "CONSILIUM_PROXY",
  "grpc_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
] as const;

/** Whether a proxy is configured at all; not which, and not whether an address goes by it. */
export function namesProxy(config: ProxyConfig, environment: NodeJS.ProcessEnv): boolean {
  return config === "environment" ? proxyVariables.some((name) => environment[name]) : config !== "none";
}
