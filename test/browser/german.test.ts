import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalFederation } from "../../scripts/localFederation.js";
import { launch, noBrowser, password, setUpLink, Visitor } from "./browser.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const table = (letter: string) => `${root}examples/data/hospital-${letter}.csv`;
const limit = 600_000;
/** Many pages are looked at. */
const long = 400_000;

if (noBrowser !== null && process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error(noBrowser);

type Words = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
const { default: german } = (await import(`${root}web/src/shared/languages/de.ts`)) as {
  default: { messages: Words; services: Words };
};

/** What stays as it is in every language: names of people, sites, tables, columns, files and studies. */
const names =
  /^(north-sea|st-mary|hospital-[abc]|olga|dr\.ada|biopsies|Consilium|wdbc|breast biopsies|[\w.-]+\.(csv|json|pem|onnx|md|svg|parquet|jws|jsonld|xml|yaml)|R|Python|pandas|English|Deutsch)\b/;
/** A study's own title and description, its title in the release, and the examples' tables and trial. */
const written = [
  /^Example /,
  /[Bb]iopsies/,
  /^wdbc-/,
  /^trial-/,
  /^Ten stumps that tell/,
  /^(?:Lindqvist|Berger), /,
];
/** Names of the examples' conditions, keys of the file, licences and paths. */
const quoted = /65 and older|obese women|all patients|\b\w+\.\w+\b|\/\S+|CC-BY-4\.0/g;
/** Levels of an outcome, which are the table's own. */
const levels = /^(yes|no)( |$|:)/;

const shown = (message: string) => message.replace(/\|[^|]*$/, "");

/** Every English text that has a German one of its own, and what a sentence of it looks like. */
const english = new Set<string>();
const sentences: RegExp[] = [];
const inGerman = new Set(Object.values(german.messages).filter((one) => typeof one === "string"));
for (const [message, text] of [...Object.entries(german.messages), ...Object.entries(german.services)]) {
  const own = shown(message).trim();
  if (text === own || inGerman.has(own)) continue;
  if (!own.includes("{")) english.add(own);
  else if (own.replace(/\{\w+\}/g, "").trim().length > 12) {
    const parts = own.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    sentences.push(new RegExp(`^${parts.join("[^]+?")}$`));
  }
}

/** Words that no German sentence has. */
const stray =
  /\b(the|of|and|is|are|with|this|that|from|not|by|your|each|which|rows|studies|at most|at least)\b/;

const isEnglish = (words: string) =>
  !names.test(words) &&
  !levels.test(words) &&
  !written.some((one) => one.test(words)) &&
  (english.has(words) ||
    sentences.some((one) => one.test(words)) ||
    stray.test(words.replaceAll(quoted, "")));

/** Everything that the pages show is German where the browser is, over real processes. */
describe.skipIf(noBrowser !== null)("the pages in German", () => {
  let home: string;
  let federation: LocalFederation;
  let browser: Browser;
  let operator: Visitor;
  let hospital: Visitor;
  let analyst: Visitor;
  let study: string;
  const faults: string[] = [];
  const strays: string[] = [];
  const markedEnglish: string[] = [];

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "consilium-german-"));
    [federation, browser] = await Promise.all([LocalFederation.create(home, "north-sea"), launch()]);
    await Promise.all(
      ["a", "b", "c"].map((letter) =>
        federation.addSite({ id: `hospital-${letter}`, tables: { biopsies: table(letter) } }),
      ),
    );
    await federation.addSite({
      id: "st-mary",
      tables: { biopsies: table("d") },
      approval: "person",
      policy: { budget: { epsilon: 10, delta: 1e-6 } },
    });
    await federation.startConsole("st-mary");
    [operator, hospital, analyst] = await Promise.all([
      Visitor.arrive(browser, "betreiber", "de-DE"),
      Visitor.arrive(browser, "krankenhaus", "de-AT"),
      Visitor.arrive(browser, "leser", "de"),
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await federation?.stop();
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  });

  /** Unfolds what is folded, and reads and looks at the page. */
  const look = async (visitor: Visitor, title: string, isAxed = true) => {
    await visitor.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true; 0");
    const words = await visitor.words();
    expect(words.language).toBe("de");
    strays.push(...words.own.filter(isEnglish).map((text) => `${visitor.name} ${title}: ${text}`));
    markedEnglish.push(...words.english.map((text) => `${visitor.name} ${title}: ${text}`));
    if (isAxed) faults.push(...(await visitor.lookOnce(title)));
  };

  const signUp = async ({ page }: Visitor, name: string) => {
    await page.getByLabel("Ihr Name").fill(name);
    await page.getByLabel("Passwort", { exact: true }).fill(password);
    await page.getByLabel("Passwort bestätigen").fill(password);
    await page.getByRole("button", { name: "Konto erstellen" }).click();
  };
  const open = async (page: Page, name: string, heading = name) => {
    await page.getByRole("navigation").getByRole("link", { name }).first().click();
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.waitForLoadState("networkidle").catch(() => undefined);
  };

  it("shows the operator the federation", { timeout: limit }, async () => {
    const { page } = operator;
    await page.goto(await setUpLink(federation.aggregator.state));
    await page.getByRole("heading", { name: /^Konto erstellen/ }).waitFor();
    await look(operator, "konto");
    await signUp(operator, "olga");
    for (const site of ["hospital-a", "hospital-b", "hospital-c", "st-mary"])
      await page.getByRole("row", { name: new RegExp(`${site}.*online`) }).waitFor();
    await look(operator, "foederation");
    await open(page, "Einladungen");
    await page.getByRole("textbox", { name: "Standort" }).fill("st-john");
    await page.getByRole("button", { name: "Einladen", exact: true }).click();
    await page.getByRole("heading", { name: "Nächste Schritte für st-john" }).waitFor();
    await look(operator, "einladungen");
  });

  it("asks in German for every kind of study", { timeout: limit }, async () => {
    const { page } = operator;
    await open(page, "Neue Studie");
    const questions = page.getByRole("group", { name: "Was möchten Sie wissen?" }).getByRole("radio");
    await questions.first().waitFor();
    const count = await questions.count();
    expect(count).toBeGreaterThan(8);
    for (let at = 0; at < count; at++) {
      await questions.nth(at).check();
      const replace = page.getByRole("button", { name: "Ersetzen", exact: true });
      if (await replace.isVisible()) await replace.click();
      await page.getByRole("heading", { name: "Plan: Datenschutz" }).waitFor();
      await page.waitForLoadState("networkidle").catch(() => undefined);
      await look(operator, `frage-${at}`, at === 0);
    }
  });

  it("runs a study that a hospital approves in German", { timeout: long }, async () => {
    const source: unknown = parse(await readFile(`${root}examples/studies/wdbc-dp-histboost.yaml`, "utf8"));
    const request = { investigator: "Dr. Ada Beispiel", purpose: "Vor der Operation." };
    study = (await federation.startStudy({ ...(source as object), request })).id;
    const { page } = hospital;
    await page.goto(await setUpLink(federation.consoles.get("st-mary")!.state));
    await signUp(hospital, "dr.ada");
    await page.getByRole("heading", { level: 1, name: "Zustand" }).waitFor();
    await page.getByRole("button", { name: "Diagnose starten" }).click();
    await page.getByRole("button", { name: "Erneut starten" }).waitFor();
    await look(hospital, "zustand");
    await open(page, "Studien");
    await look(hospital, "studien");
    await page.getByRole("link", { name: "wdbc-dp-histboost" }).click();
    await page.getByRole("heading", { name: "Zusammenfassung" }).waitFor();
    await page.getByRole("button", { name: "Meine Daten prüfen" }).click();
    await page.getByText("Dies verlässt das Krankenhaus nie.").waitFor();
    await look(hospital, "studie");
    await operator.page.goto(new URL(`/studies/${study}`, operator.page.url()).href);
    await operator.page.getByRole("heading", { name: "Standorte und Stufen" }).waitFor();
    await look(operator, "studie-wartet");
    await page.getByRole("button", { name: "Ablehnen …" }).click();
    await look(hospital, "ablehnen");
    await page.getByRole("button", { name: "Abbrechen" }).click();
    await page.getByRole("button", { name: "Freigeben …" }).click();
    await look(hospital, "freigeben");
    await page.getByRole("dialog").getByRole("button", { name: "Studie freigeben" }).click();
    await page.getByText(/^Diese Studie: /).waitFor();
    await look(hospital, "studie-freigegeben", false);
  });

  it("shows what came of it", { timeout: long }, async () => {
    const { page } = operator;
    await page.getByRole("heading", { name: "Ergebnisse" }).waitFor({ timeout: limit });
    await page.getByRole("img").first().waitFor();
    await look(operator, "studie-veroeffentlicht");
    for (const [name, heading] of [
      ["Föderation", "Föderation"],
      ["Studien", "Studien"],
      ["Protokoll", "Protokoll"],
      ["Konten", "Konten und Tokens"],
    ] as const) {
      await open(page, name, heading);
      await look(operator, name.toLowerCase());
    }
  });

  it("shows the hospital its data, budget and policy", { timeout: long }, async () => {
    for (const name of ["Tabelle", "Budgetbuch", "Gesendete Daten", "Richtlinie", "Protokoll", "Studien"]) {
      await open(hospital.page, name);
      await look(hospital, name.toLowerCase().replaceAll(" ", "-"));
    }
    await open(hospital.page, "Budgetbuch");
    await hospital.page.getByRole("button", { name: "Budgetbuch prüfen" }).click();
    await hospital.page.getByText("Das Budgetbuch ist unversehrt.").waitFor();
    await look(hospital, "budgetbuch-geprueft", false);
  });

  it("shows a reader the catalogue", { timeout: long }, async () => {
    const { page } = analyst;
    const { http } = await federation.publisher.addresses();
    await page.goto(`http://${http}/`);
    await page.getByRole("heading", { level: 1, name: "Veröffentlichungen" }).waitFor();
    await page.getByRole("link", { name: /biops/i }).first().waitFor();
    await look(analyst, "katalog");
    await page.getByRole("link", { name: /biops/i }).first().click();
    await page.getByRole("heading", { name: "Dateien", exact: true }).waitFor();
    await page.getByRole("button", { name: "In diesem Browser prüfen" }).click();
    await page.getByText(/stimmen mit der SHA-256 im Zertifikat überein/).waitFor();
    await look(analyst, "veroeffentlichung");
  });

  it("keeps the language that a reader chooses", { timeout: limit }, async () => {
    const { page } = analyst;
    await page.getByLabel("Sprache").selectOption("en");
    await page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await page.reload();
    await page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: "Dateien", exact: true }).waitFor();
  });

  it("leaves nothing in English but what was written in English", () => {
    expect([...new Set(strays)]).toEqual([]);
    // A release's text is part of what was signed; it is marked, so that a screen reader reads it in English.
    const others = markedEnglish.filter((one) => {
      const [place, text] = one.split(/: (.*)/s);
      if (/^(leser|betreiber studie-veroeffentlicht|betreiber studie-wartet)/.test(place!)) return false;
      return text !== "English" && !written.some((own) => own.test(text!));
    });
    expect([...new Set(others)]).toEqual([]);
  });

  it("has pages that everybody can use, and that complain of nothing", () => {
    expect([...new Set(faults)]).toEqual([]);
    for (const { complaints } of [operator, hospital, analyst]) expect(complaints).toEqual([]);
  });
});
