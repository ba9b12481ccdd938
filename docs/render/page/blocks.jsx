// Block Kit as Slack draws it, with buttons, links and the menu of channels that work.
import { Message } from "slack-blocks-to-jsx";
import { CHANNEL, NAMES, placeOf } from "./slack.js";

const LOGO = "data:image/svg+xml," + encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="6" fill="#232f3e"/>' +
  '<rect x="9" y="9" width="18" height="18" rx="3" fill="none" stroke="#ff9900" stroke-width="2.5"/></svg>');
const PEOPLE = { users: [{ id: "UPLAY", name: "you" }], channels: [{ id: CHANNEL, name: NAMES[CHANNEL].slice(1) }] };
const SELECT = "conversations_select";

// The renderer reads a written "<" before a link as the beginning of one.
const written = (text) =>
  text.split(/(`[^`]*`)/).map((part, number) => (number % 2 ? part : part.replaceAll("&lt;", "&#60;"))).join("");

// The renderer takes Slack's `verbatim` to mean "no formatting"; in Slack it only stops linking.
// What people choose a channel in is drawn here, as the renderer's does nothing.
const drawable = (blocks) =>
  JSON.parse(JSON.stringify(blocks), (key, value) => {
    if (key === "verbatim") return undefined;
    if (value?.type === "mrkdwn") return { ...value, text: written(value.text) };
    return key === "elements" ? value.filter((element) => element.type !== SELECT) : value;
  });

const acting = (block) => (block.type === "actions" ? block.elements.map((e) => ({ ...e, block_id: block.block_id })) : []);

// Every button of a message in the order it is drawn.
const buttonsOf = (blocks) => blocks.flatMap((block) => [
  ...(block.accessory?.type === "button" ? [{ ...block.accessory, block_id: block.block_id }] : []),
  ...acting(block).filter((element) => element.type === "button"),
]);

function Channels({ element, onAction }) {
  const chosen = (event) => {
    const channel = event.target.value;
    event.target.value = "";
    const { title, text } = element.confirm ?? {};
    if (!element.confirm || window.confirm(`${title.text}\n${text.text}`)) onAction({ ...element, selected_conversation: channel });
  };
  return (
    <select className="channels" aria-label={element.placeholder.text} defaultValue="" onChange={chosen}>
      <option value="" disabled>{element.placeholder.text}</option>
      <option value={CHANNEL}>{NAMES[CHANNEL]}</option>
    </select>
  );
}

export function Blocks({ blocks, bare = false, onAction, onThread }) {
  const goTo = (href) => {
    const place = placeOf(href);
    if (place) onThread(...place);
    return place;
  };
  const clicked = (event) => {
    const link = event.target.closest("a");
    if (link && goTo(link.href)) event.preventDefault();
    const button = event.target.closest("button");
    const action = button && buttonsOf(blocks)[[...event.currentTarget.querySelectorAll("button")].indexOf(button)];
    if (!action) return;
    onAction(action);
    if (action.url) goTo(action.url);
  };
  const menus = blocks.flatMap(acting).filter((element) => element.type === SELECT);
  return (
    <>
      <div onClick={clicked}>
        <Message blocks={drawable(blocks)} logo={LOGO} name="ec2-pick" time={new Date()} theme="light" data={PEOPLE} withoutWrapper={bare} />
      </div>
      {menus.map((element) => <Channels key={element.action_id} element={element} onAction={onAction} />)}
    </>
  );
}
