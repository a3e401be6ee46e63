import type { Words } from "../said.js";
import type { BroadcastSays } from "../says/broadcasts.js";

export const broadcasts: Words<BroadcastSays> = {
  "broadcast.no-stage": ({ method, kind, stage }) =>
    `${method} has no ${kind === null ? "" : `${kind} `}stage ${stage}`,
  "broadcast.not-sent": ({ stage, name }) => `stage ${stage} was not sent "${name}"`,
  "broadcast.no-group": ({ site }) => `site ${site} is in no group of the study`,
  "broadcast.at": ({ stage, what }, { say }) => `the broadcast of stage ${stage}: ${say(what)}`,
  "broadcast.ascending": ({ name, count }) => `"${name}" must be ${count} ascending numbers`,
  "broadcast.multiples": ({ name, count, exponent, max }) =>
    `"${name}" must be ${count} multiples of 2^-${exponent} from -${max} to ${max}`,
  "broadcast.above-zero": ({ name }) => `"${name}" must be above 0`,
  "broadcast.joint-cells": ({ max }) => `its features have more than ${max} joint cells`,
  "broadcast.parents": ({ columns }) => `expected the parent of each of ${columns} columns`,
  "broadcast.untested": () => "features are selected that were never tested",
  "broadcast.not-standing": () => "the selected features are not those that stood at the end of the pass",
  "broadcast.candidate": () => "a candidate is not one new feature beside those that stood",
  "broadcast.no-set": ({ name, features }) => `"${name}" is no set of the study's ${features} features`,
  "broadcast.empty-set": ({ name }) => `"${name}" is empty`,
  "broadcast.leaf-values": () => "the values of the leaves are not numbers from 0 to 1",
  "broadcast.nodes": ({ stage, nodes, expected }) =>
    `stage ${stage} splits ${nodes} nodes${expected === null ? "" : `, expected ${expected}`}`,
  "broadcast.feature-twice": ({ feature }) => `a path asks feature "${feature}" twice`,
  "row.not-finite": ({ column }) => `column "${column}" holds a value that is NaN or infinite`,
  "model.no-column": ({ column }) => `the row has no column "${column}"`,
  "model.no-value": ({ column }) => `column "${column}" has no value`,
  "model.text": ({ column }) => `column "${column}" is numeric and holds a text`,
  "model.not-finite": ({ column }) => `column "${column}" holds NaN or an infinite value`,
  "model.no-level": ({ column }) => `column "${column}" holds a level that the model does not know`,
};
