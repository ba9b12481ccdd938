// The app's modal, drawn as a dialog: labels, hints, type-ahead, errors at their field, the preview.
const EVERY_MS = 400;
const shown = { dialog: null, view: null };

const send = async (path, body) => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  return answer.json();
};

const made = (tag, fields = {}, ...inner) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...inner);
  return element;
};

// What Slack sends along of every field.
const state = () => {
  const values = {};
  for (const { block_id: id, element } of inputs(shown.view)) {
    const field = shown.dialog.querySelector(`[data-block="${id}"]`);
    const value = field.dataset.value ?? field.value;
    const text = { type: "plain_text", text: value };
    values[id] = { [element.action_id]: element.type === "plain_text_input"
      ? { type: element.type, value: value || null }
      : { type: element.type, selected_option: value ? { text, value } : null } };
  }
  return { values };
};

const inputs = (view) => view.blocks.filter((block) => block.type === "input");

const changed = ({ block_id, element, dispatch_action }) => {
  if (!dispatch_action) return;
  const action = { block_id, action_id: element.action_id, type: element.type };
  send("/changed", { state: state(), action });
};

const menu = (block) => {
  const { element } = block;
  const field = made("select", { onchange: () => changed(block) });
  if (element.placeholder) field.append(made("option", { value: "", textContent: `(${element.placeholder.text})` }));
  for (const { text, value } of element.options) {
    const selected = element.initial_option?.value === value;
    field.append(made("option", { value, textContent: text.text, selected }));
  }
  return field;
};

// Type-ahead: the app names the choices, and only one of them counts as chosen.
const suggesting = (block) => {
  const { element } = block;
  const list = made("datalist", { id: `list-${block.block_id}` });
  const labels = new Map();
  const field = made("input", { placeholder: element.placeholder.text, value: element.initial_option?.value ?? "" });
  field.dataset.value = field.value;
  field.setAttribute("list", list.id);
  field.oninput = async () => {
    const chosen = labels.get(field.value) ?? "";
    if (chosen || !field.value) {
      field.dataset.value = chosen;
      changed(block);
      return;
    }
    const asked = field.value;
    const { options } = await send("/suggest", { action_id: element.action_id, block_id: block.block_id, value: asked });
    if (asked !== field.value) return; // typed on meanwhile: the answer to that is on its way
    for (const { text, value } of options) labels.set(text.text, value);
    list.replaceChildren(...options.map(({ text }) => made("option", { value: text.text })));
  };
  return [field, list];
};

const typing = (block) => {
  const { element } = block;
  const fields = { placeholder: element.placeholder?.text ?? "", value: element.initial_value ?? "" };
  if (element.multiline) return made("textarea", { ...fields, rows: 2 });
  const onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // updates the preview, as in Slack; the button submits
    changed(block);
  };
  return made("input", { ...fields, onkeydown });
};

const drawn = (block) => {
  if (block.type === "divider") return made("hr");
  if (block.type === "section") return made("p", { className: "preview", textContent: block.text.text });
  if (block.type === "context") return made("small", { textContent: block.elements.map((one) => one.text).join(" ") });
  const kinds = { static_select: menu, external_select: suggesting, plain_text_input: typing };
  const [field, ...rest] = [kinds[block.element.type](block)].flat();
  field.dataset.block = block.block_id;
  field.setAttribute("aria-label", block.label.text);
  const error = made("output", { className: "error" });
  error.dataset.error = block.block_id;
  const hint = made("small", { textContent: block.hint?.text ?? "" });
  return made("label", { textContent: block.label.text }, field, ...rest, hint, error);
};

const closed = () => {
  shown.dialog?.remove();
  shown.dialog = shown.view = null;
};

const submitted = async (event) => {
  event.preventDefault();
  const { errors } = await send("/submit", { state: state() });
  if (!errors) return closed();
  for (const place of shown.dialog.querySelectorAll("[data-error]")) {
    place.textContent = errors[place.dataset.error] ?? "";
  }
};

const opened = (view) => {
  closed();
  const buttons = made("div", { className: "buttons" },
    made("button", { type: "button", textContent: view.close.text, onclick: () => { closed(); send("/close", {}); } }),
    made("button", { type: "submit", textContent: view.submit.text }));
  const form = made("form", { onsubmit: submitted }, made("h2", { textContent: view.title.text }), ...view.blocks.map(drawn), buttons);
  shown.view = view;
  shown.dialog = made("dialog", { oncancel: () => { closed(); send("/close", {}); } }, form);
  document.body.append(shown.dialog);
  shown.dialog.showModal();
};

// An update changes what is shown and leaves alone what is typed, as Slack does.
const updated = (view) => {
  const texts = view.blocks.filter((block) => block.type === "section");
  shown.dialog.querySelectorAll(".preview").forEach((place, number) => { place.textContent = texts[number].text.text; });
  shown.view = view;
};

const look = async () => {
  try {
    const { view } = await (await fetch("/view")).json();
    if (view && view.id !== shown.view?.id) opened(view);
    else if (view && view.hash !== shown.view.hash) updated(view);
    else if (!view && shown.view) closed();
  } catch { /* the server has ended: the page stays readable */ }
  setTimeout(look, EVERY_MS);
};

document.body.append(made("button", { className: "shortcut", textContent: "Size a model", onclick: () => send("/shortcut", {}) }));
look();
