import type { Words } from "../said.js";
import type { ProfileSays } from "../says/profile.js";

const further = (more: number) => (more === 0 ? "" : ` and ${more} more`);
const valued = (value: number | null, number: (value: number) => string) =>
  value === null ? "one and the same value" : `the value ${number(value)}`;

export const profile: Words<ProfileSays> = {
  "profile.none-used": ({ rows }, { count }) =>
    `Of ${count(rows, "row")} the study can use none: this hospital would take part without data.`,
  "profile.few-used": ({ used, rows, percent }, { number, count }) =>
    `The study can use ${number(used)} of ${count(rows, "row")} (${percent}%).`,
  "profile.unreadable": ({ rows }, { count }) =>
    `${count(rows, "row")} cannot be taken apart and are left out: \`consilium site table test\` names the first of them and the key that mends it.`,
  "profile.rejects": ({ column, rows }, { count }) =>
    `${column} excludes ${count(rows, "row")}: the value is missing, or the study refuses it.`,
  "profile.wrong-type": ({ column, cells }, { count }) =>
    `${column}: no number, or no date as the study writes dates, in ${count(cells, "cell")}.`,
  "profile.undeclared": ({ column, cells }, { count }) =>
    `${column}: none of the study's levels in ${count(cells, "cell")}. Are they spelled differently here?`,
  "profile.above": ({ column, percent, max, unit }, { number }) =>
    `${column}: ${percent}% of the values are above the maximum of ${number(max)}${unit === null ? "" : ` ${unit}`} and count as it. Does this hospital use another unit${unit === "years" ? ", such as days for years" : ""}?`,
  "profile.below": ({ column, percent, min, unit }, { number }) =>
    `${column}: ${percent}% of the values are below the minimum of ${number(min)}${unit === null ? "" : ` ${unit}`} and count as it. Does this hospital use another unit?`,
  "profile.one-value-above": ({ column, rows, max, value }, { number, count }) =>
    `${column}: ${count(rows, "row")} have ${valued(value, number)}, above the maximum of ${number(max)}. If it stands for a missing value, list it under nullValues of the table.`,
  "profile.one-value-below": ({ column, rows, min, value }, { number, count }) =>
    `${column}: ${count(rows, "row")} have ${valued(value, number)}, below the minimum of ${number(min)}. If it stands for a missing value, list it under nullValues of the table.`,
  "profile.levels-unused": ({ column, levels, more }, { list }) =>
    `${column}: no row that is used has ${list(levels)}${further(more)}.`,
  "profile.outcome-unused": ({ column, levels, more }, { list }) =>
    `No row that is used has ${column} = ${list(levels)}${further(more)}: is the outcome coded differently here?`,
};
