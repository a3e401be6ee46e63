import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLibsql } from "@consilium/runtime/store/driver";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalFederation, writePolicy } from "../../scripts/localFederation.js";
import { launch, makeAccount, noBrowser, password, setPassword, setUpLink, Visitor } from "./browser.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const table = (letter: string) => `${root}examples/data/hospital-${letter}.csv`;
const limit = 600_000;
const example = parse(readFileSync(`${root}examples/studies/wdbc-dp-histboost.yaml`, "utf8")) as {
  readonly participation: object;
};
const study = {
  ...example,
  privacy: { epsilon: 2, delta: 1e-5 },
  participation: { ...example.participation, joinDeadline: "30m" },
};
const { default: german } = (await import(`${root}web/src/shared/languages/de.ts`)) as {
  readonly default: { readonly messages: Readonly<Record<string, string>> };
};
const inGerman = (message: string): string => german.messages[message]!;
const markup = `<img src=x onerror="document.title='gone'"> Why 30 bins?`;
const reply = `<script>document.title='gone'</script> See [the plan](javascript:alert(1)).`;

interface AuditLine {
  readonly actor: string | null;
  readonly kind: string;
  readonly detail: string;
}

/** Two approvers of one hospital, and the operator whom they ask. */
describe.skipIf(noBrowser !== null)("two approvers and a question in a browser", () => {
  let home: string;
  let federation: LocalFederation;
  let browser: Browser;
  let operator: Visitor;
  let ada: Visitor;
  let grace: Visitor;
  let pages = "";
  let id = "";
  const faults: string[] = [];
  const look = async (visitor: Visitor, title: string) => {
    faults.push(...(await visitor.look(title)));
  };
  const state = () => federation.site("st-mary").state;
  const agentAnswers = async (...verb: string[]) =>
    JSON.parse((await federation.cliOrThrow("site", ...verb, "--state", state(), "--json")).stdout);
  /** Of the hospital's log, as its page has it. */
  const trail = (visitor: Visitor) =>
    visitor.page.evaluate<AuditLine[]>(
      `fetch("/api/audit?study=${id}&limit=100").then((answer) => answer.json()).then(({ events }) => events)`,
    );
  const approve = async ({ page }: Visitor) => {
    await page.getByRole("button", { name: "Approve…" }).click();
    await page.getByRole("button", { name: "Approve study" }).click();
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "consilium-approvers-"));
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
      policy: { approvals: 2, budget: { epsilon: 10, delta: 1e-6 } },
    });
    const console = await federation.startConsole("st-mary");
    [operator, ada, grace] = await Promise.all([
      Visitor.arrive(browser, "operator"),
      Visitor.arrive(browser, "ada"),
      Visitor.arrive(browser, "grace"),
    ]);
    await federation.waitForSites();
    await ada.page.goto(await setUpLink(console.state));
    await makeAccount(ada.page, "ada");
    await ada.page.getByRole("heading", { name: "Health", exact: true }).waitFor();
    pages = new URL(ada.page.url()).origin;
    const { stdout } = await federation.cliOrThrow(
      "account",
      "add",
      "grace",
      "--role",
      "approver",
      "--state",
      state(),
      "--json",
    );
    await grace.page.goto((JSON.parse(stdout) as { url: string }).url);
    await setPassword(grace.page);
    await grace.page.getByRole("heading", { name: "Health", exact: true }).waitFor();
    await operator.page.goto(await setUpLink(federation.aggregator.state));
    await makeAccount(operator.page, "olga");
    ({ id } = await federation.startStudy(study));
  }, limit);

  afterAll(async () => {
    await browser?.close();
    await federation?.stop();
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  });

  it("carries a question and its answer as plain text, into both audit logs and the egress log", {
    timeout: limit,
  }, async () => {
    await expect
      .poll(async () => (await agentAnswers("studies")).map((one: { status: string }) => one.status), {
        timeout: 60_000,
      })
      .toEqual(["waiting for approval"]);
    const { page } = ada;
    await page.goto(`${pages}/studies/${id}`);
    const box = page.getByLabel("Ask the operator");
    await page.getByText("This text leaves the hospital.").waitFor();
    expect(await box.inputValue()).toBe("");
    // The aggregator is away: the question waits at the hospital, across the agent's restart.
    await federation.aggregator.stop("SIGKILL");
    await box.fill(markup);
    await page.getByRole("button", { name: "Send question" }).click();
    await page.getByText("Not sent yet").waitFor();
    // A page of the operator's whose code nobody has fetched yet comes with the aggregator.
    await operator.page.getByRole("link", { name: "Studies", exact: true }).click();
    await federation.site("st-mary").stop("SIGKILL");
    await Promise.all([federation.site("st-mary").start(), federation.aggregator.start()]);
    await federation.waitForSites();
    await page.getByText("Sent. No answer yet.").waitFor();
    await operator.page.getByRole("heading", { name: "Studies", exact: true }).waitFor();
    const { http } = await federation.aggregator.addresses();
    await operator.page.goto(`http://${http}/studies/${id}`);
    await operator.page.getByText(markup).waitFor();
    expect(await operator.page.content()).not.toContain("ada,");
    await look(operator, "question");
    await operator.page.getByLabel("Answer st-mary").fill(reply);
    await operator.page.getByRole("button", { name: "Send answer" }).click();
    await operator.page.getByText(reply).waitFor();
    await page.getByText(reply).waitFor();
    for (const { page: shown } of [operator, ada]) {
      expect(await shown.title()).not.toBe("gone");
      expect(await shown.locator("main img, main script, main a[href^='javascript']").count()).toBe(0);
    }
    await look(ada, "answered");
    const listed = await federation.cliOrThrow("study", "questions", id);
    expect(listed.stdout).toContain(reply);
    expect((await trail(ada)).map(({ actor, kind, detail }) => [actor, kind, detail])).toEqual([
      ["the operator", "answered a question", reply],
      ["ada", "asked the operator", markup],
    ]);
    const logged = await federation.api<{ events: AuditLine[] }>("GET", `/api/audit?study=${id}&limit=100`);
    expect(logged.events.filter(({ kind }) => kind.endsWith("a question"))).toMatchObject([
      { actor: "olga", kind: "answered a question", detail: reply },
      { actor: null, kind: "asked a question", detail: markup },
    ]);
    const egress = await page.evaluate<{ what: string; bytes: number }[]>(
      `fetch("/api/egress").then((answer) => answer.json())`,
    );
    const [line] = egress.filter(({ what }) => what === "question to the operator");
    expect(line!.bytes).toBeGreaterThan(markup.length);
    expect(line!.bytes).toBeLessThan(markup.length + 100);
  });

  it("waits for a second approver, whom the first one is not, in whichever session", {
    timeout: limit,
  }, async () => {
    await ada.page.getByText("Two different people must approve this study.").waitFor();
    await approve(ada);
    await ada.page.getByText("Approved by ada, waits for a second approver.").waitFor();
    await look(ada, "first-approval");
    await approve(ada);
    await ada.page.getByText(/ada is no second person after ada/).waitFor();
    const again = await Visitor.arrive(browser, "ada-again");
    await again.page.goto(`${pages}/studies/${id}`);
    await again.page.getByLabel("Name").fill("ada");
    await again.page.getByLabel("Password").fill(password);
    await again.page.getByRole("button", { name: "Sign in" }).click();
    await approve(again);
    await again.page.getByText(/ada is no second person after ada/).waitFor();
    await again.leave();
    expect(await agentAnswers("show", id)).toMatchObject({
      status: "waiting for approval",
      firstApproval: { by: "ada" },
    });
    expect((await federation.study(id)).status).toBe("inviting");
  });

  it("does not count an approval from before the policy changed, nor a deputy as a second person", {
    timeout: limit,
  }, async () => {
    await writePolicy(state(), { minimumSites: 4 });
    await grace.page.goto(`${pages}/studies/${id}`);
    await grace.page.getByText("The approval of ada no longer counts.").waitFor();
    await look(grace, "lapsed-approval");
    await approve(grace);
    await grace.page.getByText("Approved by grace, waits for a second approver.").waitFor();
    await grace.page.goto(`${pages}/studies`);
    await grace.page.getByText("grace, first of two").waitFor();
    await grace.page.getByRole("heading", { name: "Deputies" }).click();
    await grace.page.getByLabel("Account of the deputy").fill("ada");
    await grace.page.getByRole("button", { name: "Name deputy" }).click();
    await grace.page.getByRole("row", { name: /ada.*grace/ }).waitFor();
    await look(grace, "deputies");
    await ada.page.goto(`${pages}/studies/${id}`);
    await ada.page.getByRole("button", { name: "Approve…" }).click();
    await ada.page.getByLabel("Approve", { exact: true }).selectOption("in place of grace");
    await look(ada, "deputy-dialog");
    await ada.page.getByRole("button", { name: "Approve study" }).click();
    await ada.page.getByText(/ada for grace is no second person after grace/).waitFor();
    const german = await Visitor.arrive(browser, "ada-german", "de-DE");
    await german.page.goto(`${pages}/studies/${id}`);
    await german.page.getByLabel(inGerman("Name")).fill("ada");
    await german.page.getByLabel(inGerman("Password")).fill(password);
    await german.page.getByRole("button", { name: inGerman("Sign in") }).click();
    await german.page.getByRole("button", { name: inGerman("Approve…") }).click();
    await german.page.getByRole("button", { name: inGerman("Approve study") }).click();
    await german.page
      .getByText(/grace and ada/)
      .first()
      .waitFor();
    await german.leave();
    await ada.page.goto(`${pages}/studies/${id}`);
    await ada.page.getByText(/^This study: /).waitFor();
    await ada.page.getByText("Decided by grace and ada").waitFor();
    expect((await trail(ada)).slice(0, 3).map(({ actor, detail }) => [actor, detail])).toEqual([
      ["ada", "second, after grace"],
      ["grace", "first of two; the approval of ada does not count: the policy changed"],
      ["ada", "first of two"],
    ]);
    await federation.waitForRelease(id, limit);
  });

  it("keeps what each of them was shown, and finds a byte of it that was changed", {
    timeout: limit,
  }, async () => {
    const record = (...more: string[]) =>
      federation.cli("site", "record", id.slice(0, -4), "--state", state(), ...more);
    const running = await record();
    expect(running.code, running.stderr).toBe(0);
    expect(running.stdout).toContain("3 decisions on record");
    const { records } = JSON.parse((await record("--render", "--json")).stdout) as {
      records: {
        record: {
          by: string;
          decision: string;
          facts: { text: string };
          shown: { language: string; texts: string[] };
        };
        reworded: { fault: string | null; paragraphs: number; otherwise: unknown[] };
      }[];
    };
    expect(records.map(({ record: { by, decision, shown } }) => [by, decision, shown.language])).toEqual([
      ["ada", "first", "en"],
      ["grace", "first", "en"],
      ["ada", "joined", "de"],
    ]);
    for (const { reworded } of records) expect(reworded).toMatchObject({ fault: null, otherwise: [] });
    // Of a page's own German the command has the sentences that have a code.
    const [inFull, , inPart] = records.map(({ reworded }) => reworded.paragraphs);
    expect([inFull! > 3, inPart! > 0]).toEqual([true, true]);
    const [english, , german] = records.map(({ record: { shown } }) => shown.texts);
    expect(german).toContain(inGerman("Privacy cost"));
    expect(german!.join()).toContain(
      inGerman("The table {table} is read and checked now{more}").split("{")[0],
    );
    expect(german).not.toContain("Privacy cost");
    // What the check of the hospital's own table says is on the page, and no part of what is kept.
    expect(english!.join()).toContain("Approve ");
    for (const texts of [english, german]) expect(texts!.join()).not.toMatch(/ of \d+ rows\b|Zeilen\. *Ihre/);
    expect(running.stdout).toContain(inGerman("Privacy cost"));

    await federation.site("st-mary").stop();
    const atRest = await record();
    expect(atRest.stderr).toContain("reading its store directly");
    expect(atRest).toMatchObject({ code: 0, stdout: running.stdout });
    const change = (from: string, to: string) => {
      const store = openLibsql(join(state(), "state.db"));
      store
        .prepare(
          'UPDATE approval_records SET record = replace(record, ?, ?) WHERE record LIKE \'%"decision":"joined"%\'',
        )
        .run([from, to]);
      store.close();
    };
    change('"by":"ada"', '"by":"eva"');
    const changed = await record();
    expect(changed).toMatchObject({ code: 4, stdout: expect.stringMatching(/not verified: it was changed/) });
    await federation.site("st-mary").start();
    expect(await record()).toMatchObject({ code: 4, stdout: changed.stdout });
    await federation.site("st-mary").stop();
    change('"by":"eva"', '"by":"ada"');
    await federation.site("st-mary").start();
    await federation.waitForSites();
    expect((await record()).code).toBe(0);
  });

  it("says which part of a page is gone since an update, keeps the rest, and has it after a reload", {
    timeout: limit,
  }, async () => {
    const { page } = operator;
    await page.route("**/assets/HelpPage*", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Federation", exact: true }).click();
    await page.getByRole("heading", { name: "Federation", exact: true }).waitFor();
    await page.locator("a[href^='/help']").first().click();
    await page.getByText("This part of the page could not be loaded.").waitFor();
    await look(operator, "part-not-loaded");
    await page.unroute("**/assets/HelpPage*");
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/help/);
    expect(await page.getByText("This part of the page could not be loaded.").count()).toBe(0);
  });

  it("sets two approvals on the policy page", { timeout: limit }, async () => {
    const { page } = ada;
    await page.goto(`${pages}/policy`);
    const setting = page.getByLabel("Two different people must approve");
    await expect.poll(() => setting.isChecked()).toBe(true);
    await look(ada, "policy-approvals");
    await setting.uncheck();
    await page.getByText("One person alone can approve a study: until now two had to.").waitFor();
  });

  it("keeps no one out, and complains of nothing", () => {
    expect(faults).toEqual([]);
    // Refusals that were asked for above are answers of the server's, which the browser reports.
    const complaints = [...operator.complaints, ...ada.complaints, ...grace.complaints];
    expect(complaints.filter((one) => !/\/approve$|Failed to load resource|ERR_/.test(one))).toEqual([]);
  });
});
