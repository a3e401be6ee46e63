import type { Words } from "../said.js";
import type { TableSays } from "../says/tables.js";

export const tables: Words<TableSays> = {
  "table.other-build": ({ agent, tables }) =>
    `the program that reads tables is version ${tables}, and the agent is version ${agent}`,
  "table.stopping": () => "the agent is stopping",
  "table.study-over": () => "the study is over",
  "table.process-ended": () => "the process that reads tables ended before it answered",
  "table.unexpected": ({ what }) => `while tables were read: unexpected ${what}`,
  "table.unknown": ({ table }) => `this site has no table "${table}"`,
  "table.name-it": ({ tables }) =>
    `name it in the site's configuration; it has: ${tables.join(", ") || "(none)"}`,
  "table.older-hash": ({ study }) => `study ${study}: an earlier version hashed the approved table`,
  "table.start-again": () => "start the study again and approve it again",
  "table.none-in": ({ file }) => `${file} has no table`,
  "table.write-entry": () => "write at least one entry under `tables:`",
  "table.not-in-config": ({ table }) => `config.yaml has no table "${table}"`,
  "table.add-one": ({ tables }) =>
    `it has: ${tables.join(", ") || "none"}; add one with \`consilium site table add\``,
  "table.reading": ({ table }) => `Table ${table}, what stages read`,
  "table.first-rows": ({ table }) => `Table ${table}, first rows`,
  "table.test-it": ({ table }) =>
    `look at all of it with \`consilium site table test ${table}\`, which with --write writes the keys that it proposes`,
  "table.held": ({ needs, holds, memory }, { number }) =>
    `After a study's first stage, stages read this table from memory. The columns of its last study need ${number(needs)} MiB; all tables together may take ${number(holds)} MiB, a quarter of ${number(memory)} MiB.`,
  "table.too-large": ({ needs, holds, memory }, { number }) =>
    `Every stage of a study reads this table's files anew. The columns of its last study need ${number(needs)} MiB; all tables together may take ${number(holds)} MiB, a quarter of ${number(memory)} MiB.`,
  "table.more-memory": ({ memory }, { number }) =>
    `Studies of many stages get several times faster if the machine, or the agent's container, has ${number(memory)} MiB of memory or more. Without more memory, write the table as Parquet, or have an engine compute it.`,
  "table.not-read": ({ holds, memory }, { number }) =>
    `No study has read this table since the agent started. If it fits into ${number(holds)} MiB, a quarter of ${number(memory)} MiB, stages after the first one read it from memory.`,
  "table.always-read": () =>
    "Every stage of a study reads this table anew, because nothing shows whether its source has changed.",
  "table.read-by-engine": () =>
    "Every stage of a study reads this table anew, in the processes of its engine.",
  "table.cdm-number": ({ table, column }) => `table ${table}: the OMOP column ${column} holds no numbers`,
  "table.cdm-day": ({ table, column }) => `table ${table}: the OMOP column ${column} holds no dates`,
  "table.cdm-types": () =>
    "give the column the type that OMOP's DDL has, or name a schema with views in which it has it",
  "table.beside-keys": ({ folder }) =>
    `Tables are read in ${folder}, and the agent's keys are in or below it: whatever reads the tables could read the keys.`,
  "table.move-away": () =>
    "Move the tables to a folder outside of the agent's state folder, or name each file in config.yaml",
  "table.door-away": ({ door, code }) =>
    `The door at ${door}, which starts the process that reads tables as another user, does not answer (${code}).`,
  "table.start-door": () =>
    "Start it (consilium-tables@<site> of systemd, or the container `tables`), and let the agent's user open its socket",
  "table.door-unable": ({ door, code }) =>
    `The door that starts the process that reads tables cannot listen on ${door} (${code}).`,
  "table.give-door-room": () =>
    "Give a path of 107 bytes at most where nothing else is, and let the user who reads tables write in its folder",
  "table.reader": () => "User who reads the tables",
  "table.read-without-native-code": () =>
    "The agent's own user reads the tables, all of them in databases by drivers that Node's permission model keeps from the agent's keys.",
  "table.read-apart": () => "Another user than the agent's reads the tables.",
  "table.read-by-agents-user": () =>
    "The agent's own user reads the tables: a file that takes over DuckDB or SQLite, which are native code, could read the agent's keys.",
  "table.separate": () => "Have another user read the tables: docs/HOSPITAL.md, The user who reads tables",
};
