import { expect, it } from "vitest";
import { licenceAddress } from "./licenceAddress.js";

it("links to the text of a licence that has an SPDX identifier, and to nothing else", () => {
  expect(licenceAddress("CC-BY-4.0")).toBe("https://spdx.org/licenses/CC-BY-4.0.html");
  expect(licenceAddress("CC0-1.0")).toBe("https://spdx.org/licenses/CC0-1.0.html");
  for (const other of ["for teaching only", "CC BY 4.0", "MIT/../x", ""])
    expect(licenceAddress(other)).toBeNull();
});
