// Prints who leads, by the page, at some prevalences.

import { readFileSync } from "node:fs";
import { whoLeads } from "../../src/baserate/page/script/versus.js";

const { pairs, asked } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(asked.map(([logOdds, values]) => whoLeads(pairs, values, logOdds))));
