#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { SiteMethods } from "../studies/siteMethods.js";
import { examineSite } from "./examine.js";

/**
 * `consilium doctor` at a site runs this beside the agent, or without one: it prints a DoctorView as JSON. A study that
 * the tables are to be held against comes as canonical JSON in a file.
 */
enforceTlsPolicy();
installTransfer();
try {
  const { values } = parseArgs({
    options: { state: { type: "string" }, study: { type: "string" }, "timeout-ms": { type: "string" } },
  });
  const methods = new SiteMethods();
  await methods.follow(new PolicyFile(join(values.state!, policyFileName)).read(), true);
  const studies =
    values.study === undefined
      ? []
      : [unwrap(await methods.parse(JSON.parse(await readFile(values.study, "utf8"))))];
  const view = await examineSite(values.state!, {
    environment: process.env,
    now: Date.now,
    timeoutMs: Number(values["timeout-ms"]),
    studies,
  });
  process.stdout.write(`${JSON.stringify(view)}\n`);
} catch (thrown) {
  const error = toConsiliumError(thrown);
  process.stdout.write(
    `${JSON.stringify({ code: error.code, message: error.message, remedy: error.remedy })}\n`,
  );
  process.exitCode = 1;
}
