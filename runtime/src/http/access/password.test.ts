import { scryptSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { osRandom } from "../../random.js";
import { Passwords } from "./password.js";

const cheap = { cost: { log2N: 4, r: 8, p: 1 } };

describe("a password", () => {
  it("is kept as scrypt with N = 2^17, r = 8, p = 1 and a salt of its own", async () => {
    const passwords = new Passwords(osRandom);
    const stored = await passwords.hash("correct horse battery");
    const [kind, log2N, r, p, salt, key] = stored.split("$");
    expect([kind, log2N, r, p]).toEqual(["scrypt", "17", "8", "1"]);
    const expected = scryptSync("correct horse battery", Buffer.from(salt!, "base64url"), 32, {
      N: 2 ** 17,
      r: 8,
      p: 1,
      maxmem: 256 * 1024 * 1024,
    });
    expect(key).toBe(expected.toString("base64url"));
    expect(await passwords.verify("correct horse battery", stored, false)).toBe(true);
    expect(await passwords.verify("correct horse batterz", stored, false)).toBe(false);
  });

  it("has another hash each time, and is the same in each of Unicode's forms", async () => {
    const passwords = new Passwords(osRandom, cheap);
    const stored = await passwords.hash("Grüße, liebe Klinik");
    expect(await passwords.hash("Grüße, liebe Klinik")).not.toBe(stored);
    expect(await passwords.verify("Grüße, liebe Klinik".normalize("NFD"), stored, false)).toBe(true);
  });

  it("that nobody has is checked all the same", async () => {
    const passwords = new Passwords(osRandom, cheap);
    expect(await passwords.verify("anything at all", null, false)).toBe(false);
    await expect(passwords.verify("anything at all", "scrypt$40$8$1$x$y", false)).rejects.toThrow(RangeError);
  });

  it("is checked one at a time, few wait, and some places are the owners'", async () => {
    const passwords = new Passwords(osRandom, { ...cheap, maxWaiting: 3, reserved: 1 });
    const stored = await passwords.hash("correct horse battery");
    const order: string[] = [];
    const check = (who: string, known: boolean) =>
      passwords.verify("correct horse battery", stored, known).then(
        () => void order.push(who),
        (thrown: { code?: string }) => void order.push(`${who} ${thrown.code}`),
      );
    const all = [check("first", false), check("second", false), check("third", false)];
    expect(passwords.load).toBe(3);
    all.push(check("stranger", false), check("owner", true), check("late owner", true));
    expect(passwords.load).toBe(4);
    await Promise.all(all);
    expect(order.slice(0, 2).sort()).toEqual(["late owner SIGN_IN_BUSY", "stranger SIGN_IN_BUSY"]);
    expect(order.slice(2)).toEqual(["first", "owner", "second", "third"]);
    expect(passwords.load).toBe(0);
    await check("again", false);
    expect(order.at(-1)).toBe("again");
  });
});
