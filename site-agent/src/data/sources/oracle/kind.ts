import { commonDialect } from "../omop/dialect.js";
import type { DatabaseKind } from "../sourceKind.js";

export const oracle: DatabaseKind = {
  address: {
    product: "Oracle",
    scheme: /^oracle:\/\//,
    example: "oracle://user@host:2484/service",
    port: { "verify-full": 2484, disable: 1521 },
    caParameter: "wallet",
    hasSockets: false,
  },
  omop: {
    ...commonDialect,
    day: (column) => `TRUNC(${column})`,
    daysBetween: (from, to) => `(${to} - ${from})`,
  },
};
