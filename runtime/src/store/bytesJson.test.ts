import fc from "fast-check";
import { expect, it } from "vitest";
import { fromBytesJson, toBytesJson } from "./bytesJson.js";

it("keeps values with bytes in them, and writes the same value as the same text", () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((view) => new Uint8Array(view));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      bytes,
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.string({ maxLength: 8 }).filter((key) => !["$bytes", "__proto__"].includes(key)),
        tie("value"),
        {
          maxKeys: 4,
          noNullPrototype: true,
        },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (given) => {
      const text = toBytesJson(given);
      expect(fromBytesJson(text)).toEqual(given);
      expect(toBytesJson(fromBytesJson(text))).toBe(text);
    }),
  );
});
