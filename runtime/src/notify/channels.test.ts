import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkedConfig } from "../config.js";
import { channelsOf } from "./channels.js";
import { siteNotifications } from "./settings.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-notify-"));
  await writeFile(join(folder, "password"), "a password\n");
  await writeFile(join(folder, "secret"), "a secret of many bytes\n");
  await writeFile(join(folder, "short"), "short\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (raw: unknown) => checkedConfig(raw, "config.yaml", siteNotifications);
const channels = (raw: unknown) =>
  channelsOf(read(raw), { configPath: join(folder, "config.yaml"), key: "console.notifications" });

const mail = { host: "smtp.st-mary.example", from: "c@st-mary.example", to: ["ada@st-mary.example"] };

describe("the settings of notifications", () => {
  it("make a channel each, with their secrets read from files beside them", async () => {
    const found = await channels({
      mail: { ...mail, user: "consilium", passwordFile: "password" },
      webhook: { url: "https://hooks.example/x", secretFile: "secret" },
    });
    expect(found.map(({ channel, to }) => [channel, to])).toEqual([
      ["mail", "ada@st-mary.example"],
      ["webhook", "hooks.example"],
    ]);
    expect(read({ mail })).toMatchObject({
      mail: { port: 587, security: "starttls" },
      reminderBefore: 86_400_000,
    });
    expect(await channels({})).toEqual([]);
  });

  it.each([
    [{ mail: { ...mail, user: "consilium" } }, "user and passwordFile together"],
    [{ mail: { ...mail, to: [] } }, "mail.to"],
    [{ mail: { ...mail, from: "nobody" } }, "mail.from"],
    [{ webhook: { url: "http://hooks.example/x", secretFile: "secret" } }, "https"],
    [{ webhook: { url: "https://hooks.example/x", secretFile: "short" } }, "at least 16"],
    [{ webhook: { url: "https://hooks.example/x", secretFile: "absent" } }, "secretFile"],
    [{ mail: { ...mail, caFile: "absent" } }, "caFile"],
  ])("refuse %j", async (raw, message) => {
    await expect(inEnglish(async () => channels(raw))).rejects.toThrow(message);
  });
});
