import type { Words } from "../said.js";
import type { AggregatorSays } from "../says/aggregator.js";

export const aggregator: Words<AggregatorSays> = {
  "roster.no-key": ({ site }) =>
    `der Standort ${site} hat sich nicht angemeldet: er hat keinen Schlüssel, den er behalten könnte`,
  "roster.without-same-key": () => "laden Sie ihn ohne --same-key ein",
  "roster.enrolled": ({ site, key }) =>
    `der Standort ${site} ist mit dem Schlüssel ${key} angemeldet: eine neue Einladung könnte ihn ersetzen`,
  "roster.enrolled-otherwise": ({ site, key }) =>
    `der Standort ${site} ist mit dem Schlüssel ${key} angemeldet, und diese Einladung darf ihn nicht ersetzen`,
  "roster.invited": ({ site, until }) =>
    `der Standort ${site} hat eine offene Einladung, gültig bis ${until}`,
  "roster.token-unknown": () => "unbekanntes Einladungstoken",
  "roster.token-withdrawn": ({ site }) => `die Einladung des Standorts ${site} wurde zurückgezogen`,
  "roster.token-used": ({ site }) => `die Einladung des Standorts ${site} wurde schon verwendet`,
  "roster.token-expired": ({ site, at }) => `die Einladung des Standorts ${site} lief am ${at} ab`,
  "roster.no-invitation": () => "keine unbenutzte Einladung mit dieser ID",
  "roster.reload": () => "laden Sie die Liste neu; ein angemeldeter Standort kann ausgeschlossen werden",
  "roster.key-expelled": ({ site }) => `Standort ${site}: dieser Signaturschlüssel wurde ausgeschlossen`,
  "roster.keep-key": ({ site }) => `Standort ${site}: eine Erneuerung muss den Signaturschlüssel behalten`,
  "roster.expired-and-renewed": ({ site }) =>
    `Standort ${site}: dieses Zertifikat ist abgelaufen und war zuvor schon erneuert worden`,
  "roster.replaced": ({ site }) =>
    `der Standort ${site} hat sich mit einem anderen Signaturschlüssel angemeldet; der alte gilt nicht mehr`,
  "roster.expelled": ({ site }) => `der Standort ${site} wurde ausgeschlossen`,
  "roster.list-other": ({ number }) =>
    `Liste der ausgeschlossenen Standorte: eine andere Liste hat schon die Nummer ${number}`,
  "roster.sign-again": () =>
    "kopieren Sie die Datei `revocations` des Aggregators in den Ordner der Stelle und signieren Sie neu",
  "roster.head-signature": ({ site }) => `Standort ${site}: ungültige Signatur am Kopf seines Budgetbuchs`,
  "roster.head-invalid": () => "Feld ledger_head.head: ungültiger Kopf des Budgetbuchs",
  "roster.no-table": ({ table, near }, { names }) =>
    `kein Standort teilt eine Tabelle ${table}${near.length === 0 ? "" : ` (am ähnlichsten: ${names(near, 0)})`}`,
  "roster.list-tables": () =>
    "GET /api/tables oder `consilium tables` zeigt die Tabellen; die Richtlinie eines Standorts kann seine zurückhalten",
  "roster.site-id": () => "ungültige ID eines Standorts",
  "roster.study-id": () => "ungültige ID einer Studie",
  "call.site-older": ({ site, siteLow, siteHigh, software, low, high }) =>
    `der Standort (Version ${site}) spricht Protokoll ${siteLow} bis ${siteHigh}, der Aggregator (Version ${software}) ${low} bis ${high}: aktualisieren Sie den Standort`,
  "call.aggregator-older": ({ site, siteLow, siteHigh, software, low, high }) =>
    `der Standort (Version ${site}) spricht Protokoll ${siteLow} bis ${siteHigh}, der Aggregator (Version ${software}) ${low} bis ${high}: aktualisieren Sie den Aggregator`,
  "call.no-hello": ({ seconds }) => `keine Begrüßung innerhalb von ${seconds} s`,
  "call.too-often": ({ site, burst, perSecond }) =>
    `Standort ${site}: mehr als ${burst} Nachrichten auf einmal oder ${perSecond} je Sekunde`,
  "call.hello-first": () => "die erste Nachricht muss eine Begrüßung sein",
  "call.second-hello": () => "eine zweite Begrüßung auf derselben Verbindung",
  "call.no-header": () => "der Upload endete vor seinem Kopf",
  "call.not-running": ({ study }) => `die Studie ${study} läuft nicht`,
  "call.study-ended": ({ study }) => `die Studie ${study} ist inzwischen beendet`,
  "call.upload-lost": () => "die Verbindung brach ab; der Absender setzt den Upload fort",
  "call.stalled": ({ seconds }) => `die Übertragung stand ${seconds} s still; sie wird fortgesetzt`,
  "call.standing-by": ({ holder }) =>
    `dieser Aggregator steht bereit: ${holder === null ? "keiner ist aktiv" : `${holder} ist aktiv`}`,
  "start.no-operator-token": ({ path }) => `kein Betreibertoken von mindestens 32 Zeichen in ${path}`,
  "start.http": ({ address }) => `HTTP kann ${address} nicht öffnen`,
  "released.other": ({ release }) =>
    `Veröffentlichung ${release}: der Veröffentlichungsdienst zeigte eine andere`,
  "released.by-itself": ({ release }) => `die Veröffentlichung ${release} kann sich nicht selbst ersetzen`,
  "released.name-other": () => "nennen Sie eine andere Veröffentlichung",
  "released.unknown": ({ release }) => `der Veröffentlichungsdienst hat keine Veröffentlichung ${release}`,
  "released.superseded": ({ release, by }) =>
    `die Veröffentlichung ${release} ist schon ersetzt, durch ${by}`,
  "released.withdraw-instead": () => "ziehen Sie sie zurück, oder ersetzen Sie die, die an ihre Stelle trat",
  "released.no-publisher": () => "es ist kein Veröffentlichungsdienst konfiguriert",
  "released.set-and-ask": () =>
    "setzen Sie publisher.grpc in der Konfiguration des Aggregators und fragen Sie dann erneut",
  "released.set-and-resume": () =>
    "setzen Sie publisher.grpc in der Konfiguration des Aggregators, dann `consilium study resume`",
};
