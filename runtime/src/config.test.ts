import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { durationSchema } from "@consilium/core/unitSchemas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadConfig, parseConfig } from "./config.js";
import { readSecretFile, resolveBeside } from "./secretFile.js";

const schema = z.strictObject({
  listen: z.strictObject({ grpc: z.string(), http: z.string().default("127.0.0.1:7080") }),
  deadline: durationSchema.default(600_000),
  tables: z
    .record(z.string(), z.strictObject({ path: z.string(), format: z.enum(["csv", "parquet"]).optional() }))
    .default({}),
  sources: z
    .preprocess(
      (raw) => Object.entries(raw ?? {}).map(([name, entry]) => ({ ...entry, name })),
      z.array(
        z.strictObject({
          name: z.string(),
          path: z.string(),
          csv: z.strictObject({ delimiter: z.string() }).optional(),
        }),
      ),
    )
    .optional(),
  members: z.array(z.strictObject({ fingerprint: z.string() })).optional(),
});

function faultOf(text: string): ConsiliumError {
  try {
    parseConfig(text, "site.yaml", schema);
  } catch (thrown) {
    if (thrown instanceof ConsiliumError) return thrown;
    throw thrown;
  }
  throw new Error("the configuration was accepted");
}

describe("a configuration", () => {
  it("is parsed with its defaults and units", () => {
    const text = "listen: { grpc: '0.0.0.0:7443' }\ndeadline: 30s\ntables:\n  patients: { path: p.csv }\n";
    expect(parseConfig(text, "site.yaml", schema)).toEqual({
      listen: { grpc: "0.0.0.0:7443", http: "127.0.0.1:7080" },
      deadline: 30_000,
      tables: { patients: { path: "p.csv" } },
    });
  });

  it("may be empty where everything has a default", () => {
    expect(parseConfig("# nothing\n", "x.yaml", z.strictObject({ a: z.int().default(1) }))).toEqual({ a: 1 });
  });
});

describe("a wrong configuration is refused, and the message", () => {
  it.each([
    ["listen: { grpc: a, htttp: b }", "site.yaml line 1: listen.htttp is not a key here; did you mean http?"],
    [
      "listen: { grpc: a }\ndedline: 1m",
      "site.yaml line 2: dedline is not a key here; did you mean deadline?",
    ],
    ["listen: { grpc: a }\nzzz: 1", "known are: listen, deadline, tables, sources, members"],
    [
      "listen: { grpc: a }\ntables:\n  p: { path: x, fromat: csv }",
      "line 3: tables.p.fromat is not a key here; did you mean format?",
    ],
    [
      "listen: { grpc: a }\nmembers:\n  - { fingerprint: x }\n  - { fingerprnt: x }",
      "line 4: members[1].fingerprnt is not a key here; did you mean fingerprint?",
    ],
    // Of a map that becomes a list, and of a key that belongs a level deeper.
    [
      "listen: { grpc: a }\nsources:\n  p: { path: x }\n  q: { delimiter: x }",
      "line 4: sources.q.delimiter is not a key here; did you mean csv.delimiter?",
    ],
    [
      "listen: { grpc: a }\nsources: { p: { zzzz: x } }",
      "sources.p.zzzz is not a key here; known are: path, csv",
    ],
    ["deadline: 1m", "listen is missing: expected object"],
    ["listen: { grpc: 7443 }", "line 1: listen.grpc: Invalid input: expected string, received number"],
    ["listen: { grpc: a }\ndeadline: soon", "line 2: deadline: not a duration: write a number with its unit"],
    ["listen: { grpc: a\n", "invalid YAML"],
    ["a: 1\na: 2", "line 2: invalid YAML (DUPLICATE_KEY)"],
    ["- 1\n- 2", "the file: Invalid input: expected object, received array"],
  ])("of %j says what and where", (text, message) => {
    const fault = faultOf(text);
    expect(fault.code).toBe("CONFIG_INVALID");
    expect(fault.message).toContain(message);
  });

  it("lists all faults at once, and never a value", () => {
    const fault = faultOf(
      "listen: { grpc: [hunter2] }\ntables: { p: { path: 7, format: hunter3 } }\npassword: hunter4",
    );
    expect(fault.message.split("\n").length).toBe(5);
    expect(fault.message).not.toContain("hunter");
  });

  it("stays short however many faults there are", () => {
    const many = Array.from({ length: 500 }, (_, index) => `key${index}: 1`).join("\n");
    expect(faultOf(many).message.split("\n").length).toBeLessThanOrEqual(22);
  });

  it("is given for a bomb of aliases", () => {
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
    for (let level = 1; level < 9; level++) {
      bomb.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(",")}]`,
      );
    }
    expect(faultOf(bomb.join("\n")).message).toContain("aliases");
  });
});

describe("files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-config-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("are read, and named when they cannot be", async () => {
    const path = join(folder, "site.yaml");
    await expect(inEnglish(loadConfig(path, schema))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `${path} cannot be read (ENOENT)`,
    });
    await writeFile(path, "listen: { grpc: a }");
    expect((await loadConfig(path, schema)).listen.grpc).toBe("a");
    expect(resolveBeside(path, "data/p.csv")).toBe(join(folder, "data/p.csv"));
    expect(resolveBeside(path, "/data/p.csv")).toBe("/data/p.csv");
  });

  it("hold secrets, without the final line break", async () => {
    const path = join(folder, "password");
    await writeFile(path, "s3cret pass\r\n");
    const secret = await readSecretFile(path, "database.passwordFile");
    expect(Buffer.from(secret.reveal()).toString()).toBe("s3cret pass");
    await writeFile(path, "\n");
    await expect(readSecretFile(path, "database.passwordFile")).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("database.passwordFile"),
    });
    await writeFile(path, Buffer.alloc(65 * 1024, 97));
    await expect(readSecretFile(path, "k")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});
