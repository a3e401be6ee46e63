/** Licences for data, and those for software that are given to data. */
const spdx =
  /^(?:CC-BY(?:-(?:NC|ND|SA|NC-ND|NC-SA))?-[1-4]\.0|CC0-1\.0|ODbL-1\.0|PDDL-1\.0|ODC-By-1\.0|MIT|Apache-2\.0)$/;

/** Whether a licence is written as an SPDX identifier. */
export function isSpdx(licence: string): boolean {
  return spdx.test(licence);
}
