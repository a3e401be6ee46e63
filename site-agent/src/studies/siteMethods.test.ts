import { err, ok, unwrap } from "@consilium/core/result";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { soundMethods } from "@consilium/methods/registry";
import { parseStudy } from "@consilium/methods/testing/studies";
import { paperMethods } from "@consilium/methods-paper/registry";
import { describe, expect, it } from "vitest";
import { SiteMethods } from "./siteMethods.js";

const studyOf = (more: object): Study =>
  unwrap(
    parseStudy({
      name: "s",
      table: "t",
      analysis: "pca",
      features: [{ name: "a", type: "numeric", min: 0, max: 1 }],
      parameters: { components: 1 },
      privacy: { epsilon: 1, delta: 1e-6 },
      participation: { maxRowsPerSite: 100 },
      ...more,
    }),
  );
const sound = studyDocument(studyOf({}));
const published = studyDocument(studyOf({ variant: "paper" }));
const policyOf = (...variants: ("sound" | "paper")[]) => ok({ variants });

/** Counts how often the published methods are asked for. */
function counted(installed = true) {
  const asked: number[] = [];
  const methods = new SiteMethods(soundMethods, async () => {
    asked.push(asked.length);
    return installed ? paperMethods : null;
  });
  const codeOf = ({ text, hash } = published) => {
    const read = methods.read(text, hash);
    return read.ok ? read.value.study.variant : read.error.code;
  };
  return { methods, asked, codeOf };
}

describe("a site's methods", () => {
  it("are the proved ones while the policy allows no others: nothing of the published ones is loaded", async () => {
    const { methods, asked, codeOf } = counted();
    await methods.follow(policyOf("sound"), false);
    await methods.follow(err("the policy cannot be read"), true);
    expect(asked).toEqual([]);
    expect(codeOf(sound)).toBe("sound");
    expect(codeOf()).toBe("METHODS_MISSING");
  });

  it("are all of them once the policy allows the published ones, which are loaded once", async () => {
    const { methods, asked, codeOf } = counted();
    await Promise.all([
      methods.follow(policyOf("sound", "paper"), false),
      methods.follow(policyOf("paper"), false),
    ]);
    expect(codeOf()).toBe("paper");
    await methods.follow(policyOf("sound"), false);
    expect(codeOf(), "a study under way continues").toBe("paper");
    expect(asked).toHaveLength(1);
  });

  it("are all of them where the configuration allows studies without privacy, which may be of any variant", async () => {
    const { methods, codeOf } = counted();
    await methods.follow(policyOf("sound"), true);
    expect(codeOf()).toBe("paper");
  });

  it("stay the proved ones where the package is not installed", async () => {
    const { methods, codeOf } = counted(false);
    await methods.follow(policyOf("paper"), false);
    expect(codeOf(sound)).toBe("sound");
    expect(codeOf()).toBe("METHODS_MISSING");
  });
});
