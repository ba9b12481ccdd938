// The page of `make chat`: a conversation with the app, drawn as Slack draws it.
// Built into bot/playground/page/page.js by `npm run page`; nobody needs Node to use it.
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { Message } from "slack-blocks-to-jsx";

const EVERY_MS = 400;
const LOGO = "data:image/svg+xml," + encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="6" fill="#232f3e"/>' +
  '<rect x="9" y="9" width="18" height="18" rx="3" fill="none" stroke="#ff9900" stroke-width="2.5"/></svg>');
const SUGGESTED = ["/ec2-pick inference 7B latency<100ms", "/ec2-pick finetune llama-3-8b qlora", "/ec2-pick compare g6.xlarge inf2.xlarge for 8B"];

const send = (path, body) =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

// The renderer takes Slack's `verbatim` to mean "no formatting"; in Slack it only stops linking.
const drawable = (blocks) => JSON.parse(JSON.stringify(blocks), (key, value) => (key === "verbatim" ? undefined : value));

// Every button of a message in the order it is drawn.
const buttonsOf = (blocks) => blocks.flatMap((block) => [
  ...(block.accessory?.type === "button" ? [{ ...block.accessory, block_id: block.block_id }] : []),
  ...(block.type === "actions" ? block.elements.filter((e) => e.type === "button").map((e) => ({ ...e, block_id: block.block_id })) : []),
]);

// A message told again has changed: it stays where it is.
const told = (before, news) => {
  const all = new Map(before.map((post) => [post.ts, post]));
  news.forEach((post) => all.set(post.ts, post));
  return [...all.values()];
};

function Post({ post }) {
  if (!post.blocks) return <div className={`said ${post.author === "you" ? "you" : ""}`}>{post.text}</div>;
  const clicked = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const place = [...event.currentTarget.querySelectorAll("button")].indexOf(button);
    const action = buttonsOf(post.blocks)[place];
    if (action) send("/click", { ts: post.ts, action });
  };
  return (
    <div className="card" onClick={clicked} data-ts={post.ts}>
      <Message blocks={drawable(post.blocks)} logo={LOGO} name="ec2-pick" time={new Date()} theme="light" />
    </div>
  );
}

function Composer({ threadTs, placeholder }) {
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    send("/say", { text: text.trim(), thread_ts: threadTs });
    setText("");
  };
  return (
    <form onSubmit={submit} className="composer">
      <input value={text} onChange={(e) => setText(e.target.value)} placeholder={placeholder} aria-label={placeholder} />
      <button type="submit">Send</button>
    </form>
  );
}

function Thread({ root, replies }) {
  return (
    <section className="thread" aria-label={`thread ${root.ts}`}>
      <Post post={root} />
      <div className="replies">
        {replies.map((post) => <Post key={post.ts} post={post} />)}
        {!root.text.startsWith("/") && <Composer threadTs={root.ts} placeholder="Reply in thread: in Frankfurt on spot" />}
      </div>
    </section>
  );
}

function Page() {
  const [posts, setPosts] = useState([]);
  const count = useRef(0);
  const end = useRef(null);
  useEffect(() => {
    let alive = true;
    const look = async () => {
      try {
        const found = await (await fetch(`/posts?after=${count.current}`)).json();
        if (found.posts.length) {
          count.current += found.posts.length;
          setPosts((before) => told(before, found.posts));
          setTimeout(() => end.current?.scrollIntoView({ behavior: "smooth" }), 50);
        }
      } catch { /* the server has ended: the page stays readable */ }
      if (alive) setTimeout(look, EVERY_MS);
    };
    look();
    return () => { alive = false; };
  }, []);
  const roots = posts.filter((post) => !post.thread_ts);
  return (
    <main>
      <h1>ec2-pick, as if in Slack</h1>
      <p className="hint">Nothing leaves this machine. Type a command, or a question in your own words; reply in a thread to go on from an answer.</p>
      {posts.length === 0 && SUGGESTED.map((text) => (
        <button key={text} className="suggested" onClick={() => send("/say", { text })}>{text}</button>
      ))}
      {roots.map((root) => <Thread key={root.ts} root={root} replies={posts.filter((p) => p.thread_ts === root.ts && p.ts !== root.ts)} />)}
      <div ref={end} />
      <footer><Composer placeholder="/ec2-pick inference 7B latency<100ms" /></footer>
    </main>
  );
}

createRoot(document.getElementById("page")).render(<Page />);
