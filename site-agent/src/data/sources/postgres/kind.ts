import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { postgresForm } from "@consilium/runtime/postgres/address";
import { commonDialect, nearDay } from "../omop/dialect.js";
import type { DatabaseKind } from "../sourceKind.js";

export const postgres: DatabaseKind = {
  address: postgresForm,
  passwords: {
    variables: ["HOME", "PGPASSFILE"],
    file: () => resolve(process.env.PGPASSFILE ?? join(homedir(), ".pgpass")),
  },
  // As rows came before tables were multisets.
  ordersRows: true,
  omop: { ...commonDialect, day: nearDay, daysBetween: (from, to) => `(${to} - ${from})` },
};
