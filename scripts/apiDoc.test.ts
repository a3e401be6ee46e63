import { expect, it } from "vitest";
import { type ApiDocuments, committedApis, renderApi, routesOf } from "./apiDoc.js";
import { exampleAddresses, examples } from "./apiExamples.js";
import type { Schema } from "./apiSchemas.js";
import { type ApiName, apiNames } from "./openapi.js";

const documents = committedApis();
const text = renderApi(documents);
const calls = Object.entries(examples).map(([key, example]) => {
  const [api, method, path] = key.split(" ") as [ApiName, string, string];
  return { key, api, method: method!, path: path!, example: example! };
});

it("has every operation once, with its role", () => {
  const headings = [...text.matchAll(/^#### `(\w+ \S+)`$/gm)].map(([, heading]) => heading!);
  const routes = routesOf(documents);
  expect(headings.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  for (const api of apiNames) {
    for (const [path, item] of Object.entries(documents[api].paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const heading = `#### \`${method.toUpperCase()} ${path}\`\n`;
        const sections = text.split(heading).slice(1);
        const role = operation["x-role"];
        const shown = role === "public" ? "nobody is asked who they are" : `\`${role}\``;
        expect(
          sections.some((section) => section.split("\n####")[0]!.includes(shown)),
          `${api} ${heading}`,
        ).toBe(true);
      }
    }
  }
});

it("has every schema, and no link to one that is not there", () => {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!));
  for (const api of apiNames) {
    for (const name of Object.keys(documents[api].components.schemas)) {
      expect(anchors, name).toContain(`schema-${name.toLowerCase()}`);
    }
  }
  const links = [...text.matchAll(/\]\(#(schema-[^)]+)\)/g)].map(([, id]) => id!);
  expect(links.length).toBeGreaterThan(50);
  for (const link of links) expect(anchors).toContain(link);
});

it.each(calls)("shows a call of $key that the document allows", ({ api, method, path, example }) => {
  const operation = documents[api].paths[path]?.[method.toLowerCase()];
  expect(operation).toBeDefined();
  expect(text).toContain(example);
  const url = /"(\$[A-Z]+)(\/[^"?]*)(?:\?([^"]*))?"(?:\s|$)/.exec(example.replace(/-H "[^"]*"/g, ""))!;
  expect(url[1]).toBe(exampleAddresses[api]);
  expect(url[2]).toMatch(new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`));
  expect(/-X (\w+)/.exec(example)?.[1] ?? "GET").toBe(method);
  const known = (operation!.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
  for (const [name] of new URLSearchParams(url[3] ?? "")) expect(known).toContain(name);
  const content = operation!.requestBody?.content;
  const type = /Content-Type: ([\w/]+)/.exec(example)?.[1];
  expect(type === undefined ? [] : [type]).toEqual(content === undefined ? [] : [Object.keys(content)[0]]);
  const body = /-d '([^']*)'/.exec(example)?.[1];
  if (body !== undefined) fits(JSON.parse(body), content!["application/json"]!.schema);
});

/** Has what the schema needs, and nothing else. */
function fits(value: Readonly<Record<string, unknown>>, { properties = {}, required = [] }: Schema): void {
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(value)));
  expect(Object.keys(value)).toEqual(expect.arrayContaining([...required]));
}

it("refuses a path of no group, and a name that means two things", () => {
  const changed = (change: (copy: ApiDocuments) => void) => {
    const copy = structuredClone(documents);
    change(copy);
    return () => renderApi(copy);
  };
  const operation = documents.operator.paths["/api/sites"]!.get!;
  expect(
    changed((copy) => Object.assign(copy.operator.paths, { "/api/elsewhere": { get: operation } })),
  ).toThrow("/api/elsewhere is in no group");
  expect(
    changed((copy) => Object.assign(copy.publisher.components.schemas, { Failure: { type: "string" } })),
  ).toThrow("the schema Failure is not the same in every document");
});
