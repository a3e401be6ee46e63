import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { SecretBytes } from "./secretBytes.js";

const bytes = new TextEncoder().encode("a very secret key");

describe("SecretBytes", () => {
  it("is redacted as text", () => {
    const secret = new SecretBytes(bytes);
    expect(secret.toString()).toBe("[secret]");
    expect(`${secret}`).toBe("[secret]");
    expect(`key: ${String(secret)}`).toBe("key: [secret]");
  });

  it("is redacted as JSON, nested too", () => {
    expect(JSON.stringify({ key: new SecretBytes(bytes) })).toBe('{"key":"[secret]"}');
  });

  it("is redacted by util.inspect, nested and with hidden fields shown", () => {
    const shown = inspect({ key: new SecretBytes(bytes) }, { showHidden: true, depth: 9 });
    expect(shown).toContain("[secret]");
    expect(shown).not.toContain("Uint8Array");
  });

  it("has no property that holds the bytes", () => {
    const secret = new SecretBytes(bytes);
    expect(Object.keys(secret)).toEqual([]);
    expect(JSON.stringify({ ...secret })).toBe("{}");
  });

  it("reveals a copy of what it was given", () => {
    const source = Uint8Array.from(bytes);
    const secret = new SecretBytes(source);
    source.fill(0);
    expect(secret.reveal()).toEqual(bytes);
  });
});
