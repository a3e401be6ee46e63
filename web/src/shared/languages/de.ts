import { german as ofMethods } from "@consilium/methods-paper/german";
import { germanWith } from "@consilium/words/german";
import type { Language } from "../language";
import { causes } from "./german/causes";
import { failures } from "./german/failures";

/** The pages' messages. */
const messages = {
  // catalogue
  releases: "Veröffentlichungen",
  Releases: "Veröffentlichungen",
  "the page": "die Seite",
  "All releases": "Alle Veröffentlichungen",
  "What the certificate says": "Was das Zertifikat besagt",
  "Why it is not proven": "Warum es nicht bewiesen ist",
  "What it does not protect": "Was es nicht schützt",
  Details: "Einzelheiten",
  Epsilon: "Epsilon",
  "Epsilon, claimed": "Epsilon, behauptet",
  "none|number": "keines",
  Delta: "Delta",
  "Delta, claimed": "Delta, behauptet",
  "Neighbouring relation": "Nachbarschaftsrelation",
  Unit: "Einheit",
  Proof: "Beweis",
  Hospitals: "Krankenhäuser",
  "Did not sign": "Nicht unterschrieben",
  nobody: "niemand",
  Issued: "Ausgestellt",
  Software: "Software",
  "Every step in which hospitals sent data": "Jeder Schritt, in dem Krankenhäuser Daten gesendet haben",
  Step: "Schritt",
  Attempt: "Versuch",
  "Data sent": "Gesendete Daten",
  "abandoned: no result": "abgebrochen: kein Ergebnis",
  "Dropped out": "Ausgefallen",
  "{link} has all details, with every mechanism and its noise.":
    "{link} enthält alle Einzelheiten, mit jedem Mechanismus und seinem Rauschen.",
  "a masked vector; only the sum over hospitals was revealed":
    "ein maskierter Vektor; nur die Summe über die Krankenhäuser wurde offengelegt",
  "reduced rows, unmasked": "reduzierte Zeilen, unmaskiert",
  "counts, unmasked": "Zählungen, unmaskiert",
  Code: "Code",
  "This release needs a token.": "Diese Veröffentlichung erfordert ein Token.",
  "Set the environment variable {code} to your reader token first.":
    "Setzen Sie zuerst die Umgebungsvariable {code} auf Ihr Lesetoken.",
  "This release is a model in its own format: model.json says how to apply it.":
    "Diese Veröffentlichung ist ein Modell in eigenem Format: model.json beschreibt, wie es anzuwenden ist.",
  Tool: "Werkzeug",
  "Code for {title}": "Code für {title}",
  "Needs: {needs}": "Benötigt: {needs}",
  Cite: "Zitieren",
  "Citation format": "Zitierformat",
  "Citation as {format}": "Zitat als {format}",
  "Save it as {file}.": "Speichern Sie es als {file}.",
  "Two releases side by side": "Zwei Veröffentlichungen im Vergleich",
  "the release": "die Veröffentlichung",
  Release: "Veröffentlichung",
  Published: "Veröffentlicht",
  Method: "Methode",
  "Method, privacy": "Methode, Datenschutz",
  Privacy: "Datenschutz",
  Protects: "Schützt",
  Results: "Ergebnisse",
  "On held-out rows": "Auf zurückgehaltenen Zeilen",
  "{value} ({value2} to {value3})": "{value} ({value2} bis {value3})",
  Figures: "Abbildungen",
  "Compare with": "Vergleichen mit",
  "another release by this method": "eine andere Veröffentlichung dieser Methode",
  "Images for papers and slides: {value}": "Bilder für Artikel und Folien: {value}",
  "the figures": "die Abbildungen",
  "the plots": "die Diagramme",
  "Data dictionary": "Datenverzeichnis",
  Column: "Spalte",
  Type: "Typ",
  Description: "Beschreibung",
  Levels: "Ausprägungen",
  "The other {columns} are in datapackage.json.": "Die übrigen {columns} stehen in datapackage.json.",
  text: "Text",
  "number (float64), or empty": "Zahl (float64) oder leer",
  "number (float64)": "Zahl (float64)",
  "(empty)": "(leer)",
  ", and {more} more": " und {more} weitere",
  Files: "Dateien",
  "{files} files, {value} in all": "{files} Dateien, insgesamt {value}",
  File: "Datei",
  Size: "Größe",
  "Copy the SHA-256 of {name}": "SHA-256 von {name} kopieren",
  "The model": "Das Modell",
  Predicts: "Sagt vorher",
  "Trained on": "Trainiert auf",
  Evaluation: "Bewertung",
  "not evaluated": "nicht bewertet",
  "On about {rows} held-out rows": "Auf etwa {rows} zurückgehaltenen Zeilen",
  Measure: "Kennzahl",
  Value: "Wert",
  "95 % interval": "95-%-Intervall",
  "always predicting the most frequent class": "immer die häufigste Klasse vorhersagen",
  "Limits of the model": "Grenzen des Modells",
  "{value} to {value2}": "{value} bis {value2}",
  "Token: {name}": "Token: {name}",
  "Sign out": "Abmelden",
  "Use a token": "Token verwenden",
  "Read with a token": "Mit einem Token lesen",
  "Reader's token": "Lesetoken",
  "Some releases need a token, which their publisher gives you. It begins with consilium-reader-.":
    "Manche Veröffentlichungen erfordern ein Token, das Sie von der veröffentlichenden Stelle erhalten. Es beginnt mit consilium-reader-.",
  "Checking…": "Wird geprüft …",
  "Use token": "Token verwenden",
  "This release needs a token": "Diese Veröffentlichung erfordert ein Token",
  "On this page": "Auf dieser Seite",
  Noise: "Rauschen",
  withdrawn: "zurückgezogen",
  "This release was withdrawn. Do not use it.":
    "Diese Veröffentlichung wurde zurückgezogen. Verwenden Sie sie nicht.",
  "This release is superseded.": "Diese Veröffentlichung wurde ersetzt.",
  "Reason: {reason}": "Grund: {reason}",
  "Use this release instead: {id}.": "Verwenden Sie stattdessen diese Veröffentlichung: {id}.",
  "Signed statement of the aggregator (withdrawal.jws)":
    "Signierte Erklärung des Aggregators (withdrawal.jws)",
  "Supersedes {value}.": "Ersetzt {value}.",
  "As-published variant: its privacy is claimed, not proven.":
    "Variante wie veröffentlicht: ihr Datenschutz ist behauptet, nicht bewiesen.",
  "This release has no privacy protection.": "Diese Veröffentlichung hat keinen Datenschutz.",
  "About this release": "Über diese Veröffentlichung",
  Study: "Studie",
  Federation: "Föderation",
  Rows: "Zeilen",
  Creator: "Urheber",
  Licence: "Lizenz",
  "tables of results, no rows": "Ergebnistabellen, keine Zeilen",
  "No licence is stated: ask the publisher before reuse.":
    "Keine Lizenz angegeben: Fragen Sie vor einer Weiterverwendung die veröffentlichende Stelle.",
  "No licence is stated: ask {contact} before reuse.":
    "Keine Lizenz angegeben: Fragen Sie vor einer Weiterverwendung {contact}.",
  Access: "Zugang",
  "open|access": "offen",
  "requires a token from the publisher": "erfordert ein Token der veröffentlichenden Stelle",
  "How to read it": "Wie man sie liest",
  "Data, selected features and models, each with a privacy certificate.":
    "Daten, ausgewählte Merkmale und Modelle, jeweils mit einem Datenschutz-Zertifikat.",
  "Releases found": "Gefundene Veröffentlichungen",
  "the releases": "die Veröffentlichungen",
  "Follow new releases: {link}, {link2}": "Neuen Veröffentlichungen folgen: {link}, {link2}",
  "Atom feed": "Atom-Feed",
  "DCAT catalogue": "DCAT-Katalog",
  "{link}, signed by its root key": "{link}, unterschrieben mit ihrem Wurzelschlüssel",
  "1 release": "1 Veröffentlichung",
  "{value} releases": "{value} Veröffentlichungen",
  "{count} found": "{count} gefunden",
  "Filter releases": "Veröffentlichungen filtern",
  Search: "Suche",
  "More filters": "Weitere Filter",
  Variant: "Variante",
  from: "von",
  "to|range": "bis",
  "from date": "ab Datum",
  "to date": "bis Datum",
  "Sort by": "Sortieren nach",
  "Clear all filters": "Alle Filter löschen",
  "The list updates as you type.": "Die Liste aktualisiert sich beim Tippen.",
  "newest first": "neueste zuerst",
  "oldest first": "älteste zuerst",
  "smallest proven epsilon first": "kleinstes bewiesenes Epsilon zuerst",
  "by title": "nach Titel",
  "any privacy status": "jeder Datenschutzstatus",
  "any method": "jede Methode",
  "any variant": "jede Variante",
  any: "beliebig",
  "No releases match.": "Keine Veröffentlichung passt.",
  "Remove a filter, or search for other words.":
    "Entfernen Sie einen Filter oder suchen Sie nach anderen Wörtern.",
  "No releases yet.": "Noch keine Veröffentlichungen.",
  "Releases appear here when studies of the federation complete.":
    "Veröffentlichungen erscheinen hier, sobald Studien der Föderation abgeschlossen sind.",
  "needs a token": "erfordert ein Token",
  "Result pages": "Ergebnisseiten",
  Previous: "Zurück",
  "Page {page} of {pages}": "Seite {page} von {pages}",
  Next: "Weiter",
  "the rows": "die Zeilen",
  Row: "Zeile",
  "The release has columns, but no rows.": "Die Veröffentlichung hat Spalten, aber keine Zeilen.",
  "{columnsLeftOut} more columns are in the files.":
    "{columnsLeftOut} weitere Spalten stehen in den Dateien.",
  "Previous rows": "Vorherige Zeilen",
  "Next rows": "Nächste Zeilen",
  "Rows {value} to {value2} of {value3}": "Zeilen {value} bis {value2} von {value3}",
  "Component scatter plot": "Streudiagramm der Komponenten",
  "Column scatter plot": "Streudiagramm der Spalten",
  "X axis": "x-Achse",
  "Y axis": "y-Achse",
  Colour: "Farbe",
  "a sample of rows": "eine Stichprobe der Zeilen",
  "All {shown} rows": "Alle {shown} Zeilen",
  "{shown} of {value} rows, evenly spaced": "{shown} von {value} Zeilen, in gleichen Abständen",
  "{part}: {y} by {x}{more}.": "{part}: {y} gegen {x}{more}.",
  ", coloured by {colour}": ", gefärbt nach {colour}",
  "Scatter plot of {shown} rows: {y} by {x}": "Streudiagramm von {shown} Zeilen: {y} gegen {x}",
  "the tables": "die Tabellen",
  "The table has no rows.": "Die Tabelle hat keine Zeilen.",
  "{rows} more rows are in the files.": "{rows} weitere Zeilen stehen in den Dateien.",
  OK: "in Ordnung",
  failed: "fehlgeschlagen",
  "not checked": "nicht geprüft",
  incomplete: "unvollständig",
  "Trusted root": "Vertrauenswürdige Wurzel",
  "Aggregator signature": "Signatur des Aggregators",
  "Hospital signatures": "Signaturen der Krankenhäuser",
  "Hospitals by the list of members": "Krankenhäuser nach der Mitgliederliste",
  "List of the federation's members": "Liste der Mitglieder der Föderation",
  "Privacy cost recomputed": "Datenschutzkosten nachgerechnet",
  "This release matches its certificate.": "Diese Veröffentlichung stimmt mit ihrem Zertifikat überein.",
  "Do not use this release: verification failed.":
    "Verwenden Sie diese Veröffentlichung nicht: die Prüfung ist fehlgeschlagen.",
  "No errors found, but some checks could not run.":
    "Keine Fehler gefunden, aber einige Prüfungen konnten nicht ausgeführt werden.",
  Verify: "Prüfen",
  "The federation's root certificate": "Das Wurzelzertifikat der Föderation",
  "A file such as root.pem. It stays in your browser. Without it, everything except the signers' identities is checked.":
    "Eine Datei wie root.pem. Sie bleibt in Ihrem Browser. Ohne sie wird alles außer der Identität der Unterzeichner geprüft.",
  "Verifying…": "Wird geprüft …",
  "Verify in this browser": "In diesem Browser prüfen",
  "This browser cannot verify releases here.": "Dieser Browser kann Veröffentlichungen hier nicht prüfen.",
  "Browsers provide cryptography only to pages loaded over HTTPS or from this machine. Use the command below, or open the page over HTTPS.":
    "Browser stellen Kryptografie nur Seiten bereit, die über HTTPS oder von diesem Rechner geladen wurden. Verwenden Sie den Befehl unten oder öffnen Sie die Seite über HTTPS.",
  "The publisher serves this page and could change what it reports. The command line does not depend on the publisher.":
    "Die veröffentlichende Stelle liefert diese Seite und könnte ändern, was sie meldet. Die Kommandozeile hängt nicht von ihr ab.",
  "With the command line": "Mit der Kommandozeile",
  "Fetch the release and verify it offline, on your own machine:":
    "Die Veröffentlichung holen und offline prüfen, auf Ihrem eigenen Rechner:",
  "The fingerprint of the root certificate:": "Der Fingerabdruck des Wurzelzertifikats:",
  "This file is no federation's root certificate.": "Diese Datei ist kein Wurzelzertifikat einer Föderation.",
  "Its fingerprint (SHA-256): {fingerprint}": "Ihr Fingerabdruck (SHA-256): {fingerprint}",
  "The operator's contact, by what this catalogue says of itself: {contact}. If you know one of the hospitals, ask there instead.":
    "Der Kontakt des Betreibers nach den Angaben dieses Katalogs: {contact}. Wenn Sie eines der Krankenhäuser kennen, fragen Sie lieber dort.",
  "Commands that verify offline": "Befehle zur Prüfung offline",
  "Bytes of the release verified": "Geprüfte Bytes der Veröffentlichung",
  "Reading the certificate…": "Das Zertifikat wird gelesen …",
  "Files of {total} in all…": "Dateien von insgesamt {total} …",
  "The certificate states that privacy is not proven.":
    "Das Zertifikat besagt, dass der Datenschutz nicht bewiesen ist.",
  Proven: "Bewiesen",
  "{epsilon} at δ {delta}": "{epsilon} bei δ {delta}",
  "This ε is told at the δ that the study states, {delta}. A hospital's ledger names it, too, and beside it what the study takes from the hospital's budget, which has a δ of its own: at a smaller δ the same noise has a larger ε.":
    "Dieses ε gilt bei dem δ, das die Studie angibt, {delta}. Auch das Budgetbuch eines Krankenhauses nennt es und daneben, was die Studie vom Budget des Krankenhauses nimmt, das ein eigenes δ hat: Bei kleinerem δ hat dasselbe Rauschen ein größeres ε.",
  "Proven, ε ≤ {epsilon}": "Bewiesen, ε ≤ {epsilon}",
  "No privacy": "Kein Datenschutz",
  "Claimed, not verified": "Behauptet, nicht geprüft",
  "Claimed ε {epsilon}, not verified": "Behauptet ε {epsilon}, nicht geprüft",
  "Privacy is proven: ε is at most {more}.": "Der Datenschutz ist bewiesen: ε ist höchstens {more}.",
  "This is a mathematical property of how the release was made; it holds against any reader with any other knowledge. ":
    "Das ist eine mathematische Eigenschaft der Art, wie die Veröffentlichung entstanden ist; sie gilt gegenüber jedem Leser mit beliebigem anderen Wissen. ",
  "It follows from the listed steps, and anyone can recompute it.":
    "Sie folgt aus den aufgeführten Schritten, und jeder kann sie nachrechnen.",
  "Privacy is not proven. This is an as-published variant.":
    "Der Datenschutz ist nicht bewiesen. Dies ist eine Variante wie veröffentlicht.",
  "The method ran as its authors published it, so that their results can be reproduced. ":
    "Die Methode lief so, wie ihre Autoren sie veröffentlicht haben, damit deren Ergebnisse reproduziert werden können. ",
  "They claim no specific privacy bound.": "Sie behaupten keine bestimmte Datenschutz-Schranke.",
  "They claim ε {epsilon}; this is not verified.": "Sie behaupten ε {epsilon}; das ist nicht geprüft.",
  " Treat this release as if it could reveal data of individual patients.":
    " Behandeln Sie diese Veröffentlichung so, als könnte sie Daten einzelner Patienten offenlegen.",
  "Any single patient, to the extent proven.": "Jeder einzelne Patient, soweit bewiesen.",
  "No privacy: no noise was added anywhere.": "Kein Datenschutz: nirgends wurde Rauschen hinzugefügt.",
  "The study ran without protection, which hospitals allow for data that may be public. ":
    "Die Studie lief ohne Schutz, was Krankenhäuser für Daten erlauben, die öffentlich sein dürfen. ",
  "The release may reveal individual records exactly.":
    "Die Veröffentlichung kann einzelne Datensätze exakt offenlegen.",
  "Any single patient.": "Jeder einzelne Patient.",
  "The bound always holds.": "Die Schranke gilt immer.",
  "The bound may fail with a probability of about δ = {delta}.":
    "Die Schranke kann mit einer Wahrscheinlichkeit von etwa δ = {delta} verfehlt werden.",
  "A person with several records: the bound is per record, and the odds multiply again for each further record of the same person.":
    "Eine Person mit mehreren Datensätzen: die Schranke gilt je Datensatz, und die Chancen vervielfachen sich mit jedem weiteren Datensatz derselben Person.",
  "Facts about groups: if the release shows that smokers fall ill more often, this also applies to smokers whose data were not used.":
    "Tatsachen über Gruppen: zeigt die Veröffentlichung, dass Raucher häufiger erkranken, so gilt das auch für Raucher, deren Daten nicht verwendet wurden.",
  "Participation of hospitals: the certificate lists them publicly.":
    "Die Teilnahme der Krankenhäuser: das Zertifikat führt sie öffentlich auf.",
  "Other releases from the same records: their costs add up, and each hospital keeps its own ledger.":
    "Andere Veröffentlichungen aus denselben Datensätzen: ihre Kosten addieren sich, und jedes Krankenhaus führt sein eigenes Budgetbuch.",
  "Exactness: noise was added where privacy requires it, so figures differ slightly from the true values.":
    "Genauigkeit: wo der Datenschutz es verlangt, wurde Rauschen hinzugefügt; Zahlen weichen daher leicht von den wahren Werten ab.",
  "All {of} hospitals": "Alle {of} Krankenhäuser",
  "{by} of {of} hospitals": "{by} von {of} Krankenhäusern",
  "{who} signed that the certificate matches their own records.":
    "{who} haben signiert, dass das Zertifikat mit ihren eigenen Aufzeichnungen übereinstimmt.",
  "other levels": "andere Ausprägungen",
  "{count} columns; no missing values": {
    one: "{count} Spalte; keine fehlenden Werte",
    other: "{count} Spalten; keine fehlenden Werte",
  },
  // hospital
  "hospital console": "Krankenhaus-Konsole",
  Health: "Zustand",
  Studies: "Studien",
  "Studies ({waiting})": "Studien ({waiting})",
  Table: "Tabelle",
  Ledger: "Budgetbuch",
  Policy: "Richtlinie",
  Audit: "Protokoll",
  Accounts: "Konten",
  "This page is out of date.": "Diese Seite ist nicht aktuell.",
  "The site's agent is not responding. The page updates automatically once it does.":
    "Der Agent des Standorts antwortet nicht. Die Seite aktualisiert sich selbst, sobald er wieder antwortet.",
  "Go to site health": "Zum Zustand des Standorts",
  "approver: can view everything, approve and deny studies":
    "Freigeber: kann alles einsehen, Studien freigeben und ablehnen",
  "administrator: full access": "Administrator: voller Zugriff",
  "For programs that use this console's API, such as the hospital's monitoring. {code} on the agent's machine needs none: the owner of the state folder may always run it.":
    "Für Programme, die die API dieser Konsole verwenden, etwa die Überwachung des Krankenhauses. {code} auf dem Rechner des Agenten benötigt keines: der Eigentümer des Zustandsordners darf es immer ausführen.",
  "Sign-ins, decisions and changes at this site. Outgoing data has its own log.":
    "Anmeldungen, Entscheidungen und Änderungen an diesem Standort. Gesendete Daten haben ein eigenes Protokoll.",
  "the agent": "der Agent",
  "Everything this hospital has sent, logged before the first byte was sent. Repeated messages of a day, such as heartbeats, share a line.":
    "Alles, was dieses Krankenhaus gesendet hat, protokolliert, bevor das erste Byte gesendet wurde. Wiederholte Nachrichten eines Tages, etwa Lebenszeichen, teilen sich eine Zeile.",
  "the log": "das Protokoll",
  "Nothing has been sent yet.": "Es wurde noch nichts gesendet.",
  "Each message appears here, with its size, its hash and what it cost.":
    "Hier erscheint jede Nachricht mit Größe, Hash und Kosten.",
  "{found} of {log} lines: {messages} messages, {bytes}":
    "{found} von {log} Zeilen: {messages} Nachrichten, {bytes}",
  When: "Wann",
  What: "Was",
  For: "Für",
  Stage: "Stufe",
  Messages: "Nachrichten",
  Cost: "Kosten",
  "nothing|cost": "nichts",
  // Catalogue: at a glance, documents.
  "At a glance": "Auf einen Blick",
  clear: "eindeutig",
  inconclusive: "nicht eindeutig",
  Finding: "Ergebnis",
  Holds: "Enthält",
  Group: "Gruppe",
  "In plain words": "In einfachen Worten",
  "in plain words": "in einfachen Worten",
  "the proof": "der Beweis",
  "What is protected": "Was geschützt ist",
  "From whom": "Vor wem",
  "By what": "Wodurch",
  "How strongly": "Wie stark",
  "The proof, with its mathematics ({text})": "Der Beweis, mit seiner Mathematik ({text})",
  "Every single patient: whether their data were used at all, and what the data say. A patient with data at several hospitals is protected less.":
    "Jede einzelne Patientin und jeder Patient: ob ihre Daten überhaupt verwendet wurden und was sie besagen. Wer Daten in mehreren Krankenhäusern hat, ist weniger geschützt.",
  "Every single record: whether it was used at all, and what it says. A patient with several records is protected less.":
    "Jeder einzelne Datensatz: ob er überhaupt verwendet wurde und was er besagt. Wer mehrere Datensätze hat, ist weniger geschützt.",
  "From everybody who reads the release, whatever else they know, from the aggregator that computed it, and from other hospitals, unless more of them conspire than the study allows for.":
    "Vor allen, die die Veröffentlichung lesen, was sie auch sonst wissen, vor dem Aggregator, der sie berechnet hat, und vor anderen Krankenhäusern, solange sich nicht mehr von ihnen verbünden, als die Studie vorsieht.",
  "Each hospital added random noise to its numbers and masked them before it sent them, so that only the sum over the hospitals could be read, with the noise already in it. No central party adds the noise or could leave it out.":
    "Jedes Krankenhaus hat seinen Zahlen Zufallsrauschen hinzugefügt und sie maskiert, bevor es sie gesendet hat, sodass nur die Summe über die Krankenhäuser gelesen werden konnte, mit dem Rauschen schon darin. Keine zentrale Stelle fügt das Rauschen hinzu oder könnte es weglassen.",
  "The rows were made up from what these sums say: none is a patient's.":
    "Die Zeilen wurden aus dem erdacht, was diese Summen besagen: keine gehört zu einer Patientin oder einem Patienten.",
  "Everything in the release was computed from these sums alone.":
    "Alles in der Veröffentlichung wurde allein aus diesen Summen berechnet.",
  "Single records, as the method's authors claim. Nobody has proven it for this release.":
    "Einzelne Datensätze, wie die Autoren der Methode behaupten. Für diese Veröffentlichung hat es niemand bewiesen.",
  "From readers of the release, as far as the claim holds.":
    "Vor den Lesern der Veröffentlichung, soweit die Behauptung zutrifft.",
  "By the noise that the authors describe. Where they leave it to the aggregator to add, the aggregator sees sums without it.":
    "Durch das Rauschen, das die Autoren beschreiben. Wo sie es dem Aggregator überlassen, es hinzuzufügen, sieht dieser die Summen ohne Rauschen.",
  "Nothing in the release: any record may be recognisable in it.":
    "Nichts in der Veröffentlichung: jeder Datensatz kann darin erkennbar sein.",
  "No noise was added. Hospitals allow that only for data that may be public.":
    "Es wurde kein Rauschen hinzugefügt. Krankenhäuser erlauben das nur für Daten, die öffentlich sein dürfen.",
  "The aggregator saw reduced rows or counts of each hospital.":
    "Der Aggregator hat reduzierte Zeilen oder Anzahlen jedes Krankenhauses gesehen.",
  "The aggregator saw only sums over hospitals, never one hospital's numbers.":
    "Der Aggregator hat nur Summen über Krankenhäuser gesehen, nie die Zahlen eines einzelnen.",
  "The certificate lists the SHA-256 of every file and every step in which hospitals sent data. The aggregator and the hospitals signed it. To check their identities you need the federation's root certificate, a small file that is the same for all its releases.":
    "Das Zertifikat führt die SHA-256 jeder Datei und jeden Schritt auf, in dem Krankenhäuser Daten gesendet haben. Der Aggregator und die Krankenhäuser haben es signiert. Um ihre Identität zu prüfen, benötigen Sie das Wurzelzertifikat der Föderation, eine kleine Datei, die für alle ihre Veröffentlichungen dieselbe ist.",
  "Where the root certificate comes from": "Woher das Wurzelzertifikat kommt",
  "The federation's operator made it when the federation was set up, and every hospital that takes part has it. Ask one of them for root.pem, which the operator can save on the page Federation, never this page or a release: a person who can change the release can change that file too.":
    "Der Betreiber der Föderation hat es bei deren Gründung erstellt, und jedes beteiligte Krankenhaus hat es. Fragen Sie einen von ihnen nach root.pem, das der Betreiber auf der Seite Föderation speichern kann, nie diese Seite oder eine Veröffentlichung: Wer die Veröffentlichung ändern kann, kann auch diese Datei ändern.",
  "Then choose the file below: this page shows its fingerprint, its SHA-256. Compare it with what the operator or, better, a hospital tells you by another way than the file came: by telephone, in person, on paper. The operator finds it on the page Federation, a hospital in its data-protection record. All 64 digits must be the same.":
    "Wählen Sie dann unten die Datei: Diese Seite zeigt ihren Fingerabdruck, ihre SHA-256. Vergleichen Sie ihn mit dem, was Ihnen der Betreiber oder, besser, ein Krankenhaus auf einem anderen Weg mitteilt, als die Datei kam: am Telefon, persönlich, auf Papier. Der Betreiber findet ihn auf der Seite Föderation, ein Krankenhaus in seinem Datenschutzverzeichnis. Alle 64 Ziffern müssen übereinstimmen.",
  "Command that prints the fingerprint": "Befehl, der den Fingerabdruck ausgibt",
  "cannot be told": "unbestimmbar",
  "cannot be told (interval covers {low} to {high})": "unbestimmbar (Intervall reicht von {low} bis {high})",
  "95 %: {ranges}": "95 %: {ranges}",
  "Why it is private": "Warum es privat ist",
  "too imprecise to interpret": "zu ungenau, um es zu deuten",
  "{method}, as published": "{method}, wie veröffentlicht",
  "Searches titles, ids, methods, and names of columns, features and labels.":
    "Durchsucht Titel, Kennungen, Methoden und die Namen von Spalten, Merkmalen und Zielgrößen.",
  "Methods|documents": "Methoden",
  "Formula or code": "Formel oder Code",
  // Logs by study.
  "Go to the study": "Zur Studie",
  "{count} lines": { one: "{count} Zeile", other: "{count} Zeilen" },
  "The ledger itself": "Das Budgetbuch selbst",
  "reserved: {cost}": "reserviert: {cost}",
  "charged: {cost}": "verbucht: {cost}",
  "no proven bound (claimed: ε {epsilon} at δ {delta})":
    "keine bewiesene Grenze (behauptet: ε {epsilon} bei δ {delta})",
  "ε {epsilon} at the study's δ {delta}; of the budget {cost}":
    "ε {epsilon} beim δ {delta} der Studie; vom Budget {cost}",
  "A study's ε is told first at the δ that the study states, as its certificate and the catalogue do. The budget counts every study at one δ, its own: at a smaller δ the same noise has a larger ε.":
    "Das ε einer Studie steht zuerst bei dem δ, das die Studie angibt, wie im Zertifikat und im Katalog. Das Budget zählt jede Studie bei einem einzigen δ, seinem eigenen: Bei kleinerem δ hat dasselbe Rauschen ein größeres ε.",
  "charged: {count} of {stages} reserved stages": "verbucht: {count} von {stages} reservierten Stufen",
  "nothing charged": "nichts verbucht",
  "The ε of several studies do not add up to the total: the ledger adds ρ (zero-concentrated differential privacy), and ε of that sum at the population's δ is less than the sum of their ε.":
    "Die ε mehrerer Studien ergeben zusammengezählt nicht die Summe: Das Budgetbuch addiert ρ (zero-concentrated differential privacy), und ε dieser Summe beim δ der Population ist kleiner als die Summe der einzelnen ε.",
  "Data sent without a proven bound are counted separately: they are not part of the spent budget, and the remaining budget does not cover them.":
    "Daten, die ohne bewiesene Schranke gesendet wurden, werden getrennt gezählt: Sie sind nicht im ausgegebenen Budget enthalten, und das verbleibende Budget deckt sie nicht ab.",
  "Privacy budget": "Datenschutzbudget",
  "{population}: ε {used} used at δ {delta}, no limit":
    "{population}: ε {used} verwendet bei δ {delta}, keine Grenze",
  "{population}: ε {used} of {limit} used at δ {delta}":
    "{population}: ε {used} von {limit} verwendet bei δ {delta}",
  "Not for a study": "Zu keiner Studie",
  "Export as CSV": "Als CSV exportieren",
  "{messages} messages, {bytes}; {count} depend on records": {
    one: "{messages} Nachrichten, {bytes}; {count} hängt von Datensätzen ab",
    other: "{messages} Nachrichten, {bytes}; {count} hängen von Datensätzen ab",
  },
  "{count} of them depend on records and are charged to the ledger. The others are keys, signatures, heartbeats and similar messages, which reveal nothing about records.":
    {
      one: "{count} davon hängt von Datensätzen ab und wird im Budgetbuch verbucht. Die anderen sind Schlüssel, Signaturen, Lebenszeichen und ähnliche Nachrichten, die nichts über Datensätze verraten.",
      other:
        "{count} davon hängen von Datensätzen ab und werden im Budgetbuch verbucht. Die anderen sind Schlüssel, Signaturen, Lebenszeichen und ähnliche Nachrichten, die nichts über Datensätze verraten.",
    },
  "Depends on records": "Hängt von Datensätzen ab",
  "Does not depend on records": "Hängt nicht von Datensätzen ab",
  "Keys, signatures, receipts and similar messages, which reveal nothing about records.":
    "Schlüssel, Signaturen, Bestätigungen und ähnliche Nachrichten, die nichts über Datensätze verraten.",
  "{title}: data sent, newest first": "{title}: gesendete Daten, neueste zuerst",
  "No record itself is sent: only these sums are computed from records, and each is masked.":
    "Kein Datensatz selbst wird gesendet: Nur diese Summen werden aus Datensätzen berechnet, und jede ist maskiert.",
  "Nothing else that is sent is computed from records.":
    "Nichts anderes, was gesendet wird, wird aus Datensätzen berechnet.",
  "Export as JSON lines": "Als JSON Lines exportieren",
  // Who decides, who decided.
  "Who decides": "Wer entscheidet",
  "Who decided": "Wer entschieden hat",
  "A person decides: the study was offered when the policy asked for one. The policy as it is now would approve it without asking.":
    "Ein Mensch entscheidet: Die Studie wurde angeboten, als die Richtlinie das verlangte. Die jetzige Richtlinie würde sie ohne Rückfrage genehmigen.",
  "The policy or a check refused it; no person was asked.":
    "Die Richtlinie oder eine Prüfung hat sie abgelehnt; niemand wurde gefragt.",
  "The policy approved it; no person was asked.": "Die Richtlinie hat sie genehmigt; niemand wurde gefragt.",
  "{person} denied it on {moment}.": "{person} hat sie am {moment} abgelehnt.",
  "{person} approved it on {moment}.": "{person} hat sie am {moment} genehmigt.",
  "The budget is counted at δ = {own} and this ε at δ = {stated}, where the same noise has another ε; several studies cost less than their sum.":
    "Das Budget ist bei δ = {own} gezählt, dieses ε bei δ = {stated}, wo dasselbe Rauschen ein anderes ε hat; mehrere Studien kosten weniger als ihre Summe.",
  "{charge}, entry {entry}": "{charge}, Eintrag {entry}",
  "No messages match.": "Keine Nachricht passt.",
  all: "alle",
  "charged to the ledger": "im Budgetbuch verbucht",
  "reveals nothing about records": "verrät nichts über Datensätze",
  warning: "Warnung",
  fails: "fehlgeschlagen",
  Doctor: "Diagnose",
  "Looking…": "Wird geprüft …",
  "Run doctor": "Diagnose starten",
  "Run again": "Erneut starten",
  "Checks everything that can keep this site from working: the path to the aggregator, as far as the last attempt got, certificate, disk, policy and tables. It sends nothing. {code} on the agent's machine checks each step of the path itself.":
    "Prüft alles, was diesen Standort am Arbeiten hindern kann: den Weg zum Aggregator, soweit der letzte Versuch kam, Zertifikat, Speicherplatz, Richtlinie und Tabellen. Es wird nichts gesendet. {code} auf dem Rechner des Agenten prüft jeden Schritt des Weges selbst.",
  "Checking; this may take half a minute…": "Wird geprüft; das kann eine halbe Minute dauern …",
  "Checked {Moment}.": "Geprüft: {Moment}.",
  "Some checks need the hospital's network team.":
    "Einige Prüfungen benötigen das Netzwerkteam des Krankenhauses.",
  "Copy report for hospital IT": "Bericht für die Krankenhaus-IT kopieren",
  "What to do:": "Was zu tun ist:",
  "For hospital IT:": "Für die Krankenhaus-IT:",
  "Copy: {title}": "Kopieren: {title}",
  "State of this hospital's agent, and what needs attention.":
    "Zustand des Agenten dieses Krankenhauses, und was Aufmerksamkeit braucht.",
  "the agent's state": "der Zustand des Agenten",
  "Approvers are told when a study waits, again before its deadline, and when the operator has answered a question.":
    "Freigeber werden benachrichtigt, wenn eine Studie wartet, erneut vor Ablauf ihrer Frist und wenn der Betreiber eine Frage beantwortet hat.",
  "Everything is running normally.": "Alles läuft normal.",
  "The aggregator is connected, and nothing needs attention.":
    "Der Aggregator ist verbunden, und nichts braucht Aufmerksamkeit.",
  Open: "Öffnen",
  Aggregator: "Aggregator",
  Connection: "Verbindung",
  connected: "verbunden",
  "not connected": "nicht verbunden",
  Since: "Seit",
  Address: "Adresse",
  Version: "Version",
  "Last error": "Letzter Fehler",
  Certificate: "Zertifikat",
  Expires: "Läuft ab",
  On: "Am",
  "Renews automatically": "Erneuert sich selbst",
  "Signing key": "Signaturschlüssel",
  "Copy fingerprint": "Fingerabdruck kopieren",
  "Give other hospitals the fingerprint by telephone, so that they can pin it in their policy.":
    "Geben Sie anderen Krankenhäusern den Fingerabdruck telefonisch, damit sie ihn in ihrer Richtlinie festlegen können.",
  Agent: "Agent",
  Site: "Standort",
  Started: "Gestartet",
  "Tables are read": "Tabellen liest",
  "by another user than the agent's": "ein anderer Benutzer als der des Agenten",
  "by the agent's own user": "der Benutzer des Agenten",
  "read|policy": "gelesen",
  "none: every study needs manual approval": "keine: jede Studie erfordert eine manuelle Freigabe",
  "invalid: every study is refused": "ungültig: jede Studie wird abgelehnt",
  "At this hospital": "In diesem Krankenhaus",
  Tables: "Tabellen",
  "none|tables": "keine",
  profile: "Profil",
  "an old copy": "eine alte Kopie",
  Disk: "Speicherplatz",
  "{freeBytes} free of {totalBytes}": "{freeBytes} von {totalBytes} frei",
  "Connecting.": "Verbindung wird aufgebaut.",
  "The aggregator is not connected.": "Der Aggregator ist nicht verbunden.",
  "{why} The agent reconnects automatically; until then studies wait, and no data are sent.":
    "{why} Der Agent verbindet sich selbst wieder; bis dahin warten Studien, und es werden keine Daten gesendet.",
  "The site's certificate has expired.": "Das Zertifikat des Standorts ist abgelaufen.",
  "It renews automatically when the agent next reaches the aggregator, until {moment}. If the aggregator is reachable, compare the two machines' clocks.":
    "Es erneuert sich selbsttätig, sobald der Agent den Aggregator wieder erreicht, bis {moment}. Ist der Aggregator erreichbar, vergleichen Sie die Uhren beider Rechner.",
  "It can no longer be renewed automatically. Ask the operator for an invitation for the same key, stop the agent, and enrol again into the same state folder.":
    "Es kann nicht mehr selbsttätig erneuert werden. Bitten Sie den Betreiber um eine Einladung für denselben Schlüssel, halten Sie den Agenten an und melden Sie ihn im selben Zustandsordner neu an.",
  "The site's certificate expires in {leftMs}.": "Das Zertifikat des Standorts läuft in {leftMs} ab.",
  "It renews automatically while the aggregator is reachable. Run doctor to find out what blocks the connection.":
    "Es erneuert sich selbst, solange der Aggregator erreichbar ist. Starten Sie die Diagnose, um zu erfahren, was die Verbindung blockiert.",
  "The list of expelled sites is out of date, so every new study is refused.":
    "Die Liste der ausgeschlossenen Standorte ist veraltet, daher wird jede neue Studie abgelehnt.",
  "The ledger is an old copy.": "Das Budgetbuch ist eine alte Kopie.",
  "{percent} % of the privacy budget of population {population} is used.":
    "{percent} % des Datenschutzbudgets der Population {population} sind verbraucht.",
  "ε = {held} of {limit} per {unit} at δ = {delta} is spent or reserved. No further study fits: each is refused, until an administrator raises the limit in the policy.":
    "ε = {held} von {limit} je {unit} bei δ = {delta} ist ausgegeben oder reserviert. Keine weitere Studie passt hinein: Jede wird abgewiesen, bis ein Administrator die Grenze in der Richtlinie erhöht.",
  "ε = {held} of {limit} per {unit} at δ = {delta} is spent or reserved; {remaining} remains. One more study of at most ε = {fits} still fits, for the costs of studies add up to less than the sum of their ε. What is spent never comes back.":
    "ε = {held} von {limit} je {unit} bei δ = {delta} ist ausgegeben oder reserviert; {remaining} bleibt. Eine weitere Studie mit höchstens ε = {fits} passt noch hinein, denn die Kosten mehrerer Studien sind zusammen weniger als die Summe ihrer ε. Ausgegebenes kommt nie zurück.",
  "{count} studies send data without proven protection, or did so recently.": {
    one: "{count} Studie sendet Daten ohne bewiesenen Schutz oder hat es kürzlich getan.",
    other: "{count} Studien senden Daten ohne bewiesenen Schutz oder haben es kürzlich getan.",
  },
  "It is unknown how much such data reveal. They do not count towards the privacy budget, which cannot cover them.":
    "Es ist unbekannt, wie viel solche Daten verraten. Sie zählen nicht zum Datenschutzbudget, das sie nicht erfassen kann.",
  "({code}; {count} stages: {steps})": {
    one: "({code}; {count} Stufe: {steps})",
    other: "({code}; {count} Stufen: {steps})",
  },
  "population {population}: data sent {count} times, last on {moment}": {
    one: "Population {population}: {count}-mal Daten gesendet, zuletzt am {moment}",
    other: "Population {population}: {count}-mal Daten gesendet, zuletzt am {moment}",
  },
  "The site spends nothing until the missing entries are charged: reconcile the ledger.":
    "Der Standort gibt nichts aus, bis die fehlenden Einträge verbucht sind: gleichen Sie das Budgetbuch ab.",
  "The policy is invalid, so every study is refused.":
    "Die Richtlinie ist ungültig, daher wird jede Studie abgelehnt.",
  "The policy page shows the errors by line.": "Die Seite der Richtlinie zeigt die Fehler nach Zeilen.",
  "The state folder's disk has {freeBytes} left.":
    "Auf dem Datenträger des Zustandsordners sind noch {freeBytes} frei.",
  "Without free space the ledger cannot be written, no data are sent and studies stop. Free disk space.":
    "Ohne freien Speicherplatz kann das Budgetbuch nicht geschrieben werden, es werden keine Daten gesendet und Studien halten an. Schaffen Sie Speicherplatz.",
  "No table is configured.": "Es ist keine Tabelle eingerichtet.",
  "Add one under `tables` in config.yaml: until then studies cannot use this hospital's records.":
    "Fügen Sie eine unter `tables` in config.yaml hinzu: bis dahin können Studien die Datensätze dieses Krankenhauses nicht verwenden.",
  "A study is waiting for approval.": "Eine Studie wartet auf Freigabe.",
  "{waiting} studies are waiting for approval.": "{waiting} Studien warten auf Freigabe.",
  "Studies continued without this hospital's records: {count}":
    "Studien liefen ohne die Datensätze dieses Krankenhauses weiter: {count}",
  "The table could not be read or added up, so the site answered as of an empty table. Nobody outside the hospital learns of it.":
    "Die Tabelle konnte nicht gelesen oder aufsummiert werden; der Standort hat deshalb wie mit einer leeren Tabelle geantwortet. Außerhalb des Krankenhauses erfährt das niemand.",
  "Until a study is approved, no data of this hospital are used.":
    "Bis eine Studie freigegeben ist, werden keine Daten dieses Krankenhauses verwendet.",
  "{title} fails{more}.": "Fehlgeschlagen: {title}{more}.",
  "All checks passed.": "Alle Prüfungen bestanden.",
  "Consilium site agent{more}, version {software}, checked {checkedAt}{more2}":
    "Consilium-Agent des Standorts{more}, Version {software}, geprüft {checkedAt}{more2}",
  ", aggregator {aggregator}": ", Aggregator {aggregator}",
  opened: "eröffnet",
  "the ledger starts, or is signed with a new key from here on":
    "das Budgetbuch beginnt, oder wird ab hier mit einem neuen Schlüssel signiert",
  reserved: "reserviert",
  "reserved for a study; released if not spent":
    "für eine Studie reserviert; wird frei, wenn es nicht ausgegeben wird",
  spent: "ausgegeben",
  "recorded before the data were sent; never refunded":
    "verbucht, bevor die Daten gesendet wurden; wird nie erstattet",
  released: "veröffentlicht",
  "the unspent part of a study's reservation is available again":
    "der nicht ausgegebene Teil der Reservierung einer Studie ist wieder verfügbar",
  checkpoint: "Prüfpunkt",
  "earlier entries were moved to an archive; their total still counts":
    "frühere Einträge wurden in ein Archiv verschoben; ihre Summe zählt weiter",
  "charged afterwards": "nachträglich verbucht",
  "{count} of {max} studies without an answer: {names}": "{count} von {max} Studien ohne Antwort: {names}",
  "a person decides on the next": "über die nächste entscheidet eine Person",
  "Studies without an answer, until a person decides": "Studien ohne Antwort, bis eine Person entscheidet",
  "ceiling raised": "Obergrenze erhöht",
  approved: "freigegeben",
  "a person denied a study, which spends nothing; `consilium site record` shows what was denied, and what was shown":
    "eine Person hat eine Studie abgelehnt, was nichts verbraucht; `consilium site record` zeigt, was abgelehnt und was dabei angezeigt wurde",
  "a person approved a study; `consilium site record` shows what was approved, and what was shown":
    "eine Person hat eine Studie freigegeben; `consilium site record` zeigt, was freigegeben und was dabei angezeigt wurde",
  signed: "unterzeichnet",
  "recorded before this hospital signed what the study came to; it signs a study once":
    "eingetragen, bevor dieses Krankenhaus das Ergebnis der Studie unterzeichnet hat; jede Studie unterzeichnet es einmal",
  "a person lets the study cost so much in all its attempts together":
    "eine Person lässt die Studie in allen Versuchen zusammen so viel kosten",
  "spending missing from an old copy of the ledger, charged without details":
    "Ausgaben, die in einer alten Kopie des Budgetbuchs fehlen, ohne Einzelheiten verbucht",
  "Entries ({found} of {entries})": "Einträge ({found} von {entries})",
  Kind: "Art",
  Population: "Population",
  "Ledger entries, newest first": "Einträge des Budgetbuchs, neueste zuerst",
  Entry: "Eintrag",
  "Stage and attempt": "Stufe und Versuch",
  Costs: "Kosten",
  Hash: "Hash",
  "No entries match.": "Kein Eintrag passt.",
  "Kinds of entries": "Arten von Einträgen",
  "The privacy cost of all studies on this hospital's records. Spent budget is never refunded.":
    "Die Datenschutzkosten aller Studien auf den Datensätzen dieses Krankenhauses. Ausgegebenes Budget wird nie erstattet.",
  "Data protection record": "Datenschutz-Dokumentation",
  "Export signed ledger": "Signiertes Budgetbuch exportieren",
  "the ledger": "das Budgetbuch",
  Budgets: "Budgets",
  "Spent and remaining budget by population": "Ausgegebenes und verbleibendes Budget nach Population",
  "all tables not in another population": "alle Tabellen, die zu keiner anderen Population gehören",
  "Spent, ε": "Ausgegeben, ε",
  "Reserved, ε": "Reserviert, ε",
  "Limit, ε": "Grenze, ε",
  "none|limit": "keine",
  "Remains, ε": "Verbleibt, ε",
  "At δ": "Bei δ",
  Per: "Je",
  Bound: "Schranke",
  "All numbers are rounded conservatively. Reserved budget is for running studies; it becomes spent or is released when they end.":
    "Alle Zahlen sind vorsichtig gerundet. Reserviertes Budget gilt laufenden Studien; es wird ausgegeben oder wieder frei, wenn sie enden.",
  proven: "bewiesen",
  "no proven bound": "keine bewiesene Schranke",
  "This ledger is an old copy: spending is blocked until it is reconciled.":
    "Dieses Budgetbuch ist eine alte Kopie: Ausgaben sind gesperrt, bis es abgeglichen ist.",
  "Reconcile…": "Abgleichen …",
  "The site signed entry {sequence} of its ledger, which this copy does not have: the state folder was restored from an older backup. Budget spent since then stays spent, because the data were sent.":
    "Der Standort hat Eintrag {sequence} seines Budgetbuchs signiert, den diese Kopie nicht hat: der Zustandsordner wurde aus einer älteren Sicherung wiederhergestellt. Seitdem ausgegebenes Budget bleibt ausgegeben, denn die Daten wurden gesendet.",
  "Studies that were running on this copy end for this hospital, because their keys may have been used since. {more}":
    "Studien, die auf dieser Kopie liefen, enden für dieses Krankenhaus, weil ihre Schlüssel seitdem verwendet worden sein können. {more}",
  "An administrator can reconcile it.": "Ein Administrator kann es abgleichen.",
  "Reconciling charges the missing spending, as proven by this hospital's own anchor:":
    "Der Abgleich verbucht die fehlenden Ausgaben, wie sie der eigene Anker dieses Krankenhauses belegt:",
  "nothing was spent in between": "dazwischen wurde nichts ausgegeben",
  "population {population}: {one}{more}": "Population {population}: {one}{more}",
  ", and {unbounded} releases without a proven bound":
    " und {unbounded} Veröffentlichungen ohne bewiesene Schranke",
  "Neither the ledger head nor ledger-anchor.json in this state folder shows how much was spent. Restore the newest state folder. If there is none, enter the lost amount: it is charged to every population. A population's whole limit is always enough.":
    "Weder der Kopf des Budgetbuchs noch ledger-anchor.json in diesem Zustandsordner zeigt, wie viel ausgegeben wurde. Stellen Sie den neuesten Zustandsordner wieder her. Gibt es keinen, geben Sie den verlorenen Betrag ein: er wird jeder Population verbucht. Die ganze Grenze einer Population genügt immer.",
  "Reconcile the ledger?": "Budgetbuch abgleichen?",
  "If the newer copy of the state folder still exists, restore it instead: then nothing is lost. A reconciliation is a permanent ledger entry and cannot be undone.":
    "Wenn die neuere Kopie des Zustandsordners noch vorhanden ist, stellen Sie stattdessen diese wieder her: dann geht nichts verloren. Ein Abgleich ist ein dauerhafter Eintrag im Budgetbuch und kann nicht rückgängig gemacht werden.",
  "Lost, ε, charged to every population": "Verloren, ε, jeder Population verbucht",
  Cancel: "Abbrechen",
  "Charging…": "Wird verbucht …",
  "Charge missing spending": "Fehlende Ausgaben verbuchen",
  "Spending over time": "Ausgaben im Zeitverlauf",
  "the ledger's history": "der Verlauf des Budgetbuchs",
  "Nothing has been reserved or spent yet.": "Es wurde noch nichts reserviert oder ausgegeben.",
  "no limit": "keine Grenze",
  "a limit of {limit}": "eine Grenze von {limit}",
  "ε per {unit} of population {population} at δ = {delta}: spent (line), including reserved (dashed){more}":
    "ε je {unit} der Population {population} bei δ = {delta}: ausgegeben (Linie), mit Reserviertem (gestrichelt){more}",
  ", and the limit": " und die Grenze",
  "Epsilon per {unit} of population {population} over time: {more} spent, {more2} including reserved, {limit}":
    "Epsilon je {unit} der Population {population} im Zeitverlauf: {more} ausgegeben, {more2} mit Reserviertem, {limit}",
  "Spending of population {population} per {unit}": "Ausgaben der Population {population} je {unit}",
  "Including reserved, ε": "Mit Reserviertem, ε",
  "Without a proof": "Ohne Beweis",
  "No entries yet.": "Noch keine Einträge.",
  "✕ no proof": "✕ ohne Beweis",
  "Ledger integrity": "Unversehrtheit des Budgetbuchs",
  "Verify ledger": "Budgetbuch prüfen",
  "Every entry contains the hash of the previous one and is signed by this site. Verification reads all entries from the store, and compares the last one with copies kept elsewhere.":
    "Jeder Eintrag enthält den Hash des vorigen und ist von diesem Standort signiert. Die Prüfung liest alle Einträge aus dem Speicher und vergleicht den letzten mit Kopien, die anderswo aufbewahrt werden.",
  "the ledger has this entry": "das Budgetbuch hat diesen Eintrag",
  "the entry was lost with a newer copy, and has been charged since":
    "der Eintrag ging mit einer neueren Kopie verloren und wurde seitdem verbucht",
  "the ledger does not have this entry": "das Budgetbuch hat diesen Eintrag nicht",
  "Copies of the ledger head kept elsewhere": "Anderswo aufbewahrte Kopien des Budgetbuch-Kopfes",
  "Kept by": "Aufbewahrt von",
  Found: "Befund",
  "No copies yet: nothing has been spent.": "Noch keine Kopien: es wurde nichts ausgegeben.",
  "Current head: entry {sequence}, {hash}. Compare a copy of it, on paper or in a release's certificate, with {sequence2} at any time.":
    "Aktueller Kopf: Eintrag {sequence}, {hash}. Vergleichen Sie eine Kopie davon, auf Papier oder im Zertifikat einer Veröffentlichung, jederzeit mit {sequence2}.",
  "consilium ledger verify --anchor {sequence}:…": "consilium ledger verify --anchor {sequence}:…",
  "ε {epsilon} per {unit} at δ {delta}": "ε {epsilon} je {unit} bei δ {delta}",
  "no proven bound (claimed: ε {claimedEpsilon})": "keine bewiesene Schranke (behauptet: ε {claimedEpsilon})",
  "All {entries} entries form an unbroken hash chain, and each is signed with {more}.":
    "Alle {entries} Einträge bilden eine lückenlose Hash-Kette, und jeder ist mit {more} signiert.",
  "Entries before {entry} are archived and were not verified: the archive is not in the state folder. Their total is in the checkpoint.":
    "Einträge vor {entry} sind archiviert und wurden nicht geprüft: Das Archiv liegt nicht im Zustandsordner. Ihre Summe steht im Prüfpunkt.",
  "this site's key": "dem Schlüssel dieses Standorts",
  "one of this site's {keys} keys": "einem der {keys} Schlüssel dieses Standorts",
  "The entries are valid, but this is an old copy or another ledger.":
    "Die Einträge sind gültig, aber dies ist eine alte Kopie oder ein anderes Budgetbuch.",
  "A head kept elsewhere is missing from it. Until the missing spending is charged, the site spends nothing.":
    "Ein anderswo aufbewahrter Kopf fehlt darin. Bis die fehlenden Ausgaben verbucht sind, gibt der Standort nichts aus.",
  "The ledger is valid; a part of it was lost and has been charged since.":
    "Das Budgetbuch ist gültig; ein Teil davon ging verloren und wurde seitdem verbucht.",
  "The lost entries cannot be recovered; their cost has been charged.":
    "Die verlorenen Einträge können nicht wiederhergestellt werden; ihre Kosten sind verbucht.",
  "No copies of its head are kept elsewhere yet.":
    "Es werden noch keine Kopien seines Kopfes anderswo aufbewahrt.",
  "It contains every head kept elsewhere.": "Es enthält jeden anderswo aufbewahrten Kopf.",
  "The ledger is intact.": "Das Budgetbuch ist unversehrt.",
  "Show {pageLength} older ones": "{pageLength} ältere anzeigen",
  "Common settings": "Häufige Einstellungen",
  "Each setting edits only its own lines in the file below.":
    "Jede Einstellung ändert nur ihre eigenen Zeilen in der Datei unten.",
  "The file has errors: correct them to show the settings again.":
    "Die Datei hat Fehler: beheben Sie sie, um die Einstellungen wieder anzuzeigen.",
  "This cannot be changed here.": "Das kann hier nicht geändert werden.",
  "The form does not support the way this setting is written. Edit the text below.":
    "Das Formular unterstützt die Schreibweise dieser Einstellung nicht. Bearbeiten Sie den Text unten.",
  "Allowed studies": "Erlaubte Studien",
  "Studies with proven privacy (sound)": "Studien mit bewiesenem Datenschutz (sound)",
  "Studies whose privacy is only claimed by the method's authors (paper): they spend without a proven bound":
    "Studien, deren Datenschutz nur von den Autoren der Methode behauptet wird (paper): sie geben ohne bewiesene Schranke aus",
  "Noisy figures of this hospital alone, or of too few together: noise protects patients, not the hospital":
    "Verrauschte Zahlen dieses Krankenhauses allein oder von zu wenigen zusammen: Das Rauschen schützt Patientinnen und Patienten, nicht das Krankenhaus",
  "A person, always": "Immer ein Mensch",
  "Manual, except for low-cost studies with proven privacy":
    "Manuell, außer bei günstigen Studien mit bewiesenem Datenschutz",
  "Automatic for every study that the rules allow": "Selbsttätig für jede Studie, die die Regeln erlauben",
  Approval: "Freigabe",
  "Automatic up to ε, at the population's δ": "Selbsttätig bis ε, beim δ der Population",
  "and up to a study δ of": "und bis zu einem Studien-δ von",
  "Lifetime privacy budget (default population)": "Lebenslanges Datenschutzbudget (Population default)",
  "No limit": "Keine Grenze",
  "Budget, ε, for all studies together": "Budget, ε, für alle Studien zusammen",
  "Limit per study": "Grenze je Studie",
  "Maximum ε per study, at the population's δ": "Höchstes ε je Studie, beim δ der Population",
  "Maximum δ per study": "Höchstes δ je Studie",
  "Study requirements": "Anforderungen an Studien",
  "Minimum number of hospitals": "Mindestzahl der Krankenhäuser",
  "Minimum rows at this hospital": "Mindestzahl der Zeilen in diesem Krankenhaus",
  "Tell people below this percentage of usable rows":
    "Hinweis an Personen unter diesem Anteil verwendbarer Zeilen in Prozent",
  Unreadable: "Nicht lesbar",
  "The table by itself": "Die Tabelle für sich",
  "Check the table": "Tabelle prüfen",
  "The table cannot be read.": "Die Tabelle ist nicht lesbar.",
  "No problem was found.": "Es wurde nichts Auffälliges gefunden.",
  "Check these points.": "Prüfen Sie diese Punkte.",
  "not counted": "nicht gezählt",
  Encoding: "Kodierung",
  Delimiter: "Trennzeichen",
  tab: "Tabulator",
  "Keys for the table's entry in config.yaml; `consilium site table test --write` writes them:":
    "Schlüssel für den Eintrag der Tabelle in config.yaml; `consilium site table test --write` schreibt sie:",
  "Keys of the table's entry": "Schlüssel des Eintrags der Tabelle",
  "Studies use few of this hospital's rows: {count}":
    "Studien verwenden wenige Zeilen dieses Krankenhauses: {count}",
  "They were joined automatically. Check the data of each on its page: this message ends once somebody has looked.":
    "Sie wurden automatisch angenommen. Prüfen Sie auf der Seite jeder Studie die Daten: Der Hinweis endet, sobald jemand nachgesehen hat.",
  "{used} of {rows} rows": "{used} von {rows} Zeilen",
  "Minimum number of tolerated colluding hospitals":
    "Mindestzahl der tolerierten kolludierenden Krankenhäuser",
  "A study must state": "Eine Studie muss angeben",
  "refused by a rule": "durch eine Regel abgelehnt",
  "needs manual approval": "erfordert manuelle Freigabe",
  "joins automatically": "nimmt selbsttätig teil",
  "Effect of your change": "Auswirkung Ihrer Änderung",
  "Effect on waiting studies": "Auswirkung auf wartende Studien",
  "Waiting studies under this policy": "Wartende Studien unter dieser Richtlinie",
  Now: "Jetzt",
  "refused: the file has errors": "abgelehnt: die Datei hat Fehler",
  "With this policy": "Mit dieser Richtlinie",
  Reason: "Grund",
  "No studies are waiting for approval.": "Keine Studien warten auf Freigabe.",
  "Waiting studies keep waiting when the policy is saved; the policy at the time of approval applies to them. New studies are decided by the policy when they are offered. Budget and table rows are checked when the hospital joins a study.":
    "Wartende Studien warten weiter, wenn die Richtlinie gespeichert wird; für sie gilt die Richtlinie zum Zeitpunkt der Freigabe. Über neue Studien entscheidet die Richtlinie, wenn sie angeboten werden. Budget und Zeilen der Tabelle werden geprüft, wenn das Krankenhaus an einer Studie teilnimmt.",
  "checking…": "wird geprüft …",
  "no errors": "keine Fehler",
  "The file: ": "Die Datei: ",
  "Line {line}": "Zeile {line}",
  "Previous versions": "Frühere Versionen",
  "the earlier versions": "die früheren Versionen",
  "Previous policies, newest first": "Frühere Richtlinien, neueste zuerst",
  Until: "Bis",
  "Replaced by": "Ersetzt von",
  Text: "Text",
  "No previous versions yet.": "Noch keine früheren Versionen.",
  "{more} the version that {replacedBy} replaced at {replacedAt}":
    "Version, die {replacedBy} am {replacedAt} ersetzt hat: {more}",
  Hide: "Ausblenden",
  Show: "Anzeigen",
  "the version": "die Version",
  "Previous policy": "Frühere Richtlinie",
  "Restore to editor": "In den Editor übernehmen",
  "Which studies this hospital joins, who approves them, and the lifetime privacy budget.":
    "An welchen Studien dieses Krankenhaus teilnimmt, wer sie freigibt, und das lebenslange Datenschutzbudget.",
  "the policy": "die Richtlinie",
  "The file was changed while you edited it.": "Die Datei wurde geändert, während Sie sie bearbeitet haben.",
  "Load the current file": "Aktuelle Datei laden",
  "Your text is still below; copy what you need, then make the change again.":
    "Ihr Text steht noch unten; kopieren Sie, was Sie brauchen, und nehmen Sie die Änderung dann erneut vor.",
  "Policy file (suggested)": "Richtliniendatei (Vorschlag)",
  "Policy file": "Richtliniendatei",
  "The text could not be checked.": "Der Text konnte nicht geprüft werden.",
  "The agent is not responding. The page tries again with your next change.":
    "Der Agent antwortet nicht. Die Seite versucht es mit Ihrer nächsten Änderung erneut.",
  "An administrator can change the policy.": "Ein Administrator kann die Richtlinie ändern.",
  "Studies without any privacy are allowed.": "Studien ganz ohne Datenschutz sind erlaubt.",
  "{code} is set in {code2}, and a policy cannot override it. Use it for public data only.":
    "{code} ist in {code2} gesetzt, und eine Richtlinie kann das nicht aufheben. Verwenden Sie es nur für öffentliche Daten.",
  "No policy file yet.": "Noch keine Richtliniendatei.",
  "Without one, studies with proven privacy need manual approval, and all others are refused. The text below does the same: edit and save it.":
    "Ohne sie erfordern Studien mit bewiesenem Datenschutz eine manuelle Freigabe, und alle anderen werden abgelehnt. Der Text unten bewirkt dasselbe: bearbeiten und speichern Sie ihn.",
  "The policy has errors: every study is refused until they are corrected.":
    "Die Richtlinie hat Fehler: jede Studie wird abgelehnt, bis sie behoben sind.",
  "The errors are marked below.": "Die Fehler sind unten markiert.",
  "Policy saved.": "Richtlinie gespeichert.",
  "It applies to the next study. The previous version is listed below.":
    "Sie gilt für die nächste Studie. Die vorige Version ist unten aufgeführt.",
  "Save policy…": "Richtlinie speichern …",
  "Discard changes": "Änderungen verwerfen",
  "Correct the errors first.": "Beheben Sie zuerst die Fehler.",
  "Save the policy?": "Richtlinie speichern?",
  "It applies from now on to every study that is offered or approved. The previous version is kept in the history, with your name.":
    "Sie gilt ab jetzt für jede Studie, die angeboten oder freigegeben wird. Die vorige Version bleibt im Verlauf, mit Ihrem Namen.",
  "Saving…": "Wird gespeichert …",
  "Save policy": "Richtlinie speichern",
  "Your data, as this study would use them": "Ihre Daten, wie diese Studie sie verwenden würde",
  "Reading…": "Wird gelesen …",
  "Check my data": "Meine Daten prüfen",
  "Check again": "Erneut prüfen",
  "A large table takes several minutes…": "Eine große Tabelle braucht mehrere Minuten …",
  "How a study would use this hospital's table: rows used, clamped and rejected.":
    "Wie eine Studie die Tabelle dieses Krankenhauses verwenden würde: verwendete, begrenzte und verworfene Zeilen.",
  "Table {table}, as used by {study}": "Tabelle {table}, wie {study} sie verwendet",
  "A study offered to this hospital, or a study file that you received.":
    "Eine Studie, die diesem Krankenhaus angeboten wurde, oder eine Studiendatei, die Sie erhalten haben.",
  "a study file": "eine Studiendatei",
  "The file is over 2 MB: a study file is a few kilobytes.":
    "Die Datei ist über 2 MB groß: eine Studiendatei hat wenige Kilobyte.",
  "YAML or JSON; choose a file or paste its text below.":
    "YAML oder JSON; wählen Sie eine Datei oder fügen Sie ihren Text unten ein.",
  "Text of the study file": "Text der Studiendatei",
  "This never leaves the hospital.": "Dies verlässt das Krankenhaus nie.",
  "The agent reads the table on this machine and shows the result here. It is not sent to the aggregator, to other hospitals or to anyone else, and it does not use any budget.":
    "Der Agent liest die Tabelle auf diesem Rechner und zeigt das Ergebnis hier. Es wird weder an den Aggregator noch an andere Krankenhäuser oder sonst jemanden gesendet und verbraucht kein Budget.",
  "Rows in the table": "Zeilen in der Tabelle",
  Used: "Verwendet",
  Rejected: "Verworfen",
  "Outside the study's cohort": "Außerhalb der Kohorte der Studie",
  "{rows} excluded, {open} of them because a value is missing":
    "{rows} ausgeschlossen, {open} davon, weil ein Wert fehlt",
  "Maximum allowed": "Höchstens erlaubt",
  Patients: "Patienten",
  "{patients}, by column {column}": "{patients}, nach Spalte {column}",
  "Rows over the limit": "Zeilen über der Grenze",
  "{overBound} excluded: at most {maxRows} of each patient are used":
    "{overBound} ausgeschlossen: höchstens {maxRows} je Patient werden verwendet",
  "Rows without a patient": "Zeilen ohne Patient",
  "This page shows no record's value: counts, texts of at least five cells, and means of at least twenty rows that are left out. The owner of the agent's folder can see all means and extremes with {code}.":
    "Diese Seite zeigt keinen Wert eines Datensatzes: Zählungen, Texte von mindestens fünf Zellen und Mittelwerte von mindestens zwanzig Zeilen, die wegfallen. Der Eigentümer des Ordners des Agenten kann alle Mittelwerte und Extreme mit {code} sehen.",
  "Text version": "Textfassung",
  "The profile as text": "Das Profil als Text",
  "Correct these before a study can use the table":
    "Beheben Sie dies, bevor eine Studie die Tabelle verwenden kann",
  Problem: "Problem",
  Cells: "Zellen",
  "First at": "Zuerst bei",
  "row {row}{more}": "Zeile {row}{more}",
  " of {file}": " von {file}",
  "Numeric columns: values outside the declared bounds are clamped to them":
    "Numerische Spalten: Werte außerhalb der deklarierten Grenzen werden auf sie begrenzt",
  "one value only": "nur ein Wert",
  "Declared bounds": "Deklarierte Grenzen",
  "{min} to {max}": "{min} bis {max}",
  "Clamped below": "Unten begrenzt",
  "Clamped above": "Oben begrenzt",
  Missing: "Fehlend",
  "Rejects rows": "Verworfene Zeilen",
  "{name} (label)": "{name} (Zielgröße)",
  "Categories: rows used by level": "Kategorien: verwendete Zeilen nach Ausprägung",
  "one level only": "nur eine Ausprägung",
  Undeclared: "Nicht deklariert",
  "The study cannot use the table as it is.": "Die Studie kann die Tabelle so nicht verwenden.",
  "The table has more rows than the study allows.": "Die Tabelle hat mehr Zeilen, als die Studie erlaubt.",
  "It has {value} usable rows; the study allows at most {value2} per hospital. Ask the operator to raise participation.maxRowsPerSite.":
    "Sie hat {value} verwendbare Zeilen; die Studie erlaubt höchstens {value2} je Krankenhaus. Bitten Sie den Betreiber, participation.maxRowsPerSite zu erhöhen.",
  "The study cannot use any row.": "Die Studie kann keine Zeile verwenden.",
  "The study can use the table; check these points first.":
    "Die Studie kann die Tabelle verwenden; prüfen Sie zuerst diese Punkte.",
  "The study can use the table.": "Die Studie kann die Tabelle verwenden.",
  "It would use {value} of {value2} rows.": "Sie würde {value} von {value2} Zeilen verwenden.",
  "{count} entries": { one: "{count} Eintrag", other: "{count} Einträge" },
  ", and {count} other checks after it": {
    one: " und {count} weitere Prüfung danach",
    other: " und {count} weitere Prüfungen danach",
  },
  "All checks passed, with {count} warnings.": {
    one: "Alle Prüfungen bestanden, mit {count} Warnung.",
    other: "Alle Prüfungen bestanden, mit {count} Warnungen.",
  },
  "data sent {count} times without a proof": {
    one: "einmal Daten ohne Beweis gesendet",
    other: "{count}-mal Daten ohne Beweis gesendet",
  },
  "{count} faults": { one: "{count} Fehler", other: "{count} Fehler" },
  "{rows} in {count} files": { one: "{rows} in {count} Datei", other: "{rows} in {count} Dateien" },
  "{count} errors must be corrected in the table or in the study's declarations; they are listed below, without the values.":
    {
      one: "Ein Fehler muss in der Tabelle oder in den Angaben der Studie behoben werden; er ist unten ohne den Wert aufgeführt.",
      other:
        "{count} Fehler müssen in der Tabelle oder in den Angaben der Studie behoben werden; sie sind unten ohne die Werte aufgeführt.",
    },
  // hospital/studies
  "Remaining budget": "Verbleibendes Budget",
  "not enough budget": "Budget reicht nicht",
  "ε per {unit} of population {population} at δ = {delta}: spent or reserved without this study and with it{more}":
    "ε je {unit} der Population {population} bei δ = {delta}: ausgegeben oder reserviert ohne diese Studie und mit ihr{more}",
  ", against its limit": ", gemessen an der Grenze",
  "Epsilon {before} without this study, {after} with it{more}":
    "Epsilon {before} ohne diese Studie, {after} mit ihr{more}",
  ", of at most {limit}": ", von höchstens {limit}",
  "The budget in numbers": "Das Budget in Zahlen",
  Budget: "Budget",
  Before: "Vorher",
  "Without it": "Ohne sie",
  After: "Nachher",
  "With it": "Mit ihr",
  "Spent or reserved, ε": "Ausgegeben oder reserviert, ε",
  without: "ohne",
  with: "mit",
  "The policy does not allow it: {rule}.": "Die Richtlinie erlaubt sie nicht: {rule}.",
  "The remaining budget is too small.": "Das verbleibende Budget ist zu klein.",
  "{fault}. Ask the operator for a cheaper study, or an administrator to change the budget in the policy.":
    "{fault}. Bitten Sie den Betreiber um eine günstigere Studie oder einen Administrator, das Budget in der Richtlinie zu ändern.",
  "Your data: the study uses {used} of {rows} rows.":
    "Ihre Daten: Die Studie verwendet {used} von {rows} Zeilen.",
  "It makes {names} of them.": "Daraus bildet sie {names}.",
  "It was approved, but joining it failed.": "Sie wurde freigegeben, aber die Teilnahme ist fehlgeschlagen.",
  Decision: "Entscheidung",
  "Waiting for your decision.": "Wartet auf Ihre Entscheidung.",
  "Deny…": "Ablehnen …",
  "Approve…": "Freigeben …",
  "The deadline passed {moment}: no data of this hospital were used. It can be approved again if the operator resumes the study.":
    "Die Frist ist abgelaufen ({moment}): es wurden keine Daten dieses Krankenhauses verwendet. Die Studie kann erneut freigegeben werden, wenn der Betreiber sie fortsetzt.",
  "Decide until {Moment} ({moment}). After that the study continues without this hospital or stops.":
    "Entscheiden Sie bis {Moment} ({moment}). Danach läuft die Studie ohne dieses Krankenhaus weiter oder hält an.",
  "Approve {name}?": "{name} freigeben?",
  "The table {table} is read and checked now{more}":
    "Die Tabelle {table} wird jetzt gelesen und geprüft{more}",
  ", and must not change while the study runs.": " und darf sich nicht ändern, solange die Studie läuft.",
  "At most {leavingBytes} are sent from this hospital, as listed on this page.":
    "Höchstens {leavingBytes} werden von diesem Krankenhaus gesendet, wie auf dieser Seite aufgeführt.",
  "Epsilon {more} at delta {more2} is reserved, and spent permanently once data are sent.":
    "Epsilon {more} bei Delta {more2} wird reserviert und ist dauerhaft ausgegeben, sobald Daten gesendet sind.",
  "Its privacy cost has no proven bound.": "Ihre Datenschutzkosten haben keine bewiesene Schranke.",
  "Epsilon {remainingAfter} of {limit} per {unit} remains afterwards for the population {population}, counted at its own delta {delta}.":
    "Epsilon {remainingAfter} von {limit} je {unit} verbleibt danach für die Population {population}, bei ihrem eigenen Delta {delta} gerechnet.",
  "I understand this, and approve this hospital's participation.":
    "Ich habe das verstanden und gebe die Teilnahme dieses Krankenhauses frei.",
  "Reading the table…": "Die Tabelle wird gelesen …",
  "Approve study": "Studie freigeben",
  "Approve without proven privacy": "Ohne bewiesenen Datenschutz genehmigen",
  "Deny {name}?": "{name} ablehnen?",
  "The reason stays at this hospital. The operator only learns that the study was denied manually.":
    "Der Grund bleibt in diesem Krankenhaus. Der Betreiber erfährt nur, dass die Studie manuell abgelehnt wurde.",
  "Deny study": "Studie ablehnen",
  "Studies offered to this hospital, and the decisions. No data are used before a study is approved, manually or by the policy.":
    "Studien, die diesem Krankenhaus angeboten wurden, und die Entscheidungen. Vor der Freigabe, manuell oder durch die Richtlinie, werden keine Daten verwendet.",
  "the studies": "die Studien",
  "New ones appear here automatically.": "Neue erscheinen hier von selbst.",
  "Waiting for approval ({studies})": "Wartet auf Freigabe ({studies})",
  "Studies waiting for approval": "Studien, die auf Freigabe warten",
  "Decide until": "Entscheiden bis",
  "Last attempt": "Letzter Versuch",
  "all ({studies})": "alle ({studies})",
  "Past studies": "Frühere Studien",
  Outcome: "Ausgang",
  "Studies and their outcome": "Studien und ihr Ausgang",
  "First seen": "Zuerst gesehen",
  Ended: "Beendet",
  "No decided studies yet.": "Noch keine entschiedenen Studien.",
  "No studies match.": "Keine Studie passt.",
  "release withdrawn": "Veröffentlichung zurückgezogen",
  "release superseded": "Veröffentlichung ersetzt",
  "All studies": "Alle Studien",
  "the study": "die Studie",
  "Study file": "Studiendatei",
  "Every later message of the study is bound to this text by its hash {hash}.":
    "Jede spätere Nachricht der Studie ist durch den Hash {hash} an diesen Text gebunden.",
  "The study, as JSON": "Die Studie als JSON",
  "This study: {words}.": "Diese Studie: {words}.",
  "A person at this hospital denied this study.":
    "Ein Mensch in diesem Krankenhaus hat diese Studie abgelehnt.",
  "Code: {code}": "Code: {code}",
  "Policy rule: {rule}": "Regel der Richtlinie: {rule}",
  "What it asked for": "Was sie wollte",
  "What the study would have sent, cost and revealed with this hospital.":
    "Was die Studie mit diesem Krankenhaus gesendet, gekostet und offengelegt hätte.",
  "Nothing: no data from this hospital's table were sent.":
    "Nichts: Es wurden keine Daten aus der Tabelle dieses Krankenhauses gesendet.",
  "Nothing was charged to the privacy budget.": "Vom Datenschutzbudget wurde nichts verbucht.",
  "Decided by {more} on {Moment}.": "Entschieden von {more} am {Moment}.",
  "a person": "einem Menschen",
  masked: "maskiert",
  "rows in the clear": "Zeilen im Klartext",
  "counts under tags": "Zählungen unter Kennzeichen",
  "Data sent from this hospital": "Von diesem Krankenhaus gesendete Daten",
  "at most {leavingBytes}": "höchstens {leavingBytes}",
  "Data sent by stage": "Gesendete Daten nach Stufe",
  Form: "Form",
  "Maximum size": "Höchstgröße",
  "{bytes} each": "je {bytes}",
  "In total at most {leavingBytes}. All outgoing data are listed in {link}, with sizes and hashes. {more}":
    "Insgesamt höchstens {leavingBytes}. Alle ausgehenden Daten stehen mit Größe und Hash im {link}. {more}",
  "the egress log": "Ausgangsprotokoll",
  "Privacy cost": "Datenschutzkosten",
  "at δ = {delta}: {word} protection, proven": "bei δ = {delta}: {word} Schutz, bewiesen",
  "{text} Smaller numbers protect patients better.": "{text} Kleinere Zahlen schützen Patienten besser.",
  "No proven bound": "Keine bewiesene Schranke",
  "no claim": "keine Behauptung",
  "the authors claim ε = {epsilon}": "die Autoren behaupten ε = {epsilon}",
  Summary: "Zusammenfassung",
  Request: "Anfrage",
  "At most {leavingBytes} in all. {more}": "Insgesamt höchstens {leavingBytes}. {more}",
  "at δ = {more} for {unit}": "bei δ = {more} für {unit}",
  Protection: "Schutz",
  "If you deny": "Wenn Sie ablehnen",
  "Asked by the federation's operator. The study does not state: {unstated}.":
    "Angefragt vom Betreiber der Föderation. Die Studie macht keine Angabe zu: {unstated}.",
  "Asked by the federation's operator for {creator}. The study does not state: {unstated}.":
    "Angefragt vom Betreiber der Föderation für {creator}. Die Studie macht keine Angabe zu: {unstated}.",
  "Not stated: {unstated}.": "Nicht angegeben: {unstated}.",
  "{method} reads {columns} columns ({names}) of at most {rows} rows of table {table}.":
    "{method} liest {columns} Spalten ({names}) von höchstens {rows} Zeilen der Tabelle {table}.",
  "Request, in the operator's words: not verified": "Anfrage, in den Worten des Betreibers: nicht geprüft",
  "Data read and sent": "Gelesene und gesendete Daten",
  "The budget of population {population} does not count it: what it reveals has no bound.":
    "Das Budget der Population {population} zählt sie nicht: Was sie verrät, hat keine Schranke.",
  "The budget of population {population} (ε = {before} of {limit}) does not count it: what it reveals has no bound, and no limit stops it.":
    "Das Budget der Population {population} (ε = {before} von {limit}) zählt sie nicht: Was sie verrät, hat keine Schranke, und keine Grenze hält sie auf.",
  "In the worst case, that is near certainty.": "Im schlimmsten Fall ist das fast Gewissheit.",
  "Everyone can read the release.": "Jeder kann die Veröffentlichung lesen.",
  "Readers with a token can read the release.": "Leser mit einem Token können die Veröffentlichung lesen.",
  "no bound": "keine Schranke",
  "Budget of population {population}: {budget}. {more}":
    "Budget der Population {population}: {budget}. {more}",
  "other studies": "andere Studien",
  "this study": "diese Studie",
  remaining: "verbleibend",
  "No proven privacy: it is unknown how much this study reveals.":
    "Kein bewiesener Datenschutz: es ist unbekannt, wie viel diese Studie offenlegt.",
  "This is an as-published variant: the method exactly as its authors published it, so that their results can be reproduced. {more}; this is not verified. The reasons why it may not hold are under Privacy cost below.":
    "Dies ist eine Variante wie veröffentlicht: die Methode genau so, wie ihre Autoren sie veröffentlicht haben, damit deren Ergebnisse reproduziert werden können. {more}; das ist nicht geprüft. Warum es nicht gelten könnte, steht unten bei den Datenschutzkosten.",
  "They claim that it protects patients": "Sie behaupten, dass sie Patienten schützt",
  "They claim that it protects patients with epsilon {epsilon}":
    "Sie behaupten, dass sie Patienten mit Epsilon {epsilon} schützt",
  "If this hospital approves, its ledger records spending without a bound, and the population's total shows “no proven bound” permanently.":
    "Gibt dieses Krankenhaus sie frei, verbucht sein Budgetbuch Ausgaben ohne Schranke, und die Summe der Population zeigt dauerhaft „keine bewiesene Schranke“.",
  "Approve it only for records that may become known, such as public or test data, or if other measures protect the patients.":
    "Geben Sie sie nur für Datensätze frei, die bekannt werden dürfen, etwa öffentliche oder Testdaten, oder wenn andere Maßnahmen die Patienten schützen.",
  "No privacy: this study adds no noise.": "Kein Datenschutz: diese Studie fügt kein Rauschen hinzu.",
  "Its results are exact. The results of two such studies, one with a patient and one without, reveal that patient's data by their difference.":
    "Ihre Ergebnisse sind exakt. Die Ergebnisse zweier solcher Studien, eine mit einem Patienten und eine ohne ihn, legen durch ihre Differenz die Daten dieses Patienten offen.",
  "Approve it for public data only.": "Geben Sie sie nur für öffentliche Daten frei.",
  "Rows are sent unmasked: the aggregator can read each row.":
    "Zeilen werden unmaskiert gesendet: der Aggregator kann jede Zeile lesen.",
  "Rows are sent unmasked: the aggregator can read each row, and so can everyone who reads the release.":
    "Zeilen werden unmaskiert gesendet: Der Aggregator kann jede Zeile lesen, und ebenso jeder, der die Veröffentlichung liest.",
  "This applies to {value}: {what}.": "Das betrifft {value}: {what}.",
  "Counts of identical rows are sent to the aggregator, separately for each hospital.":
    "Zählungen gleicher Zeilen werden an den Aggregator gesendet, getrennt für jedes Krankenhaus.",
  " (tables {tables})": " (Tabellen {tables})",
  "per {unit} at delta {delta}": "je {unit} bei Delta {delta}",
  "The population {population}{tables} has no limit. Epsilon {before} {at} is spent or reserved without this study, {after} with it.":
    "Die Population {population}{tables} hat keine Grenze. Epsilon {before} {at} ist ohne diese Studie ausgegeben oder reserviert, {after} mit ihr.",
  "Of the population {population}{tables}, epsilon {before} of {limit} {at} is spent or reserved without this study, {after} with it.":
    "Von der Population {population}{tables} ist Epsilon {before} von {limit} {at} ohne diese Studie ausgegeben oder reserviert, {after} mit ihr.",
  "{remainingBefore} remains before, {remainingAfter} after.":
    "Vorher verbleibt {remainingBefore}, nachher {remainingAfter}.",
  "The study protects rows and this hospital's ledger counts patients: it charges {factor} times the rho of one row, and uses no more rows per patient than that covers.":
    "Die Studie schützt Zeilen, und das Budgetbuch dieses Krankenhauses zählt Patienten: es verbucht das {factor}-fache des ρ einer Zeile und verwendet nicht mehr Zeilen je Patient, als das abdeckt.",
  "The remaining budget is too small: approval is refused, and no data are used.":
    "Das verbleibende Budget ist zu klein: die Freigabe wird verweigert, und es werden keine Daten verwendet.",
  "The total already has no proven bound: data without a proof were sent {unprovedBefore} before.":
    "Die Summe hat schon keine bewiesene Schranke: Daten ohne Beweis wurden zuvor {unprovedBefore} gesendet.",
  "This study sends data without a proof {unprovedHere}: this does not change the number above, but the total no longer has a proven bound.":
    "Diese Studie sendet {unprovedHere} Daten ohne Beweis: das ändert die Zahl oben nicht, aber die Summe hat dann keine bewiesene Schranke mehr.",
  "waiting for approval": "wartet auf Freigabe",
  denied: "abgelehnt",
  refused: "zurückgewiesen",
  running: "läuft",
  stopped: "angehalten",
  cancelled: "abgebrochen",
  "Masked sums": "Maskierte Summen",
  "Counts under tags": "Zählungen unter Kennzeichen",
  "Unmasked rows": "Unmaskierte Zeilen",
  "Only the sum over at least {minimumSites} hospitals can be read, unless a hospital colludes with the aggregator.":
    "Nur die Summe über mindestens {minimumSites} Krankenhäuser kann gelesen werden, es sei denn, ein Krankenhaus arbeitet mit dem Aggregator zusammen.",
  "The aggregator reads how many of this hospital's rows are identical.":
    "Der Aggregator liest, wie viele Zeilen dieses Krankenhauses gleich sind.",
  "The aggregator reads each of this hospital's rows.":
    "Der Aggregator liest jede Zeile dieses Krankenhauses.",
  "The aggregator and everyone who reads the release read each of this hospital's rows.":
    "Der Aggregator und jeder, der die Veröffentlichung liest, lesen jede Zeile dieses Krankenhauses.",
  "none|protection": "keiner",
  "The results are exact and protect nobody.": "Die Ergebnisse sind exakt und schützen niemanden.",
  "unknown|protection": "unbekannt",
  "Nothing is proven; it is unknown how much the results reveal.":
    "Nichts ist bewiesen; es ist unbekannt, wie viel die Ergebnisse offenlegen.",
  "a patient's data were used": "die Daten eines Patienten verwendet wurden",
  "a record was used": "ein Datensatz verwendet wurde",
  "Someone who knows everything else guesses whether {whose} right at most {value} times in 100 with the results, and 50 times without.":
    "Wer alles andere weiß, errät mit den Ergebnissen höchstens in {value} von 100 Fällen richtig, ob {whose}, ohne sie in 50 Fällen.",
  "per {unit} at δ = {delta}": "je {unit} bei δ = {delta}",
  "{change} {at}, without a limit": "{change} {at}, ohne Grenze",
  "{change} of {limit} {at}; {more} remains": "{change} von {limit} {at}; {more} verbleibt",
  "No data of this hospital are used or sent, and no budget is spent.":
    "Es werden keine Daten dieses Krankenhauses verwendet oder gesendet, und kein Budget wird ausgegeben.",
  "The study runs without this hospital if at least {minimumSites} others join; otherwise it does not run.":
    "Die Studie läuft ohne dieses Krankenhaus, wenn mindestens {minimumSites} andere teilnehmen; sonst läuft sie nicht.",
  "The study starts without this hospital once all others have decided{more}, if at least {minimumSites} of them join; otherwise it does not run.":
    "Die Studie beginnt ohne dieses Krankenhaus, sobald alle anderen entschieden haben{more}, wenn mindestens {minimumSites} von ihnen teilnehmen; sonst läuft sie nicht.",
  ", at the latest on {until}": ", spätestens am {until}",
  "The time to join ended on {until}. With at least {minimumSites} other hospitals the study started without this one; otherwise it did not run.":
    "Die Zeit zum Beitritt endete am {until}. Mit mindestens {minimumSites} anderen Krankenhäusern begann die Studie ohne dieses; andernfalls lief sie nicht.",
  "A hospital that takes no part is not told whether the study has started or ended. A release, if there is one, is in the federation's catalogue as {id}.":
    "Ein Krankenhaus, das nicht teilnimmt, erfährt nicht, ob die Studie begonnen oder geendet hat. Eine Veröffentlichung, wenn es eine gibt, steht im Katalog der Föderation als {id}.",
  "The operator learns that this hospital denied it, and when, but not the reason. A denial is final for this study.":
    "Der Betreiber erfährt, dass dieses Krankenhaus abgelehnt hat, und wann, aber nicht den Grund. Eine Ablehnung ist für diese Studie endgültig.",
  "{count} times": { one: "einmal", other: "{count}-mal" },
  "{count} stages": { one: "{count} Stufe", other: "{count} Stufen" },
  "Only the sum over at least {minimumSites} hospitals can be read, even if {count} of them collude with the aggregator.":
    {
      one: "Nur die Summe über mindestens {minimumSites} Krankenhäuser kann gelesen werden, selbst wenn {count} von ihnen mit dem Aggregator zusammenarbeitet.",
      other:
        "Nur die Summe über mindestens {minimumSites} Krankenhäuser kann gelesen werden, selbst wenn {count} von ihnen mit dem Aggregator zusammenarbeiten.",
    },
  // hospital/studies: two approvals, deputies, questions
  "asked the operator": "hat den Betreiber gefragt",
  "named a deputy": "hat eine Vertretung benannt",
  "removed a deputy": "hat eine Vertretung entfernt",
  "Two different people must approve": "Zwei verschiedene Personen müssen freigeben",
  "The operator may publish by which code this hospital did not take part":
    "Der Betreiber darf veröffentlichen, mit welchem Code dieses Krankenhaus nicht teilgenommen hat",
  "Two different people must approve this study.":
    "Zwei verschiedene Personen müssen diese Studie freigeben.",
  "Approved by {person}, waits for a second approver.":
    "Von {person} freigegeben; eine zweite Freigabe steht aus.",
  "The approval of {person} no longer counts.": "Die Freigabe von {person} gilt nicht mehr.",
  "Changed since: {what}. Both approvals are needed again.":
    "Seither geändert: {what}. Beide Freigaben sind erneut nötig.",
  "Epsilon {more} at delta {more2} is reserved with the second approval, and spent permanently once data are sent.":
    "Epsilon {more} bei Delta {more2} wird mit der zweiten Freigabe reserviert und endgültig verbraucht, sobald Daten gesendet werden.",
  "Approve|whose": "Freigeben",
  "in my own name": "in eigenem Namen",
  "in place of {person}": "in Vertretung von {person}",
  "Approved by": "Freigegeben von",
  "{person}, first of two": "{person}, erste von zwei",
  Deputies: "Vertretungen",
  "the deputies": "die Vertretungen",
  "A deputy may approve studies in your place for a period. Of two approvals that a study needs, yours and your deputy's count as one.":
    "Eine Vertretung darf für eine bestimmte Zeit an Ihrer Stelle Studien freigeben. Von zwei Freigaben, die eine Studie braucht, zählen Ihre und die Ihrer Vertretung als eine.",
  Deputy: "Vertretung",
  "In place of": "Anstelle von",
  "From|date": "Von",
  "Until|date": "Bis",
  "No deputies are named.": "Es sind keine Vertretungen benannt.",
  "First day": "Erster Tag",
  "Last day": "Letzter Tag",
  "Account of the deputy": "Konto der Vertretung",
  "Name deputy": "Vertretung benennen",
  "Questions to the operator": "Fragen an den Betreiber",
  "Not sent yet: it is sent at the next connection.":
    "Noch nicht gesendet: wird bei der nächsten Verbindung gesendet.",
  "Sent. No answer yet.": "Gesendet. Noch keine Antwort.",
  "The operator": "Der Betreiber",
  "Ask the operator": "Den Betreiber fragen",
  "This text leaves the hospital. Do not write anything about a patient. Your name is not sent.":
    "Dieser Text verlässt das Krankenhaus. Schreiben Sie nichts über einen Patienten. Ihr Name wird nicht gesendet.",
  "Send question": "Frage senden",
  "Questions from hospitals": "Fragen von Krankenhäusern",
  "asked a question": "hat eine Frage gestellt",
  "answered a question": "hat eine Frage beantwortet",
  "Answer {site}": "{site} antworten",
  "Only this hospital can read it. It cannot be changed.":
    "Nur dieses Krankenhaus kann sie lesen. Sie kann nicht geändert werden.",
  "Send answer": "Antwort senden",
  "No answer yet.": "Noch keine Antwort.",
  "the operator": "der Betreiber",
  // operator
  "New study": "Neue Studie",
  Invitations: "Einladungen",
  "operator console": "Betreiber-Konsole",
  "Go to federation": "Zur Föderation",
  "viewer: read-only access": "Betrachter: nur Lesezugriff",
  "operator: full access": "Betreiber: voller Zugriff",
  "For scripts and for {code} on another machine ({code2}). The operator-token file in the aggregator's state folder remains valid, too.":
    "Für Skripte und für {code} auf einem anderen Rechner ({code2}). Die Datei operator-token im Zustandsordner des Aggregators bleibt ebenfalls gültig.",
  "Actions of people and sites, as recorded by the aggregator. Each hospital keeps its own log of outgoing data.":
    "Handlungen von Menschen und Standorten, wie der Aggregator sie aufgezeichnet hat. Jedes Krankenhaus führt sein eigenes Protokoll der ausgehenden Daten.",
  "the aggregator": "der Aggregator",
  "The operator is told when a site is silent, when a study fails or is released, and when a hospital asks a question.":
    "Der Betreiber wird benachrichtigt, wenn ein Standort verstummt, wenn eine Studie fehlschlägt oder veröffentlicht ist und wenn ein Krankenhaus eine Frage stellt.",
  "Invite a site": "Standort einladen",
  "Sites, {sites}": "Standorte, {sites}",
  "A study needs at least {leastSites} sites: {enrolled} enrolled so far.":
    "Eine Studie benötigt mindestens {leastSites} Standorte: bisher {enrolled} angemeldet.",
  "Studies under way": "Laufende Studien",
  "Recently ended": "Kürzlich beendet",
  "Recently ended studies": "Kürzlich beendete Studien",
  Status: "Status",
  "Last seen": "Zuletzt gesehen",
  "Key in force": "Geltender Schlüssel",
  Clock: "Uhr",
  now: "jetzt",
  "never; invitation expired": "nie; Einladung abgelaufen",
  never: "nie",
  "permanently rejected": "dauerhaft abgewiesen",
  expired: "abgelaufen",
  "{left} left": "noch {left}",
  "since {Moment}{more}": "seit {Moment}{more}",
  "in place of {value}": "anstelle von {value}",
  "connects, and is rejected": "verbindet sich und wird abgewiesen",
  idle: "untätig",
  "No sites yet.": "Noch keine Standorte.",
  "Start by inviting a site: the invitation holds a token that one hospital can use once to enrol. Its IT staff runs two commands; no inbound firewall port is needed.":
    "Laden Sie zuerst einen Standort ein: die Einladung enthält ein Token, mit dem sich ein Krankenhaus einmal anmelden kann. Seine IT führt zwei Befehle aus; kein eingehender Port der Firewall wird benötigt.",
  "Invite the first site": "Ersten Standort einladen",
  "An operator invites it.": "Ein Betreiber lädt ihn ein.",
  "missing: sites join no studies": "fehlt: Standorte nehmen an keiner Studie teil",
  "no date: re-sign it with consilium expelled renew":
    "kein Datum: signieren Sie sie neu mit consilium expelled renew",
  "re-sign by {value}": "neu zu signieren bis {value}",
  "list {number}, {keys}, {until}": "Liste {number}, {keys}, {until}",
  "About this federation": "Über diese Föderation",
  "the federation's name": "der Name der Föderation",
  "Sites connect to": "Standorte verbinden sich mit",
  "Releases are deposited at": "Veröffentlichungen werden abgelegt bei",
  "no publisher configured": "kein Veröffentlichungsdienst eingerichtet",
  "Expelled sites": "Ausgeschlossene Standorte",
  "Root certificate": "Wurzelzertifikat",
  "Copy the fingerprint": "Fingerabdruck kopieren",
  "Save root.pem": "root.pem speichern",
  online: "online",
  slow: "langsam",
  offline: "offline",
  invited: "eingeladen",
  expelled: "ausgeschlossen",
  "connected, heartbeats on time": "verbunden, Lebenszeichen pünktlich",
  "connected, but the last heartbeat is overdue": "verbunden, aber das letzte Lebenszeichen ist überfällig",
  "it dials in, and its greeting is refused: the code says why":
    "er meldet sich, und seine Begrüßung wird abgewiesen: der Code sagt, warum",
  "not connected: its agent is stopped, or its network blocks the connection":
    "nicht verbunden: sein Agent ist angehalten, oder sein Netzwerk blockiert die Verbindung",
  "invited, not enrolled yet": "eingeladen, noch nicht angemeldet",
  "expelled: its key is permanently rejected": "ausgeschlossen: sein Schlüssel wird dauerhaft abgewiesen",
  "is rejected: {message} ({code})": "wird abgewiesen: {message} ({code})",
  "enrolled with another key, and {from} still tries to connect with the replaced key {key}: ask the hospital which key is its own":
    "hat sich mit einem anderen Schlüssel angemeldet, und {from} versucht weiter, sich mit dem ersetzten Schlüssel {key} zu verbinden: fragen Sie das Krankenhaus, welcher Schlüssel sein eigener ist",
  "has a new key since {value} UTC, in place of {value2}: ask the hospital whether it enrolled again":
    "hat seit {value} UTC einen neuen Schlüssel, anstelle von {value2}: fragen Sie das Krankenhaus, ob es sich neu angemeldet hat",
  "its certificate expired {value} ago; it renews automatically when the agent connects, for another {time}":
    "sein Zertifikat ist vor {value} abgelaufen; es erneuert sich selbsttätig, wenn sich der Agent in den nächsten {time} verbindet",
  "its certificate expired {value} ago; it needs an invitation for the same key":
    "sein Zertifikat ist vor {value} abgelaufen; der Standort braucht eine Einladung für denselben Schlüssel",
  "its certificate expires in {left} and should have been renewed: the agent must be online for that":
    "sein Zertifikat läuft in {left} ab und hätte erneuert werden sollen: dafür muss der Agent online sein",
  "its software is older: it speaks edition {speaks} of {what}, not {newest}":
    "seine Software ist älter: sie spricht Ausgabe {speaks} von {what}, nicht {newest}",
  "its software is older: it speaks format {speaks} of a {what}, not {newest}":
    "seine Software ist älter: sie spricht Format {speaks} von {what}, nicht {newest}",
  "two agents with its identity end each other's connection: the hospital stops one, or reports a copied state folder":
    "zwei Agenten mit seiner Identität beenden einander die Verbindung: das Krankenhaus hält einen an oder meldet einen kopierten Zustandsordner",
  "its clock is {clockSkewMs}: synchronise it with a time server":
    "seine Uhr geht {clockSkewMs}: gleichen Sie sie mit einem Zeitserver ab",
  "runs version {software}, older than the aggregator's {ours}: upgrade it while no study is running":
    "läuft mit Version {software}, älter als {ours} des Aggregators: aktualisieren Sie ihn, solange keine Studie läuft",
  "runs version {software}, newer than the aggregator's {ours}: upgrade the aggregator while no study is running":
    "läuft mit Version {software}, neuer als {ours} des Aggregators: aktualisieren Sie den Aggregator, solange keine Studie läuft",
  "in sync": "stimmt",
  "{by} fast": "{by} vor",
  "{by} slow": "{by} nach",
  "No site has enrolled yet.": "Noch kein Standort hat sich angemeldet.",
  "A hospital joins the federation with a one-time token.":
    "Ein Krankenhaus tritt der Föderation mit einem einmaligen Token bei.",
  "1 hour": "1 Stunde",
  "24 hours": "24 Stunden",
  "7 days": "7 Tage",
  "30 days": "30 Tage",
  "The hospital's name in the federation, such as st-mary. It appears in certificates and cannot be changed.":
    "Der Name des Krankenhauses in der Föderation, etwa st-mary. Er erscheint in Zertifikaten und kann nicht geändert werden.",
  "The token is valid for": "Das Token ist gültig für",
  "{site} is enrolled and online.": "{site} ist angemeldet und online.",
  "{site} is enrolled.": "{site} ist angemeldet.",
  "A hospital whose certificate has expired needs a token for its current key. This token replaces nothing and is refused with any other key.":
    "Ein Krankenhaus, dessen Zertifikat abgelaufen ist, braucht ein Token für seinen aktuellen Schlüssel. Dieses Token ersetzt nichts und wird mit jedem anderen Schlüssel abgewiesen.",
  "Invite with the same key": "Mit demselben Schlüssel einladen",
  "Replace…": "Ersetzen …",
  Invite: "Einladen",
  "Allow a new key for {site}?": "Neuen Schlüssel für {site} erlauben?",
  "Replace the invitation of {site}?": "Einladung von {site} ersetzen?",
  "Invite and replace key": "Einladen und Schlüssel ersetzen",
  "Replace invitation": "Einladung ersetzen",
  "The open invitation is withdrawn and its token becomes invalid.":
    "Die offene Einladung wird zurückgezogen, und ihr Token wird ungültig.",
  "Once the new token is used with another key, the aggregator refuses the key {value} and disconnects the agent that uses it. Do this for a hospital that lost its key, or to readmit a displaced hospital with its own key.":
    "Sobald das neue Token mit einem anderen Schlüssel verwendet wird, weist der Aggregator den Schlüssel {value} ab und trennt den Agenten, der ihn verwendet. Tun Sie dies für ein Krankenhaus, das seinen Schlüssel verloren hat, oder um ein verdrängtes Krankenhaus mit seinem eigenen Schlüssel wieder aufzunehmen.",
  "Next steps for {site}": "Nächste Schritte für {site}",
  "{site} has enrolled and is online.": "{site} hat sich angemeldet und ist online.",
  "This is shown once.": "Dies wird nur einmal angezeigt.",
  "Send it to the hospital's IT staff over a trusted channel: anyone with the token can enrol as {site} until {Moment}. If it is lost, withdraw it below and create a new one.":
    "Senden Sie es über einen vertrauenswürdigen Kanal an die IT des Krankenhauses: wer das Token hat, kann sich bis {Moment} als {site} anmelden. Geht es verloren, ziehen Sie es unten zurück und erstellen Sie ein neues.",
  "The token": "Das Token",
  "Invitation token": "Einladungstoken",
  "{title}, command {index}": "{title}, Befehl {index}",
  "If it does not come online, {code} at the hospital shows why, and what to request from its network team.":
    "Geht er nicht online, zeigt {code} im Krankenhaus, warum, und was beim Netzwerkteam anzufragen ist.",
  "the invitations": "die Einladungen",
  State: "Zustand",
  "May replace key": "Darf Schlüssel ersetzen",
  Withdraw: "Zurückziehen",
  "Withdraw the invitation of {site}": "Einladung von {site} zurückziehen",
  "Withdraw…": "Zurückziehen …",
  "No invitations yet.": "Noch keine Einladungen.",
  "Withdraw the invitation of {site}?": "Einladung von {site} zurückziehen?",
  "Its token becomes invalid. You can invite the site again.":
    "Ihr Token wird ungültig. Sie können den Standort erneut einladen.",
  "Expel a site": "Standort ausschließen",
  "Expelling a site is permanent: its key is added to a list that every site receives, and no study continues with it. The list is signed with the federation's root key, which is not on any server, so this page cannot do it. The holder of the authority folder runs:":
    "Ein Ausschluss ist dauerhaft: der Schlüssel des Standorts kommt auf eine Liste, die jeder Standort erhält, und keine Studie läuft mit ihm weiter. Die Liste ist mit dem Wurzelschlüssel der Föderation signiert, der auf keinem Server liegt; diese Seite kann es daher nicht tun. Der Inhaber des Autoritätsordners führt aus:",
  "Expel command": "Befehl zum Ausschluss",
  "The hospital can return with a new invitation and a new key.":
    "Das Krankenhaus kann mit einer neuen Einladung und einem neuen Schlüssel zurückkehren.",
  "With the consilium command": "Mit dem Befehl consilium",
  "Creates the hospital's keys, which never leave its machine, and has them certified. Give the table's name and path.":
    "Erzeugt die Schlüssel des Krankenhauses, die seinen Rechner nie verlassen, und lässt sie zertifizieren. Geben Sie Namen und Pfad der Tabelle an.",
  "Runs the agent. It connects to the aggregator; no inbound port is opened.":
    "Startet den Agenten. Er verbindet sich mit dem Aggregator; kein eingehender Port wird geöffnet.",
  "With Docker Compose": "Mit Docker Compose",
  "In the folder deploy/site: the token as a file for the agent, and the path of the table.":
    "Im Ordner deploy/site: das Token als Datei für den Agenten und der Pfad der Tabelle.",
  "Enrols at the first start, then runs the agent. The token is invalid afterwards.":
    "Meldet sich beim ersten Start an und startet dann den Agenten. Danach ist das Token ungültig.",
  "at most 40 characters": "höchstens 40 Zeichen",
  "only lowercase letters, digits and hyphens": "nur Kleinbuchstaben, Ziffern und Bindestriche",
  "single hyphens, between letters or digits": "einzelne Bindestriche, zwischen Buchstaben oder Ziffern",
  "Connection to the aggregator lost; reconnecting automatically.":
    "Verbindung zum Aggregator verloren; sie wird selbsttätig wieder aufgebaut.",
  "The page shows the last known state.": "Die Seite zeigt den letzten bekannten Stand.",
  "the federation": "die Föderation",
  "{count} items need attention": {
    one: "{count} Punkt braucht Aufmerksamkeit",
    other: "{count} Punkte brauchen Aufmerksamkeit",
  },
  "{count} keys": { one: "{count} Schlüssel", other: "{count} Schlüssel" },
  "{online} of {count} sites are online": {
    one: "{online} von {count} Standort ist online",
    other: "{online} von {count} Standorten sind online",
  },
  // operator/compose
  "Choose a question and say whom it is about. The form and the YAML stay in sync; nothing runs until you start the study.":
    "Wählen Sie eine Frage und geben Sie an, um wen es geht. Formular und YAML bleiben gleich; nichts läuft, bevor Sie die Studie starten.",
  "the study schema": "das Studienschema",
  "Preview of the release": "Vorschau der Veröffentlichung",
  "Leave this draft?": "Diesen Entwurf verlassen?",
  "The draft is kept in this browser, for your account, until you start or discard it. Nothing of it was sent to a site.":
    "Der Entwurf bleibt in diesem Browser für Ihr Konto erhalten, bis Sie ihn starten oder verwerfen. Nichts davon wurde an einen Standort gesendet.",
  "Leave, keep the draft": "Verlassen, Entwurf behalten",
  "Your draft is restored.": "Ihr Entwurf ist wiederhergestellt.",
  "Discard draft…": "Entwurf verwerfen …",
  "Last changed {Moment}. It is kept in this browser alone.":
    "Zuletzt geändert {Moment}. Er bleibt allein in diesem Browser.",
  "The file is not valid YAML.": "Die Datei ist kein gültiges YAML.",
  "Correct the error shown next to the YAML to use the form again.":
    "Beheben Sie den Fehler neben dem YAML, um das Formular wieder zu verwenden.",
  Draft: "Entwurf",
  "Discard this draft?": "Diesen Entwurf verwerfen?",
  "Replace your draft?": "Ihren Entwurf ersetzen?",
  Discard: "Verwerfen",
  Replace: "Ersetzen",
  "Your current draft is lost unless you download it first.":
    "Ihr aktueller Entwurf geht verloren, wenn Sie ihn nicht vorher herunterladen.",
  "{uploadBytesPerSite} per site": "{uploadBytesPerSite} je Standort",
  "{online} of {asked} sites online": "{online} von {asked} Standorten online",
  "full plan{more}": "vollständiger Plan{more}",
  "These are the example's table and columns: enter your own before you start the study.":
    "Das sind Tabelle und Spalten des Beispiels: geben Sie Ihre eigenen ein, bevor Sie die Studie starten.",
  "Correct these errors to start the study:": "Berichtigen Sie diese Fehler, um die Studie zu starten:",
  "cannot start yet": "noch nicht startbar",
  "The study cannot be started now.": "Die Studie kann jetzt nicht gestartet werden.",
  Download: "Herunterladen",
  "Start…": "Starten …",
  "Viewers cannot start studies: give the file to an operator.":
    "Betrachter können keine Studien starten: geben Sie die Datei einem Betreiber.",
  "is at least": "ist mindestens",
  "is below": "ist kleiner als",
  "is one of": "ist eines von",
  "is missing": "fehlt",
  "is not missing": "fehlt nicht",
  "Conditions to count": "Zu zählende Bedingungen",
  "A record is counted once for each condition of which it meets all criteria.":
    "Ein Datensatz wird für jede Bedingung einmal gezählt, deren Kriterien er alle erfüllt.",
  "condition {conditions}": "Bedingung {conditions}",
  "Add condition": "Bedingung hinzufügen",
  "Name of condition {index}": "Name der Bedingung {index}",
  "Remove {name}": "{name} entfernen",
  "Every record meets it.": "Jeder Datensatz erfüllt sie.",
  "criterion {at} of {name}": "Kriterium {at} von {name}",
  "Column of {about}": "Spalte von {about}",
  "Comparison of {about}": "Vergleich von {about}",
  "Value of {about}": "Wert von {about}",
  "Levels of {about}, comma-separated": "Ausprägungen von {about}, durch Kommas getrennt",
  "Remove {about}": "{about} entfernen",
  "and below {below}": "und kleiner als {below}",
  "Add criterion {name}": "Kriterium hinzufügen {name}",
  "to {name}": "zu {name}",
  "Study file (YAML)": "Studiendatei (YAML)",
  "Privacy and precision": "Datenschutz und Genauigkeit",
  "more private": "mehr Schutz",
  "more precise": "genauer",
  "ε = {value}: {word} protection": "ε = {value}: {word} Schutz",
  "Epsilon (ε)": "Epsilon (ε)",
  "Enter a number above 0: 1 is common.": "Geben Sie eine Zahl über 0 ein: 1 ist üblich.",
  Features: "Merkmale",
  "Features: columns with their declared bounds or levels":
    "Merkmale: Spalten mit ihren deklarierten Grenzen oder Ausprägungen",
  "Min, or levels": "Min. oder Ausprägungen",
  Max: "Max.",
  "Bin edges": "Klassengrenzen",
  Remove: "Entfernen",
  "Show more of {features}": "Mehr von {features} anzeigen",
  "Add number": "Zahl hinzufügen",
  "Add category": "Kategorie hinzufügen",
  "{what} of {more}": "{what} von {more}",
  "feature {index}": "Merkmal {index}",
  Name: "Name",
  number: "Zahl",
  category: "Kategorie",
  Minimum: "Minimum",
  Maximum: "Maximum",
  "Remove {more}": "{more} entfernen",
  "Two-way tables": "Kreuztabellen",
  "Each counts all combinations of two columns, such as age by sex.":
    "Jede zählt alle Kombinationen zweier Spalten, etwa Alter nach Geschlecht.",
  "two-way table {index}": "Kreuztabelle {index}",
  "{what} column of {about}": "{what} Spalte von {about}",
  "{pair} (not declared)": "{pair} (nicht deklariert)",
  First: "Erste",
  by: "nach",
  Second: "Zweite",
  "Add two-way table": "Kreuztabelle hinzufügen",
  "The plan appears once the file has no errors.": "Der Plan erscheint, sobald die Datei keine Fehler hat.",
  "It shows the data each site would send, their form, who learns what, and the privacy cost.":
    "Er zeigt die Daten, die jeder Standort senden würde, ihre Form, wer was erfährt, und die Datenschutzkosten.",
  "This plan is for an earlier version of the file.":
    "Dieser Plan gehört zu einer früheren Fassung der Datei.",
  "Plan: privacy": "Plan: Datenschutz",
  "Before you start": "Bevor Sie starten",
  "Plan: data sent by each site": "Plan: von jedem Standort gesendete Daten",
  "At most {uploadBytesPerSite} from each site, in {stages}. A repeated attempt sends the stage's data again and costs the same again.":
    "Höchstens {uploadBytesPerSite} von jedem Standort, in {stages}. Ein wiederholter Versuch sendet die Daten der Stufe erneut und kostet erneut dasselbe.",
  Stages: "Stufen",
  "Who learns what": "Wer was erfährt",
  Bytes: "Bytes",
  "Plan: dropout tolerance": "Plan: Ausfalltoleranz",
  "Number of sites that must remain to the end of every sum":
    "Zahl der Standorte, die bis zum Ende jeder Summe bleiben müssen",
  "Participating sites": "Teilnehmende Standorte",
  "Must remain": "Müssen bleiben",
  "May drop out": "Dürfen ausfallen",
  "Start {name}?": "{name} starten?",
  "Start study": "Studie starten",
  "It is offered to {asked} sites, {online} of them online. Each site applies its own policy and charges its own ledger.":
    "Sie wird {asked} Standorten angeboten, {online} davon online. Jeder Standort wendet seine eigene Richtlinie an und verbucht in seinem eigenen Budgetbuch.",
  Sites: "Standorte",
  "From each": "Von jedem",
  "Why the claim is not reliable:": "Warum die Behauptung nicht verlässlich ist:",
  "1. What do you want to know?": "1. Was möchten Sie wissen?",
  "2. About whom, and which variables?": "2. Über wen, und welche Variablen?",
  "Bounds and levels are public declarations, never read from a table: reading them would reveal information about records before any protection applies.":
    "Grenzen und Ausprägungen sind öffentliche Angaben und werden nie aus einer Tabelle gelesen: sie zu lesen würde Information über Datensätze offenlegen, bevor ein Schutz greift.",
  "Advanced parameters": "Erweiterte Parameter",
  "3. How private?": "3. Wie viel Datenschutz?",
  "4. Who takes part, and until when?": "4. Wer nimmt teil, und bis wann?",
  "Advanced: rounds and collusion": "Erweitert: Runden und Kollusion",
  "5. Check and start": "5. Prüfen und starten",
  "About the release: description, creator, access": "Zur Veröffentlichung: Beschreibung, Urheber, Zugang",
  "Who asks: investigator, contact, purpose, protocol, ethics vote, legal basis, retention":
    "Wer fragt: Studienleitung, Kontakt, Zweck, Studienprotokoll, Ethikvotum, Rechtsgrundlage, Aufbewahrung",
  "The event": "Das Ereignis",
  "The outcome": "Die Zielgröße",
  "In proportion to (exposure)": "Im Verhältnis zu (Exposition)",
  "Time of follow-up": "Nachbeobachtungszeit",
  "nothing: each row counts alike": "nichts: jede Zeile zählt gleich",
  "choose one": "bitte wählen",
  "{own} (not declared)": "{own} (nicht deklariert)",
  "With noise, at a cost of ε and δ to every record":
    "Mit Rauschen, zu Kosten von ε und δ für jeden Datensatz",
  "None: for public data only, and only at sites whose policy allows it":
    "Keiner: nur für öffentliche Daten, und nur an Standorten, deren Richtlinie es erlaubt",
  "Precision to expect": "Erwartete Genauigkeit",
  "It appears once the file is checked.": "Sie erscheint, sobald die Datei geprüft ist.",
  "It appears once these are complete:": "Sie erscheint, sobald dies vollständig ist:",
  "Without {columns}, still incomplete:": "Ohne {columns}, noch unvollständig:",
  "and {count} more": "und {count} weitere",
  Result: "Ergebnis",
  "Smallest group that shows: more than {count}. A smaller one cannot be told from none.":
    "Kleinste sichtbare Gruppe: mehr als {count}. Eine kleinere ist von keiner nicht zu unterscheiden.",
  "At most {most} days after the sites were invited.":
    "Höchstens {most} Tage nach der Einladung der Standorte.",
  "The new deadline is {until}.": "Die neue Frist ist {until}.",
  "The deadline cannot be moved by a day: it is within a day of {most} days after the sites were invited, the longest that a study may wait for them.":
    "Die Frist lässt sich um keinen Tag verschieben: Sie liegt weniger als einen Tag vor {most} Tagen nach der Einladung der Standorte, und länger darf eine Studie nicht auf sie warten.",
  "Enter 1: the deadline can be moved by one day at most.":
    "Geben Sie 1 ein: Die Frist lässt sich um höchstens einen Tag verschieben.",
  "Enter a whole number of days from 1 to {most}.":
    "Geben Sie eine ganze Zahl von Tagen von 1 bis {most} ein.",
  "A study waits here only where the {policy} leaves the decision to a person: under Approval it says which, and which ones it decides by itself.":
    "Eine Studie wartet hier nur, wo die {policy} die Entscheidung einem Menschen überlässt: Unter „Freigabe“ steht dort, welche das sind und welche sie selbst entscheidet.",
  "policy|link": "Richtlinie",
  "Decided by": "Entschieden von",
  "the policy|decides": "der Richtlinie",
  "Decided by policy.": "Entschieden von der Richtlinie.",
  "To decide by hand, set Approval to “{choice}” in the {policy}: it holds for studies that are offered afterwards.":
    "Um selbst zu entscheiden, stellen Sie die Freigabe in der {policy} auf „{choice}“: Das gilt für Studien, die danach angeboten werden.",
  "The {policy} says which studies a person decides.":
    "Welche Studien ein Mensch entscheidet, sagt die {policy}.",
  "These numbers of rows are assumed, because Expected rows is empty: what the study will tell depends on how many rows there are.":
    "Diese Zeilenzahlen sind angenommen, weil „Erwartete Zeilen“ leer ist: Was die Studie zeigen kann, hängt davon ab, wie viele Zeilen es gibt.",
  "{each} patients a hospital": "{each} Patienten je Krankenhaus",
  "{each} rows a hospital": "{each} Zeilen je Krankenhaus",
  "Expected rows: about how many patients do all hospitals together have?":
    "Erwartete Zeilen: Wie viele Patienten haben alle Krankenhäuser zusammen ungefähr?",
  "Expected rows: about how many rows do all hospitals together have?":
    "Erwartete Zeilen: Wie viele Zeilen haben alle Krankenhäuser zusammen ungefähr?",
  "A rough number is enough, such as 12000. It is public: ask the hospitals, or take it from a former study.":
    "Eine ungefähre Zahl genügt, wie 12000. Sie ist öffentlich: Fragen Sie die Krankenhäuser, oder nehmen Sie sie aus einer früheren Studie.",
  "Use {rows}": "{rows} übernehmen",
  "Proposed: {study}, with {sites} hospitals, counted about so many on this table.":
    "Vorschlag: {study} mit {sites} Krankenhäusern hat in dieser Tabelle ungefähr so viele gezählt.",
  "Proposed: {study} expected so many on this table.":
    "Vorschlag: {study} hat in dieser Tabelle so viele erwartet.",
  "Still to be corrected in this step:": "In diesem Schritt noch zu berichtigen:",
  "Next: {step}": "Weiter: {step}",
  "{of}: {what}": "{of}: {what}",
  "{of}: is empty": "{of}: ist leer",
  "Propose bin edges for {count} columns": {
    one: "Klassengrenzen für {count} Spalte vorschlagen",
    other: "Klassengrenzen für {count} Spalten vorschlagen",
  },
  "Counted exactly as the study's first step will count them, before noise is added. The release shows the sum of all hospitals with noise.":
    "Genau so gezählt, wie der erste Schritt der Studie zählen wird, vor dem Rauschen. Die Veröffentlichung zeigt die Summe aller Krankenhäuser mit Rauschen.",
  "Step|of a coefficient": "Schrittweite",
  "Step: the increase of a number that its coefficient is for, such as 10 years; 1 where it is empty. A tenth of the declared range, rounded, is proposed.":
    "Schrittweite: der Anstieg einer Zahl, für den ihr Koeffizient gilt, etwa 10 Jahre; 1, wo nichts steht. Vorgeschlagen wird ein Zehntel der deklarierten Spannweite, gerundet.",
  "Propose steps for {count} columns": {
    one: "Schrittweite für {count} Spalte vorschlagen",
    other: "Schrittweiten für {count} Spalten vorschlagen",
  },
  "Bin edges of {name} are proposed: equal widths between its bounds. Change them where others are customary.":
    "Die Klassengrenzen von {name} sind vorgeschlagen: gleiche Breiten zwischen den Grenzen. Ändern Sie sie, wo andere üblich sind.",
  "Use the proposal: {edges}": "Vorschlag übernehmen: {edges}",
  "Set it to 0": "Auf 0 setzen",
  "the file": "die Datei",
  "The question": "Die Frage",
  "Columns|of a study": "Spalten",
  "Columns|of a table": "Spalten",
  "Seen|in a column": "Gefunden",
  "{first} to {last}, as {format}": "{first} bis {last}, als {format}",
  "{text}: {cells} (not declared)": "{text}: {cells} (nicht deklariert)",
  "others: {cells}": "übrige: {cells}",
  "{rows} rows with a cell that cannot be read, beside {others} others":
    "{rows} Zeilen mit einer Zelle, die nicht gelesen werden kann, neben {others} übrigen",
  "{name}, mean": "{name}, Mittelwert",
  "{name}, share of {text}": "{name}, Anteil von {text}",
  "These rows": "Diese Zeilen",
  "The others": "Die übrigen",
  Difference: "Unterschied",
  "more than chance": "mehr als Zufall",
  "Condition {of}": "Bedingung {of}",
  "Two-way table {index}": "Kreuztabelle {index}",
  "is empty: {what}": "ist leer: {what}",
  "fill it in, or remove it": "füllen Sie es aus, oder entfernen Sie es",
  "enter a round number below every plausible value, from public knowledge, never from records":
    "geben Sie eine runde Zahl unter jedem plausiblen Wert ein, aus öffentlichem Wissen, nie aus Datensätzen",
  "enter a round number above every plausible value, from public knowledge, never from records":
    "geben Sie eine runde Zahl über jedem plausiblen Wert ein, aus öffentlichem Wissen, nie aus Datensätzen",
  "enter every value that the column may have, separated by commas, from public knowledge":
    "geben Sie jeden Wert ein, den die Spalte haben kann, durch Kommas getrennt, aus öffentlichem Wissen",
  "enter the column's name in the table": "geben Sie den Namen der Spalte in der Tabelle ein",
  "add a column above": "fügen Sie oben eine Spalte hinzu",
  "choose a table, or enter its name": "wählen Sie eine Tabelle, oder geben Sie ihren Namen ein",
  "enter a name for the study: small letters, digits and single hyphens":
    "geben Sie der Studie einen Namen: Kleinbuchstaben, Ziffern und einzelne Bindestriche",
  "say what this release is about": "sagen Sie, worum es in dieser Veröffentlichung geht",
  "enter a number above 0: 1 is common": "geben Sie eine Zahl über 0 ein: 1 ist üblich",
  "enter a small number, such as 0.000001": "geben Sie eine kleine Zahl ein, wie 0.000001",
  "enter the most rows that one hospital may use, such as 10000":
    "geben Sie ein, wie viele Zeilen ein Krankenhaus höchstens verwendet, wie 10000",
  "enter the column that says whose row it is": "geben Sie die Spalte ein, die sagt, wessen Zeile es ist",
  "enter how many rows of a patient are used at most, such as 4":
    "geben Sie ein, wie viele Zeilen eines Patienten höchstens verwendet werden, wie 4",
  "enter a whole number": "geben Sie eine ganze Zahl ein",
  "choose one of those declared above": "wählen Sie eines der oben deklarierten",
  "is still the template's text: replace it, or empty the field":
    "ist noch der Text der Vorlage: ersetzen Sie ihn, oder leeren Sie das Feld",
  "are missing: take the proposal, or enter ascending numbers between the minimum and the maximum":
    "fehlen: übernehmen Sie den Vorschlag, oder geben Sie aufsteigende Zahlen zwischen Minimum und Maximum ein",
  "must ascend: each number greater than the one before, separated by commas":
    "muss aufsteigen: jede Zahl größer als die vorige, durch Kommas getrennt",
  "must lie above the minimum, and at most at the maximum":
    "muss über dem Minimum liegen und darf nicht über dem Maximum liegen",
  "must be greater than the minimum; are the two swapped?":
    "muss größer als das Minimum sein; sind die beiden vertauscht?",
  "must lie between the minimum and the maximum of the column":
    "muss zwischen Minimum und Maximum der Spalte liegen",
  "The column {name} is there twice, also as number {before} of the list: remove one of them.":
    "Die Spalte {name} steht zweimal da, auch als Nummer {before} der Liste: entfernen Sie eine von beiden.",
  "{name} is among the columns above too: remove it there, or choose another column here.":
    "{name} steht auch oben unter den Spalten: entfernen Sie sie dort, oder wählen Sie hier eine andere.",
  "{name} is used in the study too: the column that says whose row it is must be used for nothing else.":
    "{name} wird in der Studie auch verwendet: Die Spalte, die sagt, wessen Zeile es ist, darf für nichts anderes dienen.",
  "The column {name} is not among the columns above: add it there, or choose another.":
    "Die Spalte {name} steht nicht oben unter den Spalten: fügen Sie sie dort hinzu, oder wählen Sie eine andere.",
  "{level} is not among the levels of {name} above: add it there, or correct it here.":
    "{level} ist keine der Ausprägungen von {name} oben: fügen Sie sie dort hinzu, oder berichtigen Sie sie hier.",
  "{value} is not above the minimum ({min}) and at most at the maximum ({max}) of {name}: every number, or none, would meet it.":
    "{value} liegt nicht über dem Minimum ({min}) und höchstens beim Maximum ({max}) von {name}: Jede Zahl würde es erfüllen, oder keine.",
  "Condition {at} has this name already: give each its own.":
    "Bedingung {at} hat diesen Namen schon: geben Sie jeder einen eigenen.",
  "must be at most Minimum sites less 2: two honest sites at least must remain":
    "darf höchstens „Mindestzahl der Standorte“ minus 2 sein: mindestens zwei ehrliche Standorte müssen bleiben",
  "is more than Max rows per site times the number of sites: correct either":
    "ist mehr als „Höchstzahl der Zeilen je Standort“ mal Zahl der Standorte: berichtigen Sie eines von beiden",
  "fewer sites are chosen than Minimum sites asks for":
    "es sind weniger Standorte gewählt, als „Mindestzahl der Standorte“ verlangt",
  "cannot be public without noise: a sum without it shows records":
    "können ohne Rauschen nicht öffentlich sein: Eine Summe ohne Rauschen zeigt Datensätze",
  "cannot be public for a published method: what its sums show of a record is not proven":
    "können bei einer publizierten Methode nicht öffentlich sein: Was ihre Summen von einem Datensatz zeigen, ist nicht bewiesen",
  "cannot be public: stage {stage} is no proven sum with noise":
    "können nicht öffentlich sein: Stufe {stage} ist keine bewiesene Summe mit Rauschen",
  "must be 0: follow-up and counts begin there; the maximum is where the follow-up ends":
    "muss 0 sein: Dort beginnen Nachbeobachtung und Zählungen; beim Maximum endet die Nachbeobachtung",
  "rows with a negative value must be left out: they are errors":
    "Zeilen mit einem negativen Wert müssen weggelassen werden: sie sind Fehler",
  "rows without a value must be left out: nothing can stand for it":
    "Zeilen ohne Wert müssen weggelassen werden: nichts kann für ihn stehen",
  "ends with the maximum, which ends the last interval anyway: remove that number":
    "endet mit dem Maximum, das das letzte Intervall ohnehin beendet: entfernen Sie diese Zahl",
  "is still “My study”: say what this release is about":
    "ist noch „My study“: sagen Sie, worum es in dieser Veröffentlichung geht",
  "“{text}” is not a number: write it like 10000 or 1.5, without separators of thousands.":
    "„{text}“ ist keine Zahl: schreiben Sie sie wie 10000 oder 1.5, mit Punkt und ohne Tausendertrennung.",
  "Write numbers, separated by commas, such as 10, 12.5, 20.":
    "Schreiben Sie Zahlen, durch Kommas getrennt, wie 10, 12.5, 20.",
  "must be greater than {bound}": "muss größer als {bound} sein",
  "There is no table {table} at {sites}.": "Bei {sites} gibt es keine Tabelle {table}.",
  "The table {table} has no column {name} at {sites}.":
    "Die Tabelle {table} hat bei {sites} keine Spalte {name}.",
  "{name} is of the type {type} at {sites}, which the study does not read as declared.":
    "{name} hat bei {sites} den Typ {type}, den die Studie nicht wie deklariert lesen kann.",
  "{name} is of the type {type} at {sites}: declare it as a category.":
    "{name} hat bei {sites} den Typ {type}: deklarieren Sie die Spalte als Kategorie.",
  "Did you mean {name}?": "Meinten Sie {name}?",
  "must be a number": "muss eine Zahl sein",
  "must be a whole number": "muss eine ganze Zahl sein",
  "is too long: at most {most} characters": "ist zu lang: höchstens {most} Zeichen",
  "{rows} in each group": "{rows} in jeder Gruppe",
  "Likely within, at 95 %": "Wahrscheinlich genau auf, bei 95 %",
  "Result, likely within at 95 %": "Ergebnis, wahrscheinlich genau auf bei 95 %",
  "At best": "Bestenfalls",
  "Computed as the release's intervals are, over invented rows. Likely: two thirds of a number's values lie in a third of its bounds, columns correlate, categories are uneven and the outcome depends on them. At best: values fill their bounds, and nothing goes with anything. For one figure in five, and two in five of a regression, the release is more than twice as wide or as narrow as is likely.":
    "Berechnet wie die Intervalle der Veröffentlichung, über erfundene Zeilen. Wahrscheinlich: zwei Drittel der Werte einer Zahl liegen in einem Drittel ihrer Grenzen, Spalten korrelieren, Kategorien sind ungleich besetzt, und die Zielgröße hängt von ihnen ab. Bestenfalls: Werte füllen ihre Grenzen, und nichts hängt zusammen. Bei einer von fünf Angaben, und zwei von fünf einer Regression, ist die Veröffentlichung mehr als doppelt so ungenau oder genau wie wahrscheinlich.",
  "Expected events: about how many of them have the event?":
    "Erwartete Ereignisse: bei etwa wie vielen davon tritt das Ereignis ein?",
  "A rough number is enough. Precision depends on it: a rare event tells less. It is public, as the rows are.":
    "Eine grobe Zahl genügt. Die Genauigkeit hängt davon ab: ein seltenes Ereignis sagt weniger. Sie ist öffentlich, wie die Zeilen.",
  "{rows} in all": "{rows} insgesamt",
  "Advanced: delta": "Erweitert: Delta",
  "Delta (δ)": "Delta (δ)",
  "Much less than 1 / (number of records), such as 0.00001.":
    "Viel kleiner als 1 / (Zahl der Datensätze), etwa 0,00001.",
  "Outcome or group": "Zielgröße oder Gruppe",
  "The table has an outcome column": "Die Tabelle hat eine Spalte mit der Zielgröße",
  "Divide the results by a column: groups, or an outcome":
    "Ergebnisse nach einer Spalte teilen: Gruppen oder eine Zielgröße",
  "Outcome's column": "Spalte der Zielgröße",
  "Its column": "Ihre Spalte",
  "comma-separated": "durch Kommas getrennt",
  "All sites enrolled at the start ({enrolled} now)":
    "Alle Standorte, die beim Start angemeldet sind (jetzt {enrolled})",
  "Only these": "Nur diese",
  "not enrolled": "nicht angemeldet",
  "Whom it protects": "Wen es schützt",
  "Protect patients instead of rows (a patient may have several rows)":
    "Patienten statt Zeilen schützen (ein Patient kann mehrere Zeilen haben)",
  "Patient's column": "Spalte des Patienten",
  "Identifies the patient; not used for anything else.":
    "Identifiziert den Patienten; wird für nichts anderes verwendet.",
  "Maximum rows per patient": "Höchstzahl der Zeilen je Patient",
  "Sites exclude further rows.": "Standorte lassen weitere Zeilen weg.",
  "Patients with several rows": "Patienten mit mehreren Zeilen",
  "Weighed: all rows of a patient together count as one, with the noise for one row. Counted: noise grows with the number of rows.":
    "Gewichtet: alle Zeilen eines Patienten zählen zusammen als eine, mit dem Rauschen für eine Zeile. Gezählt: das Rauschen wächst mit der Zahl der Zeilen.",
  "Default (weighed where the method can)": "Voreinstellung (gewichtet, wo die Methode es kann)",
  "Weighed: sums count patients": "Gewichtet: Summen zählen Patienten",
  "Counted: sums count rows": "Gezählt: Summen zählen Zeilen",
  "Table (required)": "Tabelle (erforderlich)",
  "{hint} Shared by {value}.": "{hint} Gemeldet von {value}.",
  "Add a column of the table": "Spalte der Tabelle hinzufügen",
  "Add a column of the table…": "Spalte der Tabelle hinzufügen …",
  "; missing at {value}": "; fehlt bei {value}",
  "Start from an example or a file": "Mit einem Beispiel oder einer Datei beginnen",
  "Start from": "Beginnen mit",
  "Examples on a public table of breast biopsies and a made-up trial, one for each method.":
    "Beispiele auf einer öffentlichen Tabelle von Brustbiopsien und einer erfundenen klinischen Prüfung, eines je Methode.",
  "this draft": "diesem Entwurf",
  "Or open a file": "Oder eine Datei öffnen",
  "It stays in this browser until you start the study.":
    "Sie bleibt in diesem Browser, bis Sie die Studie starten.",
  "default: {usual}": "Voreinstellung: {usual}",
  " (required)": " (erforderlich)",
  "see the file": "siehe die Datei",
  Default: "Voreinstellung",
  "Default ({usual})": "Voreinstellung ({usual})",
  "The preview appears once the study has a question and a column.":
    "Die Vorschau erscheint, sobald die Studie eine Frage und eine Spalte hat.",
  "Illustration, no data": "Illustration, keine Daten",
  "Names are those of the draft. Dots stand for what the records will say; the figures' values are made up.":
    "Die Namen sind die des Entwurfs. Punkte stehen für das, was die Datensätze ergeben werden; die Werte der Abbildungen sind erfunden.",
  "illustration, no data": "Illustration, keine Daten",
  "Illustration, no data. {title}": "Illustration, keine Daten. {title}",
  "Illustration, no data: {title}": "Illustration, keine Daten: {title}",
  "More rows follow.": "Weitere Zeilen folgen.",
  "every record": "jeder Datensatz",
  ", and ": " und ",
  "{column} is missing": "{column} fehlt",
  "{column} is not missing": "{column} fehlt nicht",
  "{column} is {values}": "{column} ist {values}",
  " or ": " oder ",
  "{column} is at least {value}": "{column} ist mindestens {value}",
  "{column} is below {value}": "{column} ist kleiner als {value}",
  " and ": " und ",
  "What do you want to know?": "Was möchten Sie wissen?",
  "Methods as published, not proven ({published})":
    "Methoden wie veröffentlicht, nicht bewiesen ({published})",
  "The authors' own versions, to compare with. The plan says why their privacy claim does not hold; hospitals must allow them.":
    "Die eigenen Fassungen der Autoren, zum Vergleich. Der Plan sagt, warum ihre Datenschutzbehauptung nicht gilt; Krankenhäuser müssen sie erlauben.",
  "Who are the patients?": "Wer sind die Patienten?",
  "A table one: counts, shares, means and medians of every column, by group, with histograms.":
    "Eine Tabelle 1: Anzahlen, Anteile, Mittelwerte und Mediane jeder Spalte, nach Gruppen, mit Histogrammen.",
  "How many patients meet these conditions?": "Wie viele Patienten erfüllen diese Bedingungen?",
  "A feasibility count with its interval for each condition, at a small privacy cost.":
    "Eine Machbarkeitszählung mit Intervall für jede Bedingung, zu geringen Datenschutzkosten.",
  "What goes with an outcome?": "Was hängt mit einer Zielgröße zusammen?",
  "Odds, rate or hazard ratios, or differences in means, of each column, adjusted for the others.":
    "Odds Ratios, Raten- oder Hazard Ratios oder Mittelwertdifferenzen jeder Spalte, für die anderen adjustiert.",
  "How long until an event?": "Wie lange bis zu einem Ereignis?",
  "Survival curves with bands, by treatment or another group, and the log-rank test.":
    "Überlebenskurven mit Bändern, nach Behandlung oder einer anderen Gruppe, und der Log-Rank-Test.",
  "Can others work on rows like ours?": "Können andere mit Zeilen wie unseren arbeiten?",
  "A table of made-up patients that has the same counts, to write and try analyses on.":
    "Eine Tabelle erfundener Patienten mit denselben Anzahlen, um Analysen zu schreiben und zu erproben.",
  "How does the risk change with each variable?": "Wie ändert sich das Risiko mit jeder Variablen?",
  "A risk model of one curve for each column, which people can read and check.":
    "Ein Risikomodell mit einer Kurve je Spalte, das Menschen lesen und prüfen können.",
  "Can a model predict the outcome?": "Kann ein Modell die Zielgröße vorhersagen?",
  "Boosted trees to run on new patients, with their accuracy on held-out rows.":
    "Geboostete Bäume für neue Patienten, mit ihrer Genauigkeit auf zurückgehaltenen Zeilen.",
  "Which few questions tell patients apart?": "Welche wenigen Fragen unterscheiden Patienten?",
  "One small decision tree that a person can follow from top to bottom.":
    "Ein kleiner Entscheidungsbaum, dem man von oben nach unten folgen kann.",
  "Which variables matter most?": "Welche Variablen sind am wichtigsten?",
  "A ranking of many columns by what each tells of the outcome, and the best of them.":
    "Eine Rangliste vieler Spalten danach, was jede über die Zielgröße aussagt, und die besten davon.",
  "Which columns can be published in groups of at least K patients?":
    "Welche Spalten können in Gruppen von mindestens K Patienten veröffentlicht werden?",
  "Coarse rows of the most telling columns, every combination held by K patients or more.":
    "Grobe Zeilen der aussagekräftigsten Spalten, jede Kombination bei K oder mehr Patienten.",
  "Which patterns do many measurements share?": "Welche Muster teilen viele Messwerte?",
  "Principal components, their loadings, and synthetic rows reduced to them.":
    "Hauptkomponenten, ihre Ladungen und darauf reduzierte synthetische Zeilen.",
  "Noisy counts at every node: the usual choice.": "Verrauschte Zählungen an jedem Knoten: die übliche Wahl.",
  "Correlations of blocks of rows: for few rows and many columns.":
    "Korrelationen von Zeilenblöcken: für wenige Zeilen und viele Spalten.",
  "Distances to noisy prototypes: the usual choice.":
    "Abstände zu verrauschten Prototypen: die übliche Wahl.",
  "Weights found by blocks of rows at each site, then averaged.":
    "An jedem Standort aus Zeilenblöcken gefundene und dann gemittelte Gewichte.",
  "Yes or no": "Ja oder nein",
  "Such as readmitted: odds ratios (logistic regression).":
    "Etwa wiederaufgenommen: Odds Ratios (logistische Regression).",
  "A number": "Eine Zahl",
  "Such as blood pressure: differences in the mean (linear regression).":
    "Etwa Blutdruck: Mittelwertdifferenzen (lineare Regression).",
  "A count": "Eine Anzahl",
  "Such as admissions in a year: rate ratios (Poisson regression).":
    "Etwa Aufnahmen in einem Jahr: Ratenverhältnisse (Poisson-Regression).",
  "Time until an event": "Zeit bis zu einem Ereignis",
  "Such as months to relapse: hazard ratios (Cox regression).":
    "Etwa Monate bis zum Rezidiv: Hazard Ratios (Cox-Regression).",
  "What kind of outcome?": "Welche Art von Zielgröße?",
  "By which method?": "Mit welcher Methode?",
  "{methods} ({variant}): the privacy claim is not proven.":
    "{methods} ({variant}): die Datenschutzbehauptung ist nicht bewiesen.",
  "at least {minimum}": "mindestens {minimum}",
  "more than {exclusiveMinimum}": "mehr als {exclusiveMinimum}",
  "less than {most}": "weniger als {most}",
  "at most {most}": "höchstens {most}",
  "aliases are not allowed; write the value out": "Aliasse sind nicht erlaubt; schreiben Sie den Wert aus",
  "the file must contain keys and values": "die Datei muss Schlüssel und Werte enthalten",
  "{count} warnings": { one: "{count} Warnung", other: "{count} Warnungen" },
  "{count} errors": { one: "{count} Fehler", other: "{count} Fehler" },
  "{count} errors:": { one: "{count} Fehler:", other: "{count} Fehler:" },
  "{count} stages|dative": { one: "{count} Stufe", other: "{count} Stufen" },
  "at most {uploadBytesPerSite}, in {count} stages": {
    one: "höchstens {uploadBytesPerSite}, in {count} Stufe",
    other: "höchstens {uploadBytesPerSite}, in {count} Stufen",
  },
  "{count} more figures": { one: "{count} weitere Abbildung", other: "{count} weitere Abbildungen" },
  "{count} more rows follow.": {
    one: "{count} weitere Zeile folgt.",
    other: "{count} weitere Zeilen folgen.",
  },
  // operator/studies
  "ε {epsilon}, if each stage runs once; budgets are charged by zCDP":
    "ε {epsilon}, wenn jede Stufe einmal läuft; Budgets werden nach zCDP verbucht",
  "Privacy, as planned": "Datenschutz, wie geplant",
  "Charged to sites": "Den Standorten verbucht",
  "Exact cost": "Exakte Kosten",
  "Unit of privacy": "Einheit des Datenschutzes",
  "the results": "die Ergebnisse",
  "This release has no figures; its rows and model are in the catalogue.":
    "Diese Veröffentlichung hat keine Abbildungen; ihre Zeilen und ihr Modell stehen im Katalog.",
  "{value} rows of {columns} columns were released: {value2}.":
    "{value} Zeilen mit {columns} Spalten wurden veröffentlicht: {value2}.",
  "Not evaluated: the study has evaluation: none.": "Nicht bewertet: die Studie hat evaluation: none.",
  "Evaluation on about {rows} held-out rows": "Bewertung auf etwa {rows} zurückgehaltenen Zeilen",
  "{low} to {high}": "{low} bis {high}",
  "Always predicting the most frequent class would be correct on {value} %. {method}":
    "Immer die häufigste Klasse vorherzusagen wäre bei {value} % richtig. {method}",
  "No studies are running. Create one under New study.":
    "Es laufen keine Studien. Erstellen Sie eine unter Neue Studie.",
  "Steps of {id}": "Schritte von {id}",
  "{stepsDone} of {steps} steps done": "{stepsDone} von {steps} Schritten erledigt",
  "{stepsDone} of {steps} steps{more}. {online} of {participants} sites online, {minimumSites} needed{more2}. {WaitedFor}":
    "{stepsDone} von {steps} Schritten{more}. {online} von {participants} Standorten online, {minimumSites} benötigt{more2}. {WaitedFor}",
  ", now {step}": ", jetzt {step}",
  ": too few to continue if this lasts": ": zu wenige zum Fortfahren, wenn das so bleibt",
  "the publisher": "den Veröffentlichungsdienst",
  "Waiting for {who}, {more}.": "Wartet auf {who}, {more}.",
  "{left} more": "noch {left}",
  "past the deadline": "Frist abgelaufen",
  "{value} and {rest} more": "{value} und {rest} weitere",
  "Sites by stages": "Standorte nach Stufen",
  "Sites by stages: state of each site in each stage":
    "Standorte nach Stufen: Zustand jedes Standorts in jeder Stufe",
  Received: "Empfangen",
  "Publishing: {closing}": "Veröffentlichung: {closing}",
  "released.": "veröffentlicht.",
  "sending the release to the publisher…":
    "die Veröffentlichung wird an den Veröffentlichungsdienst gesendet …",
  "not started.": "nicht begonnen.",
  ", attempt {attempt}": ", Versuch {attempt}",
  "not run": "nicht gelaufen",
  pending: "ausstehend",
  "{value} % of the upload": "{value} % des Uploads",
  "since {time}": "seit {time}",
  "Find by name, analysis or method": "Nach Name, Analyse oder Methode suchen",
  Order: "Reihenfolge",
  "Studies, {total}": "Studien, {total}",
  "Show more": "Mehr anzeigen",
  "{studies} of {total} are shown.": "{studies} von {total} werden angezeigt.",
  "No studies yet.": "Noch keine Studien.",
  "A study is one YAML file: the computation, the columns, the privacy and the number of sites. The form helps you write it and shows the cost before you start it.":
    "Eine Studie ist eine YAML-Datei: die Berechnung, die Spalten, der Datenschutz und die Zahl der Standorte. Das Formular hilft Ihnen beim Schreiben und zeigt die Kosten, bevor Sie sie starten.",
  "last ended first": "zuletzt beendete zuerst",
  "by name": "nach Name",
  "longest first": "längste zuerst",
  "With defaults filled in": "Mit eingesetzten Voreinstellungen",
  "Study as YAML": "Studie als YAML",
  "Sites and stages": "Standorte und Stufen",
  "Time line": "Zeitverlauf",
  "Privacy budgets of the hospitals": "Datenschutzbudgets der Krankenhäuser",
  "Each hospital keeps its own budget, one for each population of patients. It tells neither its limits nor what is left. Ask its data-protection officer, who sees both on the hospital's page {page} and with {command}.":
    "Jedes Krankenhaus führt sein eigenes Budget, eines je Population von Patienten. Es teilt weder seine Grenzen mit noch, was übrig ist. Fragen Sie seine Datenschutzbeauftragten, die beides auf der Seite {page} des Krankenhauses und mit {command} sehen.",
  "A refusal tells that a study costs more than is left, or more than one study may cost. A smaller ε, fewer stages or another table may be accepted; what is left after that, the refusal does not tell.":
    "Eine Ablehnung besagt, dass eine Studie mehr kostet, als übrig ist, oder mehr, als eine Studie kosten darf. Ein kleineres ε, weniger Stufen oder eine andere Tabelle können angenommen werden; was danach übrig ist, sagt die Ablehnung nicht.",
  "Latest refusals because of a budget, one a site":
    "Letzte Ablehnungen wegen eines Budgets, eine je Standort",
  "No site has refused a study because of its budget.":
    "Kein Standort hat eine Studie wegen seines Budgets abgelehnt.",
  "costs more than is left of the population's budget":
    "kostet mehr, als vom Budget der Population übrig ist",
  "costs more ε than one study may": "kostet mehr ε, als eine Studie kosten darf",
  "has a greater δ than one study may": "hat ein größeres δ, als eine Studie haben darf",
  "Two studies side by side": "Zwei Studien im Vergleich",
  "What differs between two studies' files, and what each took and cost.":
    "Worin sich die Dateien zweier Studien unterscheiden, und wie lange jede gedauert und was sie gekostet hat.",
  "Why it failed": "Warum sie fehlgeschlagen ist",
  "What differs": "Was sich unterscheidet",
  "Settings that differ": "Einstellungen, die sich unterscheiden",
  Setting: "Einstellung",
  "The studies' files do not differ.": "Die Dateien der Studien unterscheiden sich nicht.",
  "not set": "nicht gesetzt",
  "Time by part": "Zeit nach Teil",
  "How long each part took": "Wie lange jeder Teil gedauert hat",
  Part: "Teil",
  "Tick two studies to compare them.": "Kreuzen Sie zwei Studien an, um sie zu vergleichen.",
  "Compare {id}": "{id} vergleichen",
  "Compare {first} with {second}": "{first} mit {second} vergleichen",
  "Choose another study to compare with {id}.":
    "Wählen Sie eine weitere Studie, um sie mit {id} zu vergleichen.",
  "Time by site": "Zeit nach Standort",
  Total: "Summe",
  "How long the study waited for each site, the one that it waited for alone first":
    "Wie lange die Studie auf jeden Standort gewartet hat, zuerst der, auf den sie allein gewartet hat",
  "By the aggregator's clock. Decision: from the study's start until the hospital approved or denied it, by a person or by its policy; it is not in the total. All others: from when a step opened to the site's answer, which is computing, sending, and the time in which the site was offline.":
    "Nach der Uhr des Aggregators. Entscheidung: vom Beginn der Studie, bis das Krankenhaus sie genehmigt oder abgelehnt hat, durch einen Menschen oder seine Richtlinie; sie ist nicht in der Summe. Alle anderen: von der Öffnung eines Schritts bis zur Antwort des Standorts, also Rechnen, Senden und die Zeit, in der der Standort offline war.",
  "{site} alone has decided, after {time}.": "Nur {site} hat entschieden, nach {time}.",
  "The last two hospitals decided at the same time, {time} after the study's start.":
    "Die letzten beiden Krankenhäuser haben zugleich entschieden, {time} nach Beginn der Studie.",
  "{site} decided last, {time} after the study's start and {behind} after the second to last.":
    "{site} hat als letzter Standort entschieden, {time} nach Beginn der Studie und {behind} nach dem vorletzten.",
  "{site} alone has computed.": "Nur {site} hat gerechnet.",
  "Not all hospitals have decided yet; those that have are in the table.":
    "Noch nicht alle Krankenhäuser haben entschieden; die es haben, stehen in der Tabelle.",
  "Waiting for the last answer to each step took {waited}. In every step the last two sites answered within a twentieth of a second: no site was the slowest, and none was waited for alone.":
    "Das Warten auf die letzte Antwort zu jedem Schritt dauerte {waited}. In jedem Schritt haben die letzten beiden Standorte innerhalb einer Zwanzigstelsekunde geantwortet: Kein Standort war der langsamste, und auf keinen wurde allein gewartet.",
  "Waiting for the last answer to each step took {waited}. In {count} steps {site} was last, {alone} in all after the second to last site: for that long the study waited for it alone.":
    {
      one: "Das Warten auf die letzte Antwort zu jedem Schritt dauerte {waited}. In {count} Schritt war {site} der letzte, {alone} nach dem vorletzten Standort: So lange wurde auf ihn allein gewartet.",
      other:
        "Das Warten auf die letzte Antwort zu jedem Schritt dauerte {waited}. In {count} Schritten war {site} der letzte, insgesamt {alone} nach dem vorletzten Standort: So lange wurde auf ihn allein gewartet.",
    },
  "{total} in all: {decisions} until the hospitals had decided, and {rest} for all steps after that.":
    "Insgesamt {total}: {decisions}, bis die Krankenhäuser entschieden hatten, und {rest} für alle Schritte danach.",
  "{total} so far: {decisions} until the hospitals had decided, and {rest} for the steps after that.":
    "Bisher {total}: {decisions}, bis die Krankenhäuser entschieden hatten, und {rest} für die Schritte danach.",
  "This bar has a scale of its own: deciding took longer than all other steps together. The bars below share one.":
    "Dieser Balken hat einen eigenen Maßstab: Das Entscheiden hat länger gedauert als alle anderen Schritte zusammen. Die Balken darunter haben einen gemeinsamen.",
  "No site has computed.": "Kein Standort hat gerechnet.",
  "denied after {time}": "abgelehnt nach {time}",
  "refused after {time}": "zurückgewiesen nach {time}",
  "Waited for it alone": "Nur auf ihn gewartet",
  "nothing: it ended before any stage was asked for": "nichts: sie endete, bevor eine Stufe angefragt wurde",
  "at most {asked} of {all} stages: those that were asked for":
    "höchstens {asked} von {all} Stufen: die angefragten",
  "What happened: {message}. {code}": "Was geschehen ist: {message}. {code}",
  "Released{more}.": "Veröffentlicht{more}.",
  ", from {value} rows": ", aus {value} Zeilen",
  "{link}: its files, its certificate, and how to read them.":
    "{link}: ihre Dateien, ihr Zertifikat und wie man sie liest.",
  "Open the release in the catalogue": "Veröffentlichung im Katalog öffnen",
  "{message}. {remedy}. The study continues automatically. {code}":
    "{message}. {remedy}. Die Studie läuft selbsttätig weiter. {code}",
  "The aggregator is computing; no site is awaited.":
    "Der Aggregator rechnet; auf keinen Standort wird gewartet.",
  "Waiting for {more}": "Wartet auf {more}",
  "the sites": "die Standorte",
  "{more} (until {Moment}){more2}.": "{more} (bis {Moment}){more2}.",
  "The deadline has passed": "Die Frist ist abgelaufen",
  ". Then: {atDeadline}": ". Danach: {atDeadline}",
  "Duplicate and correct": "Duplizieren und korrigieren",
  "Duplicate study": "Studie duplizieren",
  "Resume…": "Fortsetzen …",
  "Cancel…": "Abbrechen …",
  "Cancel {name}?": "{name} abbrechen?",
  "Cancel study": "Studie abbrechen",
  "Accept the rest…": "Rest annehmen…",
  "Accept what stands of {name}?": "Annehmen, was von {name} steht?",
  "Accept and release": "Annehmen und veröffentlichen",
  "The study continues to its release without the missing parts, which the release names. A release is final: a later version adds nothing to it.":
    "Die Studie geht ohne die fehlenden Teile zu ihrer Veröffentlichung weiter, die sie nennt. Eine Veröffentlichung ist endgültig: eine spätere Version fügt ihr nichts hinzu.",
  "The result is computed again from the stored sums; no site is charged again. The same version comes to the same.":
    "Das Ergebnis wird aus den gespeicherten Summen erneut berechnet; kein Standort wird erneut belastet. Dieselbe Version kommt zum selben.",
  "The study ends now, without a release, and cannot be resumed. Charges for requested stages stay; the unused part of each site's reservation is released.":
    "Die Studie endet jetzt ohne Veröffentlichung und kann nicht fortgesetzt werden. Buchungen für angefragte Stufen bleiben; der ungenutzte Teil der Reservierung jedes Standorts wird frei.",
  "Stage, SHA-256": "Stufe, SHA-256",
  "Begin now…": "Jetzt beginnen …",
  "Give more time…": "Mehr Zeit geben …",
  "Begin {name} now?": "{name} jetzt beginnen?",
  "Begin with {joined} sites": "Mit {joined} Standorten beginnen",
  "The study begins with the sites that have joined, and does not wait for its deadline. Sites that have not decided cannot join afterwards.":
    "Die Studie beginnt mit den beigetretenen Standorten und wartet nicht auf ihre Frist. Standorte, die nicht entschieden haben, können danach nicht mehr beitreten.",
  "More time for {name}?": "Mehr Zeit für {name}?",
  "Move the deadline": "Frist verschieben",
  "The deadlines of later steps stay as the sites have approved them.":
    "Die Fristen späterer Schritte bleiben, wie die Standorte sie freigegeben haben.",
  "Days after the present deadline": "Tage nach der jetzigen Frist",
  "Resume {name}?": "{name} fortsetzen?",
  "Resume study": "Studie fortsetzen",
  "The study continues from its last checkpoint. The failed stage runs again with fresh noise: each site is charged for it again, if its budget allows.":
    "Die Studie läuft ab ihrem letzten Sicherungspunkt weiter. Die fehlgeschlagene Stufe läuft mit neuem Rauschen erneut: jedem Standort wird sie erneut verbucht, wenn sein Budget es erlaubt.",
  "About this study": "Über diese Studie",
  Id: "ID",
  Duration: "Dauer",
  Events: "Ereignisse",
  "audit log": "Audit-Protokoll",
  Analysis: "Analyse",
  "Analysis, privacy": "Analyse, Datenschutz",
  "after {duration}": "nach {duration}",
  "{value} s": "{value} s",
  "Release withdrawn": "Veröffentlichung zurückgezogen",
  "Release superseded": "Veröffentlichung ersetzt",
  "Superseded by": "Ersetzt durch",
  By: "Von",
  Signed: "Signiert",
  "not yet: the publisher does not answer; the aggregator tries again":
    "noch nicht: der Veröffentlichungsdienst antwortet nicht; der Aggregator versucht es erneut",
  "Supersede…": "Ersetzen …",
  "Withdraw release…": "Veröffentlichung zurückziehen …",
  "the reason is missing": "der Grund fehlt",
  "write it: readers of the page need it": "schreiben Sie ihn: Leser der Seite brauchen ihn",
  "no release is chosen": "keine Veröffentlichung gewählt",
  "choose the one that supersedes it": "wählen Sie die, die sie ersetzt",
  "Withdraw the release of {name}?": "Veröffentlichung von {name} zurückziehen?",
  "Supersede the release of {name}?": "Veröffentlichung von {name} ersetzen?",
  "Withdraw release": "Veröffentlichung zurückziehen",
  "Supersede release": "Veröffentlichung ersetzen",
  "This cannot be undone. The release's page stays and says when and why; of its files only the certificate is still served. Copies that were downloaded stay with their readers, and hospitals' privacy budgets stay charged.":
    "Das kann nicht rückgängig gemacht werden. Die Seite der Veröffentlichung bleibt und sagt, wann und warum; von ihren Dateien wird nur noch das Zertifikat ausgeliefert. Heruntergeladene Kopien bleiben bei ihren Lesern, und die Datenschutzbudgets der Krankenhäuser bleiben belastet.",
  "Both pages will link to each other, and the files of both stay available.":
    "Beide Seiten verweisen aufeinander, und die Dateien beider bleiben verfügbar.",
  "One line, shown on the public page": "Eine Zeile, auf der öffentlichen Seite sichtbar",
  "A reason is required": "Ein Grund ist erforderlich",
  "Release to use instead (optional)": "Stattdessen zu verwendende Veröffentlichung (optional)",
  "Release that supersedes it": "Veröffentlichung, die sie ersetzt",
  "The newest 100; the command line takes any": "Die neuesten 100; die Befehlszeile nimmt jede",
  "Choose a release": "Veröffentlichung wählen",
  none: "keine",
  "sites decide": "Standorte entscheiden",
  "sites exchange sealed secrets": "Standorte tauschen versiegelte Geheimnisse aus",
  "fresh keys": "neue Schlüssel",
  "shares of the masks": "Anteile der Masken",
  "masked vectors": "maskierte Vektoren",
  survivors: "Verbliebene",
  unmasking: "Demaskierung",
  rows: "Zeilen",
  "tags and counts": "Kennzeichen und Zählungen",
  countersigning: "Gegenzeichnung",
  "aggregator computing": "Aggregator rechnet",
  "publishing the release": "Veröffentlichung läuft",
  "ended here": "hier beendet",
  "Correct what the sites refuse, in a copy of this study, and start that.":
    "Korrigieren Sie, was die Standorte ablehnen, in einer Kopie dieser Studie, und starten Sie diese.",
  "Set-up": "Einrichtung",
  Countersign: "Gegenzeichnung",
  Publish: "Veröffentlichen",
  "{family} {number} of {last}": "{family} {number} von {last}",
  "waiting for sites to join": "wartet auf den Beitritt von Standorten",
  publishing: "wird veröffentlicht",
  "as published": "wie veröffentlicht",
  "no meaningful bound": "keine aussagekräftige Schranke",
  "Table one and counts": "Tabelle 1 und Anzahlen",
  "Regression: odds, rate and hazard ratios, differences in means":
    "Regression: Odds, Raten- und Hazard Ratios, Mittelwertdifferenzen",
  "Principal components": "Hauptkomponenten",
  "Correlation tree": "Korrelationsbaum",
  "Boosted trees": "Geboostete Bäume",
  "Feature selection": "Merkmalsauswahl",
  "K-anonymous selection": "K-anonyme Auswahl",
  "Survival (grouped times, log-rank)": "Überleben (gruppierte Zeiten, Log-Rank)",
  "Synthetic rows to publish": "Synthetische Zeilen zum Veröffentlichen",
  "table one, histograms, two-way tables": "Tabelle 1, Histogramme, Kreuztabellen",
  "how many records meet conditions": "wie viele Datensätze Bedingungen erfüllen",
  "logistic, linear, Poisson or Cox, with intervals": "logistisch, linear, Poisson oder Cox, mit Intervallen",
  "a table of made-up patients with the same counts":
    "eine Tabelle erfundener Patienten mit denselben Anzahlen",
  "Waiting for disk space": "Wartet auf Speicherplatz",
  "Paused: another version": "Ruht: andere Version",
  "Waiting ({code})": "Wartet ({code})",
  // shared
  "interactive chart": "interaktives Diagramm",
  "Arrow keys step through the values, Home and End go to the first and the last, Escape leaves them.":
    "Pfeiltasten gehen durch die Werte, Pos1 und Ende zum ersten und letzten, Escape verlässt sie.",
  "Series shown": "Gezeigte Reihen",
  "Zoom in": "Vergrößern",
  "Reset zoom": "Ganzes Diagramm",
  "Or drag across the chart.": "Oder ziehen Sie mit der Maus über das Diagramm.",
  "Drag across the chart to zoom in.": "Zum Vergrößern mit der Maus über das Diagramm ziehen.",
  limit: "Grenze",
  "Drawing…": "Wird gezeichnet …",
  "Show as table": "Als Tabelle anzeigen",
  Language: "Sprache",
  "Page not found": "Seite nicht gefunden",
  "This part of the page could not be loaded.": "Dieser Teil der Seite konnte nicht geladen werden.",
  "Its service did not respond, or has been updated since you opened the page.":
    "Ihr Dienst hat nicht geantwortet, oder er wurde aktualisiert, seit Sie die Seite geöffnet haben.",
  "Reload the page": "Seite neu laden",
  "There is no page at this address.": "Unter dieser Adresse gibt es keine Seite.",
  "study waiting": "Studie wartet",
  reminder: "Erinnerung",
  "site silent": "Standort verstummt",
  "few rows used": "wenige Zeilen verwendet",
  "study failed": "Studie fehlgeschlagen",
  "study released": "Studie veröffentlicht",
  "question asked": "Frage gestellt",
  "question answered": "Frage beantwortet",
  test: "Test",
  Notifications: "Benachrichtigungen",
  "Sending…": "Wird gesendet …",
  "Send test message": "Testnachricht senden",
  "{about} A message holds a name and a link.": "{about} Eine Nachricht enthält einen Namen und einen Link.",
  "The test message by {channel} was accepted.": "Die Testnachricht über {channel} wurde angenommen.",
  "The test message by {channel} failed.": "Die Testnachricht über {channel} ist fehlgeschlagen.",
  "the notifications": "die Benachrichtigungen",
  "None are configured: set {settings} in config.yaml.":
    "Es sind keine eingerichtet: setzen Sie {settings} in config.yaml.",
  "Check the server and the password, then send a test message.":
    "Prüfen Sie Server und Passwort und senden Sie dann eine Testnachricht.",
  "Newest messages": "Neueste Nachrichten",
  Event: "Ereignis",
  Channel: "Kanal",
  Noted: "Vermerkt",
  "; attempt {attempts} {moment}": "; Versuch {attempts} {moment}",
  "Skip to content": "Zum Inhalt springen",
  Consilium: "Consilium",
  Main: "Hauptnavigation",
  password: "Passwort",
  "the organisation's sign-in": "die Anmeldung der Organisation",
  "one-time link not used yet": "einmaliger Link noch nicht verwendet",
  "the accounts": "die Konten",
  "All accounts": "Alle Konten",
  " (you)": " (Sie)",
  Role: "Rolle",
  "Role of {name}": "Rolle von {name}",
  "Sign-in method": "Anmeldeverfahren",
  "Last signed in": "Zuletzt angemeldet",
  Actions: "Aktionen",
  "New link for {name}": "Neuer Link für {name}",
  "New link": "Neuer Link",
  "Remove…": "Entfernen …",
  "No accounts yet.": "Noch keine Konten.",
  "Remove {name}?": "{name} entfernen?",
  "Remove account": "Konto entfernen",
  "The account is signed out everywhere at once. Its actions stay in the audit log.":
    "Das Konto wird überall sofort abgemeldet. Seine Handlungen bleiben im Audit-Protokoll.",
  "A one-time link for {more}": "Ein einmaliger Link für {more}",
  "a new account": "ein neues Konto",
  "One-time link": "Einmaliger Link",
  "Send it over a trusted channel: anyone who opens it can set the password. It is valid until {Moment}.":
    "Senden Sie ihn über einen vertrauenswürdigen Kanal: wer ihn öffnet, kann das Passwort setzen. Er ist gültig bis {Moment}.",
  "Add account": "Konto hinzufügen",
  "lowercase letters and digits, with . _ @ - between them":
    "Kleinbuchstaben und Ziffern, dazwischen . _ @ -",
  "Accounts and tokens": "Konten und Tokens",
  "People sign in with an account; programs use a token.":
    "Menschen melden sich mit einem Konto an; Programme verwenden ein Token.",
  Refresh: "Aktualisieren",
  "the audit log": "das Audit-Protokoll",
  "Loading…": "Wird geladen …",
  "Export CSV": "CSV exportieren",
  "Export JSON lines": "JSON-Zeilen exportieren",
  "Group by study": "Nach Studien gruppieren",
  "Not about a study": "Ohne Studie",
  "{count} events": { one: "{count} Ereignis", other: "{count} Ereignisse" },
  "The file holds the newest {count} events: narrow the filter for the others.":
    "Die Datei enthält die neuesten {count} Ereignisse: Schränken Sie den Filter für die anderen ein.",
  Steps: "Schritte",
  "Choose from the table's {count} columns": {
    one: "Aus der {count} Spalte der Tabelle wählen",
    other: "Aus den {count} Spalten der Tabelle wählen",
  },
  "No column is chosen yet: choose from those of {table} above.":
    "Noch ist keine Spalte gewählt: Wählen Sie oben aus denen von {table}.",
  "No column is declared yet, and no site says which ones {table} has: add them below, or take them from a file.":
    "Noch ist keine Spalte angegeben, und kein Standort sagt, welche {table} hat: Fügen Sie sie unten hinzu, oder übernehmen Sie sie aus einer Datei.",
  "the table": "die Tabelle",
  "{count} declared columns are not in {table}.": {
    one: "{count} angegebene Spalte ist nicht in {table}.",
    other: "{count} angegebene Spalten sind nicht in {table}.",
  },
  "Remove them": "Entfernen",
  "Take the variables from a data dictionary or an OMOP plan":
    "Die Variablen aus einem Datenwörterbuch oder einem OMOP-Plan übernehmen",
  "Propose bounds for {count} columns": {
    one: "Grenzen für {count} Spalte vorschlagen",
    other: "Grenzen für {count} Spalten vorschlagen",
  },
  "{hint} No site says that it has a table of this name.":
    "{hint} Kein Standort gibt an, dass er eine Tabelle dieses Namens hat.",
  "Tables that sites share": "Tabellen, die Standorte angeben",
  "{count} sites": { one: "{count} Standort", other: "{count} Standorte" },
  "Every column of the table is declared.": "Alle Spalten der Tabelle sind deklariert.",
  "Proposals come from a table of common clinical variables, the same for everyone. Check each unit and level: sites may use others.":
    "Die Vorschläge stammen aus einer Tabelle üblicher klinischer Variablen, für alle dieselbe. Prüfen Sie jede Einheit und Stufe: Standorte verwenden vielleicht andere.",
  "type not stated": "Typ nicht angegeben",
  "Add variables": "Variablen hinzufügen",
  "Find a column": "Spalte suchen",
  "Choose {count} with proposals": {
    one: "{count} mit Vorschlag wählen",
    other: "{count} mit Vorschlägen wählen",
  },
  "Choose none": "Keine wählen",
  "{shown} of {count} columns are shown: search for the others.":
    "{shown} von {count} Spalten werden gezeigt: Suchen Sie nach den anderen.",
  "Add {count} variables": { one: "{count} Variable hinzufügen", other: "{count} Variablen hinzufügen" },
  "Unit of {name}": "Einheit von {name}",
  "bounds to be declared": "Grenzen noch anzugeben",
  "levels to be declared": "Stufen noch anzugeben",
  "{low} to {high} {unit}": "{low} bis {high} {unit}",
  "Data dictionary (CSV)": "Datenwörterbuch (CSV)",
  "A line for each column: name, type (numeric or categorical), unit, min, max, levels (separated by vertical bars), description.":
    "Eine Zeile je Spalte: name, type (numeric oder categorical), unit, min, max, levels (durch senkrechte Striche getrennt), description.",
  "OMOP plan (YAML)": "OMOP-Plan (YAML)",
  "A plan, or a study that has one: sites with an OMOP database compute the columns by it.":
    "Ein Plan, oder eine Studie mit einem: Standorte mit einer OMOP-Datenbank berechnen die Spalten danach.",
  "{file}: {count} variables are declared.": {
    one: "{file}: {count} Variable ist deklariert.",
    other: "{file}: {count} Variablen sind deklariert.",
  },
  "{file} cannot be used.": "{file} kann nicht verwendet werden.",
  "and {rest} more": "und {rest} weitere",
  Help: "Hilfe",
  Documents: "Dokumente",
  "the document": "das Dokument",
  "There is no such document.": "Dieses Dokument gibt es nicht.",
  "A federation from the first site to a release":
    "Eine Föderation vom ersten Standort bis zur Veröffentlichung",
  "Every key of a study": "Alle Schlüssel einer Studie",
  "Methods and their proofs": "Methoden und ihre Beweise",
  "Studies on OMOP databases": "Studien auf OMOP-Datenbanken",
  "Recoding, dates and cohorts": "Umkodierung, Daten und Kohorten",
  "Running a federation": "Betrieb einer Föderation",
  "Running a hospital's site": "Betrieb des Standorts eines Krankenhauses",
  "Error codes": "Fehlercodes",
  "Threat model": "Bedrohungsmodell",
  "Find a study": "Studie suchen",
  "Studies of the last {count} weeks": "Studien der letzten {count} Wochen",
  "under way": "im Gang",
  "{count} {words}": "{count} {words}",
  "You are here": "Sie sind hier",
  Progress: "Fortschritt",
  "{percent} %": "{percent} %",
  "{done} of {all} steps, running for {time}. {rest}":
    "{done} von {all} Schritten, läuft seit {time}. {rest}",
  "About {time} left, at the pace so far.": "Noch etwa {time}, im bisherigen Tempo.",
  "An estimate follows once the sites have joined.":
    "Eine Schätzung folgt, sobald die Standorte beigetreten sind.",
  "An estimate follows after the first steps.": "Eine Schätzung folgt nach den ersten Schritten.",
  "Older events": "Ältere Ereignisse",
  "its id": "ihre ID",
  "first day": "erster Tag",
  "last day": "letzter Tag",
  "such as st-mary": "etwa st-mary",
  Account: "Konto",
  "who did it": "wer es getan hat",
  anything: "alles",
  "Only actions of people and programs": "Nur Handlungen von Menschen und Programmen",
  "Events, newest first": "Ereignisse, neueste zuerst",
  Who: "Wer",
  Detail: "Einzelheit",
  "No events match.": "Kein Ereignis passt.",
  "API tokens": "API-Tokens",
  'The token "{label}"': "Das Token „{label}“",
  "API token": "API-Token",
  "Only its hash is stored. Save it where only the program can read it.":
    "Nur sein Hash ist gespeichert. Bewahren Sie es auf, wo nur das Programm es lesen kann.",
  "the tokens": "die Tokens",
  "All API tokens": "Alle API-Tokens",
  Purpose: "Zweck",
  "Created by": "Erstellt von",
  "Last used": "Zuletzt verwendet",
  Revoke: "Widerrufen",
  "Revoke the token {label}": "Token {label} widerrufen",
  "Revoke…": "Widerrufen …",
  "No tokens yet.": "Noch keine Tokens.",
  'Revoke the token "{label}"?': "Token „{label}“ widerrufen?",
  "The token stops working immediately.": "Das Token funktioniert sofort nicht mehr.",
  "90 days": "90 Tage",
  "1 year": "1 Jahr",
  "New token": "Neues Token",
  "for example: nightly report": "zum Beispiel: nächtlicher Bericht",
  "Role of the token": "Rolle des Tokens",
  "Expires after": "Läuft ab nach",
  "Create token": "Token erstellen",
  "{what}, shown only once.": "{what}, nur einmal angezeigt.",
  "{title} · Consilium": "{title} · Consilium",
  "internal error in this page": "interner Fehler auf dieser Seite",
  "reload the page": "laden Sie die Seite neu",
  "Try again": "Erneut versuchen",
  "Loading {what}…": "Wird geladen: {what} …",
  connecting: "verbindet sich",
  live: "live",
  "connection lost, reconnecting": "Verbindung verloren, wird wieder aufgebaut",
  "stream ended": "Datenstrom beendet",
  Copy: "Kopieren",
  Copied: "Kopiert",
  "Select and copy it": "Markieren und kopieren Sie es",
  "Copy all as one message": "Alles als eine Nachricht kopieren",
  "Copy all as one message: {title}": "Alles als eine Nachricht kopieren: {title}",
  "{site} is invited to the federation. The token in the first command is for one use, until {until}.":
    "{site} ist in die Föderation eingeladen. Das Token im ersten Befehl gilt für einmaligen Gebrauch, bis {until}.",
  "If it does not come online, `consilium doctor` shows why, and what to request from the network team.":
    "Geht er nicht online, zeigt `consilium doctor`, warum, und was beim Netzwerkteam anzufragen ist.",
  "Copy: {label}": "Kopieren: {label}",
  Back: "Zurück",
  "Please wait…": "Bitte warten …",
  "{value} ago": "vor {value}",
  "in {distance}": "in {distance}",
  "{title}: {bars} bars, the first is {label}": "{title}: {bars} Balken, der erste ist {label}",
  "{title}: {yLabel} by {xLabel}": "{title}: {yLabel} gegen {xLabel}",
  "{title}: a tree of {value} questions": "{title}: ein Baum mit {value} Fragen",
  From: "Von",
  To: "Bis",
  Series: "Reihe",
  d: "Tg.",
  h: "Std.",
  min: "Min.",
  s: "Sek.",
  "Leave without saving?": "Ohne Speichern verlassen?",
  "Your changes on this page are not saved and will be lost.":
    "Ihre Änderungen auf dieser Seite sind nicht gespeichert und gehen verloren.",
  "Leave without saving": "Ohne Speichern verlassen",
  Stay: "Bleiben",
  "This page needs the role {needed}.": "Diese Seite erfordert die Rolle {needed}.",
  "You are signed in as {name}, whose role is {role}. Ask someone with the role {needed}.":
    "Sie sind als {name} mit der Rolle {role} angemeldet. Fragen Sie jemanden mit der Rolle {needed}.",
  "Sign-in through your organisation failed.": "Die Anmeldung über Ihre Organisation ist fehlgeschlagen.",
  "Try it again": "Erneut versuchen",
  "None of your groups has access here. Ask the service's administrator for access, or sign in with another account.":
    "Keine Ihrer Gruppen hat hier Zugang. Bitten Sie den Administrator des Dienstes um Zugang oder melden Sie sich mit einem anderen Konto an.",
  "Try again. If the problem persists, contact the service's administrator: its log has the reason.":
    "Versuchen Sie es erneut. Bleibt das Problem bestehen, wenden Sie sich an den Administrator des Dienstes: der Grund steht in dessen Protokoll.",
  "the passwords do not match": "die Passwörter stimmen nicht überein",
  "Create your account: {name}": "Konto erstellen: {name}",
  "Set the password of {known}: {name}": "Passwort von {known} festlegen: {name}",
  "The address lacks the link's secret.": "Der Adresse fehlt das Geheimnis des Links.",
  "Open the complete link, once. {code} creates another.":
    "Öffnen Sie den vollständigen Link, einmal. {code} erstellt einen neuen.",
  "The account has the role {role}.": "Das Konto hat die Rolle {role}.",
  "Your name": "Ihr Name",
  Password: "Passwort",
  "At least {passwordMin} characters; a few random words are easy to remember.":
    "Mindestens {passwordMin} Zeichen; einige zufällige Wörter sind leicht zu merken.",
  "Confirm password": "Passwort bestätigen",
  "Create account": "Konto erstellen",
  "Set password": "Passwort festlegen",
  "Sign in: {name}": "Anmelden: {name}",
  "The first start printed a one-time link. {code} creates another.":
    "Der erste Start hat einen einmaligen Link ausgegeben. {code} erstellt einen neuen.",
  "Signing in…": "Anmeldung läuft …",
  "Sign in": "Anmelden",
  "your session": "Ihre Sitzung",
  "Use the dark theme": "Dunkles Design verwenden",
  "Use the light theme": "Helles Design verwenden",
  "invited a site": "hat einen Standort eingeladen",
  "replaced an invitation": "hat eine Einladung ersetzt",
  "withdrew an invitation": "hat eine Einladung zurückgezogen",
  "invitation expired unused": "Einladung ungenutzt abgelaufen",
  "site enrolled": "Standort angemeldet",
  "site enrolled again with the same key": "Standort mit demselben Schlüssel neu angemeldet",
  "site's key was replaced": "Schlüssel des Standorts ersetzt",
  "site's expired certificate was renewed": "abgelaufenes Zertifikat eines Standorts erneuert",
  "enrolment was refused": "Anmeldung abgelehnt",
  "a replaced key tried to connect": "ein ersetzter Schlüssel versuchte sich zu verbinden",
  "expelled a site's key": "hat den Schlüssel eines Standorts ausgeschlossen",
  "changed the list of expelled sites": "hat die Liste der ausgeschlossenen Standorte geändert",
  "published the list of members": "hat die Mitgliederliste veröffentlicht",
  "started the study": "hat die Studie gestartet",
  "accepted the result without its missing parts": "hat das Ergebnis ohne seine fehlenden Teile angenommen",
  "resumed the study": "hat die Studie fortgesetzt",
  "cancelled the study": "hat die Studie abgebrochen",
  "withdrew the release": "hat die Veröffentlichung zurückgezogen",
  "superseded the release": "hat die Veröffentlichung ersetzt",
  joined: "beigetreten",
  "step started": "Schritt begonnen",
  "site responded": "Standort hat geantwortet",
  "upload received": "Upload empfangen",
  "continued without the site": "ohne den Standort fortgefahren",
  "sent an invalid message": "hat eine ungültige Nachricht gesendet",
  "could not respond": "konnte nicht antworten",
  countersigned: "gegengezeichnet",
  "study ended": "Studie beendet",
  "approved a study": "hat eine Studie freigegeben",
  "denied a study": "hat eine Studie abgelehnt",
  "approval lapsed": "Freigabe verfallen",
  "changed the policy": "hat die Richtlinie geändert",
  "reconciled the ledger": "hat das Budgetbuch abgeglichen",
  "accepted an older protocol": "hat ein älteres Protokoll angenommen",
  "archived old ledger entries": "hat alte Einträge des Budgetbuchs archiviert",
  "created an account by a one-time link": "hat über einen einmaligen Link ein Konto erstellt",
  "got an account by the organisation's sign-in":
    "hat durch die Anmeldung der Organisation ein Konto erhalten",
  "set a password by a one-time link": "hat über einen einmaligen Link ein Passwort festgelegt",
  "removed a study's working data": "hat die Arbeitsdaten einer Studie entfernt",
  "removed details of a study": "hat Einzelheiten einer Studie entfernt",
  "signed in through the organisation": "hat sich über die Organisation angemeldet",
  "changed the password": "hat das Passwort geändert",
  "sent a test notification": "hat eine Probebenachrichtigung gesendet",
  "began with the sites that had joined": "hat mit den beigetretenen Standorten begonnen",
  "gave the sites more time to join": "hat den Standorten mehr Zeit zum Beitreten gegeben",
  "result accepted without missing parts": "Ergebnis ohne fehlende Teile angenommen",
  "study resumed": "Studie fortgesetzt",
  "signed in": "hat sich angemeldet",
  "failed to sign in": "Anmeldung fehlgeschlagen",
  "added an account": "hat ein Konto hinzugefügt",
  "removed an account": "hat ein Konto entfernt",
  "changed a role": "hat eine Rolle geändert",
  "created a one-time link": "hat einen einmaligen Link erstellt",
  "created a token": "hat ein Token erstellt",
  "revoked a token": "hat ein Token widerrufen",
  Model: "Modell",
  About: "Über",
  waiting: "wartet",
  sending: "wird gesendet",
  sent: "gesendet",
  unconfirmed: "unbestätigt",
  "no longer needed": "nicht mehr nötig",
  "not delivered": "nicht zugestellt",
  yes: "ja",
  no: "nein",
  "Lowercase letters and digits, with . _ @ - between them; shown in the audit log.":
    "Kleinbuchstaben und Ziffern, dazwischen . _ @ -; im Audit-Protokoll sichtbar.",
  bytes: "Bytes",
  kB: "kB",
  MB: "MB",
  GB: "GB",
  TB: "TB",
  "{count} messages are undelivered.": {
    one: "{count} Nachricht ist nicht zugestellt.",
    other: "{count} Nachrichten sind nicht zugestellt.",
  },
} as const;

/** What services send. */
const services = {
  // words that several sentences share
  row: "Zeile",
  patient: "Patient",
  "one record of one site": "ein Datensatz eines Standorts",
  "one patient": "ein Patient",
  proved: "bewiesen",
  proven: "bewiesen",
  "claimed by the authors, not verified": "von den Autoren behauptet, nicht geprüft",
  "no privacy": "kein Datenschutz",
  sound: "bewiesen",
  paper: "wie veröffentlicht",
  strong: "starker",
  moderate: "mäßiger",
  weak: "schwacher",
  none: "keines",
  nobody: "niemand",
  "e-mail": "E-Mail",
  webhook: "Webhook",
  viewer: "Betrachter",
  operator: "Betreiber",
  approver: "Freigeber",
  administrator: "Administrator",
  reader: "Leser",
  "masked sum": "maskierte Summe",
  "rows in the clear": "Zeilen im Klartext",
  "tag counts": "Zählungen unter Kennzeichen",
  person: "Mensch",
  automatic: "selbsttätig",
  "{count} rows": "{count} Zeilen",
  "1 row": "1 Zeile",
  "1 row, {columns}": "1 Zeile, {columns}",
  "{count} rows, {columns}": "{count} Zeilen, {columns}",
  "{count} columns": "{count} Spalten",
  "1 column": "1 Spalte",
  "a model, no rows": "ein Modell, keine Zeilen",
  "{number} (1 in {chance})": "{number} (1 zu {chance})",
  // the state of a step
  invited: "eingeladen",
  "awaiting approval": "wartet auf Freigabe",
  accepted: "angenommen",
  refused: "zurückgewiesen",
  working: "rechnet",
  uploading: "lädt hoch",
  done: "fertig",
  failed: "fehlgeschlagen",
  dropped: "ausgefallen",
  excluded: "ausgeschlossen",
  // what ε means
  "ε up to 1 is strong protection, by the bands that researchers use.":
    "ε bis 1 ist ein starker Schutz, nach den in der Forschung üblichen Bereichen.",
  "ε between 1 and 10 is a real protection, but not a strong one, by the bands that researchers use.":
    "ε zwischen 1 und 10 ist ein echter, aber kein starker Schutz, nach den in der Forschung üblichen Bereichen.",
  "With ε over 10 the proof says little. Do not rely on it alone, by the bands that researchers use.":
    "Bei ε über 10 sagt der Beweis wenig aus. Verlassen Sie sich nicht allein darauf, nach den in der Forschung üblichen Bereichen.",
  "Suppose someone knows everything else and thinks it equally likely that {used} used: without the results they guess right 50 times in 100. With the results it is at most {times} times.":
    "Angenommen, jemand weiß alles andere und hält es für gleich wahrscheinlich, dass {used}: ohne die Ergebnisse rät er in 50 von 100 Fällen richtig, mit den Ergebnissen in höchstens {times} Fällen.",
  "one patient's data were or were not": "die Daten eines Patienten verwendet wurden oder nicht",
  "one record was or was not": "ein Datensatz verwendet wurde oder nicht",
  "add-remove: one data set is the other plus {unit}":
    "add-remove: ein Datenbestand ist der andere und dazu {unit}",
  "replace-one: one data set is the other with {unit} replaced":
    "replace-one: ein Datenbestand ist der andere, in dem {unit} ersetzt ist",
  "as the authors: one record changed (not verified)":
    "wie die Autoren: ein Datensatz geändert (nicht geprüft)",
  // a study explained to those who approve it
  "It leaves {how}": "{how}",
  Request: "Anfrage",
  "Rows and columns": "Zeilen und Spalten",
  "Columns from OMOP": "Spalten aus OMOP",
  "Data sent from this hospital": "Von diesem Krankenhaus gesendete Daten",
  "Who learns what": "Wer was erfährt",
  "Privacy cost": "Datenschutzkosten",
  "Remaining budget": "Verbleibendes Budget",
  "What a decision reveals": "Was eine Entscheidung offenlegt",
  "Data check": "Datenprüfung",
  "Before you approve": "Vor der Freigabe",
  Investigator: "Studienleitung",
  Contact: "Kontakt",
  Purpose: "Zweck",
  Protocol: "Studienprotokoll",
  "Ethics vote": "Ethikvotum",
  "Legal basis": "Rechtsgrundlage",
  Retention: "Aufbewahrung",
  investigator: "Studienleitung",
  contact: "Kontakt",
  purpose: "Zweck",
  protocol: "Studienprotokoll",
  "ethics vote": "Ethikvotum",
  "legal basis": "Rechtsgrundlage",
  retention: "Aufbewahrung",
  "Investigator: {text}": "Studienleitung: {text}",
  "Contact: {text}": "Kontakt: {text}",
  "Purpose: {text}": "Zweck: {text}",
  "Protocol: {text}": "Studienprotokoll: {text}",
  "Ethics vote: {text}": "Ethikvotum: {text}",
  "Legal basis: {text}": "Rechtsgrundlage: {text}",
  "Retention: {text}": "Aufbewahrung: {text}",
  "Analysis {analysis}, method {method}, variant {variant}, on table {table}: at most {rows} rows.":
    "Analyse {analysis}, Methode {method}, Variante {variant}, auf Tabelle {table}: höchstens {rows} Zeilen.",
  "It reads {columns}.": "Sie liest {columns}.",
  "It uses {columns}.": "Sie verwendet {columns}.",
  "{count} more columns": "{count} weitere Spalten",
  "Its label is {label}, one of {count} levels.":
    "Ihre Zielgröße ist {label}, eine von {count} Ausprägungen.",
  "Rows are grouped by patient using {column}, which is not used for anything else; at most {rows} rows per patient are used.":
    "Zeilen werden über {column} nach Patienten gruppiert; die Spalte wird für nichts anderes verwendet. Je Patient werden höchstens {rows} Zeilen verwendet.",
  "Rows are grouped by patient using {column}, which is not used for anything else; at most {rows} rows per patient are used, each weighing 1 / (number of rows of the patient), so that a patient counts as much as one row.":
    "Zeilen werden über {column} nach Patienten gruppiert; die Spalte wird für nichts anderes verwendet. Je Patient werden höchstens {rows} Zeilen verwendet, jede mit dem Gewicht 1 / (Zeilen des Patienten), sodass ein Patient so viel zählt wie eine Zeile.",
  "{stage}: {what}. It leaves {how} Noise: {noise}. At most {bytes} each.":
    "{stage}: {what}. {how} Rauschen: {noise}. Je höchstens {bytes}.",
  "{stage}: {what}. It leaves {how} Noise: {noise}. At most {bytes}.":
    "{stage}: {what}. {how} Rauschen: {noise}. Höchstens {bytes}.",
  "{stage}: {what}. It leaves {how} Noise: {noise}.": "{stage}: {what}. {how} Rauschen: {noise}.",
  "masked: only the sum over at least {sites} hospitals can be read, even by an aggregator that works together with {colluding} of them.":
    "Maskiert: nur die Summe über mindestens {sites} Krankenhäuser kann gelesen werden, selbst von einem Aggregator, der mit {colluding} von ihnen zusammenarbeitet.",
  "masked, and only the sum over all hospitals of the study can be read; but one hospital deals all masks, and together with the aggregator it could read this hospital's part.":
    "Maskiert, und nur die Summe über alle Krankenhäuser der Studie kann gelesen werden; aber ein Krankenhaus verteilt alle Masken und könnte zusammen mit dem Aggregator den Anteil dieses Krankenhauses lesen.",
  "in the clear: the aggregator reads this hospital's rows, one by one.":
    "Im Klartext: der Aggregator liest die Zeilen dieses Krankenhauses einzeln.",
  "as counts under tags: the aggregator reads how many of this hospital's rows are alike, and needs another hospital's help to read what is in them.":
    "Als Zählungen unter Kennzeichen: der Aggregator liest, wie viele Zeilen dieses Krankenhauses gleich sind, und braucht die Hilfe eines anderen Krankenhauses, um zu lesen, was darin steht.",
  "In total at most {bytes}. All outgoing data are listed in the egress log, with sizes and hashes.":
    "Insgesamt höchstens {bytes}. Alle ausgehenden Daten stehen mit Größe und Hash im Ausgangsprotokoll.",
  "{stage}: nobody.": "{stage}: niemand.",
  "When the study is released, {readers}. That this hospital takes part is public and not protected.":
    "Wenn die Studie veröffentlicht ist, {readers}. Dass dieses Krankenhaus teilnimmt, ist öffentlich und nicht geschützt.",
  "everyone can read the release": "kann jeder die Veröffentlichung lesen",
  "readers with a token can read the release": "können Leser mit einem Token die Veröffentlichung lesen",
  "The policy pins no members: the study's other hospitals are those that the federation has certified, and the noise is sized for all of them.":
    "Die Richtlinie legt keine Mitglieder fest: die anderen Krankenhäuser der Studie sind die von der Föderation zertifizierten, und das Rauschen ist für sie alle bemessen.",
  "The policy pins {pinned} members: as many of the study's hospitals as a sum has at least, {sites} or more, must be among them, this one included, and all others count as colluding with the aggregator.":
    "Die Richtlinie legt {pinned} Mitglieder fest: so viele Krankenhäuser der Studie, wie eine Summe mindestens hat, {sites} oder mehr, müssen darunter sein, dieses eingeschlossen, und alle anderen gelten als mit dem Aggregator kolludierend.",
  "Epsilon {epsilon} at delta {delta}, proven. It protects {unit}.":
    "Epsilon {epsilon} bei Delta {delta}, bewiesen. Geschützt ist {unit}.",
  "In words: {text}": "In Worten: {text}",
  "A patient with data at several hospitals of the study is protected less: at m of them the cost is that of m times as much data, which grows with the square of m before it is expressed as epsilon.":
    "Ein Patient mit Daten in mehreren Krankenhäusern der Studie ist weniger geschützt: bei m Krankenhäusern sind die Kosten die von m-mal so vielen Daten und wachsen mit dem Quadrat von m, bevor sie als Epsilon ausgedrückt werden.",
  "Exactly accounted, its stages cost epsilon {epsilon} if each takes place once.":
    "Exakt gerechnet kosten ihre Stufen Epsilon {epsilon}, wenn jede einmal stattfindet.",
  "Proof: {proof}.": "Beweis: {proof}.",
  "Epsilon {epsilon} at delta {delta} is what the method's authors claim. It is not verified, and the ledger enters it as spending without a proven bound:":
    "Epsilon {epsilon} bei Delta {delta} ist, was die Autoren der Methode behaupten. Es ist nicht geprüft, und das Budgetbuch verbucht es als Ausgabe ohne bewiesene Schranke:",
  "The study adds no noise anywhere and protects nobody. It is for public data only.":
    "Die Studie fügt nirgends Rauschen hinzu und schützt niemanden. Sie ist nur für öffentliche Daten.",
  "This hospital's ledger enters epsilon {epsilon} per {unit} at the population's delta {delta}.":
    "Das Budgetbuch dieses Krankenhauses verbucht Epsilon {epsilon} je {unit} beim Delta {delta} der Population.",
  "This hospital's ledger enters epsilon {epsilon} per {unit} at the population's delta {delta}. The study names no patient: this hospital takes at most {rows} rows of each patient by its own column, and charges {factor} times the rho of one row.":
    "Das Budgetbuch dieses Krankenhauses verbucht Epsilon {epsilon} je {unit} beim Delta {delta} der Population. Die Studie nennt keinen Patienten: dieses Krankenhaus nimmt nach seiner eigenen Spalte höchstens {rows} Zeilen je Patient und verbucht das {factor}-fache des ρ einer Zeile.",
  "This hospital's ledger enters epsilon {epsilon} per {unit} at the population's delta {delta}. The configuration does not say whether a row is a patient; a patient with several rows is protected less.":
    "Das Budgetbuch dieses Krankenhauses verbucht Epsilon {epsilon} je {unit} beim Delta {delta} der Population. Die Konfiguration sagt nicht, ob eine Zeile ein Patient ist; ein Patient mit mehreren Zeilen ist weniger geschützt.",
  "No population of the policy has table {table}: it has no budget.":
    "Keine Population der Richtlinie hat die Tabelle {table}: sie hat kein Budget.",
  "Table {table} belongs to the population {population}, for which this hospital sets no limit.":
    "Die Tabelle {table} gehört zur Population {population}, für die dieses Krankenhaus keine Grenze setzt.",
  "Table {table} belongs to the population {population}, which may spend epsilon {epsilon} at delta {delta} in all its studies together.":
    "Die Tabelle {table} gehört zur Population {population}, die in allen Studien zusammen Epsilon {epsilon} bei Delta {delta} ausgeben darf.",
  "Epsilon {spent} per {unit} is spent or reserved, {remaining} remains, with this study.":
    "Epsilon {spent} je {unit} ist mit dieser Studie ausgegeben oder reserviert, {remaining} verbleibt.",
  "Epsilon {spent} per {unit} is spent or reserved, {remaining} remains, before this study.":
    "Epsilon {spent} je {unit} ist vor dieser Studie ausgegeben oder reserviert, {remaining} verbleibt.",
  "Epsilon {spent} per {unit} is spent or reserved, with this study.":
    "Epsilon {spent} je {unit} ist mit dieser Studie ausgegeben oder reserviert.",
  "Epsilon {spent} per {unit} is spent or reserved, before this study.":
    "Epsilon {spent} je {unit} ist vor dieser Studie ausgegeben oder reserviert.",
  "Besides, {count} earlier releases have no proven bound: what they spent is not known.":
    "Außerdem haben {count} frühere Veröffentlichungen keine bewiesene Schranke: was sie ausgegeben haben, ist unbekannt.",
  "Approving reserves the study's cost; what has left is spent permanently, and an attempt that is repeated after a failure costs again.":
    "Die Freigabe reserviert die Kosten der Studie; was gesendet wurde, ist dauerhaft ausgegeben, und ein nach einem Fehler wiederholter Versuch kostet erneut.",
  "After this study the population's total has no proven bound any more, whatever else it spends.":
    "Nach dieser Studie hat die Summe der Population keine bewiesene Schranke mehr, was immer sie sonst ausgibt.",
  "The operator learns that this hospital approved or refused, and when. The reason you write down stays here.":
    "Der Betreiber erfährt, dass dieses Krankenhaus freigegeben oder abgelehnt hat, und wann. Der Grund, den Sie aufschreiben, bleibt hier.",
  "A decision that rests on what is in the table tells the operator something about the table. Rows that do not fit the study are left out inside the noisy sums, so they are no reason to refuse.":
    "Eine Entscheidung, die auf dem Inhalt der Tabelle beruht, verrät dem Betreiber etwas über die Tabelle. Zeilen, die nicht zur Studie passen, werden innerhalb der verrauschten Summen weggelassen und sind daher kein Grund abzulehnen.",
  "If the study cannot use the table, the operator learns PREFLIGHT_FAILED: some record keeps the study from using it.":
    "Kann die Studie die Tabelle nicht verwenden, erfährt der Betreiber PREFLIGHT_FAILED: ein Datensatz hindert die Studie daran.",
  "The last pass read {rows} and used {used}. These counts stay at the hospital.":
    "Der letzte Durchgang hat {rows} gelesen und {used} verwendet. Diese Zahlen bleiben im Krankenhaus.",
  "{reasons}. The sums leave such rows out; `consilium site profile` shows where they are.":
    "{reasons}. Die Summen lassen solche Zeilen weg; `consilium site profile` zeigt, wo sie sind.",
  "At least {rows} could not be parsed": "Mindestens {rows} waren nicht lesbar",
  "at least {rows} could not be parsed": "mindestens {rows} waren nicht lesbar",
  "{count} cell holds an undeclared value": "{count} Zelle hat einen nicht deklarierten Wert",
  "{count} cells hold an undeclared value": "{count} Zellen haben einen nicht deklarierten Wert",
  "{rows} exceeded the limit of rows for each patient": "{rows} überschritten die Grenze je Patient",
  "{rows} were left out by sampling": "{rows} wurden durch die Stichprobe weggelassen",
  "Its sums carry no noise that protects them. Rosters differing across studies reveal differences: who sees the same study with this hospital and without it can subtract.":
    "Ihre Summen tragen kein schützendes Rauschen. Unterscheiden sich die Teilnehmer mehrerer Studien, werden Differenzen sichtbar: wer dieselbe Studie mit und ohne dieses Krankenhaus sieht, kann subtrahieren.",
  "Every step uses the table as it is then: that it changed in between is not told. Each step may take {time}.":
    "Jeder Schritt verwendet die Tabelle, wie sie dann ist: dass sie sich dazwischen geändert hat, wird nicht mitgeteilt. Jeder Schritt darf {time} dauern.",
  "The table must not change while the study runs: it is read through at approval, and every stage uses it as it was then. Each step may take {time}.":
    "Die Tabelle darf sich nicht ändern, solange die Studie läuft: sie wird bei der Freigabe gelesen, und jede Stufe verwendet sie, wie sie dann war. Jeder Schritt darf {time} dauern.",
  "Only rows for which this is true count: {expression}. All others, and those where a missing value leaves it open, are left out within the sums; their number stays at the hospital.":
    "Es zählen nur Zeilen, für die gilt: {expression}. Alle anderen, und solche, bei denen ein fehlender Wert es offen lässt, werden innerhalb der Summen weggelassen; ihre Zahl bleibt im Krankenhaus.",
  "In the study's language: {expression}": "In der Sprache der Studie: {expression}",
  "Read for this alone, and part of no sum: {columns}.":
    "Nur dafür gelesen und in keiner Summe enthalten: {columns}.",
  "{name} is the year of {date}.": "{name} ist das Jahr von {date}.",
  "{name} is the number of completed years from {from} to {to}.":
    "{name} ist die Zahl der vollendeten Jahre von {from} bis {to}.",
  "{name} is the number of days from {from} to {to}.": "{name} ist die Zahl der Tage von {from} bis {to}.",
  "the date {source}": "das Datum {source}",
  "the date {source} ({format})": "das Datum {source} ({format})",
  "{name} is made of column {source}: {levels}.": "{name} wird aus Spalte {source} gebildet: {levels}.",
  "Rows with any other {source} are left out.": "Zeilen mit anderem {source} werden weggelassen.",
  "Every other {source} counts as one level of its own.":
    "Jedes andere {source} zählt als eigene Ausprägung.",
  "If the table is an OMOP database, this hospital computes the columns from it with SQL that its own software writes; the study brings no SQL. {column} is read to give each person one row and for nothing else.":
    "Ist die Tabelle eine OMOP-Datenbank, berechnet dieses Krankenhaus die Spalten daraus mit SQL, das seine eigene Software schreibt; die Studie bringt kein SQL mit. {column} wird gelesen, um jeder Person eine Zeile zu geben, und für nichts anderes.",
  "Concept set {name}: {concepts}.": "Konzeptmenge {name}: {concepts}.",
  "{stage}: {rest}.": "{stage}: {rest}.",
  "- {reason}": "– {reason}",
  // the study's file, in the form
  "How long after a failure it can be resumed, at most; then its working data are removed.":
    "Wie lange sie nach einem Fehlschlag höchstens fortgesetzt werden kann; danach werden ihre Arbeitsdaten entfernt.",
  "What the study is called: small letters, digits and single hyphens. Its id and its release's address begin with it.":
    "Wie die Studie heißt: Kleinbuchstaben, Ziffern und einzelne Bindestriche. Ihre ID und die Adresse ihrer Veröffentlichung beginnen damit.",
  "The table's name in each site's own configuration.":
    "Der Name der Tabelle in der Konfiguration jedes Standorts.",
  "The columns that the study reads: numbers with their bounds, categories with their levels.":
    "Die Spalten, die die Studie liest: Zahlen mit ihren Grenzen, Kategorien mit ihren Ausprägungen.",
  "The column, as it is called in every site's table.":
    "Die Spalte, wie sie in der Tabelle jedes Standorts heißt.",
  "Of the method, where it has several: what the study's text means. Left out of a new study: the newest that its hospitals' software has; a text that has none is of the first. Hospitals whose software does not have it refuse the study (`STUDY_NEWER`).":
    "Ausgabe des Verfahrens, wo es mehrere hat: was der Text der Studie bedeutet. Fehlt sie einer neuen Studie: die neueste, die die Software ihrer Krankenhäuser hat; ein Text ohne sie ist von der ersten. Krankenhäuser, deren Software sie nicht hat, lehnen die Studie ab (`STUDY_NEWER`).",
  "The table's column that it is made from. Left out: the one of this name.":
    "Die Spalte der Tabelle, aus der sie entsteht. Ohne Angabe: die gleichen Namens.",
  "What number becomes of the date `from`, which `columns` declares: its year, the days that have passed since another date, or the completed years at one. The other date is a date column of `columns` or fixed, such as 2015-01-31.":
    "Welche Zahl aus dem Datum `from` wird, das `columns` deklariert: sein Jahr, die Tage seit einem anderen Datum oder die vollendeten Jahre an einem. Das andere Datum ist eine Datumsspalte von `columns` oder fest, etwa 2015-01-31.",
  "The least value; smaller ones count as it. Public, never read from records.":
    "Der kleinste Wert; kleinere zählen als er. Öffentlich, nie aus Datensätzen gelesen.",
  "The greatest value, as `min`.": "Der größte Wert, wie `min`.",
  "Of a regression: the increase of the column that its coefficient and ratio are for, such as 10 for an odds ratio per 10 years. Left out: 1.":
    "Bei einer Regression: die Zunahme der Spalte, für die Koeffizient und Ratio gelten, etwa 10 für ein Odds Ratio je 10 Jahre. Ohne Angabe: 1.",
  "Such as years or mmol/l.": "Etwa Jahre oder mmol/l.",
  "What the column means, for readers.": "Was die Spalte bedeutet, für Leser.",
  "What becomes of a row whose value is missing. `reject-row`: it is left out. `own-level`: missing values are counted by themselves, by the methods that count. `{ constant }`: they count as that number.":
    "Was aus einer Zeile wird, deren Wert fehlt. `reject-row`: sie wird weggelassen. `own-level`: fehlende Werte werden für sich gezählt, von Methoden, die zählen. `{ constant }`: sie zählen als diese Zahl.",
  "What a missing value counts as.": "Als was ein fehlender Wert zählt.",
  "Whether the rows that the study uses and leaves out are counted, by cause, in a sum of their own at 2 % of the study's ρ. New studies have it without writing it.":
    "Ob gezählt wird, welche Zeilen die Studie verwendet und welche sie aus welchem Grund weglässt, in einer eigenen Summe mit 2 % des ρ der Studie. Neue Studien haben es, ohne es zu schreiben.",
  "What a value counts as that a hospital's table spells as below detection, such as <0.5: `half` the limit, the limit itself (`bound`), `missing` or a number. How it is spelled is said by each hospital. Left out: its row is left out, as one without a number.":
    "Als was ein Wert zählt, den die Tabelle eines Krankenhauses als unter der Nachweisgrenze schreibt, wie <0.5: `half` (die Hälfte der Grenze), die Grenze selbst (`bound`), `missing` (fehlend) oder eine Zahl. Wie er geschrieben wird, sagt jedes Krankenhaus. Weggelassen: Die Zeile fällt weg, wie eine ohne Zahl.",
  "What becomes of a row whose value is below `min`: `reject-row` leaves it out, for columns where such a value is an error. Left out: the value counts as `min`.":
    "Was aus einer Zeile wird, deren Wert unter `min` liegt: `reject-row` lässt sie weg, für Spalten, in denen ein solcher Wert ein Fehler ist. Ohne Angabe: der Wert zählt als `min`.",
  "Where a method that counts divides the column: ascending, each above `min` and at most `max`. Bin b holds edges[b-1] ≤ x < edges[b]. Left out: intervals of equal width, as many as the study's `parameters.bins`.":
    "Wo eine zählende Methode die Spalte teilt: aufsteigend, jede über `min` und höchstens `max`. Klasse b enthält edges[b-1] ≤ x < edges[b]. Ohne Angabe: gleich breite Intervalle, so viele wie `parameters.bins` der Studie.",
  "What the column's text or numbers become. Text: each one that the table holds, with its level. Numbers: intervals that ascend, each up to its `below`, which it does not hold; the last one may have none. What the map does not name is undeclared.":
    "Was aus Texten oder Zahlen der Spalte wird. Texte: jeder, den die Tabelle enthält, mit seiner Ausprägung. Zahlen: aufsteigende Intervalle, jedes bis unter sein `below`; das letzte darf keines haben. Was die Zuordnung nicht nennt, ist nicht deklariert.",
  "The interval's end, which it does not hold. Left out: it has none.":
    "Das Ende des Intervalls, das nicht dazugehört. Ohne Angabe: es hat keines.",
  "What its numbers become.": "Was aus seinen Zahlen wird.",
  "Every value that the column may have. Public: declared, never read from records. One that is the id of a site of the study shows that hospital alone: its plan says so, and each policy must have figures.perHospital.":
    "Jeder Wert, den die Spalte haben darf. Öffentlich: deklariert, nie aus Datensätzen gelesen. Einer, der die ID eines Standorts der Studie ist, zeigt dieses Krankenhaus allein: ihr Plan sagt es, und jede Richtlinie muss figures.perHospital erlauben.",
  "Of a missing value: `reject-row` leaves its row out, `own-level` is a level of its own.":
    "Bei fehlendem Wert: `reject-row` lässt die Zeile weg, `own-level` ist eine eigene Ausprägung.",
  "A value that is not one of the levels, nor in `map`: `reject-row` leaves the row out, `other` counts it as a level of its own, `fault` is a fault of the table. Left out: `fault`.":
    "Ein Wert, der weder Ausprägung ist noch in `map` steht: `reject-row` lässt die Zeile weg, `other` zählt ihn als eigene Ausprägung, `fault` ist ein Fehler der Tabelle. Ohne Angabe: `fault`.",
  "The outcome, or the groups that are compared. A row without it is left out.":
    "Die Zielgröße oder die verglichenen Gruppen. Eine Zeile ohne sie wird weggelassen.",
  "As of a feature, without `other`.": "Wie bei einem Merkmal, ohne `other`.",
  "Columns of the table that only `where` and dates read: no method sees their values.":
    "Spalten der Tabelle, die nur `where` und Datumsangaben lesen: keine Methode sieht ihre Werte.",
  "Those that `where` names; other text is another level.":
    "Die von `where` genannten; anderer Text ist eine andere Ausprägung.",
  "How text spells it, besides ISO 8601. Left out: in no other way.":
    "Wie Text es schreibt, außer nach ISO 8601. Ohne Angabe: auf keine andere Weise.",
  'Which rows the study is about, such as `age >= 18 and ward in ("A", "B")`: a condition over its features, label and `columns`. Rows for which it is not true are left out within the sums.':
    'Von welchen Zeilen die Studie handelt, etwa `age >= 18 and ward in ("A", "B")`: eine Bedingung über ihre Merkmale, Zielgröße und `columns`. Zeilen, für die sie nicht gilt, werden innerhalb der Summen weggelassen.',
  "For tables with several rows of a patient: the unit of privacy is then the patient.":
    "Für Tabellen mit mehreren Zeilen je Patient: die Einheit des Datenschutzes ist dann der Patient.",
  "The column that says whose row it is; it is read for nothing else.":
    "Die Spalte, die sagt, wessen Zeile es ist; sie wird für nichts anderes gelesen.",
  "A site uses at most so many rows of each patient.":
    "Ein Standort verwendet höchstens so viele Zeilen je Patient.",
  "How several rows of a patient count. `patients`: each weighs 1 over the number of the patient's rows that are used, so that sums count patients, and noise is that of one row. `rows`: each counts 1, and noise grows with `maxRows`. Left out: `patients` for the methods that can weigh rows ({methods}), `rows` for the others.":
    "Wie mehrere Zeilen eines Patienten zählen. `patients`: jede wiegt 1 durch die Zahl seiner verwendeten Zeilen, sodass Summen Patienten zählen und das Rauschen das einer Zeile ist. `rows`: jede zählt 1, und das Rauschen wächst mit `maxRows`. Ohne Angabe: `patients` bei Methoden, die Zeilen gewichten können ({methods}), sonst `rows`.",
  "How sites whose table is an OMOP database compute the columns, one row per person.":
    "Wie Standorte, deren Tabelle eine OMOP-Datenbank ist, die Spalten berechnen, eine Zeile je Person.",
  "Sets of concepts by name, which the index and the columns refer to.":
    "Konzeptmengen nach Namen, auf die sich Index und Spalten beziehen.",
  "The concept's number in the vocabulary.": "Die Nummer des Konzepts im Vokabular.",
  "What the concept is called, for people alone.": "Wie das Konzept heißt, nur für Menschen.",
  "Whether the concepts below it in CONCEPT_ANCESTOR count too.":
    "Ob die Konzepte unter ihm in CONCEPT_ANCESTOR mitzählen.",
  "Taken out of the set, with its descendants if so stated.":
    "Aus der Menge ausgenommen, mit den Nachkommen, wenn so angegeben.",
  "The event that brings a person into the table and dates the windows.":
    "Das Ereignis, das eine Person in die Tabelle bringt und die Zeitfenster datiert.",
  "The kind of event, and so the table of the CDM that is read.":
    "Die Art des Ereignisses und damit die gelesene Tabelle des CDM.",
  "The concept set that the events are of.": "Die Konzeptmenge der Ereignisse.",
  "Which of a person's events is the index.": "Welches Ereignis einer Person der Index ist.",
  "Events before this date are no index.": "Ereignisse vor diesem Datum sind kein Index.",
  "Events after this date are no index.": "Ereignisse nach diesem Datum sind kein Index.",
  "Only persons whom one observation period covers for so long around the index date.":
    "Nur Personen, die ein Beobachtungszeitraum so lange um das Indexdatum abdeckt.",
  "Days before the index date.": "Tage vor dem Indexdatum.",
  "Days after it.": "Tage danach.",
  "Each feature, and the label, with what of a person's record it is.":
    "Jedes Merkmal und die Zielgröße, mit dem, was sie aus der Akte einer Person ist.",
  "The feature, or the label, that this gives.": "Das Merkmal oder die Zielgröße, die das ergibt.",
  "First and last day of the window, counted from the index date; both belong to it. -1 is the day before.":
    "Erster und letzter Tag des Fensters, vom Indexdatum gezählt; beide gehören dazu. -1 ist der Tag davor.",
  "The kind of event whose newest value is taken.":
    "Die Art des Ereignisses, dessen neuester Wert genommen wird.",
  "Only values in this unit are used; `any` takes each value as it is.":
    "Nur Werte in dieser Einheit werden verwendet; `any` nimmt jeden Wert, wie er ist.",
  "Who wants the study and on what ground. A hospital's policy may require keys of it.":
    "Wer die Studie will und auf welcher Grundlage. Die Richtlinie eines Krankenhauses kann Angaben davon verlangen.",
  "Who leads the study: name and institution. Public with the release.":
    "Wer die Studie leitet: Name und Einrichtung. Öffentlich mit der Veröffentlichung.",
  "Where questions go, such as an e-mail address. Public with the release.":
    "Wohin Fragen gehen, etwa eine E-Mail-Adresse. Öffentlich mit der Veröffentlichung.",
  "What the results are for, in one or two sentences.": "Wofür die Ergebnisse sind, in ein oder zwei Sätzen.",
  "The study's protocol: where it can be read, or its number in a registry, and its version.":
    "Das Studienprotokoll: wo es zu lesen ist oder seine Nummer in einem Register, und seine Fassung.",
  "Ethics committee, number and date of its vote, or why none is needed.":
    "Ethikkommission, Nummer und Datum ihres Votums, oder warum keines nötig ist.",
  "The legal basis, such as GDPR Art. 9(2)(j) with the national law.":
    "Die Rechtsgrundlage, etwa Art. 9 Abs. 2 lit. j DSGVO mit dem nationalen Recht.",
  "How long results and records of the study are kept, and by whom.":
    "Wie lange Ergebnisse und Unterlagen der Studie aufbewahrt werden, und von wem.",
  "What the study may cost, or `none` for a study without any privacy.":
    "Was die Studie kosten darf, oder `none` für eine Studie ganz ohne Datenschutz.",
  "The privacy cost to one record or patient; smaller is safer and noisier.":
    "Die Datenschutzkosten eines Datensatzes oder Patienten; kleiner ist sicherer und verrauschter.",
  "How probable it is that this fails: well below 1 in the number of patients.":
    "Wie wahrscheinlich es ist, dass dies versagt: weit unter 1 durch die Zahl der Patienten.",
  "ρ that the stages share, and that ledgers charge. Left out: what zCDP allows at epsilon and delta. More is accepted where the plan's exact loss distribution stays within epsilon: `consilium study calibrate` finds it.":
    "ρ, das sich die Stufen teilen und das Budgetbücher verbuchen. Ohne Angabe: was zCDP bei Epsilon und Delta erlaubt. Mehr wird angenommen, wo die exakte Verlustverteilung des Plans innerhalb von Epsilon bleibt: `consilium study calibrate` findet es.",
  "Who takes part, and how long the study waits for them.": "Wer teilnimmt, und wie lange die Studie wartet.",
  "Which sites are invited; left out, all enrolled ones.":
    "Welche Standorte eingeladen werden; ohne Angabe alle angemeldeten.",
  "With fewer sites the study does not run.": "Mit weniger Standorten läuft die Studie nicht.",
  "Number of sites that may collude with the aggregator without exposing another site's data.":
    "Zahl der Standorte, die mit dem Aggregator kolludieren können, ohne Daten eines anderen Standorts offenzulegen.",
  "Fixes ring width and quantisation. A hospital with more rows draws a sample where it has said how long its table is; beyond it, sums of a sound study may wrap around, and other studies refuse the table.":
    "Legt Ringbreite und Quantisierung fest. Ein Krankenhaus mit mehr Zeilen zieht eine Stichprobe, wenn es die Länge seiner Tabelle angegeben hat; darüber hinaus können Summen einer bewiesenen Studie überlaufen, und andere Studien lehnen die Tabelle ab.",
  "How many of `expectedRows` are thought to have the event that the study is about, or, of a Poisson regression, how many events they are thought to have together: public, as those are, and used like them. Left out: unknown.":
    "Wie viele von `expectedRows` vermutlich das Ereignis haben, um das es in der Studie geht, oder, bei Poisson-Regression, wie viele Ereignisse sie vermutlich zusammen haben: öffentlich wie diese und ebenso verwendet. Ohne Angabe: unbekannt.",
  "How many rows all sites together are thought to have: public, and used for the plan's warnings and for what methods choose by it beforehand; where patients are weighed, as the most patients that there may be. Left out: half of the most that there may be.":
    "Wie viele Zeilen alle Standorte zusammen vermutlich haben: öffentlich, für die Warnungen des Plans und für das, was Methoden vorab danach wählen; wo Patienten gewichtet werden, die Höchstzahl der Patienten. Ohne Angabe: die Hälfte der möglichen.",
  "How long each step waits for the sites, such as 90s, 10m or 2h.":
    "Wie lange jeder Schritt auf die Standorte wartet, etwa 90s, 10m oder 2h.",
  "How long hospitals may take to decide. Left out: 7 days, for in any hospital a person may have to. The study begins as soon as all have decided.":
    "Wie lange Krankenhäuser für ihre Entscheidung brauchen dürfen. Ohne Angabe: 7 Tage, denn in jedem Krankenhaus kann ein Mensch entscheiden müssen. Die Studie beginnt, sobald alle entschieden haben.",
  "What readers see in the catalogue.": "Was Leser im Katalog sehen.",
  "The release's title in the catalogue.": "Der Titel der Veröffentlichung im Katalog.",
  "What the release holds, in a few sentences.": "Was die Veröffentlichung enthält, in einigen Sätzen.",
  "Such as CC-BY-4.0; without, readers ask `request.contact`.":
    "Etwa CC-BY-4.0. Ohne Lizenz fragen Leser `request.contact`.",
  "no reason was written down": "ein Grund wurde nicht angegeben",
  "Whom to cite: `Family, Given (affiliation); …`, or a name.":
    "Wer zu zitieren ist: `Familienname, Vorname (Einrichtung); …` oder ein Name.",
  "`open`, or `token`: readers need one of the publisher's tokens for this release.":
    "`open`, oder `token`: Leser benötigen ein Token der veröffentlichenden Stelle für diese Veröffentlichung.",
  "Whether the release holds the noisy sums of every stage, so that anybody computes the result from them anew (`consilium release replay`). Only where every stage is a proven sum with noise.":
    "Ob die Veröffentlichung die verrauschten Summen aller Stufen enthält, sodass jeder das Ergebnis daraus nachrechnen kann (`consilium release replay`). Nur wo jede Stufe eine bewiesene Summe mit Rauschen ist.",
  "Counts, shares, means and quartiles of each column, and tables of two columns.":
    "Anzahlen, Anteile, Mittelwerte und Quartile jeder Spalte, und Kreuztabellen.",
  "Intervals of equal width of a numeric column that declares no edges. Left out: every numeric column must declare edges.":
    "Gleich breite Intervalle einer numerischen Spalte ohne Klassengrenzen. Ohne Angabe: jede numerische Spalte muss Klassengrenzen angeben.",
  "Two-way tables: pairs of columns, such as [[age, sex], [sex, smoker]].":
    "Kreuztabellen: Paare von Spalten, etwa [[age, sex], [sex, smoker]].",
  "How many records meet each of a few conditions, at a small epsilon.":
    "Wie viele Datensätze jede von wenigen Bedingungen erfüllen, bei kleinem Epsilon.",
  "What to count: conditions with a name each, such as { name: adults, all: [{ column: age, atLeast: 18 }] }. Left out: all records.":
    "Was zu zählen ist: Bedingungen mit je einem Namen, etwa { name: adults, all: [{ column: age, atLeast: 18 }] }. Ohne Angabe: alle Datensätze.",
  "What the release calls it.": "Wie die Veröffentlichung es nennt.",
  "What a record must meet, all of it; an empty list is met by every record.":
    "Was ein Datensatz alles erfüllen muss; eine leere Liste erfüllt jeder.",
  "A feature or the label.": "Ein Merkmal oder die Zielgröße.",
  "Met by values from this number on.": "Erfüllt von Werten ab dieser Zahl.",
  "Met by values below this number.": "Erfüllt von Werten unter dieser Zahl.",
  "Met by these levels.": "Erfüllt von diesen Ausprägungen.",
  "`true`: met where the value is missing; `false`: where it is there.":
    "`true`: erfüllt, wo der Wert fehlt; `false`: wo er vorhanden ist.",
  "Counts by group of sites, such as countries: each named site of participation.sites is in one group. A group has at least three sites and tolerateColluding + 2, also among those that take part and that are left at the end of each step.":
    "Anzahlen nach Gruppen von Standorten, etwa Ländern: jeder genannte Standort von participation.sites gehört zu einer Gruppe. Eine Gruppe hat mindestens drei Standorte und tolerateColluding + 2, auch unter denen, die teilnehmen, und denen, die am Ende jedes Schritts übrig sind.",
  "The ids of the group's sites.": "Die IDs der Standorte der Gruppe.",
  "Odds, rate or hazard ratios, or differences in means, with intervals.":
    "Odds, Raten- oder Hazard Ratios oder Mittelwertdifferenzen, mit Intervallen.",
  "`logistic`: odds ratios of the label's second level against its first. `linear`: differences in the mean of `outcome`. `poisson`: rate ratios of the counts in `outcome`. `cox`: hazard ratios of the label's level `event`, at the times in `time`.":
    "`logistic`: Odds Ratios der zweiten Ausprägung der Zielgröße gegen die erste. `linear`: Differenzen im Mittelwert von `outcome`. `poisson`: Ratenverhältnisse der Anzahlen in `outcome`. `cox`: Hazard Ratios der Ausprägung `event` der Zielgröße, zu den Zeiten in `time`.",
  "The numeric feature that a linear or a Poisson regression explains by all others. Counts begin at 0; a count beyond `max` counts as `max`.":
    "Das numerische Merkmal, das eine lineare oder Poisson-Regression durch alle anderen erklärt. Anzahlen beginnen bei 0; eine über `max` zählt als `max`.",
  "Of a Poisson regression: the numeric feature that counts are in proportion to, such as years of follow-up. Left out: each row counts alike.":
    "Bei Poisson-Regression: das numerische Merkmal, zu dem Anzahlen im Verhältnis stehen, etwa Jahre der Nachbeobachtung. Ohne Angabe: jede Zeile zählt gleich.",
  "Of a Cox regression: the numeric feature with the time of follow-up, from 0 to the horizon `max`, where those still followed are censored.":
    "Bei Cox-Regression: das numerische Merkmal mit der Nachbeobachtungszeit, von 0 bis zum Horizont `max`, wo noch Beobachtete zensiert werden.",
  "Of a Cox regression: the level of the label that is the event. Rows of every other level are censored at their time.":
    "Bei Cox-Regression: die Ausprägung der Zielgröße, die das Ereignis ist. Zeilen jeder anderen Ausprägung werden zu ihrer Zeit zensiert.",
  "Of a Cox regression: intervals of equal width, 10 by default, within which the hazard is taken to be constant, where the time declares no edges.":
    "Bei Cox-Regression: gleich breite Intervalle, voreingestellt 10, in denen der Hazard als konstant gilt, wenn die Zeit keine Klassengrenzen angibt.",
  "T: noisy sums, one after another, of any regression but a linear one: 6 by default of a logistic one, 5 of others. Without privacy as many are asked for as it takes.":
    "T: verrauschte Summen nacheinander, bei jeder außer der linearen Regression: voreingestellt 6 bei der logistischen, 5 bei anderen. Ohne Datenschutz werden so viele gebildet wie nötig.",
  "Of a Cox regression: the cumulative hazard at which a patient's follow-up is cut: less is less noise, and more patients are cut. Left out: seven times the part of patients with the event by `participation.expectedEvents`, from 0.3 to 3, and 0.5 where that is left out. Without privacy it is 64, which hardly anybody outlives.":
    "Bei Cox-Regression: der kumulierte Hazard, bei dem die Nachbeobachtung eines Patienten abgeschnitten wird: ein kleinerer bringt weniger Rauschen und mehr abgeschnittene Patienten. Ohne Angabe: das Siebenfache des Anteils der Patienten mit dem Ereignis nach `participation.expectedEvents`, von 0.3 bis 3, und 0.5, wo dieses fehlt. Ohne Datenschutz ist er 64, was kaum jemand überlebt.",
  "Of a Poisson regression: the most events that are expected of a row: where a count is further below its mean, it counts as that far below. Left out: half the outcome's `max`, and no less than 1 or `max`. Without privacy it is 16, or twice `max` where that is more.":
    "Bei Poisson-Regression: die meisten Ereignisse, die von einer Zeile erwartet werden: liegt eine Anzahl weiter unter ihrem Mittelwert, zählt sie als so weit darunter. Ohne Angabe: die Hälfte von `max` der Zielgröße, und nicht weniger als 1 oder `max`. Ohne Datenschutz sind es 16, oder das Doppelte von `max`, wo das mehr ist.",
  "Public: what decides which rows are held out.":
    "Öffentlich: was entscheidet, welche Zeilen zurückgehalten werden.",
  "Whether rows are held out of training to tell how well the model predicts; `none` switches it off.":
    "Ob Zeilen vom Training zurückgehalten werden, um die Vorhersagegüte zu messen; `none` schaltet es aus.",
  "The part of the records that no stage of training sees, chosen by a public hash of each record's own features.":
    "Der Teil der Datensätze, den keine Trainingsstufe sieht, gewählt durch einen öffentlichen Hash der eigenen Merkmale.",
  "The part of the study's ρ that the evaluation costs; training has the rest.":
    "Der Teil des ρ der Studie, den die Bewertung kostet; das Training hat den Rest.",
  "The status at the end of follow-up: the event, and why others were censored.":
    "Der Status am Ende der Nachbeobachtung: das Ereignis, und warum andere zensiert wurden.",
  "Survival by group with 95 % intervals, and the log-rank test.":
    "Überleben nach Gruppen mit 95-%-Intervallen, und der Log-Rank-Test.",
  "The level of the status column that is the event, such as `dead`. Rows of every other level are censored at their time, but those of `competing`.":
    "Die Ausprägung der Statusspalte, die das Ereignis ist, etwa `dead`. Zeilen jeder anderen Ausprägung, außer denen von `competing`, werden zu ihrer Zeit zensiert.",
  "Levels of the status column that rule the event out for good, such as a death of another cause: the release then has the cumulative incidence of each. Left out: none.":
    "Ausprägungen der Statusspalte, die das Ereignis für immer ausschließen, etwa ein Tod aus anderer Ursache: die Veröffentlichung enthält dann die kumulative Inzidenz jeder von ihnen. Ohne Angabe: keine.",
  "Intervals of equal width from 0 to the horizon, where the time column declares no edges. Few of them blur curves and test; more cost little.":
    "Gleich breite Intervalle von 0 bis zum Horizont, wenn die Zeitspalte keine Klassengrenzen angibt. Wenige lassen Kurven und Test verschwimmen; mehr kosten wenig.",
  "Synthetic rows that follow the columns' distributions and their strongest pairs.":
    "Synthetische Zeilen, die den Verteilungen der Spalten und ihren stärksten Paaren folgen.",
  "Rows to draw. Left out: as many as the noisy counts say that there are records.":
    "Zu ziehende Zeilen. Ohne Angabe: so viele, wie es nach den verrauschten Anzahlen Datensätze gibt.",
  "Cells of a column at most in the first sum, which chooses the tree: neighbouring intervals and levels are counted together. Left out of a new study that says how many rows it expects: by the noise.":
    "Höchstzahl der Zellen einer Spalte in der ersten Summe, die den Baum wählt: benachbarte Intervalle und Ausprägungen werden zusammengezählt. Ohne Angabe bei einer neuen Studie mit erwarteter Zeilenzahl: nach dem Rauschen.",
  "How many decimals a numeric column's values are drawn with, such as [[age, 0], [temperature, 1]]. Left out: any number of the interval.":
    "Mit wie vielen Dezimalstellen Werte einer numerischen Spalte gezogen werden, etwa [[age, 0], [temperature, 1]]. Ohne Angabe: jede Zahl des Intervalls.",
  "Principal components, and synthetic rows in their coordinates.":
    "Hauptkomponenten, und synthetische Zeilen in ihren Koordinaten.",
  "k, the dimension that the data are reduced to.": "k, die Dimension, auf die die Daten reduziert werden.",
  "c0, what every row is centred by: one number, or one for each design column, in units of the declared range (0 is `min`, 1 is `max`). Left out: the middle, 0.5 for a number and 1/levels for each level of a category. With `ball: private` what the choice begins from. Public: never the mean of anybody's table.":
    "c0, womit jede Zeile zentriert wird: eine Zahl oder eine je Designspalte, in Einheiten des deklarierten Bereichs (0 ist `min`, 1 ist `max`). Ohne Angabe: die Mitte, 0,5 für eine Zahl und 1/Ausprägungen für jede Ausprägung einer Kategorie. Mit `ball: private` der Ausgangspunkt der Wahl. Öffentlich: nie der Mittelwert irgendeiner Tabelle.",
  "R: rows further than this from the centre are moved onto the sphere; with `ball: private` the largest radius that may be chosen. In units of the declared ranges. Left out: the root mean square distance of a row whose columns are independent and even over their ranges.":
    "R: Zeilen, die weiter vom Zentrum entfernt liegen, werden auf die Sphäre verschoben; mit `ball: private` der größte wählbare Radius. In Einheiten der deklarierten Bereiche. Ohne Angabe: der quadratische mittlere Abstand einer Zeile mit unabhängigen, gleichverteilten Spalten.",
  "Whose centre and radius rows are clipped by. `declared`: `centre` and `radius` of this file. `private`: two noisy sums choose them, beginning from those. `auto`: `private` where every column is a number and `participation.expectedRows` is large enough for the choice to be worth its part of the budget, else `declared`. Left out: `declared` where `centre` or `radius` is given, else `auto`.":
    "Mit welchem Zentrum und Radius Zeilen begrenzt werden. `declared`: `centre` und `radius` dieser Datei. `private`: zwei verrauschte Summen wählen sie, von diesen ausgehend. `auto`: `private`, wo jede Spalte eine Zahl ist und `participation.expectedRows` groß genug, dass die Wahl ihren Teil des Budgets wert ist, sonst `declared`. Ohne Angabe: `declared`, wo `centre` oder `radius` angegeben ist, sonst `auto`.",
  "The part of the study's ρ that the choice of centre and radius costs, half for each; components have the rest. Left out: 0.15.":
    "Der Teil des ρ der Studie, den die Wahl von Zentrum und Radius kostet, je zur Hälfte; die Komponenten haben den Rest. Ohne Angabe: 0,15.",
  "κ: the length of the extra coordinate that carries the number of rows and the mean.":
    "κ: die Länge der zusätzlichen Koordinate, die Zeilenzahl und Mittelwert trägt.",
  "How the sums are asked for: `auto` picks by the number of columns and classes.":
    "Wie die Summen abgefragt werden: `auto` wählt nach der Zahl der Spalten und Klassen.",
  "Rounds of `form: iteration`.": "Runden von `form: iteration`.",
  "Principal components of the sites' rows as published.":
    "Hauptkomponenten der Zeilen der Standorte wie veröffentlicht.",
  "`pooled` divides each site's scatter by n-1 of all sites, so that the sum is the pooled covariance; `site` divides by N_i-1, as printed in the article.":
    "`pooled` teilt die Streumatrix jedes Standorts durch n-1 aller Standorte, sodass die Summe die gepoolte Kovarianz ist; `site` teilt durch N_i-1, wie im Artikel gedruckt.",
  "`none`: raw declared units, as in the article. `declared`: every column mapped to [0, 1] by its bounds.":
    "`none`: rohe deklarierte Einheiten, wie im Artikel. `declared`: jede Spalte mit ihren Grenzen auf [0, 1] abgebildet.",
  "One tree of cuts by correlation with the label, from sums.":
    "Ein Baum aus Schnitten nach Korrelation mit der Zielgröße, aus Summen.",
  "h, levels of splits. A path asks each attribute once, so there are at least as many features. Left out: as many as `participation.expectedRows` let stand out of the noise, or 3 without it.":
    "h, Ebenen von Teilungen. Ein Pfad fragt jedes Attribut einmal, also gibt es mindestens so viele Merkmale. Ohne Angabe: so viele, wie sich nach `participation.expectedRows` vom Rauschen abheben, sonst 3.",
  "Intervals of equal width of a numeric feature that declares no edges. Left out: 16, of dp-pcc fewer (3 at least) where `participation.expectedRows` are few for the noise.":
    "Gleich breite Intervalle eines numerischen Merkmals ohne Klassengrenzen. Ohne Angabe: 16, bei dp-pcc weniger (mindestens 3), wo `participation.expectedRows` für das Rauschen gering ist.",
  "The part of training's budget that the counts in the leaves get; the levels share the rest equally. Left out: 0.3; of dp-pcc, where `depth` is left out too and `participation.expectedRows` is given, what makes the errors of cuts and leaves least.":
    "Der Teil des Trainingsbudgets für die Anzahlen in den Blättern; die Ebenen teilen sich den Rest gleichmäßig. Ohne Angabe: 0,3; bei dp-pcc, wenn auch `depth` fehlt und `participation.expectedRows` angegeben ist, was die Fehler von Schnitten und Blättern am kleinsten macht.",
  "A cut is looked at where each side holds at least so many standard deviations of the noise in a count over all bins of the attribute.":
    "Ein Schnitt wird betrachtet, wo jede Seite mindestens so viele Standardabweichungen des Rauschens einer Anzahl über alle Klassen des Attributs enthält.",
  "One tree of cuts by correlation with the label, from the votes of blocks of rows.":
    "Ein Baum aus Schnitten nach Korrelation mit der Zielgröße, aus den Stimmen von Zeilenblöcken.",
  "Blocks of each site. Left out: with `participation.expectedRows` as many as make noise and chance least together, else 50.":
    "Blöcke je Standort. Ohne Angabe: mit `participation.expectedRows` so viele, dass Rauschen und Zufall zusammen am kleinsten sind, sonst 50.",
  "A node is split where the best sum of correlations stands out by so many standard deviations of its noise.":
    "Ein Knoten wird geteilt, wo die beste Summe der Korrelationen um so viele Standardabweichungen ihres Rauschens hervorsticht.",
  "A tree of cuts by Pearson correlation as published.":
    "Ein Baum aus Schnitten nach Pearson-Korrelation wie veröffentlicht.",
  "h, levels of splits.": "h, Ebenen von Teilungen.",
  "In which order nodes choose among the attributes that are left. `depth-first`, as published: a node, all that is below its left branch, then its right branch; one sum for each node. `breadth-first`, not as published: level by level, one sum for each level. The trees of both can differ from depth 3 on.":
    "In welcher Reihenfolge Knoten unter den verbleibenden Attributen wählen. `depth-first`, wie veröffentlicht: ein Knoten, alles unter seinem linken Zweig, dann der rechte; eine Summe je Knoten. `breadth-first`, nicht wie veröffentlicht: Ebene für Ebene, eine Summe je Ebene. Ab Tiefe 3 können sich die Bäume unterscheiden.",
  "p: each site's rows are dealt in turn to so many subsets, the method's map tasks. The site works on them in parallel.":
    "p: die Zeilen jedes Standorts werden reihum auf so viele Teilmengen verteilt, die Map-Aufgaben der Methode. Der Standort bearbeitet sie parallel.",
  "A categorical feature whose levels are the map tasks in place of `partitions`: the task of a row is its level. The tree does not split by it. So the tasks are the same wherever and in whatever order rows are read, and a site may compute them on a cluster. Left out: rows are dealt in turn.":
    "Ein kategoriales Merkmal, dessen Ausprägungen anstelle von `partitions` die Map-Aufgaben sind: die Aufgabe einer Zeile ist ihre Ausprägung. Der Baum teilt nicht danach. So sind die Aufgaben unabhängig von Ort und Reihenfolge des Lesens gleich, und ein Standort kann sie auf einem Cluster berechnen. Ohne Angabe: Zeilen werden reihum verteilt.",
  "`argmax`: the attribute with the largest score, as printed. `sample`: by the exponential mechanism, as it requires.":
    "`argmax`: das Attribut mit der höchsten Bewertung, wie gedruckt. `sample`: nach dem Exponentialmechanismus, wie er es verlangt.",
  "δq of the exponential mechanism. Left out: 1 over the number of subsets, what one record can move the mean by.":
    "δq des Exponentialmechanismus. Ohne Angabe: 1 durch die Zahl der Teilmengen, um so viel kann ein Datensatz den Mittelwert verschieben.",
  "The part of ε that the counts in the leaves get, ε2; ε1 is the rest.":
    "Der Teil von ε für die Anzahlen in den Blättern, ε2; ε1 ist der Rest.",
  "Boosted trees that vote on one of two classes.":
    "Geboostete Bäume, die über eine von zwei Klassen abstimmen.",
  "T: trees, one after another.": "T: Bäume, nacheinander.",
  "d, levels of splits.": "d, Ebenen von Teilungen.",
  "k: features that each node is asked for, drawn from the seed. Left out: 5, or all where there are fewer.":
    "k: Merkmale, nach denen jeder Knoten gefragt wird, aus dem Startwert gezogen. Ohne Angabe: 5, oder alle, wenn es weniger sind.",
  "`real`: leaves are half the log-odds. `discrete`: leaves vote with the weight of their tree.":
    "`real`: Blätter sind die halben Log-Odds. `discrete`: Blätter stimmen mit dem Gewicht ihres Baums.",
  "Intervals of equal width of a numeric feature that declares no edges.":
    "Gleich breite Intervalle eines numerischen Merkmals ohne Klassengrenzen.",
  "Public: what each node's features are drawn from.":
    "Öffentlich: woraus die Merkmale jedes Knotens gezogen werden.",
  "The part of each tree's ρ that its leaves cost; the levels share the rest evenly.":
    "Der Teil des ρ jedes Baums, den seine Blätter kosten; die Ebenen teilen sich den Rest gleichmäßig.",
  "A side of a split must weigh so many standard deviations of one entry's noise; where that is more than a quarter of what all rows weigh in the tree, a quarter, but at least one standard deviation.":
    "Eine Seite einer Teilung muss so viele Standardabweichungen des Rauschens eines Eintrags wiegen; wo das mehr als ein Viertel des Gewichts aller Zeilen im Baum ist, ein Viertel, aber mindestens eine Standardabweichung.",
  "`siblings`: two leaves that noise cannot tell apart become one, from the bottom up.":
    "`siblings`: zwei Blätter, die das Rauschen nicht unterscheidet, werden von unten her eines.",
  "A score of one curve for each feature, for one of two classes.":
    "Ein Wert aus einer Kurve je Merkmal, für eine von zwei Klassen.",
  "Sums, one after another; each one updates the curves of all features at once.":
    "Summen nacheinander; jede aktualisiert die Kurven aller Merkmale zugleich.",
  "η: what every update is multiplied with. Left out: 1/√m for m features. An update that overshoots lowers it.":
    "η: womit jede Aktualisierung multipliziert wird. Ohne Angabe: 1/√m bei m Merkmalen. Eine überschießende Aktualisierung senkt es.",
  "λ: what a bin's log-odds still lack is supposed to have the standard deviation 1/√λ; with the noise it decides how far an update is shrunk.":
    "λ: was den Log-Odds einer Klasse noch fehlt, soll die Standardabweichung 1/√λ haben; zusammen mit dem Rauschen bestimmt es die Schrumpfung einer Aktualisierung.",
  "Boosted trees as published.": "Geboostete Bäume wie veröffentlicht.",
  "T, trees at most: the method stops where a tree is worse than a coin.":
    "T, höchstens so viele Bäume: die Methode hält an, wo ein Baum schlechter als eine Münze ist.",
  "k: attributes drawn for each node, of which the one with the least Gini index splits it. Left out: 5, or all.":
    "k: je Knoten gezogene Attribute, von denen das mit dem kleinsten Gini-Index ihn teilt. Ohne Angabe: 5, oder alle.",
  "Public: what the attributes of each node, hold-outs and resamples are drawn from.":
    "Öffentlich: woraus die Attribute jedes Knotens, zurückgehaltene und neu gezogene Zeilen gezogen werden.",
  "How the Gini index of the exponential mechanism is measured: `unnormalised` is by counts, for which the printed sensitivity of 2 was derived; `normalised` is from 0 to 1/2.":
    "Wie der Gini-Index des Exponentialmechanismus gemessen wird: `unnormalised` in Anzahlen, wofür die gedruckte Sensitivität 2 hergeleitet wurde; `normalised` von 0 bis 1/2.",
  "How a categorical attribute is split: `subset` is by the best of all sets of its levels, as CART does; `one-level` takes one level out, as the authors' program does.":
    "Wie ein kategoriales Attribut geteilt wird: `subset` nach der besten aller Mengen seiner Ausprägungen, wie CART; `one-level` nimmt eine Ausprägung heraus, wie das Programm der Autoren.",
  "`equal`: ε/T for each tree, as the article's privacy section says. `weighted`: ε/T - ln α, as its Algorithm 3 prints, until ε is used up.":
    "`equal`: ε/T je Baum, wie der Datenschutzabschnitt des Artikels sagt. `weighted`: ε/T - ln α, wie sein Algorithmus 3 druckt, bis ε verbraucht ist.",
  "Part of each site's rows that trees are pruned by; 0 for no pruning.":
    "Teil der Zeilen jedes Standorts, mit dem Bäume beschnitten werden; 0 für keine Beschneidung.",
  "A weight for each feature: how well it tells the classes apart, from sums.":
    "Ein Gewicht je Merkmal: wie gut es die Klassen unterscheidet, aus Summen.",
  "q: how many features to select. Left out: a tenth of them, at least one.":
    "q: wie viele Merkmale auszuwählen sind. Ohne Angabe: ein Zehntel, mindestens eines.",
  "The part of the budget that the prototypes have; the rest is for what is summed against them.":
    "Der Teil des Budgets für die Prototypen; der Rest ist für die Summen gegen sie.",
  "c0, what a row is centred by before its length is bounded: one number, or one for each design column, in units of the declared range. Left out: the middle of what a column can be. Public, never a mean of anybody's table.":
    "c0, womit eine Zeile zentriert wird, bevor ihre Länge begrenzt wird: eine Zahl oder eine je Designspalte, in Einheiten des deklarierten Bereichs. Ohne Angabe: die Mitte des Möglichen. Öffentlich, nie ein Mittelwert irgendeiner Tabelle.",
  "R: rows farther than this from the centre are moved onto the sphere, for the prototypes alone.":
    "R: Zeilen, die weiter vom Zentrum entfernt liegen, werden auf die Sphäre verschoben, nur für die Prototypen.",
  "κ: how much the number of rows weighs beside their sum.":
    "κ: wie viel die Zeilenzahl neben ihrer Summe wiegt.",
  "C: the length to which a record's margins are cut.":
    "C: die Länge, auf die die Abstände eines Datensatzes begrenzt werden.",
  "T: 1 sums the margins once; more are steps of gradient descent, which share the budget.":
    "T: 1 summiert die Abstände einmal; mehr sind Schritte eines Gradientenabstiegs, die sich das Budget teilen.",
  "λ: the weight of |w|² in what is minimised.": "λ: das Gewicht von |w|² im Minimierten.",
  "A weight for each feature, from the answers of blocks of rows.":
    "Ein Gewicht je Merkmal, aus den Antworten von Zeilenblöcken.",
  "How weights are found: `auto` is newton for up to 500 features, lbfgs beyond.":
    "Wie Gewichte gefunden werden: `auto` ist newton bis 500 Merkmale, darüber lbfgs.",
  "m: blocks of each site, public. Some 20 expected rows each are a good size. Left out: `maxRowsPerSite` / 40, as if tables were half as long as they may be.":
    "m: Blöcke je Standort, öffentlich. Etwa 20 erwartete Zeilen je Block sind eine gute Größe. Ohne Angabe: `maxRowsPerSite` / 40, als wären Tabellen halb so lang wie möglich.",
  "A weight for each feature by local learning, as published.":
    "Ein Gewicht je Merkmal durch lokales Lernen, wie veröffentlicht.",
  "k, subsamples of each site; fwell takes the whole table once.":
    "k, Teilstichproben je Standort; fwell nimmt die ganze Tabelle einmal.",
  "β: a subsample has ⌈β·N_i⌉ rows.": "β: eine Teilstichprobe hat ⌈β·N_i⌉ Zeilen.",
  "How the rows of a subsample are drawn.": "Wie die Zeilen einer Teilstichprobe gezogen werden.",
  "Public: what the subsamples are drawn from.": "Öffentlich: woraus die Teilstichproben gezogen werden.",
  "The features that can be released in groups of at least k rows, and their table.":
    "Die Merkmale, die in Gruppen von mindestens k Zeilen veröffentlicht werden können, und ihre Tabelle.",
  "K: rows of each combination of released values at least; patients, where the study weighs them alike.":
    "K: Mindestzahl der Zeilen jeder Kombination veröffentlichter Werte; der Patienten, wo die Studie sie gleich gewichtet.",
  "Intervals of equal width of a numeric feature that declares no edges. Left out: 16, fewer (3 at least) where `participation.expectedRows` are few for the noise.":
    "Gleich breite Intervalle eines numerischen Merkmals ohne Klassengrenzen. Ohne Angabe: 16, weniger (mindestens 3), wo `participation.expectedRows` für das Rauschen gering ist.",
  "T: trees, one after another. Left out: 5, and where `participation.expectedRows` let more stand out of the noise as many as come within a hundredth of the margin, 13 at η = 0.3.":
    "T: Bäume, nacheinander. Ohne Angabe: 5, und wo sich nach `participation.expectedRows` mehr vom Rauschen abheben, so viele, dass sie auf ein Hundertstel an den Rand kommen, 13 bei η = 0,3.",
  "d: levels of splits in a tree.": "d: Ebenen von Teilungen in einem Baum.",
  "η: what a tree's leaf weights are multiplied with.":
    "η: womit die Blattgewichte eines Baums multipliziert werden.",
  "λ of the penalty ½λΣw² on leaf weights.": "λ der Strafe ½λΣw² auf Blattgewichte.",
  "γ: a split whose children are leaves stays only where it gains as much.":
    "γ: eine Teilung, deren Kinder Blätter sind, bleibt nur, wo sie so viel gewinnt.",
  "The least sum of hessians on either side of a split.":
    "Die kleinste Summe der zweiten Ableitungen auf jeder Seite einer Teilung.",
  "The probability that every row begins with.": "Die Wahrscheinlichkeit, mit der jede Zeile beginnt.",
  "What features are ordered by. `boosting`: the gains of T trees, in T·d sums; two classes. `histogram`: how each feature goes with the label in one sum, with far less noise; two classes or more, and no trees. `auto`: boosting where the expected rows let its splits stand out of the noise.":
    "Wonach Merkmale geordnet werden. `boosting`: die Gewinne von T Bäumen, in T·d Summen; zwei Klassen. `histogram`: wie jedes Merkmal in einer Summe mit der Zielgröße zusammenhängt, mit weit weniger Rauschen; zwei oder mehr Klassen, keine Bäume. `auto`: boosting, wo sich seine Teilungen bei den erwarteten Zeilen vom Rauschen abheben.",
  "Of boosting. The sum by default: an average over one noisy split puts a feature that was split on once before all others.":
    "Für boosting. Voreingestellt die Summe: ein Mittel über eine einzige verrauschte Teilung stellt ein einmal verwendetes Merkmal vor alle anderen.",
  "κ: the part of all rows that may lie in cells below the threshold of a test.":
    "κ: der Teil aller Zeilen, der in Zellen unter der Schwelle eines Tests liegen darf.",
  "β: the probability at most that a published cell has fewer than K rows.":
    "β: die höchste Wahrscheinlichkeit, dass eine veröffentlichte Zelle weniger als K Zeilen hat.",
  "Candidates of more joint cells are rejected without a look.":
    "Kandidaten mit mehr gemeinsamen Zellen werden ungeprüft verworfen.",
  "How what the evaluation leaves of ρ is divided; together at most 1. All tests share theirs equally, whether or not they are made.":
    "Wie geteilt wird, was die Bewertung von ρ übrig lässt; zusammen höchstens 1. Alle Tests teilen sich ihren Teil gleichmäßig, ob sie stattfinden oder nicht.",
  "For the trees that rank features.": "Für die Bäume, die Merkmale ordnen.",
  "For the number of rows.": "Für die Zahl der Zeilen.",
  "For the tests of k-anonymity.": "Für die Tests der k-Anonymität.",
  "For the released table.": "Für die veröffentlichte Tabelle.",
  "Features in groups of at least k rows, ranked by boosting, as published.":
    "Merkmale in Gruppen von mindestens k Zeilen, durch Boosting geordnet, wie veröffentlicht.",
  "T: trees, one after another; of more than two classes one for each class T times.":
    "T: Bäume, nacheinander; bei mehr als zwei Klassen T-mal einer je Klasse.",
  "Where trees may cut. `exact`: between any two declared intervals. `hist`: at up to maxBin quantiles of the rows, chosen once. `approx`: at quantiles weighted by the hessians, chosen anew for each tree.":
    "Wo Bäume schneiden dürfen. `exact`: zwischen je zwei deklarierten Intervallen. `hist`: an bis zu maxBin Quantilen der Zeilen, einmal gewählt. `approx`: an mit den zweiten Ableitungen gewichteten Quantilen, für jeden Baum neu gewählt.",
  "Bins of a numeric feature that `hist` and `approx` make out of its declared intervals.":
    "Klassen eines numerischen Merkmals, die `hist` und `approx` aus seinen deklarierten Intervallen bilden.",
  "The part of the rows that each tree is grown of, drawn by every site for itself.":
    "Der Teil der Zeilen, aus dem jeder Baum wächst, von jedem Standort für sich gezogen.",
  "The part of the features that each tree may split on, drawn from the seed.":
    "Der Teil der Merkmale, nach denen jeder Baum teilen darf, aus dem Startwert gezogen.",
  "Public: what rows and columns of each tree are drawn from.":
    "Öffentlich: woraus Zeilen und Spalten jedes Baums gezogen werden.",
  "`average-gain`: per split, as XGBoost reports it. `gain-per-tree`: the mean over trees that the text describes.":
    "`average-gain`: je Teilung, wie XGBoost es meldet. `gain-per-tree`: das Mittel über Bäume, das der Text beschreibt.",
  "Features in groups of at least k rows, chosen greedily, as published.":
    "Merkmale in Gruppen von mindestens k Zeilen, gierig gewählt, wie veröffentlicht.",
  // names of the file's keys
  Name: "Name",
  Table: "Tabelle",
  Features: "Merkmale",
  Label: "Zielgröße",
  Columns: "Spalten",
  Where: "Bedingung (where)",
  Omop: "OMOP",
  Privacy: "Datenschutz",
  Participation: "Teilnahme",
  Release: "Veröffentlichung",
  Analysis: "Analyse",
  Method: "Methode",
  Variant: "Variante",
  Parameters: "Parameter",
  Type: "Typ",
  Unit: "Einheit",
  Description: "Beschreibung",
  Levels: "Ausprägungen",
  Column: "Spalte",
  "Max rows": "Höchstzahl der Zeilen",
  Weighting: "Gewichtung",
  Epsilon: "Epsilon",
  Delta: "Delta",
  Rho: "ρ (Rho)",
  Sites: "Standorte",
  "Minimum sites": "Mindestzahl der Standorte",
  "Tolerate colluding": "Tolerierte kolludierende Standorte",
  "Max rows per site": "Höchstzahl der Zeilen je Standort",
  "Expected rows": "Erwartete Zeilen",
  "Phase deadline": "Frist je Phase",
  "Join deadline": "Frist zum Beitritt",
  Title: "Titel",
  License: "Lizenz",
  Creator: "Urheber",
  Access: "Zugang",
  Sums: "Summen",
  Bins: "Klassen",
  Tables: "Tabellen",
  Conditions: "Bedingungen",
  "Site groups": "Standortgruppen",
  Family: "Familie",
  Outcome: "Zielgröße",
  Exposure: "Exposition",
  Time: "Zeit",
  Event: "Ereignis",
  Intervals: "Intervalle",
  Steps: "Schritte",
  Seed: "Startwert",
  Evaluation: "Bewertung",
  "Held out": "Zurückgehalten",
  Share: "Anteil",
  Rows: "Zeilen",
  Coarse: "Grobe Zellen",
  Decimals: "Dezimalstellen",
  Components: "Komponenten",
  Centre: "Zentrum",
  Radius: "Radius",
  Ball: "Kugel",
  "Ball share": "Anteil der Kugel",
  Kappa: "κ (Kappa)",
  Form: "Form",
  Iterations: "Iterationen",
  Scaling: "Skalierung",
  Scale: "Maßstab",
  Depth: "Tiefe",
  "Leaf share": "Anteil der Blätter",
  Guard: "Schutzabstand",
  Blocks: "Blöcke",
  Order: "Reihenfolge",
  Partitions: "Teilmengen",
  "Map tasks": "Map-Aufgaben",
  Selection: "Auswahl",
  "Score sensitivity": "Sensitivität der Bewertung",
  Trees: "Bäume",
  "Features per node": "Merkmale je Knoten",
  Mode: "Modus",
  Pruning: "Beschneidung",
  Epochs: "Epochen",
  "Learning rate": "Lernrate",
  Lambda: "λ (Lambda)",
  Gini: "Gini",
  "Category cuts": "Kategorieschnitte",
  Budget: "Budget",
  "Hold out": "Zurückhalten",
  Select: "Auswählen",
  "Prototype share": "Anteil der Prototypen",
  Clip: "Begrenzung",
  Rounds: "Runden",
  Solver: "Löser",
  Subsamples: "Teilstichproben",
  Beta: "β (Beta)",
  Bootstrap: "Bootstrap",
  K: "K",
  Eta: "η (Eta)",
  Gamma: "γ (Gamma)",
  "Min child weight": "Mindestgewicht je Kind",
  "Base score": "Anfangswert",
  Importance: "Wichtigkeit",
  "Max cells": "Höchstzahl der Zellen",
  Count: "Anzahl",
  Tests: "Tests",
  "Tree method": "Baumverfahren",
  "Max bin": "Höchstzahl der Klassen",
  Subsample: "Teilstichprobe",
  "Column sample": "Spaltenstichprobe",
  // a hospital's decision
  "Allowed by the policy; manual approval required.":
    "Von der Richtlinie erlaubt; ein Mensch muss zustimmen.",
  "Allowed by the policy; two people must approve.":
    "Von der Richtlinie erlaubt; zwei Menschen müssen zustimmen.",
  "The policy allows it and asks nobody: this hospital joins by itself. It costs {cost}.":
    "Die Richtlinie erlaubt sie und fragt niemanden: dieses Krankenhaus nimmt von selbst teil. Sie kostet {cost}.",
  "The configuration does not say whether a row of table {table} is a patient, so that no rule joins a study of it. A person decides. Write unit: rows, or unit: {patient: {column: …, maxRows: …}}, under tables.{table} in config.yaml.":
    "Die Konfiguration sagt nicht, ob eine Zeile der Tabelle {table} ein Patient ist; daher nimmt keine Regel an einer Studie davon teil. Ein Mensch entscheidet. Schreiben Sie in config.yaml unter tables.{table} unit: rows oder unit: {patient: {column: …, maxRows: …}}.",
  "The configuration does not say whether the first row of table {table} holds names or a record, so that no rule joins a study of it. A person decides. Write csv: {header: true}, or format, under tables.{table} in config.yaml.":
    "Die Konfiguration sagt nicht, ob die erste Zeile der Tabelle {table} Namen oder einen Datensatz enthält; daher nimmt keine Regel an einer Studie davon teil. Ein Mensch entscheidet. Schreiben Sie in config.yaml unter tables.{table} csv: {header: true} oder format.",
  "Whether the table has {rows} rows the policy leaves to a person: if a rule refused a study of too few, it would tell the operator how many there are.":
    "Ob die Tabelle {rows} Zeilen hat, überlässt die Richtlinie einem Menschen: lehnte eine Regel eine Studie mit zu wenigen ab, verriete das dem Betreiber die Zahl.",
  "The policy decides by itself on studies of {variants} variants that cost at most epsilon {epsilon} per {unit} at the population's delta {delta}, with a delta of their own of at most {own}. This one costs {cost}: nobody is asked.":
    "Die Richtlinie entscheidet selbst über Studien der Varianten {variants}, die höchstens Epsilon {epsilon} je {unit} beim Delta {delta} der Population kosten, mit eigenem Delta von höchstens {own}. Diese kostet {cost}: niemand wird gefragt.",
  "The policy decides by itself on studies of {variants} variants that cost at most epsilon {epsilon} per {unit} at the population's delta {delta}, with a delta of their own of at most {own}. {why} A person decides.":
    "Die Richtlinie entscheidet selbst über Studien der Varianten {variants}, die höchstens Epsilon {epsilon} je {unit} beim Delta {delta} der Population kosten, mit eigenem Delta von höchstens {own}. {why} Ein Mensch entscheidet.",
  "This one has no privacy at all.": "Diese hat gar keinen Datenschutz.",
  "Of this one the privacy is claimed by the method's authors and not proven.":
    "Bei dieser ist der Datenschutz von den Autoren der Methode behauptet und nicht bewiesen.",
  "Of this one the privacy is proven.": "Bei dieser ist der Datenschutz bewiesen.",
  "This one costs {cost}.": "Diese kostet {cost}.",
  "The delta of this one is {delta}.": "Das Delta dieser Studie ist {delta}.",
  "epsilon {epsilon} per {unit} at delta {delta}": "Epsilon {epsilon} je {unit} bei Delta {delta}",
  "epsilon {epsilon} per {unit} at delta {delta} of population {population}":
    "Epsilon {epsilon} je {unit} bei Delta {delta} der Population {population}",
  "sound or paper": "bewiesen oder wie veröffentlicht",
  "Study {study}: it costs {cost}, the policy allows epsilon {epsilon} for one study. {remedy}":
    "Studie {study}: sie kostet {cost}, die Richtlinie erlaubt Epsilon {epsilon} für eine Studie. {remedy}",
  "Lower privacy.epsilon in the study, or raise perStudy.epsilon in policy.yaml.":
    "Senken Sie privacy.epsilon in der Studie oder erhöhen Sie perStudy.epsilon in policy.yaml.",
  // two approvals
  "the study's text": "der Text der Studie",
  "the plan": "der Plan",
  "the policy": "die Richtlinie",
  "the table's entry in config.yaml": "der Eintrag der Tabelle in config.yaml",
  "the table's content": "der Inhalt der Tabelle",
  "Two different people must approve a study.": "Zwei verschiedene Personen müssen eine Studie freigeben.",
  "the policy wants two people to approve a study, and this is not a second one":
    "die Richtlinie verlangt zwei Personen zur Freigabe einer Studie, und dies ist keine zweite",
  "ask another approver: this hospital's policy wants two people to approve a study":
    "bitten Sie eine andere Person um die Freigabe: die Richtlinie dieses Krankenhauses verlangt zwei Personen",
  // how a study stands at a hospital
  "it waits for a person at this hospital": "sie wartet auf einen Menschen in diesem Krankenhaus",
  "a person refused it": "ein Mensch hat sie abgelehnt",
  "it is refused": "sie ist abgelehnt",
  "it is joined": "dieses Krankenhaus nimmt teil",
  "it is waiting": "sie steht still",
  "it is released": "sie ist veröffentlicht",
  "it is cancelled": "sie ist abgebrochen",
  "the site refused it": "der Standort hat sie abgelehnt",
  "this hospital takes part": "dieses Krankenhaus nimmt teil",
  "this hospital takes part; it came to a stop and may be resumed":
    "dieses Krankenhaus nimmt teil; sie hält an und kann fortgesetzt werden",
  "it was released without this hospital": "sie wurde ohne dieses Krankenhaus veröffentlicht",
  "it was released with this hospital": "sie wurde mit diesem Krankenhaus veröffentlicht",
  "it was cancelled without this hospital": "sie wurde ohne dieses Krankenhaus abgebrochen",
  "it was cancelled with this hospital": "sie wurde mit diesem Krankenhaus abgebrochen",
  // what was sent, and to whom
  "the aggregator": "der Aggregator",
  "the aggregator and, through it, the other sites": "der Aggregator und, durch ihn, die anderen Standorte",
  "the aggregator, and everybody who reads the release":
    "der Aggregator und alle, die die Veröffentlichung lesen",
  "upload header": "Kopf eines Uploads",
  "head of the ledger": "Kopf des Budgetbuchs",
  "keys for the next sum": "Schlüssel für die nächste Summe",
  "sealed shares for the next sum": "versiegelte Anteile für die nächste Summe",
  "masked vector": "maskierter Vektor",
  "reduced rows": "reduzierte Zeilen",
  "tags with counts": "Kennzeichen mit Anzahlen",
  "keys of a secure sum": "Schlüssel einer sicheren Summe",
  "sealed shares of a secure sum": "versiegelte Anteile einer sicheren Summe",
  "signature on the survivors of a secure sum": "Signatur über die Verbliebenen einer sicheren Summe",
  "shares that open a sum": "Anteile, die eine Summe öffnen",
  "sealed exchange": "versiegelter Austausch",
  "joining key": "Beitrittsschlüssel",
  refusal: "Ablehnung",
  fault: "Fehler",
  countersignature: "Gegenzeichnung",
  greeting: "Begrüßung",
  heartbeat: "Lebenszeichen",
  "certificate request": "Zertifikatsanforderung",
  "connection check": "Verbindungsprüfung",
  "end receipt": "Empfangsbestätigung des Endes",
  "request for a broadcast": "Abruf einer Verteilung",
  // what happens at a deadline
  "the study continues with the joined sites if there are at least {count}; otherwise it fails":
    "die Studie läuft mit den beigetretenen Standorten weiter, wenn es mindestens {count} sind; sonst schlägt sie fehl",
  "the study fails if the publisher still does not answer; it can be resumed later":
    "die Studie schlägt fehl, wenn der Veröffentlichungsdienst noch immer nicht antwortet; sie kann später fortgesetzt werden",
  "the sum continues without them if at least {needed} of {count} have answered; otherwise the study fails, and can be resumed with a new attempt":
    "die Summe läuft ohne sie weiter, wenn mindestens {needed} von {count} geantwortet haben; sonst schlägt die Studie fehl und kann mit einem neuen Versuch fortgesetzt werden",
  "all {count} sites must answer; otherwise the study fails, and can be resumed with a new attempt":
    "alle {count} Standorte müssen antworten; sonst schlägt die Studie fehl und kann mit einem neuen Versuch fortgesetzt werden",
  "all {count} sites must countersign; otherwise the study fails, and can be resumed":
    "alle {count} Standorte müssen gegenzeichnen; sonst schlägt die Studie fehl und kann fortgesetzt werden",
  "the study fails and lists the missing sites; it can be resumed when they are back":
    "die Studie schlägt fehl und nennt die fehlenden Standorte; sie kann fortgesetzt werden, wenn sie zurück sind",
  "the release continues with the received countersignatures if there are at least {needed} of {count}; otherwise the study fails, and can be resumed":
    "die Veröffentlichung geht mit den erhaltenen Gegenzeichnungen weiter, wenn es mindestens {needed} von {count} sind; sonst schlägt die Studie fehl und kann fortgesetzt werden",
  "the study continues with the received answers if at least {needed} of {count} sites have answered; otherwise it fails, and can be resumed":
    "die Studie läuft mit den erhaltenen Antworten weiter, wenn mindestens {needed} von {count} Standorten geantwortet haben; sonst schlägt sie fehl und kann fortgesetzt werden",
  // doctor
  Configuration: "Konfiguration",
  "Keys and certificate of this site": "Schlüssel und Zertifikat dieses Standorts",
  "State folder": "Zustandsordner",
  Agent: "Agent",
  "List of expelled sites": "Liste der ausgeschlossenen Standorte",
  "Policy and units of privacy": "Richtlinie und Einheiten des Datenschutzes",
  "Privacy budget": "Datenschutzbudget",
  "Privacy budget of population {word}": "Datenschutzbudget der Population {word}",
  "Studies without proven protection": "Studien ohne bewiesenen Schutz",
  "data were sent, or may be, without a proof, which no budget covers: {names}":
    "Daten wurden oder werden ohne Beweis gesendet, was kein Budget erfasst: {names}",
  "unless these records may become known, allow only studies with a proof: `variants: [sound]` in policy.yaml":
    "sofern diese Datensätze nicht bekannt werden dürfen, erlauben Sie nur Studien mit Beweis: `variants: [sound]` in policy.yaml",
  "epsilon {number} is used, without a limit": "Epsilon {number} ist verbraucht, ohne Grenze",
  "epsilon {number} of {count} is used ({percent} %)":
    "Epsilon {number} von {count} ist verbraucht ({percent} %)",
  "epsilon {number} of {count} is used ({percent} %), and no further study fits":
    "Epsilon {number} von {count} ist verbraucht ({percent} %), und keine weitere Studie passt hinein",
  "epsilon {number} of {count} is used ({percent} %); a study of at most epsilon {fits} still fits":
    "Epsilon {number} von {count} ist verbraucht ({percent} %); eine Studie mit höchstens Epsilon {fits} passt noch hinein",
  "every further study is refused, until the limit in policy.yaml is raised":
    "jede weitere Studie wird abgewiesen, bis die Grenze in policy.yaml erhöht wird",
  "approve only the studies that matter most: what is spent never comes back":
    "genehmigen Sie nur die wichtigsten Studien: Ausgegebenes kommt nie zurück",
  "not checked: no agent of this version is running": "nicht geprüft: kein Agent dieser Version läuft",
  "Network path to the aggregator": "Netzwerkweg zum Aggregator",
  "Network path to the aggregator (TCP)": "Netzwerkweg zum Aggregator (TCP)",
  "Answer of the aggregator": "Antwort des Aggregators",
  "Web proxy": "Web-Proxy",
  "The aggregator's TLS certificate (not intercepted)": "TLS-Zertifikat des Aggregators (nicht abgefangen)",
  "Aggregator TLS certificate (not intercepted)": "TLS-Zertifikat des Aggregators (nicht abgefangen)",
  "Aggregator host name (DNS)": "Rechnername des Aggregators (DNS)",
  "Aggregator response": "Antwort des Aggregators",
  Clock: "Uhr",
  "Site certificate, as seen by the aggregator": "Zertifikat des Standorts aus Sicht des Aggregators",
  "Protocol version": "Protokollversion",
  "Table {table}": "Tabelle {table}",
  "{path} is in order": "{path} ist in Ordnung",
  "{role} {id} of {federation}, certificate until {date}; it is renewed automatically while the agent runs":
    "{role} {id} von {federation}, Zertifikat bis {date}; es wird selbsttätig erneuert, solange der Agent läuft",
  "site {id} of {federation}, certificate until {date}; it is renewed automatically while the agent runs":
    "Standort {id} von {federation}, Zertifikat bis {date}; es wird selbsttätig erneuert, solange der Agent läuft",
  "the certificate of site {id} of {federation} expired on {date}":
    "das Zertifikat des Standorts {id} von {federation} ist am {date} abgelaufen",
  "the certificate of site {id} of {federation} expired on {date}; it is renewed automatically until {end}, as soon as the agent reaches the aggregator":
    "das Zertifikat des Standorts {id} von {federation} ist am {date} abgelaufen; es wird bis {end} selbsttätig erneuert, sobald der Agent den Aggregator erreicht",
  "start the agent if it does not run; otherwise see the other checks: the connection or a clock":
    "starten Sie den Agenten, falls er nicht läuft; sonst siehe die übrigen Prüfungen: die Verbindung oder eine Uhr",
  "start the agent: it renews an expired certificate automatically for 60 days":
    "starten Sie den Agenten: er erneuert ein abgelaufenes Zertifikat 60 Tage lang selbsttätig",
  "{folder} is writable; {free} free": "{folder} ist beschreibbar; {free} frei",
  "only {free} free in {folder}": "nur {free} frei in {folder}",
  "free at least {bytes} there": "schaffen Sie dort mindestens {bytes} Platz",
  "large studies need more: free {bytes}": "große Studien brauchen mehr: schaffen Sie {bytes} Platz",
  "{folder} is accessible to other users of this machine (mode {mode}); {free} free":
    "{folder} ist für andere Benutzer dieses Rechners zugänglich (Modus {mode}); {free} frei",
  "restrict it: chmod 700 {folder}": "beschränken Sie den Zugriff: chmod 700 {folder}",
  "{folder} is on a network share ({name}): locks and flushed writes are not reliable there":
    "{folder} liegt auf einer Netzwerkfreigabe ({name}): Sperren und gesicherte Schreibvorgänge sind dort nicht verlässlich",
  "move the folder to a disk of this machine, and give its path with --state":
    "verschieben Sie den Ordner auf einen Datenträger dieses Rechners und geben Sie den Pfad mit --state an",
  "running and connected": "läuft und ist verbunden",
  "running and connected since {date}": "läuft und ist verbunden seit {date}",
  "the agent is running but not connected: {why}": "der Agent läuft, ist aber nicht verbunden: {why}",
  "see the checks above; it retries automatically, and needs a restart only after a change of config.yaml":
    "siehe die Prüfungen oben; er versucht es selbsttätig erneut und braucht nur nach einer Änderung von config.yaml einen Neustart",
  "number {number}, {keys}, confirmed {date}": "Nummer {number}, {keys}, bestätigt {date}",
  "number {number}, {keys}, confirmed {date}; signed {signed}, re-sign by {until}":
    "Nummer {number}, {keys}, bestätigt {date}; signiert {signed}, neu zu signieren bis {until}",
  "number {number}, {keys}, confirmed {date}; it has no date, so only the aggregator confirms it":
    "Nummer {number}, {keys}, bestätigt {date}; sie hat kein Datum, daher bestätigt sie nur der Aggregator",
  "number {number}, {keys}, confirmed {date}; the authority must re-sign it by {until}; new studies are refused after that":
    "Nummer {number}, {keys}, bestätigt {date}; die Autorität muss sie bis {until} neu signieren; danach werden neue Studien abgelehnt",
  "ask the operator to re-sign it: `consilium expelled renew`":
    "bitten Sie den Betreiber, sie neu zu signieren: `consilium expelled renew`",
  "1 key": "1 Schlüssel",
  "{count} keys": "{count} Schlüssel",
  "there is no policy file: the defaults hold, and every table has a population and a unit of privacy":
    "es gibt keine Richtliniendatei: die Voreinstellungen gelten, und jede Tabelle hat eine Population und eine Einheit des Datenschutzes",
  "{path} is in order, and every table has a population and a unit of privacy":
    "{path} ist in Ordnung, und jede Tabelle hat eine Population und eine Einheit des Datenschutzes",
  "no population of {path} has table {table}: every study of it is refused":
    "keine Population von {path} hat die Tabelle {table}: jede Studie davon wird abgelehnt",
  "add it to the tables of a population, or declare a population default":
    "fügen Sie sie den Tabellen einer Population hinzu oder deklarieren Sie eine Population default",
  "config.yaml does not say whether a row of table {table} is a patient: a person decides on every study of it":
    "config.yaml sagt nicht, ob eine Zeile der Tabelle {table} ein Patient ist: über jede Studie davon entscheidet ein Mensch",
  "write unit: rows, or unit: {patient: {column: ..., maxRows: ...}}, under the table in config.yaml":
    "schreiben Sie in config.yaml unter der Tabelle unit: rows oder unit: {patient: {column: ..., maxRows: ...}}",
  "the connection stands; the aggregator runs {version}":
    "die Verbindung steht; der Aggregator läuft mit {version}",
  "an unknown version": "einer unbekannten Version",
  "it has not answered yet": "er hat noch nicht geantwortet",
  "no table is named": "keine Tabelle ist benannt",
  "name one under `tables:` in config.yaml, and start the agent again":
    "benennen Sie eine unter `tables:` in config.yaml und starten Sie den Agenten neu",
  "one file": "eine Datei",
  "{count} files": "{count} Dateien",
  "one column": "eine Spalte",
  "{files}, {columns}, with all that {studies} asks for":
    "{files}, {columns}, mit allem, was {studies} verlangt",
  "check that it was written completely": "prüfen Sie, ob sie vollständig geschrieben wurde",
  "the table cannot be read": "die Tabelle kann nicht gelesen werden",
  "check its path, format and permissions": "prüfen Sie Pfad, Format und Rechte",
  'not checked: see "{title}"': "nicht geprüft: siehe „{title}“",
  "not checked: no agent is running": "nicht geprüft: es läuft kein Agent",
  "not applicable": "nicht zutreffend",
  "run `consilium doctor` with the agent's state folder: it tries each step of the way":
    "führen Sie `consilium doctor` mit dem Zustandsordner des Agenten aus: es versucht jeden Schritt des Weges",
  "The path to the aggregator is not checked here.": "Der Weg zum Aggregator wird hier nicht geprüft.",
  // why a connection fails
  "connection refused: the server is not running, or a firewall blocks it":
    "Verbindung abgewiesen: der Server läuft nicht, oder eine Firewall blockiert ihn",
  "connection reset": "Verbindung zurückgesetzt",
  "connection closed": "Verbindung geschlossen",
  "no answer": "keine Antwort",
  "unknown host": "unbekannter Rechner",
  "the name server does not answer": "der Namensserver antwortet nicht",
  "no route to the host": "kein Weg zum Rechner",
  "its certificate is from an unknown authority": "sein Zertifikat stammt von einer unbekannten Stelle",
  "its certificate has expired": "sein Zertifikat ist abgelaufen",
  "its certificate is not valid yet": "sein Zertifikat ist noch nicht gültig",
  // errors that people meet most often
  "Incorrect user name or password.": "Benutzername oder Passwort falsch.",
  "Check both; accounts are case-sensitive.": "Prüfen Sie beides; Groß- und Kleinschreibung zählt.",
  "The service is not responding.": "Der Dienst antwortet nicht.",
  "Check that it is running and reachable from this machine; the page retries automatically.":
    "Prüfen Sie, ob er läuft und von diesem Rechner erreichbar ist; die Seite versucht es selbsttätig erneut.",
  "Internal error in this page.": "Interner Fehler auf dieser Seite.",
  "Reload the page.": "Laden Sie die Seite neu.",
  "Malformed response.": "Fehlerhafte Antwort.",
  "Try again.": "Versuchen Sie es erneut.",
  "Not signed in.": "Nicht angemeldet.",
  // kinds of files and figures of a release
  "Flow of rows": "Fluss der Zeilen",
  "Flow of patients": "Fluss der Patienten",
  "Table one": "Tabelle 1",
  "Table one by {label}": "Tabelle 1 nach {label}",
  "Table one, a number a line, with intervals": "Tabelle 1, eine Zahl je Zeile, mit Intervallen",
  variable: "Variable",
  statistic: "Kennzahl",
  overall: "gesamt",
  "n (95 % interval)": "n (95-%-Intervall)",
  "median (95 % interval)": "Median (95-%-Intervall)",
  "quartiles (95 % intervals)": "Quartile (95-%-Intervalle)",
  "mean (95 % interval)": "Mittelwert (95-%-Intervall)",
  "SD (95 % interval)": "SD (95-%-Intervall)",
  "share of the records with a value, with 95 % intervals":
    "Anteil der Datensätze mit einem Wert, mit 95-%-Intervallen",
  "share of the records with a value": "Anteil der Datensätze mit einem Wert",
  "share of the records with a value, per {unit}": "Anteil der Datensätze mit einem Wert, je {unit}",
  "share, with 95 % interval": "Anteil, mit 95-%-Intervall",
  "How many rows meet each condition": "Wie viele Zeilen jede Bedingung erfüllen",
  "How many patients meet each condition": "Wie viele Patienten jede Bedingung erfüllen",
  "rows at all sites, with 95 % intervals of the noise":
    "Zeilen an allen Standorten, mit 95-%-Intervallen des Rauschens",
  "patients at all sites, with 95 % intervals of the noise":
    "Patienten an allen Standorten, mit 95-%-Intervallen des Rauschens",
  "all sites": "alle Standorte",
  "all records": "alle Datensätze",
  condition: "Bedingung",
  meaning: "Bedeutung",
  "odds ratio": "Odds Ratio",
  "rate ratio": "Ratenverhältnis",
  "hazard ratio": "Hazard Ratio",
  "log-odds": "Log-Odds",
  "log rate": "log. Rate",
  "log hazard": "log. Hazard",
  "the outcome": "die Zielgröße",
  "the status": "der Status",
  "Factors associated with {outcome}: {model}, 95% CI":
    "Faktoren im Zusammenhang mit {outcome}: {model}, 95-%-KI",
  "Factors associated with {outcome}: {model}": "Faktoren im Zusammenhang mit {outcome}: {model}",
  "logistic regression": "logistische Regression",
  "linear regression": "lineare Regression",
  "Poisson regression": "Poisson-Regression",
  "Cox regression": "Cox-Regression",
  "piecewise exponential regression, follow-up to a cumulative hazard of {count}":
    "stückweise exponentielle Regression, Nachbeobachtung bis zu einem kumulativen Hazard von {count}",
  "Joint tests of categories": "Gemeinsame Tests der Kategorien",
  "share of the range of {outcome}": "Anteil des Bereichs von {outcome}",
  "Each curve, interval by interval": "Jede Kurve, Intervall für Intervall",
  "Survival (grouped times), event: {event}": "Überleben (gruppierte Zeiten), Ereignis: {event}",
  "Survival without any event (grouped times), {events}":
    "Überleben ohne ein Ereignis (gruppierte Zeiten), {events}",
  "survival probability": "Überlebenswahrscheinlichkeit",
  "number at risk": "Anzahl unter Risiko",
  "Cumulative hazard, event: {event}": "Kumulativer Hazard, Ereignis: {event}",
  "cumulative hazard": "kumulativer Hazard",
  "Cumulative incidence, event: {event}": "Kumulative Inzidenz, Ereignis: {event}",
  "cumulative incidence": "kumulative Inzidenz",
  "Synthetic rows: none of them is a patient": "Synthetische Zeilen: keine davon ist ein Patient",
  "What columns of the tree have in common": "Was Spalten des Baums gemeinsam haben",
  "part of the rows that would have to be others for the two to be independent":
    "Teil der Zeilen, der anders sein müsste, damit beide unabhängig wären",
  "Pairs that the rows show least well": "Paare, die die Zeilen am schlechtesten zeigen",
  "distance of the rows' table from the first sum's, beyond what its noise makes on average":
    "Abstand der Tabelle der Zeilen von der der ersten Summe, über ihr mittleres Rauschen hinaus",
  "Rows reduced to components": "Auf Komponenten reduzierte Zeilen",
  "Scree plot: eigenvalues": "Scree-Plot: Eigenwerte",
  component: "Komponente",
  eigenvalue: "Eigenwert",
  "What component {number} is made of": "Woraus Komponente {number} besteht",
  "loading, from -1 to 1": "Ladung, von -1 bis 1",
  "loading, from -1 to 1; of two levels that mirror each other the first":
    "Ladung, von -1 bis 1; von zwei gespiegelten Stufen die erste",
  "model, with a band of 95 % around the whole curve": "Modell, mit einem Band von 95 % um die ganze Kurve",
  "How the tree predicts {outcome}": "Wie der Baum {outcome} vorhersagt",
  "How strongly each feature by itself goes with {outcome}":
    "Wie stark jedes Merkmal für sich mit {outcome} zusammenhängt",
  "What each feature gains in telling {outcome} apart":
    "Was jedes Merkmal zur Unterscheidung von {outcome} beiträgt",
  "The first of {count} trees": "Der erste von {count} Bäumen",
  "The first tree": "Der erste Baum",
  "added log-odds, against the mean row": "zusätzliche Log-Odds, gegen die mittlere Zeile",
  "How much each feature tells of {outcome}": "Wie viel jedes Merkmal über {outcome} aussagt",
  "mean log-odds": "mittlere Log-Odds",
  "What {column} adds to the log-odds of {outcome}": "Was {column} zu den Log-Odds von {outcome} beiträgt",
  "curve, with 95 % of the noise": "Kurve, mit 95 % des Rauschens",
  "curve, without noise": "Kurve, ohne Rauschen",
  "the mean row": "die mittlere Zeile",
  "Weights of all features, {count} selected": "Gewichte aller Merkmale, {count} ausgewählt",
  "Coarse rows of some columns: the counts decide of which":
    "Grobe Zeilen einiger Spalten: die Anzahlen entscheiden, welcher",
  "What each feature is worth": "Was jedes Merkmal wert ist",
  "The largest weight first. Intervals hold the weight without noise with probability 0.95; how often a feature is selected again says how sure the selection is.":
    "Das größte Gewicht zuerst. Die Intervalle enthalten das Gewicht ohne Rauschen mit Wahrscheinlichkeit 0,95; wie oft ein Merkmal erneut ausgewählt würde, sagt, wie sicher die Auswahl ist.",
  "What each feature is worth for {outcome}": "Was jedes Merkmal für {outcome} wert ist",
  "Recall of each class on held-out rows, with intervals of 95 %":
    "Trefferquote je Klasse auf zurückgehaltenen Zeilen, mit 95-%-Intervallen",
  "part of the class's rows predicted so": "Anteil der so vorhergesagten Zeilen der Klasse",
  "Calibration on held-out rows, with intervals of 95 %":
    "Kalibrierung auf zurückgehaltenen Zeilen, mit 95-%-Intervallen",
  "probability of {class} that the model states": "vom Modell angegebene Wahrscheinlichkeit von {class}",
  "part of the rows that is {class}": "Anteil der Zeilen mit {class}",
  "held-out rows by range of score": "zurückgehaltene Zeilen nach Bereich des Werts",
  "ROC curve on held-out rows": "ROC-Kurve auf zurückgehaltenen Zeilen",
  "ROC curve on held-out rows, area {area}": "ROC-Kurve auf zurückgehaltenen Zeilen, Fläche {area}",
  "part of the other rows called {class}": "Anteil der anderen Zeilen, die {class} genannt werden",
  "part of the rows of {class} called so": "Anteil der Zeilen von {class}, die so genannt werden",
  "by chance": "durch Zufall",
  perfect: "perfekt",
  model: "Modell",
  gain: "Gewinn",
  weight: "Gewicht",
  worth: "Wert",
  accuracy: "Genauigkeit",
  "balanced accuracy": "balancierte Genauigkeit",
  "area under the ROC curve": "Fläche unter der ROC-Kurve",
  "log-loss, one probability for each range of the score":
    "logarithmischer Verlust, eine Wahrscheinlichkeit je Bereich des Werts",
  "recall for {class}": "Trefferquote für {class}",
  "The curve of every column, with its noise.": "Die Kurve jeder Spalte, mit ihrem Rauschen.",
  "The model to run, for any ONNX runtime.": "Das ausführbare Modell, für jede ONNX-Laufzeit.",
  "Everything that was computed, with the noise in it.": "Alles Berechnete, mit dem Rauschen darin.",
  "1 figure.": "1 Abbildung.",
  "{count} figures.": "{count} Abbildungen.",
  "What is proven of its privacy, and who signed.":
    "Was von ihrem Datenschutz bewiesen ist, und wer signiert hat.",
  "How to read and cite it; with metadata files beside it.":
    "Wie man sie liest und zitiert; mit Metadatendateien daneben.",
  "The table one, as it is printed.": "Die Tabelle 1, wie sie gedruckt wird.",
  "The same, a number a line.": "Dieselbe, eine Zahl je Zeile.",
  "Quartiles, means and standard deviations, with intervals.":
    "Quartile, Mittelwerte und Standardabweichungen, mit Intervallen.",
  "Counts and shares of each value or interval, with intervals.":
    "Anzahlen und Anteile jedes Werts oder Intervalls, mit Intervallen.",
  "Two-way tables, with intervals.": "Kreuztabellen, mit Intervallen.",
  "Each condition's count, with its interval.": "Die Anzahl jeder Bedingung, mit ihrem Intervall.",
  "Each coefficient, with its interval.": "Jeder Koeffizient, mit seinem Intervall.",
  "Every feature's weight, with its interval.": "Das Gewicht jedes Merkmals, mit seinem Intervall.",
  "The hazard at the reference, by interval of time.": "Der Hazard an der Referenz, nach Zeitintervall.",
  "Each group's median and restricted mean, with intervals.":
    "Der Median und der eingeschränkte Mittelwert jeder Gruppe, mit Intervallen.",
  "How many are at risk in each group, over time.":
    "Wie viele in jeder Gruppe unter Risiko sind, im Zeitverlauf.",
  "Median survival and restricted mean": "Medianes Überleben und eingeschränkter Mittelwert",
  "Which pairs of columns the rows were drawn by.": "Nach welchen Spaltenpaaren die Zeilen gezogen wurden.",
  "How well the rows show each pair of columns.": "Wie gut die Zeilen jedes Spaltenpaar zeigen.",
  // precision that a plan promises
  "{path}: one file ({format}), {columns}, with all that {studies} asks for.":
    "{path}: eine Datei ({format}), {columns}, mit allem, was {studies} verlangt.",
  "{path}: one file ({format}), {columns}, with all that {studies} asks for":
    "{path}: eine Datei ({format}), {columns}, mit allem, was {studies} verlangt",
  "{path}: one file ({format}), {columns}": "{path}: eine Datei ({format}), {columns}",
  "{path}: {count} files ({format}), {columns}": "{path}: {count} Dateien ({format}), {columns}",
  open: "offen",
  used: "verwendet",
  expired: "abgelaufen",
  withdrawn: "zurückgezogen",
  superseded: "ersetzt",
  token: "Token",
  rows: "Zeilen",
  patients: "Patienten",
  "decrease of the Gini index, times rows, over all splits; 95 % of the noise":
    "Abnahme des Gini-Index, mal Zeilen, über alle Teilungen; 95 % des Rauschens",
  "how far its curve is from 0: mean over the rows, in log-odds; 95 % of the noise":
    "wie weit die Kurve von 0 entfernt ist: Mittel über die Zeilen, in Log-Odds; 95 % des Rauschens",
  // verification of a release
  "the {which} certificate: {what}": "das {which}: {what}",
  "it is malformed": "es ist fehlerhaft",
  "it was not valid yet": "es war noch nicht gültig",
  "it had expired": "es war abgelaufen",
  "the certificate of the signer: {what}": "das Zertifikat des Unterzeichners: {what}",
  "The chosen file is not a federation root certificate. Ask the federation for its root.pem.":
    "Die gewählte Datei ist kein Wurzelzertifikat einer Föderation. Fragen Sie die Föderation nach ihrer root.pem.",
  "No root certificate was chosen, so the signers' identities are not verified.":
    "Es wurde kein Wurzelzertifikat gewählt, daher sind die Identitäten der Unterzeichner nicht geprüft.",
  "Trusted root: federation {federation}, as chosen by you. Its SHA-256 is {word}: compare it with the one that the operator or a hospital tells you.":
    "Vertrauenswürdige Wurzel: Föderation {federation}, von Ihnen gewählt. Ihre SHA-256 ist {word}: vergleichen Sie sie mit der, die Ihnen der Betreiber oder ein Krankenhaus nennt.",
  "it was not verified": "es wurde nicht geprüft",
  "This browser does not support Ed25519: use a newer one, or the command.":
    "Dieser Browser unterstützt Ed25519 nicht: verwenden Sie einen neueren oder den Befehl.",
  "The signatures are valid, but without a root certificate the owners of the keys are unknown.":
    "Die Signaturen sind gültig, aber ohne Wurzelzertifikat sind die Inhaber der Schlüssel unbekannt.",
  "The aggregator of {federation} ({id}) signed the certificate.":
    "Der Aggregator von {federation} ({id}) hat das Zertifikat signiert.",
  "{by} of {of} hospitals signed it; {needed} are required.":
    "{by} von {of} Krankenhäusern haben es signiert; {needed} sind erforderlich.",
  "The aggregator's word: this catalogue has no list of the federation's members.":
    "Das Wort des Aggregators: dieser Katalog hat keine Liste der Mitglieder der Föderation.",
  "The aggregator's word: without a root certificate nobody knows who made the list of members.":
    "Das Wort des Aggregators: ohne Wurzelzertifikat weiß niemand, von wem die Mitgliederliste ist.",
  "The aggregator's word: the list of members is not one that this federation's root signed.":
    "Das Wort des Aggregators: die Mitgliederliste ist keine, die die Wurzel dieser Föderation signiert hat.",
  "Too few of the hospitals are on the list of members that the federation's root signed on {day}. If one joined since, ask the operator for a new list.":
    "Zu wenige der Krankenhäuser stehen auf der Mitgliederliste, die die Wurzel der Föderation am {day} signiert hat. Ist seither eines beigetreten, bitten Sie den Betreiber um eine neue Liste.",
  "Signed by {count} members, by the list that the federation's root signed on {day}: {names}.":
    "Von {count} Mitgliedern signiert, nach der Liste, die die Wurzel der Föderation am {day} signiert hat: {names}.",
  "The certificate does not list the file {foreign}.": "Das Zertifikat führt die Datei {foreign} nicht auf.",
  "The file {name} is missing.": "Die Datei {name} fehlt.",
  "The file {name} differs from the certified one.": "Die Datei {name} weicht von der zertifizierten ab.",
  "All {count} files match the SHA-256 in the certificate, and there are no other files.":
    "Alle {count} Dateien stimmen mit der SHA-256 im Zertifikat überein, und es gibt keine anderen Dateien.",
  "The certificate names the aggregator of {federation} ({id}) as its signer. {also}":
    "Das Zertifikat nennt den Aggregator von {federation} ({id}) als Unterzeichner. {also}",
  "It carries signatures of {by} of {of} hospitals; {needed} are required. {also}":
    "Es trägt Signaturen von {by} von {of} Krankenhäusern; {needed} sind erforderlich. {also}",
  "Epsilon was recomputed from {events}: {epsilon} at delta {delta}, as the certificate states. From the exact distribution of its noise it is {exact}, also recomputed.":
    "Epsilon wurde aus {events} nachgerechnet: {epsilon} bei Delta {delta}, wie das Zertifikat besagt. Aus der exakten Verteilung seines Rauschens ist es {exact}, ebenfalls nachgerechnet.",
  "Epsilon was recomputed from {events}: {epsilon} at delta {delta}, as the certificate states.":
    "Epsilon wurde aus {events} nachgerechnet: {epsilon} bei Delta {delta}, wie das Zertifikat besagt.",
  'The verdict "{verdict}" follows from the study and {events}. No bound is proven.':
    "Das Urteil „{verdict}“ folgt aus der Studie und {events}. Keine Schranke ist bewiesen.",
  "{count} listed steps": "{count} aufgeführten Schritten",
  "{count} listed step": "{count} aufgeführten Schritt",
  "account made by one-time link": "Konto über einmaligen Link erstellt",
  "account made by identity provider": "Konto durch die Anmeldung der Organisation erstellt",
  "password changed": "Passwort geändert",
  "password set by one-time link": "Passwort über einmaligen Link festgelegt",
  "signed out": "abgemeldet",
  "docs/METHODS.md#{anchor}": "docs/METHODS.md#{anchor}",
  '{key}: no table "{table}" at {sites}': "{key}: keine Tabelle „{table}“ bei {sites}",
  "no notifications are configured": "es sind keine Benachrichtigungen eingerichtet",
  "Console's certificate": "Zertifikat der Konsole",
  "console.tls is not configured: the pages have no TLS":
    "`console.tls` ist nicht eingerichtet: die Seiten haben kein TLS",
  "valid until {moment}": "gültig bis {moment}",
  "the certificate expires on {moment}": "das Zertifikat läuft am {moment} ab",
  "the certificate expired on {moment}": "das Zertifikat ist am {moment} abgelaufen",
  "the files have changed and cannot be used: {why}":
    "die Dateien haben sich geändert und sind nicht verwendbar: {why}",
  "put a new certificate and its key into the files of console.tls; no restart is needed":
    "legen Sie ein neues Zertifikat und seinen Schlüssel in die Dateien von `console.tls`; ein Neustart ist nicht nötig",
  // files of a release
  "The rows, as Apache Parquet.": "Die Zeilen, als Apache Parquet.",
  "The same rows, as comma-separated values.": "Dieselben Zeilen, als CSV.",
  "The model: what was learnt, and how to apply it.":
    "Das Modell: was gelernt wurde, und wie es anzuwenden ist.",
  "The model to run, preprocessing included, for any ONNX runtime.":
    "Das ausführbare Modell samt Vorverarbeitung, für jede ONNX-Laufzeit.",
  "The trees in XGBoost's own JSON.": "Die Bäume im JSON von XGBoost.",
  "What each value of each column adds to the log-odds, with the noise in it.":
    "Was jeder Wert jeder Spalte zu den Log-Odds beiträgt, mit dem Rauschen darin.",
  "The tables of results, as the release's page shows them.":
    "Die Ergebnistabellen, wie die Seite der Veröffentlichung sie zeigt.",
  "What the figures show, in numbers.": "Was die Abbildungen zeigen, in Zahlen.",
  "This release in MLCommons' Croissant vocabulary.":
    "Diese Veröffentlichung im Croissant-Vokabular von MLCommons.",
  "This release as a Data Package, with the schema of the rows.":
    "Diese Veröffentlichung als Data Package, mit dem Schema der Zeilen.",
  "Where this release comes from, as a Five Safes RO-Crate.":
    "Woher diese Veröffentlichung stammt, als Five-Safes-RO-Crate.",
  "How to cite this release, in the Citation File Format.":
    "Wie diese Veröffentlichung zu zitieren ist, im Citation File Format.",
  "What this release is and how to use it.": "Was diese Veröffentlichung ist und wie man sie verwendet.",
  "What was computed, at what privacy cost, and the SHA-256 of every file.":
    "Was berechnet wurde, zu welchen Datenschutzkosten, und die SHA-256 jeder Datei.",
  "The aggregator's signature on the certificate; those of the sites are in it.":
    "Die Signatur des Aggregators über das Zertifikat; die der Standorte stehen darin.",
  "add-remove": "add-remove (Hinzufügen oder Entfernen)",
  // parts of sentences, tried last
  "{unit}, for the increase of a number or of a level against the reference":
    "{unit}, für die Zunahme einer Zahl oder für eine Ausprägung gegenüber der Referenz",
  "{group}, with 95 % interval": "{group}, mit 95-%-Intervall",
  "{first} … {last} ({count} stages)": "{first} … {last} ({count} Stufen)",
  "{name} is column {source}.": "{name} ist Spalte {source}.",
  "{names} and {count} more": "{names} und {count} weitere",
  "{name} ({count} levels)": "{name} ({count} Ausprägungen)",
  "{name} ({low} to {high})": "{name} ({low} bis {high})",
  "{word} with {word2}": "{word} mit {word2}",
  "{word} by {word2}": "{word} nach {word2}",
  "is {word}": "ist {word}",
} as const;

export type Messages = typeof messages;
export type Services = typeof services;
export type Failures = typeof failures;

export default {
  messages,
  services,
  failures,
  causes,
  say: germanWith(ofMethods),
} satisfies Language;
