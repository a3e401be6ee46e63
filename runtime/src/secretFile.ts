import { dirname, resolve } from "node:path";
import { nameOf, pathOf } from "@consilium/core/said";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import { readLimited } from "./config.js";
import { fault } from "./fault.js";

const secretMaxBytes = 64 * 1024;

/** Paths in a configuration file are relative to that file, unless absolute. */
export function resolveBeside(configPath: string, path: string): string {
  return resolve(dirname(configPath), path);
}

/**
 * Reads a secret that a configuration names by its file; a final line break does not belong to it.
 * @param key - the configuration key, for messages
 * @throws ConsiliumError CONFIG_INVALID if the file cannot be read, is empty or over 64 KiB
 */
export async function readSecretFile(path: string, key: string): Promise<SecretBytes> {
  const content = await readLimited(path, secretMaxBytes, key);
  let end = content.length;
  while (end > 0 && (content[end - 1] === 10 || content[end - 1] === 13)) end--;
  if (end === 0) throw fault("CONFIG_INVALID", "file.empty", { key: nameOf(key), file: pathOf(path) });
  const secret = new SecretBytes(content.subarray(0, end));
  content.fill(0);
  return secret;
}
