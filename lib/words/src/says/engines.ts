import type { AnySaid, Name, None } from "../said.js";

type Placed = { readonly place: AnySaid };
/** Rows that a worker counts, of those that it was sent. */
type Counts = { readonly counted: number; readonly sent: number };
/** The code that a worker reports, and where in its program. */
type Reported = { readonly code: Name; readonly at: Name | null };

/** What engines say that read tables and add up over their rows: processes of this machine, or a Spark cluster. */
export interface EngineSays {
  /** An error at a table that it does not name itself. */
  readonly "engine.at": Placed & { readonly what: AnySaid };
  readonly "engine.unsuitable": Placed & { readonly engine: Name; readonly method: Name };
  /** Why the last of several readings failed: a `share.…`. */
  readonly "engine.failed-again": Placed & { readonly readings: number; readonly why: AnySaid };
  /** A method that answers otherwise than its study says; of its trial what differs, in the gate's English. */
  readonly "engine.method": { readonly stage: Name; readonly study: Name | null; readonly what: Name };
  readonly "engine.task-twice": None;
  readonly "engine.columns-changed": Placed;
  readonly "engine.rows-apart": Placed;
  /** Versions; null for a worker of an unknown one. */
  readonly "engine.worker-version": { readonly worker: Name | null; readonly agent: Name };
  readonly "engine.job-version": { readonly job: Name; readonly worker: Name };
  readonly "engine.reader-version": { readonly agent: Name; readonly reader: Name };

  readonly "share.malformed": None;
  readonly "share.counts": Counts;
  readonly "share.other-job": None;
  readonly "share.reports": Reported;
  readonly "share.ended": None;
  readonly "share.silent": { readonly seconds: number };
  readonly "share.reader-ended": None;

  readonly "stream.ended": None;
  readonly "stream.cells": None;
  readonly "stream.width": { readonly columns: number; readonly expected: number };
  readonly "stream.no-column": None;
  readonly "stream.type": None;
  readonly "stream.dictionary": None;

  /** A fold worker on an executor of Spark. */
  readonly "executor.malformed": None;
  readonly "executor.twice": None;
  readonly "executor.reports": Reported;
  readonly "executor.other-job": None;
  readonly "executor.counts": Counts;
  readonly "executor.length": None;
  readonly "executor.part": None;
  readonly "executor.parts": { readonly given: number; readonly all: number };
  readonly "executor.shares": { readonly counted: number; readonly all: number };
  readonly "executor.probe": Placed;

  readonly "spark.no-python": { readonly path: Name };
  readonly "spark.no-executor": { readonly minutes: number };
  readonly "spark.driver-ended": None;
  readonly "spark.driver-malformed": None;
  readonly "spark.old": { readonly version: Name; readonly least: number };
  readonly "spark.other-values": { readonly settings: readonly Name[] };
  readonly "spark.no-node": { readonly path: Name };
  /** The remedy. */
  readonly "spark.install-node": None;
  readonly "spark.no-module": { readonly module: Name | null };
  /** The remedy. */
  readonly "spark.install-modules": None;
  readonly "spark.worker-changed": None;
  /** The remedy. */
  readonly "spark.check-disks": None;
  readonly "spark.worker-ended": None;
  readonly "spark.file-changed": None;
  /** The remedy. */
  readonly "spark.write-beside": None;
  readonly "spark.executor-python": { readonly path: Name };
  /** The remedy. */
  readonly "spark.name-python": None;
  readonly "spark.no-jvm": None;
  readonly "spark.no-jvm-or-kerberos": None;
  /** The remedy. */
  readonly "spark.install-java": None;
  /** What Spark or our driver there calls the error, and of some a detail; never a message. */
  readonly "spark.reports": { readonly what: Name; readonly detail: Name | null };
  /** The remedy. */
  readonly "spark.look-up": None;
  readonly "spark.sign-in": None;
  /** The remedy. */
  readonly "spark.check-ticket": None;
  readonly "spark.not-kept": None;
  /** The remedy. */
  readonly "spark.check-master": None;
  readonly "spark.file": { readonly file: Name };
}
