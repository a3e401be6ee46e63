import { commonDialect } from "../omop/dialect.js";
import type { DatabaseKind } from "../sourceKind.js";

const hasDay = (column: string) => `DAYOFMONTH(${column}) > 0 AND MONTH(${column}) > 0`;

/** MariaDB and MySQL. */
export const mariadb: DatabaseKind = {
  address: {
    product: "MariaDB",
    scheme: /^(?:mariadb|mysql):\/\//,
    example: "mariadb://user@host:3306/database",
    port: { "verify-full": 3306, disable: 3306 },
    caParameter: "sslrootcert",
    hasSockets: false,
  },
  omop: {
    ...commonDialect,
    // `0000-00-00`, or a date without a day or a month, is none.
    day: (column) => `CASE WHEN ${hasDay(column)} THEN CAST(${column} AS DATE) END`,
    hasDay,
    daysBetween: (from, to) => `DATEDIFF(${to}, ${from})`,
  },
};
