import { errorSummaries } from "@consilium/core/errorSummaries";
import { errorTable } from "@consilium/core/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureTemplates, templatesOf } from "../../testing/failureTemplates.js";
import { failureMessage, failureWords, reasonWords } from "./failureWords.js";
import { causeOf, speak, translated } from "./language.js";
import german from "./languages/de.js";

/** Packages whose errors reach a page: as an answer, as a study's failure, or as a site's reason. */
const packages = [
  "core/src",
  "secure-sum/src",
  "gate/src",
  "runtime/src",
  "aggregator/src",
  "publisher/src",
  "site-agent/src",
  "site-console/src",
  "methods",
  "methods-paper",
];

/** What a process says before it serves a page, and what a command says. */
const elsewhere = [
  /^core\/src\/(ids|release\/signer|release\/withdrawal)\.ts/,
  /\/(main|config|process)\.ts/,
  /^runtime\/src\/(backup|identity|logging|network|notify|postgres|tls)\//,
  /^runtime\/src\/release\/verifyFolder\.ts/,
  /^runtime\/src\/store\/(configuredStore|postgresDriver|store)\.ts/,
  /^site-agent\/src\/(dataProtection|ledger)\/(atRest|exported|storeAtRest)\.ts/,
  /^publisher\/src\/publisher\.ts/,
];

/** The sentence as it may come: a number for each place, nothing for one at its end, or a sentence for one of them. */
function* filledIn(text: string): Generator<string> {
  const parts = text.replace(/\{\}\{\}$/, "{}").split("{}");
  const numbers = parts.join("7");
  yield numbers;
  for (let at = parts.length - 1; at > 0; at--)
    for (const other of ["try again", ""])
      yield `${parts.slice(0, at).join("7")}${other}${parts.slice(at).join("7")}`;
}

function germanOf(text: string): string | undefined {
  for (const one of filledIn(text)) {
    const said = translated(one, "failures");
    if (said !== null) return said;
  }
  return undefined;
}

/** Words that no German sentence has; commands and keys are between backticks. */
const stray = /\b(the|of|and|is|are|with|this|that|from|not|each|which)\b/;

describe("errors on a German page", () => {
  beforeAll(() => speak("de", german));
  afterAll(() => speak("en", null));

  it("have a cause and a remedy for every code", () => {
    expect(Object.keys(german.causes).sort()).toEqual(Object.keys(errorTable).sort());
    for (const [code, { remedy }] of Object.entries(errorTable)) {
      const said = translated(remedy, "failures");
      expect(said, remedy).not.toBeNull();
      expect(said?.replaceAll(/`[^`]*`/g, "")).not.toMatch(stray);
      expect(causeOf(code)).not.toMatch(stray);
      // What a page shows of the code's own words.
      expect(causeOf(code)).not.toBe(errorSummaries[code as keyof typeof errorSummaries]);
    }
  });

  it("have words for every message and remedy in the sources", () => {
    const templates = packages
      .flatMap(failureTemplates)
      .filter(({ place }) => !elsewhere.some((one) => one.test(place)));
    expect(templates.length).toBeGreaterThan(0);
    // Many places say the same.
    const missing = [...new Map(templates.map((one) => [one.text, one])).values()].filter(
      ({ text }) => germanOf(text) === undefined,
    );
    expect(missing.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  it("whose sentence is new are found", () => {
    const source = (message: string) =>
      `function refused(why: string) { return new ConsiliumError("USAGE", \`study \${id}: \${why}\`, { remedy: ${message} }); }
       refused("it came twice"); refused(isLate ? "it is late" : "it is early");`;
    expect(templatesOf("some.ts", source('"try again"')).map(({ text }) => text)).toEqual([
      "study {}: it came twice",
      "study {}: it is late",
      "study {}: it is early",
      "try again",
    ]);
    expect(germanOf("study {}: it came twice")).toBeUndefined();
  });

  it("are said with their names and numbers", () => {
    expect(
      failureWords({
        code: "STUDY_STATE",
        message: 'round.being-released {"study":"7f3a"}',
        remedy: "round.check-again {}",
      }),
    ).toEqual({
      title: "Die Studie 7f3a wird gerade veröffentlicht und lässt sich nicht mehr abbrechen.",
      english: null,
      remedy: "Sehen Sie gleich noch einmal nach.",
    });
  });

  it("whose sentence has no words say what their code means, with the sentence in English beside", () => {
    const words = failureWords({
      code: "FIELD_INVALID",
      message: "study 7f3a: malformed in a new way",
      remedy: "try again",
    });
    expect(words.title).toBe("Ein Feld einer Nachricht fehlt, ist fehlerhaft oder zu groß.");
    expect(words.english).toBe("Study 7f3a: malformed in a new way.");
  });

  it("of a study's file say what is wanted and what is there", () => {
    const found =
      'features[0].min: fault.type {"got":"string","wanted":"number"}; name: fault.at-least {"bound":2,"of":"string"}';
    expect(failureMessage("STUDY_INVALID", found)).toBe(
      "features[0].min: erwartet eine Zahl, gefunden Text; name: mindestens 2 Zeichen",
    );
    const named = 'parameters: fault.edges-lacking {"column":"a: b; c"}; label: fault.missing {}';
    expect(failureMessage("STUDY_INVALID", named)).toMatch(
      /^parameters: die Zahlenspalte „a: b; c“ hat keine .*; label: fehlt$/,
    );
  });

  it("are said as a site keeps them, and a person's reason stays as it is", () => {
    const kept =
      "[POLICY_EPSILON] study 7f3a: it costs epsilon 2, the policy allows epsilon 1 for one study. Lower privacy.epsilon in the study, or raise perStudy.epsilon in policy.yaml.";
    expect(reasonWords(kept, "POLICY_EPSILON")).toMatch(
      /^Studie 7f3a: sie kostet .* Senken Sie privacy\.epsilon/,
    );
    expect(reasonWords("Our committee meets in May.", "REFUSED_BY_SITE")).toBeNull();
  });
});

describe("errors on an English page", () => {
  it("are as they were sent", () => {
    expect(failureWords({ code: "INTERNAL", message: "internal error", remedy: "try again" })).toEqual({
      title: "Internal error.",
      english: null,
      remedy: "Try again.",
    });
  });
});
