// Reads {"text", "blocks"} or a list of blocks on stdin, writes one HTML page on stdout.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Message } from "slack-blocks-to-jsx";

const require = createRequire(import.meta.url);
const style = readFileSync(require.resolve("slack-blocks-to-jsx/dist/style.css"), "utf8");

// Slack's `verbatim` only stops it from linking names and URLs by itself; the library takes it to
// mean "no formatting at all", so it is dropped here.
const input = JSON.parse(readFileSync(0, "utf8"), (key, value) => (key === "verbatim" ? undefined : value));
const blocks = Array.isArray(input) ? input : input.blocks;
const card = createElement(Message, {
  blocks,
  logo: "data:image/svg+xml," + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="6" fill="#232f3e"/>' +
    '<rect x="9" y="9" width="18" height="18" rx="3" fill="none" stroke="#ff9900" stroke-width="2.5"/>' +
    '<rect x="14.5" y="14.5" width="7" height="7" rx="1" fill="#ff9900"/></svg>'),
  name: "ec2-pick",
  time: new Date(2026, 10, 27, 9, 41),
  theme: "light",
});
process.stdout.write(
  `<!doctype html><meta charset="utf-8"><style>${style}</style><style>
   html, body { margin: 0; background: #fff; }
   .slack_blocks_to_jsx__section .grid { row-gap: 8px; } /* as Slack spaces section fields */
   #card { width: 660px; padding: 12px 16px 16px; font-family: Lato, "Helvetica Neue", Arial, sans-serif; }
   </style><div id="card">${renderToStaticMarkup(card)}</div>
   <script>document.documentElement.dataset.height = Math.ceil(document.getElementById("card").getBoundingClientRect().height)</script>`);
