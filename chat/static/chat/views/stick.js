/** Keeping the end of a growing page in view, for as long as the reader stays there. */
import { useLayoutEffect, useRef, useState } from "../vendor.js";

const NEAR = 48; // pixels from the end that still count as the end

/** `[away, toEnd]` for a scrolling `box` around `content`; `subject` starts anew at its end. */
export function useStickToEnd(box, content, subject) {
  const [away, setAway] = useState(false);
  const follow = useRef(() => {});
  useLayoutEffect(() => {
    const element = box.current;
    let pinned = true;
    let lastTop = 0;
    const toEnd = () => (element.scrollTop = element.scrollHeight);
    const keepUp = () => pinned && toEnd();
    const look = () => {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Only a move upwards lets go: growth below also takes the view away from the end.
      if (near) pinned = true;
      else if (element.scrollTop < lastTop) pinned = false;
      lastTop = element.scrollTop;
      setAway(!pinned);
    };
    follow.current = () => {
      pinned = true;
      toEnd();
    };
    const observer = new ResizeObserver(keepUp);
    observer.observe(content.current);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    keepUp();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [subject]);
  return [away, () => follow.current()];
}
