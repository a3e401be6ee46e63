import { csv } from "./csv/kind.js";
import { jsonl } from "./jsonl/kind.js";
import { mariadb } from "./mariadb/kind.js";
import { oracle } from "./oracle/kind.js";
import { parquet } from "./parquet/kind.js";
import { postgres } from "./postgres/kind.js";
import { sqlite } from "./sqlite/kind.js";
import { sqlserver } from "./sqlserver/kind.js";

/**
 * What a hospital's records can be in. Each kind has a folder here with all that is to be known of it, a line in this file, and one
 * in `readers.ts`, which loads what reads it.
 */

/** By a table's `format`. */
export const formats = { csv, parquet, jsonl, sqlite };

/** By the key of a table's entry, and of an `omop:` entry. */
export const databases = { postgres, sqlserver, oracle, mariadb };
