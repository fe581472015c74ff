/** Work put together so that it happens once per animation frame, and slowly where nobody looks. */

const HIDDEN_PAUSE = 250; // milliseconds

/** A function that has `work` done soon, however often it is called meanwhile. */
export function onceAFrame(work) {
  let waiting = false;
  const run = () => {
    waiting = false;
    work();
  };
  return () => {
    if (waiting) return;
    waiting = true;
    if (document.hidden) setTimeout(run, HIDDEN_PAUSE);
    else requestAnimationFrame(run);
  };
}
