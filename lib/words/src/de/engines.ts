import { at } from "../at.js";
import type { Words } from "../said.js";
import type { EngineSays } from "../says/engines.js";

const reports = (code: string, at: string | null) => `meldet ${code}${at === null ? "" : ` (${at})`}`;

export const engines: Words<EngineSays> = {
  "engine.at": ({ place, what }, { say }) => `${say(place)}: ${say(what)}`,
  "engine.unsuitable": ({ place, engine, method }, { say }) =>
    `${say(place)} wird von der Engine „${engine}“ gerechnet, und ${method} braucht alle Zeilen an einem Ort`,
  "engine.failed-again": ({ place, readings, why }, { say, number }) =>
    `${say(place)}: Ein Anteil ihrer Zeilen scheiterte beim letzten von ${number(readings)} Lesevorgängen: ${say(why)}`,
  "engine.method": ({ stage, study, what }) =>
    `Stufe ${stage}${study === null ? "" : ` der Studie ${study}`}: ${what}`,
  "engine.task-twice": () => "Zeilen einer Map-Aufgabe kamen zu zwei Fold-Workern",
  "engine.columns-changed": at("Ihre Spalten haben sich geändert, während eine Stufe berechnet wurde"),
  "engine.rows-apart": at("Seit der Freigabe sind Zeilen hinzugekommen, die sich nicht zerlegen lassen"),
  "engine.worker-version": ({ worker, agent }) =>
    `der Fold-Worker hat ${worker === null ? "eine andere Version" : `Version „${worker}“`}, der Agent ${agent}`,
  "engine.job-version": ({ job, worker }) => `der Auftrag hat Version ${job}, der Fold-Worker ${worker}`,
  "engine.reader-version": ({ agent, reader }) => `der Agent hat Version ${agent}, der Leser ${reader}`,

  "share.malformed": () => "die Antwort seines Workers ist fehlerhaft",
  "share.counts": ({ counted, sent }, { number }) =>
    `sein Worker zählt ${number(counted)} von ${number(sent)} Zeilen`,
  "share.other-job": () => "sein Worker antwortet auf einen anderen Auftrag",
  "share.reports": ({ code, at }) => `sein Worker ${reports(code, at)}`,
  "share.ended": () => "sein Worker endete vorzeitig",
  "share.silent": ({ seconds }, { count }) =>
    `${count(seconds, "Sekunde", "Sekunden")} lang bewegte sich nichts`,
  "share.reader-ended": () => "ein Leser seiner Zeilen endete vorzeitig",

  "stream.ended": () => "der Strom der Zeilen endete vorzeitig",
  "stream.cells": () => "der Strom hat eine Spalte, die nicht float64 ist",
  "stream.width": ({ columns, expected }) => `der Strom hat ${columns} Spalten, nicht ${expected}`,
  "stream.no-column": () => "einem Stapel fehlt eine Spalte des Stroms",
  "stream.type": () => "der Typ einer Spalte enthält weder Zahlen noch Kategorien",
  "stream.dictionary": () => "ein Stapel zeigt über das Ende eines Wörterbuchs hinaus",

  "executor.malformed": () => "der Fold-Worker eines Executors antwortet fehlerhaft",
  "executor.twice": () => "der Fold-Worker eines Executors antwortet zweimal für einen Anteil",
  "executor.reports": ({ code, at }) => `der Fold-Worker eines Executors ${reports(code, at)}`,
  "executor.other-job": () => "der Fold-Worker eines Executors antwortet auf einen anderen Auftrag",
  "executor.counts": ({ counted, sent }, { number }) =>
    `der Fold-Worker eines Executors zählt ${number(counted)} von ${number(sent)} Zeilen`,
  "executor.length": () => "der Fold-Worker eines Executors gibt einen Vektor anderer Länge",
  "executor.part": () =>
    "der Fold-Worker eines Executors gibt einen Teil des Vektors zweimal oder in anderer Länge",
  "executor.parts": ({ given, all }) =>
    `der Fold-Worker eines Executors gibt ${given} von ${all} Teilen des Vektors`,
  "executor.shares": ({ counted, all }) =>
    `der Fold-Worker eines Executors zählt ${counted} von ${all} Anteilen in einem Teil des Vektors`,
  "executor.probe": at("Ein Executor startete den Fold-Worker, der fehlerhaft antwortete"),

  "spark.no-python": ({ path }) => `Python lässt sich unter „${path}“ nicht starten`,
  "spark.no-executor": ({ minutes }, { count }) =>
    `die Spark-Anwendung bekam in ${count(minutes, "Minute", "Minuten")} keinen Executor: Der Cluster ist vielleicht voll`,
  "spark.driver-ended": () => "der Treiber der Spark-Anwendung endete vorzeitig",
  "spark.driver-malformed": () => "der Treiber der Spark-Anwendung antwortete fehlerhaft",
  "spark.old": ({ version, least }) => `Spark „${version}“ ist installiert, nötig ist ${least}.0 oder neuer`,
  "spark.other-values": ({ settings }) =>
    `Spark läuft mit anderen Werten von ${settings.join(", ")}, als Datensätze brauchen`,
  "spark.no-node": ({ path }) => `ein Executor hat kein Node unter „${path}“`,
  "spark.install-node": () =>
    "installieren Sie auf jedem Executor Node 20 oder neuer, oder nennen Sie seinen Pfad in `node`",
  "spark.no-module": ({ module }) =>
    `Python fehlt auf dem Treiber oder einem Executor ${module === null ? "ein Modul" : `das Modul ${module}`}`,
  "spark.install-modules": () =>
    "installieren Sie pyspark auf diesem Rechner und pyarrow hier und auf jedem Executor",
  "spark.worker-changed": () => "ein Executor hat den Fold-Worker nicht so, wie er verschickt wurde",
  "spark.check-disks": () =>
    "prüfen Sie die Datenträger der Executors: Spark legt verschickte Dateien in spark.local.dir ab",
  "spark.worker-ended": () =>
    "ein Fold-Worker auf einem Executor endete vorzeitig, so oft Spark ihn auch wiederholte",
  "spark.file-changed": () => "eine Parquet-Datei wurde beim Lesen ersetzt oder ist beschädigt",
  "spark.write-beside": () =>
    "schreiben Sie neue Dateien neben die einer Tabelle, nicht über sie, und keine, solange eine Studie läuft",
  "spark.executor-python": ({ path }) =>
    `ein Executor kann Python unter „${path}“ nicht starten, oder es hat eine andere Version als das des Treibers`,
  "spark.name-python": () =>
    "nennen Sie den Interpreter der Executors in `executorPython`; er muss die Version des Treibers haben",
  "spark.no-jvm": () => "die JVM von Spark startete auf diesem Rechner nicht",
  "spark.no-jvm-or-kerberos": () =>
    "die JVM von Spark startete auf diesem Rechner nicht, oder Kerberos lehnte den Principal und seine Keytab ab",
  "spark.install-java": () =>
    "installieren Sie Java 17 und setzen Sie JAVA_HOME für den Agenten; prüfen Sie dann Adresse und Anmeldung des Clusters",
  "spark.reports": ({ what, detail }) => `Spark meldet ${what}${detail === null ? "" : ` ${detail}`}`,
  "spark.look-up": () =>
    "schlagen Sie die Bedingung in der Dokumentation von Spark nach; ihre Meldung kann einen Datensatz zitieren und wird deshalb nirgends gezeigt",
  "spark.sign-in": () => "der Cluster oder sein Speicher lehnt die Anmeldung der Anwendung ab",
  "spark.check-ticket": () =>
    "prüfen Sie, ob das Kerberos-Ticket von `KRB5CCNAME` abgelaufen ist, oder setzen Sie `principal` und `keytab`, womit Spark es erneuert",
  "spark.not-kept": () => "der Master des Clusters hat die Spark-Anwendung nicht angenommen oder sie beendet",
  "spark.check-master": () =>
    "prüfen Sie die Adresse des Masters und `secretFile`; Master und Worker eines eigenständigen Clusters brauchen die Einstellungen aus docs/HOSPITAL.md, Spark, auch die von spark.network.crypto",
  "spark.file": ({ file }) => `die Datei „${file}“ der Engine ist nicht lesbar oder leer`,
};
