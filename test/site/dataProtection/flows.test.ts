import { egressEntry, studyFacts, testStudy } from "@consilium/site-agent/testing/dataProtection/facts";
import { dataProtectionDocument } from "@consilium/site-console/dataProtection/document";
import { flowsOf } from "@consilium/site-console/dataProtection/flows";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { siteFacts } from "./facts.js";

const names = (...given: Parameters<typeof siteFacts>) =>
  flowsOf(siteFacts(...given)).map(({ name }) => name);
const flow = (name: string, ...given: Parameters<typeof siteFacts>) =>
  flowsOf(siteFacts(...given)).find((one) => one.name === name);
const document = (...given: Parameters<typeof siteFacts>) => dataProtectionDocument(siteFacts(...given));

describe("data flows", () => {
  it("accounts for every message of the log, of kinds unknown to this version too", () => {
    const kind = fc.constantFrom(
      "masked vector",
      "reduced rows",
      "fault",
      "countersignature",
      "heartbeat",
      "greeting",
      "head of the ledger",
      "smoke",
      "__proto__",
    );
    const log = fc.array(
      fc.record({ what: kind, bytes: fc.nat(1e9), messages: fc.integer({ min: 1, max: 1e5 }) }),
      { maxLength: 50 },
    );
    fc.assert(
      fc.property(log, (entries) => {
        const sent = flowsOf(siteFacts({ egress: entries.map(egressEntry) })).map((one) => one.sent);
        const total = (key: "messages" | "bytes") => sent.reduce((sum, one) => sum + (one?.[key] ?? 0), 0);
        expect(total("messages")).toBe(entries.reduce((sum, { messages }) => sum + messages, 0));
        expect(total("bytes")).toBe(entries.reduce((sum, { bytes }) => sum + bytes, 0));
      }),
    );
    expect(names({ egress: [egressEntry({ what: "smoke" })] })).toContain("Other messages: smoke");
  });

  it("has rows where the policy or the configuration allows them, or where some have left", () => {
    const rows = "Rows and tag counts of published methods";
    expect(names()).not.toContain(rows);
    expect(document().notFlowing.join()).toContain("Rows of this hospital");
    for (const given of [
      { policy: { variants: ["sound", "paper"] } },
      { config: { allowNoPrivacy: true } },
      { egress: [egressEntry({ what: "tags with counts" })] },
    ])
      expect(names(given)).toContain(rows);
    expect(document({ config: { allowNoPrivacy: true } }).notFlowing.join()).not.toContain(
      "Rows of this hospital",
    );
  });

  it("goes through the proxy that is configured, with its credentials", () => {
    const proxy = {
      address: "proxy.example:3128",
      isTls: false,
      hasCredentials: true,
      source: "https_proxy",
    };
    const name = "Request to the web proxy";
    expect(names()).not.toContain(name);
    expect(flow(name, { proxy })).toMatchObject({ protection: "none as far as the proxy" });
    expect(flow(name, { proxy })!.what).toContain("a user name and a password");
    expect(flow(name, { proxy })!.to).toContain("from the variable https_proxy)");
    expect(flow(name, { proxy, agent: null })!.to).toContain("the agent's own may differ");
    expect(flow("Masked sums", { proxy })!.protection).toContain("not intercepted by the proxy");
    expect(document({ proxy }).gaps.join()).toContain("The proxy's password goes to it without TLS");
    expect(document({ proxy: { ...proxy, isTls: true } }).gaps.join()).not.toContain("proxy");
  });

  it("goes to an identity provider and to a database where there are any", () => {
    const oidc = { issuer: "https://login.example.org", clientId: "c", roles: { approver: ["dpo"] } };
    const notifications = {
      mail: { host: "smtp.st-mary.example", from: "c@st-mary.example", to: ["ada@st-mary.example"] },
    };
    expect(flow("Messages to approvers")).toBeUndefined();
    expect(flow("Messages to approvers", { config: { console: { notifications } } })!.to).toBe(
      "ada@st-mary.example by smtp.st-mary.example",
    );
    expect(flow("Sign-in by the identity provider", { config: { console: { oidc } } })!.to).toContain(
      oidc.issuer,
    );
    const postgres = { url: "postgres://u@10.0.0.7/db?sslmode=disable", query: "SELECT 1" };
    const given = { config: { tables: { visits: { postgres } } } };
    expect(names(given)).toContain("Queries to the hospital's database");
    expect(document(given).gaps.join()).toContain("Table visits is read from another machine without TLS");
    expect(document(given).notFlowing.join()).not.toContain("every table is a file");
  });

  it("of the console stays on the machine, unless it listens elsewhere", () => {
    const at = (listen: string, more = {}) => ({ config: { console: { listen, ...more } } });
    for (const listen of ["127.0.0.1:7082", "[::1]:7082", "localhost:7082"])
      expect(flow("Pages of the console", at(listen))!.protection).toContain("only this machine reaches it");
    const open = at("0.0.0.0:7082");
    expect(flow("Health and metrics", open)!.protection).toContain("anyone who can reach the address");
    expect(document(open).gaps.join()).toContain("without TLS");
    const behind = at("0.0.0.0:7082", { publicUrl: "https://console.example.org" });
    expect(document(behind).gaps.join()).not.toContain("without TLS");
  });
});

describe("what is left open", () => {
  const pinned = { members: { "st-john": "a".repeat(64) } };

  it("is nothing where all is closed", () => expect(document({ policy: pinned }).gaps).toEqual([]));

  it.each([
    [{}, "No hospital's key is pinned"],
    [
      { policy: { ...pinned, approval: "automatic", perStudy: { epsilon: 1, delta: 1e-6 } } },
      "without manual approval",
    ],
    [{ policy: { ...pinned, variants: ["paper"] } }, "Studies without a proof"],
    [
      { policy: { ...pinned, populations: { default: { epsilon: "unlimited" } } } },
      "Population default has no budget",
    ],
    [{ policy: pinned, permissions: [{ path: "state.db", mode: 0o644 }] }, "state.db (0644)"],
    [
      { policy: pinned, people: { administrators: 1, approvers: 0, byProvider: 0, tokens: 0 } },
      "Only one administrator",
    ],
    [
      { policy: pinned, people: { administrators: 0, approvers: 3, byProvider: 3, tokens: 0 } },
      "No administrator has a console account",
    ],
  ])("is said: %j", (given, words) => {
    const { gaps } = document(given);
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toContain(words);
  });

  it("is not claimed as a measure", () => {
    const made = document({ permissions: [{ path: "state.db", mode: 0o644 }] });
    expect(JSON.stringify(made.measures)).not.toContain("state.db (");
  });
});

describe("what is guaranteed", () => {
  const words = (...given: Parameters<typeof siteFacts>) => JSON.stringify(document(...given).guarantees);

  it("is the policy's limits", () => {
    const policy = {
      minimumSites: 5,
      tolerateColluding: 2,
      minimumRows: 50,
      perStudy: { epsilon: 1 },
      approval: { automatic: { maxEpsilon: 0.5, maxDelta: 1e-6 } },
      populations: { inpatients: { tables: ["visits"], epsilon: 2, delta: 1e-6 } },
    };
    const made = words({ policy });
    for (const part of [
      "at least 5 hospitals and uses at least 50 rows",
      "at least 2 hospitals colluding",
      "at most epsilon 1.",
      "that cost at most epsilon 0.5",
      "Population inpatients (table visits): epsilon 2 per row at delta 1e-6",
      "a factor of at most 7.39",
      "does not allow variant paper",
    ])
      expect(made).toContain(part);
  });

  it("says so where there is no policy, and where paper is allowed", () => {
    expect(words({ hasPolicyFile: false })).toContain("has written no policy");
    expect(words({ policy: { variants: ["paper"] } })).toContain("The policy allows variant paper");
  });

  it("does not cover rows of one patient where a study named no patient column", () => {
    const unit = (study: object) =>
      document({ studies: [studyFacts(testStudy(study))] }).notCovered.filter((one) =>
        one.startsWith("A patient with"),
      )[0];
    expect(unit({})).toContain("there the unit is one row");
    expect(unit({ patient: { column: "nhs", maxRows: 1 } })).toContain("more rows than a study counts");
  });
});
