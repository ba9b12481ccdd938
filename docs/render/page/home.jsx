// The app's Home tab: published by the app when it is opened, its buttons delivered as clicks.
import { useEffect, useState } from "react";
import { Blocks } from "./blocks.jsx";
import { EVERY_MS, send } from "./slack.js";

export function Home({ onThread }) {
  const [view, setView] = useState(null);
  useEffect(() => {
    let alive = true;
    const look = async () => {
      try {
        const found = await (await fetch("/home")).json();
        setView((before) => (found.view?.hash === before?.hash ? before : found.view));
      } catch { /* the server has ended: the page stays readable */ }
      if (alive) setTimeout(look, EVERY_MS);
    };
    look();
    return () => { alive = false; };
  }, []);
  if (!view) return <p className="hint">The app has not shown its Home tab yet.</p>;
  return (
    <div className="home">
      <Blocks bare blocks={view.blocks} onAction={(action) => send("/home-click", { action })} onThread={onThread} />
    </div>
  );
}
