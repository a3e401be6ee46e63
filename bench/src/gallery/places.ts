import type { Page } from "playwright-core";
import type { Network } from "./network.js";

export type Who = "operator" | "hospital" | "reader";

/** A page to look at, and when it is there. */
export interface Place {
  readonly name: string;
  readonly who: Who;
  readonly path: string;
  /** CSS selector of what the page is for. */
  readonly content: string;
  /** What a person does there before it is looked at. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Every page of the three services, as its address and what it is for. */
export function placesOf({ studies }: Network): Place[] {
  const place = (who: Who, name: string, path: string, content: string, act?: Place["act"]): Place => ({
    who,
    name: `${who}-${name}`,
    path,
    content,
    ...(act === undefined ? {} : { act }),
  });
  const id = (study: string) => studies[study] ?? study;
  const releases = Object.keys(studies).filter((study) => /^(wdbc|trial)-/.test(study));
  return [
    place("operator", "federation", "/", "tbody tr"),
    place("operator", "studies", "/studies", "tbody tr"),
    place("operator", "study-released", `/studies/${id("wdbc-regression")}`, "table"),
    place("operator", "study-waiting", `/studies/${id("waiting")}`, "table"),
    place("operator", "study-denied", `/studies/${id("denied")}`, "table"),
    place("operator", "compare", `/compare/${id("wdbc-describe")}/${id("wdbc-regression")}`, "main table"),
    place("operator", "compose", "/compose", ".composer"),
    place("operator", "compose-table", "/compose", ".composer", async (page) => {
      await page.locator(".known-tables button").first().click();
      await page.locator(".picker-row input").first().waitFor();
    }),
    place("operator", "compose-yaml", "/compose", ".composer", async (page) => {
      await page.getByRole("tab", { name: "YAML" }).click();
    }),
    place("operator", "invitations", "/invitations", "tbody tr"),
    place("operator", "invited", "/invitations", "tbody tr", async (page) => {
      await page
        .locator("input:not([type])")
        .first()
        .fill(`clinic-${Date.now() % 100_000}`);
      await page.locator("form button[type=submit]").first().click();
      await page.locator(".code-frame").nth(1).waitFor();
    }),
    place("operator", "audit", "/audit", "details, tbody tr"),
    place("operator", "accounts", "/accounts", "tbody tr"),
    place("operator", "help", "/help", "main h1"),
    place("operator", "help-study", "/help/STUDY", ".document h2"),
    place("operator", "no-such-page", "/nowhere", "main a"),
    place("hospital", "health", "/", ".health"),
    place("hospital", "studies", "/studies", "tbody tr"),
    place("hospital", "study-waiting", `/studies/${id("waiting")}`, ".decision-bar"),
    place("hospital", "study-approve", `/studies/${id("waiting")}`, ".decision-bar", async (page) => {
      await page.locator(".decision-bar [data-kind=primary]").click();
      await page.locator("dialog[open]").waitFor();
    }),
    place("hospital", "study-open", `/studies/${id("waiting")}`, ".decision-bar", async (page) => {
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    }),
    place("hospital", "study-denied", `/studies/${id("denied")}`, ".summary, .notice"),
    place("hospital", "study-released", `/studies/${id("wdbc-regression")}`, ".summary"),
    place("hospital", "table", "/table", "main form, main .card"),
    place("hospital", "table-checked", "/table", "main form select", async (page) => {
      // Without a study there is nothing to check.
      await page.locator("main form select").selectOption(id("wdbc-regression"));
      await page.locator("main form button[type=submit]").click();
      await page.locator("main table tbody tr").first().waitFor();
    }),
    place("hospital", "ledger", "/ledger", "main table tbody tr"),
    place("hospital", "egress", "/egress", "main .card"),
    place("hospital", "egress-study", `/egress?study=${id("wdbc-regression")}`, "main table tbody tr"),
    place("hospital", "policy", "/policy", "main .card"),
    place("hospital", "audit", "/audit", "details, tbody tr"),
    place("hospital", "accounts", "/accounts", "tbody tr"),
    place("hospital", "methods", "/documents/METHODS", ".document h2"),
    place("reader", "releases", "/", ".release-cards"),
    place("reader", "releases-none", "/?q=nothing-has-this", ".filters button"),
    ...releases.map((study) =>
      place("reader", `release-${study}`, `/releases/${id(study)}/`, "#certificate", async (page) => {
        await page.locator("#results table, .figures svg, #rows table, #model").first().waitFor();
      }),
    ),
    place("reader", "compare", `/compare/${id("wdbc-describe")}/${id("wdbc-regression")}`, ".compared"),
    place("reader", "reader", "/", ".release-cards", async (page) => {
      await page.locator(".tools button").first().click();
    }),
    place("reader", "no-such-release", "/releases/nothing-0123456789/", ".notice, .error"),
  ];
}
