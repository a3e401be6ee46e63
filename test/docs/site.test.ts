import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let site: string;
/** Every page of the built site by its path, such as `/tutorials/operator.html`. */
const pages = new Map<string, string>();

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), "consilium-docs-"));
  const pagesOf = ["--import", "tsx", "scripts/generatedPages.ts"];
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") };
  await promisify(execFile)(process.execPath, pagesOf, { cwd: root, env });
  const vitepress = join(root, "node_modules/vitepress/bin/vitepress.js");
  await promisify(execFile)(process.execPath, [vitepress, "build", "docs", "--outDir", site], { cwd: root });
  for (const path of await readdir(site, { recursive: true })) {
    if (path.endsWith(".html")) pages.set(`/${path}`, await readFile(join(site, path), "utf8"));
  }
});
afterAll(async () => {
  if (site !== undefined) await rm(site, { recursive: true, force: true });
});

it("has a page for every document", async () => {
  const documents = (await readdir(join(root, "docs"), { recursive: true })).filter(
    (path) => path.endsWith(".md") && !/^(\.vitepress|node_modules)/.test(path),
  );
  for (const document of documents) {
    expect(pages.keys()).toContain(
      `/${document.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html")}`,
    );
  }
});

it("has no dead link, in its text, its navigation or its pictures", () => {
  const dead = new Map<string, string>();
  for (const [from, html] of pages) {
    for (const [, , written] of html.matchAll(/\s(href|src)="([^"]*)"/g)) {
      const link = written!.replaceAll("&amp;", "&");
      if (/^(?:[a-z]+:|\/\/)/.test(link)) continue;
      const fault = faultOf(from, decodeURI(link));
      if (fault !== null) dead.set(`${link}: ${fault}`, from);
    }
  }
  expect([...dead].map(([fault, from]) => `${fault}, from ${from}`)).toEqual([]);
  expect(pages.size).toBeGreaterThan(30);
});

function faultOf(from: string, link: string): string | null {
  const [path = "", anchor = ""] = link.split("#");
  const target = path === "" ? from : posix.resolve(dirname(from), path);
  const file = fileOf(target);
  if (file === null) return "no such file";
  if (anchor === "" || !file.endsWith(".html")) return null;
  return new RegExp(`\\bid="${anchor.replace(/[^\w-]/g, "\\$&")}"`).test(pages.get(file) ?? "")
    ? null
    : "no such heading";
}

/** As a web server with clean addresses finds it. */
function fileOf(target: string): string | null {
  for (const candidate of [target, `${target}.html`, posix.join(target, "index.html")]) {
    if (pages.has(candidate)) return candidate;
    if (
      candidate === target &&
      !target.endsWith("/") &&
      existsSync(join(site, target)) &&
      posix.extname(target)
    )
      return candidate;
  }
  return null;
}

it("needs nothing from anywhere else", async () => {
  for (const [path, html] of pages) {
    const foreign = [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*\s(?:src|href)="(https?:[^"]*)"/g)];
    expect(foreign.map(([, address]) => `${path} ${address}`)).toEqual([]);
  }
  expect((await stat(join(site, "index.html"))).size).toBeGreaterThan(1_000);
});
