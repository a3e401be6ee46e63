import type { Words } from "../said.js";
import type { SiteSays } from "../says/site.js";

export const site: Words<SiteSays> = {
  "socket.path": ({ path }) => `der Agent kann ${path} nicht öffnen`,
  "socket.shorten": () =>
    "kürzen Sie den Pfad (höchstens 107 Bytes), und geben Sie dem Benutzer des Agenten Schreibrecht im Ordner",
  "socket.unknown": () => "der Agent kennt diese Anfrage nicht",
  "socket.same-version": () => "verwenden Sie Agent, Konsole und Befehlszeile in derselben Version",
  "socket.too-large": ({ max }, { number }) => `die Anfrage hat mehr als ${number(max)} Bytes`,
  "socket.no-json": () => "die Anfrage ist kein JSON",
  "socket.invalid": ({ request, field }) => `Anfrage ${request}: ungültig: ${field ?? "Inhalt"}`,
  "socket.no-values": () => "Werte einer Tabelle werden über diesen Socket nicht gezeigt",
  "socket.profile-at-rest": () =>
    "führen Sie `consilium site profile` mit dem Zustandsordner des Agenten aus",
  "socket.no-study-id": () => "die Anfrage nennt keine ID einer Studie",
  "socket.list-studies": () => "`consilium site studies` zeigt die Studien",
  "line.no-answer": () => "der Aggregator antwortet nicht auf einen Upload",
  "line.upload-ended": () => "der Aggregator hat den Upload beendet",
  "line.upload-unconfirmed": () => "der Aggregator hat den Upload nicht vollständig bestätigt",
  "line.broadcast-length": ({ study }) =>
    `eine Verteilung der Studie ${study} hat nicht die angekündigte Länge`,
  "line.silent": ({ seconds }) => `der Aggregator schweigt seit ${seconds} Sekunden`,
  "line.second-welcome": () => "eine zweite Begrüßung auf derselben Verbindung",
  "line.welcome-first": () => "die erste Nachricht muss eine Begrüßung sein",
  "line.site-older": ({ software, protocol, site, low, high }) =>
    `der Aggregator (Version ${software}) wählte Protokoll ${protocol}, der Standort (Version ${site}) spricht ${low} bis ${high}: aktualisieren Sie den Standort`,
  "line.aggregator-older": ({ software, protocol, site, low, high }) =>
    `der Aggregator (Version ${software}) wählte Protokoll ${protocol}, der Standort (Version ${site}) spricht ${low} bis ${high}: aktualisieren Sie den Aggregator`,
  "line.downgraded": ({ software, protocol, spoken }) =>
    `der Aggregator (Version ${software}) wählte Protokoll ${protocol} und hat mit diesem Standort ${spoken} gesprochen`,
  "line.not-older": ({ protocol, low, high, spoken }) =>
    `Protokoll ${protocol} ist keines von ${low} bis ${high}, das älter ist als das zuvor gesprochene, ${spoken ?? "keines"}`,
  "policy-file.large": ({ path, max }, { number }) => `${path} hat mehr als ${number(max)} Bytes`,
  "policy-file.unreadable": ({ path, code }) => `${path} ist nicht lesbar (${code})`,
  "policy-file.permissions": () =>
    "prüfen Sie die Zugriffsrechte: der Benutzer des Agenten muss sie lesen können",
  "policy-file.empty": ({ path }) => `${path} ist leer`,
  "policy-file.write-anew": () =>
    "schreiben Sie sie neu oder entfernen Sie sie: ohne Richtlinie gibt ein Mensch jede Studie frei",
  "policy-file.changed": () => "die Richtliniendatei wurde während der Bearbeitung geändert",
  "policy-file.unwritable": ({ path, code }) => `${path} ist nicht schreibbar (${code})`,
  "policy-file.no-version": () => "diese Fassung der Richtlinie gibt es nicht",
  "policy-file.choose": () => "wählen Sie eine aus der Liste",
  "ledger.exhausted": ({ study, needs, unit, remains, of, delta, population }, { number }) =>
    `Studie ${study}: sie braucht Epsilon ${String(needs).replace(".", ",")} je ${unit === "patient" ? "Patient" : "Zeile"}; bei Delta ${delta} bleiben ${String(remains).replace(".", ",")} von ${number(of)} in der Population ${population}`,
  "ledger.ask-for-more": () => "senken Sie Epsilon, oder bitten Sie das Datenkomitee um mehr",
  "ledger.unreadable": () => "die Tabelle des Budgetbuchs ist nicht lesbar",
  "ledger.behind": ({ ends, known }) =>
    `dieses Budgetbuch endet bei Eintrag ${ends}, und bekannt ist ein Kopf bei ${known}, den es nicht enthält: was dazwischen ausgegeben wurde, fehlt darin`,
  "ledger.undeclared": ({ known }) =>
    `in diesem Budgetbuch fehlen Einträge bis ${known}; weder der Kopf, der es beweist, noch ein Anker dieses Krankenhauses zeigt, was sie ausgaben`,
  "ledger.restore-or-charge": () =>
    "stellen Sie den neuesten Zustandsordner wieder her; gibt es keinen, verbuchen Sie das Verlorene mit `consilium ledger reconcile --charge <epsilon>`: die ganze Grenze jeder Population ist nie zu wenig",
  "ledger.anchor-written": () => "ein Anker wird als <Nummer>:<Hash> geschrieben",
  "ledger.anchor-where": () =>
    "beides steht im Zertifikat einer Veröffentlichung, und `consilium ledger show` gibt es aus",
  "ledger.future": () => "nur vergangene Einträge können archiviert werden",
  "store.key-damaged": ({ path }) => `${path} ist beschädigt`,
  "store.sealed": ({ place }) => `ein gespeichertes Geheimnis lässt sich nicht öffnen (${place})`,
  "start.which-site": () => "es ist nicht angegeben, welcher Standort laufen soll",
  "start.give-state": () => "geben Sie --state <Ordner> an",
};
