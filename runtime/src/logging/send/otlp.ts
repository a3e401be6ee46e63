import http from "node:http";
import https from "node:https";
import type { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import type { EcsLine } from "../ecs.js";
import type { Receiver } from "./queue.js";

export interface OtlpOptions {
  readonly url: string;
  readonly ca: string | null;
  readonly authorization: SecretBytes | null;
}

const requestTimeoutMs = 10_000;

/** Severity numbers of the OpenTelemetry log data model. */
const severities: Readonly<Record<string, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};

/** Fields of a record that have a place of their own. */
const placed = new Set(["@timestamp", "message", "log.level", "ecs.version", "trace.id", "event.action"]);

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

/**
 * Lines as an `ExportLogsServiceRequest` of OTLP 1.x, in its JSON encoding: the service as the resource, the ECS fields
 * as attributes.
 */
export function otlpRequest(lines: readonly EcsLine[]): object {
  const resources = new Map<string, EcsLine[]>();
  for (const line of lines) {
    const key = `${line["service.name"]} ${line["service.node.name"]} ${line["service.version"]}`;
    resources.set(key, [...(resources.get(key) ?? []), line]);
  }
  return {
    resourceLogs: [...resources.values()].map((own) => ({
      resource: { attributes: resourceOf(own[0]!) },
      scopeLogs: [{ scope: { name: "consilium" }, logRecords: own.map(recordOf) }],
    })),
  };
}

function resourceOf(line: EcsLine): Attribute[] {
  return [
    attribute("service.namespace", "consilium"),
    attribute("service.name", line["service.name"]!),
    attribute("service.version", line["service.version"]!),
    attribute("service.instance.id", line["service.node.name"]!),
  ];
}

function recordOf(line: EcsLine): object {
  const action = line["event.action"];
  const trace = line["trace.id"];
  const nanoseconds = `${Date.parse(String(line["@timestamp"]))}000000`;
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    severityNumber: severities[String(line["log.level"])] ?? 0,
    severityText: String(line["log.level"]).toUpperCase(),
    body: { stringValue: line.message },
    ...(action !== undefined && { eventName: action }),
    ...(trace !== undefined && { traceId: trace }),
    attributes: Object.entries(line)
      .filter(([key]) => key === "event.action" || (!placed.has(key) && !key.startsWith("service.")))
      .map(([key, value]) => attribute(key, value)),
  };
}

function attribute(key: string, value: EcsLine[string]): Attribute {
  if (typeof value === "boolean") return { key, value: { boolValue: value } };
  // 64-bit integers are strings in the JSON encoding of protobuf.
  if (typeof value === "number") return { key, value: { intValue: String(value) } };
  if (typeof value === "string") return { key, value: { stringValue: value } };
  return { key, value: { arrayValue: { values: value.map((each) => ({ stringValue: each })) } } };
}

/** A receiver of OTLP over HTTP, in JSON. Redirects are not followed. */
export function otlpReceiver({ url: text, ca, authorization }: OtlpOptions): Receiver {
  const url = new URL(text);
  const isTls = url.protocol === "https:";
  const agent = isTls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  return {
    name: `otlp ${url.host}`,
    send: (lines) =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify(otlpRequest(lines));
        const request = (isTls ? https : http).request(
          url,
          {
            method: "POST",
            agent,
            headers: {
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body),
              ...(authorization !== null && {
                authorization: Buffer.from(authorization.reveal()).toString("latin1"),
              }),
            },
            signal: AbortSignal.timeout(requestTimeoutMs),
            ...(isTls && { minVersion: "TLSv1.2" as const, ...(ca !== null && { ca }) }),
          },
          (response) => {
            response.resume();
            response.once("error", reject);
            const status = response.statusCode ?? 0;
            response.once("end", () => {
              if (status >= 200 && status < 300) resolve();
              else reject(Object.assign(new Error("not taken"), { code: `HTTP_${status}` }));
            });
          },
        );
        request.once("error", reject);
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}
