import { expect, it } from "vitest";
import { contactAddress } from "./Contact";

it("links an address alone, of mail or of a page", () => {
  expect(contactAddress("federation@example.org")).toBe("mailto:federation@example.org");
  expect(contactAddress("https://example.org/contact")).toBe("https://example.org/contact");
  for (const text of ["Ada, ada@example.org", "javascript:alert(1)", "a@b?subject=x y", "Ward 3, tel. 12"])
    expect(contactAddress(text)).toBeNull();
});
