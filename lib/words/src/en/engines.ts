import { at } from "../at.js";
import type { Words } from "../said.js";
import type { EngineSays } from "../says/engines.js";

const reports = (code: string, at: string | null) => `reports ${code}${at === null ? "" : ` (${at})`}`;

export const engines: Words<EngineSays> = {
  "engine.at": ({ place, what }, { say }) => `${say(place)}: ${say(what)}`,
  "engine.unsuitable": ({ place, engine, method }, { say }) =>
    `${say(place)} is computed by the engine "${engine}", and ${method} needs all rows in one place`,
  "engine.failed-again": ({ place, readings, why }, { say }) =>
    `${say(place)}: a share of its rows failed at the last of ${readings} readings: ${say(why)}`,
  "engine.method": ({ stage, study, what }) =>
    `stage ${stage}${study === null ? "" : ` of the study ${study}`}: ${what}`,
  "engine.task-twice": () => "rows of one map task came to two fold workers",
  "engine.columns-changed": at("its columns have changed while a stage was computed"),
  "engine.rows-apart": at("rows that cannot be taken apart have come into it since it was approved"),
  "engine.worker-version": ({ worker, agent }) =>
    `the fold worker is of ${worker === null ? "another version" : `version "${worker}"`}, the agent of ${agent}`,
  "engine.job-version": ({ job, worker }) => `the job is of version ${job}, the fold worker of ${worker}`,
  "engine.reader-version": ({ agent, reader }) => `the agent is of version ${agent}, the reader of ${reader}`,

  "share.malformed": () => "its worker's answer is malformed",
  "share.counts": ({ counted, sent }) => `its worker counts ${counted} of ${sent} rows`,
  "share.other-job": () => "its worker answers another job",
  "share.reports": ({ code, at }) => `its worker ${reports(code, at)}`,
  "share.ended": () => "its worker ended early",
  "share.silent": ({ seconds }) => `nothing moved for ${seconds} seconds`,
  "share.reader-ended": () => "a reader of its rows ended early",

  "stream.ended": () => "the stream of rows ended early",
  "stream.cells": () => "the stream has a column of cells that is not float64",
  "stream.width": ({ columns, expected }) => `the stream has ${columns} columns, not ${expected}`,
  "stream.no-column": () => "a batch lacks a column of the stream",
  "stream.type": () => "a column's type holds neither numbers nor categories",
  "stream.dictionary": () => "a batch points past the end of a dictionary",

  "executor.malformed": () => "an executor's fold worker gives a malformed answer",
  "executor.twice": () => "an executor's fold worker answers twice for a share",
  "executor.reports": ({ code, at }) => `an executor's fold worker ${reports(code, at)}`,
  "executor.other-job": () => "an executor's fold worker answers another job",
  "executor.counts": ({ counted, sent }) => `an executor's fold worker counts ${counted} of ${sent} rows`,
  "executor.length": () => "an executor's fold worker gives a vector of another length",
  "executor.part": () => "an executor's fold worker gives a part of the vector twice, or of another length",
  "executor.parts": ({ given, all }) =>
    `an executor's fold worker gives ${given} of ${all} parts of the vector`,
  "executor.shares": ({ counted, all }) =>
    `an executor's fold worker counts ${counted} of ${all} shares in a part of the vector`,
  "executor.probe": at("an executor started the fold worker, which gave a malformed answer"),

  "spark.no-python": ({ path }) => `Python cannot be started at "${path}"`,
  "spark.no-executor": ({ minutes }) =>
    `the Spark application had no executor within ${minutes} minutes: the cluster may be full`,
  "spark.driver-ended": () => "the driver of the Spark application ended early",
  "spark.driver-malformed": () => "the driver of the Spark application gave a malformed answer",
  "spark.old": ({ version, least }) => `Spark "${version}" is installed, ${least}.0 or later is needed`,
  "spark.other-values": ({ settings }) =>
    `Spark runs with other values of ${settings.join(", ")} than records need`,
  "spark.no-node": ({ path }) => `an executor has no Node at "${path}"`,
  "spark.install-node": () => "install Node 20 or later on every executor, or name its path in `node`",
  "spark.no-module": ({ module }) =>
    `Python on the driver or on an executor lacks ${module === null ? "a module" : `the module ${module}`}`,
  "spark.install-modules": () => "install pyspark on this machine, and pyarrow here and on every executor",
  "spark.worker-changed": () => "an executor does not have the fold worker as it was shipped",
  "spark.check-disks": () => "check the executors' disks: Spark keeps shipped files in spark.local.dir",
  "spark.worker-ended": () => "a fold worker on an executor ended early, as often as Spark retried it",
  "spark.file-changed": () => "a Parquet file was replaced while it was read, or is damaged",
  "spark.write-beside": () =>
    "write new files beside those of a table, not over them, and no file while a study runs",
  "spark.executor-python": ({ path }) =>
    `an executor cannot start Python at "${path}", or it is another version than the driver's`,
  "spark.name-python": () =>
    "name the executors' interpreter in `executorPython`; its version must be the driver's",
  "spark.no-jvm": () => "Spark's JVM did not start on this machine",
  "spark.no-jvm-or-kerberos": () =>
    "Spark's JVM did not start on this machine, or Kerberos refused the principal and its keytab",
  "spark.install-java": () =>
    "install Java 17 and set JAVA_HOME for the agent; then check the cluster's address and sign-in",
  "spark.reports": ({ what, detail }) => `Spark reports ${what}${detail === null ? "" : ` ${detail}`}`,
  "spark.look-up": () =>
    "look the condition up in Spark's documentation; its message may quote a record, so it is shown nowhere",
  "spark.sign-in": () => "the cluster or its storage refuses the application's sign-in",
  "spark.check-ticket": () =>
    "check that the Kerberos ticket of `KRB5CCNAME` has not expired, or set `principal` and `keytab`, with which Spark renews it",
  "spark.not-kept": () => "the cluster's master did not take the Spark application in, or ended it",
  "spark.check-master": () =>
    "check the master's address and `secretFile`; a standalone cluster's master and workers need the settings of docs/HOSPITAL.md, Spark, those of spark.network.crypto among them",
  "spark.file": ({ file }) => `the file "${file}" of the engine cannot be read, or is empty`,
};
