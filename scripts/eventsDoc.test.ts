import { EcsFlat, EcsVersion } from "@elastic/ecs";
import { describe, expect, it } from "vitest";
import { type CatalogueEvent, events } from "../core/src/logging/events.js";
import { commonFields, type EventField, ecsVersion, eventFields } from "../core/src/logging/fields.js";
import { renderEvents } from "./eventsDoc.js";
import { filesOf, isTestOrGenerated, readProjectFile } from "./repository.js";

/** The Elastic Common Schema's own list, as Elastic publishes it. */
const schema: Readonly<
  Record<
    string,
    {
      readonly type: string;
      readonly normalize: readonly string[];
      readonly allowed_values?: readonly {
        readonly name: string;
        readonly expected_event_types?: readonly string[];
      }[];
    }
  >
> = EcsFlat;

const catalogue: readonly (readonly [string, CatalogueEvent])[] = Object.entries(events);

/** Types of the schema that a value of ours may have. */
const mapped: Readonly<Record<EventField["type"] | "keywords", readonly string[]>> = {
  keyword: ["keyword", "wildcard", "match_only_text"],
  keywords: ["keyword"],
  long: ["long"],
  boolean: ["boolean"],
  ip: ["ip"],
  date: ["date"],
};

describe("the page of events", () => {
  const text = renderEvents();

  it("has every event of each service, and every field", () => {
    for (const [message, { action, by, when }] of catalogue) {
      const rows = text
        .split("\n")
        .filter((line) => line.startsWith(`| \`${action}\` |`) && line.includes(when));
      expect(rows.length, message).toBeGreaterThanOrEqual(by.length);
    }
    for (const name of Object.keys(eventFields)) expect(text).toContain(`\n| \`${name}\` | `);
    for (const name of Object.keys(commonFields)) expect(text).toContain(`\n| \`${name}\` | `);
  });
});

describe("the catalogue and the Elastic Common Schema", () => {
  it("is of the schema's version", () => {
    expect(ecsVersion).toBe(EcsVersion);
  });

  it("names only fields that the schema has, with its types, or its own below consilium", () => {
    const fields = [
      ...Object.values(eventFields).map(({ ecs, type }) => [ecs, type] as const),
      ...Object.entries(commonFields).map(([ecs, { type }]) => [ecs, type] as const),
    ];
    for (const [ecs, type] of fields) {
      if (ecs.startsWith("consilium.")) continue;
      expect(schema[ecs], ecs).toBeDefined();
      expect(mapped[type], `${ecs} is a ${schema[ecs]?.type}`).toContain(schema[ecs]?.type);
      expect(schema[ecs]?.normalize.includes("array") ?? false, ecs).toBe(type === "keywords");
    }
  });

  it("has categories, types and outcomes that the schema allows together", () => {
    const categories = new Map(
      schema["event.category"]!.allowed_values!.map((one) => [one.name, one] as const),
    );
    const outcomes = schema["event.outcome"]!.allowed_values!.map(({ name }) => name);
    for (const [message, { category, type, outcome }] of catalogue) {
      expect(categories.get(category)?.expected_event_types, message).toContain(type);
      expect(outcomes, message).toContain(outcome);
    }
  });

  it("has an action per event, but where two services say the same", () => {
    const seen = new Map<string, CatalogueEvent>();
    for (const [message, event] of catalogue) {
      const other = seen.get(event.action);
      expect(other?.by.filter((service) => event.by.includes(service)) ?? [], message).toEqual([]);
      seen.set(event.action, event);
      // A syslog header's MSGID has 32 characters.
      expect(event.action, message).toMatch(/^[a-z][a-z-]{2,31}$/);
    }
  });
});

/** `log.warn("…"`, also with the message on the next line, and of a sampler. */
const call =
  /\b(?:log|own|first|warnings|strangers|Log)\s*\.(debug|info|warn|error)\(\s*"((?:[^"\\]|\\.)*)"/g;

const folderOf: Readonly<Record<string, readonly CatalogueEvent["by"][number][]>> = {
  aggregator: ["aggregator"],
  publisher: ["publisher"],
  "site-agent": ["site-agent"],
  "site-console": ["site-console"],
  runtime: ["aggregator", "publisher", "site-agent", "site-console"],
};

describe("what the services log", () => {
  const calls = Object.keys(folderOf).flatMap((folder) =>
    filesOf(/\.ts$/)
      .filter((file) => file.startsWith(`${folder}/src/`) && !isTestOrGenerated(file))
      .flatMap((file) =>
        [...readProjectFile(file).matchAll(call)].map(([, level, message]) => ({
          file,
          folder,
          level,
          message: message!,
        })),
      ),
  );

  // Messages and fields outside of the catalogue do not compile; a level and a service may differ.
  it("is in the catalogue with its level and service", () => {
    expect(calls.length).toBeGreaterThan(90);
    for (const { file, folder, level, message } of calls) {
      const event: CatalogueEvent | undefined = (events as Readonly<Record<string, CatalogueEvent>>)[message];
      expect(event?.level, `${file}: ${message}`).toBe(level);
      expect(
        event?.by.some((service) => folderOf[folder]!.includes(service)),
        `${file}: ${message}`,
      ).toBe(true);
    }
  });

  it("is every event of the catalogue", () => {
    const sources = filesOf(/\.ts$/)
      .filter((file) => /^(?:runtime|aggregator|publisher|site-agent|site-console)\/src\//.test(file))
      .filter((file) => !isTestOrGenerated(file))
      .map(readProjectFile)
      .join("\n");
    const unsaid = Object.keys(events).filter((message) => !sources.includes(`"${message}"`));
    expect(unsaid).toEqual([]);
  });

  it("has an event for every kind of line of the audit logs", () => {
    const kinds = Object.keys(folderOf).flatMap((folder) =>
      filesOf(/\.ts$/)
        .filter((file) => file.startsWith(`${folder}/src/`) && !isTestOrGenerated(file))
        .flatMap((file) => [
          ...readProjectFile(file).matchAll(/\brecord\(\{ actor[^}]*?kind: "([^"]+)"/g),
          ...readProjectFile(file).matchAll(/auditLog\.record\(\{ [^}]*?kind: "([^"]+)"/g),
          ...readProjectFile(file).matchAll(/\bdoes: "([^"]+)"/g),
          ...readProjectFile(file).matchAll(/records\.event\([^,]+, "([^"]+)"/g),
          ...readProjectFile(file).matchAll(/#record\(now, "([^"]+)"/g),
        ])
        .map(([, kind]) => kind!),
    );
    expect(new Set(kinds).size).toBeGreaterThan(30);
    expect(kinds.filter((kind) => !Object.hasOwn(events, kind))).toEqual([]);
  });
});
