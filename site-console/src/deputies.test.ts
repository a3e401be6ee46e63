import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { HttpServer } from "@consilium/runtime/http/server";
import { TestBrowser } from "@consilium/runtime/testing/http/access/browser";
import { goodPassword } from "@consilium/runtime/testing/http/access/service";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testConsole } from "../testing/console.js";
import { listenOnConsole } from "./api.js";

const study = "vitals-0123456789";
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

let made: Awaited<ReturnType<typeof testConsole>>;
let server: HttpServer;
let port: number;
let anna: TestBrowser;
let bert: TestBrowser;
let carla: TestBrowser;

beforeEach(async () => {
  made = await testConsole({ audit: [] });
  server = await listenOnConsole({ host: "127.0.0.1", port: 0 }, made.context);
  ({ port } = server.server.address() as AddressInfo);
  await made.context.access.announce(`http://127.0.0.1:${port}`);
  const first = (await readFile(join(made.stateFolder, "setup-link"), "utf8")).trim();
  anna = await arrived(first, "anna");
  bert = await colleague("bert");
  carla = await colleague("carla");
});
afterEach(async () => {
  await server.close();
  await made.remove();
});

async function arrived(link: string, name: string): Promise<TestBrowser> {
  const browser = new TestBrowser(port);
  const body = { secret: link.split("#")[1], name, password: goodPassword };
  expect((await browser.ask("POST", "/api/setup", { body })).status).toBe(201);
  return browser;
}

async function colleague(name: string): Promise<TestBrowser> {
  const { json } = await anna.ask("POST", "/api/accounts", { body: { name, role: "approver" } });
  return arrived(String(json.url), name);
}

const name = (browser: TestBrowser, body: object) => browser.ask("POST", "/api/deputies", { body });
/** @returns what the agent is asked, which answers nothing here; null where it is not asked */
async function approve(browser: TestBrowser, inPlaceOf: string): Promise<unknown> {
  const before = made.asked.length;
  const { json } = await browser.ask("POST", `/api/studies/${study}/approve`, { body: { inPlaceOf } });
  const [asked] = made.asked.slice(before).filter(([request]) => request === "approve");
  return asked === undefined ? json.code : asked[1];
}

describe("a deputy", () => {
  it("approves in the other's place within the period alone", async () => {
    expect(await approve(bert, "carla")).toBe("NOT_PERMITTED");
    expect((await name(carla, { deputy: "bert", from: day(1), until: day(9) })).status).toBe(201);
    expect(await approve(bert, "carla")).toBe("NOT_PERMITTED");
    expect((await name(carla, { deputy: "bert", from: day(-1), until: day(9) })).status).toBe(201);
    expect(await approve(bert, "carla")).toEqual({ id: study, by: "bert", inPlaceOf: "carla" });
    // Not the other way round, and nobody else.
    expect(await approve(carla, "bert")).toBe("NOT_PERMITTED");
    expect(await approve(anna, "carla")).toBe("NOT_PERMITTED");
    made.store.run("UPDATE deputies SET until_at = ?", Date.now() - 1);
    expect(await approve(bert, "carla")).toBe("NOT_PERMITTED");
    expect((await bert.ask("GET", "/api/deputies")).json).toEqual([]);
  });

  it("is named by whom they stand in for, or by an administrator, and goes with either account", async () => {
    const period = { from: day(-1), until: day(9) };
    expect((await name(bert, { principal: "carla", deputy: "bert", ...period })).status).toBe(403);
    expect((await name(anna, { principal: "carla", deputy: "bert", ...period })).status).toBe(201);
    const { id } = (await name(carla, { deputy: "anna", ...period })).json;
    expect((await bert.ask("DELETE", `/api/deputies/${id}`)).status).toBe(403);
    expect((await carla.ask("DELETE", `/api/deputies/${id}`)).status).toBe(204);
    expect(await approve(bert, "carla")).toMatchObject({ by: "bert" });
    const { events } = (await anna.ask("GET", "/api/audit")).json;
    const lines = (events as { actor: string; kind: string; detail: string }[]).filter(({ kind }) =>
      kind.endsWith("a deputy"),
    );
    expect(lines).toMatchObject([
      { actor: "carla", kind: "removed a deputy" },
      { actor: "carla", kind: "named a deputy", detail: expect.stringMatching(/^anna for carla, /) },
      { actor: "anna", kind: "named a deputy", detail: expect.stringMatching(/^bert for carla, /) },
    ]);
    await anna.ask("DELETE", "/api/accounts/carla");
    expect(await approve(bert, "carla")).toBe("NOT_PERMITTED");
  });

  it.each([
    ["oneself", { deputy: "carla", from: day(-1), until: day(9) }],
    ["nobody who has an account", { deputy: "eve", from: day(-1), until: day(9) }],
    ["for a period that is over", { deputy: "bert", from: day(-9), until: day(-1) }],
    ["for a period that ends before it begins", { deputy: "bert", from: day(9), until: day(8) }],
    ["for more than a year", { deputy: "bert", from: day(-1), until: day(400) }],
  ])("is not %s", async (_, body) => {
    expect((await name(carla, body)).status).toBeGreaterThanOrEqual(400);
    expect((await carla.ask("GET", "/api/deputies")).json).toEqual([]);
  });
});
