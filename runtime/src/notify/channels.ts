import { readFile } from "node:fs/promises";
import { nameOf, pathOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import { readSecretFile, resolveBeside } from "../secretFile.js";
import { mailChannel } from "./mail.js";
import type { Channel } from "./message.js";
import type { ChannelSettings } from "./settings.js";
import { webhookChannel } from "./webhook.js";

const secretMinBytes = 16;

/**
 * The channels that are configured, with their secrets read.
 * @param key - of the settings in the file, for messages
 * @throws ConsiliumError CONFIG_INVALID
 */
export async function channelsOf(
  { mail, webhook }: ChannelSettings,
  { configPath, key }: { readonly configPath: string; readonly key: string },
): Promise<Channel[]> {
  const secret = (path: string, name: string) =>
    readSecretFile(resolveBeside(configPath, path), `${key}.${name}`);
  const authorities = async (path: string | undefined, name: string) => {
    if (path === undefined) return null;
    const at = resolveBeside(configPath, path);
    return readFile(at, "utf8").catch((cause: unknown) => {
      throw fault(
        "CONFIG_INVALID",
        "file.cannot-read",
        { key: nameOf(`${key}.${name}`), file: pathOf(at) },
        { cause },
      );
    });
  };
  const channels: Channel[] = [];
  if (mail !== undefined) {
    const { passwordFile, caFile, ...server } = mail;
    const password = passwordFile === undefined ? null : await secret(passwordFile, "mail.passwordFile");
    channels.push(mailChannel({ ...server, password, ca: await authorities(caFile, "mail.caFile") }));
  }
  if (webhook !== undefined) {
    const signingKey = await secret(webhook.secretFile, "webhook.secretFile");
    if (signingKey.reveal().length < secretMinBytes)
      throw fault("CONFIG_INVALID", "secret.too-short", {
        key: nameOf(`${key}.webhook.secretFile`),
        bytes: signingKey.reveal().length,
        least: secretMinBytes,
      });
    const ca = await authorities(webhook.caFile, "webhook.caFile");
    channels.push(webhookChannel({ url: webhook.url, secret: signingKey, ca, now: Date.now }));
  }
  return channels;
}
