import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { signatureHeader, signatureOf } from "@consilium/runtime/notify/webhook";
import { foreignAuthority } from "@consilium/runtime/testing/network/certificates";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import type { Browser } from "playwright-core";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { editConfig, LocalFederation } from "../../scripts/localFederation.js";
import { launch, makeAccount, noBrowser, password, setUpLink, Visitor } from "./browser.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const table = (letter: string) => `${root}examples/data/hospital-${letter}.csv`;
const limit = 600_000;
const secret = "a webhook's secret for tests";
const request = {
  investigator: "Dr. Ada Example, University Hospital Example",
  contact: "ada@uh.example",
  purpose: "To tell benign from malignant biopsies before surgery.",
  ethicsVote: "Ethics committee of Example, 117/2026",
};
const study = {
  ...(parse(readFileSync(`${root}examples/studies/wdbc-dp-histboost.yaml`, "utf8")) as Record<
    string,
    unknown
  >),
  request,
  // ε of the whole table at the population's δ stays within a default budget.
  privacy: { epsilon: 2, delta: 1e-5 },
};

interface Post {
  readonly body: string;
  readonly signature: string;
}

/** A hospital's approver and an operator: told by mail and webhook, deciding on one screen, watching, mending. */
describe.skipIf(noBrowser !== null)("deciding and watching in a browser", () => {
  let home: string;
  let federation: LocalFederation;
  let browser: Browser;
  let operator: Visitor;
  let hospital: Visitor;
  let mailServer: SMTPServer;
  let receiver: http.Server;
  const mails: string[] = [];
  const posts: Post[] = [];
  const toOperator: Post[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "consilium-deciding-"));
    const authority = await foreignAuthority();
    mailServer = new SMTPServer({
      ...(await authority.leaf("127.0.0.1")),
      authOptional: true,
      onData: (stream, _, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          mails.push(Buffer.concat(chunks).toString("utf8"));
          done();
        });
      },
    });
    receiver = http.createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      (incoming.url === "/operator" ? toOperator : posts).push({
        body: Buffer.concat(chunks).toString("utf8"),
        signature: String(incoming.headers[signatureHeader]),
      });
      response.writeHead(204).end();
    });
    await Promise.all([
      new Promise<void>((resolve) => mailServer.listen(0, "127.0.0.1", resolve)),
      new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve)),
    ]);
    [federation, browser] = await Promise.all([LocalFederation.create(home, "north-sea"), launch()]);
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const { aggregator } = federation;
    await aggregator.stop();
    await writeFile(join(aggregator.state, "webhook-secret"), `${secret}\n`, { mode: 0o600 });
    await editConfig(aggregator.state, (config) => {
      config.notifications = {
        silentAfter: "20s",
        webhook: { url: `${hook}/operator`, secretFile: "webhook-secret" },
      };
    });
    await aggregator.start();
    await Promise.all(
      ["a", "b", "c"].map((letter) =>
        federation.addSite({ id: `hospital-${letter}`, tables: { biopsies: table(letter) } }),
      ),
    );
    const member = await federation.addSite({
      id: "st-mary",
      tables: { biopsies: table("d") },
      approval: "person",
      policy: { requires: ["investigator", "contact", "ethicsVote"], budget: { epsilon: 10, delta: 1e-6 } },
    });
    await Promise.all([
      writeFile(join(member.state, "mail-authority.pem"), authority.caPem),
      writeFile(join(member.state, "webhook-secret"), `${secret}\n`, { mode: 0o600 }),
    ]);
    await member.stop();
    await editConfig(member.state, (config) => {
      config.console = {
        listen: "127.0.0.1:0",
        notifications: {
          mail: {
            host: "127.0.0.1",
            port: (mailServer.server.address() as AddressInfo).port,
            caFile: "mail-authority.pem",
            from: "consilium@st-mary.example",
            to: ["approvals@st-mary.example"],
          },
          webhook: {
            url: `${hook}/hospital`,
            secretFile: "webhook-secret",
          },
        },
      };
    });
    await member.start();
    await federation.startConsole("st-mary");
    [operator, hospital] = await Promise.all([
      Visitor.arrive(browser, "operator"),
      Visitor.arrive(browser, "hospital"),
    ]);
    await federation.waitForSites();
  }, limit);

  afterAll(async () => {
    await browser?.close();
    await federation?.stop();
    receiver?.close();
    if (mailServer !== undefined) await new Promise<void>((resolve) => mailServer.close(resolve));
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  });

  const look = async (visitor: Visitor, title: string) => {
    faults.push(...(await visitor.look(title)));
  };

  it("sends a test message from the hospital's page", { timeout: limit }, async () => {
    const { page } = hospital;
    await page.goto(await setUpLink(federation.consoles.get("st-mary")!.state));
    await makeAccount(page, "dr.ada");
    await page.getByRole("button", { name: "Send test message" }).click();
    await page.getByText("The test message by mail was accepted.").waitFor();
    await page.getByText("The test message by webhook was accepted.").waitFor();
    expect(mails.splice(0)).toHaveLength(1);
    expect(posts.splice(0)).toHaveLength(1);
  });

  it("refuses a study that does not say who wants it, with a code that the operator sees", {
    timeout: limit,
  }, async () => {
    const { request: _, ...anonymous } = study;
    const { id } = await federation.startStudy({ ...anonymous, name: "anonymous" });
    const { page } = operator;
    await page.goto(await setUpLink(federation.aggregator.state));
    await makeAccount(page, "olga");
    await page.getByRole("heading", { name: "Federation", exact: true }).waitFor();
    await page.goto(new URL(`/studies/${id}`, page.url()).href);
    await page.getByText("Correct what the sites refuse, in a copy of this study, and start that.").waitFor();
    await page.getByText(/st-mary: POLICY_REQUEST, state it under request in the study/).waitFor();
    await page.getByText("nothing: it ended before any stage was asked for").waitFor();
    expect(await page.getByRole("link", { name: "Duplicate and correct" }).getAttribute("data-kind")).toBe(
      "primary",
    );
    await look(operator, "study-refused");
  });

  let id = "";
  it("tells the approver once by mail and webhook, with a name and a link, across a restart", {
    timeout: limit,
  }, async () => {
    ({ id } = await federation.startStudy(study));
    await expect.poll(() => [mails.length, posts.length]).toEqual([1, 1]);
    const text = mails[0]!.split("\r\n\r\n").slice(1).join("\n").trim();
    expect(text).toMatch(
      new RegExp(
        `^Study waiting for approval: wdbc-dp-histboost\\nhttp://127\\.0\\.0\\.1:\\d+/studies/${id}$`,
      ),
    );
    const { body, signature } = posts[0]!;
    expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(["event", "id", "link", "name", "text"]);
    const seconds = Number(/^t=(\d+),/.exec(signature)![1]);
    expect(signature).toBe(signatureOf(body, new SecretBytes(Buffer.from(secret)), seconds));
    // The console comes back on another port.
    await hospital.page.goto("about:blank");
    const console = federation.consoles.get("st-mary")!;
    await console.stop();
    await console.start();
    // More than one of the console's looks.
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    expect([mails.length, posts.length]).toEqual([1, 1]);
  });

  it("shows the approver everything a decision rests on in one screen, and both buttons", {
    timeout: limit,
  }, async () => {
    const { page } = hospital;
    const { console: address } = await federation.consoles.get("st-mary")!.addresses();
    await page.goto(`http://${address}/studies/${id}`);
    const summary = page.getByRole("region", { name: "Summary" });
    await page.getByLabel("Name").fill("dr.ada");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await summary.waitFor();
    for (const text of [
      request.investigator,
      request.ethicsVote,
      "legal basis, retention",
      /Masked sums.*22 stages\. Only the sum over at least 4 hospitals can be read/s,
      /At most \d+ kB in all/,
      "ε = 2",
      /ε = 0 → .* of 10 per row at δ = 1e-6 .*; .* remains/,
      /moderate.*right at most .* times in 100/s,
      "The operator learns that this hospital denied it",
    ])
      expect(await summary.getByText(text).count(), String(text)).toBeGreaterThan(0);
    const bottom = async (of: ReturnType<typeof page.getByRole>) => {
      const box = (await of.boundingBox())!;
      return box.y + box.height;
    };
    const bar = page.getByRole("region", { name: "Decision" });
    // On the smallest laptop the summary ends above the decision.
    await page.setViewportSize({ width: 1024, height: 768 });
    expect(await bottom(summary)).toBeLessThan(768 - (await bar.boundingBox())!.height);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await bottom(summary)).toBeLessThan(900 - (await bar.boundingBox())!.height);
    for (const name of ["Approve…", "Deny…"]) {
      expect(await bottom(page.getByRole("button", { name }))).toBeLessThan(900);
      expect(await bottom(page.getByRole("button", { name }))).toBeGreaterThan(800);
    }
    await page.screenshot({ path: `${root}test/artifacts/browser/decision-1440x900.png` });
    await page.getByRole("heading", { name: "Study file" }).click();
    await page.getByRole("region", { name: "The study, as JSON" }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 2_000);
    expect(await bottom(page.getByRole("button", { name: "Approve…" }))).toBeLessThan(900);
    await page.getByRole("heading", { name: "Study file" }).click();
    await look(hospital, "decision");
    await page.getByRole("button", { name: "Approve…" }).click();
    await look(hospital, "decision-dialog");
    await page.getByRole("button", { name: "Approve study" }).click();
    await page.getByText(/^This study: /).waitFor();
    await summary.getByText(/^dr\.ada approved it on /).waitFor();
  });

  it("shows the operator ten trees as one group, with its time", { timeout: limit }, async () => {
    const { page } = operator;
    await page.goto(new URL(`/studies/${id}`, page.url()).href);
    const matrix = page.getByRole("region", { name: "Sites by stages" });
    await matrix.getByRole("columnheader", { name: /^tree 1 … 10/ }).waitFor();
    await matrix
      .getByRole("columnheader", { name: /tree \d+ of 10/ })
      .waitFor()
      .catch(() => undefined);
    await look(operator, "watching");
    await page.getByRole("heading", { name: "Results" }).waitFor({ timeout: limit });
    expect(await matrix.getByRole("columnheader").allInnerTexts()).toHaveLength(7);
    expect(
      await matrix
        .getByRole("row", { name: /st-mary/ })
        .getByText("done")
        .count(),
    ).toBe(4);
    const line = page.getByRole("region", { name: "Time line" });
    await line.getByText("tree 1 … 10").click();
    await line.getByText(/^tree-10-leaves: \d+\.\d s/).waitFor();
    await look(operator, "watched");
  });

  it("finds and orders studies", { timeout: limit }, async () => {
    const { page } = operator;
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Studies" }).click();
    const rows = page.getByRole("rowheader");
    await expect.poll(() => rows.allInnerTexts()).toEqual([id, expect.stringMatching(/^anonymous/)]);
    await page.getByLabel("Order").selectOption("by name");
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/^anonymous/), id]);
    await page.getByLabel("Status").selectOption("released");
    await expect.poll(() => rows.allInnerTexts()).toEqual([id]);
    await page.getByLabel("Status").selectOption("all");
    await look(operator, "studies-ordered");
    await hospital.page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Studies" })
      .click();
    await hospital.page.getByRole("heading", { name: "Past studies" }).waitFor();
    await look(hospital, "past-studies");
    await hospital.page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Policy" })
      .click();
    expect(await hospital.page.getByLabel("Ethics vote").isChecked()).toBe(true);
    await look(hospital, "policy-requires");
    await hospital.page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Health" })
      .click();
    await look(hospital, "health-notifications");
    await hospital.page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Table" })
      .click();
    await hospital.page.getByRole("button", { name: "Check the table" }).click();
    await hospital.page.getByText("No problem was found.").waitFor();
    await hospital.page.getByText("Columns", { exact: true }).first().click();
    await hospital.page.getByRole("rowheader", { name: "diagnosis" }).waitFor();
    await hospital.page
      .getByText(/^\w+: \d+, \w+: \d+$/)
      .first()
      .waitFor();
    await look(hospital, "table-check");
  });

  it("tells the operator once of a study that failed, of one that was released, and of a silent site", {
    timeout: limit,
  }, async () => {
    await federation.site("hospital-a").stop();
    const told = () =>
      toOperator.map(({ body }) => {
        const { event, name } = JSON.parse(body) as { event: string; name: string };
        return `${event} ${name}`;
      });
    await expect
      .poll(() => told().sort())
      .toEqual(["site-silent hospital-a", "study-failed anonymous", "study-released wdbc-dp-histboost"]);
  });

  it("keeps no one out, and complains of nothing", () => {
    expect(faults).toEqual([]);
    expect([...operator.complaints, ...hospital.complaints]).toEqual([]);
  });
});
