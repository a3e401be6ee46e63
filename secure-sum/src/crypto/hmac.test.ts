import { expect, it } from "vitest";
import { hmacSha256 } from "./hmac.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

it("is HMAC-SHA256: test cases 1 and 2 of RFC 4231", () => {
  expect(hex(hmacSha256(new Uint8Array(20).fill(0x0b), Buffer.from("Hi There")))).toBe(
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  );
  expect(hex(hmacSha256(Buffer.from("Jefe"), Buffer.from("what do ya want for nothing?")))).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});
