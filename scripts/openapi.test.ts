import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { roleTable } from "@consilium/runtime/http/openapi";
import { isRole } from "@consilium/runtime/http/roles";
import { expect, it } from "vitest";
import { type ApiName, apiNames, generated, servers } from "./openapi.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const made = await generated();

it.each([...made.keys()])("%s is what the routes say", async (path) => {
  expect(await readFile(root + path, "utf8")).toBe(made.get(path));
});

it("is made alike every time", async () => {
  expect(await generated()).toEqual(made);
});

/** How somebody signs in who has not yet: by name, by a one-time link, by an identity provider. */
const signIn = [
  "DELETE /api/session",
  "GET /api/oidc/callback",
  "GET /api/oidc/login",
  "GET /api/session",
  "POST /api/session",
  "POST /api/setup",
  "POST /api/setup/link",
];
/** What anybody may ask for who reaches the address. */
const open: Readonly<Record<ApiName, readonly string[]>> = {
  operator: [...signIn, "GET /healthz", "GET /metrics", "GET /openapi.json", "GET /readyz"].sort(),
  hospital: [...signIn, "GET /openapi.json"].sort(),
  publisher: [
    "DELETE /api/session",
    "GET /",
    "GET /api/oidc/callback",
    "GET /api/oidc/login",
    "GET /api/releases",
    "GET /api/releases/:id",
    "GET /api/releases/:id/rows",
    "GET /api/releases/:id/sample",
    "GET /api/session",
    "GET /catalogue.jsonld",
    "GET /feed.atom",
    "GET /healthz",
    "GET /members.json",
    "GET /metrics",
    "GET /openapi.json",
    "GET /readyz",
    "GET /releases/:id",
    "GET /releases/:id/",
    "GET /releases/:id/:file",
    "GET /releases/:id/plots/:file",
    "GET /releases/:id/sums/:file",
    "OPTIONS /releases/:id/:file",
    "OPTIONS /releases/:id/plots/:file",
    "OPTIONS /releases/:id/sums/:file",
    "POST /api/session",
  ],
};
const rolesOf: Readonly<Record<ApiName, readonly string[]>> = {
  operator: ["public", "viewer", "operator"],
  hospital: ["public", "approver", "administrator"],
  publisher: ["public"],
};

it.each(apiNames)(
  "no route of the %s API is open that is not listed here, and every role is one of its own",
  async (name) => {
    const server = (await servers())[name];
    const routes = roleTable(server).map(
      (line) => line.split(" ") as [method: string, url: string, role: string],
    );
    expect(
      routes.filter(([, , role]) => role === "public").map(([method, url]) => `${method} ${url}`),
    ).toEqual(open[name]);
    for (const [method, url, role] of routes) {
      expect(isRole(role) && rolesOf[name].includes(role), `${method} ${url} ${role}`).toBe(true);
      // Who may only look changes nothing but their own password; a plan or a check is a question with a body.
      if (method !== "GET" && role === "viewer") expect(url).toMatch(/\/(?:plan|check|session\/password)$/);
    }
  },
);

it.each(apiNames)("the %s document holds every route that is not for everybody", async (name) => {
  const { paths } = JSON.parse(made.get(`runtime/src/http/openapi/${name}.json`)!);
  for (const line of roleTable((await servers())[name])) {
    const [method, url, role] = line.split(" ") as [string, string, string];
    if (role === "public") continue;
    const operation = paths[url.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    expect(operation?.["x-role"], line).toBe(role);
  }
});

it.each(apiNames)("the %s document refers to nothing that it does not hold", async (name) => {
  const document = JSON.parse(made.get(`runtime/src/http/openapi/${name}.json`)!);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const id = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1];
    expect(id !== undefined && id in document.components.schemas, reference).toBe(true);
  }
});
