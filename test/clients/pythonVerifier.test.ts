/** The verifier in Python (clients/python) and ours read docs/FORMAT.md alike: the same verdict on whatever is signed. */
import { sign as signWith } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { inGate } from "@consilium/core/testing/wholeRun";
import { epsilonAt, rhoOf } from "@consilium/gate/cost";
import { type Member, matchMembers, readMembers } from "@consilium/release/members";
import type { ProvedSum } from "@consilium/release/v3/schema";
import { eventOf } from "@consilium/release/v3/terms";
import { verifyCertificate } from "@consilium/release/verify";
import type { Authority } from "@consilium/runtime/identity/authority";
import { issueMembers } from "@consilium/runtime/identity/issueMembers";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { canonicalBytes, verifyRevocations } from "@consilium/runtime/identity/revocations";
import type { Revocation } from "@consilium/runtime/identity/revoked";
import { signedLines } from "@consilium/runtime/identity/signedLines";
import { expelledSigners } from "@consilium/runtime/release/expelledSigners";
import { checksUnder, isSignedByRoot, verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import type { Sha256, StageId } from "@consilium/secure-sum/ids";
import { afterAll, expect, it, type TestContext } from "vitest";
import { requirePython } from "../support/python.js";
import { type Case, hostileCase, numbersFrom } from "./hostile.js";
import {
  aggregator,
  federation,
  figuresOf,
  hash,
  hospitals,
  type Loose,
  type Made,
  made,
  resultOf,
  rootPem,
  sign,
} from "./madeRelease.js";

const source = fileURLToPath(new URL("../../clients/python/src", import.meta.url));
const program = await readFile(new URL("differential.py", import.meta.url), "utf8");
const folder = await mkdtemp(join(tmpdir(), "consilium-python-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Answer {
  readonly verdict: string;
  readonly exact?: string | null;
  /** Milliseconds since 1970, by site. */
  readonly expelled?: Readonly<Record<string, number>>;
  readonly seconds: number;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

async function inPython(context: Pick<TestContext, "skip">, cases: readonly string[]): Promise<Answer[]> {
  const python = requirePython(context, ["cryptography"]);
  await writeFile(join(folder, "root.pem"), rootPem);
  const file = join(folder, "cases");
  await writeFile(file, `${cases.join("\n")}\n`);
  const printed = await python.run(program, [source, file]);
  return printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
}

const lineOf = ({ certificate, signature }: Case) => `${base64(certificate)} ${base64(signature)}`;
const checks = checksUnder(rootPem);
const ours = (one: Case) => {
  const found = verifyCertificate({ ...one, ...checks });
  return found.ok ? "accepted" : `refused: ${found.error.code} ${found.error.message}`;
};
const isAccepted = (verdict: string) => verdict === "accepted";

it("gives the verdict of ours on hostile certificates", async (context) => {
  const random = numbersFrom(20_261_129);
  const cases = Array.from({ length: inGate(1_000, { whole: 10_000 }) }, () => hostileCase(random));
  const answers = await inPython(context, cases.map(lineOf));
  const verdicts = cases.map(ours);
  const different = verdicts.flatMap((own, index) =>
    isAccepted(own) === isAccepted(answers[index]!.verdict)
      ? []
      : [`${index}: ${own} | ${answers[index]!.verdict}`],
  );
  expect(different).toEqual([]);
  expect(answers.length).toBe(cases.length);
  // Not all are refused, nor for one reason.
  expect(verdicts.filter(isAccepted).length).toBeGreaterThan(cases.length / 10);
  expect(new Set(verdicts.map((one) => one.slice(0, 70))).size).toBeGreaterThan(100);
  // Of the processor; a certificate of this size takes a hundredth.
  expect(Math.max(...answers.map(({ seconds }) => seconds))).toBeLessThan(5);
});

/** What each changes of a release that is right, before everybody signs it. */
const attacks: Readonly<Record<string, (of: Made) => void>> = {
  "a unit of weight 0": ({ plan, text }) => {
    text.patient = { maxRows: 3, weighting: "patients" };
    plan.unit = { kind: "patient", maxRows: 3, weight: 0 };
  },
  "a patient of no rows": ({ plan, text }) => {
    text.patient = { maxRows: 0 };
    plan.unit = { kind: "patient", maxRows: 0, weight: null };
  },
  "another unit than the text's": ({ text }) => {
    text.patient = { maxRows: 3 };
  },
  "a flow that the text does not ask for": ({ plan, statement }) => {
    plan.stages[0].id = statement.attempts[0].stage = "flow";
  },
  "a flow that the plan has not": ({ text }) => {
    text.flow = true;
  },
  "a flow that is false": ({ text }) => {
    text.flow = false;
  },
  "a gram of limit 0": ({ plan }) => {
    plan.stages[3].query.limit = 0;
  },
  "touches below 0": ({ plan }) => {
    plan.stages[0].query.touches = -1;
  },
  "a cell's limit below 0": ({ plan }) => {
    plan.stages[0].query.cellLimit = -1;
  },
  "a bound that is a list": ({ plan }) => {
    plan.stages[0].query.channels[0].min = [];
  },
  "a bound that is a text": ({ plan }) => {
    plan.stages[0].query.channels[0].min = "-2";
  },
  "noise of 2^53 - 1 sites": ({ plan }) => {
    plan.stages[0].noise.sites = 2 ** 53 - 1;
  },
  "a scale that is nearly a power of two": ({ plan }) => {
    plan.stages[2].scale = 2 ** 49 + 1;
  },
  "more shares than every sum has": ({ plan }) => {
    for (const stage of plan.stages) stage.noise.shares = 3;
  },
  "no noise": ({ plan }) => {
    plan.stages[0].noise = null;
  },
  "another δ": ({ plan }) => {
    plan.delta = 1e-3;
  },
  "a δ that hides nobody": ({ plan, text }) => {
    text.privacy.delta = plan.delta = 0.01;
  },
  "strangers on the roster": ({ text }) => {
    text.participation.sites = ["east", "north", "south"];
  },
  "a stage that is left out of the attempts": ({ statement }) => {
    statement.attempts.splice(1, 1);
  },
  "no files": ({ certificate }) => {
    certificate.files = [];
  },
  "a file outside": ({ certificate }) => {
    certificate.renderings = [{ name: "../../etc/hostname", bytes: 1, sha256: hash("") }];
  },
  "rows among the renderings": ({ certificate }) => {
    certificate.renderings = [{ name: "data.csv", bytes: 1, sha256: hash("") }];
  },
  "another result than the sites signed": ({ statement }) => {
    statement.result = hash("{}");
  },
  "an exact figure of a plan that has none": ({ certificate }) => {
    certificate.shown.exact = { accountant: "pld/1", epsilon: 1e-9 };
  },
  "a lower ε": ({ certificate }) => {
    certificate.shown.zcdp.epsilon *= 1 - 2 ** -29;
  },
  "a time without a zone": ({ certificate }) => {
    certificate.issuedAt = "2026-01-01T01:00:00.000";
  },
  "a time with another zone": ({ certificate }) => {
    certificate.issuedAt = "2026-01-01T01:00:00.000+00:00";
  },
  "a chain whose name holds two": ({ certificate, statement }) => {
    const [east, north, ...rest] = statement.roster;
    statement.roster = [east, north, ...rest];
    certificate.chains = { "east,north": ["", ""], south: ["", ""], west: ["", ""] };
  },
  "a key twice": (of) => {
    of.raw.text = canonicalJson(of.text).replace('"delta":', '"delta":1,"delta":');
  },
  "a lone surrogate": (of) => {
    of.raw.text = canonicalJson(of.text).replace('"sample"', '"\\ud800"');
  },
};

const whole = (change: (of: Made) => void = () => undefined): Made => {
  const of = made();
  const before = figuresOf(of);
  of.certificate.shown.zcdp = before;
  change(of);
  return of;
};

it("finds the costs of the vectors of docs/FORMAT.md", async (context) => {
  const python = requirePython(context, ["cryptography"]);
  const vectors = fileURLToPath(new URL("../../lib/release/testing/vectors.json", import.meta.url));
  const printed = await python.run(
    `
import json, sys
sys.path.insert(0, sys.argv[1])
from consilium import verify as v
worst = 0
for one in json.load(open(sys.argv[2])):
    rho = v.rho_of(one, one["unit"])
    length, _ = v.size_of(one["query"])
    found = {"length": length, "rho": rho, "epsilon": v.epsilon_at(rho, one["delta"])}
    worst = max([worst, *(abs(found[name] / one["expected"][name] - 1) for name in found)])
print(worst)`,
    [source, vectors],
  );
  expect(Number(printed)).toBeLessThan(1e-12);
});

it("refuses each attack, as ours does", async (context) => {
  const names = Object.keys(attacks);
  const cases = [whole(), ...names.map((name) => whole(attacks[name]))].map((of) => sign(of));
  const [right] = cases;
  const malleable = (jws: string) => ({ ...right!, signature: new TextEncoder().encode(jws) });
  const jws = new TextDecoder().decode(right!.signature);
  const last = "AQgw".includes(jws.at(-1)!) ? String.fromCharCode(jws.charCodeAt(jws.length - 1) + 1) : "A";
  cases.push(malleable(`${jws}=`), malleable(`${jws}\n`), malleable(jws.slice(0, -1) + last));
  const answers = await inPython(context, cases.map(lineOf));
  const found = cases.map((one, index) => [ours(one).slice(0, 8), answers[index]!.verdict.slice(0, 8)]);
  expect(found).toEqual(
    cases.map((_, index) => (index === 0 ? ["accepted", "accepted"] : ["refused:", "refused:"])),
  );
});

it("counts a patient as one record in the flow of rows alone, as ours does", async (context) => {
  const of = (weighting: string, factor: number) => {
    const flow = whole(({ plan, text, statement }) => {
      text.patient = { maxRows: 3, weighting };
      text.flow = true;
      plan.unit = { kind: "patient", maxRows: 3, weight: weighting === "patients" ? 6 : null };
      plan.stages[0].id = statement.attempts[0].stage = "flow";
    });
    const [first, ...others] = flow.plan.stages as ProvedSum[];
    const rho = [
      rhoOf(eventOf({ ...first!, id: "counts" as StageId }, { kind: "record" })),
      ...others.map((stage) => rhoOf(eventOf(stage, flow.plan.unit))),
    ].reduce((sum, one) => sum + one);
    flow.certificate.shown.zcdp = { rho: rho * factor, epsilon: epsilonAt(rho, flow.plan.delta) };
    return sign(flow);
  };
  const least = 1 - 2 ** -29;
  const cases = ["patients", "rows"].flatMap((weighting) => [of(weighting, 1), of(weighting, least)]);
  const answers = await inPython(context, cases.map(lineOf));
  const found = cases.map((one, index) => [ours(one).slice(0, 8), answers[index]!.verdict.slice(0, 8)]);
  const [accepted, refused] = ["accepted", "refused:"].map((one) => [one, one]);
  expect(found).toEqual([accepted, refused, accepted, refused]);
});

it("reports an exact figure, and never verifies it", async (context) => {
  const of = (epsilon: number) =>
    sign(
      whole(({ plan, statement, certificate }) => {
        plan.accounting = ["zcdp/1", "pld/1"];
        plan.stages = plan.stages.slice(0, 2);
        statement.attempts = statement.attempts.slice(0, 2);
        certificate.shown.exact = { accountant: "pld/1", epsilon };
      }),
    );
  const cases = [of(1e-9), of(50)];
  const answers = await inPython(context, cases.map(lineOf));
  expect(answers.map(({ verdict, exact }) => [verdict, exact])).toEqual([
    ["accepted", "not verified"],
    ["accepted", "not verified"],
  ]);
  expect(cases.map(ours)).toEqual([
    expect.stringMatching(/^refused: CERTIFICATE_EPSILON .*exact/),
    "accepted",
  ]);
});

it("is not kept busy by as many roots as a statement holds", async (context) => {
  const one = sign(
    whole(({ plan, statement, certificate }) => {
      const [, stage] = plan.stages;
      const sections = Array.from({ length: 15_000 }, (_, index) => {
        const run = 4096 - (index % 2000);
        return { cells: run, max: 1, root: { run, exponent: 0 } };
      });
      const cells = sections.reduce((sum, section) => sum + section.cells, 0);
      stage.query = { ...stage.query, cells, touches: sections.length, sections };
      plan.accounting = ["zcdp/1", "pld/1"];
      plan.stages = [stage];
      statement.attempts = [{ stage: stage.id, attempt: 1, dropped: [] }];
      certificate.shown = { zcdp: { rho: 1e9, epsilon: 1e9 }, exact: { accountant: "pld/1", epsilon: 1e-9 } };
    }),
  );
  const before = process.cpuUsage();
  expect(ours(one)).toBe("accepted");
  const { user } = process.cpuUsage(before);
  expect(user / 1e6).toBeLessThan(10);
  const [answer] = await inPython(context, [lineOf(one)]);
  expect(answer).toMatchObject({ verdict: "accepted", exact: "not verified" });
  expect(answer!.seconds).toBeLessThan(10);
  process.stderr.write(`15,000 roots: ${user / 1e6} s, ${answer!.seconds} s in Python\n`);
});

// ---- folders -------------------------------------------------------------------------------------------------------

const columns = [
  { name: "age", type: "number", mayBeMissing: true },
  { name: "ward, old", type: "level", levels: ["a", 'b "x"', " c"] },
];
const rows = (values: readonly (readonly [number, number])[]) => {
  const bytes = Buffer.alloc(values.length * 10);
  for (const [at, [age, ward]] of values.entries()) {
    bytes.writeDoubleLE(age, at * 10);
    bytes.writeUInt16LE(ward, at * 10 + 8);
  }
  return { count: values.length, sha256: hash(bytes) };
};
const csv = 'age,"ward, old"\r\n1.5,a\r\n,"b ""x"""\r\n-0.0," c"\r\n1e-7,a\r\n';
const right = [
  [1.5, 0],
  [Number.NaN, 1],
  [-0, 2],
  [1e-7, 0],
] as const;

async function folderOf(
  name: string,
  given: { csv?: string | Buffer; result?: Loose; more?: (of: Made) => void } = {},
) {
  const data = Buffer.from(given.csv ?? csv);
  const result = resultOf(given.result ?? { columns, rows: rows(right) });
  const at = join(folder, name.replaceAll(/[^a-z]/g, "-"));
  const of = whole(({ statement, certificate }) => {
    statement.result = hash(result);
    certificate.files = [
      { name: "result.json", bytes: Buffer.byteLength(result), sha256: hash(result) },
      { name: "data.csv", bytes: data.length, sha256: hash(data) },
    ];
    certificate.renderings = [{ name: "README.md", bytes: 2, sha256: hash("x\n") }];
  });
  given.more?.(of);
  const signed = sign(of, aggregator);
  await mkdir(at);
  const files = { "README.md": "x\n", "result.json": result, "data.csv": data };
  for (const [file, content] of Object.entries(files)) await writeFile(join(at, file), content);
  await writeFile(join(at, "certificate.json"), signed.certificate);
  await writeFile(join(at, "certificate.jws"), signed.signature);
  return at;
}

it("reads folders and rows as ours does", async (context) => {
  const changed = async (name: string, change: (at: string) => Promise<unknown>) => {
    const at = await folderOf(name);
    await change(at);
    return at;
  };
  const other = (name: string, text: string) => folderOf(name, { csv: text });
  const folders = [
    await folderOf("right"),
    // A keeper's own, which no certificate lists.
    await changed("timestamp", (at) => writeFile(join(at, "certificate.tsr"), "")),
    await changed("unlisted", (at) => writeFile(join(at, "data.parquet"), "")),
    await changed("missing", (at) => rm(join(at, "README.md"))),
    await changed("changed", (at) => writeFile(join(at, "README.md"), "y\n")),
    await changed("linked", async (at) => {
      await rm(join(at, "README.md"));
      await symlink(join(at, "..", "right", "README.md"), join(at, "README.md"));
    }),
    await changed("folder", (at) => mkdir(join(at, "more"))),
    await changed("no plots", (at) => mkdir(join(at, "plots"))),
    await other("another row", csv.replace("1.5", "1.6")),
    await other("nan", csv.replace('\r\n,"b', '\r\nNaN,"b')),
    await other("another spelling", csv.replace("1.5", "1.50")),
    await other("plus", csv.replace("1e-7", "1e-07")),
    await other("quoted number", csv.replace("1.5", '"1.5"')),
    await other("quoted level", csv.replace("1.5,a", '1.5,"a"')),
    await other("bare level", csv.replace('" c"', " c")),
    await other("a return within a row", csv.replace('\r\n,"b ""x"""', '\r\n\rjunk,"b ""x"""')),
    await other("after a quotation", csv.replace('" c"', '" c"d')),
    await other("no header", csv.slice(csv.indexOf("\n") + 1)),
    await other("another header", csv.replace("age", "Age")),
    await other("a row more", `${csv}1,a\r\n`),
    await other("no end", csv.slice(0, -2)),
    await other("a line feed alone", csv.replace("1.5,a\r\n", "1.5,a\n")),
    await other("open", `${csv}1,"a\r\n`),
    await folderOf("bytes that are no text", { csv: Buffer.concat([Buffer.from(csv), Buffer.from([0xff])]) }),
    await folderOf("infinite", {
      csv: 'age,"ward, old"\r\nInfinity,a\r\n',
      result: { columns, rows: rows([[Number.POSITIVE_INFINITY, 0]]) },
    }),
    await folderOf("a column of two lines", {
      csv: "a,b\r\n",
      result: { columns: [{ name: "a\nb", type: "number" }], rows: { count: 0, sha256: hash("") } },
    }),
    await folderOf("a level twice", {
      csv: "w\r\na\r\n",
      result: {
        columns: [{ name: "w", type: "level", levels: ["a", "a"] }],
        rows: { count: 1, sha256: hash(Buffer.from([1, 0])) },
      },
    }),
    await folderOf("rows that are not listed", { result: { columns, rows: null } }),
  ];
  const answers = await inPython(context, folders);
  const found = await Promise.all(
    folders.map(async (at, index) => {
      const own = await verifyReleaseFolder(at, { rootPem });
      return [at, own.ok ? "accepted" : "refused:", answers[index]!.verdict.slice(0, 8)];
    }),
  );
  expect(found).toEqual(
    folders.map((at, index) => [at, ...Array<string>(2).fill(index <= 1 ? "accepted" : "refused:")]),
  );
});

/** Bytes of each stage's sum, by docs/FORMAT.md: stages are those of `plan`, of which `blocks` is skipped. */
const lengths = { counts: 5, sections: 12, vector: 6, gram: 6, product: 6, answers: 6 };
const draws = canonicalJson({
  draws: [{ name: "public-seed", value: "00ff" }],
  format: "consilium-draws/1",
});

/** A release with its sums: files by name, each as it is listed and as it lies there. */
async function sumsOf(
  name: string,
  change: (of: {
    made: Made;
    files: Map<string, Buffer>;
    listed: Map<string, Buffer>;
    /** In result.json; made of the files where left out. */
    result: Loose;
  }) => void = () => undefined,
) {
  const files = new Map(
    Object.entries(lengths).map(([stage, length], at) => [
      `sums/${stage}-${stage === "vector" ? 2 : 1}.bin`,
      Buffer.alloc(4 * length, at + 1),
    ]),
  );
  files.set("draws.json", Buffer.from(draws));
  const of = whole(({ text, statement, certificate }) => {
    text.release = { access: "open", sums: true };
    const at = statement.attempts.findIndex(({ stage }: Loose) => stage === "vector");
    statement.attempts.splice(
      at,
      1,
      { stage: "vector", attempt: 1, dropped: null },
      { stage: "vector", attempt: 2, dropped: [] },
    );
    certificate.renderings = [];
  });
  of.certificate.shown.zcdp = figuresOf(of);
  const result: Loose = {
    sums: Object.keys(lengths).map((stage) => {
      const attempt = stage === "vector" ? 2 : 1;
      const file = files.get(`sums/${stage}-${attempt}.bin`)!;
      return { stage, attempt, bytes: file.length, sha256: hash(file) };
    }),
    draws: hash(draws),
  };
  const listed = new Map(files);
  const given = { made: of, files, listed, result };
  change(given);
  const text = resultOf(given.result);
  of.statement.result = hash(text);
  of.certificate.files = [
    { name: "result.json", bytes: text.length, sha256: hash(text) },
    ...[...given.listed].map(([file, bytes]) => ({ name: file, bytes: bytes.length, sha256: hash(bytes) })),
  ];
  const signed = sign(of);
  const at = join(folder, name.replaceAll(/[^a-z]/g, "-"));
  await mkdir(join(at, "sums"), { recursive: true });
  for (const [file, bytes] of [...files, ["result.json", Buffer.from(text)] as const])
    await writeFile(join(at, file), bytes);
  await writeFile(join(at, "certificate.json"), signed.certificate);
  await writeFile(join(at, "certificate.jws"), signed.signature);
  return at;
}

it("takes the sums that the statement says were opened, and no others, as ours does", async (context) => {
  const other = Buffer.alloc(24, 7);
  const folders = [
    await sumsOf("sums"),
    await sumsOf("a byte of a sum flipped", ({ files }) => {
      const flipped = Buffer.from(files.get("sums/counts-1.bin")!);
      flipped[3]! ^= 1;
      files.set("sums/counts-1.bin", flipped);
    }),
    await sumsOf("a sum missing", ({ files }) => files.delete("sums/gram-1.bin")),
    await sumsOf("a sum that is not listed", ({ listed }) => listed.delete("sums/gram-1.bin")),
    await sumsOf("a sum of no result", ({ files, listed, result }) => {
      files.delete("sums/gram-1.bin");
      listed.delete("sums/gram-1.bin");
      result.sums = result.sums.filter(({ stage }: Loose) => stage !== "gram");
    }),
    await sumsOf("a sum that its result does not have", ({ result }) => {
      result.sums = result.sums.filter(({ stage }: Loose) => stage !== "gram");
    }),
    await sumsOf("two sums swapped", ({ files, listed }) => {
      const [gram, product] = ["gram", "product"].map((stage) => listed.get(`sums/${stage}-1.bin`)!);
      for (const of of [files, listed]) of.set("sums/gram-1.bin", product!).set("sums/product-1.bin", gram!);
    }),
    await sumsOf("sums in another order", ({ result }) => result.sums.reverse()),
    await sumsOf("another attempt", ({ files, listed, result }) => {
      for (const of of [files, listed])
        of.set("sums/counts-2.bin", of.get("sums/counts-1.bin")!).delete("sums/counts-1.bin");
      result.sums[0].attempt = 2;
    }),
    await sumsOf("the sum of an attempt that was given up", ({ files, listed, result }) => {
      for (const of of [files, listed])
        of.set("sums/vector-1.bin", of.get("sums/vector-2.bin")!).delete("sums/vector-2.bin");
      result.sums[2].attempt = 1;
    }),
    await sumsOf("the sum of an attempt that was given up beside the other", ({ files, listed, result }) => {
      for (const of of [files, listed]) of.set("sums/vector-1.bin", other);
      result.sums.splice(2, 0, { stage: "vector", attempt: 1, bytes: 24, sha256: hash(other) });
    }),
    await sumsOf("a stage that was skipped", ({ files, listed }) => {
      for (const of of [files, listed]) of.set("sums/blocks-1.bin", other);
    }),
    await sumsOf("a sum too short", ({ files, listed, result }) => {
      for (const of of [files, listed]) of.set("sums/gram-1.bin", Buffer.alloc(20, 4));
      Object.assign(result.sums[3], { bytes: 20, sha256: hash(Buffer.alloc(20, 4)) });
    }),
    await sumsOf("an attempt that is true", ({ result }) => {
      result.sums[0].attempt = true;
    }),
    await sumsOf("draws changed", ({ files }) =>
      files.set("draws.json", Buffer.from(draws.replace("00ff", "00fe"))),
    ),
    await sumsOf("other draws than the result's", ({ files, listed }) => {
      for (const of of [files, listed]) of.set("draws.json", Buffer.from(draws.replace("00ff", "00fe")));
    }),
    await sumsOf("draws missing", ({ files, listed, result }) => {
      for (const of of [files, listed]) of.delete("draws.json");
      delete result.draws;
    }),
    await sumsOf("a sum among the renderings", ({ files, made: { certificate } }) => {
      files.set("sums/more.bin", other);
      certificate.renderings = [{ name: "sums/more.bin", bytes: 24, sha256: hash(other) }];
    }),
    await sumsOf("sums that the text does not ask for", ({ made: { text } }) => {
      text.release.sums = false;
    }),
    await sumsOf(
      "sums that the text does not ask for, by their result alone",
      ({ files, listed, made: { text } }) => {
        text.release.sums = false;
        for (const of of [files, listed]) of.clear();
        files.set("sums/x.bin", other);
      },
    ),
    await sumsOf("a key that is no flag", ({ made: { text } }) => {
      text.release.sums = 1;
    }),
    await sumsOf("nothing proven", ({ made: { text, plan, certificate } }) => {
      text.variant = "paper";
      plan.accounting = [];
      certificate.shown.zcdp = null;
    }),
  ];
  const answers = await inPython(context, folders);
  const found = await Promise.all(
    folders.map(async (at, index) => {
      const own = await verifyReleaseFolder(at, { rootPem });
      return [at, own.ok ? "accepted" : "refused:", answers[index]!.verdict.slice(0, 8)];
    }),
  );
  expect(found).toEqual(
    folders.map((at, index) => [at, ...Array<string>(2).fill(index === 0 ? "accepted" : "refused:")]),
  );
});

it("asks a list of members as ours does", async (context) => {
  const at = await folderOf("members");
  const verified = await verifyReleaseFolder(at, { rootPem });
  if (!verified.ok) throw verified.error;
  const member = (index: number, more: Loose = {}) => ({
    from: "2025-01-01T00:00:00.000Z",
    name: `Hospital ${index}`,
    signingKeyFingerprint: hash(hospitals.sites[index]!.signingKey),
    until: null,
    ...more,
  });
  const { root } = made().statement.federation;
  const of = (members: readonly Loose[], more: Loose = {}) =>
    canonicalJson({ format: "consilium-members/1", federation: "test-federation", root, members, ...more });
  const three = [member(0), member(1), member(2)];
  const list = JSON.parse(of(three)) as Loose;
  const signed = (text: string) =>
    canonicalJson({
      ...list,
      signature: signWith("sha256", Buffer.from(text), federation.root.privateKey).toString("base64url"),
    });
  const other = await testFederation("test-federation");
  const published = (members: readonly Loose[], by: Authority) =>
    Buffer.from(issueMembers(by, members as unknown as Member[], "2026-01-01T00:00:00.000Z")).toString();
  const lists = [
    of(three),
    ` ${of(three).replaceAll(",", ", ")} `,
    signed(of(three)),
    of(three, { issuedAt: "2026-01-01T00:00:00.000Z" }),
    published(three, federation.root),
    published(three.slice(0, 2), federation.root),
    of([member(0), member(1), member(2, { until: "2025-06-01T00:00:00.000Z" })]),
    of([member(0), member(1), member(2, { from: "2026-06-01T00:00:00.000Z" })]),
    of([member(0), member(0), member(0)]),
    of(three, { federation: "another" }),
    of(three, { root: hash("another") }),
    of(three, { more: 1 }),
    of(three).replace('"format"', '"federation":"x","format"'),
    signed(of(three.slice(0, 2))),
    published(three, { ...federation.root, privateKey: federation.issuer.privateKey }),
    published(three, other.root),
    published(three, federation.root).replace("2026-01-01", "2026-01-02"),
    of(three, { issuedAt: "2026-01-01" }),
    "{}",
    "[",
  ];
  const answers = await inPython(
    context,
    lists.map((text) => `${at}|${base64(Buffer.from(text))}`),
  );
  const found = lists.map((text, index) => {
    const isRootSignature = (bytes: Uint8Array, signature: Uint8Array) =>
      isSignedByRoot(rootPem, bytes, signature);
    const { certificate } = verified.value;
    const list = readMembers({ text, rootKey: root, isRootSignature }, certificate.federation);
    const own = list.ok ? matchMembers(list.value, certificate) : list;
    return [own.ok ? "accepted" : own.error.code, answers[index]!.verdict.slice(0, 8)];
  });
  expect(found).toEqual([
    ...Array<string[]>(5).fill(["accepted", "accepted"]),
    ...Array<string[]>(4).fill(["COUNTERSIGNATURE_INVALID", "refused:"]),
    ...Array<string[]>(11).fill(["CONFIG_INVALID", "refused:"]),
  ]);
});

it("says who of those that signed was expelled, as ours does", async (context) => {
  const at = await folderOf("expelled");
  const verified = await verifyReleaseFolder(at, { rootPem });
  if (!verified.ok) throw verified.error;
  const entry = (index: number, siteId = hospitals.sites[index]!.site): Revocation => ({
    siteId,
    signingKeyFingerprint: hash(hospitals.sites[index]!.signingKey) as Sha256,
    reason: "left the consortium",
    revokedAt: Date.parse("2026-02-03T04:05:06.789Z") + index,
  });
  const stranger = { ...entry(0), signingKeyFingerprint: hash("another key") as Sha256 };
  const of = (entries: readonly Revocation[], by = federation.root) =>
    issueRevocations(by, undefined, entries, Date.parse("2026-06-01T00:00:00.000Z"));
  const text = Buffer.from(of([entry(0)])).toString();
  const undated = canonicalBytes({
    federation: "test-federation",
    sequence: 3,
    revocations: [entry(1)],
    dates: null,
  });
  const lists = [
    of([]),
    of([stranger]),
    // The key counts, under any name.
    of([entry(2, hospitals.sites[1]!.site), entry(0), stranger]),
    signedLines(undated, federation.root.privateKey),
    of([entry(0)], { ...federation.root, privateKey: federation.issuer.privateKey }),
    signedLines(
      Buffer.from(text.split("\n")[0]!.replace("test-federation", "other-federation")),
      federation.root.privateKey,
    ),
    signedLines(
      Buffer.from(text.split("\n")[0]!.replace('"revokedAt"', '"revoked"')),
      federation.root.privateKey,
    ),
    Buffer.from(text.replace("left", "lost")),
    Buffer.from(text.trimEnd()),
    Buffer.from(`${text}\n`),
    Buffer.from("{}"),
  ];
  const answers = await inPython(
    context,
    lists.map((list) => `${at}||${base64(list)}`),
  );
  const found = lists.map((list) => {
    const read = verifyRevocations(list, { rootPem, knownSequence: 0 });
    if (!read.ok) return "refused:";
    const signers = expelledSigners(verified.value.certificate, read.value);
    return Object.fromEntries(signers.map(({ site, at: since }) => [site, Date.parse(since)]));
  });
  expect(answers.map(({ verdict, expelled }) => expelled ?? verdict.slice(0, 8))).toEqual(found);
  expect(found.map((one) => (typeof one === "string" ? one : Object.keys(one).length))).toEqual([
    0,
    0,
    2,
    1,
    ...Array<string>(7).fill("refused:"),
  ]);
});
