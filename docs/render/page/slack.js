// The places of the page, and how it speaks to the server.
export const EVERY_MS = 400;
export const DIRECT = "DPLAY";
export const CHANNEL = "CPLAY";
export const NAMES = { [DIRECT]: "ec2-pick", [CHANNEL]: "#ml-platform", home: "Home" };

export const send = (path, body) =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

// A link into Slack as the app makes it: to a thread, or to the conversation with the app.
export const placeOf = (href) => {
  const url = new URL(href);
  if (url.hostname === "slack.com" && url.pathname === "/app_redirect") return [DIRECT, null];
  const [, client, , channel, , thread] = url.pathname.split("/");
  if (url.hostname !== "app.slack.com" || client !== "client" || !(channel in NAMES)) return null;
  return [channel, thread?.slice(channel.length + 1) ?? null];
};
