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
    let last = { top: 0, height: 0 };
    const toEnd = () => (element.scrollTop = element.scrollHeight);
    const keepUp = () => pinned && toEnd();
    const look = () => {
      const { scrollTop: top, scrollHeight: height, clientHeight } = element;
      const left = height - top - clientHeight;
      // Only the reader moves upwards in a page that does not shrink; growth below moves nothing.
      if (top < last.top && height >= last.height && left > 1) pinned = false;
      else if (left < NEAR) pinned = true;
      last = { top, height };
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
