/**
 * The list of members on its way, over real processes: signed at the authority, sent to the aggregator, served by the publisher,
 * and read by an analyst who verifies a release.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReleaseList } from "@consilium/core/release/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalFederation } from "../../scripts/localFederation.js";
import { fetchRelease } from "../support/released.js";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
let folder: string;
let federation: LocalFederation;
let authority: string;
let release: string;
let publisher: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-members-"));
  federation = await LocalFederation.create(join(folder, "home"), "members");
  authority = join(federation.home, "authority");
  for (const letter of ["a", "b", "c", "d"])
    await federation.addSite({
      id: `hospital-${letter}`,
      tables: { biopsies: join(examples, `data/hospital-${letter}.csv`) },
    });
  await federation.waitForSites();
  const study = parse(await readFile(join(examples, "studies/wdbc-counts.yaml"), "utf8")) as object;
  const { id } = await federation.startStudy(study);
  const view = await federation.waitForRelease(id);
  release = join(folder, id);
  await fetchRelease(federation, view, release);
  publisher = `http://${(await federation.publisher.addresses()).http}`;
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

const verified = (members = "published") =>
  federation.cli(
    "release",
    "verify",
    release,
    "--authority",
    join(authority, "root.pem"),
    "--members",
    members,
    "--publisher",
    publisher,
  );

const sign = (...args: string[]) => federation.cli("members", "sign", "--yes", ...args);

/** What the publisher serves, and whether its two lists of releases lead there. */
async function served() {
  const list = await fetch(`${publisher}/members.json`);
  const plain = await (await fetch(publisher, { headers: { accept: "text/html" } })).text();
  const { hasMembers } = (await (await fetch(`${publisher}/api/releases`)).json()) as ReleaseList;
  return {
    status: list.status,
    text: await list.text(),
    isLinked: plain.includes("members.json"),
    hasMembers,
  };
}

it("is nowhere before it is signed, and nothing verifies by it", async () => {
  expect(await served()).toMatchObject({ status: 404, isLinked: false, hasMembers: false });
  const told = await verified();
  expect(told.code).not.toBe(0);
  expect(told.stdout).not.toContain("members signed");
});

it("is served as it was signed, from the start page too, and holds a release to its hospitals", async () => {
  const signed = await sign("--name", "hospital-a=St Mary's Hospital");
  expect([signed.code, signed.stdout]).toEqual([0, expect.stringContaining("4 members, 4 keys")]);
  const { text, ...found } = await served();
  expect(found).toEqual({ status: 200, isLinked: true, hasMembers: true });
  expect(text).toBe(await readFile(join(authority, "members.json"), "utf8"));
  for (const members of ["published", `${publisher}/members.json`]) {
    const told = await verified(members);
    expect([told.code, told.stdout]).toEqual([
      0,
      expect.stringMatching(/sites: 4 members signed, by the\s+federation's\s+list of .*St Mary's Hospital/),
    ]);
  }
});

it("outlives its publisher, and is replaced neither by an older list nor by one of another root", async () => {
  const first = await readFile(join(authority, "members.json"));
  expect((await sign()).code).toBe(0);
  const { text } = await served();
  expect(text).not.toBe(first.toString());
  const offered = (list: Buffer) =>
    federation.api("POST", "/api/members", JSON.stringify({ list: list.toString("base64") })).then(
      () => "taken",
      ({ code }: { readonly code: string }) => code,
    );
  expect(await offered(first)).toMatch(/^[A-Z_]+$/);
  const forged = Buffer.from(text.replace("hospital-b", "hospital-x"));
  expect(await offered(forged)).toMatch(/^[A-Z_]+$/);
  await federation.publisher.stop("SIGKILL");
  await federation.publisher.start();
  publisher = `http://${(await federation.publisher.addresses()).http}`;
  expect((await served()).text).toBe(text);
  expect((await verified()).code).toBe(0);
});

it("has no key of an expelled hospital from then on, and still has it for what was released before", async () => {
  const expelled = await federation.cli("expel", "hospital-d", "--reason", "left");
  expect(expelled.code, expelled.stderr).toBe(0);
  const signed = await sign();
  expect([signed.code, signed.stdout]).toEqual([0, expect.stringContaining("3 members, 4 keys")]);
  const told = await verified();
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining("hospital-d")]);
});
