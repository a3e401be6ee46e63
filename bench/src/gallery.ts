/**
 * A picture of every page of the three services, on a phone, a small laptop and a wide screen, light and dark, and in German on
 * a phone; with what axe, the console and the layout find fault with. `index.html` shows them.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import type { Member } from "../../scripts/localFederation.js";
import {
  type BrowserState,
  launch,
  makeAccount,
  noBrowser,
  password,
  setUpLink,
} from "../../test/browser/browser.js";
import { type Network, openNetwork } from "./gallery/network.js";
import { english, german, Photographer } from "./gallery/photographer.js";
import { type Place, placesOf, type Who } from "./gallery/places.js";

const usualFolder = fileURLToPath(new URL("../../test/artifacts/gallery", import.meta.url));

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { home: { type: "string" }, to: { type: "string" }, only: { type: "string", default: "" } },
  });
  if (noBrowser !== null) throw new Error(noBrowser);
  const folder = resolve(values.to ?? usualFolder);
  const home = values.home === undefined ? await mkdtemp(join(tmpdir(), "consilium-gallery-")) : values.home;
  await mkdir(folder, { recursive: true });
  const browser = await launch();
  let network: Network | null = null;
  try {
    network = await openNetwork(resolve(home));
    const places = placesOf(network).filter(({ name }) => new RegExp(values.only).test(name));
    const pictures = await takeAll(browser, network, places, folder);
    await writeFile(join(folder, "index.html"), indexOf(pictures));
    for (const finding of pictures.findings) process.stdout.write(`${finding}\n`);
    process.stdout.write(
      `${pictures.names.length} pictures of ${places.length} pages, ${pictures.findings.length} findings: ${join(folder, "index.html")}\n`,
    );
  } finally {
    await browser.close();
    if (values.home === undefined) await rm(home, { recursive: true, force: true });
    await network?.federation.stop();
  }
}

interface Pictures {
  readonly names: string[];
  readonly findings: string[];
}

async function takeAll(
  browser: Browser,
  { federation, console }: Network,
  places: readonly Place[],
  folder: string,
): Promise<Pictures> {
  const all: Pictures = { names: [], findings: [] };
  const services: Readonly<Record<Who, () => Promise<Service>>> = {
    operator: () => signIn(browser, federation.aggregator, "olga"),
    hospital: () => signIn(browser, federation.consoles.get(console)!, "dr.ada"),
    reader: async () => ({ origin: `http://${(await federation.publisher.addresses()).http}/` }),
  };
  for (const who of ["operator", "hospital", "reader"] as const) {
    const own = places.filter((place) => place.who === who);
    if (own.length === 0) continue;
    const { origin, state } = await services[who]();
    for (const [language, looks] of [
      ["en-US", english],
      ["de-DE", german],
    ] as const) {
      const photographer = await Photographer.arrive(browser, folder, language, state);
      for (const place of own) all.names.push(...(await photographer.take(origin, place, looks)));
      all.findings.push(...photographer.findings);
      await photographer.leave();
    }
  }
  return all;
}

interface Service {
  readonly origin: string;
  readonly state?: BrowserState;
}

async function signIn(browser: Browser, member: Member, name: string): Promise<Service> {
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  const { http, console: pages } = await member.addresses();
  const origin = `http://${http ?? pages}/`;
  if (existsSync(join(member.state, "setup-link"))) {
    // An earlier gallery may have left it, when the pages had another port.
    const { pathname, hash } = new URL(await setUpLink(member.state));
    await page.goto(new URL(`${pathname}${hash}`, origin).href);
    await makeAccount(page, name);
  } else {
    await page.goto(origin);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  const state = await context.storageState();
  await context.close();
  return { origin, state };
}

function indexOf({ names, findings }: Pictures): string {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const pages = new Map<string, string[]>();
  for (const name of names) {
    const page = name.replace(/-\d+-\w+$/, "");
    pages.set(page, [...(pages.get(page) ?? []), name]);
  }
  const sections = [...pages].map(
    ([page, pictures]) =>
      `<h2>${page}</h2><p>${pictures
        .map(
          (name) =>
            `<a href="${name}.png" title="${name}"><img src="${name}.png" alt="${name}" loading="lazy"></a>`,
        )
        .join(" ")}</p>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page</title>
<style>body { font-family: sans-serif } img { height: 28rem; vertical-align: top; border: 1px solid #888 }</style>
<h1>Every page</h1><ul>${findings.map((one) => `<li>${escaped(one)}`).join("")}</ul>${sections.join("\n")}`;
}
