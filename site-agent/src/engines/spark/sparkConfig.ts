import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { sqlQuery } from "../../data/sources/shared/queryTableConfig.js";

/** A hospital's Spark cluster and its tables there, as the site's configuration names them. */

const silentLog4j = "-Dlog4j2.configurationFile=none -Dlog4j2.level=OFF";

/**
 * Settings that every application is started with, whatever the configuration, the cluster's defaults or a variable say; it is looked at
 * again once Spark has started. Data between processes and on disks are encrypted, and nothing that Spark tells of its work is kept.
 */
export const forcedSettings: Readonly<Record<string, string>> = {
  "spark.authenticate": "true",
  "spark.network.crypto.enabled": "true",
  "spark.network.crypto.saslFallback": "false",
  "spark.network.crypto.cipher": "AES/GCM/NoPadding",
  "spark.network.crypto.authEngineVersion": "2",
  "spark.io.encryption.enabled": "true",
  "spark.io.encryption.keySizeBits": "256",
  "spark.ui.enabled": "false",
  "spark.eventLog.enabled": "false",
  "spark.driver.log.persistToDfs.enabled": "false",
  // Executors log at which value a query fails; Spark's own settings of its log level do not reach them when they start. A
  // configuration that is not there leaves Log4j's own, at this level, whatever files the cluster has.
  "spark.log.level": "OFF",
  "spark.driver.defaultJavaOptions": silentLog4j,
  "spark.executor.defaultJavaOptions": silentLog4j,
  "spark.python.profile": "false",
  "spark.submit.deployMode": "client",
  "spark.app.name": "consilium",
  // Rows of a patient stay where they were dealt to, and times and dates have one meaning.
  "spark.sql.adaptive.enabled": "false",
  "spark.sql.session.timeZone": "UTC",
  "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
};

/** Variables of the environment by which Spark is found and signs in; none is a secret. */
export const sparkVariables: readonly string[] = [
  "PATH HOME USER LOGNAME LANG TMPDIR TZ JAVA_HOME",
  "SPARK_HOME SPARK_CONF_DIR SPARK_LOCAL_DIRS SPARK_LOCAL_IP",
  "HADOOP_HOME HADOOP_CONF_DIR HADOOP_USER_NAME YARN_HOME YARN_CONF_DIR YARN_USER_NAME",
  "KRB5CCNAME KRB5_CONFIG KUBECONFIG SSL_CERT_FILE SSL_CERT_DIR GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
].flatMap((names) => names.split(" "));

/** Begin of the names of folders that applications are started in. */
export const sparkFolder = () => join(tmpdir(), "consilium-spark-");

/** Settings that would write records to files or hand them to other programs: regular expressions over `name=value`. */
export const refusedSettings: readonly string[] = [
  // On YARN Spark itself has executors find its own modules among the files that it ships.
  String.raw`^spark\.(?!executorEnv\.PYTHONPATH=(?:(?:<CPS>)?\{\{PWD\}\}/(?:pyspark|py4j-[\d.]+-src)\.zip)+$)(executorEnv|yarn\.appMasterEnv)\.(PYTHON|JAVA|_JAVA|JDK_JAVA|NODE_|LD_)`,
  String.raw`^spark\.(plugins|extraListeners|sql\.queryExecutionListeners|jars\.ivySettings)=.`,
  String.raw`^spark\.\w+\.extraJavaOptions=.*(HeapDump|FlightRecorder|javaagent|agentlib|agentpath|log4j|logback)`,
];

/** Those that the entry has keys of its own for. */
const ownKeys: Readonly<Record<string, string>> = {
  "spark.master": "master",
  "spark.remote": "remote",
  "spark.authenticate.secret": "secretFile",
  "spark.kerberos.principal": "principal",
  "spark.kerberos.keytab": "keytab",
  "spark.pyspark.python": "executorPython",
  "spark.pyspark.driver.python": "python",
};

const settings = z.record(
  z.string().regex(/^spark\.[\w.-]{1,200}$/, "a setting of Spark's: spark.…"),
  z.union([z.string().max(10_000), z.number(), z.boolean()]).transform(String),
);

const masters =
  /^(?:local\[(?:\d{1,3}|\*)(?:,\d+)?\]|local-cluster\[\d+,\d+,\d+\]|spark:\/\/\S+|yarn|k8s:\/\/https:\/\/\S+)$/;
const localConnect = /^sc:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/;

/** A file on this machine, relative to the configuration file. */
const file = z.string().min(1).max(1_000);

export const sparkEngine = z
  .strictObject({
    /** Executors of a Spark cluster. */
    kind: z.literal("spark"),
    /** `yarn`, `spark://host:port`, `k8s://https://…`, or `local[n]` for this machine. */
    master: z
      .string()
      .regex(masters, "yarn, spark://host:port, k8s://https://host:port or local[4]")
      .optional(),
    /** In its place, a Spark Connect server: `sc://host:port/;use_ssl=true`. */
    remote: z
      .string()
      .regex(/^sc:\/\/[^\s?#]{1,300}$/, "sc://host:port/;use_ssl=true")
      .refine((url) => !/;\s*token=/i.test(url), "no token in the address: write tokenFile")
      .refine(
        (url) => localConnect.test(url) || /;use_ssl=true(?:;|$)/.test(url),
        "write ;use_ssl=true: rows and sums travel this way",
      )
      .optional(),
    /** Spark Connect: a file whose first line is the token. */
    tokenFile: file.optional(),
    /** A standalone cluster: a file whose first line is its `spark.authenticate.secret`. */
    secretFile: file.optional(),
    /** Kerberos: both, or none where a ticket is renewed beside the agent (KRB5CCNAME). */
    principal: z.string().min(1).max(300).optional(),
    keytab: file.optional(),
    /** The interpreter with PySpark on this machine; and, where it is another one, with pyarrow on the executors. */
    python: z.string().min(1).max(1_000).default("python3"),
    executorPython: z.string().min(1).max(1_000).optional(),
    /** Node 20 or later on the executors. */
    node: z.string().min(1).max(1_000).default("node"),
    /** Among how many shares patients are dealt, where a study bounds the rows of a patient. */
    partitions: z.int().min(1).max(100_000).default(32),
    /** Minutes that an application may take to start, and that it stays when no stage comes. */
    startMinutes: z.int().min(1).max(120).default(10),
    idleMinutes: z.int().min(1).max(1440).default(15),
    /** Further settings of Spark's. */
    conf: settings.default({}),
  })
  .superRefine((engine, context) => {
    const { master, remote, tokenFile, secretFile, principal, keytab, conf } = engine;
    const issue = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if ((master === undefined) === (remote === undefined)) issue(["master"], "write either master or remote");
    if (tokenFile !== undefined && remote === undefined) issue(["tokenFile"], "only with remote");
    if (secretFile !== undefined && !(master ?? "").startsWith("spark://"))
      issue(["secretFile"], "only for a standalone cluster: spark://");
    if (secretFile === undefined && (master ?? "").startsWith("spark://"))
      issue(["secretFile"], "missing: a file with the cluster's spark.authenticate.secret");
    if ((principal === undefined) !== (keytab === undefined))
      issue(["keytab"], "write both principal and keytab");
    for (const [key, value] of Object.entries(conf)) {
      const forced = forcedSettings[key];
      const own = ownKeys[key];
      if (forced !== undefined && value !== forced)
        issue(["conf", key], `always ${forced}: records are protected by it`);
      if (own !== undefined) issue(["conf", key], `write ${own} in its place`);
      if (refusedSettings.some((one) => new RegExp(one, "i").test(`${key}=${value}`)))
        issue(["conf", key], "refused: records could be written to files, or handed to other programs");
    }
  });

export type SparkCluster = z.output<typeof sparkEngine>;

/** With the paths of its files made absolute. */
export interface ResolvedCluster extends SparkCluster {
  /** Program that starts an application; left out, as it was built. For tests. */
  readonly program?: SparkProgram;
}

/** Program that starts an application, besides its cluster. */
export interface SparkProgram {
  /** The fold worker as one file, which is shipped to the executors. */
  readonly worker: string;
  /** Worker of published methods; left out, as it was built. */
  readonly published?: string;
  /** Left out, `driver.py` as it was built. */
  readonly driver?: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Told of each driver, for tests that end one. */
  readonly onStart?: (pid: number) => void;
}

/** @param folder - of the configuration file */
export function resolveCluster(cluster: ResolvedCluster, folder: string): ResolvedCluster {
  const files = (["tokenFile", "secretFile", "keytab"] as const).flatMap((key) => {
    const path = cluster[key];
    return path === undefined ? [] : [[key, resolve(folder, path)] as const];
  });
  return { ...cluster, ...Object.fromEntries(files) };
}

/** A file or folder that all executors see. */
export const sparkPlace = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^(?:\/|[a-z][a-z0-9+.-]*:\/)/i, "an absolute path, or an address such as hdfs:///warehouse/visits");

/** Where a table is, in its cluster's terms. */
export const sparkTable = z
  .strictObject({
    parquet: sparkPlace.optional(),
    csv: sparkPlace.optional(),
    /** A table or view of the catalogue: `catalog.schema.visits`. */
    table: z
      .string()
      .regex(/^[\w$-]{1,128}(?:\.[\w$-]{1,128}){0,3}$/, "catalog.schema.table")
      .optional(),
    /** One SELECT in Spark's SQL; its columns are the table's. */
    query: sqlQuery.optional(),
  })
  .refine((table) => Object.keys(table).length === 1, "write one of: parquet, csv, table, query");

export type SparkTable = z.output<typeof sparkTable>;
