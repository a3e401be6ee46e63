import { remedies } from "./causes";

/**
 * Messages of errors, and remedies that their places know better than the code's, with placeholders. `{rest}` must have
 * German words itself, `{tail}` may be empty.
 */
export const failures = {
  ...remedies,
  // names and numbers that cannot be read
  "not a valid {what} (a-z, 0-9 and single hyphens, at most {count})":
    "keine gültige {what} (a-z, 0-9 und einzelne Bindestriche, höchstens {count})",
  "not a valid {what}": "keine gültige {what}",
  "site id": "Standort-ID",
  "study id": "Studien-ID",
  "stage id": "Stufen-ID",
  "SHA-256": "SHA-256",
  "not a duration": "keine Dauer",
  "a duration's fraction must stand in its last part":
    "der Bruchteil einer Dauer muss in ihrem letzten Teil stehen",
  "the duration is too long": "die Dauer ist zu lang",
  "not a size": "keine Größe",
  "the size is too large": "die Größe ist zu groß",
  "not a valid federation name": "kein gültiger Name einer Föderation",
  "use a-z, 0-9 and single hyphens, at most {count} characters":
    "verwenden Sie a-z, 0-9 und einzelne Bindestriche, höchstens {count} Zeichen",
  "not an address": "keine Adresse",
  "write {what}": "schreiben Sie {what}",
  "use {what}": "verwenden Sie {what}",
  // the process
  "an unexpected fault": "ein unerwarteter Fehler",
  "no state folder is given": "es ist kein Zustandsordner angegeben",
  "there is no {path}": "{path} gibt es nicht",
  "list of members: got one of {date}, already have one of {known}":
    "Mitgliederliste: es kam eine vom {date}, eine vom {known} ist schon da",
  "sign a new list: consilium members sign": "signieren Sie eine neue Liste: consilium members sign",
  "list of members: more than {count} bytes": "Mitgliederliste: mehr als {count} Bytes",
  "deposit {study}: the reasons of its privacy are too long":
    "Hinterlegung {study}: die Gründe zu ihrem Datenschutz sind zu lang",
  "internal error": "interner Fehler",
  "correct the request": "berichtigen Sie die Anfrage",
  "correct the request; if a Consilium program sent it, upgrade the older side":
    "berichtigen Sie die Anfrage; kam sie von einem Programm von Consilium, aktualisieren Sie die ältere Seite",
  "invalid study YAML{tail}: {what}": "ungültiges YAML der Studie{tail}: {what}",
  "get it again": "laden Sie sie erneut",
  "try again": "versuchen Sie es erneut",
  "ask an administrator": "bitten Sie einen Administrator",
  "name another release": "nennen Sie eine andere Veröffentlichung",
  // the agent behind the hospital's pages
  "interrupted while waiting for {what}": "unterbrochen beim Warten auf {what}",
  "{place} does not answer: {why}": "{place} antwortet nicht: {why}",
  "{place}: permission denied": "{place}: Zugriff verweigert",
  "{what} is damaged": "{what} ist beschädigt",
  // accounts and sign-in
  "account {name} already exists": "das Konto {name} gibt es schon",
  "unknown role {name}": "unbekannte Rolle {name}",
  "{name} is the last {role}": "{name} ist das letzte Konto mit der Rolle {role}",
  "unknown reader token id": "unbekannte ID eines Lesetokens",
  "{path}.lock: another command is changing the reader tokens":
    "{path}.lock: ein anderer Befehl ändert gerade die Lesetoken",
  "no valid session or token": "keine gültige Sitzung und kein gültiges Token",
  "none of this user's groups has access to a release":
    "keine der Gruppen dieses Benutzers hat Zugang zu einer Veröffentlichung",
  "this console has no account {name}": "diese Konsole hat kein Konto {name}",
  "there is no such deputy": "diese Stellvertretung gibt es nicht",
  "{name} is not a deputy of {other} now": "{name} vertritt {other} jetzt nicht",
  "let {name} or an administrator name them, or approve in your own name":
    "lassen Sie sie von {name} oder einem Administrator benennen, oder geben Sie im eigenen Namen frei",
  "an approver names and removes their own deputies alone":
    "wer freigibt, benennt und entfernt nur eigene Stellvertretungen",
  "the ledger's metrics are only available on the console's machine":
    "die Messwerte des Budgetbuchs gibt es nur auf dem Rechner der Konsole",
  "scrape them from that machine, with an API token with the role approver":
    "holen Sie sie von diesem Rechner, mit einem API-Token der Rolle approver",
  // certificates and invitations
  "the issuing certificate has expired": "das ausstellende Zertifikat ist abgelaufen",
  "the token {what}": "das Token: {what}",
  "the peer's issuing certificate: {rest}": "das ausstellende Zertifikat der Gegenseite: {rest}",
  "the peer's own certificate: {rest}": "das eigene Zertifikat der Gegenseite: {rest}",
  missing: "fehlt",
  "the study is over": "die Studie ist zu Ende",
  "the agent is stopping": "der Agent hält an",
  "{role} {name} has been expelled": "{role} {name} wurde ausgeschlossen",
  "site {site}: this signing key has been expelled":
    "Standort {site}: dieser Signaturschlüssel wurde ausgeschlossen",
  "no site {site} in this federation": "diese Föderation hat keinen Standort {site}",
  // the store
  "{store} could not be read{tail}": "{store} ließ sich nicht lesen{tail}",
  "{path} is in use{tail}": "{path} ist in Benutzung{tail}",
  "{path} is not writable by user {name}": "{path} ist für den Benutzer {name} nicht schreibbar",
  "{path} is not writable": "{path} ist nicht schreibbar",
  "{path} already exists": "{path} gibt es schon",
  "{path} cannot be read ({code})": "{path} ist nicht lesbar ({code})",
  "{path} cannot be read": "{path} ist nicht lesbar",
  "{path} exceeds {count} bytes": "{path} hat mehr als {count} Bytes",
  "{path} is empty": "{path} ist leer",
  "{key}.certificate: {path} is not a PEM certificate":
    "{key}.certificate: {path} ist kein Zertifikat im PEM-Format",
  "{path}: {what} is empty": "{path}: {what} ist leer",
  // the aggregator's pages
  "release {name} is already superseded, by {other}":
    "die Veröffentlichung {name} ist schon ersetzt, durch {other}",
  "release {name} is itself superseded by {other}, directly or through others":
    "die Veröffentlichung {name} ist selbst durch {other} ersetzt, unmittelbar oder über andere",
  "release {name} was withdrawn on {day}: {why}":
    "die Veröffentlichung {name} wurde am {day} zurückgezogen: {why}",
  "withdraw it, or supersede the release that took its place":
    "ziehen Sie sie zurück, oder ersetzen Sie die, die an ihre Stelle trat",
  "no site shares a table {table}; did you mean {other}?":
    "kein Standort teilt eine Tabelle {table}; meinten Sie {other}?",
  nobody: "niemand",
  "study {study}: the replay of stage {stage} produced a different broadcast":
    "Studie {study}: die Wiederholung der Stufe {stage} ergab eine andere Verteilung",
  "list them with `consilium study questions`": "`consilium study questions` zeigt sie",
  "{method} has no edition {number} in this version": "{method} hat in dieser Version keine Ausgabe {number}",
  "{what} is retired: {reason}": "{what} ist zurückgezogen: {reason}",
  "the aggregator": "den Aggregator",
  "lost the connection to the publisher": "die Verbindung zum Veröffentlichungsdienst brach ab",
  "the publisher's reply to a deposit: {rest}":
    "die Antwort des Veröffentlichungsdienstes auf eine Hinterlegung: {rest}",
  "expected rendered or committed": "erwartet war „rendered“ oder „committed“",
  "no answer to the certificate": "keine Antwort auf das Zertifikat",
  "it is for another release": "sie gilt für eine andere Veröffentlichung",
  "its URL is malformed": "ihre URL ist fehlerhaft",
  "{count} files, at most {number} are allowed": "{count} Dateien, erlaubt sind höchstens {number}",
  "a rendered file's name, size or hash is malformed":
    "Name, Größe oder Hash einer erzeugten Datei ist fehlerhaft",
  "a sum of {count} sites with {number} colluding would need {needed} of them":
    "eine Summe über {count} Standorte mit {number} kolludierenden bräuchte {needed} davon",
  "no graph over {count} sites with at most {number} in a neighbourhood tolerates {colluding} colluding sites":
    "kein Graph über {count} Standorte mit höchstens {number} in einer Nachbarschaft verträgt {colluding} kolludierende",
  "lower participation.tolerateColluding, or add sites":
    "senken Sie participation.tolerateColluding oder nehmen Sie Standorte hinzu",
  "lower participation.tolerateColluding": "senken Sie participation.tolerateColluding",
  "invalid threshold {count} for {number} sites": "ungültige Schwelle {count} für {number} Standorte",
  "{count} sites {what}, the threshold is {number}": "{count} Standorte {what}, die Schwelle ist {number}",
  "another list of survivors was signed before": "zuvor wurde eine andere Liste der Verbliebenen signiert",
  "a dealt mask seed must have 32 bytes": "ein ausgeteilter Masken-Seed muss 32 Bytes haben",
  "a sealed message does not open ({what})": "eine versiegelte Nachricht lässt sich nicht öffnen ({what})",
  // the study and its table at a site
  "the table has more than the {count} rows that the study declares":
    "die Tabelle hat mehr als die {count} Zeilen, die die Studie angibt",
  "the method {name} could not be loaded: {why}": "die Methode {name} ließ sich nicht laden: {why}",
  "install the same version of this software again, whole":
    "installieren Sie dieselbe Version dieser Software noch einmal, vollständig",
  "{count} studies were offered within a day, offers.perDay allows {number}":
    "{count} Studien wurden an einem Tag angeboten, offers.perDay erlaubt {number}",
  "{count} studies wait for approval, offers.waiting allows {number}":
    "{count} Studien warten auf Freigabe, offers.waiting erlaubt {number}",
  "this site is in {count} studies, offers.joined allows {number}":
    "dieser Standort nimmt an {count} Studien teil, offers.joined erlaubt {number}",
  "study {study}: the countersignature of {site} does not fit the statement":
    "Studie {study}: die Gegenzeichnung von {site} passt nicht zur Erklärung",
  "bring the file, share or database of the table back: check its path, permissions and address":
    "die Datei, Freigabe oder Datenbank der Tabelle wieder bereitstellen: Pfad, Rechte und Adresse prüfen",
  "`consilium site studies` lists them; with --since, it must not have ended before that day":
    "`consilium site studies` führt sie auf; mit --since darf sie nicht vor diesem Tag geendet haben",
  // policy
  "study {study}: no population of the policy has table {table}, so that it has no budget":
    "Studie {study}: keine Population der Richtlinie hat die Tabelle {table}; daher hat sie kein Budget",
  "study {study}: it can use {count} rows of this hospital, the policy asks for at least {number}":
    "Studie {study}: sie kann {count} Zeilen dieses Krankenhauses verwenden, die Richtlinie verlangt mindestens {number}",
  "study {study}: its analysis is {name}, the policy allows {names}":
    "Studie {study}: ihre Analyse ist {name}, die Richtlinie erlaubt {names}",
  "study {study}: its variant is {name}, the policy allows {names}":
    "Studie {study}: ihre Variante ist {name}, die Richtlinie erlaubt {names}",
  "study {study}: of table {table} it names {names}, which the policy does not allow":
    "Studie {study}: aus der Tabelle {table} nennt sie {names}; das erlaubt die Richtlinie nicht",
  "study {study}: privacy.delta: {what}": "Studie {study}: privacy.delta: {what}",
  "study {study}: it costs {cost}, the policy allows epsilon {number} for one study":
    "Studie {study}: sie kostet {cost}, die Richtlinie erlaubt Epsilon {number} für eine Studie",
  "study {study}: its delta is {delta}, the policy allows {other} for one study":
    "Studie {study}: ihr Delta ist {delta}, die Richtlinie erlaubt {other} für eine Studie",
  "study {study}: it does not state {what}, which the policy requires":
    "Studie {study}: sie nennt nicht {what}; das verlangt die Richtlinie",
  "study {study}: its steps wait {count} s for an answer, this hospital answers every {number} s":
    "Studie {study}: ihre Schritte warten {count} s auf eine Antwort, dieses Krankenhaus antwortet alle {number} s",
  "study {study}: it may run with {count} sites, the policy asks for at least {number}":
    "Studie {study}: sie darf mit {count} Standorten laufen, die Richtlinie verlangt mindestens {number}",
  "study {study}: it withstands {count} colluding sites (one site deals all masks), the policy asks for at least {number}":
    "Studie {study}: sie widersteht {count} kolludierenden Standorten (ein Standort teilt alle Masken aus), die Richtlinie verlangt mindestens {number}",
  "study {study}: it withstands {count} colluding sites, the policy asks for at least {number}":
    "Studie {study}: sie widersteht {count} kolludierenden Standorten, die Richtlinie verlangt mindestens {number}",
  "study {study} adds no noise anywhere": "die Studie {study} fügt nirgends Rauschen hinzu",
  "add {table} to the tables of a population in policy.yaml, or declare a population default":
    "ordnen Sie {table} in policy.yaml einer Population zu, oder deklarieren Sie eine Population default",
  "lower minimumRows in policy.yaml, or wait for more records":
    "senken Sie minimumRows in policy.yaml, oder warten Sie auf mehr Datensätze",
  "add {name} to analyses in policy.yaml": "nehmen Sie {name} in policy.yaml unter analyses auf",
  "add {name} to variants in policy.yaml": "nehmen Sie {name} in policy.yaml unter variants auf",
  "leave it out of the study, or change columns.{table} in policy.yaml":
    "lassen Sie sie aus der Studie weg, oder ändern Sie columns.{table} in policy.yaml",
  "leave them out of the study, or change columns.{table} in policy.yaml":
    "lassen Sie sie aus der Studie weg, oder ändern Sie columns.{table} in policy.yaml",
  "lower privacy.delta in the study": "senken Sie privacy.delta in der Studie",
  "leave privacy.rho out of the study, or raise perStudy.epsilon in policy.yaml":
    "lassen Sie privacy.rho aus der Studie weg, oder erhöhen Sie perStudy.epsilon in policy.yaml",
  "lower privacy.epsilon in the study, or raise perStudy.epsilon in policy.yaml":
    "senken Sie privacy.epsilon in der Studie, oder erhöhen Sie perStudy.epsilon in policy.yaml",
  "lower privacy.delta in the study, or raise perStudy.delta in policy.yaml":
    "senken Sie privacy.delta in der Studie, oder erhöhen Sie perStudy.delta in policy.yaml",
  "add it to the study, or change requires in policy.yaml":
    "ergänzen Sie es in der Studie, oder ändern Sie requires in policy.yaml",
  "add them to the study, or change requires in policy.yaml":
    "ergänzen Sie sie in der Studie, oder ändern Sie requires in policy.yaml",
  "raise participation.phaseDeadline in the study to {duration} at least, or lower answerOn.schedule in policy.yaml":
    "erhöhen Sie participation.phaseDeadline in der Studie auf mindestens {duration}, oder senken Sie answerOn.schedule in policy.yaml",
  "raise participation.minimumSites in the study, or lower minimumSites in policy.yaml":
    "erhöhen Sie participation.minimumSites in der Studie, oder senken Sie minimumSites in policy.yaml",
  "choose a method with pairwise masks, or lower tolerateColluding in policy.yaml":
    "wählen Sie eine Methode mit paarweisen Masken, oder senken Sie tolerateColluding in policy.yaml",
  "raise participation.tolerateColluding in the study, or lower tolerateColluding in policy.yaml":
    "erhöhen Sie participation.tolerateColluding in der Studie, oder senken Sie tolerateColluding in policy.yaml",
  "the policy{tail}: this is not YAML ({what})": "die Richtlinie{tail}: dies ist kein YAML ({what})",
  "the policy: {what}": "die Richtlinie: {what}",
  "{path} is over {count} bytes": "{path} hat mehr als {count} Bytes",
  // the ledger
  "ledger entry {count}: the ledger does not begin with its opening":
    "Eintrag {count} des Budgetbuchs: das Budgetbuch beginnt nicht mit seiner Eröffnung",
  "ledger entry {count}: {what}": "Eintrag {count} des Budgetbuchs: {what}",
  "{path} is not an anchor of this ledger": "{path} ist kein Anker dieses Budgetbuchs",
  "there is no archive {path}": "es gibt kein Archiv {path}",
  "{path} is not an archive of this ledger, or was changed: no checkpoint names its SHA-256 {hash}":
    "{path} ist kein Archiv dieses Budgetbuchs oder wurde geändert: kein Prüfpunkt nennt seinen SHA-256 {hash}",
  "restore the file from a backup, or from the copy that was kept":
    "stellen Sie die Datei aus einer Sicherung oder aus der aufbewahrten Kopie wieder her",
  "restore state.db and {path} from the newest backup":
    "stellen Sie state.db und {path} aus der neuesten Sicherung wieder her",
  "a head of this site's ledger was shown that this site did not sign":
    "es wurde ein Kopf des Budgetbuchs gezeigt, den dieser Standort nicht signiert hat",
  "a head of this site's ledger was shown that is another site's":
    "es wurde ein Kopf des Budgetbuchs gezeigt, der einem anderen Standort gehört",
  "a head of this site's ledger was shown that comes with an opening that is not its own":
    "es wurde ein Kopf des Budgetbuchs mit einer fremden Eröffnung gezeigt",
  "a head of this site's ledger was shown that is malformed":
    "es wurde ein fehlerhafter Kopf des Budgetbuchs gezeigt",
  "study {study}: request needs epsilon {count} per {unit}, {left} remains of {all} at delta {delta} in population {population}":
    "Studie {study}: sie braucht Epsilon {count} je {unit}; bei Delta {delta} bleiben {left} von {all} in der Population {population}",
  // a study at the hospital
  "no study {study} has been offered to this hospital":
    "diesem Krankenhaus wurde keine Studie {study} angeboten",
  "list the ones that were with `consilium site studies`": "`consilium site studies` zeigt die angebotenen",
  "the text of study {study} is not kept: {why} ({code})":
    "der Text der Studie {study} ist nicht aufbewahrt: {why} ({code})",
  "the text of study {study} is not kept: {why}": "der Text der Studie {study} ist nicht aufbewahrt: {why}",
  "list the studies with `consilium site studies`: each has its code and reason there":
    "`consilium site studies` zeigt die Studien, jede mit Code und Grund",
  "give more characters of the id": "geben Sie mehr Zeichen der Kennung an",
  "study {study}: the aggregator plans it otherwise than version {version} of this site, first at {place}":
    "Studie {study}: der Aggregator plant sie anders als Version {version} dieses Standorts, zuerst bei {place}",
  "study {study}: version {version} of this site plans it otherwise than the software that it began with, first at {place}":
    "Studie {study}: Version {version} dieses Standorts plant sie anders als die Software, mit der sie begann, zuerst bei {place}",
  "there is no statement to sign at {step}, attempt {count}":
    "bei {step}, Versuch {count}, gibt es nichts zu signieren",
  "its plan has no sum stage {stage}": "ihr Plan hat keine Summenstufe {stage}",
  "its plan has no rows stage of that name": "ihr Plan hat keine Zeilenstufe dieses Namens",
  "stage {stage} of {name}: {what}": "Stufe {stage} von {name}: {what}",
  "nothing is to be posted at {step}": "bei {step} ist nichts zu senden",
  "a stored broadcast is damaged": "eine gespeicherte Verteilung ist beschädigt",
  "a broadcast of {count} bytes, {number} are allowed":
    "eine Verteilung von {count} Bytes, erlaubt sind {number}",
  // the catalogue
  "the content of the release is not JSON": "der Inhalt der Veröffentlichung ist kein JSON",
  "the content of the release is invalid: {what}": "der Inhalt der Veröffentlichung ist ungültig: {what}",
  "this token gives access to no release": "dieses Token öffnet keine Veröffentlichung",
  "copy the complete token; if it has expired, ask the publisher for another":
    "kopieren Sie das vollständige Token; ist es abgelaufen, bitten Sie um ein neues",
  "the publisher has no accounts for this": "der Veröffentlichungsdienst hat dafür keine Konten",
  "the release has no such file": "die Veröffentlichung hat diese Datei nicht",
  "unknown release": "unbekannte Veröffentlichung",
  "this release needs a token": "für diese Veröffentlichung ist ein Token nötig",
  "ask its publisher for a token; a program sends it as `Authorization: Bearer <token>`":
    "bitten Sie um ein Token; ein Programm sendet es als `Authorization: Bearer <token>`",
  "the release's folder is gone": "der Ordner der Veröffentlichung ist verschwunden",
  "{path}: it belongs to another release": "{path}: gehört zu einer anderen Veröffentlichung",
  "the release has no rows": "die Veröffentlichung hat keine Zeilen",
  "querystring: x and y must be numeric columns": "Abfrage: x und y müssen numerische Spalten sein",
  "querystring: colour must be a categorical column": "Abfrage: colour muss eine kategoriale Spalte sein",
  "use names from the release's data dictionary":
    "verwenden Sie Namen aus dem Datenverzeichnis der Veröffentlichung",
  "{path}, line {count}: {what}": "{path}, Zeile {count}: {what}",
  "restore the publisher's state folder from a backup; the aggregator sends what is missing from it":
    "stellen Sie den Zustandsordner des Veröffentlichungsdienstes aus einer Sicherung wieder her; der Aggregator sendet, was darin fehlt",
  "the publisher has no such release": "der Veröffentlichungsdienst hat diese Veröffentlichung nicht",
  "{path}: not written by Consilium": "{path}: nicht von Consilium geschrieben",
  "the withdrawal exceeds {count} bytes": "die Rücknahme hat mehr als {count} Bytes",
  "truncated data: expected {count} rows": "abgeschnittene Daten: erwartet waren {count} Zeilen",
  "row {row}, column {name}: the value {what}": "Zeile {row}, Spalte {name}: der Wert: {what}",
  // deposits
  "the first message must be a header": "die erste Nachricht muss ein Kopf sein",
  "the content exceeds {count} bytes": "der Inhalt hat mehr als {count} Bytes",
  "the data's SHA-256 must have 32 bytes": "die SHA-256 der Daten muss 32 Bytes haben",
  "{count} bytes of rows, at most {number} are allowed":
    "{count} Bytes Zeilen, erlaubt sind höchstens {number}",
  "{count} bytes of data declared, expected {number} for {rows} rows of these columns":
    "{count} Bytes angekündigt, erwartet waren {number} für {rows} Zeilen dieser Spalten",
  "unexpected message among the data": "unerwartete Nachricht zwischen den Daten",
  "a chunk of {count} bytes, expected 1 to {number}":
    "ein Teil von {count} Bytes, erwartet waren 1 bis {number}",
  "received more data than declared": "mehr Daten als angekündigt",
  "expected the certificate, got another message":
    "erwartet war das Zertifikat, es kam eine andere Nachricht",
  "the certificate exceeds {count} bytes": "das Zertifikat hat mehr als {count} Bytes",
  "the signature exceeds {count} bytes": "die Signatur hat mehr als {count} Bytes",
  "received {count} of {number} bytes": "{count} von {number} Bytes empfangen",
  "SHA-256 mismatch of the data": "die SHA-256 der Daten stimmt nicht",
  "expected offset {count}, got {number}": "erwartet war die Stelle {count}, es kam {number}",
  "ended before the certificate": "endete vor dem Zertifikat",
  "the depositor disconnected": "die Gegenseite hat die Verbindung getrennt",
  "stalled for {count} s": "stand {count} s still",
  "the certificate {what}": "das Zertifikat: {what}",
  // what a method was sent
  "the broadcast of stage {stage}: {what}": "die Verteilung der Stufe {stage} ist ungültig ({what})",
  "the broadcast splits of tree {count}, level {number}: {what}":
    "die verteilten Teilungen von Baum {count}, Ebene {number}, sind ungültig ({what})",
  "the broadcast leaves of tree {count}: {what}":
    "die verteilten Blätter von Baum {count} sind ungültig ({what})",
  "the console cannot listen on {place}": "die Konsole kann {place} nicht öffnen",
  "{path}: not JSON": "{path}: kein JSON",
  // places that a sentence begins with
  "study {word}, stage {word2}, attempt {count}: {rest}":
    "Studie {word}, Stufe {word2}, Versuch {count}: {rest}",
  "study {word}, site {word2}: {rest}": "Studie {word}, Standort {word2}: {rest}",
  "study {word}, the statement to sign: {rest}": "Studie {word}, die zu signierende Erklärung: {rest}",
  "study {word}: {rest}": "Studie {word}: {rest}",
  "site {word}: {rest}": "Standort {word}: {rest}",
  "release {word}: {rest}": "Veröffentlichung {word}: {rest}",
  "stage {word}: {rest}": "Stufe {word}: {rest}",
  "deposit {word}: {rest}": "Hinterlegung {word}: {rest}",
  "deposit: {count} bytes of rows and sums, at most {number} are allowed":
    "Hinterlegung: {count} Bytes an Zeilen und Summen, erlaubt sind höchstens {number}",
  "deposit: {rest}": "Hinterlegung: {rest}",
  "list of expelled sites: {rest}": "Liste der ausgeschlossenen Standorte: {rest}",
  "{place}: {rest}": "{place}: {rest}",
} as const;
