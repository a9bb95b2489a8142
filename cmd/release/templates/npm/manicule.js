#!/usr/bin/env node
"use strict";
require("./platform.js").run("manicule");
