import "./hospital.css";
import { start } from "../shared/start";
import { App } from "./App";

void start(<App />);
