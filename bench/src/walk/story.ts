import { execFile } from "node:child_process";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { type LocalFederation, waitUntil } from "../../../scripts/localFederation.js";
import { password } from "../../../test/browser/browser.js";
import type { Terminal } from "./hospital.js";
import type { Person } from "./person.js";
import { outcome } from "./table.js";

/** What the three people do, by the words on the pages. */

const patientUnit = "patient:patient_id:4";

export async function makesAccount(person: Person, link: string, name: string): Promise<void> {
  const { page } = person;
  await person.opens(link);
  await person.sees(page.getByRole("button", { name: "Create account" }));
  await person.types(name, page.getByLabel("Your name"));
  await person.types(password, page.getByLabel("Password", { exact: true }));
  await person.types(password, page.getByLabel("Confirm password"));
  await person.clicks(page.getByRole("button", { name: "Create account" }));
}

const menu = (person: Person, name: string | RegExp): Locator =>
  person.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });

/** What the operator sends to a hospital. */
export interface Invited {
  readonly site: string;
  readonly token: string;
  /** The two of the message. */
  readonly commands: readonly string[];
}

export async function invites(operator: Person, sites: readonly string[]): Promise<Invited[]> {
  const { page } = operator;
  await operator.clicks(menu(operator, "Invitations"));
  await operator.sees(page.getByRole("heading", { name: "Invite a site" }));
  const all: Invited[] = [];
  for (const site of sites) {
    await operator.types(site, page.getByRole("textbox", { name: "Site" }));
    await operator.clicks(page.getByRole("button", { name: "Invite", exact: true }));
    await operator.sees(page.getByRole("heading", { name: `Next steps for ${site}` }));
    const message = await operator.copies(page, "Copy all as one message: With the consilium command");
    const commands = [...message.matchAll(/^ {3}(\S.*)$/gm)].map(([, command]) => command!);
    const token = /'([^']+)' \| consilium/.exec(commands[0]!)![1]!;
    all.push({ site, token, commands });
    // A mail to the hospital, and its own paste and sending.
    operator.pastes();
  }
  return all;
}

/** Composes a study of the hospitals' table and starts it. */
export async function composes(operator: Person, columns: readonly string[], rows: number): Promise<string> {
  const { page } = operator;
  await operator.clicks(menu(operator, "New study"));
  await operator.sees(page.getByRole("radio", { name: "What goes with an outcome?" }));
  await operator.clicks(page.getByRole("radio", { name: "What goes with an outcome?" }));
  await operator.clicks(page.getByRole("radio", { name: "Yes or no" }));
  await operator.clicks(page.getByRole("button", { name: /^patients \d+ sites?/ }));
  for (const column of columns) {
    await operator.types(column, page.getByLabel("Find a column"));
    await operator.clicks(page.getByRole("checkbox", { name: column, exact: true }));
  }
  await operator.clicks(page.getByRole("button", { name: `Add ${columns.length} variables` }));
  await operator.types(outcome, page.getByLabel("Outcome's column"));
  await operator.types("no, yes", page.getByLabel("Levels", { exact: true }));
  await operator.clicks(page.getByRole("checkbox", { name: /^Protect patients instead of rows/ }));
  await operator.types(String(rows), page.getByLabel(/^Max.* rows per site/i));
  await operator.types("readmission", page.getByLabel("Name (required)"));
  await operator.types("Who comes back within 30 days", page.getByLabel("Title", { exact: true }));
  await page.getByRole("heading", { name: "Plan: privacy" }).waitFor();
  await operator.reads(page.locator(".precision"));
  await operator.clicks(page.getByRole("button", { name: "Start…" }));
  await operator.reads(page.getByRole("dialog"));
  await operator.clicks(page.getByRole("button", { name: "Start study" }));
  await page.waitForURL(/\/studies\/readmission-/);
  await operator.sees(page.getByRole("heading", { level: 1 }));
  return new URL(page.url()).pathname.split("/").at(-1)!;
}

/** Enrols with the commands that the operator sent. */
export async function enrols(
  hospital: Person,
  terminal: Terminal,
  { commands: [enrol, serve], site }: Invited,
  table: string,
): Promise<void> {
  const { page } = hospital;
  // Its own path in place of the page's, what one record is, and in this run any free port.
  const typed = `${table} --unit patients=${patientUnit}`;
  hospital.pastes(typed);
  await terminal.runs(
    `${enrol!.replace("/data/patients.csv", `'${table}'`)} --unit patients=${patientUnit} --console 127.0.0.1:0`,
  );
  hospital.pastes();
  const link = await terminal.serves(serve!, site);
  // The log names the file.
  hospital.pastes("cat ");
  await makesAccount(hospital, link, "dr.ada");
  await hospital.sees(page.getByRole("heading", { name: "Health", exact: true }));
}

/** Reads what is asked, tries it on the hospital's own table, and approves it. */
export async function decides(hospital: Person, study: string): Promise<void> {
  const { page } = hospital;
  await hospital.clicks(menu(hospital, /^Studies \(1\)/));
  await hospital.sees(page.getByRole("link", { name: "readmission" }));
  await hospital.clicks(page.getByRole("link", { name: "readmission" }));
  await hospital.sees(page.getByRole("heading", { name: "Data sent from this hospital" }));
  await hospital.reads(page.locator(".summary"));
  await hospital.clicks(page.getByRole("button", { name: "Check my data" }));
  await page.getByText("Rows in the table").waitFor();
  await hospital.sees(page.getByText("Rows in the table"));
  await hospital.clicks(page.getByRole("button", { name: "Approve…" }));
  await hospital.reads(page.getByRole("dialog"));
  await hospital.clicks(page.getByRole("dialog").getByRole("button", { name: /^Approve/ }));
  await page.getByText(/^This study: /).waitFor();
  if (!page.url().includes(study)) throw new Error(`another study was decided: ${page.url()}`);
}

/** From the list of releases to odds ratios in pandas and a figure of them, after the code that the release's page shows. */
export async function analyses(
  analyst: Person,
  federation: LocalFederation,
  folder: string,
  python: string,
): Promise<string> {
  const { page } = analyst;
  const { http } = await federation.publisher.addresses();
  await analyst.opens(`http://${http}/`);
  await analyst.sees(page.getByRole("link", { name: "Who comes back within 30 days" }));
  await analyst.clicks(page.getByRole("link", { name: "Who comes back within 30 days" }));
  await analyst.sees(page.getByRole("heading", { level: 1, name: "Who comes back within 30 days" }));
  await analyst.reads(page.getByRole("complementary", { name: "At a glance" }));
  await analyst.clicks(page.getByRole("link", { name: "Code" }));
  await analyst.clicks(page.getByRole("tab", { name: /pandas/ }));
  const code = await analyst.copies(page.getByRole("tabpanel").filter({ hasText: "import pandas" }));
  analyst.pastes();
  // What the analyst asks of it: each odds ratio with its interval, as numbers and as a figure.
  const own = [
    'ratios = tables["coefficients"].set_index("term")[["odds_ratio", "odds_ratio_low", "odds_ratio_high"]]',
    "print(ratios)",
    'axes = ratios.plot(style=["o", "^", "v"], logy=True, rot=90)',
    'axes.figure.savefig("ratios.png", bbox_inches="tight")',
  ].join("\n");
  analyst.pastes(own);
  const file = join(folder, "analysis.py");
  await writeFile(file, `${code}\n${own}\n`);
  const { stdout } = await promisify(execFile)(python, [file], {
    cwd: folder,
    env: { ...process.env, no_proxy: "127.0.0.1,localhost", MPLBACKEND: "agg" },
  });
  const { size } = await stat(join(folder, "ratios.png"));
  return `${stdout.trimEnd()}\nratios.png: ${size} bytes`;
}

/** Until the release is there, which nobody waits for at a screen. */
export const isReleased = (federation: LocalFederation, study: string) =>
  federation.waitForRelease(study, 900_000);

export const areOnline = (federation: LocalFederation, sites: readonly string[]) =>
  waitUntil(
    async () => {
      const known = await federation.api<{ id: string; presence: string }[]>("GET", "/api/sites");
      return sites.every((id) => known.some((one) => one.id === id && one.presence === "online")) || null;
    },
    180_000,
    "all hospitals to be online",
  );
