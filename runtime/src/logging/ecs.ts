import { createHash } from "node:crypto";
import { type CatalogueEvent, type EventLevel, events, isEventMessage } from "@consilium/core/logging/events";
import { type EventField, ecsVersion, eventFields } from "@consilium/core/logging/fields";

/** A line as the logger writes it. */
export interface LogRecord {
  readonly level: EventLevel | "trace" | "fatal";
  readonly time: string;
  readonly service: string;
  readonly component?: string;
  readonly msg: string;
  readonly error?: {
    readonly code: string;
    readonly family: string;
    readonly message?: string;
    readonly causes?: readonly {
      readonly name: string;
      readonly code?: string;
      readonly frames: readonly string[];
    }[];
  };
  readonly [field: string]: unknown;
}

/** Which process it is. */
export interface LogOrigin {
  /** Of the software. */
  readonly version: string;
  /** `service.node.name` */
  readonly node: string;
}

/** Names with dots, as in the schema's own documentation; Elasticsearch takes them for nested objects. */
export type EcsLine = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const fieldTable: Readonly<Record<string, EventField>> = eventFields;

/**
 * A line in the fields of the Elastic Common Schema. What is not in the catalogue is left out: a field that its event does
 * not have, and the message of an event that is not there.
 */
export function ecsLine(record: LogRecord, { version, node }: LogOrigin): EcsLine {
  const event: CatalogueEvent | null = isEventMessage(record.msg) ? events[record.msg] : null;
  return {
    "@timestamp": record.time,
    "log.level": record.level,
    message: event === null ? "event outside of the catalogue" : (event.says ?? record.msg),
    "ecs.version": ecsVersion,
    "event.kind": "event",
    "event.module": "consilium",
    "event.dataset": `consilium.${record.service}`,
    ...(event !== null && {
      "event.action": event.action,
      "event.category": [event.category],
      "event.type": [event.type],
      "event.outcome": event.outcome,
    }),
    "service.type": "consilium",
    "service.name": record.service,
    "service.version": version,
    "service.node.name": node,
    ...(record.component !== undefined && { "log.logger": record.component }),
    ...(typeof record.study === "string" && { "trace.id": traceId(record.study) }),
    ...(event !== null && ownFields(record, event)),
    ...errorFields(record),
  };
}

/** The same for every line of a study, in all services. */
export function traceId(study: string): string {
  return createHash("sha256").update(study, "utf8").digest("hex").slice(0, 32);
}

function ownFields(record: LogRecord, event: CatalogueEvent): EcsLine {
  const names: readonly string[] = [...event.fields, "moreInThisMinute"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = record[name];
      const { ecs, type } = fieldTable[name]!;
      return isOfType(value, type) ? [[ecs, value]] : [];
    }),
  );
}

/** A receiver refuses a line whose address is none. */
const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*)$/i;

function isOfType(value: unknown, type: EventField["type"]): value is string | number | boolean {
  switch (type) {
    case "long":
      return Number.isSafeInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "ip":
      return typeof value === "string" && ipAddress.test(value);
    default:
      return typeof value === "string" && value !== "";
  }
}

function errorFields({ error, code }: LogRecord): EcsLine {
  if (error === undefined) return typeof code === "string" ? { "error.code": code } : {};
  const trace = (error.causes ?? []).flatMap(({ name, code, frames }) => [
    code === undefined ? name : `${name} (${code})`,
    ...frames.map((frame) => `    ${frame}`),
  ]);
  return {
    "error.code": error.code,
    "error.type": error.family,
    ...(error.message !== undefined && { "error.message": error.message }),
    ...(trace.length > 0 && { "error.stack_trace": trace.join("\n") }),
  };
}

/** For people: time, level, component, message, then the fields. */
export function textLine(record: LogRecord): string {
  const { level, time, service, component, msg, error, ...fields } = record;
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name}=${quoted(String(value))}`],
  );
  if (error !== undefined)
    shown.push(`error=${error.code}`, ...(error.message === undefined ? [] : [quoted(error.message)]));
  const place = component === undefined ? service : `${service}/${component}`;
  return [time, level.toUpperCase().padEnd(5), `${place}:`, msg, ...shown].join(" ");
}

const quoted = (text: string): string => (/^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text));
