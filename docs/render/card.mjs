// Reads {"text", "blocks"}, a list of blocks, or a view (modal, Home) on stdin; writes one HTML page
// on stdout: `node card.mjs [WIDTH_PX] [light|dark]`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { Message } from "slack-blocks-to-jsx";

const require = createRequire(import.meta.url);
const style = readFileSync(require.resolve("slack-blocks-to-jsx/dist/style.css"), "utf8");

// Slack's `verbatim` only stops it from linking names and URLs by itself; the library takes it to
// mean "no formatting at all", so it is dropped here; what is chosen already is shown in a menu. Notes
// of the library's own (where a menu's choices are from, below what Enter does) are not Slack's.
const shown = (key, value) => {
  if (key === "verbatim") return undefined;
  if (value?.type === "external_select") value = { ...value, type: "static_select", options: [] };
  return value?.initial_option ? { ...value, placeholder: value.initial_option.text } : value;
};
const [width, theme] = [Number(process.argv[2] ?? 660), process.argv[3] ?? "light"];
const input = JSON.parse(readFileSync(0, "utf8"), shown);
const view = input.type === "modal" || input.type === "home" ? input : undefined;
const blocks = Array.isArray(input) ? input : input.blocks;
const card = createElement(Message, {
  blocks,
  logo: "data:image/svg+xml," + encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="6" fill="#232f3e"/>' +
    '<rect x="9" y="9" width="18" height="18" rx="3" fill="none" stroke="#ff9900" stroke-width="2.5"/>' +
    '<rect x="14.5" y="14.5" width="7" height="7" rx="1" fill="#ff9900"/></svg>'),
  name: "ec2-pick",
  time: new Date(2026, 10, 27, 9, 41),
  theme,
  withoutWrapper: view !== undefined,
});
// A view has no author, but a frame: its title above, what closes and submits it below.
const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
const title = view?.title ? `<h1>${escaped(view.title.text)}</h1>` : "";
const buttons = [view?.close && `<span>${escaped(view.close.text)}</span>`, view?.submit && `<span class="go">${escaped(view.submit.text)}</span>`];
const foot = view?.type === "modal" ? `<footer>${buttons.filter(Boolean).join("")}</footer>` : "";
const [paper, ink, line] = theme === "dark" ? ["#1a1d21", "#d1d2d3", "#565856"] : ["#fff", "#1d1c1d", "#ddd"];
process.stdout.write(
  `<!doctype html><meta charset="utf-8"><style>${style}</style><style>
   html, body { margin: 0; background: ${paper}; color: ${ink}; }
   .slack_blocks_to_jsx__section .grid { row-gap: 8px; } /* as Slack spaces section fields */
   #card { width: ${width}px; box-sizing: content-box; overflow-wrap: anywhere; padding: 12px 16px 16px; font-family: Lato, "Helvetica Neue", Arial, sans-serif; }
   #card textarea { height: 36px !important; min-height: 0 !important; resize: none; }
   #card .text-small.flex.gap-1 > p { display: none; }
   #card h1 { font-size: 20px; margin: 0 0 8px; border-bottom: 1px solid ${line}; padding-bottom: 12px; }
   #card footer { border-top: 1px solid ${line}; padding-top: 12px; text-align: right; font-weight: bold; font-size: 14px; }
   #card footer span { border: 1px solid ${line}; border-radius: 6px; padding: 7px 12px; margin-left: 8px; }
   #card footer .go { background: #007a5a; color: #fff; border-color: #007a5a; }
   </style><div id="card">${title}${renderToStaticMarkup(card)}${foot}</div>
   <script>document.documentElement.dataset.height = Math.ceil(document.getElementById("card").getBoundingClientRect().height)</script>`);
