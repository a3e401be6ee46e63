import type { Words } from "@consilium/words/said";
import type { DescribeSays } from "../says.js";

export const de: Words<DescribeSays> = {
  "describe.many-edges": ({ column, edges, most }, { number }) =>
    `die Zahlenspalte „${column}“ hat ${number(edges)} Grenzen, erlaubt sind höchstens ${number(most)}; erklären Sie weniger`,
  "describe.many-numbers": ({ numbers, most }, { number }) =>
    `die Studie fragt nach mindestens ${number(numbers)} Zahlen, die für die Quartile jeder Gruppe eingeschlossen, erlaubt sind höchstens ${number(most)}; erklären Sie weniger Ausprägungen des Labels oder weniger Zahlenspalten`,
  "describe.numbers": () =>
    "Mittelwerte und Standardabweichungen stammen aus Summen der Werte und ihrer Quadrate, Quartile aus Anzahlen in Zellen von je höchstens 1/256 des Bereichs, ganze Zahlen in eigenen Zellen, wo der Bereich wenige davon hat. Eine Standardabweichung steht nur da, wo ihr halbes Intervall unter einem Viertel von ihr bleibt. Werte außerhalb der erklärten Grenzen zählen als die nähere Grenze.",
};
