#!/usr/bin/env node
import { text } from "node:stream/consumers";
import { toConsiliumError } from "@consilium/core/errors";
import type { DataProtectionScope } from "@consilium/core/hospital/dataProtectionViews";
import { spoken } from "@consilium/runtime/http/spoken";
import { installedMethods } from "../methods.js";
import { dataProtectionAnswer } from "./answer.js";
import type { GivenFacts } from "./facts.js";

/**
 * Puts facts into words where no console runs: `consilium site data-protection` starts this with what
 * site-agent/src/dataProtection/atRest.ts has found, as JSON on standard input `{facts, scope}`, and reads one JSON object:
 * `{"answer": {document, markdown}}` or `{"error": {code, message, remedy}}`.
 */
async function printed(): Promise<object> {
  try {
    const { facts, scope } = JSON.parse(await text(process.stdin)) as {
      readonly facts: GivenFacts;
      readonly scope: DataProtectionScope;
    };
    return { answer: spoken(dataProtectionAnswer(facts, await installedMethods(), scope)) };
  } catch (thrown) {
    const { code, message, remedy } = toConsiliumError(thrown);
    return { error: { code, message, remedy } };
  }
}

process.stdout.write(`${JSON.stringify(await printed())}\n`);
