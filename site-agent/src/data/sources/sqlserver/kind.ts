import type { DatabaseKind } from "../sourceKind.js";

export const sqlserver: DatabaseKind = {
  address: {
    product: "SQL Server",
    scheme: /^sqlserver:\/\//,
    example: "sqlserver://user@host:1433/database",
    port: { "verify-full": 1433, disable: 1433 },
    caParameter: "sslrootcert",
    hasSockets: false,
  },
  omop: {
    day: (column) => `CAST(${column} AS DATE)`,
    daysBetween: (from, to) => `DATEDIFF(day, ${from}, ${to})`,
    part: (part, day) => `${part}(${day})`,
    // Without hyphens it means the same whatever the session's DATEFORMAT is.
    dayLiteral: (iso) => `CAST('${iso.replaceAll("-", "")}' AS DATE)`,
  },
};
