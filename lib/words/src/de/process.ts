import type { Words } from "../said.js";
import type { ProcessSays } from "../says/process.js";

export const process: Words<ProcessSays> = {
  "store.fenced": ({ store, epoch }) =>
    `${store}: ein anderer Prozess hat den Speicher übernommen${epoch === null ? "" : ` (Epoche ${epoch} dieses Prozesses ist beendet)`}`,
  "store.refused": ({ store, code }) =>
    `${store} hat die Verbindung abgelehnt${code === null ? "" : ` (${code})`}`,
  "store.unreadable": ({ store, code }) =>
    `${store} ließ sich nicht lesen${code === null ? "" : ` (${code})`}`,
  "store.no-store": ({ store, code }) =>
    `${store} lässt sich nicht als Speicher öffnen${code === null ? "" : ` (${code})`}`,
  "state.in-use": ({ folder, process }) =>
    `${folder} ist in Benutzung${process === null ? "" : ` durch den Prozess ${process}`}`,
  "state.unwritable": ({ folder, user }) =>
    `${folder} ist${user === null ? "" : ` für den Benutzer ${user}`} nicht schreibbar`,
  "state.not-of-role": ({ folder, role }) => `${folder} ist kein Zustandsordner der Rolle ${role}`,
  "backup.give-rotation": ({ max, example }, { number }) =>
    `geben Sie Anzahlen bis ${number(max)} an, mindestens eine über 0, etwa ${example}`,
  "backup.encrypted": ({ file }) => `${file ?? "die Sicherung"} ist verschlüsselt`,
  "backup.invalid": ({ why }, { say }) => `ungültige Sicherung: ${say(why)}`,
  "backup.why.not-a-file": () => "sie enthält etwas anderes als eine Datei",
  "backup.why.outside": () => "sie enthält einen Pfad außerhalb ihres Ordners",
  "backup.why.foreign": () => "sie ist keine Sicherung dieser Software",
  "backup.why.other-version": () => "eine andere Version dieser Software hat sie geschrieben",
  "backup.why.checksum": () => "eine Datei passt nicht zu ihrer Prüfsumme",
  "backup.why.early-end": () => "sie endet zu früh",
  "backup.why.damaged": () => "sie ist beschädigt",
  "backup.why.truncated": () => "sie ist unvollständig",
  "backup.why.damaged-or-truncated": () => "sie ist beschädigt oder unvollständig",
  "backup.why.passphrase": () => "die Passphrase ist falsch, oder die Sicherung ist beschädigt",
  "file.unreadable": ({ file, key, code }) =>
    `${key === null ? "" : `${key}: `}${file} ist nicht lesbar${code === null ? "" : ` (${code})`}`,
  "blob.changed": ({ name }) => `der Block ${name} hat sich auf dem Datenträger verändert`,
  "store.check-disk": () =>
    "prüfen Sie den Datenträger und stellen Sie den Zustandsordner aus einer Sicherung wieder her",
  "upload.exists": ({ name }) => `${name} gibt es schon mit anderem Inhalt`,
  "upload.order": ({ name, due, got }, { number }) =>
    `${name}: ein Stück kam außer der Reihe: erwartet war der Versatz ${number(due)}, es kam ${number(got)}`,
  "upload.too-long": ({ name, bytes }, { number }) =>
    `${name}: es kamen mehr als die angekündigten ${number(bytes)} Bytes`,
  "upload.truncated": ({ name, received, bytes }, { number }) =>
    `${name}: unvollständig: ${number(received)} von ${number(bytes)} Bytes kamen an`,
  "upload.hash": ({ name, bytes }, { number }) =>
    `${name}: die SHA-256 der empfangenen ${number(bytes)} Bytes stimmt nicht`,
  "upload.taken-over": ({ name }) => `${name}: eine neuere Verbindung hat diesen Upload übernommen`,
  "store.standby-needs": () => "`standby` braucht `store: postgres://…`",
  "store.move-to-postgres": () =>
    "eine SQLite-Datei hat einen einzigen Prozess: legen Sie den Speicher nach PostgreSQL, oder entfernen Sie `standby`",
  "lease.failed": () => "der Thread der Übernahmesperre ist ausgefallen",
  "lease.taken-over": ({ store }) => `${store}: ein anderer Prozess hat die Sperre übernommen`,
  "lease.not-renewed": ({ store, seconds }, { number }) =>
    `${store}: die Sperre wurde ${number(seconds)} s nicht erneuert`,
  "store.not-in-schema": ({ store, schema }) => `${store} enthält im Schema ${schema} keinen Speicher`,
  "store.newer-format": ({ store, format, highest }, { number }) =>
    `${store} hat Format ${number(format)}; diese Software kennt Formate bis ${number(highest)}`,
  "store.check-readable": () => "prüfen Sie, ob sie läuft, und Adresse, Benutzer, Passwortdatei und TLS",
  "store.rolled-back": () => "die Transaktion wurde zurückgenommen: eine Anweisung darin scheiterte",
  "store.closed": () => "der Speicher ist geschlossen",
  "store.needs-setting": ({ store, setting, found, needed }) =>
    `${store}: ${setting} ist ${found}, ein Speicher braucht ${needed}`,
  "store.old-server": ({ store }) => `${store}: ein Speicher braucht PostgreSQL 13 oder neuer`,
  "store.connection-lost": ({ store }) => `${store}: die Verbindung brach beim Schreiben ab`,
  "store.in-use": ({ store }) => `${store}: ein anderer Prozess benutzt den Speicher`,
  "store.own-database": () => "beenden Sie den anderen Prozess oder geben Sie diesem eine eigene Datenbank",
  "store.check-database": () =>
    "prüfen Sie, ob sie läuft, sowie Adresse, Benutzer, Passwortdatei, TLS und das Recht, ein Schema anzulegen",
  "store.right-folder": () =>
    "prüfen Sie, ob --state auf den richtigen Ordner zeigt; ist er beschädigt, stellen Sie ihn aus einer Sicherung wieder her",
  "store.no-wal": ({ file }) => `${file} liegt auf einem Dateisystem ohne Write-Ahead-Logging`,
  "store.local-disk": () =>
    "legen Sie den Zustandsordner auf einen lokalen Datenträger, nicht auf eine Netzwerkfreigabe",
  "store.run-newer": () =>
    "starten Sie die neuere Version, die ihn geschrieben hat, oder stellen Sie die Sicherung von vor der Aktualisierung wieder her",
  "state.no-file": ({ file }) => `${file} gibt es nicht`,
  "backup.inside": ({ file }) => `${file} liegt in dem Ordner, der zu sichern ist`,
  "file.exists": ({ file }) => `${file} gibt es schon`,
  "backup.other-name": () => "wählen Sie einen anderen Namen",
  "backup.source-truncated": ({ file }) => `${file} wurde gekürzt, während es gelesen wurde`,
  "backup.restoring": ({ folder }) => `${folder} gibt es schon, oder er lässt sich nicht anlegen`,
  "backup.remove-restoring": () =>
    "vielleicht läuft eine andere Wiederherstellung; wenn nicht, entfernen Sie diesen Ordner",
  "backup.give-passphrase": () => "geben Sie mit --passphrase-file die Datei mit der Passphrase an",
  "state.not-empty": ({ folder }) => `${folder} ist nicht leer`,
  "state.other-folder": () => "verschieben Sie ihn, oder geben Sie mit --state einen anderen Ordner an",
  "backup.rotation": ({ written }) => `--keep nimmt „${written}“ nicht an`,
  "state.give-folder": () =>
    "geben Sie den Ordner oder das Volume dem Benutzer, unter dem dieser Prozess läuft",
  "file.cannot-read": ({ key, file }) => `${key}: ${file} ist nicht lesbar`,
  "file.too-long": ({ file, key, max }, { number }) =>
    `${key === null ? "" : `${key}: `}${file} hat mehr als ${number(max)} Bytes`,
  "file.check": () => "prüfen Sie Pfad und Zugriffsrechte der Datei",
  "agent.at": ({ socket }) => `der Agent des Standorts unter ${socket}`,
  "agent.unexpected": ({ agent, status, call }, { say }) =>
    `unerwartete Antwort: ${say(agent)} antwortet mit Status ${status} auf ${call}`,
  "agent.interrupted": ({ agent }, { say }) =>
    `unterbrochen beim Warten: ${say(agent)} hat noch nicht geantwortet`,
  "agent.start": () =>
    "starten Sie ihn mit `consilium serve site`, oder geben Sie seinen Zustandsordner mit --state an",
  "agent.not-running": ({ agent }, { say }) =>
    `${say(agent)} antwortet nicht: mit diesem Zustandsordner läuft kein Agent`,
  "agent.denied": ({ agent }, { say }) => `${say(agent)}: Zugriff verweigert`,
  "agent.run-as": () => "führen Sie den Befehl als der Benutzer aus, unter dem der Agent läuft",
  "agent.late": ({ agent, ms }, { duration, say }) =>
    `${say(agent)} antwortet nicht: keine Antwort innerhalb von ${duration(ms)}`,
  "agent.lost": ({ agent, code }, { say }) =>
    `${say(agent)} antwortet nicht: die Verbindung scheiterte${code === null ? "" : ` (${code})`}`,
  "state.not-given": () => "es ist kein Zustandsordner angegeben",
  "process.stopping": ({ what }) => `${what} wurde während des Herunterfahrens begonnen`,
  "file.empty": ({ key, file }) => `${key}: ${file} ist leer`,
  "file.no-password": ({ file }) => `in der ersten Zeile von ${file} steht kein Passwort`,
  "file.too-large": ({ file }) => `${file} ist zu groß`,
  "secret.too-short": ({ key, bytes, least }, { number }) =>
    `${key}: das Geheimnis hat ${number(bytes)} Bytes, mindestens ${number(least)} sind nötig`,
  "yaml.unexpected": () => "unerwartete Antwort eines YAML-Threads",
  "yaml.waiting": ({ texts }, { number }) => `${number(texts)} andere YAML-Texte warten`,
  "yaml.wait": () => "versuchen Sie es in einer Minute erneut",
  "yaml.failed": () => "ein YAML-Thread ist ausgefallen",
  "agent.same-version": () => "verwenden Sie Agent, Konsole und Befehlszeile in derselben Version",
};
