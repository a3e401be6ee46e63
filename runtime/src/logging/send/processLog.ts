import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { EventService } from "@consilium/core/logging/events";
import { unwrap } from "@consilium/core/result";
import { nameOf, pathOf } from "@consilium/core/said";
import { softwareVersion } from "@consilium/core/version";
import type { DestinationStream } from "pino";
import { fault } from "../../fault.js";
import { createLogger, type Logger, type LogLevel } from "../../log.js";
import { readSecretFile, resolveBeside } from "../../secretFile.js";
import { parseAddress } from "../../tls/address.js";
import type { EcsLine } from "../ecs.js";
import { logOutput } from "../output.js";
import type { LogsSettings } from "../settings.js";
import { otlpReceiver } from "./otlp.js";
import { LineQueue, type Receiver } from "./queue.js";
import { syslogReceiver } from "./syslog.js";

/** At the end of a process, lines have so long to be sent. */
const closeMs = 2_000;

/** A process's log, and how its lines get to the receivers that are configured. */
export interface ProcessLog {
  readonly log: Logger;
  /** Sends lines of another process, as they are. */
  readonly forward: (lines: readonly EcsLine[]) => void;
  /** Whether a receiver is configured. */
  readonly isSent: boolean;
  /** Sends what waits, within two seconds. */
  close(): Promise<void>;
}

/**
 * The log of a process that sees no record: on its stream, and to syslog and OTLP where they are configured. A receiver that
 * is down delays nothing: lines wait in memory, and beyond `bufferLines` the newest are dropped and counted.
 * @param options.configPath - files that the settings name lie beside it
 * @param options.node - `service.node.name`; left out: the host's name
 * @throws ConsiliumError CONFIG_INVALID when a file cannot be read
 */
export async function openProcessLog(options: {
  readonly service: EventService;
  readonly level: LogLevel;
  readonly settings: LogsSettings;
  readonly configPath: string;
  readonly node?: string | undefined;
  /** For tests. */
  readonly stream?: DestinationStream;
  readonly retry?: { readonly first: number; readonly last: number };
}): Promise<ProcessLog> {
  const { service, level, settings, configPath, node, stream, retry } = options;
  const receivers = await receiversOf(settings, configPath);
  const queues: LineQueue[] = [];
  const forward = (line: EcsLine) => {
    for (const queue of queues) queue.add(line);
  };
  const output = logOutput(settings, {
    origin: { version: softwareVersion, node: node ?? hostname() },
    sends: receivers.length === 0 ? [] : [forward],
    ...(stream !== undefined && { stream }),
  });
  const log = createLogger({ service, level, stream: output });
  const own = log.child("log");
  for (const receiver of receivers) {
    const destination = receiver.name;
    const events = {
      failing: (fault: unknown) =>
        own.warn("cannot send the log; retrying", { destination, code: codeOf(fault) }),
      resumed: () => own.info("the log is sent again", { destination }),
      dropped: (dropped: number) => own.warn("log lines were dropped", { destination, dropped }),
    };
    queues.push(new LineQueue(receiver, { most: settings.bufferLines, events, ...(retry && { retry }) }));
  }
  return {
    log,
    forward: (lines) => lines.forEach(forward),
    isSent: receivers.length > 0,
    close: async () => {
      log.flush();
      await Promise.all(queues.map((queue) => queue.close(closeMs)));
    },
  };
}

/** `createShutdown`'s last step: the process ends once its lines are sent. */
export function exitOnceSent({ close }: ProcessLog): (code: number) => void {
  return (code) => void close().finally(() => process.exit(code));
}

async function receiversOf({ syslog, otlp }: LogsSettings, configPath: string): Promise<Receiver[]> {
  const pem = async (path: string | undefined, key: string) => {
    if (path === undefined) return null;
    const at = resolveBeside(configPath, path);
    return readFile(at, "utf8").catch((cause: unknown) => {
      throw fault(
        "CONFIG_INVALID",
        "file.cannot-read",
        { key: nameOf(`logs.${key}`), file: pathOf(at) },
        { cause },
      );
    });
  };
  const receivers: Receiver[] = [];
  if (syslog !== undefined) {
    const { tls, socket, caFile, certFile, keyFile, facility } = syslog;
    const cert = await pem(certFile, "syslog.certFile");
    const key = await pem(keyFile, "syslog.keyFile");
    receivers.push(
      syslogReceiver({
        to:
          tls === undefined
            ? { socket: resolveBeside(configPath, socket!) }
            : { tls: unwrap(parseAddress(tls)) },
        ca: await pem(caFile, "syslog.caFile"),
        client: cert === null || key === null ? null : { cert, key },
        facility,
      }),
    );
  }
  if (otlp !== undefined) {
    const { url, caFile, authorizationFile } = otlp;
    const authorization =
      authorizationFile === undefined
        ? null
        : await readSecretFile(resolveBeside(configPath, authorizationFile), "logs.otlp.authorizationFile");
    receivers.push(otlpReceiver({ url, ca: await pem(caFile, "otlp.caFile"), authorization }));
  }
  return receivers;
}

/** A system's code, or none: other texts may quote what was sent. */
function codeOf(fault: unknown): string {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : "";
  return /^[A-Z][A-Z0-9_]{1,59}$/.test(code) ? code : "UNREACHABLE";
}
