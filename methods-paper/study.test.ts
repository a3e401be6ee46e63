import { canonicalJson } from "@consilium/core/canonicalJson";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy, readStudyDocument } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const plain = {
  name: "first-study",
  table: "visits",
  analysis: "pca",
  variant: "paper",
  parameters: { components: 2 },
  privacy: { epsilon: 1, delta: 1e-5 },
  participation: { maxRowsPerSite: 100 },
  features: [
    { name: "a", type: "numeric", min: 0, max: 10 },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ],
};

/** The faults of a study with some keys changed, as `path: message`. */
function faultsOf(change: Record<string, unknown>): string[] {
  const parsed = parseStudy({ ...plain, ...change });
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
}
const participation = (change: object) => ({ participation: { maxRowsPerSite: 100, ...change } });
const sound = (change: object) => ({ variant: "sound", parameters: { components: 2, ...change } });
const feature = (change: object) => ({ features: [{ ...plain.features[0], ...change }, plain.features[1]] });

describe("a study", () => {
  it("has its defaults filled in", () => {
    expect(unwrap(parseStudy(plain))).toMatchObject({
      method: "elfed-pca",
      parameters: { components: 2, scaling: "pooled", scale: "none" },
      participation: { minimumSites: 3, tolerateColluding: 1, phaseDeadline: 600_000 },
      release: { access: "open" },
      features: [{ missing: "reject-row" }, { missing: "reject-row" }],
    });
  });

  it("of pca is sound and by dp-pca unless it says otherwise", () => {
    const { variant: _, ...open } = plain;
    expect(unwrap(parseStudy(open))).toMatchObject({
      method: "dp-pca",
      variant: "sound",
      parameters: { components: 2, kappa: 0.5, form: "auto" },
    });
    expect(unwrap(parseStudy({ ...open, method: "dp-pca" }))).toEqual(unwrap(parseStudy(open)));
  });

  it("may ask for no privacy, and for every key there is", () => {
    const full = {
      ...plain,
      method: "dpdis-pca",
      privacy: "none",
      parameters: { components: 3, scaling: "site", scale: "declared" },
      participation: {
        sites: ["x", "y", "z", "hospital-a"],
        minimumSites: 4,
        tolerateColluding: 2,
        maxRowsPerSite: 1e9,
        phaseDeadline: "7d",
        joinDeadline: "30d",
      },
      label: { name: "outcome", levels: ["good", "poor"], description: "d" },
      release: { title: "t", description: "d", license: "CC0", creator: "c", access: "token" },
      features: [
        {
          name: "a",
          type: "numeric",
          min: -1,
          max: 1,
          unit: "mm",
          description: "d",
          missing: { constant: 0 },
        },
        { name: "sex", type: "categorical", levels: ["f", "m"], description: "d", missing: "own-level" },
      ],
    };
    expect(unwrap(parseStudy(full))).toMatchObject({
      privacy: "none",
      participation: { phaseDeadline: 604_800_000, joinDeadline: 30 * 86_400_000 },
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ name: undefined }, "name: missing"],
    [{ name: "Two Words" }, "name: a study's name holds a-z, 0-9 and single hyphens"],
    [{ name: "x".repeat(41) }, "name: at most 40 characters"],
    [{ table: "../visits" }, "table: a table's name holds letters, digits, _ and -"],
    [
      { analysis: "kmeans" },
      "analysis: analysis must be one of: describe, regression, survival, synthetic-table, pca, correlation-tree, boosted-trees, feature-selection, k-anonymous-selection",
    ],
    [{ method: "kpca" }, "method: method of pca must be one of: dp-pca, elfed-pca, dpdis-pca"],
    [
      { variant: "fast" },
      "variant: dp-pca is `sound`; the methods of `variant: paper` are elfed-pca and dpdis-pca",
    ],
    [
      { variant: "paper", method: "dp-pca" },
      "variant: dp-pca is `sound`; the methods of `variant: paper` are elfed-pca and dpdis-pca",
    ],
    [
      { variant: undefined, method: "elfed-pca" },
      "variant: elfed-pca and dpdis-pca are of `variant: paper`, their privacy is not proven; write that, or use dp-pca",
    ],
    [sound({ scaling: "pooled" }), "parameters.scaling: no such key; remove it or correct its spelling"],
    [
      { parameters: { components: 2, radius: 1 } },
      "parameters.radius: no such key; remove it or correct its spelling",
    ],
    [sound({ components: 4 }), "parameters.components: 4 components asked of 3 columns; ask at most 3"],
    [sound({ centre: 1.5 }), "parameters.centre: from 0 to 1"],
    [sound({ centre: [0.1, 0.2] }), "parameters.centre: 2 numbers for 3 columns; give one number, or 3"],
    [sound({ radius: 0 }), "parameters.radius: at least 0.000001"],
    [sound({ kappa: 5 }), "parameters.kappa: from 0.05 to 4"],
    [sound({ iterations: 3 }), "parameters.iterations: only with form: iteration"],
    [
      { ...sound({}), participation: { maxRowsPerSite: 100, tolerateColluding: 0 } },
      "participation.tolerateColluding: at least 1: every site knows its own share of the noise and must not count on it",
    ],
    [
      { ...sound({}), privacy: { epsilon: 1e-30, delta: 1e-30 } },
      "privacy.epsilon: noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite or patient.maxRows",
    ],
    [{ parameters: { components: 0 } }, "parameters.components: at least 1"],
    [{ parameters: { components: 1.5 } }, "parameters.components: a whole number"],
    [
      { parameters: { components: 4 } },
      "parameters.components: 4 components asked of 3 columns; ask at most 3",
    ],
    [{ privacy: undefined }, "privacy: missing"],
    [{ privacy: "some" }, "privacy: either `none` or { epsilon, delta } with epsilon > 0 and 0 < delta < 1"],
    [{ privacy: { epsilon: 0, delta: 0.1 } }, "privacy.epsilon: greater than 0"],
    [{ privacy: { epsilon: 1, delta: 0 } }, "privacy.delta: greater than 0"],
    [{ privacy: { epsilon: 1, delta: 1 } }, "privacy.delta: less than 1"],
    [{ privacy: { epsilon: 1 } }, "privacy.delta: missing"],
    [
      { privacy: { epsilon: 1, delta: 0.1, sigma: 1 } },
      "privacy.sigma: no such key; remove it or correct its spelling",
    ],
    [
      participation({ minimumSites: 2 }),
      "participation.minimumSites: at least 3: with two sites a sum shows each one the other's part",
    ],
    [
      participation({ tolerateColluding: 2 }),
      "participation.tolerateColluding: at most minimumSites - 2: two honest sites at least must remain",
    ],
    [participation({ sites: ["a", "a", "b"] }), "participation.sites: name each site once"],
    [participation({ sites: ["a", "b"] }), "participation.sites: fewer sites named than minimumSites"],
    [participation({ phaseDeadline: "1s" }), "participation.phaseDeadline: must lie between 2s and 7d"],
    [feature({ max: 0 }), "features[0].max: max must be greater than min"],
    [
      feature({ missing: { constant: 11 } }),
      "features[0].missing.constant: the constant must lie between min and max",
    ],
    [feature({ colour: "red" }), "features[0].colour: no such key; remove it or correct its spelling"],
    [{ features: [] }, "features: declare at least one feature"],
    [
      { features: [...plain.features, plain.features[0]] },
      'features[2].name: column "a" is declared already at features[0]',
    ],
    [
      { label: { name: "sex", levels: ["x", "y"] } },
      'label.name: column "sex" is a feature too (features[1])',
    ],
    [{ label: { name: "l", levels: ["x"] } }, "label.levels: declare at least two levels"],
    [{ label: { name: "l", levels: ["x", "x"] } }, "label.levels: levels must differ from each other"],
    [
      { label: { name: "l\n", levels: ["x", "y"] } },
      "label.name: a column's name holds no control characters",
    ],
    [{ release: { access: "secret" } }, "release.access: expected one of: open, token"],
    [{ typo: 1 }, "typo: no such key; remove it or correct its spelling"],
  ])("is refused with the key and the fix: %j", (change, fault) => {
    expect(faultsOf(change)).toContain(fault);
  });

  it("with a proof has a delta of at most a thousandth; published experiments use more", () => {
    const privacy = (delta: number) => ({ privacy: { epsilon: 0.5, delta } });
    expect(faultsOf({ ...sound({}), ...privacy(1e-3) })).toEqual([]);
    for (const delta of [1.01e-3, 0.01, 0.5]) {
      expect(faultsOf({ ...sound({}), ...privacy(delta) }).join()).toMatch(
        /^privacy\.delta: at most 0\.001 for variant sound: with probability delta the guarantee may fail/,
      );
    }
    expect(faultsOf(privacy(0.01))).toEqual([]);
    expect(faultsOf({ privacy: "none" })).toEqual([]);
    // What an earlier version accepted is read still: its releases verify, and stores list it.
    const within = unwrap(parseStudy({ ...plain, ...sound({}), ...privacy(1e-3) }));
    const earlier = studyDocument({ ...within, privacy: { epsilon: 0.5, delta: 0.01 } });
    expect(readStudyDocument(earlier.text, earlier.hash).ok).toBe(true);
  });

  it("that is no map at all is refused", () => {
    for (const raw of [undefined, null, 1, "study", [], [plain]]) {
      const parsed = parseStudy(raw);
      expect(parsed.ok ? "accepted" : parsed.error.code).toBe("STUDY_INVALID");
      expect(parsed.ok ? [] : parsed.error.issues).not.toEqual([]);
    }
  });

  it("shows every fault, not the first alone", () => {
    const change = { name: "A", privacy: { epsilon: -1, delta: 2 }, ...feature({ min: 20 }) };
    expect(faultsOf(change).map((fault) => fault.split(":")[0])).toEqual([
      "name",
      "features[0].max",
      "privacy.epsilon",
      "privacy.delta",
    ]);
  });

  it("is never accepted without bounds, and never breaks the parser", () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom(...Object.keys(plain), "label", "x"), maxDepth: 3 }),
        (raw) => {
          const parsed = parseStudy(raw);
          if (parsed.ok) throw new Error("a study of random parts was accepted");
          expect(parsed.error.message.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 300 },
    );
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, "0"]) {
      expect(faultsOf(feature({ min: number }))).not.toEqual([]);
      expect(faultsOf({ privacy: { epsilon: number, delta: 0.1 } })).not.toEqual([]);
    }
  });
});

describe("a study that travels", () => {
  const document = studyDocument(
    unwrap(parseStudy({ ...plain, ...participation({ phaseDeadline: "1h30m", joinDeadline: "3d" }) })),
  );
  const codeOf = (text: string, hash = sha256(text)) => {
    const read = readStudyDocument(text, hash);
    return read.ok ? "read" : read.error.code;
  };

  it("is the same study with the same hash on the other side", () => {
    const read = unwrap(readStudyDocument(document.text, document.hash));
    expect(read).toEqual(document);
    expect(read.study.participation.phaseDeadline).toBe(5_400_000);
    expect(sha256(document.text)).toBe(document.hash);
  });

  it("has one hash however its file was written", () => {
    const reordered = Object.fromEntries(Object.entries(plain).reverse());
    const spelt = {
      ...reordered,
      method: "elfed-pca",
      participation: { phaseDeadline: "600s", maxRowsPerSite: 100 },
    };
    expect(studyDocument(unwrap(parseStudy(spelt))).hash).toBe(studyDocument(unwrap(parseStudy(plain))).hash);
  });

  it("is refused with another hash, in another spelling, or when it is none", () => {
    expect(codeOf(document.text, sha256("x"))).toBe("STUDY_HASH");
    expect(codeOf(`${document.text} `)).toBe("STUDY_HASH");
    expect(codeOf(JSON.stringify(JSON.parse(document.text), null, 1))).toBe("STUDY_HASH");
    // Nothing that a text lacks is filled in: it has to say itself by what it is read.
    expect(codeOf(canonicalJson(plain))).toBe("STUDY_INVALID");
    const { variant, method } = document.study;
    expect(codeOf(canonicalJson({ ...plain, variant, method }))).toBe("STUDY_HASH");
    expect(codeOf("{")).toBe("STUDY_HASH");
    expect(codeOf("null")).toBe("STUDY_INVALID");
    expect(codeOf(canonicalJson({ ...plain, variant: "fast" }))).toBe("STUDY_INVALID");
  });

  it("is refused when it is nested a million times, or is all faults", () => {
    expect(codeOf("[".repeat(1_400_000))).toBe("STUDY_HASH");
    expect(codeOf(`{"features":${"[".repeat(700_000)}${"]".repeat(700_000)}}`)).toBe("STUDY_HASH");
    const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 1]));
    const read = parseStudy({ ...plain, ...keys });
    expect(read.ok ? 0 : read.error.issues.length).toBe(100);
  });
});
