import { readdirSync, readFileSync } from "node:fs";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { type Method, namesOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { planFacts } from "@consilium/core/study/planFacts";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { type YoungerKey, youngerKeys } from "@consilium/core/study/youngerKeys";
import { hostileTexts } from "@consilium/core/testing/hostileTexts";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { allMethods } from "./all.js";

const folder = new URL("../examples/studies/", import.meta.url);
const written = readdirSync(folder).map(
  (file) => parse(readFileSync(new URL(file, folder), "utf8")) as unknown,
);
const examples = written.map((raw) => {
  const { study, text } = studyDocument(unwrap(allMethods.parse(raw)));
  return { name: study.name, text };
});

type Reader = Pick<Methods, "read">;
const codeOf = (text: string, methods: Reader = allMethods) => {
  const read = methods.read(text, sha256(text));
  return read.ok ? "read" : read.error.code;
};
const refused = ["STUDY_HASH", "STUDY_INVALID", "STUDY_NEWER"];

/** Where every key of a value stands; an item of a list by its number. */
function keysIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, member]) => {
    const path = [...at, key];
    return [...(isList ? [] : [path]), ...keysIn(member, path)];
  });
}

/** A copy without a key, or with another value there. */
function changedAt(value: unknown, [key = "", ...rest]: readonly string[], to?: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? changedAt(item, rest, to) : item));
  const keys = value as Record<string, unknown>;
  if (rest.length > 0) return { ...keys, [key]: changedAt(keys[key], rest, to) };
  const { [key]: _, ...others } = keys;
  return to === undefined ? others : { ...others, [key]: to };
}

const listed = (path: readonly string[]) => {
  const place = path.join(".").replace(/\.\d+(?=\.)/g, "[]");
  return [...youngerKeys, ...allMethods.list.flatMap((one) => one.youngerKeys ?? [])].some(
    (one) => one.path === place,
  );
};

describe.each(examples)("the text of $name", ({ text }) => {
  const value: unknown = JSON.parse(text);

  it("is read, and is the text of what was read", () => {
    const { study, ...own } = unwrap(allMethods.read(text, sha256(text)));
    expect(own).toEqual({ text, hash: sha256(text) });
    expect(studyDocument(study).text).toBe(text);
  });

  it("may lack no key that its reader would fill in", () => {
    // A key that may be left out is no default: without it the text is another study's.
    const lacking = keysIn(value).filter((path) => {
      const without = canonicalJson(changedAt(value, path));
      const read = allMethods.read(without, sha256(without));
      if (!read.ok) expect(refused).toContain(read.error.code);
      else if (!listed(path)) expect(studyDocument(read.value.study).text).toBe(without);
      return read.ok;
    });
    expect(lacking.map((path) => path.at(-1))).not.toContain("minimumSites");
    const demanded = ["minimumSites", "tolerateColluding", "phaseDeadline"].map((key) => [
      "participation",
      key,
    ]);
    for (const path of [...demanded, ["release"], ["variant"], ["method"], ["parameters"]])
      expect(refused, path.join(".")).toContain(codeOf(canonicalJson(changedAt(value, path))));
  });

  it("is refused in every other spelling", () => {
    for (const { name, text: hostile } of hostileTexts(text))
      expect(refused, name).toContain(codeOf(hostile));
    for (const { name, text: hostile } of hostileTexts(text)) {
      if (name.includes("level") || name.includes("twice")) expect(codeOf(hostile), name).toBe("STUDY_HASH");
    }
  });

  it("is refused with half a surrogate pair anywhere in it, written or travelled", () => {
    for (const path of keysIn(value)) {
      const at = path.reduce<unknown>((one, key) => (one as Record<string, unknown>)[key], value);
      if (typeof at !== "string") continue;
      const changed = changedAt(value, path, `${at}\ud800`);
      expect(codeOf(canonicalJson(changed)), path.join(".")).toBe("STUDY_HASH");
      expect(allMethods.parse(changed).ok, path.join(".")).toBe(false);
    }
  });
});

describe("a later version", () => {
  /** All methods with a further key in their studies' parameters, or beside them. */
  function later(key: string, schema: z.ZodType, younger: readonly YoungerKey[]): Methods {
    const list = allMethods.list.map((method): Method => {
      const sections = method.sections.map((section) => ({ ...section, [key]: schema }));
      return { ...method, sections: sections as unknown as Method["sections"], youngerKeys: younger };
    });
    return new Methods(list);
  }
  const flag = z.boolean().default(true);
  const younger: YoungerKey = { path: "sums", since: "0.2.0", neutral: false };

  it("reads every text before it, where its new key is listed, and as what the text meant", () => {
    const methods = later("sums", flag, [younger]);
    for (const { name, text } of examples) {
      const { study, ...own } = unwrap(methods.read(text, sha256(text)));
      expect(own, name).toEqual({ text, hash: sha256(text) });
      expect(study, name).toMatchObject({ sums: false });
    }
  });

  it("proposes to new studies what it likes, and writes it", () => {
    const methods = later("sums", flag, [younger]);
    for (const raw of written) {
      const { text } = studyDocument(unwrap(methods.parse(raw)));
      expect(JSON.parse(text)).toMatchObject({ sums: true });
      expect(codeOf(text, methods)).toBe("read");
      expect(codeOf(text)).toBe("STUDY_NEWER");
    }
  });

  it("is told apart by the key that this one does not know, wherever it stands", () => {
    for (const { name, text } of examples) {
      const value = JSON.parse(text) as { features: object[]; participation: object };
      const [feature, ...others] = value.features;
      for (const [key, changed] of [
        ["sums", { ...value, sums: true }],
        ["participation.sums", { ...value, participation: { ...value.participation, sums: true } }],
        ["features[0].sums", { ...value, features: [{ ...feature, sums: true }, ...others] }],
      ] as const) {
        const newer = canonicalJson(changed);
        const read = allMethods.read(newer, sha256(newer));
        expect(read.ok ? null : [read.error.code, inEnglish(read.error.message)], name).toEqual([
          "STUDY_NEWER",
          `this version does not know what the study's key ${key} says`,
        ]);
      }
    }
  });

  it("refuses every text before it, where its new key has a default and is not listed", () => {
    const methods = later("sums", flag, []);
    for (const { text, name } of examples) expect(codeOf(text, methods), name).toBe("STUDY_HASH");
  });

  it("fills in a listed key within sections and lists that are there, and makes none", () => {
    const unit = z.object({ of: z.string(), digits: z.int().optional() }).array().optional();
    const methods = later("units", unit, [{ path: "units[].digits", since: "0.2.0", neutral: 3 }]);
    const [{ text }] = examples as [(typeof examples)[number]];
    expect(unwrap(methods.read(text, sha256(text))).study).not.toHaveProperty("units");
    const more = canonicalJson({ ...JSON.parse(text), units: [{ of: "a" }, { digits: 1, of: "b" }] });
    expect(unwrap(methods.read(more, sha256(more))).study).toMatchObject({
      units: [
        { of: "a", digits: 3 },
        { of: "b", digits: 1 },
      ],
    });
  });
});

describe("an edition of a method", () => {
  const having = (editions: readonly number[]) =>
    new Methods(allMethods.list.map((method): Method => ({ ...method, editions })));
  const planOf = (document: StudyDocument) => planFacts(document.study, planStudy(document.study));

  it("is the first where a text has none, whose plan and hash it leaves as they were", () => {
    for (const { name, text } of examples) {
      expect(text, name).not.toContain('"edition"');
      const plain = unwrap(allMethods.read(text, sha256(text)));
      const further = unwrap(having([1, 2]).read(text, sha256(text)));
      expect(planOf(further), name).toEqual(planOf(plain));
      expect(planOf(plain).edition, name).toBe(1);
    }
  });

  it("stands in text and plan, and is read by those alone who know it", () => {
    for (const raw of written) {
      const ofSecond = { ...(raw as object), edition: 2 };
      const document = studyDocument(unwrap(having([1, 2]).parse(ofSecond)));
      expect(planOf(document).edition).toBe(2);
      expect(codeOf(document.text, having([1, 2]))).toBe("read");
      for (const editions of [[1], [1, 3]])
        expect(codeOf(document.text, having(editions))).toBe("STUDY_NEWER");
      const refusal = allMethods.parse(ofSecond);
      expect(refusal.ok ? [] : refusal.error.issues.map(({ path }) => path)).toContain("edition");
    }
  });

  it("is known no more where a method has left the first behind, and is never written as 1", () => {
    const [{ text }] = examples as [(typeof examples)[number]];
    expect(codeOf(text, having([2]))).toBe("STUDY_NEWER");
    expect(codeOf(canonicalJson({ ...JSON.parse(text), edition: 1 }))).toBe("STUDY_INVALID");
  });
});

describe("reading a text", () => {
  it("never throws", () => {
    const values = fc.oneof(fc.string(), fc.json(), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(values, (text) => {
        expect(codeOf(text)).not.toBe("read");
      }),
      { numRuns: 500 },
    );
    const places = examples.map(({ text }) => text);
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.nat(),
        fc.string({ unit: "binary", maxLength: 3 }),
        (text, at, put) => {
          const place = at % text.length;
          const changed = text.slice(0, place) + put + text.slice(place + 1);
          const read = allMethods.read(changed, sha256(changed));
          if (read.ok) expect(studyDocument(read.value.study).text).toBe(changed);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("asks for methods by their names alone", () => {
    expect(allMethods.list.flatMap(namesOf)).not.toContain("__proto__");
    for (const method of ["__proto__", "constructor", "toString"]) {
      const [{ text }] = examples as [(typeof examples)[number]];
      expect(refused).toContain(codeOf(canonicalJson({ ...JSON.parse(text), method })));
    }
  });
});
