/**
 * What a driver's or the system's code means that a hospital is likely to meet: codes of the system and of TLS, SQLSTATEs (PostgreSQL's
 * documentation, appendix A), numbers of SQL Server, and codes of the drivers of SQL Server, Oracle, MariaDB and MySQL.
 */
const codes = {
  noAnswer: "ECONNREFUSED ETIMEDOUT NJS-503",
  unknownHost: "ENOTFOUND",
  foreignCertificate:
    "SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  expiredCertificate: "CERT_HAS_EXPIRED",
  otherHost: "ERR_TLS_CERT_ALTNAME_INVALID NJS-508",
  password: "28P01 28000 18456 ELOGIN ORA-01017 ER_ACCESS_DENIED_ERROR ER_ACCESS_DENIED_NO_PASSWORD_ERROR",
  noDatabase: "3D000 ER_BAD_DB_ERROR",
  noSchema: "3F000",
  noTable: "42P01 208 ER_NO_SUCH_TABLE",
  noColumn: "42703 207 ORA-00904 ER_BAD_FIELD_ERROR",
  notUnderstood: "42601 102 156 ORA-00900 ORA-00907 ORA-00923 ORA-00933 ORA-00936 ER_PARSE_ERROR",
  mayNotRead: "42501 229 ORA-01031 ER_TABLEACCESS_DENIED_ERROR ER_COLUMNACCESS_DENIED_ERROR",
  wouldWrite: "25006 ORA-01456 ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION",
  connectionsOfEngine: "53300",
  tooLong: "57014 NJS-123 ER_STATEMENT_TIMEOUT",
  shuttingDown: "57P01",
  starting: "57P03",
  noDatabaseForUser: "4060 ER_DBACCESS_DENIED_ERROR",
  noSnapshots: "3952",
  late: "ETIMEOUT NJS-510 ER_CONNECTION_TIMEOUT",
  noEncryption: "EENCRYPT ER_SERVER_SSL_DISABLED",
  closed: "ESOCKET",
  userLocked: "ORA-28000",
  passwordExpired: "ORA-28001",
  noService: "ORA-12514 NJS-518",
  noTableForUser: "ORA-00942",
  tooLittleUndo: "ORA-01555",
  wallet: "NJS-505",
  tlsFailed: "NJS-506",
  signIn: "ER_NOT_SUPPORTED_AUTH_PLUGIN",
  passwordOverTls: "ER_CANNOT_RETRIEVE_RSA_KEY",
  sameName: "ER_DUP_FIELDNAME",
  connections: "ER_CON_COUNT_ERROR",
  lock: "ER_LOCK_WAIT_TIMEOUT",
  interrupted: "ER_QUERY_INTERRUPTED",
};

export type DatabaseMeaning = keyof typeof codes;

const meanings = new Map(
  (Object.keys(codes) as DatabaseMeaning[]).flatMap((meaning) =>
    codes[meaning].split(" ").map((code) => [code, meaning] as const),
  ),
);

/** Null for a code that is not known, and where there is none. */
export const databaseMeaning = (code: string | null): DatabaseMeaning | null =>
  meanings.get(code ?? "") ?? null;
