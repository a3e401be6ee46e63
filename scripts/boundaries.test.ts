import { describe, expect, it } from "vitest";
import { allBreaches, breachesOf } from "./boundaries.js";

const faults = (file: string, text: string) =>
  breachesOf(file, text).map((breach) => `${breach.line}: ${breach.what}`);

describe("boundaries", () => {
  it("hold in the whole tree", () => {
    expect(allBreaches(`${import.meta.dirname}/..`)).toEqual([]);
  });

  it.each([
    ["core/src/a.ts", 'import { readFile } from "node:fs/promises";'],
    ["core/src/a.ts", 'import { createHash } from "node:crypto";'],
    ["secure-sum/src/a.ts", 'import { createHash } from "node:crypto";'],
    ["secure-sum/src/a.ts", 'import { ConsiliumError } from "@consilium/core/errors";'],
    ["core/src/a.ts", 'import pino from "pino";'],
    ["core/src/a.ts", 'import {\n  x,\n} from "@consilium/runtime/log";'],
    ["core/src/a.ts", "const x = Math.random();"],
    ["core/src/a.ts", "const x = Date.now();"],
    ["core/src/a.ts", 'console.log("x");'],
    ["core/src/a.ts", 'import { x } from "../../proto/src/load.js";'],
    ["cli/src/a.ts", 'import { x } from "@consilium/site-agent/process";'],
    ["aggregator/src/a.ts", 'export { x } from "@consilium/site-agent/process";'],
    ["aggregator/src/a.ts", 'const x = await import("@consilium/publisher/process");'],
    ["runtime/src/a.ts", 'import "@consilium/kernels/open";'],
    ["site-agent/src/data/a.ts", 'import { Client } from "@grpc/grpc-js";'],
    ["site-agent/src/data/a.ts", 'import { connect } from "node:net";'],
    ["site-agent/src/data/a.ts", 'import { Client } from "pg";'],
    [
      "site-agent/src/a.ts",
      'import { openConfiguredStore } from "@consilium/runtime/store/configuredStore";',
    ],
    ["site-agent/src/data/postgresConnection.ts", 'import { connect } from "node:net";'],
    ["site-agent/src/studies/a.ts", "send(new OutboundMessage(key, frame));"],
  ])("are broken by %s: %s", (file, text) => {
    expect(faults(file, text)).toHaveLength(1);
  });

  it.each([
    ["secure-sum/src/crypto/a.ts", 'import { createHash } from "node:crypto";'],
    ["core/src/a.ts", 'import { z } from "zod";\nimport { x } from "./b.js";'],
    ["core/src/a.ts", "// not Date.now()\n/* nor Math.random */"],
    ["core/src/a.test.ts", 'import { createHash } from "node:crypto";'],
    ["aggregator/src/a.ts", 'import { openKernels } from "@consilium/kernels/open";'],
    ["site-agent/src/data/postgresConnection.ts", 'import { Client } from "pg";'],
    ["site-agent/src/rpc/connection.ts", 'import type { ClientDuplexStream } from "@grpc/grpc-js";'],
  ])("are kept by %s: %s", (file, text) => {
    expect(faults(file, text)).toEqual([]);
  });
});
