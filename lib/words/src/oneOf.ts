/** Units that studies write as a plural, in English or German, with one of them in both. */
const singulars = [
  ["years", "Jahre", "year", "Jahr"],
  ["months", "Monate", "month", "Monat"],
  ["weeks", "Wochen", "week", "Woche"],
  ["days", "Tage", "day", "Tag"],
  ["hours", "Stunden", "hour", "Stunde"],
  ["minutes", "Minuten", "minute", "Minute"],
  ["seconds", "Sekunden", "second", "Sekunde"],
  ["points", "Punkte", "point", "Punkt"],
] as const;

/** A word of more letters than symbols of units have, such as mmHg. */
const isWord = /^\p{L}{5,}$/u;

/** One of a unit, as in "per year": its singular, or the symbol, which has no plural; null for a word that has an unknown singular. */
export function oneOf(unit: string, language: "en" | "de"): string | null {
  for (const [english, german, one, eins] of singulars)
    if (unit === english || unit === german) return language === "en" ? one : eins;
  return isWord.test(unit) || /\s/u.test(unit) ? null : unit;
}
