import { readSaid } from "@consilium/core/readSaid";
import { english } from "@consilium/runtime/http/spoken";
import { sayGerman } from "@consilium/words/german";
import { expect, it } from "vitest";
import { fault } from "../data/fault.js";
import { tablePlace } from "../data/place.js";
import { errorOf } from "./messages.js";

it("keeps a sentence's code and parameters on the way from the process that reads tables, for each language to say", () => {
  const { code, message, remedy } = fault(
    "TABLE_AWAY",
    "source.end-missing",
    { place: tablePlace("wards") },
    "source.copy-whole",
  );
  const came = errorOf(structuredClone({ code, message, remedy }));
  expect(english(came.describe())).toBe(
    '[TABLE_AWAY] table "wards": the file is not complete: its end is missing. Copy the file anew, and put it in its place when it is whole.',
  );
  expect(sayGerman(readSaid(came.message)!)).toBe(
    "Tabelle „wards“: Die Datei ist unvollständig: Ihr Ende fehlt",
  );
});
