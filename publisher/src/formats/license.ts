/** Licences that are common for data, by their SPDX identifiers, each with its address. */
const known: Readonly<Record<string, string>> = Object.fromEntries(
  ["BY", "BY-SA", "BY-NC", "BY-ND", "BY-NC-SA", "BY-NC-ND"].flatMap((kind) =>
    ["2.0", "3.0", "4.0"].map((version) => [
      `CC-${kind}-${version}`,
      `https://creativecommons.org/licenses/${kind.toLowerCase()}/${version}/`,
    ]),
  ),
);
const others: Readonly<Record<string, string>> = {
  "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
  "ODbL-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
  "PDDL-1.0": "https://opendatacommons.org/licenses/pddl/1-0/",
  "ODC-By-1.0": "https://opendatacommons.org/licenses/by/1-0/",
  MIT: "https://opensource.org/license/mit",
  "Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
};

/** The address of a licence: its own, or that of a well-known identifier; null where there is none. */
export function licenseUrl(license: string | null): string | null {
  if (license === null) return null;
  const text = license.trim();
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  return known[text] ?? others[text] ?? null;
}

/** What a release without a licence says, with whom to ask where the study states it. */
export function withoutLicence({ contact }: { readonly contact?: string | undefined }): string {
  return `No licence is stated: ask ${contact ?? "the publisher"} before reuse.`;
}
