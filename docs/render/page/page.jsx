// The page of `make chat`: a workspace with the app in it, drawn as Slack draws it.
// Built into bot/playground/page/page.js by `npm run page`; nobody needs Node to use it.
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { Blocks } from "./blocks.jsx";
import { Home } from "./home.jsx";
import { CHANNEL, DIRECT, EVERY_MS, NAMES, send } from "./slack.js";

const SUGGESTED = ["/ec2-pick inference 7B latency<100ms", "/ec2-pick finetune llama-3-8b qlora", "/ec2-pick compare g6.xlarge inf2.xlarge for 8B"];
const HINTS = {
  [DIRECT]: "Type a command, or a question in your own words; reply in a thread to go on from an answer.",
  [CHANNEL]: "Everybody sees this. The app answers commands, mentions (@ec2-pick 8B for 20 users), its own threads, and Size this on any message.",
};

// A message told again has changed, or is gone: it stays where it is.
const told = (before, news) => {
  const all = new Map(before.map((post) => [post.ts, post]));
  news.forEach((post) => all.set(post.ts, post));
  return [...all.values()];
};

function Typed({ post }) {
  return (
    <div className="said" data-ts={post.ts}>
      <span><b>{post.author === "you" ? "You" : post.author}: </b>{post.text}</span>
      {!post.text.startsWith("/") && <button className="more" onClick={() => send("/size", { ts: post.ts })}>Size this</button>}
    </div>
  );
}

function Post({ post, onThread }) {
  if (post.author !== "ec2-pick") return <Typed post={post} />;
  return (
    <div className="card" data-ts={post.ts}>
      {post.only_you && <p className="only">Only visible to you</p>}
      {post.blocks
        ? <Blocks blocks={post.blocks} onAction={(action) => send("/click", { ts: post.ts, action })} onThread={onThread} />
        : <div className="said"><span><b>ec2-pick: </b>{post.text}</span></div>}
    </div>
  );
}

function Composer({ channel, threadTs, placeholder }) {
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    send("/say", { text: text.trim(), thread_ts: threadTs, channel });
    setText("");
  };
  return (
    <form onSubmit={submit} className="composer">
      <input value={text} onChange={(e) => setText(e.target.value)} placeholder={placeholder} aria-label={placeholder} />
      <button type="submit">Send</button>
    </form>
  );
}

function Thread({ root, replies, status, onThread }) {
  const replying = root.blocks || !root.text.startsWith("/");
  return (
    <section className="thread" id={`thread-${root.ts}`} aria-label={`thread ${root.ts}`}>
      <Post post={root} onThread={onThread} />
      <div className="replies">
        {replies.map((post) => <Post key={post.ts} post={post} onThread={onThread} />)}
        {status && <p className="status" role="status">ec2-pick {status}</p>}
        {replying && !root.broadcast && <Composer channel={root.channel} threadTs={root.ts} placeholder="Reply in thread: in Frankfurt on spot" />}
      </div>
    </section>
  );
}

function Conversation({ channel, posts, statuses, onThread }) {
  const here = posts.filter((post) => post.channel === channel && !post.gone);
  const roots = here.filter((post) => !post.thread_ts || post.broadcast);
  const repliesTo = (root) => (root.thread_ts ? [] : here.filter((p) => p.thread_ts === root.ts && p.ts !== root.ts));
  return (
    <>
      <p className="hint">{HINTS[channel]}</p>
      {channel === DIRECT && here.length === 0 && SUGGESTED.map((text) => (
        <button key={text} className="suggested" onClick={() => send("/say", { text, channel })}>{text}</button>
      ))}
      {roots.map((root) => (
        <div key={root.ts}>
          {root.thread_ts && <p className="only">Shared from its thread</p>}
          <Thread root={root} replies={repliesTo(root)} status={statuses[root.ts]} onThread={onThread} />
        </div>
      ))}
      <footer><Composer channel={channel} placeholder={SUGGESTED[0]} /></footer>
    </>
  );
}

function Page() {
  const [posts, setPosts] = useState([]);
  const [statuses, setStatuses] = useState({});
  const [place, setPlace] = useState(DIRECT);
  const [unseen, setUnseen] = useState({});
  const count = useRef(0);
  const shown = useRef(place);
  const end = useRef(null);
  const go = (where) => {
    shown.current = where;
    setPlace(where);
    setUnseen((before) => ({ ...before, [where]: 0 }));
    if (where === "home") send("/open-home", {});
  };
  const onThread = (channel, ts) => {
    go(channel);
    if (ts) setTimeout(() => document.getElementById(`thread-${ts}`)?.scrollIntoView({ behavior: "smooth" }), 50);
  };
  useEffect(() => {
    let alive = true;
    const look = async () => {
      try {
        const found = await (await fetch(`/posts?after=${count.current}`)).json();
        setStatuses(found.statuses);
        if (found.posts.length) {
          const first = count.current === 0;
          count.current += found.posts.length;
          setPosts((before) => told(before, found.posts));
          const elsewhere = found.posts.filter((post) => post.channel !== shown.current && !first);
          if (elsewhere.length) setUnseen((before) => elsewhere.reduce((all, { channel }) => ({ ...all, [channel]: (all[channel] ?? 0) + 1 }), before));
          if (found.posts.some((post) => post.channel === shown.current)) setTimeout(() => end.current?.scrollIntoView({ behavior: "smooth" }), 50);
        }
      } catch { /* the server has ended: the page stays readable */ }
      if (alive) setTimeout(look, EVERY_MS);
    };
    look();
    return () => { alive = false; };
  }, []);
  return (
    <main>
      <h1>ec2-pick, as if in Slack</h1>
      <nav aria-label="places">
        {Object.entries(NAMES).map(([where, name]) => (
          <button key={where} aria-current={place === where ? "page" : undefined} onClick={() => go(where)}>
            {name}{unseen[where] ? ` (${unseen[where]} new)` : ""}
          </button>
        ))}
      </nav>
      {place === "home"
        ? <Home onThread={onThread} />
        : <Conversation channel={place} posts={posts} statuses={statuses} onThread={onThread} />}
      <div ref={end} />
    </main>
  );
}

createRoot(document.getElementById("page")).render(<Page />);
