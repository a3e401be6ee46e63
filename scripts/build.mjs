// `npm run build`: the packages and the pages.
import { build } from "./prepare.mjs";

build();
