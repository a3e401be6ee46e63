/** Where the text of a licence is that is written as an SPDX identifier; null for other words. */
export function licenceAddress(licence: string): string | null {
  return spdx.test(licence) ? `https://spdx.org/licenses/${licence}.html` : null;
}

/** Licences for data, and those for software that are given to data; core's citation file knows the same. */
const spdx =
  /^(CC-BY(-(NC|ND|SA|NC-ND|NC-SA))?-[1-4]\.0|CC0-1\.0|ODbL-1\.0|PDDL-1\.0|ODC-By-1\.0|MIT|Apache-2\.0)$/;
