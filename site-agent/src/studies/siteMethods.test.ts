import { type ListedMethod, listed } from "@consilium/core/method/listedMethods";
import { parseWritten } from "@consilium/core/method/methods";
import { err, ok, unwrap } from "@consilium/core/result";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { soundRegistry } from "@consilium/methods/registry";
import { parseStudy } from "@consilium/methods/testing/studies";
import { paperMethods } from "@consilium/methods-paper/registry";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
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

/** Counts how often the published methods are asked for, and which of the proven ones. */
function counted(installed = true) {
  const asked: number[] = [];
  const loaded: string[] = [];
  const registry = soundRegistry.map(
    (one): ListedMethod => ({
      ...one,
      load: () => {
        loaded.push(one.names[0]!);
        return one.load();
      },
    }),
  );
  const methods = new SiteMethods(registry, async () => {
    asked.push(asked.length);
    return installed ? paperMethods : null;
  });
  const codeOf = async ({ text, hash } = published) => {
    const read = await methods.load(text, hash);
    return read.ok ? read.value.study.variant : read.error.code;
  };
  return { methods, asked, loaded, codeOf };
}

describe("a site's methods", () => {
  it("are each loaded with the first study of it, once, and no other", async () => {
    const { methods, loaded, codeOf } = counted();
    expect(methods.read(sound.text, sound.hash)).toMatchObject({ error: { code: "METHODS_MISSING" } });
    expect(loaded).toEqual([]);
    expect(await Promise.all([codeOf(sound), codeOf(sound)])).toEqual(["sound", "sound"]);
    expect(loaded).toEqual(["dp-pca"]);
    expect(methods.read(sound.text, sound.hash)).toMatchObject({ ok: true });
    const other = studyDocument(
      studyOf({ analysis: "describe", method: "describe", parameters: { bins: 4 } }),
    );
    expect(await codeOf(other)).toBe("sound");
    expect(loaded).toEqual(["dp-pca", "describe"]);
  });

  it("are not loaded where they may not be, nor for a text with another hash", async () => {
    const { methods, loaded } = counted();
    const { text, hash } = sound;
    expect(await methods.load(text, hash, () => false)).toMatchObject({ error: { code: "METHODS_MISSING" } });
    expect(await methods.load(`${text} `, hash)).toMatchObject({ error: { code: "STUDY_HASH" } });
    expect(loaded).toEqual([]);
  });

  it("name all that there are to a study of none of them, and load none", async () => {
    const { methods, loaded } = counted();
    const textOf = (more: object) => {
      const text = JSON.stringify({ ...JSON.parse(sound.text), ...more });
      return [text, sha256(text)] as const;
    };
    const method = await methods.load(...textOf({ method: "no-such" }));
    const analysis = await methods.load(...textOf({ analysis: "no-such" }));
    expect(analysis).toMatchObject({ error: { code: "STUDY_INVALID" } });
    expect(inEnglish(analysis)).toMatchObject({
      error: { message: expect.stringContaining("one of: describe, regression, survival, ") },
    });
    expect(method).toMatchObject({ error: { code: "STUDY_INVALID" } });
    expect(loaded).toEqual([]);
  });

  it("know the usual method of an analysis for a study that leaves it open", async () => {
    const { methods, loaded } = counted();
    const { method: _, ...open } = JSON.parse(sound.text);
    expect(unwrap(await parseWritten(methods, { ...open, analysis: "pca" })).method).toBe("dp-pca");
    expect(loaded).toEqual(["dp-pca"]);
  });

  it("say what is wrong where one cannot be loaded", async () => {
    const missing = Object.assign(new Error("Cannot find /somewhere"), { code: "ERR_MODULE_NOT_FOUND" });
    const lost = new SiteMethods([listed("pca", "dp-pca", () => Promise.reject(missing))]);
    const read = await lost.load(sound.text, sound.hash);
    const message = "the method dp-pca could not be loaded: ERR_MODULE_NOT_FOUND";
    expect(read).toMatchObject({ error: { code: "METHODS_MISSING", message, cause: missing } });
    const other = new SiteMethods([
      listed("pca", "dp-pca", () => import("@consilium/methods/felp-a/method")),
    ]);
    expect(await other.load(sound.text, sound.hash)).toMatchObject({
      error: {
        cause: new RangeError(
          "the registry lists pca: dp-pca, edition 1; its folder has feature-selection: felp-a, edition 1",
        ),
      },
    });
    const newer = new SiteMethods([
      listed("pca", "dp-pca", () => import("@consilium/methods/dp-pca/method"), 2),
    ]);
    expect(await newer.load(sound.text, sound.hash)).toMatchObject({
      error: {
        cause: new RangeError(
          "the registry lists pca: dp-pca, edition 2; its folder has pca: dp-pca, edition 1",
        ),
      },
    });
  });

  it("are known by their newest editions, none of them loaded", () => {
    const { methods, loaded } = counted();
    const folder = () => import("@consilium/methods/dp-pca/method");
    const two = new SiteMethods([listed("pca", "dp-pca", folder, 2), listed("pca", "other", folder)]);
    expect(two.editions).toEqual({ "dp-pca": 2, other: 1 });
    expect(Object.keys(methods.editions)).toHaveLength(soundRegistry.length);
    expect(loaded).toEqual([]);
  });

  it("are what the registry says they are", async () => {
    const { methods, loaded } = counted();
    await methods.loadAll();
    expect(loaded).toHaveLength(soundRegistry.length);
    expect(new Set(loaded).size).toBe(soundRegistry.length);
  });

  it("are the proven ones while the policy allows no others: nothing of the published ones is loaded", async () => {
    const { methods, asked, codeOf } = counted();
    await methods.follow(policyOf("sound"), false);
    await methods.follow(err("the policy cannot be read"), true);
    expect(asked).toEqual([]);
    expect(await codeOf(sound)).toBe("sound");
    expect(await codeOf()).toBe("METHODS_MISSING");
  });

  it("are all of them once the policy allows the published ones, which are loaded once", async () => {
    const { methods, asked, codeOf } = counted();
    await Promise.all([
      methods.follow(policyOf("sound", "paper"), false),
      methods.follow(policyOf("paper"), false),
    ]);
    expect(await codeOf()).toBe("paper");
    await methods.follow(policyOf("sound"), false);
    expect(await codeOf(), "a study under way continues").toBe("paper");
    expect(asked).toHaveLength(1);
  });

  it("are all of them where the configuration allows studies without privacy, which may be of any variant", async () => {
    const { methods, codeOf } = counted();
    await methods.follow(policyOf("sound"), true);
    expect(await codeOf()).toBe("paper");
  });

  it("stay the proven ones where the package is not installed", async () => {
    const { methods, codeOf } = counted(false);
    await methods.follow(policyOf("paper"), false);
    expect(await codeOf(sound)).toBe("sound");
    expect(await codeOf()).toBe("METHODS_MISSING");
  });
});
