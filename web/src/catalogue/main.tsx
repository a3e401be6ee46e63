import "./catalogue.css";
import { start } from "../shared/start";
import { App } from "./App";

// Its code is fetched while the language is.
if (location.pathname.startsWith("/releases/")) import("./ReleasePage").catch(() => undefined);
void start(<App />);
