#!/usr/bin/env node
// npm links this when it installs, before anything is built.
import "../dist/main.js";
