import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policyWords, wordedPolicyKeys } from "@consilium/core/hospital/policyWords";
import { english } from "@consilium/runtime/http/spoken";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Answers, serveAgent } from "../../testing/site/agent.js";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const sample = await readFile(new URL("../../../docs/samples/policy.yaml", import.meta.url), "utf8");
const active = "minimumSites: 3\npopulations:\n  default: { epsilon: 2, delta: 1.0e-6 }\n";
const standing = {
  status: { path: "/srv/policy.yaml", state: "read", sha256: "ab", fault: null },
  text: active,
  version: "v1",
  faults: [],
  tables: ["stays"],
  allowNoPrivacy: false,
};
const clean = { faults: [], waiting: [], warnings: [] };

let home: string;
let answers: Answers;
let agent: Awaited<ReturnType<typeof serveAgent>>;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-policy-"));
  answers = { policy: [200, standing], policyCheck: [200, clean], policySave: [200, standing] };
  await mkdir(join(home, "sites", "st-mary"), { recursive: true });
  agent = await serveAgent(join(home, "sites", "st-mary"), answers);
});
afterEach(async () => {
  await agent.close();
  await rm(home, { recursive: true });
});

async function run(argv: readonly string[], typed?: readonly string[]) {
  const io = capturedIo({
    environment: { CONSILIUM_HOME: home },
    workingFolder: home,
    ...(typed && { answers: typed }),
  });
  const exitCode = await runCli(["policy", ...argv], io);
  return { exitCode, out: io.out(), err: io.err() };
}

describe("a policy in words", () => {
  it("has a sentence for every key of the sample, which has every key", () => {
    expect(Object.keys(parse(sample)).sort()).toEqual([...wordedPolicyKeys].sort());
    const words = policyWords(parse(sample)).map(english).join("\n");
    for (const part of [
      "Studies may be of: pca.",
      "Of table patients studies may name all columns except name, postcode.",
      "Of table labs studies may name only creatinine, sodium, potassium.",
      "at most epsilon 1 and delta 0.00001",
      "at least 5 hospitals",
      "withstand 1 sites",
      "figures are of three hospitals or more",
      "must state: investigator, contact, ethicsVote, legalBasis",
      "sound studies of at most epsilon 0.5",
      "multiples of 60 s",
      "by their keys: st-mary, st-john",
      "Population inpatients (patients, visits, labs): epsilon 4",
      "Population default (all tables that no other names): epsilon 2",
    ])
      expect(words).toContain(part);
    expect(words).not.toContain("undefined");
  });

  it("says the defaults of a hospital that has written none", () => {
    const words = policyWords(null).join("\n");
    expect(words).toContain("Privacy must be proven");
    expect(words).toContain("A person at this hospital approves every study.");
    expect(words).toContain("epsilon 3 at delta 1e-6");
    expect(words).not.toContain("undefined");
  });
});

describe("consilium policy", () => {
  it("show prints the rules in force, and those of an invalid file as its errors", async () => {
    const { exitCode, out } = await run(["show"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("/srv/policy.yaml");
    expect(out).toContain("Population default (all tables that no other names): epsilon 2");
    answers.policy = [
      200,
      {
        ...standing,
        text: "minimumSites: two\n",
        status: { ...standing.status, state: "invalid", fault: "x" },
        faults: [{ line: 1, message: "minimumSites: a whole number of sites" }],
      },
    ];
    const invalid = await run(["show"]);
    expect(invalid.exitCode).toBe(1);
    expect(invalid.out).toContain("line 1, column 1: minimumSites");
    expect(invalid.out).not.toContain("hospitals.");
  });

  it("check gives the place of every error", async () => {
    const text = "perStudy: { epsilon: -1 }\nmembers:\n  st-mary: xyz\n";
    await writeFile(join(home, "new.yaml"), text);
    answers.policyCheck = [
      200,
      {
        ...clean,
        faults: [
          { line: 1, message: "perStudy.epsilon: epsilon must be greater than 0" },
          { line: 3, message: "members.st-mary: a fingerprint is 64 hexadecimal digits" },
          { line: null, message: "populations is missing" },
        ],
      },
    ];
    const { exitCode, err } = await run(["check", "new.yaml"]);
    expect(exitCode).toBe(1);
    expect(err).toContain("line 1, column 13: perStudy.epsilon");
    expect(err).toContain("line 3, column 3: members.st-mary");
    expect(err).toContain("[POLICY_INVALID] new.yaml has 3 errors");
    const json = JSON.parse((await run(["check", "new.yaml", "--json"])).out);
    expect(json.error.faults[0]).toMatchObject({ line: 1, column: 13 });
    expect((await run(["set", "new.yaml", "--yes"])).exitCode).toBe(1);
    expect(agent.asked.map(([name]) => name)).not.toContain("policySave");
  });

  it("check shows what changes, and what waiting studies would meet", async () => {
    await writeFile(join(home, "new.yaml"), active.replace("2,", "4,").replace("minimumSites: 3\n", ""));
    answers.policyCheck = [
      200,
      {
        ...clean,
        warnings: ["Population default may spend epsilon 4 in place of 2."],
        waiting: [
          {
            id: "pca-0123456789",
            name: "pca",
            claim: {},
            present: { outcome: "refused", rule: "perStudy.epsilon", words: "", code: "POLICY_EPSILON" },
            edited: { outcome: "person", rule: "approval", words: "", code: null },
          },
        ],
      },
    ];
    const { exitCode, out, err } = await run(["check", "new.yaml"]);
    expect(exitCode, err).toBe(0);
    expect(out).toContain("- minimumSites: 3");
    expect(out).toContain("- populations.default.epsilon: 2");
    expect(out).toContain("+ populations.default.epsilon: 4");
    expect(out).not.toContain("delta:");
    expect(out).toContain("in place of 2");
    expect(out).toContain("pca: refused by a rule -> decided by a person (approval)");
    expect(agent.asked.map(([name]) => name)).toEqual(["policyCheck", "policy"]);
  });

  it("set saves the text over the version that was compared, once a person confirms", async () => {
    const text = `# ours\n${active}minimumRows: 5\n`;
    await writeFile(join(home, "new.yaml"), text);
    expect((await run(["set", "new.yaml"], ["no"])).exitCode).toBe(1);
    expect((await run(["set", "new.yaml"])).exitCode).toBe(2);
    expect(agent.asked.map(([name]) => name)).not.toContain("policySave");
    const { exitCode, out, err } = await run(["set", "new.yaml"], ["yes"]);
    expect(exitCode, err).toBe(0);
    expect(out).toContain("+ minimumRows: 5");
    expect(agent.asked.at(-1)).toEqual([
      "policySave",
      { text, version: "v1", by: expect.stringMatching(/./) },
    ]);
    await writeFile(join(home, "same.yaml"), active);
    expect((await run(["set", "same.yaml"])).out).toContain("nothing changed");
    expect((await run(["check", "none.yaml"])).err).toContain("[STATE_MISSING]");
  });
});
