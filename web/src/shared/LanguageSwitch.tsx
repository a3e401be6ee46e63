import { chooseLanguage, language, languages, t } from "./language";
import { useLeave } from "./leaving";

/** Each language by its own name, so that its readers find it. */
const nameOf = (tag: string) => new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;

export function LanguageSwitch() {
  const leave = useLeave();
  return (
    <select
      className="language"
      aria-label={t("Language")}
      value={language()}
      onChange={({ target }) => leave(() => chooseLanguage(target.value))}
    >
      {languages.map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {nameOf(tag)}
        </option>
      ))}
    </select>
  );
}
