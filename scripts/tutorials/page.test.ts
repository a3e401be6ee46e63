import { describe, expect, it } from "vitest";
import { difference, shapeOf } from "./compare.js";
import { stepsOf, withOutputs } from "./page.js";

const page = `# T

<!-- run: after invited; then connected; show 1, 1 -->
\`\`\`sh
consilium sites
\`\`\`

\`\`\`text
old
\`\`\`

![Alt](images/a-b.png)

\`\`\`yaml
name: x
\`\`\`

\`\`\`python
print(1)
\`\`\`

Words.

\`\`\`text
not its output
\`\`\`
`;

describe("a tutorial's steps", () => {
  it("are its commands with their outputs, and its pictures", () => {
    const [shell, picture, python, ...more] = stepsOf("t", page);
    expect(more).toEqual([]);
    expect(shell).toMatchObject({
      kind: "sh",
      line: 5,
      code: "consilium sites",
      run: { after: "invited", reaches: "connected", show: [1, 1], exit: 0 },
      output: { text: "old" },
    });
    expect(picture).toEqual({ kind: "picture", line: 12, name: "a-b" });
    expect(python).toMatchObject({ kind: "python", code: "print(1)", run: { after: null }, output: null });
  });

  it("say what is not understood, and where", () => {
    expect(() => stepsOf("t", "\n<!-- run: befor x -->\n")).toThrow('t:2: "befor x" is not understood');
    expect(() => stepsOf("t", "```sh\nls\n")).toThrow("t:1: this block has no end");
  });

  it("take new outputs, cut where the page says so", () => {
    const written = withOutputs("t", page, new Map([[5, "a\nb\nc\nd"]]));
    expect(written).toContain("```text\na\n…\nd\n```\n\n![Alt]");
    expect(written.replace("a\n…\nd", "old")).toBe(page);
  });
});

describe("what is shown", () => {
  it("may differ in times, sizes, numbers, keys, ids and line breaks", () => {
    const shown =
      "20:52:46 wdbc-dp-pca-c1bab887f9 inviting\n  until 2026-11-21T20:51:43.000Z, 1m58s left\n  14, 162.8 KiB";
    const now =
      "03:00:01 wdbc-dp-pca-0011223344 inviting until\n 2027-01-02T03:04:05.678Z, 2m left 9, 1.1 MiB\n";
    expect(difference(shown, now)).toBeNull();
    expect(shapeOf("http://127.0.0.1:7080/setup#Ab_c-9")).toBe(shapeOf("http://127.0.0.1:7080/setup#zZ"));
  });

  it("may not differ in words, nor be less or more", () => {
    expect(difference("3 sites online", "3 sites gone")).toContain("gone");
    expect(difference("a\nb", "a")).not.toBeNull();
    expect(difference("a", "a\nb")).toContain("is not shown: b");
  });

  it("leaves out what stands at …", () => {
    expect(difference("a\n…\nd", "a\nb\nc\nd")).toBeNull();
    expect(difference("a\n…", "a\nb\nc\nd")).toBeNull();
    expect(difference("a\n…\ne", "a\nb\nc\nd")).not.toBeNull();
    expect(difference("…\nd", "x\nd")).toBeNull();
  });

  it("of some lines has each of them, in any order", () => {
    expect(difference("b\n…\na", "a\nx\nb", true)).toBeNull();
    expect(difference("b\nc", "a\nb", true)).toContain(": c");
  });
});
