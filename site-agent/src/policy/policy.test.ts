import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pinnedSurvivors, trustOf } from "./members.js";
import { defaultPolicy, populationOf, populations } from "./policy.js";
import { PolicyFile, type PolicyStatus, parsePolicy } from "./policyFile.js";

const faultOf = (text: string): string => {
  const parsed = parsePolicy(text, "policy.yaml");
  return parsed.ok ? "" : `${parsed.error.code}: ${english(parsed.error.message)}`;
};

describe("a policy's text", () => {
  it("is the sample, key by key", () => {
    const path = fileURLToPath(new URL("../../../docs/samples/policy.yaml", import.meta.url));
    const policy = unwrap(parsePolicy(readFileSync(path, "utf8"), path));
    // The sample shows every key that there is.
    expect(Object.keys(policy).sort()).toEqual(Object.keys(defaultPolicy).sort());
    for (const [key, value] of Object.entries(policy)) expect(value, key).not.toEqual({});
    expect(policy.approval).toEqual({
      automatic: { maxEpsilon: 0.5, maxDelta: 1e-6, variants: ["sound"] },
    });
    expect(policy.columns.patients).toEqual({ deny: ["name", "postcode"] });
    expect(populationOf(policy, "visits")?.name).toBe(populationOf(policy, "patients")?.name);
  });

  it("is refused with the line, and the key that was meant", () => {
    expect(faultOf("variants: [sound]\nminimumSite: 4\n")).toBe(
      "POLICY_INVALID: policy.yaml line 2: minimumSite is not a key here; did you mean minimumSites?",
    );
    expect(faultOf("perStudy:\n  epsilom: 1\n")).toContain(
      "line 2: perStudy.epsilom is not a key here; did you mean epsilon?",
    );
    expect(faultOf("variants: [proved]\n")).toContain(
      "line 1: variants[0]: a variant is one of: sound, paper",
    );
    expect(faultOf("columns:\n  visits: {allow: [a], deny: [b]}\n")).toContain("give either allow or deny");
    expect(faultOf("columns:\n  visits: {}\n")).toContain("give either allow or deny");
    expect(faultOf("members:\n  st-mary: abc\n")).toContain("64 hexadecimal digits");
    expect(faultOf("- a\n- b\n")).toMatch(/^POLICY_INVALID/);
    expect(faultOf("a: [\n")).toMatch(/^POLICY_INVALID: policy.yaml line \d: invalid YAML/);
  });

  it("says what is wrong inside of a rule for approval", () => {
    expect(faultOf("approval: robot\n")).toContain("line 1: approval: write person, automatic, or");
    expect(faultOf("approval: automatic\n")).toContain("automatic needs limits for one study");
    expect(faultOf("approval: automatic\nperStudy: {epsilon: 1}\n")).toContain("automatic needs limits");
    expect(faultOf("approval: automatic\nperStudy: {epsilon: 1, delta: 1.0e-6}\n")).toBe("");
    expect(faultOf("approval:\n  automatic: {maxEpsilon: 1}\n")).toContain("automatic.maxDelta");
    expect(faultOf("approval:\n  automatic:\n    maxEpsilom: 1\n")).toMatch(/automatic\.maxEpsilo[mn]/);
    expect(faultOf("approval:\n  automatic: {maxEpsilon: 0}\n")).toContain(
      "automatic.maxEpsilon: epsilon must be greater than 0",
    );
  });

  it("is not empty: an editor may have been interrupted", () => {
    expect(faultOf("")).toBe("POLICY_INVALID: policy.yaml is empty");
    expect(faultOf(" \n\n")).toBe("POLICY_INVALID: policy.yaml is empty");
    expect(unwrap(parsePolicy("# nothing yet\n", "policy.yaml"))).toEqual(defaultPolicy);
  });

  it("gives every key one owner", () => {
    const key = "ab".repeat(32);
    expect(faultOf(`members:\n  a: ${key}\n  b: ${key.toUpperCase()}\n`)).toContain(
      "members.b: the same key as a",
    );
  });

  it("never throws, whatever the file holds", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = parsePolicy(text, "policy.yaml");
        expect(parsed.ok || parsed.error.code === "POLICY_INVALID").toBe(true);
      }),
    );
  });
});

describe("populations", () => {
  const policy = unwrap(
    parsePolicy(
      "populations:\n  adults: {tables: [visits, labs], epsilon: 4, delta: 1.0e-7}\n  open: {tables: [maps], epsilon: unlimited}\n",
      "policy.yaml",
    ),
  );

  it("have one budget for all their tables, and the rest belongs to a default one that is declared", () => {
    const budget = { epsilon: 4, delta: 1e-7 };
    expect(populationOf(policy, "visits")).toEqual({ name: "adults", delta: 1e-7, budget });
    expect(populationOf(policy, "labs")).toEqual(populationOf(policy, "visits"));
    expect(populationOf(policy, "maps")).toEqual({ name: "open", delta: 1e-6, budget: null });
    for (const table of ["visits-2", "constructor", ""]) expect(populationOf(policy, table)).toBeNull();
    expect(populations(policy).map(({ name }) => name)).toEqual(["adults", "open"]);
    const declared = unwrap(
      parsePolicy("populations: {a: {tables: [t], epsilon: 1}, default: {epsilon: 2}}\n", "policy.yaml"),
    );
    expect(populationOf(declared, "visits-2")).toMatchObject({ name: "default", budget: { epsilon: 2 } });
  });

  it("are limited where nobody has written a policy", () => {
    expect(populationOf(defaultPolicy, "visits")).toEqual({
      name: "default",
      delta: 1e-6,
      budget: { epsilon: 3, delta: 1e-6 },
    });
  });

  it("share no table, and hold one at least", () => {
    expect(
      faultOf("populations:\n  a: {tables: [t], epsilon: 1}\n  b: {tables: [u, t], epsilon: 1}\n"),
    ).toContain("line 3: populations.b.tables[1]: table t belongs to the population a already");
    expect(faultOf("populations:\n  a: {epsilon: 1}\n")).toContain("populations.a: names no table");
    expect(faultOf("populations:\n  default: {epsilon: 1}\n")).toBe("");
    expect(faultOf("populations:\n  a: {tables: [t], epsilon: .inf}\n")).toContain(
      "a number greater than 0, or unlimited",
    );
    expect(faultOf("populations:\n  a: {tables: [t]}\n")).toContain("populations.a.epsilon");
  });
});

describe("pinned members", () => {
  const key = (fill: number) => new Uint8Array(32).fill(fill);
  const roster = ["a", "b", "c", "d"].map((site, i) => ({ site: site as SiteId, signingKey: key(i) }));
  const pin = (...fills: number[]) =>
    Object.fromEntries(fills.map((fill) => [`name-${fill}`, sha256(key(fill))]));

  it("are all, where nobody is pinned", () => {
    const trust = trustOf(roster, "a" as SiteId, {});
    expect(trust.distrusted).toBe(0);
    expect(roster.every(({ site }) => trust.isTrusted(site))).toBe(true);
    expect(trust.isTrusted("e" as SiteId)).toBe(false);
  });

  it("are those of the pinned keys, whatever they are called, and this site itself", () => {
    const trust = trustOf(roster, "a" as SiteId, pin(2, 9));
    expect(trust.distrusted).toBe(2);
    expect(roster.filter(({ site }) => trust.isTrusted(site)).map(({ site }) => site)).toEqual(["a", "c"]);
    expect(pinnedSurvivors(["b", "c", "d"] as SiteId[], trust)).toBe(1);
    // A site minted under a pinned member's name has another key.
    const minted = roster.map((one) => (one.site === "c" ? { ...one, signingKey: key(77) } : one));
    expect(trustOf(minted, "a" as SiteId, pin(2, 9)).distrusted).toBe(3);
  });
});

describe("the policy file", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "consilium-policy-"));
    path = join(folder, "policy.yaml");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is read again when it has changed, and then only", () => {
    const seen: PolicyStatus[] = [];
    const file = new PolicyFile(path, { onChange: (status) => seen.push(status) });
    expect(unwrap(file.read())).toBe(defaultPolicy);
    expect(file.status()).toEqual({ path, state: "absent", sha256: null, fault: null });
    writeFileSync(path, "minimumSites: 5\n");
    expect(unwrap(file.read()).minimumSites).toBe(5);
    expect(unwrap(file.read())).toBe(unwrap(file.read()));
    expect(file.status()).toMatchObject({ state: "read", sha256: sha256("minimumSites: 5\n") });
    writeFileSync(path, "minimumSites: five\n");
    const invalid = file.read();
    expect(invalid.ok ? "" : invalid.error.code).toBe("POLICY_INVALID");
    expect(file.status()).toMatchObject({ state: "invalid", sha256: null });
    expect(file.status().fault).toContain("line 1: minimumSites");
    rmSync(path);
    expect(unwrap(file.read())).toBe(defaultPolicy);
    expect(seen.map(({ state }) => state)).toEqual(["absent", "read", "invalid", "absent"]);
  });

  it("is not taken for absent when it cannot be read", () => {
    const file = new PolicyFile(folder);
    const read = file.read();
    expect(read.ok ? "" : english(read.error.message)).toContain("cannot be read (EISDIR)");
    if (process.getuid?.() !== 0) {
      writeFileSync(path, "minimumSites: 5\n");
      chmodSync(path, 0);
      expect(new PolicyFile(path).read().ok).toBe(false);
    }
  });
});
